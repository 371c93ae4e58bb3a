"""Dice that can be trusted: what is published, what is revealed, and that every way of cheating is found."""

import hashlib
import json
from collections.abc import Callable, Iterator

import msgspec
import pytest
from sqlalchemy import Connection, create_engine, text

from app.engine.dice import commitment
from app.persistence.database import open_database
from app.persistence.schema import migrate
from app.persistence.verify import verify
from app.services import encounters, history
from app.services.errors import NotFound
from tests.services.game import ANN, GM, ORC, STRANGER, WATCHER, Game, fighter, seen
from tests.support.clock import Clock

DUEL = (fighter("ann", "blue"), fighter("orc", "red", policy={"defend": "decline"}))


def seeds() -> Callable[[], bytes]:
    """Another seed each time."""
    numbers: Iterator[int] = iter(range(1, 100))
    return lambda: bytes([next(numbers)]) * 32


async def verified(game: Game, caller: object = GM) -> dict[str, object]:
    found: dict[str, object] = seen(await history.verify(game.service, caller, game.encounter))  # type: ignore[arg-type]
    return found


async def test_the_commitment_is_in_the_log_before_the_first_roll(game: Game) -> None:
    game.service.new_seed = seeds()
    view = await game.create(*DUEL)

    first = (await game.whole_log(WATCHER))[0]

    assert first["type"] == "encounter_set"
    assert first["dice_commitment"] == view["dice_commitment"] == commitment(b"\x01" * 32)
    assert view["dice_seed"] is None
    assert view["dice_seeds"] == [{"since": 0, "commitment": view["dice_commitment"], "seed": None}]


async def test_the_seed_is_shown_when_the_fight_is_over(game: Game) -> None:
    game.service.new_seed = seeds()
    await game.duel(*DUEL)
    await game.act(ANN, "ref:ann", "strike", "ref:orc")
    before = [(await game.read(who))["dice_seed"] for who in (GM, ANN, WATCHER)]
    unready = await verified(game, ANN)
    await game.end()

    after = [(await game.read(who))["dice_seed"] for who in (GM, ANN, WATCHER)]
    ready = await verified(game, ANN)
    whole = await verified(game)

    assert before == [None] * 3
    assert after == [("01" * 32)] * 3
    assert unready["dice"]["checked"] == 0  # type: ignore[index]
    assert unready["dice"]["unchecked"] == ready["dice"]["checked"] == whole["dice"]["checked"] > 2  # type: ignore[index]
    assert (ready["ok"], ready["complete"], whole["ok"], whole["complete"]) == (True, False, True, True)
    with pytest.raises(NotFound):
        await verified(game, STRANGER)


async def test_a_table_may_keep_the_seed_to_its_game_master(game: Game) -> None:
    game.service.new_seed = seeds()
    await game.duel(*DUEL, dice_reveal="gm")
    await game.end()

    hers, his = await game.read(ANN), await game.read(GM)
    kept = await verified(game, ANN)
    await game.set_up(dice_reveal="everybody")

    assert (hers["dice_seed"], his["dice_seed"]) == (None, "01" * 32)
    assert (kept["dice"]["checked"], kept["ok"]) == (0, True)  # type: ignore[index]
    assert (await game.read(ANN))["dice_seed"] == "01" * 32


async def test_after_the_end_dice_come_from_another_seed(game: Game) -> None:
    game.service.new_seed = seeds()
    await game.duel(*DUEL)
    version = (await game.read())["version"]
    await game.act(ANN, "ref:ann", "strike", "ref:orc")
    await game.end()

    back = await game.rewind(version)
    await game.act(ANN, "ref:ann", "strike", "ref:orc")
    running = await game.read(ANN)
    await game.end()
    over = await game.read(ANN)

    assert [event["type"] for event in back["events"]] == ["rewound", "encounter_set"]
    fresh = commitment(b"\x02" * 32)
    assert back["events"][1]["dice_commitment"] == running["dice_commitment"] == fresh
    assert running["dice_seed"] is None
    assert [(one["since"], one["seed"]) for one in running["dice_seeds"]] == [(0, "01" * 32), (1, None)]
    assert [(one["since"], one["seed"]) for one in over["dice_seeds"]] == [(0, "01" * 32), (1, "02" * 32)]
    for who in (GM, ANN):
        found = await verified(game, who)
        assert (found["ok"], found["dice"]["unchecked"]) == (True, 0)  # type: ignore[index]


