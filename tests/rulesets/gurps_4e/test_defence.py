"""Active defence: when it happens, what is rolled, with what, stepping back or falling, and what a critical one does.

Clauses GU-300 to GU-395.
"""

from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Option, Question, Roll
from app.engine.forms import Field
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.space.model import Ground, PairFact, Place, Wall
from app.engine.state import Item
from rulesets.gurps_4e.reach import arc_of
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import Played, PlayTable

SWORD: dict[str, Any] = {"weapon": "thrusting_broadsword", "options": {"mode": "swing"}}
THRUST: dict[str, Any] = {"weapon": "thrusting_broadsword", "options": {"mode": "thrust"}}
AXE: dict[str, Any] = {"weapon": "axe"}
RIFLE: dict[str, Any] = {"weapon": "assault_rifle"}
KNIFE = {"large_knife": "main"}
HIT = (3, 4, 4)
FAILS = (6, 5, 5)
MISSES = (4, 4, 4)
"""Sixteen and twelve: a plain failure for a defence of 7 to 15, and for one of 3 to 11."""
NOTHING: dict[str, Any] = {"to_hit": HIT, "defend": "none"}
S, X, R, P = (CombatantId(name) for name in "sxrp")
both_ways = pytest.mark.parametrize("on_map", [False, True], ids=["stated", "map"])


def duel(on_map: bool = False, one: str = "x", other: str = "s", **changes: Any) -> PlayTable:
    """The first has the slot and the other stands before him, a yard away, each looking at the other."""
    options = changes.pop("options", None)
    people = {one: changes.pop(one, {}), other: changes.pop(other, {})}
    far = changes.pop("far", 1)
    assert not changes
    if not on_map:
        return fight(**people, apart={f"{one}-{other}" if len(one + other) > 2 else one + other: far}, options=options)
    people[one] = {"at": (0, 0, 90), **people[one]}
    people[other] = {"at": (far, 0, 270), **people[other]}
    return fight(**people, options=options)


def struck(table: PlayTable, by: str = "x", on: str = "s", /, **given: Any) -> Played:
    """A plain hit. Whatever it is answered with is given; damage that falls is as low as it can be."""
    weapon = {"s": SWORD, "x": AXE, "r": RIFLE, "p": {"weapon": "spear"}}[by[0]]
    dice = {"s": 1, "x": (1, 1), "r": (1,) * 5, "p": 1}[by[0]]
    return table.play("attack", by, on, **{"to_hit": HIT, **weapon, **given, "damage": given.get("damage", dice)})


def safe(table: PlayTable, by: str = "x", on: str = "s", /, **given: Any) -> Played:
    """A plain hit that does no harm in the end."""
    weapon = {"s": SWORD, "x": AXE, "r": RIFLE, "p": {"weapon": "spear"}}[by[0]]
    return table.play("attack", by, on, **{"to_hit": HIT, **weapon, **given})


def tried(done: Played) -> list[ev.CheckRolled]:
    """The defence rolls."""
    return [check for check in done.of(ev.CheckRolled) if check.purpose == "defend"]


def terms(check: ev.CheckRolled) -> dict[str, int]:
    """The sum behind a roll, by name."""
    return {term.id: term.value for term in check.terms}


def cited(check: ev.CheckRolled) -> dict[str, str | None]:
    """The clause behind each part of it."""
    return {term.id: term.clause for term in check.terms}


def refused(table: PlayTable, by: str, on: str, defend: Any, **given: Any) -> list[tuple[str, str]]:
    """Reasons against answering a plain hit so, with their clauses."""
    with pytest.raises(Refused) as caught:
        safe(table, by, on, defend=defend, **given)
    return [(reason.code, str(reason.clause)) for reason in caught.value.reasons]


def asked(done: Played) -> Question:
    """The first question about a defence."""
    return done.questions("defend")[0]


def offered(done: Played) -> list[str]:
    """What could be answered."""
    return [option.id for option in asked(done).options]


def option(done: Played, name: str) -> Option:
    """One of the answers that could be given."""
    return next(one for one in asked(done).options if one.id == name)


def inputs(done: Played, name: str) -> dict[str, Field]:
    """The fields of one answer that may be filled in."""
    return {field.name: field for field in option(done, name).form if not field.barred}


def barred(done: Played) -> dict[str, list[str]]:
    """What could not, and why."""
    return {one.id: [reason.code for reason in one.reasons] for one in asked(done).barred}


def roller(done: Played, name: str) -> str:
    """Who was to roll that."""
    return next(ask.by for ask in done.asked if isinstance(ask, Roll) and ask.name == name)


def effect(table: PlayTable, who: CombatantId, kind: str) -> None:
    """Put a condition on somebody by ruling."""
    table.rule(cmd.AddEffect(who, kind))


def state_fact(table: PlayTable, one: CombatantId, other: CombatantId, fact: PairFact) -> None:
    """The GM states how they stand to each other, beside what is stated already."""
    table.rule(cmd.SetFact(one, other, fact))


# GU-300: when it happens


@both_ways
@pytest.mark.clause("GU-300")
def test_after_a_plain_hit_the_target_is_asked_once(on_map: bool) -> None:
    table = duel(on_map)

    done = struck(table, to_hit=(3, 4, 4), defend="none")

    question = asked(done)
    assert len(done.questions()) == 1
    assert (question.to, question.about, question.default, question.clause) == ("s", "x", "none", "GU-300")
    assert offered(done) == ["dodge", "parry", "block", "none"]
    assert barred(done) == {"dodge_and_drop": ["option_not_for_melee"]}
    assert question.informed
    assert not tried(done)


@pytest.mark.clause("GU-300")
def test_the_question_tells_the_chance_of_each_defence() -> None:
    done = struck(duel(), defend="none")

    def ways(target: int) -> int:
        dice = [one + two + three for one in range(1, 7) for two in range(1, 7) for three in range(1, 7)]
        return sum(total <= 4 or (total <= target and total < 17) for total in dice) * 1_000_000 // 216

    assert [option(done, name).chance for name in ("dodge", "parry", "block")] == [ways(9), ways(12), ways(12)]
    assert asked(done).best in ("parry", "block")


@pytest.mark.clause("GU-300")
@pytest.mark.parametrize("dice", [(6, 4, 4), (6, 6, 4)])
def test_a_miss_asks_nothing(dice: tuple[int, int, int]) -> None:
    assert not duel().play("attack", "x", "s", **AXE, to_hit=dice).questions()


@pytest.mark.clause("GU-300")
def test_a_critical_hit_asks_nothing() -> None:
    done = struck(duel(), to_hit=(2, 1, 1), critical_hit=(3, 3, 4))

    assert not done.questions()
    assert done.of(ev.DamageDealt)


@pytest.mark.clause("GU-300")
def test_retreating_is_offered_where_it_may_be_done() -> None:
    table = duel(one="x", other="s")

    done = struck(table, defend="none")

    assert all("retreat" in inputs(done, name) for name in ("dodge", "parry", "block"))


