"""A fight is encoded once for all readers of a kind; no reader is ever given what was made for another kind."""

from itertools import product
from typing import Any

import msgspec
import pytest

from app.persistence.work import Live
from app.services import actions, encounters
from app.services.caller import Caller
from app.services.cut import kind_of
from app.services.renderings import Renderings
from app.services.views import Viewer
from tests.services.game import ANN, CAMPAIGN, GM, ORC, WATCHER, Game, fighter

pytestmark = pytest.mark.anyio

BOTH = Caller("tok_both", "player", campaign=CAMPAIGN, combatants=frozenset({"ref:ann", "ref:orc"}))
READERS = tuple(
    msgspec.structs.replace(one, language=language)
    for one, language in product(
        (
            GM,
            Caller("tok_co", "co_gm", campaign=CAMPAIGN),
            ANN,
            msgspec.structs.replace(ANN, token="tok_ann_again"),
            ORC,
            BOTH,
            Caller("tok_spy", "player", campaign=CAMPAIGN, combatants=frozenset({"ref:spy"})),
            Caller("tok_idle", "player", campaign=CAMPAIGN),
            WATCHER,
        ),
        ("en", "ru"),
    )
)


async def secret_fight(game: Game) -> None:
    """One who is hidden, one whose figures nobody gets, and a plan that waits for the GM's yes."""
    await game.duel(
        fighter("ann", "blue", policy={"watch_fire": "ask"}),
        fighter("orc", "red", values="band"),
        fighter("spy", "red", hidden=True, notes="zznotes"),
    )
    await game.set_up(approval="actions")
    await game.act(ANN, "ref:ann", "strike", "ref:orc", note="a plan")


async def anew(game: Game, reader: Caller) -> Any:
    """What he is to be shown, made for him alone."""
    live = await game.service.store.live(game.encounter)
    return Viewer(game.service, reader, await game.service.fetch(live.head.pin), live).encounter()


async def test_readers_of_one_kind_and_only_they_share_what_was_encoded(game: Game) -> None:
    await secret_fight(game)
    state = (await game.service.store.live(game.encounter)).state
    got: dict[Any, bytes] = {}
    for reader in READERS * 2:
        body = (await encounters.read(game.service, reader, game.encounter)).body
        assert body == msgspec.json.encode(await anew(game, reader)), reader
        kind = kind_of(reader, state)
        assert got.setdefault(kind, body) is body, reader
    # Ann twice, both GMs, and whoever acts for nobody that he may know of: the spy's player, the idle one, the watcher.
    assert len(got) == 2 * 5
    assert len({*got.values()}) == len(got), "readers of two kinds were given the same"


async def test_what_was_made_for_the_gm_is_given_to_nobody_else(game: Game) -> None:
    await secret_fight(game)
    whole = (await encounters.read(game.service, GM, game.encounter)).body
    assert b"zznotes" in whole
    for reader in (ANN, ORC, BOTH, WATCHER):
        assert b"zz" not in (await encounters.read(game.service, reader, game.encounter)).body


async def test_a_list_is_kept_for_its_combatant_and_its_question(game: Game) -> None:
    await game.duel()
    ann, orc = game.ids["ann"], game.ids["orc"]

    async def asked(reader: Caller, who: str, *, available_only: bool = False) -> bytes:
        found = await actions.possible(game.service, reader, game.encounter, who, available_only=available_only)
        return found.body

    first = await asked(ANN, ann)
    assert await asked(ANN, ann) is first
    assert await asked(ANN, "ref:ann") is first
    assert await asked(BOTH, ann) is not first
    assert await asked(GM, ann) is not first
    whole, possible = await asked(GM, orc), await asked(GM, orc, available_only=True)
    assert len({whole, possible, await asked(GM, ann)}) == 3
    assert await asked(GM, orc, available_only=True) is possible


async def test_nothing_kept_outlives_a_change(game: Game) -> None:
    await game.duel()
    before = {reader: await game.read(reader) for reader in (GM, ANN, WATCHER)}
    await game.rule({"combatant": game.ids["orc"], "resource": "hits", "set": 3})
    for reader, seen in before.items():
        now = await game.read(reader)
        assert now != seen
        assert now == msgspec.json.decode(msgspec.json.encode(await anew(game, reader)))
    version = (await game.read())["version"]
    await game.rewind(version - 1)
    assert (await game.read())["combatants"] == before[GM]["combatants"]


async def test_a_token_that_controls_more_from_now_on_sees_more(quick_game: Game) -> None:
    game = quick_game
    await game.duel(fighter("ann", "blue"), fighter("orc", "red", values="band"))
    await game.read(ANN)
    more = msgspec.structs.replace(ANN, combatants=BOTH.combatants)
    assert "policy" in next(one for one in (await game.read(more))["combatants"] if one["external_ref"] == "orc")
    assert "policy" not in next(one for one in (await game.read(ANN))["combatants"] if one["external_ref"] == "orc")


async def test_room_is_bounded_and_what_was_looked_at_longest_ago_goes(quick_game: Game) -> None:
    lives: list[Live] = []
    for _ in range(3):
        await quick_game.create()
        lives.append(await quick_game.service.store.live(quick_game.encounter))
    made: list[int] = []

    def ask(kept: Renderings, which: int, size: int = 400) -> bytes:
        def make() -> str:
            made.append(which)
            return "x" * (size - 2)

        return kept.of(lives[which], GM, "whole", make)

    kept = Renderings(most_bytes=1000)
    for which in (0, 1, 0, 2, 0, 1):
        ask(kept, which)
        assert kept.size <= 1000
    assert made == [0, 1, 2, 1]
    huge = Renderings(most_bytes=1000)
    assert len(ask(huge, 0, size=5000)) == 5000
    assert huge.size == 0
