"""Grenades. Clauses SR-335, SR-800 to SR-830."""

from typing import Any

import pytest

from app.engine import events as ev
from app.engine.space.model import CoverValue, Sector, Wall
from app.engine.state import Item
from tests.rulesets.shadowrun_5e.fights import done, fight, order, pool, rolls, terms_of
from tests.support.play import Played, PlayTable, length


def thrower(kind: str = "frag_grenade", on_map: bool = False, score: int = 22, **more: Any) -> PlayTable:
    """Okoye with a grenade in hand, ten metres from b."""
    where: list[dict[str, Any]] = [{"at": (0, 0)}, {"at": (10, 0)}, {"at": (10, 4.5)}] if on_map else [{}, {}, {}]
    people: dict[str, Any] = {
        "okoye": {"score": score, "items": {kind: Item(kind, held="main")}, "strength": 4, **where[0], **more},
        "b": {"score": 15, "sample": "okoye", **where[1]},
        "c": {"score": 11, "sample": "okoye", **where[2]},
    }
    return fight(apart=None if on_map else 10, **people)


def throw(
    table: PlayTable, kind: str = "frag_grenade", hits: int = 3, trigger: str = "motion_sensor", **given: Any
) -> Played:
    """It flies, with eight dice."""
    return table.play(
        "throw_weapon",
        "okoye",
        *given.pop("targets", ("b",)),
        weapon=kind,
        options={"trigger": trigger},
        throw__dice=rolls(given.pop("dice", 8), hits),
        **given,
    )


@pytest.mark.clause("SR-335", "SR-325")
def test_readied_and_thrown_in_one_phase() -> None:
    table = fight(apart=10, okoye={"score": 20, "items": {"flash_bang": Item("flash_bang")}}, b=10)
    assert table.why_not("throw_weapon", "okoye", "b", weapon="flash_bang") == ["weapon_not_ready"]
    table.play("ready_weapon", "okoye", weapon="flash_bang")

    table.play("throw_weapon", "okoye", "b", weapon="flash_bang", throw__dice=rolls(7, 3))

    assert "flash_bang" not in table.who("okoye").items
    assert table.who("okoye").budget["simple"] == 0
    assert table.why_not("quick_draw", "okoye", "b") == ["insufficient_actions", "attack_limit", "missing_input"]


@pytest.mark.clause("SR-335", "SR-660")
@pytest.mark.parametrize(
    ("metres", "codes", "dice"), [(40, [], 2), (40.01, ["out_of_range"], 0), (8, [], 8), (9, [], 7)]
)
def test_as_far_as_strength_carries_it(metres: float, codes: list[str], dice: int) -> None:
    table = thrower()
    aimed = {"weapon": "frag_grenade", "said": {"distance": {"b": metres}}}

    assert table.why_not("throw_weapon", "okoye", "b", **aimed) == codes
    if not codes:
        scatter = {"scatter__distance": 1, "scatter__direction": (3, 4)}
        table.play("throw_weapon", "okoye", "b", **aimed, throw__dice=rolls(dice, 0), **scatter)


@pytest.mark.clause("SR-800", "SR-605", "SR-665", "SR-570")
def test_the_throw_takes_three_hits_under_the_physical_limit() -> None:
    table = thrower()
    table.play("run", "okoye")

    thrown = throw(table, hits=2, dice=3, trigger="timer", scatter__distance=2, scatter__direction=(3, 4))

    assert (thrown.check.target, thrown.check.limit) == (3, 6)
    assert terms_of(thrown, "throw") == {"agility": 4, "throwing_weapons": 4, "environment": -1, "running": -4}


@pytest.mark.clause("SR-800", "SR-830")
def test_with_the_threshold_it_lands_on_the_point() -> None:
    table = thrower(on_map=True)

    soaks: dict[str, Any] = {
        "b__soak__dice": rolls(21, 5),
        "c__soak__dice": rolls(21, 10),
        "okoye__soak__dice": rolls(21, 8),
    }
    thrown = throw(table, dice=7, **soaks)

    assert thrown.of(ev.Noted)[0].fact == "exploded"
    found = {one.target: (one.raw, one.damage_type, one.through) for one in thrown.of(ev.DamageDealt)}
    assert found == {"b": (18, "P", 13), "c": (14, "S", 4), "okoye": (8, "S", 0)}


