"""Damage rolls, the die that successes replace, and Extreme Damage. Clauses WH-700 to WH-880."""

from typing import Any

import msgspec
import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.state import Item
from app.engine.visibility import cut_for
from rulesets.wh40k_d100.weapons import Weapon
from tests.rulesets.wh40k_d100.fights import begin, both_ways, fight, held, noted, order, pool, through, two, wounds
from tests.support.play import Played, PlayTable

SOFT = {"t": 0, "armour": 0, "items": held("combat_knife"), "wounds_max": 60, "natural_torso": 0, "minor": 0}
AREA = {"said": {"near": ("b", "c", "d")}}


def shot(die: int | list[int], to_hit: int, weapon: str = "lasgun", bs: int = 45, **given: Any) -> Played:
    """One shot at combat range at somebody soft."""
    table = fight(apart=60, a={"bs": bs, "minor": 0, "items": held(weapon, "both")}, b=SOFT)
    return table.play("attack", "a", "b", to_hit=to_hit, defend="none", damage=die, **given)


def raw(done: Played) -> list[int]:
    """The damage of each hit before soak."""
    return [one.raw for one in done.of(ev.DamageDealt)]


# WH-700, WH-710


@pytest.mark.clause("WH-700")
def test_the_dice_and_the_flat_bonus() -> None:
    assert raw(shot(6, 41)) == [9]


@pytest.mark.clause("WH-710")
@pytest.mark.parametrize(("strength", "damage"), [(38, 10), (40, 11)])
def test_strength_in_melee(strength: int, damage: int) -> None:
    table = fight(apart=1, a={"ws": 42, "s": strength, "items": held("chainsword")}, b=SOFT)

    done = table.play("attack", "a", "b", to_hit=41, defend="none", damage=5)

    assert raw(done) == [damage]
    assert [term.id for term in done.one(ev.DamageDealt).terms] == ["dice", "weapon", "s_b"]


@pytest.mark.clause("WH-710")
@pytest.mark.parametrize(("options", "damage"), [({}, 7), ({"thrown_adds_sb": True}, 12)])
def test_what_is_thrown_adds_no_strength_unless_the_table_plays_it_so(options: dict[str, Any], damage: int) -> None:
    table = fight(apart=8, grash={"bs": 50, "items": held("frag_grenade")}, b=SOFT, options=options)

    done = table.play("area_attack", "grash", "b", to_hit=49, said={"near": ("b",)}, b__defend="none", damage=(3, 4))

    assert raw(done) == [damage]


@pytest.mark.clause("WH-700")
def test_less_than_nothing_is_nothing() -> None:
    table = fight(apart=1, a={"s": 0, "items": {}}, b=SOFT)

    done = table.play("attack", "a", "b", to_hit=29, defend="none", damage=1)

    assert (raw(done), through(done)) == ([0], [0])


# WH-720


@pytest.mark.clause("WH-720", "WH-900")
@both_ways
def test_one_roll_for_everybody_in_the_area(on_map: bool) -> None:
    table = two(
        on_map,
        8,
        grash={"bs": 50, "items": held("frag_grenade")},
        b={"t": 30, "armour": 2},
        c={"t": 40, "armour": 4},
        d={"t": 50, "armour": 2},
    )

    done = table.play(
        "area_attack",
        "grash",
        "b",
        to_hit=49,
        b__defend="none",
        c__defend="none",
        d__defend="none",
        damage=(7, 4),
        **({} if on_map else AREA),
    )

    assert raw(done) == [11, 11, 11]
    assert sorted((one.target, one.through) for one in done.of(ev.DamageDealt)) == [("b", 6), ("c", 3), ("d", 4)]
    assert [name for name in order(done) if name.endswith("damage")] == ["damage"]


# WH-730 to WH-790


@pytest.mark.clause("WH-730", "WH-770")
@pytest.mark.parametrize(
    ("die", "to_hit", "answer", "damage"),
    [(2, 19, "replace", 7), (2, 19, "keep", 5), (3, 19, "replace", 7), (4, 9, "replace", 8)],
)
def test_successes_stand_for_a_die(die: int, to_hit: int, answer: str, damage: int) -> None:
    done = shot(die, to_hit, die_replacement=answer)

    assert raw(done) == [damage]
    assert done.questions("die_replacement")[0].to == "a"
    assert order(done)[-2:] == ["hit1/damage", "die_replacement"]