async def test_going_back_before_the_end_keeps_the_seed(game: Game) -> None:
    await game.duel(*DUEL)
    view = await game.read()

    await game.rewind(view["version"])

    assert (await game.read())["dice_seeds"] == view["dice_seeds"]


async def test_dice_of_the_table_are_marked_with_who_reported_them(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red", dice="client"))
    struck = await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls={"to_hit": [7]})
    told = await game.answer(ORC, struck["waiting_for"][0]["id"], option="none")
    told = await game.answer(GM, told["waiting_for"][0]["id"], dice=[3])

    log = await game.whole_log(WATCHER)

    check = next(event for event in log if event["type"] == "check_rolled")["dice"][0]
    damage = next(event for event in log if event["type"] == "damage_dealt")["dice"][0]
    assert (check["source"], check["by"], check["value"]) == ("brought", "tok_ann", 7)
    assert (damage["source"], damage["by"], damage["value"]) == ("client", "tok_gm", 3)
    assert check["roll"] != damage["roll"]


async def test_a_die_can_be_checked_by_hand(game: Game) -> None:
    """With what `docs/dice.md` shows, and nothing of ours."""
    await game.duel(*DUEL)
    await game.act(ANN, "ref:ann", "strike", "ref:orc")
    await game.end()
    view = await game.read(WATCHER)
    checked = 0
    script, names = documented(), dict[str, object]()

    for event in await game.whole_log(WATCHER):
        for die in event.get("dice", ()) if isinstance(event.get("dice"), list) else ():
            names = {"seed": view["dice_seed"], "commitment": view["dice_commitment"], "die": die}
            exec(script, names)
            assert names["holds"] is True
            exec(script, lie := {**names, "die": {**die, "value": die["value"] % die["sides"] + 1}})
            assert lie["holds"] is False
            checked += 1

    assert checked > 2
    with pytest.raises(AssertionError):
        exec(script, {**names, "seed": "00" * 32})


def documented() -> str:
    """The script of the documentation, at most 15 lines of it."""
    from tests.support.repository import ROOT

    written = (ROOT / "docs" / "dice.md").read_text(encoding="utf-8")
    script = written.split("```python\n")[1].split("```")[0]
    assert len(script.strip().splitlines()) <= 15
    return script


# Cheating


async def played(url: str) -> str:
    """A database with a finished fight in it; gives the encounter's id."""
    clock = Clock()
    async with open_database(url, clock=clock) as database:
        game = await Game.opened(database, clock)
        game.service.new_seed = seeds()
        await game.duel(*DUEL)
        await game.act(ANN, "ref:ann", "strike", "ref:orc")
        await game.end()
        return game.encounter


def tampered(url: str, work: Callable[[Connection], None]) -> tuple[str, ...]:
    """What is found once somebody has been at the database behind our back."""
    assert verify(url).findings == ()
    engine = create_engine(url)
    with engine.begin() as connection:
        work(connection)
    engine.dispose()
    return verify(url).findings


def chain_again(connection: Connection) -> None:
    """Make the chain of hashes good, as a cheat with the file in hand would."""
    chain = bytes(32)
    for row in connection.execute(text("SELECT * FROM event ORDER BY seq")).all():
        told = f"{row.seq}\n{row.public_seq}\n{row.version}\n{row.at}\n{row.visible_to}\n{row.blank}\n"
        chain = hashlib.sha256(chain + told.encode() + row.body.encode()).digest()
        connection.execute(text("UPDATE event SET hash = :hash WHERE seq = :seq"), {"hash": chain, "seq": row.seq})
    connection.execute(text("UPDATE encounter SET hash = :hash"), {"hash": chain})


