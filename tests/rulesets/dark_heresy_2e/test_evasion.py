"""Evasion: who may, by what, and what it turns away. Clauses DH-1110 to DH-1140, DH-3600 to DH-3680."""

from typing import Any

import msgspec
import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Roll
from app.engine.ids import CombatantId, EffectId
from app.engine.reasons import BadAnswer, Refused
from app.engine.run import run
from app.engine.space.model import PairFact
from tests.rulesets.dark_heresy_2e.firing import cited
from tests.support.play import PlayTable, duel

GREAT = {"sample": "gorm", "held": {"great_weapon": "both"}}
SWORDS = {"sample": "sable"}


def shooting(at: str = "vane", distance: float = 20, **options: Any) -> PlayTable:
    """Vane's twin shoots at somebody 20 m off."""
    return duel(distance, gun={"sample": "vane"}, foe={"sample": at}, options=options)


@pytest.mark.clause("DH-3600")
def test_a_miss_raises_no_decision() -> None:
    done = shooting().play("standard_attack", "gun", "foe", to_hit=99)

    assert done.questions() == []


@pytest.mark.clause("DH-3600")
def test_the_decision_comes_after_the_hit_and_before_the_damage() -> None:
    table = shooting()

    done = table.play("standard_attack", "gun", "foe", to_hit=40, defend=...)

    assert [ask.name for ask in done.asked] == ["to_hit", "defend"]
    assert done.of(ev.HitsScored)
    assert not done.of(ev.DamageDealt)


@pytest.mark.clause("DH-3600", "DH-1110")
def test_without_a_reaction_left_nothing_is_asked() -> None:
    table = shooting()
    table.rule(cmd.SetBudget(CombatantId("foe"), "reaction", 0))

    done = table.play("standard_attack", "gun", "foe", to_hit=40, damage=1)

    assert done.questions("defend") == []


@pytest.mark.clause("DH-1110")
def test_extra_reactions_are_spent_after_the_ordinary_one() -> None:
    table = shooting()
    table.rule(cmd.SetBudget(CombatantId("foe"), "bonus_reaction", 1))

    done = table.play("standard_attack", "gun", "foe", to_hit=40, defend="dodge", dodge=40)

    assert table.who("foe").budget == {"half_action": 0, "reaction": 0, "bonus_reaction": 1}
    question = done.questions("defend")[0]
    assert question.options[0].cost[0].budget == "reaction"


@pytest.mark.clause("DH-1140")
def test_there_is_no_other_reaction() -> None:
    table = shooting()

    with pytest.raises(Refused) as refused:
        table.play("standard_attack", "gun", "foe", to_hit=40, defend="counter_attack")

    assert cited(refused.value.reasons) == [("unknown_reaction", "DH-1140")]


@pytest.mark.clause("DH-3605")
def test_a_shot_is_dodged_and_never_parried() -> None:
    table = duel(20, gun={"sample": "vane"}, foe=SWORDS)

    done = table.play("standard_attack", "gun", "foe", to_hit=40, defend="none", damage=1)

    question = done.questions("defend")[0]
    assert [option.id for option in question.options] == ["dodge", "none"]
    assert [(one.id, [r.code for r in one.reasons]) for one in question.barred] == [("parry", ["cannot_parry_ranged"])]


@pytest.mark.clause("DH-3605", "DH-3680")
def test_parrying_a_shot_is_refused_and_the_question_stays_open() -> None:
    table = duel(20, gun={"sample": "vane"}, foe=SWORDS)

    with pytest.raises(Refused) as refused:
        table.play("standard_attack", "gun", "foe", to_hit=40, defend="parry")

    assert [reason.code for reason in refused.value.reasons] == ["cannot_parry_ranged"]


@pytest.mark.clause("DH-3605")
def test_a_blow_may_be_dodged_or_parried() -> None:
    table = duel(1, gorm=GREAT, foe=SWORDS)

    done = table.play("standard_attack", "gorm", "foe", to_hit=40, defend="none", damage=(1, 1))

    assert [option.id for option in done.questions("defend")[0].options] == ["dodge", "parry", "none"]