@pytest.mark.clause("GU-300", "GU-370")
def test_a_retreat_that_may_not_be_made_is_no_field_of_the_answer() -> None:
    table = duel(s={})
    effect(table, S, "kneeling")

    done = struck(table, defend="none")

    assert all("retreat" not in inputs(done, name) for name in ("dodge", "parry", "block"))


# GU-310: the roll


@both_ways
@pytest.mark.clause("GU-310")
@pytest.mark.parametrize(("dice", "blocked"), [((4, 4, 4), True), ((4, 4, 5), False)])
def test_a_defence_at_or_under_its_number_turns_the_hit_away(
    on_map: bool, dice: tuple[int, int, int], blocked: bool
) -> None:
    table = duel(on_map)
    fate = safe if blocked else struck

    done = fate(table, defend="block", block=dice)

    check = tried(done)[0]
    assert (check.target, check.check, check.against, check.clause) == (12, "block", "x", "GU-310")
    assert terms(check) == {"block": 10, "shield": 2}
    assert bool(done.of(ev.DamageDealt)) is not blocked
    resolved = done.one(ev.DefenceResolved)
    assert (resolved.negated, resolved.left) == (((1,), ()) if blocked else ((), (1,)))


@pytest.mark.clause("GU-310")
def test_every_modifier_of_a_defence_is_a_term_of_its_own() -> None:
    table = duel(one="x", other="s")
    table.play("feint", "x", "s", weapon="axe", x__feint=(3, 3, 3), s__feint=(5, 5, 5))
    table.end_turn()
    table.play("all_out_defense", "s", options={"option": "increased_dodge"})
    effect(table, S, "stun_aftermath")
    effect(table, S, "crawling")
    table.end_turn()

    done = struck(
        table, options={"arc": "shield_side"}, modifiers=("bad_footing_defense",), defend="dodge", dodge=(1, 2, 2)
    )

    assert terms(tried(done)[0]) == {
        "dodge": 7,
        "shield": 2,
        "increased_dodge": 2,
        "posture": -3,
        "stunned": -4,
        "feint": -4,
        "side": -2,
        "bad_footing": -2,
    }
    assert tried(done)[0].target == -4


@pytest.mark.clause("GU-310")
def test_the_gm_adds_a_figure_of_his_own_to_the_defence() -> None:
    table = duel()
    modifier = cmd.GivenModifier("gm_defense", -3, "slippery stones")
    sub = table.submission("attack", "x", "s", **AXE)

    done = table.command(cmd.Act(replace(sub, modifiers=(modifier,))), to_hit=HIT, defend="block", block=(3, 3, 3))

    assert done.check.target == 13
    assert terms(tried(done)[0]) == {"block": 10, "shield": 2, "gm_defense": -3}


@pytest.mark.clause("GU-310")
@pytest.mark.parametrize(
    ("defend", "by", "target"),
    [("dodge", "dodge", 10), (("parry", {"with": "spear"}), "parry", 11)],
)
def test_combat_reflexes_are_one_more_to_each_defence(defend: Any, by: str, target: int) -> None:
    table = duel(one="x", other="p", p={})
    defend = "parry" if by == "parry" else defend

    done = safe(table, "x", "p", defend=defend, **{by: (3, 3, 3)})

    assert tried(done)[0].target == target


# GU-320: dodge


@both_ways
@pytest.mark.clause("GU-320")
def test_one_dodges_as_often_as_one_is_attacked(on_map: bool) -> None:
    spots: list[dict[str, Any]] = [{"at": (0, -1, 180)}, {"at": (1, 0, 270)}, {"at": (0, 1, 0)}]
    if on_map:
        table = fight(x1=spots[0], x2=spots[1], x3=spots[2], r={"at": (0, 0, 90)})
    else:
        table = fight(x1={}, x2={}, x3={}, r={}, apart={"x1-r": 1, "x2-r": 1, "x3-r": 1})
    targets = []
    for name in ("x1", "x2", "x3"):
        done = safe(table, name, "r", defend="dodge", dodge=(3, 3, 3))
        targets.append(tried(done)[0].target)
        table.end_turn()

    assert targets == [9, 9, 9]


@pytest.mark.clause("GU-320")
def test_an_attack_of_which_one_is_not_aware_cannot_be_dodged() -> None:
    done = struck(duel(), options={"aware": False})

    assert not done.questions()


# GU-330: parry


def three_attackers(**defender: Any) -> PlayTable:
    """Three axemen, each a yard from the spearman, whose spear is set to that."""
    return fight(x1={}, x2={}, x3={}, p=defender, apart={"x1-p": 1, "x2-p": 1, "x3-p": 1})


FENCING = (
    '{"kind":"melee","skill":"rapier","modes":{"thrust":{"damage":"thr+1","type":"imp","reach":[1]}},'
    '"parry":0,"fencing":true}'
)


@pytest.mark.clause("GU-330")
@pytest.mark.parametrize(
    ("changes", "numbers"),
    [
        ({}, [11, 7, 3]),
        ({"talents": ["combat_reflexes", "weapon_master"]}, [11, 9, 7]),
        ({"items": {"rapier": Item("rapier", held="main", custom=FENCING)}, "skills": {"rapier": 14}}, [11, 9, 7]),
        (
            {
                "items": {"rapier": Item("rapier", held="main", custom=FENCING)},
                "skills": {"rapier": 14},
                "talents": ["combat_reflexes", "weapon_master"],
            },
            [11, 10, 9],
        ),
    ],
)
def test_each_further_parry_with_the_same_weapon_is_harder(changes: dict[str, Any], numbers: list[int]) -> None:
    table = three_attackers(hp_max=100, **changes)
    given = {"defend": ("parry", {"with": "rapier"})} if "items" in changes else {}
    found = []
    for name in ("x1", "x2", "x3"):
        done = struck(table, name, "p", **{"defend": "parry", **given}, parry=MISSES)
        found.append(tried(done)[0].target)
        table.end_turn()

    assert found == numbers


@pytest.mark.clause("GU-330")
def test_parries_count_from_the_defenders_own_last_slot() -> None:
    table = fight(x={}, p={"hp_max": 100}, apart={"xp": 1})
    struck(table, "x", "p", defend="parry", parry=FAILS)
    table.end_turn()
    table.end_turn()

    done = struck(table, "x", "p", defend="parry", parry=FAILS)

    assert tried(done)[0].target == 11


@pytest.mark.clause("GU-330")
def test_each_weapon_and_each_hand_is_counted_for_itself() -> None:
    two = {"shortsword": "main", "large_knife": "off"}
    table = fight(
        x1={},
        x2={},
        x3={},
        s={"held": two, "skills": {"shortsword": 14, "knife": 12}, "hp_max": 100},
        apart={"x1-s": 1, "x2-s": 1, "x3-s": 1},
    )
    found = []
    for name, with_ in (("x1", "shortsword"), ("x2", "large_knife"), ("x3", "shortsword")):
        done = struck(table, name, "s", defend=("parry", {"with": with_}), parry=MISSES)
        found.append(tried(done)[0].target)
        table.end_turn()

    assert found == [10, 9 - 1 - 2, 10 - 4]