def change_a_die(connection: Connection) -> None:
    row = connection.execute(text("SELECT seq, body FROM event WHERE type = 'check_rolled' ORDER BY seq")).first()
    assert row is not None
    body = msgspec.json.decode(row.body)
    body["dice"][0]["value"] = body["dice"][0]["value"] % 100 + 1
    written = msgspec.json.encode(body).decode()
    connection.execute(text("UPDATE event SET body = :body WHERE seq = :seq"), {"body": written, "seq": row.seq})


def change_its_roll_too(connection: Connection) -> None:
    change_a_die(connection)
    row = connection.execute(text("SELECT body FROM event WHERE type = 'check_rolled' ORDER BY seq")).first()
    assert row is not None
    die = json.loads(row.body)["dice"][0]
    for kept in connection.execute(text("SELECT version, body FROM roll")).all():
        rolls = json.loads(kept.body)
        for one in rolls:
            if die["roll"].startswith(one["name"]):
                one["faces"] = [die["value"]]
        found = {"body": json.dumps(rolls), "version": kept.version}
        connection.execute(text("UPDATE roll SET body = :body WHERE version = :version"), found)
    chain_again(connection)


def edit_rolls(connection: Connection, **fields: object) -> None:
    """Say more of the roll of the die that was changed."""
    change_its_roll_too(connection)
    row = connection.execute(text("SELECT body FROM event WHERE type = 'check_rolled' ORDER BY seq")).first()
    assert row is not None
    name = json.loads(row.body)["dice"][0]["roll"].split(".")[0]
    for kept in connection.execute(text("SELECT version, body FROM roll")).all():
        rolls = [one | fields if one["name"] == name else one for one in json.loads(kept.body)]
        found = {"body": json.dumps(rolls), "version": kept.version}
        connection.execute(text("UPDATE roll SET body = :body WHERE version = :version"), found)


def say_it_came_along(connection: Connection) -> None:
    edit_rolls(connection, carried=True)
    found = {"old": '{"commitment"', "new": '{"forked":true,"commitment"'}
    connection.execute(text("UPDATE encounter SET settings = replace(settings, :old, :new)"), found)


def say_the_table_rolled_it(connection: Connection) -> None:
    edit_rolls(connection, source="client", by="tok_x")
    row = connection.execute(text("SELECT seq, body FROM event WHERE type = 'check_rolled' ORDER BY seq")).first()
    assert row is not None
    body = json.loads(row.body)
    body["dice"][0] |= {"source": "client", "by": "tok_x"}
    found = {"body": json.dumps(body), "seq": row.seq}
    connection.execute(text("UPDATE event SET body = :body WHERE seq = :seq"), found)
    chain_again(connection)


def change_the_seed(connection: Connection) -> None:
    connection.execute(text("UPDATE encounter SET seed = :seed"), {"seed": b"\x07" * 32})


def change_the_commitment(connection: Connection) -> None:
    found = {"old": commitment(b"\x01" * 32), "new": commitment(b"\x07" * 32)}
    connection.execute(text("UPDATE encounter SET settings = replace(settings, :old, :new)"), found)


def change_seed_and_commitment(connection: Connection) -> None:
    change_the_seed(connection)
    change_the_commitment(connection)


def publish_another(connection: Connection) -> None:
    change_seed_and_commitment(connection)
    found = {"old": commitment(b"\x01" * 32), "new": commitment(b"\x07" * 32)}
    connection.execute(text("UPDATE event SET body = replace(body, :old, :new)"), found)
    chain_again(connection)


def change_the_log(connection: Connection) -> None:
    connection.execute(text("UPDATE event SET body = replace(body, 'to_hit', 'to_miss') WHERE type = 'check_rolled'"))