@pytest.mark.clause("WH-730")
@pytest.mark.parametrize(
    ("wish", "die", "asked"), [("when_useful", 6, False), ("always", 6, True), ("never", 1, False)]
)
def test_one_is_asked_where_it_helps_or_as_the_table_wants(wish: str, die: int, asked: bool) -> None:
    table = fight(
        apart=60, a={"bs": 45, "minor": 0, "items": held("lasgun", "both")}, b=SOFT, options={"ask_replacement": wish}
    )

    done = table.play("attack", "a", "b", to_hit=19, defend="none", damage=die)

    assert bool(done.questions("die_replacement")) is asked
    assert raw(done) == [die + 3]


@pytest.mark.clause("WH-730")
def test_it_may_lower_a_die() -> None:
    table = fight(
        apart=60,
        a={"bs": 45, "minor": 0, "items": held("lasgun", "both")},
        b=SOFT,
        options={"ask_replacement": "always"},
    )

    done = table.play("attack", "a", "b", to_hit=41, defend="none", damage=9, die_replacement="replace")

    assert raw(done) == [4]


def accurate(dice: tuple[int, int], **given: Any) -> Played:
    """An aimed shot with a long-las that has one bonus die: bs 55 and the aim against a 15."""
    table = fight(apart=100, a={"bs": 55, "minor": 0, "items": held("long_las", "both")}, b=SOFT)
    table.play("aim", "a")
    return table.play("attack", "a", "b", to_hit=41, defend="none", damage=dice[0], bonus=dice[1], **given)


@pytest.mark.clause("WH-740", "WH-860")
def test_a_bonus_die_may_be_replaced() -> None:
    done = accurate((8, 1), die_replacement=("replace", {"dice": [2]}))

    assert done.check.degrees == 3
    assert raw(done) == [8 + 3 + 3]


@pytest.mark.clause("WH-740", "WH-800")
def test_the_highest_face_of_a_bonus_die_is_extreme() -> None:
    done = accurate((8, 10), extreme=1)

    assert raw(done) == [21]
    assert "extreme_damage" in noted(done)


def burst(to_hit: int, *dice: int, **given: Any) -> Played:
    """A full-auto burst at combat range: bs 55 less 10."""
    table = fight(apart=60, a={"bs": 55, "minor": 0, "items": held("autogun", "both")}, b=SOFT)
    rolls = {f"hit{number}__damage": die for number, die in enumerate(dice, 1)}
    return table.play("full_auto_burst", "a", "b", to_hit=to_hit, defend="none", **rolls, **given)


@pytest.mark.clause("WH-750", "WH-730")
def test_one_die_of_one_hit_of_the_attackers_choice() -> None:
    assert raw(burst(21, 2, 9, 4 - 1, die_replacement="replace")) == [3 + 3, 12, 6]
    assert raw(burst(12, 2, 9, 4, 5, die_replacement="replace")) == [7, 12, 7, 8]
    assert raw(burst(12, 2, 9, 4, 3, die_replacement=("replace", {"hits": [4]}))) == [5, 12, 7, 7]
    assert raw(burst(12, 2, 9, 4, 3, die_replacement=("replace", {"hits": [2], "dice": [1]}))) == [5, 7, 7, 6]


@pytest.mark.clause("WH-750")
@pytest.mark.parametrize("fields", [{"hits": [1, 2]}, {"hits": [1], "dice": [1, 1]}])
def test_a_second_replacement_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        burst(12, 2, 9, 4, 5, die_replacement=("replace", fields))

    assert [(one.code, one.clause) for one in refused.value.reasons] == [("replacement_already_used", "WH-750")]


def grenade(to_hit: int, dice: tuple[int, int], *, evades: str = "none", **given: Any) -> Played:
    """A frag grenade at b, with c and d beside him: bs 95 at short range 105."""
    table = fight(apart=7, a={"bs": 95, "s": 52, "minor": 0, "items": held("frag_grenade")}, b=SOFT, c=SOFT, d=SOFT)
    defence = {f"{who}__defend": "none" for who in "bc"}
    defence["d__defend"] = evades
    return table.play("area_attack", "a", "b", to_hit=to_hit, damage=dice, **defence, **AREA, **given)


