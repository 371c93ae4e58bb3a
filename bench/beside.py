"""What others have built, beside us: rules and dice in Python, and a game server for tables.

It is installed by `make peers`, in an environment of its own; what is not there is left out, and said so.
"""

import asyncio
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.engine.dice import named_faces, parse_dice
from bench import fights
from bench.engine import Work, seconds_each
from bench.figures import Table
from bench.processes import ROOT, ceiling, cores, load, note, pinned, product
from tests.support.play import ruleset

PEERS = ROOT / ".peers"
PYTHON = PEERS / "venv" / "bin" / "python"
TABLES = PEERS / "node_modules" / "boardgame.io"
RULES, CHESS = "attack, one run", "python-chess, a move"
SEED = bytes(range(32))
MATCHES = 32
STORES = {"memory": "boardgame.io in memory", "disk": "boardgame.io on disk"}
C = "C, 32 connections"


def _dice(text: str, drop: int = 0) -> Callable[[], Any]:
    """Server dice as a command draws them: the notation looked up, the faces from a secret and the name of the roll."""

    def roll() -> int:
        dice, total = parse_dice(text), 0
        for group in dice.groups:
            faces = named_faces(SEED, "0123456789abcdef", group.count, group.sides)
            total += sum(sorted(faces)[drop:] if drop else faces)
        return total + dice.plus

    return roll


OURS = {"1d100": _dice("1d100"), "4d6kh3": _dice("4d6", drop=1), "12d6": _dice("12d6")}


def rules(rounds: int, seconds: float) -> Table:
    """The engine beside python-chess, our dice beside d20, each in processor time of one thread."""
    table = Table(
        "Rules and dice beside python-chess and d20",
        "A move of chess is parsed, judged and made. Our dice are drawn from a secret by the name of their roll; the "
        "best three of four are picked by hand, since our notation has no such word."
        if PYTHON.exists()
        else "Not measured: `make peers` installs what it is measured against.",
    )
    if not PYTHON.exists():
        return table
    attack = Work(ruleset(), 20).one_run
    for _ in range(rounds):
        told = subprocess.run(
            [PYTHON, ROOT / "bench" / "peers" / "rates.py", str(seconds)], check=True, capture_output=True, text=True
        )
        found = json.loads(told.stdout)
        table.row(CHESS, "/s").add(found["chess"])
        table.row(RULES, "/s", CHESS).add(1 / seconds_each(attack, seconds))
        for text, ours in OURS.items():
            table.row(f"d20, {text}", "/s").add(found[text])
            table.row(f"Turnwright, {text}", "/s", f"d20, {text}").add(1 / seconds_each(ours, seconds))
    return table


def tables(folder: Path, rounds: int, seconds: float) -> Table:
    """boardgame.io with 32 tables of twenty combatants, beside the product with as many fights, and beside C."""
    node = shutil.which("node")
    is_there = node is not None and TABLES.exists()
    table = Table(
        "Tables beside boardgame.io",
        "32 tables, 20 combatants, one attack a move, each server on one core; its own client on the other. In memory "
        "it keeps nothing; on disk it writes each table's whole log anew with each move, so that it is at its best "
        "here, with short ones. Latencies in milliseconds."
        if is_there
        else "Not measured: it takes Node, and `make peers`.",
    )
    if not is_there:
        return table
    with (
        product(f"sqlite:///{folder / 'tables.sqlite3'}", folder, "product-tables") as server,
        ceiling(f"sqlite:///{folder / 'tables-c.sqlite3'}", folder, "reference-tables") as reference,
    ):
        campaign, token = asyncio.run(fights.open_campaign(server.port, server.token))
        names = asyncio.run(fights.create(server.port, token, campaign, 20, MATCHES))
        common = {"connections": MATCHES, "warm_s": seconds / 5, "seconds": seconds}
        for number in range(rounds):
            note(f"Tables, round {number + 1} of {rounds}")
            found = load({"kind": "post", "path": "/fights", "port": reference.port, **common})
            table.row(C, "/s").add(found["rate"], p50=found["p50"], p99=found["p99"])
            for store, name in STORES.items():
                where = "memory" if store == "memory" else str(folder / f"disk-{number}")
                with _others(str(node), where, folder) as port:
                    found = _moves(str(node), port, seconds)
                table.row(name, "/s", C).add(found["rate"], p50=found["p50"], p99=found["p99"])
            found = load({"kind": "play", "fights": names, "token": token, "port": server.port, **common})
            for store, name in STORES.items():
                row = table.row(f"Turnwright, against it {_where(store)}", "/s", name)
                row.add(found["rate"], p50=found["p50"], p99=found["p99"])
    return table


def _where(store: str) -> str:
    return "in memory" if store == "memory" else "on disk"


@contextmanager
def _others(node: str, where: str, folder: Path) -> Iterator[int]:
    """Their server, on the core of servers."""
    log = (folder / "others.log").open("a")
    with pinned(cores()[0]):
        process = subprocess.Popen(
            [node, _script("tables.cjs"), where], cwd=PEERS, stdout=subprocess.PIPE, stderr=log, text=True
        )
    assert process.stdout is not None
    try:
        told = next((found for line in process.stdout if (found := re.search(r"on http://[\d.]+:(\d+)", line))), None)
        if told is None:
            raise RuntimeError("boardgame.io did not start")
        yield int(told[1])
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
        log.close()


def _moves(node: str, port: int, seconds: float) -> dict[str, float]:
    """What their client measures, on the core of clients."""
    with pinned(cores()[1]):
        told = subprocess.run(
            [node, _script("moves.cjs"), str(port), str(MATCHES), str(seconds / 5), str(seconds)],
            cwd=PEERS,
            check=True,
            capture_output=True,
            text=True,
        )
    found: dict[str, float] = json.loads(told.stdout)
    return found


def _script(name: str) -> str:
    """Theirs is run from where its packages are found."""
    there = PEERS / name
    there.write_bytes((ROOT / "bench" / "peers" / name).read_bytes())
    return str(there)