@pytest.mark.clause("SR-810")
@pytest.mark.parametrize(
    ("hits", "metres", "direction", "told"),
    [(1, 5, (6, 4), (4, 90)), (2, 2, (3, 4), (0, 0)), (0, 6, (1, 1), (6, -150)), (1, 1, (6, 6), (0, 150))],
)
def test_else_it_scatters_by_a_die_less_hits_and_an_angle(
    hits: int, metres: int, direction: tuple[int, int], told: tuple[int, int]
) -> None:
    table = thrower()

    thrown = throw(
        table, hits=hits, dice=7, scatter__distance=metres, scatter__direction=direction, blast_distances="nobody"
    )

    (scattered,) = [one for one in thrown.of(ev.Noted) if one.fact == "scattered"]
    assert tuple(figure.value for figure in scattered.figures) == told


@pytest.mark.clause("SR-810")
def test_on_a_map_it_lands_there_and_straight_on_is_beyond_the_point() -> None:
    table = thrower("he_grenade", on_map=True)

    throw(
        table,
        "he_grenade",
        hits=1,
        dice=7,
        trigger="timer",
        scatter__distance=5,
        scatter__direction=(6, 4),
    )

    (waiting,) = [one for one in table.who("okoye").effects.values() if one.kind == "grenade_set"]
    assert isinstance(waiting.area, Sector)
    assert waiting.area.centre == (1000, 400)
    table = thrower("he_grenade", on_map=True)
    throw(table, "he_grenade", hits=1, dice=7, trigger="timer", scatter__distance=5, scatter__direction=(3, 4))
    (waiting,) = [one for one in table.who("okoye").effects.values() if one.kind == "grenade_set"]
    assert isinstance(waiting.area, Sector)
    assert waiting.area.centre == (1400, 0)


@pytest.mark.clause("SR-810", "SR-830")
def test_without_a_map_the_gm_says_who_is_how_far_from_the_burst() -> None:
    table = thrower()

    thrown = throw(
        table,
        dice=7,
        blast_distances=("state", {"metres": {"b": 4, "c": 20}}),
        b__soak__dice=rolls(21, 10),
    )

    (dealt,) = thrown.of(ev.DamageDealt)
    assert (dealt.target, dealt.raw, dealt.damage_type, dealt.through) == ("b", 14, "S", 4)
    assert thrown.questions("defend") == []


@pytest.mark.clause("SR-820")
def test_a_timer_goes_off_in_the_next_turn_after_all_phases_as_high_as_its_count() -> None:
    table = thrower()
    throw(table, dice=7, trigger="timer")
    order(table, 3)
    order(table, 3)
    assert (table.state.clock.pass_, table.turn) == (3, "okoye")

    done(table, okoye__score=5, b__score=6, c__score=4)
    assert table.state.clock.round == 2
    assert [table.who(one).pools["initiative"] for one in ("okoye", "b", "c")] == [12, 13, 11]
    assert order(table, 1) == ["b"]
    last = table.play("end_phase", "okoye", blast_distances="nobody")

    assert [one.fact for one in last.of(ev.Noted)] == ["exploded"]
    assert (table.turn, table.state.clock.pass_) == ("c", 1)


@pytest.mark.clause("SR-820", "SR-170")
def test_with_a_count_of_nothing_it_goes_off_at_the_end_of_the_first_pass_and_nobody_holds_it_up() -> None:
    table = thrower(score=9)
    order(table, 2)
    throw(table, dice=7, trigger="timer")
    done(table)
    order(table, 1)
    done(table, okoye__score=2, b__score=6, c__score=4)
    table.play("delay_action", "b", delayed_intervention="wait")
    done(table, delayed_intervention="wait")

    last = done(table, blast_distances="nobody", delayed_end_of_pass="act")

    kinds = [one.fact for one in last.of(ev.Noted)]
    assert kinds == ["exploded"]
    assert table.turn == "b"


@pytest.mark.clause("SR-820")
def test_a_motion_sensor_goes_off_where_it_lands() -> None:
    thrown = throw(thrower(), dice=7, blast_distances="nobody")

    assert [one.fact for one in thrown.of(ev.Noted)] == ["exploded"]