@pytest.mark.clause("WH-760")
def test_in_an_area_the_replaced_die_counts_for_one_target() -> None:
    done = grenade(66, (7, 2), die_replacement=("replace", {"targets": ["b"], "dice": [2]}))

    assert done.check.degrees == 5
    assert {one.target: one.raw for one in done.of(ev.DamageDealt)} == {"b": 12, "c": 9, "d": 9}
    assert done.questions("die_replacement")[0].clause == "WH-760"


@pytest.mark.clause("WH-760")
def test_only_those_who_were_hit_are_offered() -> None:
    done = grenade(66, (7, 2), evades="dodge", d__dodge=5, die_replacement="replace")

    replace = done.questions("die_replacement")[0].options[0]
    targets = next(field for field in replace.form if field.name == "targets")
    assert targets.choices == ("b", "c")
    assert set(targets.barred_choices) == {"a", "d"}


@pytest.mark.clause("WH-760")
@pytest.mark.parametrize("target", ["d", "a"])
def test_a_target_that_was_not_hit_is_refused(target: str) -> None:
    with pytest.raises(Refused) as refused:
        grenade(66, (7, 2), evades="dodge", d__dodge=5, die_replacement=("replace", {"targets": [target], "dice": [2]}))

    assert [(one.code, one.names) for one in refused.value.reasons] == [("target_not_hit", (target,))]


@pytest.mark.clause("WH-750", "WH-760")
def test_two_targets_are_one_too_many() -> None:
    with pytest.raises(Refused) as refused:
        grenade(66, (7, 2), die_replacement=("replace", {"targets": ["b", "c"]}))

    assert [one.code for one in refused.value.reasons] == ["replacement_already_used"]


@pytest.mark.clause("WH-770", "WH-860")
def test_the_successes_count_above_the_highest_face() -> None:
    table = fight(apart=1, a={"ws": 65, "s": 35, "minor": 0, "items": held("combat_knife")}, b=SOFT)
    done = table.play("attack", "a", "b", to_hit=7, defend="none", damage=2, die_replacement="replace")
    assert raw(done) == [7 + 3]
    assert "extreme_damage" not in noted(done)

    done = shot(3, 7, bs=104, die_replacement="replace")
    assert (done.check.degrees, raw(done)) == (11, [14])
    assert "extreme_damage" not in noted(done)


@pytest.mark.clause("WH-780")
def test_a_spray_has_nothing_to_replace_a_die_with() -> None:
    table = fight(
        apart=5, a={"minor": 0, "items": held("flamer", "both")}, b=SOFT, options={"ask_replacement": "always"}
    )

    done = table.play("area_attack", "a", "b", said={"inside": ("b",)}, spray=99, defend="none", damage=1)

    assert not done.questions("die_replacement")
    assert raw(done) == [5]


# WH-800 to WH-860


@pytest.mark.clause("WH-800", "WH-810", "WH-820")
def test_the_highest_face_is_extreme_and_its_row_costs_no_wounds() -> None:
    table = fight(
        apart=60,
        a={"bs": 45, "minor": 0, "items": held("lasgun", "both")},
        b={"t": 40, "armour": 4, "wounds_max": 14, "minor": 0, "items": {}},
    )

    done = table.play("attack", "a", "b", to_hit=43, defend="none", damage=10, extreme=5)

    assert through(done) == [13 - 8]
    assert wounds(table, "b") == 9
    assert table.who("b").pools["critical_damage"] == 0
    assert all(table.has("b", kind) for kind in ("stunned", "prone", "bleeding"))
    assert done.one(ev.CriticalSuffered).cause == "extreme_damage"


def extreme_shot(**of_a: Any) -> Played:
    """Extreme Damage of somebody who may be veiled or roll in secret, with row 2."""
    a = {"bs": 45, "minor": 0, "items": held("lasgun", "both")}
    table = fight(apart=60, a=a, b=SOFT)
    body = msgspec.structs.replace(table.who("a"), **of_a)
    table.state = msgspec.structs.replace(table.state, combatants={**table.state.combatants, body.id: body})
    return table.play("attack", "a", "b", to_hit=43, defend="none", damage=10, extreme=2)