@pytest.mark.clause("GU-330")
@pytest.mark.parametrize(("talents", "target"), [([], 9 - 1 - 2), (["ambidexterity"], 9 - 1)])
def test_a_weapon_in_the_off_hand_parries_at_two_less(talents: list[str], target: int) -> None:
    table = duel(s={"held": {"large_knife": "off"}, "skills": {"knife": 12}, "talents": talents})

    done = struck(table, defend=("parry", {"with": "large_knife"}), parry=MISSES)

    assert tried(done)[0].target == target


@pytest.mark.clause("GU-330")
@pytest.mark.parametrize(
    ("attack", "penalty"),
    [
        (SWORD, {"bare_hand": -3}),
        (THRUST, {}),
        ({"options": {"mode": "kick"}}, {}),
    ],
)
def test_a_bare_hand_parries_a_weapon_at_three_less_but_no_thrust(
    attack: dict[str, Any], penalty: dict[str, int]
) -> None:
    changes = {"held": {"thrusting_broadsword": "main"}}
    table = duel(one="s", other="x", s=changes, x={"items": {}, "skills": {"brawling": 12}})

    given = {"weapon": None, **attack, "to_hit": (3, 3, 3)}
    done = safe(table, "s", "x", **given, defend="parry", parry=(2, 2, 2))

    assert terms(tried(done)[0]) == {"parry": 9, **penalty}


@pytest.mark.clause("GU-330")
@pytest.mark.parametrize(
    ("weapon", "skill", "penalty"), [("axe", "thrown_axe_mace", -1), ("large_knife", "thrown_knife", -2)]
)
def test_thrown_weapons_are_parried_at_less(weapon: str, skill: str, penalty: int) -> None:
    table = duel(one="x", other="p", far=3, x={"held": {weapon: "main"}, "skills": {skill: 14}})

    done = table.play(
        "attack", "x", "p", weapon=weapon, options={"form": "throw"}, to_hit=HIT, defend="parry", parry=(3, 3, 3)
    )

    assert terms(tried(done)[0]) == {"parry": 10, "combat_reflexes": 1, "thrown_weapon": penalty}


@pytest.mark.clause("GU-330")
@pytest.mark.parametrize("weapon", ["assault_rifle", "longbow"])
def test_bullets_and_arrows_are_not_parried(weapon: str) -> None:
    table = duel(one="r", other="s", far=5, r={"held": {weapon: "both"}, "skills": {"bow": 14}})

    assert refused(table, "r", "s", "parry", weapon=weapon) == [("cannot_parry_this_attack", "GU-330")]


@pytest.mark.clause("GU-330")
def test_an_unready_weapon_does_not_parry() -> None:
    table = duel(s={"items": {"shortsword": Item("shortsword", held="both", marks={"unready": 1})}})

    assert refused(table, "x", "s", "parry") == [("weapon_not_ready", "GU-330")]


@pytest.mark.clause("GU-330")
@pytest.mark.parametrize(
    ("held", "reason"), [({"assault_rifle": "both"}, "weapon_cannot_parry"), ({"torch": "both"}, "weapon_not_ready")]
)
def test_without_a_melee_weapon_or_an_empty_hand_there_is_no_parry(held: dict[str, str], reason: str) -> None:
    table = duel(one="x", other="r", r={"held": held})

    assert refused(table, "x", "r", "parry") == [(reason, "GU-330")]


@pytest.mark.clause("GU-330")
def test_a_weapon_made_so_cannot_parry() -> None:
    clumsy = '{"kind":"melee","skill":"flail","modes":{"swing":{"damage":"sw","type":"cr","reach":[1]}},"hands":2}'
    table = duel(s={"items": {"chain": Item("chain", held="both", custom=clumsy)}})

    assert refused(table, "x", "s", "parry") == [("weapon_cannot_parry", "GU-330")]


@both_ways
@pytest.mark.clause("GU-330")
def test_at_distance_0_only_bare_hands_and_short_weapons_parry(on_map: bool) -> None:
    table = duel(on_map, one="x", other="s", far=0, x={"items": {}}, s={"held": {"thrusting_broadsword": "main"}})
    punch: dict[str, Any] = {"weapon": None, "options": {"mode": "punch"}}

    why = refused(table, "x", "s", ("parry", {"with": "thrusting_broadsword"}), **punch)
    done = safe(table, "x", "s", **punch, defend=("parry", {"with": "hand_off"}), parry=(3, 3, 3))

    assert why == [("cannot_parry_this_attack", "GU-330")]
    assert tried(done)[0].target == 9


@pytest.mark.clause("GU-330")
def test_a_knife_parries_at_distance_0() -> None:
    table = duel(one="x", other="p", far=0, x={"items": {}}, p={"held": KNIFE})

    done = safe(
        table,
        "x",
        "p",
        weapon=None,
        options={"mode": "punch"},
        defend=("parry", {"with": "large_knife"}),
        parry=(3, 3, 3),
    )

    assert tried(done)[0].target == 9


@both_ways
@pytest.mark.clause("GU-330", "GU-340")
def test_whoever_came_to_distance_0_in_this_maneuver_is_parried_and_blocked(on_map: bool) -> None:
    table = duel(on_map, x={"items": {}})
    step: dict[str, Any] = {"path": [(1, 0)]} if on_map else {"said": {"length": 1}}
    options = {"mode": "punch"} if on_map else {"mode": "punch", "toward": "s"}

    done = table.play("attack", "x", "s", **step, options=options, to_hit=HIT, defend="none", damage=1)

    assert offered(done) == ["dodge", "parry", "block", "none"]


@both_ways
@pytest.mark.clause("GU-330", "GU-340")
def test_a_foe_who_is_close_already_is_not_blocked(on_map: bool) -> None:
    table = duel(on_map, far=0, x={"items": {}})

    done = table.play("attack", "x", "s", options={"mode": "punch"}, to_hit=HIT, defend="none", damage=1)

    assert offered(done) == ["dodge", "none"]
    assert barred(done)["block"] == ["cannot_block_this_attack"]
    assert barred(done)["parry"] == ["cannot_parry_this_attack"]


@pytest.mark.clause("GU-330")
def test_an_unnamed_parry_is_the_best_that_may_be_made() -> None:
    table = duel(s={"held": {"thrusting_broadsword": "main", "large_knife": "off"}, "skills": {"knife": 12}})

    done = safe(table, defend="parry", parry=(3, 3, 3))

    assert tried(done)[0].target == 10
    with_ = inputs(done, "parry")["with"]
    assert with_.choices == ("thrusting_broadsword", "large_knife")


@pytest.mark.clause("GU-330")
def test_being_held_lowers_parry_and_block_by_two_and_leaves_dodge() -> None:
    table = duel()
    effect(table, S, "grappled")

    done = safe(table, defend="parry", parry=(3, 3, 3))

    assert terms(tried(done)[0]) == {"parry": 10, "grappled": -2, "shield": 2}


# GU-340: block


