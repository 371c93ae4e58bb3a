"""Files and databases that somebody changed with care: the chain of hashes is good, and each row fits the next."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, text

from app.persistence.audit import FIRST_HASH, linked
from app.persistence.database import open_database
from app.persistence.lines import entry_in, event_in
from app.persistence.verify import verify
from app.services import forking, history, wire
from app.services.bodies import ForkIn
from app.services.caller import Attempt
from app.services.errors import BadInput
from app.services.rerun import Rerun
from tests.services.game import ANN, GM, WATCHER, Game, Json, fighter, seen
from tests.services.test_dice_trust import seeds
from tests.services.test_transfer import brought, lines_of
from tests.support import toy
from tests.support.clock import Clock

Lines = list[Json]
Forge = Callable[[Lines], None]


async def parsed(game: Game) -> Lines:
    return [json.loads(line) for line in await lines_of(game)]


def rechained(lines: Lines) -> list[bytes]:
    """The same with every hash made good, as a cheat with the file in hand would."""
    chain = FIRST_HASH
    for line in lines:
        if line["line"] == "event":
            told = event_in(written(line))
            assert told is not None
            chain = linked(chain, entry_in(told), bytes(told.body))
            line["hash"] = chain.hex()
    lines[0]["hash"] = chain.hex()
    lines[-1]["lines"] = len(lines) - 1
    return [written(line) for line in lines]


def written(line: Json) -> bytes:
    """As we write it."""
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode()


def told(lines: Lines, kind: str) -> list[Json]:
    """Bodies of events of that type."""
    return [line["body"] for line in lines if line["line"] == "event" and line["type"] == kind]


def rolls(lines: Lines) -> Iterator[Json]:
    for line in lines:
        if line["line"] == "rolls":
            yield from line["body"]


def pauses(lines: Lines) -> list[Json]:
    return [line for line in lines if line["line"] == "pause"]


def said_of(lines: Lines, roll: Json, **fields: Any) -> None:
    """Say something else of a roll and of every die of it."""
    roll |= {name: value for name, value in fields.items() if name != "value"}
    if "value" in fields:
        roll["faces"] = [fields["value"]]
    for line in lines:
        for die in line["body"].get("dice") or () if line["line"] == "event" else ():
            if isinstance(die, dict) and die.get("roll", "").startswith(roll["name"]):
                die.update(fields)


def roll_of(lines: Lines, die: Json) -> Json:
    return next(one for one in rolls(lines) if die["roll"].startswith(one["name"]))


# A fight that is over, its seed known to everybody


async def over(game: Game) -> None:
    """Ann and the orc strike each other; whoever is hit is asked first. The spy rolls his own dice."""
    game.service.new_seed = seeds()
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), fighter("spy", "red", dice="client"))
    for actor, target in (("ann", "orc"), ("orc", "ann"), ("ann", "orc")):
        while (turn := (await game.read())["turn"]["combatant"]) != game.ids[actor]:
            await game.act(GM, turn, "end_turn")
        asked = await game.act(GM, f"ref:{actor}", "strike", f"ref:{target}")
        while asked["waiting_for"]:
            asked = await game.answer(GM, asked["waiting_for"][0]["id"], option="none")
    await game.end()


def another_roll(lines: Lines) -> None:
    first, *_, last = (body["dice"][0] for body in told(lines, "check_rolled"))
    last |= {"roll": first["roll"], "value": first["value"]}


def damage_for_a_test(lines: Lines) -> None:
    """Two dice of one command change their places."""
    tests = {die["roll"]: die for body in told(lines, "check_rolled") for die in body["dice"]}
    for body in told(lines, "damage_dealt"):
        for hurt in body["dice"]:
            command = roll_of(lines, hurt)["command"]
            test = next(die for name, die in tests.items() if roll_of(lines, die)["command"] == command)
            hurt |= {"roll": test["roll"], "value": test["value"], "sides": test["sides"]}
            return


def no_dice(lines: Lines) -> None:
    told(lines, "check_rolled")[-1]["dice"] = []


def brought_by_nobody(lines: Lines) -> None:
    hurt = told(lines, "damage_dealt")[0]["dice"][0]
    said_of(lines, roll_of(lines, hurt), source="brought", by="tok_x", value=hurt["sides"])


def brought_to_the_start(lines: Lines) -> None:
    first = next(body["dice"][0] for body in told(lines, "standing_set") if body["dice"][0]["source"] == "server")
    said_of(lines, roll_of(lines, first), source="brought", by="tok_x", value=first["sides"])


def rolled_by_nobody(lines: Lines) -> None:
    hurt = told(lines, "damage_dealt")[0]["dice"][0]
    said_of(lines, roll_of(lines, hurt), source="client", by="tok_x", value=hurt["sides"])


def beyond_its_faces(lines: Lines) -> None:
    his = next(one for one in rolls(lines) if one.get("source") == "client")
    said_of(lines, his, value=77)


def below_its_faces(lines: Lines) -> None:
    his = next(one for one in rolls(lines) if one.get("source") == "client")
    said_of(lines, his, value=-5)


def of_no_sides(lines: Lines) -> None:
    his = next(one for one in rolls(lines) if one.get("source") == "client")
    said_of(lines, his, value=77)
    his["sides"] = 0


def under_an_older_number(lines: Lines) -> None:
    for roll in rolls(lines):
        roll["command"] = 1


OVER: dict[str, Forge] = {
    "the die of another command": another_roll,
    "the die of another rule": damage_for_a_test,
    "a test without dice": no_dice,
    "damage that somebody brought along": brought_by_nobody,
    "dice that were brought to the start": brought_to_the_start,
    "damage that was asked of nobody": rolled_by_nobody,
    "a face too high": beyond_its_faces,
    "a face too low": below_its_faces,
    "a die of no sides": of_no_sides,
    "commands under one number": under_an_older_number,
}


@pytest.mark.parametrize("forge", OVER)
async def test_a_forged_die_is_refused_though_the_chain_holds(quick_game: Game, forge: str) -> None:
    await over(quick_game)
    lines = await parsed(quick_game)
    assert (await brought(quick_game, rechained(lines)))["id"]

    OVER[forge](lines)

    with pytest.raises(BadInput, match="log_broken"):
        await brought(quick_game, rechained(lines))


async def test_a_later_die_of_a_fork_did_not_come_along(quick_game: Game) -> None:
    game = quick_game
    await waiting(game)
    made = await forking.fork(game.service, GM, game.encounter, ForkIn(), Attempt())
    game.encounter = seen(made)["id"]
    await game.answer(GM, (await game.read())["waiting_for"][0]["id"], option="none")
    await game.end()
    lines = await parsed(game)
    assert (await brought(game, rechained(lines)))["id"]
    hurt = told(lines, "damage_dealt")[0]["dice"][0]
    later = roll_of(lines, hurt)

    for line in lines:
        if line["line"] == "rolls":
            line["body"] = [one for one in line["body"] if one is not later]
    number = pauses(lines)[0]["pending"]["number"]
    said_of(lines, later, carried=True, value=later["sides"], command=number)
    for body in told(lines, "damage_dealt"):
        for die in body["dice"]:
            die.pop("carried", None)
            die.pop("command", None)
    next(line for line in lines if line["line"] == "rolls" and line["version"] == 1)["body"].append(later)
    pauses(lines)[0]["pending"]["inputs"][later["key"]] = {
        "type": "faces", "faces": later["faces"], "source": "server", "name": later["name"], "sides": later["sides"],
    }  # fmt: skip
    forged = rechained([line for line in lines if line["line"] != "rolls" or line["body"]])

    with pytest.raises(BadInput, match="not_playable"):
        await brought(game, forged)


async def test_dice_that_nobody_was_committed_to_prove_nothing(quick_game: Game) -> None:
    game = quick_game
    await over(game)
    lines = await parsed(game)
    for one in lines[0]["dice_seeds"]:
        one["commitment"] = ""
    for body in told(lines, "encounter_set"):
        body.pop("dice_commitment", None)

    game.encounter = (await brought(game, rechained(lines)))["id"]

    for caller in (GM, WATCHER):
        found = seen(await history.verify(game.service, caller, game.encounter))
        assert (found["ok"], found["verdict"], found["dice"]["checked"]) == (True, "unproven", 0)
        assert [one["reason"] for one in found["unproven"]] == ["uncommitted"]
        assert found["unproven"][0]["count"] == found["dice"]["unchecked"] > 3
        assert "nobody was committed" in found["unproven"][0]["text"]


async def test_an_honest_fight_is_proven_when_its_seed_is_known(quick_game: Game) -> None:
    await over(quick_game)

    for caller in (GM, ANN, WATCHER):
        found = seen(await history.verify(quick_game.service, caller, quick_game.encounter))
        assert (found["verdict"], found["unproven"], found["findings"]) == ("proven", [], [])


async def test_a_clock_that_was_set_back_is_told(quick_game: Game) -> None:
    game = quick_game
    await over(game)
    lines = await parsed(game)
    for line in lines:
        if line["line"] == "event":
            line["at"] = 1_000_000_000_000 - line["seq"] * 1000

    game.encounter = (await brought(game, rechained(lines)))["id"]

    for caller in (GM, WATCHER):
        found = seen(await history.verify(game.service, caller, game.encounter))
        assert (found["ok"], found["verdict"]) == (True, "unproven")
        assert [one["reason"] for one in found["unproven"]] == ["times"]


async def test_a_die_is_checked_by_the_seed_of_its_time_and_by_no_other(quick_game: Game) -> None:
    game = quick_game
    await over(game)
    lines = await parsed(game)
    for one in lines[0]["dice_seeds"]:
        one["seed"] = None

    game.encounter = (await brought(game, rechained(lines)))["id"]

    for caller in (GM, WATCHER):
        found = seen(await history.verify(game.service, caller, game.encounter))
        assert (found["dice"]["checked"], found["verdict"]) == (0, "unproven")
        assert [one["reason"] for one in found["unproven"]] == ["seed_unknown"]


# A fight that waits


async def waiting(game: Game) -> None:
    """The orc is asked whether he defends himself; the die of the blow has fallen."""
    game.service.new_seed = seeds()
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"))
    for _ in range(12):
        asked = await game.act(GM, "ref:ann", "strike", "ref:orc")
        if asked["waiting_for"]:
            return
        await game.act(GM, "ref:ann", "end_turn")
        while (turn := (await game.read())["turn"]["combatant"]) != game.ids["ann"]:
            await game.act(GM, turn, "end_turn")
    raise AssertionError("nobody was hit")


def last(lines: Lines) -> Json:
    found: Json = pauses(lines)[-1]
    return found


def planted(**fields: Any) -> Forge:
    """A die that is yet to fall."""

    def forge(lines: Lines) -> None:
        blow = next(one for one in rolls(lines) if one["key"].endswith("to_hit"))
        key = blow["key"].replace("to_hit", "damage")
        made = {"type": "faces", "faces": [10], "source": "server", "sides": 10, **fields}
        last(lines)["pending"]["inputs"][key] = made

    return forge


def borrowed(lines: Lines) -> None:
    early = next(one for one in rolls(lines) if one["sides"] == 10)
    planted(name=early["name"], faces=early["faces"])(lines)


def rolled_ahead(lines: Lines) -> None:
    """It is among the rolls too, as if the command had made it."""
    planted(name="0123456789abcdef")(lines)
    blow = next(one for one in rolls(lines) if one["key"].endswith("to_hit"))
    made = [line for line in lines if line["line"] == "rolls"][-1]["body"]
    key = next(key for key in last(lines)["pending"]["inputs"] if key.endswith("damage"))
    made.append({**blow, "name": "0123456789abcdef", "key": key, "sides": 10, "faces": [10]})


def of_pending(**fields: Any) -> Forge:
    def forge(lines: Lines) -> None:
        for line in pauses(lines):
            if line["pending"] is not None and line["pending"]["number"] == last(lines)["pending"]["number"]:
                line["pending"] |= fields

    return forge


def of_submission(**fields: Any) -> Forge:
    def forge(lines: Lines) -> None:
        last(lines)["pending"]["command"]["submission"] |= fields

    return forge


def of_decision(**fields: Any) -> Forge:
    def forge(lines: Lines) -> None:
        last(lines)["decisions"][0] |= fields

    return forge


def fewer_options(lines: Lines) -> None:
    ask = last(lines)["decisions"][0]["ask"]
    ask["options"] = ask["options"][:1]


WAITING: dict[str, Forge] = {
    "a die that is yet to fall": planted(),
    "a die that cannot fall": planted(faces=[999]),
    "a die that is yet to fall, of another command": borrowed,
    "a die that is yet to fall, rolled ahead": rolled_ahead,
    "another weapon": of_submission(weapon="bow"),
    "in secret": of_submission(secret=True),
    "dice that are left": of_pending(brought={"damage": [10]}),
    "a digest of nothing": of_pending(digest="0" * 64),
    "less was shown": of_pending(shown=0),
    "another number": of_pending(number=1),
    "an id that breaks out": of_pending(command_id='cmd_a","version":999,"x":"<script>'),
    "an id of more lines": of_pending(command_id="cmd_a\nb"),
    "somebody who is nobody here": of_pending(token="tok_forged"),
    "an option is gone": fewer_options,
    "a question is hidden": of_decision(hidden=True),
    "another question": of_decision(id="dec_aaaaaaaaaa"),
    "asked of another": of_decision(owner="gm"),
    "asked before": of_decision(opened_version=1),
}


@pytest.mark.parametrize("forge", WAITING)
async def test_what_waits_is_what_the_log_says(quick_game: Game, forge: str) -> None:
    await waiting(quick_game)
    lines = await parsed(quick_game)
    assert (await brought(quick_game, rechained(lines)))["waiting_for"]

    WAITING[forge](lines)

    with pytest.raises(BadInput, match=r"log_broken|not_playable|bad_line"):
        await brought(quick_game, rechained(lines))


# People and ids whom the door does not let in

LONG = "z" * 5000
PEOPLE: dict[str, tuple[str, str]] = {
    "one external_ref for two": ('"external_ref":"orc"', '"external_ref":"ann"'),
    "a long external_ref": ('"external_ref":"orc"', f'"external_ref":"{LONG}"'),
    "an empty external_ref": ('"external_ref":"orc"', '"external_ref":""'),
    "no side": ('"side":"red"', '"side":""'),
    "a long side": ('"side":"red"', f'"side":"{LONG}"'),
    "a side of two lines": ('"side":"red"', '"side":"r\\ned"'),
    "a name of two lines": ('"name":"Orc"', '"name":"O\\nrc"'),
    "a name of blanks": ('"name":"Orc"', '"name":"   "'),
    "a name that nobody sees": ('"name":"Orc"', '"name":"\\u200b"'),
    "a long name": ('"name":"Orc"', f'"name":"{LONG}"'),
    "a fight of two lines": ('"name":"Bridge"', '"name":"Bri\\ndge"'),
    "a fight that nobody sees": ('"name":"Bridge"', '"name":"\\u200b"'),
    "a fight of no id": ('"id":"enc_', '"id":"x<y>'),
}
IDS = ("unknown", "*", "a/b>c", 'cmb_\\"x', "gm", "cmb_" + LONG, "cmb_a\\n")


def everywhere(lines: list[bytes], old: str, new: str) -> list[bytes]:
    """The text changed wherever it stands, and the chain made good."""
    whole = b"\n".join(lines).decode()
    assert old in whole
    return rechained([json.loads(line) for line in whole.replace(old, new).split("\n")])


@pytest.mark.parametrize("change", PEOPLE)
async def test_nobody_comes_in_by_a_file_who_may_not_come_by_the_door(quick_game: Game, change: str) -> None:
    await quick_game.create()
    lines = await lines_of(quick_game)
    old, new = PEOPLE[change]
    assert (await brought(quick_game, everywhere(lines, old, old)))["id"]

    with pytest.raises(BadInput):
        await brought(quick_game, everywhere(lines, old, new))


@pytest.mark.parametrize("made", IDS)
async def test_ids_in_a_file_are_ids(quick_game: Game, made: str) -> None:
    await quick_game.create()
    lines = await lines_of(quick_game)

    with pytest.raises(BadInput):
        await brought(quick_game, everywhere(lines, quick_game.ids["orc"], made))


async def test_whoever_reported_a_die_has_the_id_of_a_token(quick_game: Game) -> None:
    await over(quick_game)
    lines = await lines_of(quick_game)
    assert (await brought(quick_game, everywhere(lines, '"by":"tok_gm"', '"by":"tok_else"')))["id"]

    with pytest.raises(BadInput):
        await brought(quick_game, everywhere(lines, '"by":"tok_gm"', '"by":"<b>"'))


async def waits(url: str) -> None:
    """A database in which a fight waits."""
    clock = Clock()
    async with open_database(url, clock=clock) as database:
        await waiting(await Game.opened(database, clock))


def in_pause(change: Forge) -> Callable[[Connection], None]:
    """The same in the database: what waits now, and nothing else."""

    def work(connection: Connection) -> None:
        row = connection.execute(text("SELECT version, pending, decisions FROM pause ORDER BY version DESC")).first()
        made = connection.execute(text("SELECT version, body FROM roll ORDER BY version")).all()
        assert row is not None
        lines: Lines = [{"line": "rolls", "version": one.version, "body": json.loads(one.body)} for one in made]
        held = {"line": "pause", "pending": json.loads(row.pending), "decisions": json.loads(row.decisions)}
        change([*lines, held])
        found = {name: json.dumps(held[name]) for name in ("pending", "decisions")} | {"version": row.version}
        statement = "UPDATE pause SET pending = :pending, decisions = :decisions WHERE version = :version"
        connection.execute(text(statement), found)
        for one in lines:
            found = {"body": json.dumps(one["body"]), "version": one["version"]}
            connection.execute(text("UPDATE roll SET body = :body WHERE version = :version"), found)

    return work


def in_row(statement: str) -> Callable[[Connection], None]:
    return lambda connection: (connection.execute(text(statement)), None)[1]


KEPT: dict[str, Callable[[Connection], None]] = {
    **{name: in_pause(forge) for name, forge in WAITING.items() if "id" not in name and "nobody" not in name},
    "rewinds": in_row("UPDATE encounter SET epoch = 3"),
    "too few commands": in_row("UPDATE encounter SET commands = 1"),
    "too many commands": in_row("UPDATE encounter SET commands = 99"),
    "other rules": in_row("UPDATE encounter SET pin = 'x'"),
    "a fork": in_row("UPDATE encounter SET settings = replace(settings, '{\"comm', '{\"forked\"\\:true,\"comm')"),
}


@pytest.mark.parametrize("change", KEPT)
async def test_what_is_kept_of_a_waiting_fight_is_verified(sqlite_url: str, change: str) -> None:
    await waits(sqlite_url)
    again = Rerun(toy.catalog())
    assert verify(sqlite_url, None, again).findings == ()

    engine = create_engine(sqlite_url)
    with engine.begin() as connection:
        KEPT[change](connection)
    engine.dispose()

    assert verify(sqlite_url, None, again).findings


async def test_what_cannot_be_run_again_is_said_to_be_unproven(sqlite_url: str) -> None:
    await waits(sqlite_url)

    report = verify(sqlite_url)

    assert report.findings == ()
    assert "rules_unknown" in [one.reason for one in report.unproven]


def test_an_answer_is_json_whatever_its_command_is_called() -> None:
    told = wire.command_result('cmd_a","version":999,"x":"<script>\n', 3, is_done=True, entries=(), waiting_for=())

    assert json.loads(told)["version"] == 3