@pytest.mark.clause("WH-070", "WH-810")
def test_the_d5_is_told_with_whoever_rolled_it() -> None:
    suffered = extreme_shot().one(ev.CriticalSuffered)

    assert [(die.sides, die.value, die.source) for die in suffered.dice] == [(5, 2, "client")]
    assert (suffered.combatant, suffered.roller) == ("b", "a")


@pytest.mark.clause("WH-810")
@pytest.mark.parametrize(
    ("of_a", "left_out"), [({}, set()), ({"values": "none"}, {"dice"}), ({"rolls": "secret"}, {"value", "dice"})]
)
def test_the_d5_is_kept_back_with_the_figures_or_the_rolls_of_whoever_rolled_it(
    of_a: dict[str, Any], left_out: set[str]
) -> None:
    done = extreme_shot(**of_a)
    emitted = next(one for one in done.outcome.events if isinstance(one.event, ev.CriticalSuffered))

    seen, cut = cut_for(emitted, lambda who: who == "b")

    assert set(cut) == left_out
    assert isinstance(seen, ev.CriticalSuffered)
    assert bool(seen.dice) is not bool(left_out)


@pytest.mark.clause("WH-070")
def test_dice_of_a_hit_that_comes_too_late_are_told_all_the_same() -> None:
    table = fight(apart=60, a={"bs": 90, "minor": 0, "items": held("autogun", "both")}, trooper={"t": 0, "armour": 0})

    done = table.play(
        "semi_auto_burst", "a", "trooper", to_hit=20, defend="none", hit1__damage=9, hit2__damage=4, hit3__damage=3
    )

    assert table.who("trooper").status == "dead"
    assert [one.hit for one in done.of(ev.DamageDealt)] == [1]
    late = [one for one in done.of(ev.Noted) if one.fact == "hit_too_late"]
    assert [(one.target, [die.value for die in one.dice]) for one in late] == [("trooper", [4]), ("trooper", [3])]


@pytest.mark.clause("WH-800")
@pytest.mark.parametrize(
    ("weapon", "die", "extreme"), [("combat_knife", 5, True), ("combat_knife", 4, False), ("sword", 5, False)]
)
def test_of_a_d5_it_is_the_5(weapon: str, die: int, extreme: bool) -> None:
    table = fight(apart=1, a={"ws": 60, "s": 0, "minor": 0, "items": held(weapon)}, b=SOFT)

    done = table.play("attack", "a", "b", to_hit=59, defend="none", damage=die, **({"extreme": 1} if extreme else {}))

    assert ("extreme_damage" in noted(done)) is extreme


@pytest.mark.clause("WH-800", "WH-840", "WH-850")
def test_a_high_sum_is_not_and_two_highest_faces_are_one() -> None:
    assert "extreme_damage" not in noted(grenade(66, (9, 9)))
    done = grenade(66, (10, 10), b__extreme=1, c__extreme=1, d__extreme=1)
    assert noted(done).count("extreme_damage") == 3
    assert raw(done) == [20, 20, 20]


@pytest.mark.clause("WH-810", "WH-910")
def test_the_row_is_not_added_to_earlier_critical_damage() -> None:
    table = fight(apart=60, a={"bs": 45, "minor": 0, "items": held("lasgun", "both")}, b=SOFT)
    pool(table, "b", "critical_damage", 3)

    done = table.play("attack", "a", "b", to_hit=43, defend="none", damage=10, extreme=2)

    assert done.one(ev.CriticalSuffered).value == 2
    assert table.who("b").pools["critical_damage"] == 3
    assert table.has("b", "stunned")


@pytest.mark.clause("WH-810", "WH-930")
def test_whoever_the_hit_has_taken_out_suffers_no_row() -> None:
    table = fight(apart=60, a={"bs": 45, "minor": 0, "items": held("lasgun", "both")}, trooper={"t": 0, "armour": 0})

    done = table.play("attack", "a", "trooper", to_hit=43, defend="none", damage=10)

    assert table.who("trooper").status == "dead"
    assert not done.of(ev.CriticalSuffered)


@pytest.mark.clause("WH-820", "WH-920")
def test_fatigue_of_a_row_does_happen() -> None:
    table = fight(apart=60, a={"bs": 45, "minor": 0, "items": held("lasgun", "both")}, b={**SOFT, "t": 30})

    table.play("attack", "a", "b", to_hit=43, defend="none", damage=10, extreme=1)

    assert table.who("b").pools["fatigue"] == 1