@both_ways
@pytest.mark.clause("GU-340")
def test_a_shield_blocks_once_a_turn(on_map: bool) -> None:
    if on_map:
        table = fight(x1={"at": (1, 0, 270)}, x2={"at": (0, -1, 180)}, s={"at": (0, 0, 45), "hp_max": 100})
    else:
        table = fight(x1={}, x2={}, s={"hp_max": 100}, apart={"x1-s": 1, "x2-s": 1})
    struck(table, "x1", "s", defend="block", block=FAILS)
    table.end_turn()

    why = refused(table, "x2", "s", "block")
    done = struck(table, "x2", "s", defend="none")

    assert why == [("block_already_used", "GU-340")]
    assert offered(done) == ["dodge", "parry", "none"]
    table.end_turn()
    table.end_turn()
    assert "block" in offered(struck(table, "x1", "s", defend="none"))


@pytest.mark.clause("GU-340")
def test_each_shield_has_its_own_block() -> None:
    table = fight(
        x1={},
        x2={},
        s={"held": {"medium_shield": "off", "cloak": "main"}, "skills": {"cloak": 12}, "hp_max": 100},
        apart={"x1-s": 1, "x2-s": 1},
    )
    struck(table, "x1", "s", defend="block", block=FAILS)
    table.end_turn()

    done = struck(table, "x2", "s", defend="block", block=FAILS)

    assert terms(tried(done)[0]) == {"block": 9, "shield": 2}


@pytest.mark.clause("GU-340")
def test_without_a_shield_there_is_no_block() -> None:
    assert refused(duel(one="s", other="x"), "s", "x", "block") == [("no_ready_shield", "GU-340")]


@pytest.mark.clause("GU-340")
def test_an_unready_shield_does_not_block() -> None:
    items = {"medium_shield": Item("medium_shield", held="off", marks={"unready": 1})}

    assert refused(duel(s={"items": items}), "x", "s", "block") == [("no_ready_shield", "GU-340")]


@pytest.mark.clause("GU-340")
@pytest.mark.parametrize(
    ("weapon", "skill", "options", "blocks"),
    [
        ("assault_rifle", "guns_rifle", {}, False),
        ("longbow", "bow", {}, True),
        ("large_knife", "thrown_knife", {"form": "throw"}, True),
    ],
)
def test_arrows_and_thrown_weapons_are_blocked_and_bullets_are_not(
    weapon: str, skill: str, options: dict[str, Any], blocks: bool
) -> None:
    hands = "main" if weapon == "large_knife" else "both"
    table = duel(one="r", other="s", far=5, r={"held": {weapon: hands}, "skills": {skill: 15}})

    if blocks:
        done = safe(table, "r", "s", weapon=weapon, options=options, defend="block", block=(4, 4, 4))
        assert tried(done)[0].target == 12
    else:
        why = refused(table, "r", "s", "block", weapon=weapon, options=options)
        assert why == [("cannot_block_this_attack", "GU-340")]


# GU-350: the shield's defence bonus


@pytest.mark.clause("GU-350")
@pytest.mark.parametrize(("defend", "target"), [("dodge", 9), ("parry", 12), ("block", 12)])
def test_a_shield_adds_to_every_defence(defend: str, target: int) -> None:
    done = safe(duel(), defend=defend, **{defend: (3, 3, 3)})

    assert tried(done)[0].target == target
    assert cited(tried(done)[0])["shield"] == "GU-350"


@pytest.mark.clause("GU-350")
@pytest.mark.parametrize(("weapon", "target"), [("assault_rifle", 7), ("longbow", 9)])
def test_it_does_not_help_against_firearms(weapon: str, target: int) -> None:
    table = duel(one="r", other="s", far=5, r={"held": {weapon: "both"}, "skills": {"bow": 15}})

    done = safe(table, "r", "s", weapon=weapon, defend="dodge", dodge=(2, 2, 3))

    assert tried(done)[0].target == target


@pytest.mark.clause("GU-350")
def test_an_unready_shield_adds_nothing() -> None:
    items = {"medium_shield": Item("medium_shield", held="off", marks={"unready": 1})}

    done = safe(duel(s={"items": items}), defend="dodge", dodge=(2, 2, 3))

    assert terms(tried(done)[0]) == {"dodge": 7}


@pytest.mark.clause("GU-350", "GU-390")
@pytest.mark.parametrize(
    ("facing", "hand", "found"),
    [
        (270, "off", {"dodge": 7, "shield": 2}),
        (20, "off", {"dodge": 7, "shield": 2, "side": -2}),
        (160, "off", {"dodge": 7, "side": -2}),
        (20, "main", {"dodge": 7, "side": -2}),
        (160, "main", {"dodge": 7, "shield": 2, "side": -2}),
    ],
)
def test_on_a_map_it_counts_from_the_side_of_the_hand_that_holds_it(
    facing: int, hand: str, found: dict[str, int]
) -> None:
    table = duel(True, s={"at": (1, 0, facing), "held": {"medium_shield": hand}})

    done = safe(table, defend="dodge", dodge=(2, 1, 2))

    assert terms(tried(done)[0]) == found


@pytest.mark.clause("GU-350", "GU-390")
@pytest.mark.parametrize(
    ("arc", "found"),
    [
        (None, {"dodge": 7, "shield": 2}),
        ("front", {"dodge": 7, "shield": 2}),
        ("shield_side", {"dodge": 7, "shield": 2, "side": -2}),
        ("side", {"dodge": 7, "side": -2}),
    ],
)
def test_without_a_map_the_attacker_states_the_side(arc: str | None, found: dict[str, int]) -> None:
    options = {} if arc is None else {"arc": arc}

    done = safe(duel(), options=options, defend="dodge", dodge=(2, 1, 2))

    assert terms(tried(done)[0]) == found


@pytest.mark.clause("GU-350")
@pytest.mark.parametrize(
    ("bearing", "found"),
    [(-120, {"dodge": 7, "shield": 2, "side": -2}), (120, {"dodge": 7, "side": -2}), (0, {"dodge": 7, "shield": 2})],
)
def test_a_bearing_the_gm_has_stated_tells_the_side_too(bearing: int, found: dict[str, int]) -> None:
    table = duel()
    state_fact(table, S, X, PairFact(distance=100, bearing=bearing))

    done = safe(table, defend="dodge", dodge=(2, 1, 2))

    assert terms(tried(done)[0]) == found


# GU-360: unbalanced weapons


@both_ways
@pytest.mark.clause("GU-360")
def test_an_unbalanced_weapon_does_not_parry_after_its_attack(on_map: bool) -> None:
    table = duel(on_map, x={"hp_max": 100})
    safe(table, defend="block", block=(3, 3, 3))
    table.end_turn()

    why = refused(table, "s", "x", ("parry", {"with": "axe"}))
    done = safe(table, "s", "x", defend="dodge", dodge=(3, 3, 2))

    assert why == [("unbalanced_after_attack", "GU-360")]
    assert tried(done)[0].target == 8
    table.end_turn()
    table.end_turn()
    done = safe(table, "s", "x", defend=("parry", {"with": "axe"}), parry=(3, 3, 3))
    assert tried(done)[0].target == 9


@pytest.mark.clause("GU-360")
def test_held_in_both_hands_it_bars_the_parry_altogether() -> None:
    table = duel(x={"held": {"great_axe": "both"}, "st": 20, "skills": {"two_handed_axe_mace": 13}})
    table.play("attack", "x", "s", weapon="great_axe", to_hit=(5, 5, 5))
    table.end_turn()

    done = safe(table, "s", "x", defend="dodge", dodge=(3, 3, 2))

    assert barred(done)["parry"] == ["unbalanced_after_attack"]


