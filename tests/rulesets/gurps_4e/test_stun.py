"""Stun, surprise, coming to oneself, and what ends a slot that was interrupted.

Clauses GU-080, GU-110, GU-120, GU-1610 to GU-1660.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import replace as changed

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Answer
from app.engine.ids import ClauseId, CombatantId
from app.engine.moments import Passing
from app.engine.scene import Scene
from app.engine.space.model import PairFact, pair_key
from app.engine.state import State
from app.engine.triggers import Cue
from rulesets.gurps_4e.conditions import knock_out, last_maneuver, stun, take_hold, take_posture
from rulesets.gurps_4e.figures import HP
from rulesets.gurps_4e.injuries import settle_reeling
from tests.rulesets.gurps_4e.fights import SAMPLES
from tests.rulesets.gurps_4e.harming import (
    HIT,
    SWING,
    SWORD,
    both_ways,
    check_of,
    duel,
    hp,
    put,
    terms,
    weapon,
)
from tests.support.play import Played, PlayTable, combatant, length, ruleset

X = CombatantId("x")
PASS, FAIL = (3, 3, 3), (6, 5, 5)


# GU-080: out of action


OUT = ("unconscious", "mortally_wounded", "dead")


@both_ways
@pytest.mark.clause("GU-080")
@pytest.mark.parametrize("kind", OUT)
def test_whoever_is_out_of_action_gets_no_slot(on_map: bool, kind: str) -> None:
    table = duel(on_map=on_map, s={}, x={})
    put(table, "x", kind)

    table.end_turn()

    assert table.turn == "s"
    assert table.state.clock.round == 2


@both_ways
@pytest.mark.clause("GU-080")
@pytest.mark.parametrize("kind", OUT[:2])
def test_attacks_on_him_need_only_the_attack_roll(on_map: bool, kind: str) -> None:
    table = duel(on_map=on_map, s={}, x={"hp_max": 40})
    put(table, "x", kind)

    done = table.play("attack", "s", "x", **SWING, to_hit=HIT, damage=1)

    assert not done.questions()
    assert done.one(ev.DamageDealt).target == "x"


@pytest.mark.clause("GU-080")
@pytest.mark.parametrize("kind", OUT)
@pytest.mark.parametrize("action", ["talk", "do_nothing", "drop_item"])
def test_he_does_nothing_at_all(kind: str, action: str) -> None:
    table = duel(s={}, x={})
    put(table, "x", kind)

    more: dict[str, Any] = {"weapon": "axe"} if action == "drop_item" else {}
    found = table.reasons(action, "x", **more)

    assert ("cannot_act", "GU-080") in [(one.code, one.clause) for one in found]


@pytest.mark.clause("GU-080")
def test_the_example_of_the_ledger() -> None:
    table = duel(s={"items": weapon("14", "burn")}, x={"armour": {}})
    table.play("attack", "s", "x", weapon="blade", to_hit=HIT, defend="none", knockdown=PASS)
    table.end_turn()
    assert (table.turn, hp(table, "x")) == ("x", 0)

    table.play("attack", "x", "s", weapon="axe", consciousness=(5, 4, 4))

    assert table.has("x", "unconscious")
    assert table.turn == "s"
    done = table.play("attack", "s", "x", weapon="blade", to_hit=HIT, death=PASS)
    assert not done.questions()


@pytest.mark.clause("GU-080", "GU-520")
def test_what_he_kept_up_is_over() -> None:
    table = duel(s={}, x={})
    table.play("maintain_effect", "s", options={"effect": "light"})

    put(table, "s", "unconscious")

    assert not table.has("s", "sustaining")


# GU-110: what ends a slot that was interrupted


def interrupted(on_map: bool, at: float, happens: Any, far: float = 6) -> PlayTable:
    """X is about to run at S, and something happens to him at that yard of his way."""
    table = duel(on_map=on_map, far=far, x={}, s={})

    def handler(scene: Scene, moment: Passing) -> Iterator[Cue]:
        where = length(at)
        if moment.mover == X and moment.since <= where and "struck" not in scene.met:

            def strike(answer: Any) -> None:
                scene.met["struck"] = 1
                happens(scene)

            yield Cue(where, (), "struck", lambda: Answer("struck"), strike)

    handlers: dict[type[Any], Any] = {**table.rules.handlers, Passing: (handler,)}
    table.rules = replace(table.rules, handlers=handlers)
    return table


def run_and_strike(table: PlayTable, on_map: bool, yards: float = 5, **more: Any) -> Played:
    """X moves and attacks S."""
    way: dict[str, Any] = {"path": [(yards, 0)]} if on_map else {"said": {"length": yards}}
    options = {**({} if on_map else {"toward": "s"}), **more.pop("options", {})}
    return table.play("move_and_attack", "x", "s", **{"weapon": "axe", **more}, options=options, **way)


def walked(done: Played) -> int:
    """Hundredths of a yard that X has gone."""
    return sum(one.distance for one in done.of(ev.Moved) if one.combatant == "x")


@both_ways
@pytest.mark.clause("GU-110")
@pytest.mark.parametrize("kind", ["stunned_physical", "stunned_mental", "unconscious", "mortally_wounded", "dead"])
def test_who_is_stunned_or_out_loses_the_rest_and_stays_where_he_is(on_map: bool, kind: str) -> None:
    def happens(scene: Scene) -> None:
        if kind.startswith("stunned"):
            stun(scene, X, kind, "GU-2140")
        else:
            knock_out(scene, X, kind, "GU-2140")

    table = interrupted(on_map, 3, happens)

    done = run_and_strike(table, on_map)

    assert walked(done) == 300
    assert not done.of(ev.AttackMade)
    maneuver = last_maneuver(table.table, X)
    assert maneuver is not None
    assert maneuver.word == "move_and_attack"
    assert table.turn == "s"
    if on_map:
        place = table.who("x").place
        assert place is not None
        assert place.point == (300, 0)


@pytest.mark.clause("GU-110", "GU-950")
def test_the_chosen_maneuver_goes_on_ruling_his_defence() -> None:
    table = interrupted(False, 3, lambda scene: stun(scene, X, "stunned_physical", "GU-2140"))
    run_and_strike(table, False)
    table.state = apart(table.state, "s", "x", 1)

    done = table.play("attack", "s", "x", **SWING, to_hit=HIT, defend="none", damage=1)

    (asked,) = done.questions("defend")
    barred = {one.id: [reason.code for reason in one.reasons] for one in asked.barred}
    assert "parry_not_allowed" in barred["parry"]


def apart(state: State, one: str, other: str, yards: float) -> State:
    """They are so far apart now."""
    facts = {pair_key(one, other): PairFact(distance=length(yards))}
    return changed(state, scenery=changed(state.scenery, facts=facts))


@both_ways
@pytest.mark.clause("GU-110")
@pytest.mark.parametrize(
    ("posture", "at", "gone"),
    [
        ("lying_prone", 3, 3),
        ("lying_prone", 1, 1),
        ("lying_prone", 0.4, 1),
        ("kneeling", 0.4, 1),
        ("crouching", 2, 3),
        ("crouching", 3, 3),
        ("crouching", 4, 4),
        ("sitting", 1, 1),
    ],
)
def test_who_is_knocked_down_gets_as_far_as_his_new_posture_leaves_him(
    on_map: bool, posture: str, at: float, gone: float
) -> None:
    table = interrupted(on_map, at, lambda scene: take_posture(scene, X, posture, "GU-1720"))

    done = run_and_strike(table, on_map, resume_turn="stop")

    assert walked(done) == length(gone)
    assert not done.of(ev.AttackMade)


@both_ways
@pytest.mark.clause("GU-110", "GU-1740")
def test_an_attack_that_he_still_can_make_is_made_as_he_lies(on_map: bool) -> None:
    table = interrupted(on_map, 5, lambda scene: take_posture(scene, X, "lying_prone", "GU-1720"))

    done = run_and_strike(table, on_map, to_hit=(6, 6, 2))

    assert terms(check_of(done, "attack")) == {"axe_mace": 13, "move_and_attack": -4, "posture": -4}


@both_ways
@pytest.mark.clause("GU-110", "GU-2230")
@pytest.mark.parametrize("at", [1, 3, 5])
def test_who_is_only_grappled_goes_no_further_and_attacks_at_4_less(on_map: bool, at: float) -> None:
    def happens(scene: Scene) -> None:
        who = CombatantId("s")
        scene.emit(
            ev.Moved(who, 100, place=scene.who(X).place, forced=True, distances={X: 0}, clause=ClauseId("GU-2230"))
        )
        take_hold(scene, who, X, 2)

    table = interrupted(on_map, at, happens, far=5)

    done = run_and_strike(table, on_map, weapon=None, options={"mode": "punch"}, to_hit=(6, 4, 2))

    assert walked(done) == length(at)
    assert terms(check_of(done, "attack")) == {"brawling": 11, "move_and_attack": -4, "grappled": -4}


@both_ways
@pytest.mark.clause("GU-110", "GU-2150")
@pytest.mark.parametrize(("at", "gone"), [(1, 3), (2, 3), (3, 3), (4, 4)])
def test_who_reels_on_the_way_gets_as_far_as_his_new_move_leaves_him(on_map: bool, at: float, gone: float) -> None:
    def happens(scene: Scene) -> None:
        scene.change_pool(X, HP, -10, "GU-2120")
        settle_reeling(scene, X)

    table = interrupted(on_map, at, happens)

    done = run_and_strike(table, on_map, resume_turn="stop")

    assert walked(done) == length(gone)


@both_ways
@pytest.mark.clause("GU-110", "GU-2120")
def test_hurt_but_on_his_feet_he_goes_on_and_strikes(on_map: bool) -> None:
    table = interrupted(on_map, 3, lambda scene: scene.change_pool(X, HP, -2, "GU-2120"))

    done = run_and_strike(table, on_map, to_hit=(6, 6, 2))

    assert walked(done) == 500
    assert done.of(ev.AttackMade)


# GU-120: at once


@both_ways
@pytest.mark.clause("GU-120", "GU-1610")
def test_stunned_before_his_slot_he_must_do_nothing_in_it(on_map: bool) -> None:
    table = duel(on_map=on_map, s={"items": weapon("8", "burn")}, x={"armour": {}})
    table.play("attack", "s", "x", weapon="blade", to_hit=HIT, defend="none", knockdown=(5, 4, 4))
    table.end_turn()

    assert table.turn == "x"
    found = table.reasons("attack", "x", "s")
    assert ("must_do_nothing", "GU-1610") in [(one.code, one.clause) for one in found]
    assert table.why_not("do_nothing", "x") == []


@both_ways
@pytest.mark.clause("GU-120", "GU-1640")
@pytest.mark.parametrize("kind", ["stunned_physical", "stunned_mental", "surprised"])
def test_his_defences_are_4_less_at_once(on_map: bool, kind: str) -> None:
    table = duel(on_map=on_map, s={}, x={})
    put(table, "x", kind)

    done = table.play("attack", "s", "x", **SWING, to_hit=HIT, defend="dodge", dodge=(4, 4, 4), damage=1)

    check = check_of(done, "defend")
    assert terms(check) == {"dodge": 8, "stunned": -4}
    assert {term.clause for term in check.terms if term.id == "stunned"} == {"GU-1640"}


@pytest.mark.clause("GU-120")
def test_two_stuns_are_4_less_only_once() -> None:
    table = duel(s={}, x={})
    for kind in ("stunned_physical", "stunned_mental", "surprised"):
        put(table, "x", kind)

    done = table.play("attack", "s", "x", **SWING, to_hit=HIT, defend="dodge", dodge=(4, 4, 4), damage=1)

    assert check_of(done, "defend").target == 4


@pytest.mark.clause("GU-120", "GU-1220", "GU-1455", "GU-1860")
@pytest.mark.parametrize("record", ["waiting", "aiming", "concentrating"])
@pytest.mark.parametrize("kind", ["stunned_physical", "stunned_mental", "surprised"])
def test_an_open_wait_an_aim_and_a_concentration_are_over_without_a_roll(record: str, kind: str) -> None:
    table = duel(r={}, s={})
    put(table, "r", record)

    done = table.rule(cmd.AddEffect(CombatantId("r"), kind))

    assert not table.has("r", record)
    assert not done.of(ev.CheckRolled)


@pytest.mark.clause("GU-120", "GU-2520")
def test_his_zone_under_fire_is_closed() -> None:
    table = duel(r={}, s={})
    put(table, "r", "suppressed_zone")

    put(table, "r", "stunned_physical")

    assert not table.has("r", "suppressed_zone")


@pytest.mark.clause("GU-120", "GU-110")
def test_stunned_by_his_own_mishap_his_slot_is_over_and_the_next_one_is_do_nothing() -> None:
    table = duel(s={"armour": {}}, x={})

    table.play(
        "attack", "s", "x", **SWING, to_hit=(6, 6, 6), critical_miss=(3, 1, 1), limb=5, damage=6, knockdown=(5, 5, 4)
    )

    assert table.turn == "x"
    assert table.has("s", "stunned_physical")
    table.end_turn()
    assert "must_do_nothing" in table.why_not("move", "s", said={"length": 1})


# GU-1610 and GU-1650: what he may do


@both_ways
@pytest.mark.clause("GU-1610")
@pytest.mark.parametrize("kind", ["stunned_physical", "stunned_mental", "surprised"])
@pytest.mark.parametrize(
    ("action", "more"),
    [
        ("aim", {}),
        ("all_out_attack", {"options": {"option": "determined"}}),
        ("all_out_defense", {"options": {"option": "double_defense"}}),
        ("attack", {}),
        ("change_posture", {"options": {"posture": "kneeling"}}),
        ("concentrate", {}),
        ("evaluate", {}),
        ("feint", {}),
        ("move", {}),
        ("move_and_attack", {}),
        ("ready", {"options": {"option": "task"}}),
        ("wait", {}),
    ],
)
def test_any_other_maneuver_is_refused(on_map: bool, kind: str, action: str, more: dict[str, Any]) -> None:
    table = duel(on_map=on_map, s={}, x={})
    put(table, "s", kind)

    assert ("must_do_nothing", "GU-1610") in [(one.code, one.clause) for one in table.reasons(action, "s", **more)]


@pytest.mark.clause("GU-1610", "GU-510")
def test_he_may_speak_and_drop_what_he_holds() -> None:
    table = duel(s={}, x={})
    put(table, "s", "stunned_physical")

    assert table.why_not("talk", "s") == []
    assert table.why_not("drop_item", "s", weapon=SWORD) == []


@both_ways
@pytest.mark.clause("GU-1650", "GU-460")
def test_he_goes_nowhere(on_map: bool) -> None:
    table = duel(on_map=on_map, s={}, x={})
    put(table, "s", "stunned_physical")
    way: dict[str, Any] = {"path": [(-1, 0)]} if on_map else {"said": {"length": 1}}

    (reason,) = table.reasons("do_nothing", "s", **way)

    assert (reason.code, reason.clause) == ("movement_not_allowed", "GU-460")
    if on_map:
        assert table.why_not("do_nothing", "s", facing=0) == ["movement_not_allowed"]


@both_ways
@pytest.mark.clause("GU-1650")
@pytest.mark.parametrize(
    ("defend", "found"),
    [
        ("dodge", {"dodge": 7, "shield": 2}),
        ("parry", {"parry": 10, "shield": 2}),
        ("block", {"block": 10, "shield": 2}),
    ],
)
@pytest.mark.parametrize("stunned", [False, True])
def test_after_doing_nothing_any_defence_is_open(
    on_map: bool, defend: str, found: dict[str, int], stunned: bool
) -> None:
    table = duel(on_map=on_map, s={}, x={})
    if stunned:
        put(table, "s", "stunned_physical")
    table.play("do_nothing", "s")
    table.end_turn(**({"recover_from_stun": FAIL} if stunned else {}))

    done = table.play("attack", "x", "s", weapon="axe", to_hit=HIT, defend=defend, **{defend: (2, 2, 1)})

    assert terms(check_of(done, "defend")) == {**found, **({"stunned": -4} if stunned else {})}


@both_ways
@pytest.mark.clause("GU-1650", "GU-390")
def test_who_is_bound_is_not_asked(on_map: bool) -> None:
    table = duel(on_map=on_map, s={}, x={"hp_max": 40})
    put(table, "x", "bound")

    done = table.play("attack", "s", "x", **SWING, to_hit=HIT, damage=1)

    assert not done.questions()


# GU-1620: surprise


def ambushed(**people: Any) -> PlayTable:
    """A fight before its start."""
    rules = ruleset("gurps_4e")
    bodies = [combatant(rules, name, SAMPLES[name], **changes) for name, changes in people.items()]
    return PlayTable(rules, State(rules.id, dice="client", combatants={body.id: body for body in bodies}))


@pytest.mark.clause("GU-1620", "GU-1630")
def test_an_ambushed_man_with_combat_reflexes_rolls_at_6_more() -> None:
    table = ambushed(p={}, x={})
    table.command(cmd.Start(surprised=(CombatantId("p"),)))
    assert table.has("p", "surprised")
    assert table.turn == "p"
    assert "must_do_nothing" in table.why_not("move", "p", said={"length": 1})

    done = table.end_turn(recover_from_stun=(6, 5, 5))

    check = check_of(done, "recover_from_stun")
    assert (check.check, terms(check), check.target) == ("iq", {"iq": 11, "combat_reflexes": 6}, 17)
    assert not table.has("p", "surprised")
    assert table.has("p", "stun_aftermath")


@pytest.mark.clause("GU-1620", "GU-050")
def test_before_his_first_slot_he_dodges_at_4_less() -> None:
    table = ambushed(r={}, x={})
    table.command(cmd.Start(surprised=(X,)))
    table.state = apart(table.state, "r", "x", 5)

    done = table.play(
        "attack", "r", "x", weapon="assault_rifle", to_hit=HIT, defend="dodge", dodge=(4, 4, 4), damage=(1, 1, 1, 1, 1)
    )

    assert check_of(done, "defend").target == 4


# GU-1630 and GU-1640: coming to oneself


@both_ways
@pytest.mark.clause("GU-1630", "GU-1640")
@pytest.mark.parametrize(("dice", "recovers"), [((4, 4, 4), True), ((5, 4, 4), False)])
def test_at_the_end_of_a_turn_of_doing_nothing_he_rolls_ht(on_map: bool, dice: Any, recovers: bool) -> None:
    table = duel(on_map=on_map, x={}, s={})
    put(table, "x", "stunned_physical")
    table.play("do_nothing", "x")
    assert table.has("x", "stunned_physical")

    done = table.end_turn(recover_from_stun=dice)

    check = check_of(done, "recover_from_stun")
    assert (check.check, check.target, check.clause) == ("ht", 12, "GU-1630")
    assert table.has("x", "stunned_physical") is not recovers
    assert table.has("x", "stun_aftermath") is recovers
    done = table.play("attack", "s", "x", **SWING, to_hit=HIT, defend="dodge", dodge=(4, 4, 4), damage=1)
    assert terms(check_of(done, "defend")) == {"dodge": 8, "stunned": -4}
    table.end_turn()
    assert not table.has("x", "stun_aftermath")
    found = table.why_not("evaluate", "x", "s")
    assert found == ([] if recovers else ["must_do_nothing"])


@pytest.mark.clause("GU-1640", "GU-090")
def test_once_his_next_slot_has_begun_he_defends_as_ever() -> None:
    table = duel(x={}, s={})
    put(table, "x", "stunned_physical")
    table.end_turn(recover_from_stun=PASS)
    table.end_turn()
    table.end_turn()

    done = table.play("attack", "s", "x", **SWING, to_hit=HIT, defend="dodge", dodge=(2, 2, 1))

    assert check_of(done, "defend").target == 8


@pytest.mark.clause("GU-1630", "GU-070")
def test_who_simply_passes_has_done_nothing_and_rolls_too() -> None:
    table = duel(x={}, s={})
    put(table, "x", "stunned_physical")

    done = table.end_turn(recover_from_stun=PASS)

    assert "do_nothing" in [one.action for one in done.of(ev.ActionTaken)]
    assert not table.has("x", "stunned_physical")


@pytest.mark.clause("GU-1630")
def test_in_the_slot_in_which_he_was_stunned_by_his_own_attack_he_does_not() -> None:
    table = duel(s={"armour": {}}, x={})

    done = table.play(
        "attack", "s", "x", **SWING, to_hit=(6, 6, 6), critical_miss=(3, 1, 1), limb=5, damage=6, knockdown=(5, 5, 4)
    )

    assert "recover_from_stun" not in [one.purpose for one in done.of(ev.CheckRolled)]


@pytest.mark.clause("GU-1630")
def test_one_of_several_maneuvers_of_doing_nothing_is_a_turn_of_it() -> None:
    quick = {"talents": ["altered_time_rate"], "trait_values": {"altered_time_rate": 1}}
    table = duel(x=quick, s={})
    put(table, "x", "stunned_physical")
    table.play("do_nothing", "x")
    table.play("do_nothing", "x")

    done = table.end_turn(recover_from_stun=PASS)

    assert len([one for one in done.of(ev.CheckRolled) if one.purpose == "recover_from_stun"]) == 1


@both_ways
@pytest.mark.clause("GU-1660", "GU-1630")
@pytest.mark.parametrize(
    ("ht", "iq", "left"),
    [
        (PASS, PASS, set()),
        (PASS, FAIL, {"stunned_mental"}),
        (FAIL, PASS, {"stunned_physical"}),
        (FAIL, FAIL, {"stunned_physical", "stunned_mental"}),
    ],
)
def test_stunned_both_ways_he_must_shake_off_both(on_map: bool, ht: Any, iq: Any, left: set[str]) -> None:
    table = duel(on_map=on_map, x={}, s={})
    put(table, "x", "stunned_physical")
    put(table, "x", "stunned_mental")

    done = table.end_turn(physical__recover_from_stun=ht, mental__recover_from_stun=iq)

    assert [(one.check, one.target) for one in done.of(ev.CheckRolled)] == [("ht", 12), ("iq", 9)]
    assert {kind for kind in ("stunned_physical", "stunned_mental") if table.has("x", kind)} == left
    table.end_turn()
    assert ("must_do_nothing" in table.why_not("evaluate", "x", "s")) is bool(left)


@pytest.mark.clause("GU-1660", "GU-1620")
def test_surprise_is_shaken_off_with_any_other_mental_stun() -> None:
    table = duel(x={}, s={})
    put(table, "x", "surprised")
    put(table, "x", "stunned_mental")

    done = table.end_turn(recover_from_stun=PASS)

    assert len(done.of(ev.CheckRolled)) == 1
    assert not table.has("x", "surprised", "stunned_mental")


@pytest.mark.clause("GU-1660", "GU-2140")
def test_an_injury_stuns_physically() -> None:
    table = duel(s={"items": weapon("8", "burn")}, x={"armour": {}})

    table.play("attack", "s", "x", weapon="blade", to_hit=HIT, defend="none", knockdown=(5, 4, 4))

    assert table.has("x", "stunned_physical")
    assert not table.has("x", "stunned_mental")


@pytest.mark.clause("GU-1630", "GU-2130")
def test_shock_lies_on_iq_and_not_on_ht() -> None:
    table = duel(s={"items": weapon("3", "burn")}, x={"armour": {}})
    table.play("attack", "s", "x", weapon="blade", to_hit=HIT, defend="none")
    put(table, "x", "stunned_physical")
    put(table, "x", "stunned_mental")
    table.end_turn()

    done = table.end_turn(recover_from_stun=PASS)

    assert [one.target for one in done.of(ev.CheckRolled)] == [12, 6]


# GU-1600


@pytest.mark.clause("GU-1600", "GU-050")
def test_who_had_no_slot_yet_counts_as_doing_nothing_and_defends_as_he_likes() -> None:
    table = duel(s={}, x={})
    assert last_maneuver(table.table, X) is None

    done = table.play("attack", "s", "x", **SWING, to_hit=HIT, defend="parry", parry=(3, 3, 3))

    assert check_of(done, "defend").target == 9
