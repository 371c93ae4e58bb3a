"""The demo on a server that runs already, in every language; and what it says when something does not happen."""

import subprocess
from collections.abc import Iterator

import msgspec
import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.demo.command import demo
from app.demo.scenario import LANGUAGES, Expected, Texts, scenario_for
from tests.support.repository import ROOT
from tests.support.served import Served, environment, served, turnwright

SCENARIOS = sorted(path.stem for path in (ROOT / "app" / "demo" / "scenarios").glob("*.yaml"))
LINES = {
    "dark_heresy_2e": ("  Brok: heavy stubber jams!", "  Brok уклоняется.", "  Sable paruje cios!"),
    "wh40k_d100": (
        "  Extreme Damage against Grash!",
        "  Атака Незримая: Pell её не видит.",
        "  Xith traci przytomność.",
    ),
    "gurps_4e": (
        "  Hal has been waiting for this.",
        "  Hal обманывает противника (Grim): защиты хуже на 4.",
        "  Vex traci przytomność.",
    ),
    "manewry_ap": (
        "  Kruk leaps at Borys (spear).",
        "  Olek переходит на спринт.",
        "  Kruk atakuje z wyskoku: Borys (włócznia).",
    ),
    "shadowrun_5e": (
        "  Razor, attack (automatics): 6, 6, 5, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 3 — 5 hits.",
        "  Dima получает удар током.",
        "Razor się wtrąca.",
    ),
}
"""A line of each story in each language."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("demo")
    command = turnwright("serve", "--port", "0", "--database", f"sqlite:///{folder}/turnwright.sqlite3")
    with served(command, folder / "printed") as running:
        yield running


@pytest.mark.parametrize("ruleset", SCENARIOS)
def test_a_running_server_is_played_on_in_every_language(server: Served, ruleset: str) -> None:
    given = ("--ruleset", ruleset, "--url", server.url, "--token", server.token)
    command = turnwright("demo", *given, "--space", "map", "--language", "all")

    done = subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=100, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Playing on {server.url}." in done.stdout
    for line in LINES[ruleset]:
        assert line in done.stdout.splitlines()
    assert "Last maneuver" not in done.stdout, "what nobody has spoken of is not told of anybody at the end"


@pytest.mark.parametrize("ruleset", [name for name in SCENARIOS if name != "dark_heresy_2e"])
def test_the_same_fight_is_fought_without_a_map(server: Served, ruleset: str) -> None:
    """The one that the README names is played so by its own test."""
    told: list[str] = []

    went_well = demo(scenario_for(ruleset), "ru", "stated", server.url, server.token, told.append)

    assert went_well, "\n".join(told)
    assert LINES[ruleset][1] in told


def test_the_client_names_no_ruleset() -> None:
    rulesets = {path.name for path in (ROOT / "rulesets").iterdir() if (path / "ruleset.yaml").exists()}
    sources = (ROOT / "app" / "demo").glob("*.py")

    assert not [path.name for path in sources if any(name in path.read_text() for name in rulesets)]


def test_what_does_not_happen_is_told_and_fails(server: Served) -> None:
    texts = Texts("Nobody was hurt.", "Никто не пострадал.", "Nikt nie ucierpiał.")
    scenario = scenario_for("dark_heresy_2e")
    never = Expected(texts, [{"type": "status_changed", "combatant": "ref:vane", "status": "dead"}])
    between = msgspec.structs.replace(scenario.expect[0], name=texts, without=[{"type": "hits_scored"}])
    scenario = msgspec.structs.replace(scenario, expect=[*scenario.expect, never, between])
    told: list[str] = []

    went_well = demo(scenario, "en", "stated", server.url, server.token, told.append)

    assert not went_well
    assert told.count("  [ ] Nobody was hurt.") == 2
    assert sum(line.startswith("  [x]") for line in told) == len(scenario.expect) - 2


def test_a_ruleset_without_a_demo_is_named() -> None:
    done = CliRunner().invoke(cli, ["demo", "--ruleset", "../etc"])

    assert done.exit_code == 2
    assert "There is no demo for ../etc." in done.output


@pytest.mark.parametrize("ruleset", SCENARIOS)
def test_a_scenario_is_a_fight_of_four_against_four_with_words_in_every_language(ruleset: str) -> None:
    scenario = scenario_for(ruleset)
    sides = [body["side"] for body in scenario.people.values()]

    assert len(set(sides)) == 2
    assert min(sides.count(side) for side in set(sides)) >= 4
    assert set(scenario.places) == set(scenario.people)
    for texts in (scenario.title, *(one.name for one in scenario.expect)):
        assert all(texts.of(language) for language in LANGUAGES)