@both_ways
@pytest.mark.clause("GU-360")
def test_an_unbalanced_weapon_does_not_attack_in_the_turn_after_its_parry(on_map: bool) -> None:
    table = duel(on_map, one="s", other="x")
    safe(table, "s", "x", defend=("parry", {"with": "axe"}), parry=(3, 3, 3))
    table.end_turn()

    found = table.reasons("attack", "x", "s", weapon="axe")

    assert [(reason.code, reason.clause) for reason in found] == [("unbalanced_after_parry", "GU-360")]
    assert table.why_not("attack", "x", "s", options={"mode": "kick"}) == []
    table.end_turn()
    table.end_turn()
    assert table.why_not("attack", "x", "s", weapon="axe") == []


@pytest.mark.clause("GU-360")
def test_a_balanced_weapon_attacks_and_parries_as_it_likes() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    table.play("attack", "s", "x", **SWORD, to_hit=(6, 6, 4))
    table.end_turn()

    safe(table, defend="parry", parry=(3, 3, 3))
    table.end_turn()

    assert table.why_not("attack", "s", "x", **SWORD) == []


@pytest.mark.clause("GU-360")
def test_a_feint_is_no_attack_and_bars_no_parry_but_the_parry_bars_the_attack() -> None:
    table = duel()
    table.play("feint", "x", "s", weapon="axe", x__feint=(5, 5, 5), s__feint=(4, 4, 4))
    table.end_turn()

    safe(table, "s", "x", defend=("parry", {"with": "axe"}), parry=(3, 3, 3))
    table.end_turn()

    assert table.why_not("attack", "x", "s", weapon="axe") == ["unbalanced_after_parry"]


# GU-370: retreat


def retreats(kind: str = "dodge", **fields: Any) -> tuple[str, dict[str, Any]]:
    """That defence with a step back."""
    return kind, {"retreat": True, **fields}


@both_ways
@pytest.mark.clause("GU-370")
@pytest.mark.parametrize(("kind", "target", "bonus"), [("dodge", 12, 3), ("parry", 13, 1), ("block", 13, 1)])
def test_a_step_back_helps_the_defence(on_map: bool, kind: str, target: int, bonus: int) -> None:
    table = duel(on_map)

    done = safe(table, defend=retreats(kind), **{kind: (3, 3, 3)})

    check = tried(done)[0]
    assert (check.target, terms(check)["retreat"], cited(check)["retreat"]) == (target, bonus, "GU-370")
    moved = done.one(ev.Moved)
    assert (moved.combatant, moved.distance, moved.forced, moved.clause) == ("s", 100, True, "GU-370")
    if on_map:
        assert table.who("s").place == Place(200, 0, 270)
    else:
        assert moved.distances == {"x": 200}


@pytest.mark.clause("GU-370")
def test_the_rifleman_dodges_the_axe_at_twelve() -> None:
    table = duel(one="x", other="r")

    assert tried(safe(table, "x", "r", defend=retreats(), dodge=(3, 3, 3)))[0].target == 12


@both_ways
@pytest.mark.clause("GU-370")
def test_one_step_serves_against_all_attacks_of_the_same_foe(on_map: bool) -> None:
    table = duel(on_map, one="x", other="r", r={"hp_max": 100})

    done = table.play(
        "all_out_attack",
        "x",
        "r",
        weapon="axe",
        options={"option": "double"},
        first__to_hit=HIT,
        first__defend=retreats(),
        first__dodge=(3, 3, 3),
        second__to_hit=HIT,
        second__defend="dodge",
        second__dodge=(4, 4, 4),
    )

    assert [check.target for check in tried(done)] == [12, 12]
    assert len(done.of(ev.Moved)) == 1


@both_ways
@pytest.mark.clause("GU-370")
def test_the_second_defence_may_say_again_that_it_retreats(on_map: bool) -> None:
    table = duel(on_map, one="x", other="r", r={"hp_max": 100})

    done = table.play(
        "all_out_attack",
        "x",
        "r",
        weapon="axe",
        options={"option": "double"},
        first__to_hit=HIT,
        first__defend=retreats(),
        first__dodge=(3, 3, 3),
        second__to_hit=HIT,
        second__defend=retreats(),
        second__dodge=(4, 4, 4),
    )

    assert [check.target for check in tried(done)] == [12, 12]
    assert len(done.of(ev.Moved)) == 1


@both_ways
@pytest.mark.clause("GU-370")
def test_there_is_one_retreat_a_turn_and_it_counts_against_that_foe_alone(on_map: bool) -> None:
    if on_map:
        table = fight(x1={"at": (0, 0, 90)}, x2={"at": (2, -1, 180)}, s={"at": (1, 0, 315), "hp_max": 100})
    else:
        table = fight(x1={}, x2={}, s={"hp_max": 100}, apart={"x1-s": 1})
    safe(table, "x1", "s", defend=retreats(), dodge=(3, 3, 3))
    table.end_turn()
    stated: dict[str, Any] = {} if on_map else {"said": {"distance": {"s": 1}}}

    why = refused(table, "x2", "s", retreats(), **stated)
    done = safe(table, "x2", "s", defend="dodge", dodge=(3, 3, 2), **stated)

    assert why == [("retreat_already_used", "GU-370")]
    assert tried(done)[0].target == 9


@pytest.mark.clause("GU-370")
def test_it_counts_against_whatever_the_same_foe_does_next() -> None:
    fast = {"trait_values": {"altered_time_rate": 1}, "talents": ["altered_time_rate"]}
    table = duel(x={**fast, "skills": {"thrown_axe_mace": 13}})
    safe(table, defend=retreats("block"), block=(3, 3, 3))

    done = table.play(
        "attack", "x", "s", weapon="axe", options={"form": "throw"}, to_hit=HIT, defend="dodge", dodge=(4, 4, 4)
    )

    assert terms(tried(done)[0]) == {"dodge": 7, "shield": 2, "retreat": 3}
    assert not done.of(ev.Moved)


@pytest.mark.clause("GU-370")
def test_with_the_next_slot_the_retreat_is_over() -> None:
    table = duel(one="x", other="s")
    safe(table, defend=retreats(), dodge=(3, 3, 3))
    table.end_turn()
    table.end_turn()

    done = safe(table, defend=retreats("block"), block=(3, 3, 3), said={"distance": {"s": 1}})

    assert tried(done)[0].target == 13
    assert done.of(ev.Moved)


