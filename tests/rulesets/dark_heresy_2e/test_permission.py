"""What the GM may be asked to allow or judge. Clauses DH-1040, DH-1050, DH-1160, DH-5700."""

from typing import Any

import pytest

from app.engine import events as ev
from tests.rulesets.dark_heresy_2e.going import both_ways, fight, path
from tests.support.play import PlayTable, duel

AT_WORK = {"sample": "vane", "wounds_max": 30}


def pair(**options: Any) -> PlayTable:
    """Vane to act, Gorm to follow."""
    return duel(20, vane={"sample": "vane"}, gorm={"sample": "gorm"}, options=options)


# Free actions


@pytest.mark.clause("DH-1040")
def test_where_the_table_bounds_free_actions_the_gm_may_refuse_one() -> None:
    table = pair(gm_free_action_limit=3)

    done = table.play("free_action", "vane", note="a long speech", gm_free_action_limit="deny")

    assert [type(event).__name__ for event in done.events] == ["Noted"]
    assert (done.one(ev.Noted).fact, done.one(ev.Noted).clause) == ("gm_refused", "DH-1040")
    assert table.who("vane").done == ()
    table.play("free_action", "vane", note="short", gm_free_action_limit="allow")
    assert len(table.who("vane").done) == 1


@pytest.mark.clause("DH-1050", "DH-1040")
def test_speech_out_of_turn_may_be_refused_too_and_nobody_asks_without_a_bound() -> None:
    table = pair(gm_free_action_limit=3)
    assert table.play("free_action", "gorm", note="well...", gm_free_action_limit="deny").of(ev.ActionTaken) == []

    table = pair()
    assert table.play("free_action", "gorm", note="well...").questions() == []


# Distances that were stated


@pytest.mark.clause("DH-5700")
@pytest.mark.parametrize(("answer", "attacks"), [("allow", True), ("deny", False)])
def test_the_gm_confirms_a_stated_distance_where_the_table_plays_it_so(answer: str, attacks: bool) -> None:
    table = duel(20, vane={"sample": "vane"}, gorm={"sample": "gorm"}, options={"gm_confirms_distances": True})

    done = table.play(
        "standard_attack",
        "vane",
        "gorm",
        said={"distance": {"gorm": 2}},
        gm_confirms_distances=answer,
        **({"to_hit": 99} if attacks else {}),
    )

    (question,) = done.questions("gm_confirms_distances")
    assert (question.to, question.lengths) == ("gm", {"gorm": 200})
    assert bool(done.of(ev.ActionTaken)) is attacks
    if attacks:
        assert ("range_point_blank", 30) in [(term.id, term.value) for term in done.check.terms]
    else:
        assert done.one(ev.Noted).clause == "DH-5700"


@both_ways
@pytest.mark.clause("DH-5700")
def test_a_map_needs_no_confirming_and_a_way_does_without_one(on_map: bool) -> None:
    table = fight(on_map, {"vane": (10, 10), "gorm": (30, 10)}, options={"gm_confirms_distances": True})

    done = table.play(
        "move", "vane", **path(on_map, (10, 10), (12, 10)), **({} if on_map else {"gm_confirms_distances": "allow"})
    )

    assert len(done.questions("gm_confirms_distances")) == (0 if on_map else 1)


@pytest.mark.clause("DH-5700")
def test_by_default_what_is_stated_is_taken_for_true() -> None:
    done = pair().play("standard_attack", "vane", "gorm", said={"distance": {"gorm": 2}}, to_hit=99)

    assert done.questions() == []


@pytest.mark.clause("DH-5700")
def test_what_is_known_already_needs_no_confirming() -> None:
    table = duel(20, vane={"sample": "vane"}, gorm={"sample": "gorm"}, options={"gm_confirms_distances": True})

    assert table.play("standard_attack", "vane", "gorm", to_hit=99).questions() == []


# Damage and an action that runs on


def at_work(armour: int = 0, **options: Any) -> PlayTable:
    """Vane in the midst of something long, Gorm beside him about to act."""
    table = duel(
        1,
        vane={**AT_WORK, "armour": armour},
        gorm={"sample": "gorm", "held": {"great_weapon": "both"}},
        options=options,
    )
    table.play("use_skill", "vane", type="extended", options={"skill": "athletics", "modifier": 0, "turns": 3})
    table.end_turn()
    return table


@pytest.mark.clause("DH-1160")
@pytest.mark.parametrize(("answer", "goes_on"), [("yes", False), ("no", True)])
def test_where_the_table_wants_it_the_gm_says_whether_damage_interrupts(answer: str, goes_on: bool) -> None:
    table = at_work(ask_gm_on_damage=True)

    done = table.play(
        "standard_attack",
        "gorm",
        "vane",
        to_hit=20,
        defend="none",
        damage=(5, 5),
        interrupt_extended_action=answer,
    )

    assert done.questions("interrupt_extended_action")[0].to == "gm"
    assert table.has("vane", "extended_action") is goes_on


@pytest.mark.clause("DH-1160")
@pytest.mark.parametrize(("ask", "dice"), [(False, (5, 5)), (True, (1, 1))])
def test_damage_alone_does_not_interrupt_and_without_damage_nobody_asks(ask: bool, dice: tuple[int, int]) -> None:
    table = at_work(0 if dice == (5, 5) else 9, ask_gm_on_damage=ask)

    done = table.play("standard_attack", "gorm", "vane", to_hit=20, defend="none", damage=dice)

    assert done.questions("interrupt_extended_action") == []
    assert table.has("vane", "extended_action")