@pytest.mark.clause("WH-830")
@pytest.mark.parametrize(
    ("die", "toughness", "armour", "damage"), [(10, 80, 5, 1), (10, 80, 4, 1), (10, 80, 3, 2), (9, 80, 5, 0)]
)
def test_a_wholly_soaked_extreme_hit_deals_one(die: int, toughness: int, armour: int, damage: int) -> None:
    table = fight(
        apart=60,
        a={"bs": 45, "minor": 0, "items": held("lasgun", "both")},
        b={"t": toughness, "armour": armour, "minor": 0, "items": {}},
    )

    done = table.play("attack", "a", "b", to_hit=43, defend="none", damage=die, **({"extreme": 1} if die == 10 else {}))

    assert through(done) == [damage]
    assert wounds(table, "b") == table.who("b").sheet.stats["wounds_max"] - damage


@pytest.mark.clause("WH-850", "WH-070")
def test_each_hit_of_a_burst_is_judged_for_itself_and_dice_fall_in_order() -> None:
    done = burst(21, 10, 3, 10, hit1__extreme=1, hit3__extreme=1)

    assert noted(done).count("extreme_damage") == 2
    assert order(done) == [
        "to_hit",
        "evade/b/defend",
        "hit1/damage",
        "hit2/damage",
        "hit3/damage",
        "hit1/extreme",
        "hit3/extreme",
    ]


@pytest.mark.clause("WH-850", "WH-830")
def test_in_an_area_every_target_has_its_own_row_and_its_own_one() -> None:
    table = fight(
        apart=7,
        a={"bs": 95, "s": 52, "minor": 0, "items": held("frag_grenade")},
        b={**SOFT, "t": 120, "armour": 12},
        c={**SOFT, "t": 30},
    )

    done = table.play(
        "area_attack",
        "a",
        "b",
        to_hit=95,
        said={"near": ("b", "c")},
        b__defend="none",
        c__defend="none",
        damage=(10, 2),
        b__extreme=1,
        c__extreme=4,
    )

    assert {one.target: one.through for one in done.of(ev.DamageDealt)} == {"b": 1, "c": 9}
    assert [(one.combatant, one.value) for one in done.of(ev.CriticalSuffered)] == [("b", 1), ("c", 4)]


def cleaver(dice: tuple[int, int], to_hit: int, place: int | None, ws: int = 65, **given: Any) -> Played:
    """A blow with two dice, one of which may be replaced."""
    profile = Weapon(kind="melee", damage="2d10", type="rending", reach=2)
    custom = msgspec.json.encode(profile).decode()
    table = fight(
        apart=1, a={"ws": ws, "s": 0, "minor": 0, "items": {"x": Item("x", held="main", custom=custom)}}, b=SOFT
    )
    answer: Any = "keep" if place is None else ("replace", {"dice": [place]})
    return table.play("attack", "a", "b", to_hit=to_hit, defend="none", damage=dice, die_replacement=answer, **given)


@pytest.mark.clause("WH-860")
def test_a_replaced_die_triggers_nothing_and_the_others_do() -> None:
    done = cleaver((10, 2), 11, 2, ws=60, extreme=1)
    assert (raw(done), "extreme_damage" in noted(done)) == ([16], True)

    done = cleaver((10, 2), 8, 1, ws=104)
    assert (done.check.degrees, raw(done), "extreme_damage" in noted(done)) == (11, [13], False)


# WH-870, WH-880


@pytest.mark.clause("WH-870", "WH-830")
def test_minor_npcs_deal_no_extreme_damage_but_suffer_it() -> None:
    table = fight(apart=60, trooper={"bs": 45, "items": held("autogun", "both")}, b={**SOFT, "t": 80, "armour": 5})
    done = table.play("attack", "trooper", "b", to_hit=43, defend="none", damage=10)
    assert (through(done), noted(done)) == ([0], [])

    table = fight(apart=60, a={"bs": 45, "minor": 0, "items": held("lasgun", "both")}, trooper={"t": 80, "armour": 5})
    done = table.play("attack", "a", "trooper", to_hit=43, defend="none", damage=10, extreme=1)
    assert through(done) == [1]
    assert table.who("trooper").pools["fatigue"] == 1