@pytest.mark.clause("GU-370")
@pytest.mark.parametrize(
    ("items", "skills", "defend", "target"),
    [
        ({"rapier": Item("rapier", held="main", custom=FENCING)}, {"rapier": 14}, {"with": "rapier"}, 10 + 3),
        ({}, {"boxing": 14}, {"with": "hand_main"}, 10 + 3),
        ({}, {"karate": 14}, {"with": "hand_main"}, 10 + 3),
        ({}, {"judo": 14}, {"with": "hand_main"}, 10 + 3),
        ({}, {"brawling": 14}, {"with": "hand_main"}, 10 + 1),
        ({}, {"brawling": 16, "judo": 14}, {"with": "hand_main"}, 10 + 3),
        ({}, {"brawling": 20, "judo": 14}, {"with": "hand_main"}, 13 + 1),
    ],
)
def test_fencers_and_boxers_parry_three_better_stepping_back(
    items: dict[str, Item], skills: dict[str, int], defend: dict[str, str], target: int
) -> None:
    table = duel(one="s", other="x", x={"items": items, "skills": skills}, s={"held": {"thrusting_broadsword": "main"}})

    done = safe(table, "s", "x", **THRUST, defend=retreats("parry", **defend), parry=(3, 3, 3))

    assert tried(done)[0].target == target


@both_ways
@pytest.mark.clause("GU-370")
@pytest.mark.parametrize(
    ("condition", "clause"),
    [
        ("sitting", "GU-370"),
        ("kneeling", "GU-370"),
        ("stunned_physical", "GU-370"),
        ("stunned_mental", "GU-370"),
        ("surprised", "GU-370"),
        ("grappled", "GU-370"),
        ("sprinting", "GU-370"),
        ("moved_and_attacked", "GU-950"),
    ],
)
def test_what_keeps_one_from_stepping_back(on_map: bool, condition: str, clause: str) -> None:
    table = duel(on_map)
    effect(table, S, condition)

    assert ("retreat_not_allowed", clause) in refused(table, "x", "s", retreats())


@both_ways
@pytest.mark.clause("GU-370")
@pytest.mark.parametrize("posture", ["lying_prone", "lying_face_up", "crawling", "crouching"])
def test_the_lying_roll_aside_and_keep_their_posture(on_map: bool, posture: str) -> None:
    table = duel(on_map)
    effect(table, S, posture)

    done = safe(table, defend=retreats(), dodge=(2, 2, 2))

    assert terms(tried(done)[0])["retreat"] == 3
    assert table.has("s", posture)
    assert done.one(ev.Moved).distance == 100


@pytest.mark.clause("GU-370")
def test_nobody_steps_back_from_a_shot() -> None:
    table = duel(one="r", other="s", far=5)

    assert refused(table, "r", "s", retreats()) == [("retreat_not_allowed", "GU-370")]


@pytest.mark.clause("GU-370")
@pytest.mark.parametrize("maneuver", ["do_nothing", "none_yet", "change_posture", "attack"])
@pytest.mark.parametrize("bars", [False, True])
def test_maneuvers_without_movement_bar_it_by_option_alone(maneuver: str, bars: bool) -> None:
    table = fight(s={}, x={}, apart={"sx": 1}, options={"no_movement_bars_retreat": bars})
    if maneuver == "none_yet":
        table = fight(x={}, s={}, apart={"sx": 1}, options={"no_movement_bars_retreat": bars})
    elif maneuver == "change_posture":
        effect(table, S, "sitting")
        table.play("change_posture", "s", options={"posture": "standing"})
        table.end_turn()
    else:
        given: dict[str, Any] = {**SWORD, "to_hit": (6, 6, 4)} if maneuver == "attack" else {}
        table.play(maneuver, "s", *(["x"] if given else []), **given)
        table.end_turn()

    if bars and maneuver != "attack":
        assert refused(table, "x", "s", retreats()) == [("retreat_not_allowed", "GU-370")]
    else:
        assert tried(safe(table, defend=retreats(), dodge=(3, 3, 3)))[0].target == 12


@pytest.mark.clause("GU-370")
def test_a_step_taken_already_does_not_bar_it_and_it_uses_none_up() -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (2, 0, 270)})
    table.play("attack", "s", "x", **SWORD, path=[(1, 0)], to_hit=(6, 6, 4))
    table.end_turn()

    safe(table, defend=retreats(), dodge=(3, 3, 3))
    table.end_turn()

    assert table.who("s").place == Place(0, 0, 90)
    table.play("attack", "s", "x", **SWORD, path=[(1, 0)], to_hit=(6, 6, 4))


@pytest.mark.clause("GU-370")
def test_on_a_map_there_must_be_room() -> None:
    table = duel(True)
    walls = (
        Wall((50, -60), (160, -60), "north"),
        Wall((160, -60), (160, 60), "east"),
        Wall((160, 60), (50, 60), "south"),
    )
    table.state = replace(table.state, scenery=replace(table.state.scenery, ground=Ground(walls=walls)))

    assert refused(table, "x", "s", retreats()) == [("no_room_to_retreat", "GU-370")]


@pytest.mark.clause("GU-370")
def test_on_a_map_one_steps_aside_where_the_straight_way_is_barred() -> None:
    table = duel(True)
    walls = (Wall((180, -20), (180, 20), "east"),)
    table.state = replace(table.state, scenery=replace(table.state.scenery, ground=Ground(walls=walls)))

    safe(table, defend=retreats(), dodge=(3, 3, 3))

    place = table.who("s").place
    assert place is not None
    assert place.x**2 + place.y**2 > 100**2
    assert place.y != 0


@both_ways
@pytest.mark.clause("GU-370")
def test_without_any_move_there_is_no_step(on_map: bool) -> None:
    table = duel(on_map, s={"basic_move": 0})

    assert refused(table, "x", "s", retreats()) == [("no_room_to_retreat", "GU-370")]


@both_ways
@pytest.mark.clause("GU-370")
def test_the_fast_step_back_as_far_as_their_step(on_map: bool) -> None:
    table = duel(on_map, s={"basic_move": 16})

    done = safe(table, defend=retreats(), dodge=(3, 3, 3))

    assert done.one(ev.Moved).distance == 200


@pytest.mark.clause("GU-370")
def test_on_a_map_one_steps_back_from_a_foe_at_distance_0() -> None:
    table = duel(True, far=0, x={"items": {}})

    done = safe(table, weapon=None, options={"mode": "punch"}, defend=retreats(), dodge=(3, 3, 3))

    assert tried(done)[0].target == 12
    moved = done.one(ev.Moved)
    assert (moved.place.x, moved.place.y) != (0, 0)


# GU-380: dodge and drop


@both_ways
@pytest.mark.clause("GU-380")
def test_one_throws_oneself_down_before_a_shot(on_map: bool) -> None:
    table = duel(on_map, one="r", other="x", far=10)

    done = safe(table, "r", "x", defend="dodge_and_drop", dodge=(4, 4, 3))

    check = tried(done)[0]
    assert (check.check, check.target, terms(check)) == ("dodge_and_drop", 11, {"dodge": 8, "dodge_and_drop": 3})
    assert not done.of(ev.DamageDealt)
    assert table.has("x", "lying_prone")
    assert done.one(ev.DefenceResolved).option == "dodge_and_drop"


@pytest.mark.clause("GU-380")
def test_whoever_fails_lies_down_all_the_same() -> None:
    table = duel(one="r", other="x", far=10, x={"hp_max": 100})

    struck(table, "r", "x", defend="dodge_and_drop", dodge=(4, 4, 4))

    assert table.has("x", "lying_prone")


