"""The README is true: whoever copies its commands gets the answers that it shows."""

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.config import Settings
from tests.support.repository import ROOT
from tests.support.served import environment, served

README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IDS = re.compile(r"\b(cmp|enc|cmb|dec|cmd)_[0-9a-z]+|\btw_\w+_[\w-]+")
MARK = "=====next====="
RUN, DEMO, TEST = "make run\n", "make demo\n", "make test\n"


@dataclass(frozen=True)
class Block:
    """A command block and what it is said to print."""

    commands: str
    shown: tuple[tuple[str, str], ...]


def blocks() -> Iterator[Block]:
    commands, shown = "", list[tuple[str, str]]()
    for kind, text in FENCE.findall(README):
        if kind != "sh":
            shown.append((kind, text))
            continue
        if commands:
            yield Block(commands, tuple(shown))
        commands, shown = text, []
    yield Block(commands, tuple(shown))


BLOCKS = tuple(blocks())
MADE = {block.commands: block for block in BLOCKS if "make " in block.commands}
WALK = tuple(block for block in BLOCKS if block.commands not in MADE)


def test_every_command_block_is_one_of_those_run_here() -> None:
    databases = [commands for commands in MADE if commands.startswith("TURNWRIGHT_DATABASE_URL=")]

    assert set(MADE) == {RUN, DEMO, TEST, *databases}
    assert len(databases) == 1
    assert len(WALK) > 10


def test_the_walk_through_answers_what_is_shown(tmp_path: Path) -> None:
    printed = tmp_path / "printed"
    database = f"sqlite:///{tmp_path}/turnwright.sqlite3"

    with served(
        ["sh", "-c", RUN], printed, TURNWRIGHT_DATABASE_URL=database, TURNWRIGHT_PORT="0", PYTHONUNBUFFERED="1"
    ) as server:
        script = f"\necho {MARK}\n".join(["set -eu", *(block.commands for block in WALK)])
        script = script.replace("http://127.0.0.1:8000", server.url).replace("tw_PUT_YOURS_HERE", server.token)
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    assert done.returncode == 0, done.stdout + done.stderr
    answers = done.stdout.split(f"{MARK}\n")[1:]
    for block, answer in zip(WALK, answers, strict=True):
        for kind, shown in block.shown:
            if kind == "json":
                assert holds(json.loads(answer), json.loads(shown)), f"{block.commands}\n{answer}\nholds not\n{shown}"
            else:
                assert has_lines(answer, shown), f"{block.commands}\n{answer}\nhas not\n{shown}"


def holds(found: Any, shown: Any) -> bool:
    """Whether an answer holds what is shown of it: each field, each element in order. An id may be any id."""
    if isinstance(shown, dict):
        return isinstance(found, dict) and all(key in found and holds(found[key], shown[key]) for key in shown)
    if isinstance(shown, list):
        rest: Iterator[Any] = iter(found if isinstance(found, list) else ())
        return all(any(holds(one, want) for one in rest) for want in shown)
    if isinstance(shown, str) and isinstance(found, str):
        return IDS.sub(r"\1", shown) == IDS.sub(r"\1", found)
    return bool(found == shown)


def has_lines(answer: str, shown: str) -> bool:
    """Whether the lines come in that order, whatever comes between."""
    rest = iter(answer.splitlines())
    return all(line in rest for line in shown.splitlines())


@pytest.mark.timeout(180)
def test_the_demo_tells_what_is_shown() -> None:
    done = subprocess.run(
        ["sh", "-c", DEMO], cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=150, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    ((_, shown),) = MADE[DEMO].shown
    assert has_lines(done.stdout, shown), done.stdout


def test_postgres_is_one_setting(postgres_url: str, tmp_path: Path) -> None:
    (commands,) = (commands for commands in MADE if commands.startswith("TURNWRIGHT_DATABASE_URL="))
    commands = re.sub(r"postgresql\+psycopg://\S+", f"'{postgres_url}'", commands)

    with served(["sh", "-c", commands], tmp_path / "printed", TURNWRIGHT_PORT="0", PYTHONUNBUFFERED="1") as server:
        assert server.token


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\bmake ([a-z]+)", README))))
def test_make_knows_every_target_that_is_named(target: str) -> None:
    done = subprocess.run(["make", "-n", target], cwd=ROOT, env=environment(), capture_output=True, check=False)

    assert done.returncode == 0, done.stderr


def test_every_setting_that_is_named_exists() -> None:
    named = {name.lower() for name in re.findall(r"`TURNWRIGHT_([A-Z_]+)`", README)}

    assert named <= set(Settings.model_fields)


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda path: path.name
)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target