@pytest.mark.clause("DH-3610")
@pytest.mark.parametrize(("die", "negated"), [(40, (1,)), (41, ())])
def test_a_dodge_at_the_skill_turns_the_hit_away(die: int, negated: tuple[int, ...]) -> None:
    table = shooting()
    given: dict[str, Any] = {} if negated else {"damage": 1}

    done = table.play("standard_attack", "gun", "foe", to_hit=40, defend="dodge", dodge=die, **given)

    assert done.of(ev.CheckRolled)[1].target == 40
    assert done.one(ev.DefenceResolved).negated == negated
    assert len(done.of(ev.DamageDealt)) == (0 if negated else 1)
    assert table.who("foe").budget["reaction"] == 0


@pytest.mark.clause("DH-3610", "DH-2080")
@pytest.mark.parametrize(("sample", "target"), [("vane", 40), ("sable", 57), ("brok", 28), ("gorm", 6)])
def test_dodge_is_agility_by_rank(sample: str, target: int) -> None:
    done = shooting(sample).play("standard_attack", "gun", "foe", to_hit=30, defend="dodge", dodge=1)

    assert done.of(ev.CheckRolled)[1].target == target


@pytest.mark.clause("DH-3610", "DH-3620")
def test_a_parry_with_a_balanced_weapon() -> None:
    table = duel(1, gorm=GREAT, foe=SWORDS)

    done = table.play("standard_attack", "gorm", "foe", to_hit=40, defend="parry", parry=70)

    parry = done.of(ev.CheckRolled)[1]
    assert (parry.target, parry.outcome, parry.degrees) == (72, "success", 1)


@pytest.mark.clause("DH-3610", "DH-5610")
def test_lying_on_the_ground_takes_20_from_evasion() -> None:
    table = shooting()
    table.rule(cmd.AddEffect(CombatantId("foe"), "prone"))

    done = table.play("standard_attack", "gun", "foe", to_hit=40, defend="dodge", dodge=20)

    assert done.of(ev.CheckRolled)[1].target == 20


@pytest.mark.clause("DH-3620")
def test_without_a_melee_weapon_a_sword_cannot_be_parried() -> None:
    table = duel(1, sable=SWORDS, foe={"sample": "vane"})

    done = table.play("standard_attack", "sable", "foe", to_hit=40, defend="none", damage=1)

    question = done.questions("defend")[0]
    assert [option.id for option in question.options] == ["dodge", "none"]
    assert [reason.code for reason in question.barred[0].reasons] == ["cannot_parry"]


@pytest.mark.clause("DH-3620")
def test_an_unbalanced_weapon_parries_at_minus_10() -> None:
    table = duel(1, sable=SWORDS, foe=GREAT)

    done = table.play("standard_attack", "sable", "foe", to_hit=40, defend="parry", parry=8)

    parry = done.of(ev.CheckRolled)[1]
    assert (parry.target, parry.degrees) == (8, 1)


@pytest.mark.clause("DH-3620")
@pytest.mark.parametrize(
    ("held", "attack_with", "parries"),
    [
        ({"sword": "main"}, "great_weapon", True),
        ({"power_fist": "main"}, "great_weapon", False),
        ({}, "great_weapon", False),
        ({}, None, True),
    ],
)
def test_what_parries_what(held: dict[str, str], attack_with: str | None, parries: bool) -> None:
    weapon = {attack_with: "both"} if attack_with else {}
    table = duel(1, gorm={"sample": "gorm", "held": weapon}, foe={"sample": "sable", "held": held})
    damage: Any = (1, 1) if attack_with else 1

    done = table.play("standard_attack", "gorm", "foe", to_hit=20, defend="none", damage=damage)

    assert ("parry" in [option.id for option in done.questions("defend")[0].options]) is parries


@pytest.mark.clause("DH-3620")
def test_a_flexible_weapon_cannot_be_parried() -> None:
    table = duel(1, gorm=GREAT, foe=SWORDS)
    _give(table, "gorm", "whip", "both", {"flexible": True})

    done = table.play("standard_attack", "gorm", "foe", weapon="whip", to_hit=20, defend="none", damage=1)

    assert [one.id for one in done.questions("defend")[0].barred] == ["parry"]