@pytest.mark.clause("GU-380")
def test_it_works_against_a_thrown_weapon_and_from_a_crouch() -> None:
    table = duel(one="r", other="x", far=3, r={"held": KNIFE, "skills": {"thrown_knife": 14}})
    effect(table, X, "crouching")

    done = safe(
        table,
        "r",
        "x",
        weapon="large_knife",
        options={"form": "throw"},
        to_hit=(3, 3, 3),
        defend="dodge_and_drop",
        dodge=(4, 4, 3),
    )

    assert tried(done)[0].target == 11
    assert not table.has("x", "crouching")


@both_ways
@pytest.mark.clause("GU-380")
@pytest.mark.parametrize(
    "condition",
    ["kneeling", "sitting", "crawling", "lying_prone", "stunned_physical", "grappled", "sprinting"],
)
def test_only_who_stands_or_crouches_and_may_retreat_can_do_it(on_map: bool, condition: str) -> None:
    table = duel(on_map, one="r", other="x", far=10)
    effect(table, X, condition)

    why = refused(table, "r", "x", "dodge_and_drop", to_hit=(3, 3, 3))

    assert ("retreat_not_allowed", "GU-380") in why


@pytest.mark.clause("GU-380")
def test_after_move_and_attack_nobody_drops() -> None:
    table = duel(one="r", other="x", far=10)
    effect(table, X, "moved_and_attacked")

    assert ("retreat_not_allowed", "GU-950") in refused(table, "r", "x", "dodge_and_drop")


@pytest.mark.clause("GU-380")
def test_nobody_drops_before_a_blow() -> None:
    assert refused(duel(), "x", "s", "dodge_and_drop") == [("option_not_for_melee", "GU-380")]


@pytest.mark.clause("GU-380", "GU-370")
def test_it_is_the_retreat_of_the_turn() -> None:
    table = fight(r={}, s={}, x={}, apart={"rx": 10, "sx": 1})
    safe(table, "r", "x", defend="dodge_and_drop", dodge=(4, 4, 3))
    table.end_turn()

    assert refused(table, "s", "x", retreats()) == [("retreat_already_used", "GU-370")]


@pytest.mark.clause("GU-380", "GU-370")
def test_after_a_retreat_nobody_drops() -> None:
    table = fight(s={}, r={}, x={}, apart={"rx": 10, "sx": 1})
    safe(table, "s", "x", defend=retreats(), dodge=(3, 3, 3))
    table.end_turn()

    why = refused(table, "r", "x", "dodge_and_drop", to_hit=(3, 3, 3), said={"distance": {"x": 11}})

    assert why == [("retreat_already_used", "GU-380")]


# GU-390: no defence, side and rear


@pytest.mark.clause("GU-390")
@pytest.mark.parametrize(
    ("facing", "arc"),
    [
        (270, "front"),
        (0, "front"),
        (180, "front"),
        (1, "side"),
        (179, "side"),
        (60, "side"),
        (120, "side"),
        (61, "rear"),
        (119, "rear"),
        (90, "rear"),
    ],
)
def test_the_arcs_by_facing(facing: int, arc: str) -> None:
    table = duel(True, s={"at": (1, 0, facing)})

    assert arc_of(table.table, S, X) == arc


@pytest.mark.clause("GU-390")
@pytest.mark.parametrize(("facing", "side"), [(0, None), (180, None), (1, -2), (179, -2), (60, -2), (120, -2)])
def test_a_side_attack_is_defended_at_two_less(facing: int, side: int | None) -> None:
    table = duel(True, one="s", other="x", x={"at": (1, 0, facing)})

    done = safe(table, "s", "x", defend="dodge", dodge=(2, 2, 2))

    check = tried(done)[0]
    assert terms(check).get("side") == side
    assert cited(check).get("side") == ("GU-390" if side else None)


@pytest.mark.clause("GU-390")
@pytest.mark.parametrize("facing", [61, 90, 119])
def test_on_a_map_an_attack_from_behind_is_not_defended(facing: int) -> None:
    table = duel(True, s={"at": (1, 0, facing)})

    assert not struck(table).questions()


@pytest.mark.clause("GU-390")
def test_without_a_map_an_attack_stated_from_behind_is_not_defended() -> None:
    assert not struck(duel(), options={"arc": "rear"}).questions()


@pytest.mark.clause("GU-390")
@pytest.mark.parametrize(
    ("gm", "stated", "asked_"), [("front", "rear", True), ("rear", "front", False), ("rear", None, False)]
)
def test_without_a_map_the_gm_overrules_the_side(gm: str, stated: str | None, asked_: bool) -> None:
    table = duel()
    state_fact(table, S, X, PairFact(distance=100, arc=gm))
    options = {} if stated is None else {"arc": stated}
    more: dict[str, Any] = {"defend": "none"} if asked_ else {}

    assert bool(struck(table, options=options, **more).questions()) is asked_


@pytest.mark.clause("GU-390")
def test_on_a_map_the_side_is_not_stated() -> None:
    table = duel(True)

    found = table.reasons("attack", "x", "s", weapon="axe", options={"arc": "rear"})

    assert [(reason.code, reason.at) for reason in found] == [("unused_input", "/options/arc")]


@pytest.mark.clause("GU-390")
def test_on_a_map_the_side_of_somebody_without_a_facing_is_stated() -> None:
    table = duel(True, s={"at": (1, 0)})

    assert not struck(table, options={"arc": "rear"}).questions()


@both_ways
@pytest.mark.clause("GU-390")
@pytest.mark.parametrize("condition", ["bound", "unconscious"])
def test_the_bound_and_those_out_of_action_do_not_defend(on_map: bool, condition: str) -> None:
    table = duel(on_map)
    effect(table, S, condition)

    assert not struck(table).questions()


@pytest.mark.clause("GU-390")
@pytest.mark.parametrize(("aware", "asked_"), [(None, False), (True, True), (False, False)])
def test_of_a_hidden_attacker_nobody_is_aware_unless_it_is_said(aware: bool | None, asked_: bool) -> None:
    table = duel(x={"hidden": True})
    options = {} if aware is None else {"aware": aware}
    more: dict[str, Any] = {"defend": "none", "hearing": (6, 6, 6)} if asked_ else {}

    assert bool(struck(table, options=options, **more).questions()) is asked_


def unseen(**changes: Any) -> PlayTable:
    """The swordsman cannot see the axeman who strikes him."""
    table = duel(**changes)
    state_fact(table, S, X, PairFact(distance=100, sees=False))
    return table


@pytest.mark.clause("GU-390")
def test_whoever_hears_the_unseen_attacker_defends_at_four_less() -> None:
    done = safe(unseen(), hearing=(3, 3, 2), defend="parry", parry=(3, 3, 2))

    heard = next(check for check in done.of(ev.CheckRolled) if check.purpose == "hearing")
    assert (heard.combatant, heard.check, heard.target, terms(heard)) == ("s", "per", 8, {"per": 10, "hearing": -2})
    assert offered(done) == ["dodge", "parry", "block", "none"]
    assert terms(tried(done)[0]) == {"parry": 10, "shield": 2, "unseen_attacker": -4}