@pytest.mark.clause("SR-820", "SR-455")
def test_a_wireless_one_waits_for_the_throwers_word() -> None:
    table = thrower(dni=1)
    throw(table, dice=7, trigger="wireless")

    word = table.play("mental_command", "okoye", options={"command": "detonate"}, blast_distances="nobody")

    assert [one.fact for one in word.of(ev.Noted)] == ["exploded"]
    table = thrower()
    throw(table, dice=7, trigger="wireless")
    assert table.why_not("mental_command", "okoye", options={"command": "detonate"}) == ["device_not_linked"]
    pressed = table.play("use_simple_device", "okoye", options={"device": "grenade"}, blast_distances="nobody")
    assert [one.fact for one in pressed.of(ev.Noted)] == ["exploded"]


@pytest.mark.clause("SR-830", "SR-720")
@pytest.mark.parametrize(
    ("kind", "metres", "raw", "type_", "soak"),
    [
        ("frag_grenade", 4, 14, "S", 21),
        ("he_grenade", 3, 10, "P", 14),
        ("he_grenade", 7, 2, "S", 14),
        ("flash_bang", 10, 10, "S", 12),
        ("flash_bang", 0, 10, "S", 12),
    ],
)
def test_each_kind_has_its_own_falloff(kind: str, metres: int, raw: int, type_: str, soak: int) -> None:
    table = thrower(kind)

    thrown = throw(
        table,
        kind,
        dice=7,
        blast_distances=("state", {"metres": {"b": metres}}),
        b__soak__dice=rolls(soak, min(raw, soak)),
    )

    dealt = thrown.one(ev.DamageDealt)
    assert (dealt.raw, dealt.damage_type) == (raw, type_)


@pytest.mark.clause("SR-830")
@pytest.mark.parametrize(("kind", "metres"), [("frag_grenade", 18), ("he_grenade", 8), ("flash_bang", 11)])
def test_and_its_reach(kind: str, metres: int) -> None:
    thrown = throw(thrower(kind), kind, dice=7, blast_distances=("state", {"metres": {"b": metres}}))

    assert thrown.of(ev.DamageDealt) == []


@pytest.mark.clause("SR-830")
@pytest.mark.parametrize(("field", "dice"), [("partial_cover", 23), ("good_cover", 25)])
def test_cover_in_between_lends_armour(field: str, dice: int) -> None:
    table = thrower()

    throw(
        table,
        dice=7,
        blast_distances=("state", {"metres": {"b": 1}, field: ("b",)}),
        b__soak__dice=rolls(dice, 17),
    )

    assert pool(table, "b", "physical") == 0


@pytest.mark.clause("SR-830", "SR-355")
@pytest.mark.parametrize(
    ("from_", "to", "lent"),
    [(9.0, 11.0, 4), (10.0, 11.0, 2), (10.2, 11.0, 2), (10.6, 11.0, 0), (18.0, 20.0, 0)],
)
def test_on_a_map_what_stands_between_burst_and_body_lends_armour(from_: float, to: float, lent: int) -> None:
    """The burst is four metres above c; a crate across the line hides all of him, half, a quarter or nothing."""
    crate = Wall((length(from_), length(3.75)), (length(to), length(3.75)), move=False, sight=False, cover=CoverValue())
    people: dict[str, Any] = {
        "okoye": {
            "score": 20,
            "at": (-8, 0),
            "strength": 4,
            "items": {"frag_grenade": Item("frag_grenade", held="main")},
        },
        "b": {"score": 15, "sample": "okoye", "at": (10, 0)},
        "c": {"score": 11, "sample": "okoye", "at": (10, 4)},
    }
    table = fight(walls=(crate,), **people)
    soak = 4 + 12 + 5

    thrown = throw(table, dice=5, b__soak__dice=rolls(soak, 18), c__soak__dice=rolls(soak + lent, 14))

    assert [(one.raw, one.through) for one in thrown.of(ev.DamageDealt)] == [(18, 0), (14, 0)]


@pytest.mark.clause("SR-820", "SR-455")
def test_without_a_nerve_link_or_anything_linked_no_command_is_offered_while_a_grenade_waits() -> None:
    table = thrower(dni=0)
    throw(table, dice=7, trigger="wireless")

    assert table.why_not("mental_command", "okoye") == ["device_not_linked"]