def _give(table: PlayTable, who: str, name: str, hand: str, qualities: dict[str, Any], **profile: Any) -> None:
    """A weapon of one's own."""
    from app.engine.ids import ItemId
    from app.engine.state import Item

    made = {"class": "melee", "damage": "1d10", "type": "rending", "qualities": qualities, **profile}
    body = Item(name, held=hand, custom=msgspec.json.encode(made).decode(), marks={"ammo": 99})
    table.rule(cmd.SetItem(CombatantId(who), ItemId(name), body))


def burst(dodge: int, hits: int = 4, sample: str = "vane", **options: Any) -> Any:
    """A full-auto burst with so many hits (autogun at 60 m: T35) at somebody who dodges."""
    table = duel(60, gun={"sample": "vane", "bs": 55}, foe={"sample": sample}, options=options)
    die = {4: 17, 3: 25, 2: 33, 1: 44}[hits]
    given: dict[str, Any] = {"damage": [1] * 9}
    return table, die, dodge, given


@pytest.mark.clause("DH-3630")
@pytest.mark.parametrize(
    ("hits", "die", "degrees", "left"),
    [(4, 21, 3, (1,)), (2, 38, 2, ()), (3, 44, 0, (1, 2, 3)), (4, 40, 1, (1, 2, 3))],
)
def test_each_degree_turns_one_hit_away_the_last_ones_first(
    hits: int, die: int, degrees: int, left: tuple[int, ...]
) -> None:
    table = duel(60, gun={"sample": "vane"}, foe={"sample": "vane"})
    to_hit = {4: 5, 3: 15, 2: 25}[hits]
    given: dict[str, Any] = {f"hit{number}__damage": 1 for number in left}
    if 0 < degrees < hits:
        given["negate_hits"] = "last"

    done = table.play("full_auto_burst", "gun", "foe", to_hit=to_hit, defend="dodge", dodge=die, **given)

    assert len(done.one(ev.HitsScored).hits) == hits
    assert done.one(ev.DefenceResolved).left == left


@pytest.mark.clause("DH-3630")
def test_the_target_may_choose_which_hits_go() -> None:
    table = duel(60, gun={"sample": "vane"}, foe={"sample": "vane"})

    done = table.play(
        "full_auto_burst",
        "gun",
        "foe",
        to_hit=5,
        defend="dodge",
        dodge=21,
        negate_hits=("choose", {"hits": ["1", "2", "3"]}),
        hit4__damage=1,
    )

    assert done.one(ev.DefenceResolved).left == (4,)


@pytest.mark.clause("DH-3630")
@pytest.mark.parametrize("chosen", [["1", "2"], ["1", "2", "3", "4"], ["1", "2", "9"], ["1", "1", "2"]])
def test_he_must_choose_exactly_as_many_of_the_hits_as_he_turned_away(chosen: list[str]) -> None:
    table = duel(60, gun={"sample": "vane"}, foe={"sample": "vane"})

    with pytest.raises(BadAnswer):
        table.play(
            "full_auto_burst",
            "gun",
            "foe",
            to_hit=5,
            defend="dodge",
            dodge=21,
            negate_hits=("choose", {"hits": chosen}),
        )


@pytest.mark.clause("DH-3630")
def test_a_table_may_count_one_hit_more_than_degrees() -> None:
    table = duel(60, gun={"sample": "vane"}, foe={"sample": "vane"}, options={"evasion_multi": "one_plus_dos"})

    done = table.play("full_auto_burst", "gun", "foe", to_hit=15, defend="dodge", dodge=38)

    assert done.one(ev.DefenceResolved).negated == (1, 2, 3)


@pytest.mark.clause("DH-3640")
@pytest.mark.parametrize(("die", "left"), [(39, (5, 6)), (20, ())])
def test_against_storm_each_degree_turns_two_hits_away(die: int, left: tuple[int, ...]) -> None:
    table = duel(60, gun={"sample": "vane"}, foe={"sample": "vane"})
    _give(
        table,
        "gun",
        "stormer",
        "both",
        {"storm": True},
        **{"class": "basic", "range": 10000, "clip": 99, "rof": {"full": 6}, "hands": 2},
    )
    table.rule(cmd.SetItem(CombatantId("gun"), _key("autogun"), None))
    given: dict[str, Any] = {"negate_hits": ("choose", {"hits": ["1", "2", "3", "4"]})} if left else {}
    given |= {f"hit{number}__damage": 1 for number in left}

    done = table.play("full_auto_burst", "gun", "foe", weapon="stormer", to_hit=9, defend="dodge", dodge=die, **given)

    assert len(done.one(ev.HitsScored).hits) == 6
    assert done.one(ev.DefenceResolved).left == left