@pytest.mark.clause("GU-390")
def test_whoever_does_not_hear_him_can_only_dodge() -> None:
    done = safe(unseen(), hearing=(3, 3, 3), defend="dodge", dodge=(2, 2, 1))

    assert offered(done) == ["dodge", "none"]
    assert barred(done)["parry"] == ["cannot_parry_this_attack"]
    assert barred(done)["block"] == ["cannot_block_this_attack"]
    assert {reason.clause for one in asked(done).barred if one.id == "block" for reason in one.reasons} == {"GU-390"}
    assert terms(tried(done)[0]) == {"dodge": 7, "shield": 2, "unseen_attacker": -4}


@pytest.mark.clause("GU-390")
def test_nobody_listens_who_could_neither_parry_nor_block() -> None:
    table = duel(one="r", other="x", far=5)
    state_fact(table, X, R, PairFact(distance=500, sees=False))

    done = safe(table, "r", "x", defend="dodge", dodge=(2, 1, 1), to_hit=HIT)

    assert [check.purpose for check in done.of(ev.CheckRolled)] == ["attack", "defend"]


@pytest.mark.clause("GU-390")
def test_on_a_map_a_wall_hides_the_attacker() -> None:
    table = duel(True)
    walls = (Wall((50, -50), (50, 50), "curtain", move=False),)
    table.state = replace(table.state, scenery=replace(table.state.scenery, ground=Ground(walls=walls)))

    done = safe(table, hearing=(3, 3, 2), defend="dodge", dodge=(2, 1, 2))

    assert terms(tried(done)[0]) == {"dodge": 7, "shield": 2, "unseen_attacker": -4}


# GU-395: critical results


@both_ways
@pytest.mark.clause("GU-395")
@pytest.mark.parametrize(("kind", "dice"), [("block", (1, 2, 1)), ("parry", (1, 1, 1)), ("dodge", (1, 1, 2))])
def test_a_critical_defence_turns_on_the_attacker(on_map: bool, kind: str, dice: tuple[int, int, int]) -> None:
    table = duel(on_map)

    done = safe(table, defend=kind, critical_miss=(3, 4, 3), **{kind: dice})

    fate = done.one(ev.CriticalSuffered)
    assert (fate.combatant, fate.value, fate.cause, fate.clause) == ("x", 10, "dropped", "GU-395")
    assert table.who("x").items["axe"].on_ground
    assert roller(done, "critical_miss") == "x"
    assert not done.of(ev.DamageDealt)


@pytest.mark.clause("GU-395")
@pytest.mark.parametrize(
    ("skill", "number", "dice", "critical"),
    [
        (19, 14, (2, 2, 1), False),
        (20, 15, (2, 2, 1), True),
        (21, 15, (2, 2, 2), False),
        (22, 16, (2, 2, 2), True),
    ],
)
def test_a_good_defence_is_critical_as_any_roll_is(
    skill: int, number: int, dice: tuple[int, int, int], critical: bool
) -> None:
    table = duel(s={"skills": {"broadsword": skill}})
    more: dict[str, Any] = {"critical_miss": (3, 4, 3)} if critical else {}

    done = safe(table, defend="parry", parry=dice, **more)

    assert tried(done)[0].target == number
    assert bool(done.of(ev.CriticalSuffered)) is critical


@pytest.mark.clause("GU-395")
def test_against_a_ranged_attack_it_does_nothing_more() -> None:
    table = duel(one="r", other="x", far=5)

    done = safe(table, "r", "x", defend="dodge", dodge=(1, 1, 1))

    assert not done.of(ev.CriticalSuffered)


@both_ways
@pytest.mark.clause("GU-395")
def test_a_dodge_that_fails_critically_ends_on_the_ground_and_the_hit_stands(on_map: bool) -> None:
    table = duel(on_map)

    done = struck(table, defend="dodge", dodge=(6, 6, 6))

    assert table.has("s", "lying_prone")
    assert done.of(ev.DamageDealt)


@both_ways
@pytest.mark.clause("GU-395")
def test_a_block_that_fails_critically_leaves_the_shield_unready(on_map: bool) -> None:
    table = duel(on_map)

    done = struck(table, defend="block", block=(6, 6, 5))

    marked = next(event for event in done.of(ev.ItemMarked) if event.item == "medium_shield")
    assert (marked.mark, marked.value, marked.clause) == ("unready", 1, "GU-395")
    assert done.of(ev.DamageDealt)
    table.end_turn()
    table.until_turn_of("x")
    done = struck(table, defend="none")
    assert barred(done)["block"][0] == "no_ready_shield"


@both_ways
@pytest.mark.clause("GU-395")
def test_a_parry_that_fails_critically_turns_on_the_defender(on_map: bool) -> None:
    table = duel(on_map)

    done = struck(table, defend="parry", parry=(6, 6, 6), critical_miss=(3, 4, 3))

    fate = done.one(ev.CriticalSuffered)
    assert (fate.combatant, fate.cause, fate.clause) == ("s", "dropped", "GU-395")
    assert table.who("s").items["thrusting_broadsword"].on_ground
    assert done.of(ev.DamageDealt)
    assert roller(done, "critical_miss") == "s"


@pytest.mark.clause("GU-395")
def test_a_bare_hand_that_fumbles_its_parry_loses_balance() -> None:
    table = duel(one="s", other="x", x={"items": {}})

    struck(table, "s", "x", **THRUST, defend="parry", parry=(6, 6, 6), critical_miss=(3, 4, 3))

    assert table.has("x", "off_balance")


@pytest.mark.clause("GU-395", "GU-230")
@pytest.mark.parametrize(("dice", "falls"), [((6, 6, 4), False), ((6, 6, 5), True)])
def test_a_plain_failure_has_no_such_end(dice: tuple[int, int, int], falls: bool) -> None:
    table = duel(one="s", other="x", x={"hp_max": 100})

    struck(table, "s", "x", defend="dodge", dodge=dice)

    assert table.has("x", "lying_prone") is falls


# What a defence is made with


@both_ways
@pytest.mark.clause("GU-330", "GU-360")
def test_only_what_can_parry_now_is_a_choice_and_the_rest_says_why(on_map: bool) -> None:
    table = duel(on_map)
    table.play("attack", "x", "s", **AXE, to_hit=(5, 5, 4))
    table.end_turn()

    assert refused(table, "s", "x", ("parry", {"with": "axe"})) == [("unbalanced_after_attack", "GU-360")]
    done = struck(table, "s", "x", defend="none")

    with_ = inputs(done, "parry")["with"]
    assert with_.choices == ("hand_off",)
    assert {name: [(why.code, why.clause) for why in whys] for name, whys in with_.barred_choices.items()} == {
        "axe": [("unbalanced_after_attack", "GU-360")]
    }


@pytest.mark.clause("GU-300", "GU-330", "GU-340")
@pytest.mark.parametrize(("answer", "item"), [("parry", "thrusting_broadsword"), ("block", "medium_shield")])
def test_the_only_way_may_be_named_all_the_same(answer: str, item: str) -> None:
    done = safe(duel(), defend=(answer, {"with": item}), **{answer: (1, 2, 2)})

    assert inputs(done, answer)["with"].choices == (item,)
    assert [check.outcome for check in tried(done)] == ["success"]
