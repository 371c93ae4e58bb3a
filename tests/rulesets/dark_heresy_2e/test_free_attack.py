"""Free attacks on whoever leaves melee. Clauses DH-3320 to DH-3350."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Question
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.run import StoredRuling, run
from tests.rulesets.dark_heresy_2e.going import Spot, both_ways, engaged, fight, path, told
from tests.support.play import Played, PlayTable, Script

START: Spot = (0, 0)
BOTH = ("gorm", "sable")
ARMED: dict[str, Any] = {"held": {"great_weapon": "both"}}
STUNS: dict[str, Any] = {"to_hit": 44, "damage": (3, 3)}
"""Four through one wound, in the body: stunned for a round."""
KILLS: dict[str, Any] = {"to_hit": 44, "damage": (7, 6)}
"""Eleven through one wound: ten points of critical damage."""


def melee(on_map: bool, *foes: str, **people: Any) -> PlayTable:
    """Vane, with his back to a free field, in melee with Gorm, or with Gorm and Sable, who are on one side."""
    spots: dict[str, Spot] = {"vane": START, "gorm": (1, 0), "sable": (0.8, 0.8)}
    here = {name: spot for name, spot in spots.items() if name in ("vane", *foes)}
    people.setdefault("gorm", ARMED)
    sided: dict[str, Any] = {name: {"side": "foes", **people.pop(name, {})} for name in foes}
    return fight(on_map, here, melee=tuple(("vane", foe) for foe in foes), **sided, **people)


def leave(
    table: PlayTable, on_map: bool, *foes: str, action: str = "move", metres: float = 4, **answers: Any
) -> Played:
    """Vane goes straight away from all of them."""
    return table.play(action, "vane", **path(on_map, START, (-metres, 0), leaves=foes), **answers)


def effect(table: PlayTable, name: str, kind: str) -> None:
    """Put a condition on somebody by ruling."""
    table.rule(cmd.AddEffect(CombatantId(name), kind))


@both_ways
@pytest.mark.clause("DH-3320")
def test_everybody_he_leaves_is_asked_and_who_takes_it_makes_a_whole_standard_attack(on_map: bool) -> None:
    table = melee(on_map, *BOTH)

    done = leave(table, on_map, *BOTH, gorm__free_attack="take", sable__free_attack="pass", to_hit=30, damage=(4, 4))

    # 38 + 10 for the Standard Attack + 10 for two on one.
    assert (done.check.target, done.check.outcome, done.check.degrees) == (58, "success", 3)
    assert [question.to for question in done.questions("free_attack")] == ["gorm", "sable"]
    made = done.one(ev.AttackMade)
    assert (made.combatant, made.action, made.clause) == ("gorm", "free_attack", "DH-3320")
    assert not table.who("vane").engaged


@both_ways
@pytest.mark.clause("DH-3320")
@pytest.mark.parametrize(("action", "metres"), [("move", 4), ("run", 24)])
def test_every_movement_but_disengage_provokes(on_map: bool, action: str, metres: float) -> None:
    table = melee(on_map, "gorm")

    done = leave(table, on_map, "gorm", action=action, metres=metres, free_attack="pass")

    assert [question.clause for question in done.questions()] == ["DH-3320"]


@both_ways
@pytest.mark.clause("DH-3320")
def test_who_is_not_left_gets_no_free_attack(on_map: bool) -> None:
    table = fight(
        on_map, {"vane": START, "gorm": (1, 0), "sable": (-1, 0)}, melee=(("vane", "gorm"), ("vane", "sable"))
    )

    done = table.play("move", "vane", free_attack="pass", **path(on_map, START, (-1, 1), leaves=("gorm",)))

    assert [question.to for question in done.questions()] == ["gorm"]
    assert engaged(table, "vane", "sable")


@both_ways
@pytest.mark.clause("DH-3320", "DH-1070")
def test_it_costs_no_reaction_and_nothing_of_his_own_turn(on_map: bool) -> None:
    table = melee(on_map, "gorm")

    leave(table, on_map, "gorm", free_attack="take", to_hit=99)

    gorm = table.who("gorm")
    assert (gorm.budget["reaction"], gorm.done) == (1, ())


@both_ways
@pytest.mark.clause("DH-1120", "DH-3330")
def test_the_mover_cannot_evade_it(on_map: bool) -> None:
    table = melee(on_map, "gorm")

    done = leave(table, on_map, "gorm", free_attack="take", to_hit=44, damage=(3, 3))

    assert not done.questions("defend")
    assert table.who("vane").budget["reaction"] == 1


@both_ways
@pytest.mark.clause("DH-3330")
def test_it_resolves_before_he_goes(on_map: bool) -> None:
    table = melee(on_map, "gorm")

    done = leave(table, on_map, "gorm", free_attack="take", to_hit=99)

    kinds = told(done.events)
    assert kinds.index("AttackMade") < kinds.index("Moved")


@both_ways
@pytest.mark.clause("DH-3330")
def test_who_is_only_wounded_goes_on(on_map: bool) -> None:
    table = melee(on_map, "gorm")

    done = leave(table, on_map, "gorm", free_attack="take", to_hit=44, damage=(3, 3))

    assert table.who("vane").pools["wounds"] == 8
    assert done.one(ev.Moved).distance == 400
    assert not engaged(table, "vane", "gorm")


@both_ways
@pytest.mark.clause("DH-3330")
def test_who_is_stunned_does_not_go_and_stays_locked_and_the_action_is_spent(on_map: bool) -> None:
    table = melee(on_map, "gorm", vane={"wounds_max": 1})

    done = leave(table, on_map, "gorm", free_attack="take", **STUNS)

    assert not done.of(ev.Moved)
    stopped = done.one(ev.ActionStopped)
    assert (stopped.action, stopped.why, stopped.clause) == ("move", "stunned", "DH-3330")
    assert engaged(table, "vane", "gorm")
    # Stunned, he has nothing more to do: his turn is over.
    assert table.turn == "gorm"


@both_ways
@pytest.mark.clause("DH-3330")
@pytest.mark.parametrize("condition", ["prone", "immobilised"])
def test_who_cannot_go_on_for_another_cause_stays_and_has_the_rest_of_his_turn(on_map: bool, condition: str) -> None:
    table = melee(on_map, "gorm")

    # The GM rules while the free attack is being rolled; the ruling is part of the run from then on.
    sub = table.submission("move", "vane", **path(on_map, START, (-4, 0), leaves=("gorm",)))
    ruling = StoredRuling(2, cmd.Rule("tripped", (cmd.AddEffect(CombatantId("vane"), condition),)))
    given = Script({"free_attack": "take", "to_hit": 99})
    done = run(table.rules, table.state, cmd.Act(sub), inputs={}, source=given.source, rulings=(ruling,))

    vane = done.state.combatants[CombatantId("vane")]
    assert [type(one.event).__name__ for one in done.events][-1] == "ActionStopped"
    assert (vane.engaged, vane.budget["half_action"], vane.place) == (("gorm",), 1, table.who("vane").place)
    assert done.state.clock.slot == table.state.clock.slot


@both_ways
@pytest.mark.clause("DH-3330")
def test_who_is_killed_falls_where_he_stood(on_map: bool) -> None:
    table = melee(on_map, "gorm", vane={"wounds_max": 1})

    done = leave(table, on_map, "gorm", free_attack="take", **KILLS)

    assert table.who("vane").status == "dead"
    assert not done.of(ev.Moved)
    assert done.one(ev.ActionStopped).why == "dead"
    assert not engaged(table, "vane", "gorm")


@both_ways
@pytest.mark.clause("DH-3330")
def test_two_resolve_in_the_order_of_initiative_whoever_answers_first(on_map: bool) -> None:
    table = melee(on_map, *BOTH)

    done = leave(
        table,
        on_map,
        *BOTH,
        sable__free_attack="take",
        gorm__free_attack="take",
        sable__to_hit=99,
        gorm__to_hit=98,
    )

    assert [made.combatant for made in done.of(ev.AttackMade)] == ["gorm", "sable"]


@both_ways
@pytest.mark.clause("DH-3330")
def test_the_second_strikes_at_the_stunned_man_with_the_bonus_for_it(on_map: bool) -> None:
    table = melee(on_map, *BOTH, vane={"wounds_max": 1})

    done = leave(
        table,
        on_map,
        *BOTH,
        free_attack="take",
        gorm__to_hit=44,
        gorm__hit1__damage=(3, 3),
        sable__to_hit=99,
    )

    second = done.of(ev.CheckRolled)[1]
    # 52 + 10 + 10 for two on one + 20 against a stunned man.
    assert (second.combatant, second.target) == ("sable", 92)
    assert not done.of(ev.Moved)


@both_ways
@pytest.mark.clause("DH-3330")
def test_nobody_strikes_at_a_dead_man(on_map: bool) -> None:
    table = melee(on_map, *BOTH, vane={"wounds_max": 1})

    done = leave(table, on_map, *BOTH, free_attack="take", gorm__to_hit=44, damage=(7, 6))

    assert [made.combatant for made in done.of(ev.AttackMade)] == ["gorm"]


@both_ways
@pytest.mark.clause("DH-3330")
def test_the_second_still_strikes_at_an_unconscious_man_and_cannot_miss(on_map: bool) -> None:
    table = melee(on_map, *BOTH, vane={"wounds_max": 1})

    done = leave(
        table,
        on_map,
        *BOTH,
        free_attack="take",
        gorm__to_hit=44,
        gorm__hit1__damage=(6, 6),
        sable__to_hit=99,
        sable__hit1__damage=(9, 9),
    )

    second = done.of(ev.CheckRolled)[1]
    assert (second.combatant, second.outcome) == ("sable", "success")
    assert table.who("vane").status == "dead"


@both_ways
@pytest.mark.clause("DH-3340")
@pytest.mark.parametrize("condition", ["stunned", "helpless", "surprised", "unconscious"])
def test_who_cannot_act_is_not_asked(on_map: bool, condition: str) -> None:
    table = melee(on_map, "gorm")
    effect(table, "gorm", condition)

    done = leave(table, on_map, "gorm")

    assert not done.asked
    assert done.one(ev.Moved).distance == 400


@both_ways
@pytest.mark.clause("DH-3340")
def test_who_cannot_perceive_the_mover_is_not_asked(on_map: bool) -> None:
    table = melee(on_map, "gorm", vane={"hidden": True})

    assert not leave(table, on_map, "gorm").asked


@both_ways
@pytest.mark.clause("DH-3340")
@pytest.mark.parametrize(
    ("held", "choices"),
    [
        ({"sword": "main"}, ["sword", "unarmed"]),
        ({"sword": "main", "knife": "off"}, ["sword", "knife", "unarmed"]),
        ({"laspistol": "main"}, ["laspistol", "unarmed"]),
        ({"laspistol": "main", "sword": "off"}, ["sword", "laspistol", "unarmed"]),
        ({"autogun": "both"}, ["unarmed"]),
        ({}, ["unarmed"]),
    ],
)
def test_one_strikes_with_a_melee_weapon_in_hand_or_a_pistol_or_bare_hands(
    on_map: bool, held: dict[str, str], choices: list[str]
) -> None:
    table = melee(on_map, "gorm", gorm={"held": held})

    done = leave(table, on_map, "gorm", free_attack=("take", {"weapon": choices[-1]}), to_hit=99)

    (question,) = done.questions("free_attack")
    assert list(question.options[0].form[0].choices) == choices


@both_ways
@pytest.mark.clause("DH-3320", "DH-3340")
@pytest.mark.parametrize(
    ("weapon", "target"),
    # Weapon Skill 38 + 10; Ballistic Skill 20 + 10, without the bonus of point blank.
    [("sword", 48), ("laspistol", 30)],
)
def test_he_chooses_what_he_strikes_with(on_map: bool, weapon: str, target: int) -> None:
    table = melee(on_map, "gorm", gorm={"held": {"sword": "main", "laspistol": "off"}, "talents": ("ambidextrous",)})

    done = leave(table, on_map, "gorm", free_attack=("take", {"weapon": weapon}), to_hit=95)

    assert done.check.target == target
    assert done.one(ev.AttackMade).weapon == weapon


@both_ways
@pytest.mark.clause("DH-4560")
def test_a_grapple_is_for_the_unarmed(on_map: bool) -> None:
    table = melee(on_map, "gorm", gorm={"held": {"sword": "main"}})

    with pytest.raises(Refused, match="not_unarmed"):
        leave(table, on_map, "gorm", free_attack="grapple")


@both_ways
@pytest.mark.clause("DH-3320")
def test_the_question_tells_the_chance_and_passes_by_default(on_map: bool) -> None:
    table = melee(on_map, "gorm")

    (question,) = leave(table, on_map, "gorm", free_attack="pass").questions()

    assert isinstance(question, Question)
    assert (question.default, question.best, question.about) == ("pass", "take", "vane")
    assert question.options[0].chance == 480_000


@both_ways
@pytest.mark.clause("DH-3320")
def test_nobody_strikes_and_the_log_is_that_of_a_man_who_left_nobody(on_map: bool) -> None:
    passed = leave(melee(on_map, "gorm"), on_map, "gorm", free_attack="pass")
    table = melee(on_map, "gorm")
    effect(table, "gorm", "stunned")

    assert passed.events == leave(table, on_map, "gorm").events


@both_ways
@pytest.mark.clause("DH-3350")
def test_it_leaves_overwatch_and_an_extended_action_alone(on_map: bool) -> None:
    table = melee(on_map, "gorm")
    table.rule(cmd.AddEffect(CombatantId("gorm"), "extended_action", 1))
    effect(table, "gorm", "overwatching")

    leave(table, on_map, "gorm", free_attack="take", to_hit=99)

    assert table.has("gorm", "overwatching")
    assert table.has("gorm", "extended_action")


@both_ways
@pytest.mark.clause("DH-3350", "DH-4370")
def test_an_aim_is_spent_on_it(on_map: bool) -> None:
    table = melee(on_map, "gorm")
    table.end_turn()
    table.play("aim", "gorm", type="full")
    table.end_turn()

    done = leave(table, on_map, "gorm", free_attack="take", to_hit=99)

    assert done.check.target == 38 + 10 + 20
    assert not table.has("gorm", "aiming")


@both_ways
@pytest.mark.clause("DH-1070")
def test_who_struck_freely_still_has_the_attack_of_his_own_turn(on_map: bool) -> None:
    table = melee(on_map, *BOTH)
    leave(table, on_map, *BOTH, gorm__free_attack="pass", sable__free_attack="take", to_hit=99)
    table.until_turn_of("sable")

    assert "attack_limit" not in table.why_not("standard_attack", "sable", "gorm")


@both_ways
@pytest.mark.clause("DH-3320")
def test_while_one_of_them_has_not_answered_everything_waits(on_map: bool) -> None:
    table = melee(on_map, *BOTH)

    done = leave(table, on_map, *BOTH, gorm__free_attack="take", sable__free_attack=...)

    assert [ask.key for ask in done.open] == ["move/leaving/free_attack/sable/free_attack"]
    assert told(done.events) == ["ActionTaken", "BudgetChanged"]


@both_ways
@pytest.mark.clause("DH-3330", "DH-5610")
def test_who_crawls_away_is_not_stopped_by_lying(on_map: bool) -> None:
    table = melee(on_map, "gorm")
    effect(table, "vane", "prone")

    done = leave(table, on_map, "gorm", metres=2, free_attack="take", to_hit=99)

    # 38 + 10 + 10 against somebody who lies.
    assert done.check.target == 58
    assert done.one(ev.Moved).distance == 200


PAIR: dict[str, Any] = {
    "held": {"sword": "main", "knife": "off"},
    "talents": ("two_weapon_wielder_melee", "ambidextrous"),
}


@both_ways
@pytest.mark.clause("DH-3320", "DH-4570")
def test_with_a_weapon_in_each_hand_it_may_be_two_attacks(on_map: bool) -> None:
    table = melee(on_map, "gorm", gorm=PAIR)

    both = ("take", {"weapon": "sword", "second_weapon": "knife"})
    done = leave(table, on_map, "gorm", free_attack=both, first__to_hit=98, second__to_hit=99)

    assert [made.weapon for made in done.of(ev.AttackMade)] == ["sword", "knife"]
    assert {made.clause for made in done.of(ev.AttackMade)} == {"DH-3320"}
    # 38 + 10 for the Standard Attack - 10 for both weapons with Ambidextrous.
    assert {check.target for check in done.of(ev.CheckRolled)} == {38}


@both_ways
@pytest.mark.clause("DH-3330", "DH-4570")
def test_the_second_attack_falls_away_when_the_first_has_killed_the_mover(on_map: bool) -> None:
    table = melee(on_map, "gorm", gorm=PAIR, vane={"wounds_max": 1, "minion": 1, "armour": 0})

    both = ("take", {"weapon": "sword", "second_weapon": "knife"})
    done = leave(table, on_map, "gorm", free_attack=both, to_hit=34, damage=9)

    assert table.who("vane").status == "dead"
    assert [made.weapon for made in done.of(ev.AttackMade)] == ["sword"]


@both_ways
@pytest.mark.clause("DH-4570")
@pytest.mark.parametrize(
    ("gorm", "offered"),
    [(PAIR, True), ({**PAIR, "talents": ()}, False), ({**PAIR, "held": {"sword": "main"}}, False)],
)
def test_a_second_weapon_is_only_offered_to_who_can_fight_with_two(
    on_map: bool, gorm: dict[str, Any], offered: bool
) -> None:
    table = melee(on_map, "gorm", gorm=gorm)

    (question,) = leave(table, on_map, "gorm", free_attack="pass").questions()

    assert ("second_weapon" in [field.name for field in question.options[0].form]) is offered


@both_ways
@pytest.mark.clause("DH-4570")
def test_one_and_the_same_weapon_is_no_pair(on_map: bool) -> None:
    table = melee(on_map, "gorm", gorm=PAIR)

    with pytest.raises(Refused, match="needs_two_weapons"):
        leave(table, on_map, "gorm", free_attack=("take", {"weapon": "knife", "second_weapon": "knife"}))