def _key(name: str) -> Any:
    from app.engine.ids import ItemId

    return ItemId(name)


def trio() -> PlayTable:
    """One gun and two people side by side, 60 m off and 2 m apart."""
    table = duel(60, gun={"sample": "vane"}, a={"sample": "vane"}, b={"sample": "vane"})
    table.rule(cmd.SetFact(CombatantId("a"), CombatantId("b"), PairFact(distance=200)))
    return table


@pytest.mark.clause("DH-3650")
def test_each_target_of_one_burst_decides_for_his_own_hits() -> None:
    table = trio()

    done = table.play(
        "full_auto_burst",
        "gun",
        "a",
        to_hit=5,
        allocate_hits=("allocate", {"hits": {"a": 3, "b": 1}}),
        a__defend="dodge",
        a__dodge=90,
        b__defend="dodge",
        b__dodge=40,
        hit1__damage=1,
        hit2__damage=1,
        hit3__damage=1,
    )

    assert [(event.combatant, event.left) for event in done.of(ev.DefenceResolved)] == [("a", (1, 2, 3)), ("b", ())]
    assert [event.target for event in done.of(ev.DamageDealt)] == ["a", "a", "a"]


@pytest.mark.clause("DH-3650")
def test_both_are_asked_at_once_and_the_order_of_their_answers_cannot_matter() -> None:
    table = trio()
    sub = table.submission("full_auto_burst", "gun", "a")
    fixed: dict[str, Any] = {"to_hit": 5, "allocate_hits": ("allocate", {"hits": {"a": 3, "b": 1}})}

    waiting = table.command(cmd.Act(sub), **fixed, a__defend=..., b__defend=...)

    assert sorted(ask.key for ask in waiting.open) == [
        "full_auto_burst/evade/a/defend",
        "full_auto_burst/evade/b/defend",
    ]
    logs = [_in_order(table, sub, waiting.outcome.inputs, order) for order in (("a", "b"), ("b", "a"))]
    assert logs[0] == logs[1]


def _in_order(table: PlayTable, sub: cmd.Submission, inputs: Any, order: tuple[str, ...]) -> Any:
    """Answer everything of the first, then of the second; each answer is a run of its own."""
    from app.engine.asks import Answer, Faces

    held = dict(inputs)
    for _ in range(20):
        outcome = run(table.rules, table.state, cmd.Act(sub), inputs=held, source=lambda ask: None)
        if not outcome.open:
            return outcome.events
        ask = min(outcome.open, key=lambda one: next((i for i, who in enumerate(order) if f"/{who}/" in one.key), 9))
        held[ask.key] = Faces((30,) if ask.sides == 100 else (4,)) if isinstance(ask, Roll) else Answer(ask.default)
        if not isinstance(ask, Roll) and ask.kind == "defend":
            held[ask.key] = Answer("dodge")
    raise AssertionError("it never ended")


@pytest.mark.clause("DH-1120", "DH-3600")
def test_the_question_of_somebody_who_could_not_react_is_never_asked() -> None:
    table = shooting()
    table.rule(cmd.AddEffect(CombatantId("foe"), "unaware"))

    done = table.play("standard_attack", "gun", "foe", to_hit=40, damage=1)

    assert done.questions("defend") == []
    table.rule(cmd.RemoveEffect(CombatantId("foe"), EffectId("unaware")))


@pytest.mark.clause("DH-3600")
def test_the_chance_of_each_option_is_shown_in_millionths() -> None:
    table = duel(1, gorm=GREAT, foe=SWORDS)

    done = table.play("standard_attack", "gorm", "foe", to_hit=40, defend="none", damage=(1, 1))

    question = done.questions("defend")[0]
    assert [(option.id, option.chance) for option in question.options] == [
        ("dodge", 570_000),
        ("parry", 720_000),
        ("none", None),
    ]
    assert question.best == "parry"
