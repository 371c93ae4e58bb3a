"""What the log says of what these rules make happen: sentences a table would say, in each language."""

import pytest

from app.engine import events as ev
from app.engine.ids import ActionId, ClauseId, CombatantId, EffectId, ItemId
from app.engine.state import Effect, Item
from tests.support.play import PlayTable, duel, length
from tests.support.telling import told

VANE, GORM, GRENADES = CombatantId("vane"), CombatantId("gorm"), ItemId("frag_grenade")
LANGUAGES = ("en", "ru", "pl")


@pytest.fixture(scope="module")
def table() -> PlayTable:
    """Vane with grenades, and Gorm."""
    items = {"frag_grenade": Item("frag_grenade", count=2), "heavy_stubber": Item("heavy_stubber")}
    return duel(20, vane={"sample": "vane", "items": items}, gorm={"sample": "gorm"})


def effect(kind: str) -> Effect:
    return Effect(id=EffectId("gorm.1"), kind=kind, clause=ClauseId("DH-4620"))


@pytest.mark.clause("DH-4530")
@pytest.mark.parametrize("mark", ["brace_arc", "brace_facing", "brace_on_body", "brace_x", "brace_y"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_where_a_brace_points_is_bookkeeping(table: PlayTable, mark: str, language: str) -> None:
    marked = ev.ItemMarked(VANE, ItemId("heavy_stubber"), mark, 45, 45, ClauseId("DH-4530"))

    assert told(table, marked, language) == ""


@pytest.mark.clause("DH-4500")
def test_that_it_is_braced_is_told(table: PlayTable) -> None:
    braced = ev.ItemMarked(VANE, ItemId("heavy_stubber"), "braced", 1, 1, ClauseId("DH-4500"))

    assert told(table, braced) == "vane braces the weapon: heavy stubber."


@pytest.mark.clause("DH-5480", "DH-3660", "DH-5410")
def test_a_grenade_is_thrown_hits_and_is_dodged(table: PlayTable) -> None:
    both = ev.HitsScored(VANE, (ev.Hit(1, VANE), ev.Hit(2, GORM)), ClauseId("DH-5480"))
    twice = ev.HitsScored(VANE, (ev.Hit(1, VANE), ev.Hit(2, GORM), ev.Hit(3, GORM)), ClauseId("DH-5480"))
    clear = ev.Moved(GORM, 204, forced=True, clause=ClauseId("DH-3660"))
    thrown = ev.ItemChanged(VANE, GRENADES, Item("frag_grenade", count=1), ClauseId("DH-5410"))
    last = ev.ItemChanged(VANE, GRENADES, None, ClauseId("DH-5410"))

    assert told(table, both) == "vane scores 2 hits: vane, gorm."
    assert told(table, twice) == "vane scores 3 hits: vane, gorm ×2."
    assert told(table, clear) == "gorm gets clear: 2.04 m."
    assert told(table, thrown) == "vane: frag grenade, 1 left."
    assert told(table, last) == "vane has thrown the last one: frag grenade."
    given = ev.ItemChanged(VANE, GRENADES, Item("frag_grenade", count=3))
    assert told(table, given) == "vane has: frag grenade ×3."


@pytest.mark.clause("DH-4400", "DH-4420")
@pytest.mark.parametrize(
    ("fact", "figures", "text"),
    [
        ("jumped_down", {"height_cm": length(7)}, "vane jumps down 7 m."),
        ("jumped", {"height_cm": 140}, "vane jumps 1.4 m high."),
        ("jumped", {"height_cm": 0}, "vane jumps."),
        ("leapt", {"distance_cm": 350, "height_cm": 100}, "vane leaps 3.5 m."),
    ],
)
def test_jumps_are_told_in_metres(table: PlayTable, fact: str, figures: dict[str, int], text: str) -> None:
    shown = tuple(ev.Figure(name, value) for name, value in figures.items())

    assert told(table, ev.Noted(VANE, fact, figures=shown)) == text


@pytest.mark.clause("DH-3548", "DH-4030", "DH-4060", "DH-4620")
@pytest.mark.parametrize(
    ("event", "text"),
    [
        (ev.ActionTaken(GORM, ActionId("knock_down"), "half", targets=(VANE,)), "gorm tries to knock down vane."),
        (ev.ActionTaken(GORM, ActionId("feint"), "half", targets=(VANE,)), "gorm feints at vane."),
        (ev.EffectBegan(GORM, effect("feinted")), "gorm falls for the feint."),
        (ev.EffectEnded(GORM, EffectId("gorm.1"), "feinted", "expired"), "gorm is fooled no more."),
        (ev.EffectEnded(GORM, EffectId("gorm.1"), "helpless", "ruling"), "gorm is helpless no more."),
        (ev.Noted(GORM, "grapple_ended", VANE, words=("broken",)), "gorm and vane are out of the grapple (broken)."),
        (
            ev.Noted(GORM, "stun_contest", VANE, (ev.Figure("result", 13), ev.Figure("value", 7))),
            "gorm rolls 13 to stun vane, against 7.",
        ),
    ],
)
def test_contests_and_what_comes_of_them(table: PlayTable, event: ev.AnyEvent, text: str) -> None:
    assert told(table, event) == text
    for language in LANGUAGES:
        sentence = told(table, event, language)
        assert sentence.endswith(".")
        assert "_" not in sentence