def command_of(to: tuple[str, ...], *, on_map: bool = False, far: float = 10, fel: int = 44) -> PlayTable:
    """Varro with troopers of his own side, and an enemy."""
    us = {"side": "us", "bs": 45}
    people: dict[str, Any] = {"varro": {"side": "us", "fel": fel}, **{name: us for name in to}, "grash": SOFT}
    if on_map:
        for number, name in enumerate(people):
            people[name] = {**people[name], "at": (far if number else 0, number, 90)}
        return fight(**people)
    return fight(apart=60, **people)


@pytest.mark.clause("WH-880")
def test_a_commander_may_grant_it_until_his_next_turn() -> None:
    table = command_of(("t1", "t2"))
    done = table.play("command_extreme_damage", "varro", "t1", command_extreme_damage__command=40)
    assert (done.check.check, done.check.target, done.check.outcome) == ("fel", 44, "success")
    assert "mental" in done.one(ev.ActionTaken).tags
    table.end_turn()
    shot_ = table.play("attack", "t1", "grash", to_hit=43, defend="none", damage=10, extreme=1)
    assert "extreme_damage" in noted(shot_)
    table.end_turn()
    shot_ = table.play("attack", "t2", "grash", to_hit=43, damage=10)
    assert "extreme_damage" not in noted(shot_)
    table.until_turn_of("varro")
    assert not table.has("t1", "extreme_damage_granted")


@pytest.mark.clause("WH-880")
@pytest.mark.parametrize(("die", "granted"), [(44, True), (45, False)])
def test_the_command_is_tested(die: int, granted: bool) -> None:
    table = command_of(("t1",))
    table.play("command_extreme_damage", "varro", "t1", command_extreme_damage__command=die)

    assert table.has("t1", "extreme_damage_granted") is granted
    assert table.who("varro").budget["half_action"] == 1


@pytest.mark.clause("WH-880")
def test_whom_one_may_command_and_how_many() -> None:
    table = command_of(("t1", "t2", "t3", "t4", "t5"))
    assert table.why_not("command_extreme_damage", "varro", "t1", "t2", "t3", "t4") == []
    assert table.why_not("command_extreme_damage", "varro", "t1", "t2", "t3", "t4", "t5") == ["too_many_targets"]
    assert table.why_not("command_extreme_damage", "varro", "t1", "grash") == ["not_minor_npc"]
    assert table.why_not("command_extreme_damage", "varro", "varro") == ["not_minor_npc"]
    enemies = fight(varro={"side": "us"}, trooper={"side": "them"})
    assert enemies.why_not("command_extreme_damage", "varro", "trooper") == ["not_minor_npc"]
    table = fight(lyse={"side": "us"}, trooper={"side": "us"}, varro={"side": "us"})
    found = table.why_not("command_extreme_damage", "lyse", "trooper", "varro")
    assert found == ["not_a_commander", "not_minor_npc"]


@pytest.mark.clause("WH-880")
@pytest.mark.parametrize(("far", "reasons"), [(19.9, []), (20.1, ["out_of_range"])])
def test_on_a_map_they_must_hear_it(far: float, reasons: list[str]) -> None:
    table = command_of(("t1",), on_map=True, far=far)

    assert table.why_not("command_extreme_damage", "varro", "t1") == reasons


@pytest.mark.clause("WH-880", "WH-050")
def test_frenzy_forbids_commanding_and_the_gm_may_grant_it() -> None:
    table = command_of(("t1",))
    begin(table, "varro", "frenzied")
    assert table.why_not("command_extreme_damage", "varro", "t1") == ["action_type_forbidden"]
    table.rule(cmd.AddEffect(CombatantId("t1"), "extreme_damage_granted"))
    table.end_turn()

    done = table.play("attack", "t1", "grash", to_hit=43, defend="none", damage=10, extreme=1)

    assert "extreme_damage" in noted(done)
    table.until_turn_of("varro")
    assert table.has("t1", "extreme_damage_granted")


@pytest.mark.clause("WH-880")
def test_the_command_skill_and_its_range_are_figures() -> None:
    table = fight(
        varro={"side": "us", "command_bonus": 10, "at": (0, 0, 0)},
        t1={"side": "us", "at": (30, 0, 0)},
        options={"command_range_m": 3000},
    )

    assert (
        table.play("command_extreme_damage", "varro", "t1", command_extreme_damage__command=54).check.outcome
        == "success"
    )