def change_a_time(connection: Connection) -> None:
    connection.execute(text("UPDATE event SET at = at + 1 WHERE seq = 3"))


def change_who_may_know(connection: Connection) -> None:
    connection.execute(text("UPDATE event SET blank = 'by' WHERE seq = 3"))


def both(connection: Connection) -> None:
    change_a_die(connection)
    chain_again(connection)


def forget_the_rolls(connection: Connection) -> None:
    connection.execute(text("DELETE FROM roll"))


CHEATS: dict[str, tuple[Callable[[Connection], None], str]] = {
    "a row of the log": (change_the_log, "the chain of hashes breaks"),
    "when it was": (change_a_time, "the chain of hashes breaks"),
    "what others are not told": (change_who_may_know, "the chain of hashes breaks"),
    "a die": (change_a_die, "the chain of hashes breaks"),
    "a die, the chain made good": (both, "which is not how it fell"),
    "a die and its roll, the chain made good": (change_its_roll_too, "is not what the seed gives"),
    "a die as from a fork": (say_it_came_along, "did not come along with a fork"),
    "a die as of the table": (say_the_table_rolled_it, "nobody was asked for it"),
    "the seed": (change_the_seed, "not the one that was committed to"),
    "the commitment": (change_the_commitment, "not the one that was committed to"),
    "seed and commitment": (change_seed_and_commitment, "not those that were published"),
    "seed, commitment and log, the chain made good": (publish_another, "a name that the seed does not give it"),
    "rolls are gone": (forget_the_rolls, "which was not made by then"),
}


async def test_the_chain_of_an_older_database_is_written_anew(url: str) -> None:
    await played(url)
    migrate(url, "0006")
    engine = create_engine(url)
    with engine.connect() as connection:
        bodies = connection.execute(text("SELECT body FROM event ORDER BY seq")).scalars().all()
        before = bytes(connection.execute(text("SELECT hash FROM encounter")).scalar_one())
    engine.dispose()
    migrate(url)

    chain = bytes(32)
    for body in bodies:
        chain = hashlib.sha256(chain + body.encode()).digest()
    assert before == chain
    assert verify(url).findings == ()


@pytest.mark.parametrize("cheat", CHEATS)
async def test_cheating_is_found(url: str, cheat: str) -> None:
    await played(url)
    work, words = CHEATS[cheat]

    found = tampered(url, work)

    assert any(words in finding for finding in found), found


async def test_dice_that_nobody_saw_fall_are_counted_for_nobody_else(game: Game) -> None:
    people = (*DUEL, *(fighter(name, f"{name}side", hidden=True, policy={"*": "decline"}) for name in ("spy", "rat")))
    await game.duel(*people)
    while (turn := (await game.read())["turn"]["combatant"]) != game.ids["spy"]:
        await game.act(GM, turn, "end_turn")
    before = [await verified(game, caller) for caller in (ANN, WATCHER, GM)]

    await game.act(GM, "ref:spy", "strike", "ref:rat")

    after = [await verified(game, caller) for caller in (ANN, WATCHER, GM)]
    assert after[:2] == before[:2]
    assert after[2]["dice"] != before[2]["dice"]
    await game.end()
    hers, his = await verified(game, ANN), await verified(game, GM)
    assert hers["ok"]
    assert 0 < hers["dice"]["checked"] < his["dice"]["checked"]  # type: ignore[index]


async def test_a_player_finds_a_cheat_by_himself(url: str) -> None:
    """What he is answered over the wire, the file having been changed and the chain made good."""
    name = await played(url)
    tampered(url, change_its_roll_too)
    clock = Clock()
    async with open_database(url, clock=clock) as database:
        game = Game(database, clock)
        game.encounter = name
        hers, his = await verified(game, ANN), await verified(game, GM)
        assert (await encounters.read(game.service, GM, name)).version

    assert (hers["ok"], his["ok"]) == (False, False)
    assert "which no seed gives" in hers["findings"][0]  # type: ignore[index]
