"""Where clauses meet: what one rule does in the middle of another, and what ends at exactly which moment.

Charges, flight and kill zones; bursts and two weapons against Evasion; being pinned; long work under fire; the gap of a
Delay; grapples seen from outside; the ends of running, stances, guard, aim and feints.
"""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId, ItemId
from app.engine.space.model import Sector
from app.engine.state import Item
from tests.rulesets.dark_heresy_2e.firing import cited, terms, weapon
from tests.rulesets.dark_heresy_2e.going import Spot, both_ways, engaged, fight, path, spot_of
from tests.support.play import Played, PlayTable, duel, length

HERE: Spot = (0, 0)
ARMED: dict[str, Any] = {"held": {"great_weapon": "both"}}
BARE: dict[str, Any] = {"held": {}}
SEMI: dict[str, Any] = {"attack": "semi_auto_burst", "trigger": "enters_zone"}
ON_ATTACK: dict[str, Any] = {"attack": "standard_attack", "trigger": "attacks"}


def effect(table: PlayTable, who: str, kind: str, value: int = 0, against: str | None = None) -> None:
    """Put a condition on somebody by ruling."""
    other = None if against is None else CombatantId(against)
    table.rule(cmd.AddEffect(CombatantId(who), kind, value, against=other))


def watch(table: PlayTable, options: dict[str, Any], reach: float = 30, **fields: Any) -> None:
    """Vane goes on Overwatch over what lies to the right of him and ends his turn."""
    table.play("overwatch", "vane", options=options, area=Sector((0, 0), length(reach), 90, 45), facing=90, **fields)
    table.end_turn()


def ends(done: Played, kind: str) -> list[str]:
    """Why effects of that kind ended."""
    return [event.why for event in done.of(ev.EffectEnded) if event.kind == kind]


def attackers(done: Played) -> list[str]:
    """Who attacked, in order."""
    return [made.combatant for made in done.of(ev.AttackMade)]


# A charge on its way


def charging(**people: Any) -> PlayTable:
    """Vane watches from afar; Gorm, bare-handed, is to charge somebody 9 m off whom the zone covers."""
    foe = {"sable": people.pop("sable", {})} if "brok" not in people else {"brok": people.pop("brok")}
    spots: dict[str, Spot] = {"vane": HERE, "gorm": (20, 9), **dict.fromkeys(foe, (20, 0))}
    given: dict[str, Any] = {name: {"side": "us", **fields} for name, fields in foe.items()}
    table = fight(True, spots, vane={"side": "us"}, gorm={**BARE, "side": "them", **people.pop("gorm", {})}, **given)
    watch(table, SEMI)
    return table


@pytest.mark.clause("DH-3970", "DH-3990", "DH-4000", "DH-4020", "DH-5640")
def test_pinned_on_the_way_he_still_knocks_down_at_plus_10_and_may_fall_himself() -> None:
    table = charging()

    done = table.play(
        "charge",
        "gorm",
        "sable",
        options={"mode": "knock_down"},
        overwatch_fire="fire",
        vane__to_hit=99,
        pinning=99,
        gorm__knock_down=69,
        sable__knock_down=20,
    )

    tests = {check.combatant: check for check in done.of(ev.CheckRolled) if check.purpose == "knock_down"}
    assert (tests["gorm"].target, tests["sable"].target) == (58 + 10, 36)
    assert ends(done, "pinned") == ["engaged"]
    assert (table.has("gorm", "prone"), table.has("sable", "prone")) == (True, False)
    assert engaged(table, "gorm", "sable")


@pytest.mark.clause("DH-3900", "DH-3970", "DH-3990")
@pytest.mark.parametrize("mode", ["strike", "grapple", "knock_down"])
def test_stunned_on_the_way_he_neither_strikes_nor_seizes_nor_knocks_down(mode: str) -> None:
    table = charging(gorm={"wounds_max": 1, "armour": 0})

    done = table.play(
        "charge", "gorm", "sable", options={"mode": mode}, overwatch_fire="fire", to_hit=65, damage=6, pinning=1
    )

    assert done.one(ev.ActionStopped).why == "stunned"
    assert attackers(done) == ["vane"]
    assert spot_of(table, "gorm") == (20, 8.28)
    assert not engaged(table, "gorm", "sable")
    assert table.turn == "sable"


@pytest.mark.clause("DH-1160", "DH-3970", "DH-4010", "DH-4520")
def test_knocked_down_by_a_charge_he_loses_his_long_work_and_a_brace_on_his_own_body() -> None:
    table = fight(True, {"brok": (9, 0), "gorm": HERE}, gorm=BARE, brok={"items": weapon("heavy_stubber", ammo=40)})
    table.play("brace_heavy_weapon", "brok", options={"brace": "kneeling"}, facing=270)
    table.end_turn()
    table.end_turn()
    table.play("reload", "brok")
    table.end_turn()

    done = table.play(
        "charge",
        "gorm",
        "brok",
        options={"mode": "knock_down"},
        gorm__knock_down=68,
        brok__knock_down=99,
    )

    assert table.has("brok", "prone")
    assert ends(done, "extended_action") == ["prone"]
    assert not table.who("brok").items[ItemId("heavy_stubber")].marks["braced"]


@both_ways
@pytest.mark.clause("DH-3890", "DH-3900", "DH-3980")
def test_shot_for_attacking_before_he_sets_out_he_leaves_nobody_and_gives_no_free_attack(on_map: bool) -> None:
    table = fight(
        on_map,
        {"vane": HERE, "sable": (20, 0), "gorm": (20, 1), "brok": (20, 8)},
        melee=(("sable", "gorm"),),
        vane={"side": "us"},
        sable={"side": "us"},
        brok={"side": "us"},
        gorm={**ARMED, "side": "them", "wounds_max": 1},
    )
    watch(table, ON_ATTACK)
    table.until_turn_of("gorm")
    said = {} if on_map else {"said": {"path_straight": True, "leaves": ["sable"]}}
    ruled = {} if on_map else {"overwatch_trigger": "yes"}

    done = table.play("charge", "gorm", "brok", **said, **ruled, overwatch_fire="fire", to_hit=45, damage=6)

    assert done.questions("free_attack") == []
    assert not done.of(ev.Moved)
    assert done.one(ev.ActionStopped).why == "stunned"
    assert engaged(table, "gorm", "sable")


# Flight


@both_ways
@pytest.mark.clause("DH-3330", "DH-3355", "DH-3360", "DH-3110", "DH-5620")
@pytest.mark.parametrize("against_his_will", [False, True])
def test_who_is_stunned_by_a_free_attack_as_he_flees_has_not_run_and_stays(
    on_map: bool, against_his_will: bool
) -> None:
    table = fight(
        on_map,
        {"vane": HERE, "gorm": (1, 0), "sable": (0.8, 0.8)},
        melee=(("vane", "gorm"), ("vane", "sable")),
        vane={"wounds_max": 1},
        gorm={**ARMED, "side": "foes"},
        sable={"side": "foes"},
    )
    if against_his_will:
        effect(table, "vane", "forced_flight", against="gorm")
    way = path(on_map, HERE, (-24, 0), leaves=["gorm", "sable"], distance_after={"gorm": 25})

    done = table.play(
        "run" if against_his_will else "flee",
        "vane",
        **({} if against_his_will else {"options": {"by": "run"}}),
        **way,
        gorm__free_attack="pass",
        sable__free_attack="take",
        to_hit=44,
        damage=8,
    )

    assert done.questions("defend") == []
    assert done.one(ev.ActionStopped).why == "stunned"
    assert not done.of(ev.Moved)
    assert ends(done, "running") == ["did_not_happen"]
    assert engaged(table, "vane", "gorm")
    assert engaged(table, "vane", "sable")
    # Stunned in his own turn: that turn is over, and the next one is the one that he loses.
    assert table.turn == "gorm"
    table.end_turn()
    table.end_turn()
    assert table.turn == "gorm"
    assert table.has("vane", "forced_flight") is against_his_will


@pytest.mark.clause("DH-3330", "DH-3355", "DH-3450", "DH-3515")
def test_who_is_seized_as_he_flees_has_the_rest_of_his_turn_but_no_way_out_of_it() -> None:
    table = duel(1, vane={"engaged": ("gorm",)}, gorm={"sample": "gorm", **BARE, "engaged": ("vane",)})

    done = table.play(
        "flee", "vane", options={"by": "move"}, said={"length": 4, "leaves": ["gorm"]}, free_attack="grapple", to_hit=48
    )

    assert done.one(ev.ActionStopped).why == "grappled"
    assert table.who("vane").budget["half_action"] == 1
    # The first thing in his turn was not the grapple, so it cannot come first any more; nor can he go.
    assert cited(table.reasons("move", "vane", type="half", said={"length": 1, "leaves": ["gorm"]})) == [
        ("same_half_action_twice", "DH-1020"),
        ("grappled", "DH-3515"),
    ]
    assert table.why_not("grapple", "vane", options={"option": "break_free"}) == []


@pytest.mark.clause("DH-3230", "DH-4470", "DH-5130", "DH-5700")
@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("stand_mount_dismount", {"options": {"mode": "mount", "vehicle": "lorry"}}),
        ("jump_or_leap", {"options": {"kind": "jump_down", "height": 500}, "jump": 1}),
    ],
)
@pytest.mark.parametrize(("after", "told"), [(None, None), (3, 300)])
def test_who_goes_up_or_down_out_of_melee_is_no_longer_where_the_old_distance_said(
    action: str, fields: dict[str, Any], after: float | None, told: int | None
) -> None:
    table = fight(False, {"gorm": (1, 0), "vane": HERE}, melee=(("vane", "gorm"),), gorm=ARMED)
    table.end_turn()
    stated = {} if after is None else {"distance_after": {"gorm": after}}

    table.play(action, "vane", said={"leaves": ["gorm"], **stated}, free_attack="pass", **fields)
    table.until_turn_of("gorm")

    facts = table.state.scenery.facts
    assert {fact.distance for fact in facts.values()} == {told}
    assert cited(table.reasons("standard_attack", "gorm", "vane")) == [("not_engaged", "DH-4550")]


# Bursts, Storm and two weapons against Evasion

PAIR = {"sample": "vane", "talents": ["two_weapon_wielder_ranged", "ambidextrous"]}


def two_pistols(**target: Any) -> PlayTable:
    """An autopistol in either hand, the first with Storm, at somebody 20 m off."""
    first = weapon("autopistol", "main", ammo=18, changes={"qualities": {"storm": True}})["autopistol"]
    second = Item("autopistol", held="off", marks={"ammo": 18})
    items = {ItemId("stormy"): first, ItemId("plain"): second}
    return duel(20, vane={**target}, gun={**PAIR, "items": items})


@pytest.mark.clause("DH-3640", "DH-5300", "DH-5310", "DH-5490", "DH-3560", "DH-1110")
def test_each_evasion_of_two_bursts_counts_by_the_weapon_that_made_it() -> None:
    table = two_pistols()
    table.play("defensive_stance", "vane")
    table.end_turn()

    done = table.play(
        "full_auto_burst",
        "gun",
        "vane",
        weapon="stormy",
        second_weapon="plain",
        first__to_hit=10,
        first__evade__vane__defend="dodge",
        first__evade__vane__dodge=39,
        second__to_hit=10,
        second__evade__vane__defend="dodge",
        second__evade__vane__dodge=40,
        second__evade__vane__negate_hits="last",
        second__hit1__damage=1,
    )

    hits = [len(scored.hits) for scored in done.of(ev.HitsScored)]
    negated = [len(event.negated) for event in done.of(ev.DefenceResolved)]
    # T25 r10 => S2: 2 hits doubled, and 2; S2 turns 4 away, S1 one.
    assert (hits, negated) == ([4, 2], [4, 1])
    spent = [(event.budget, event.value) for event in done.of(ev.BudgetChanged) if event.combatant == "vane"]
    assert spent == [("reaction", 0), ("bonus_reaction", 0)]
    rounds = [event.delta for event in done.of(ev.ItemMarked) if event.mark == "ammo"]
    assert rounds == [-12, -6]


@pytest.mark.clause("DH-3640", "DH-5310")
def test_with_one_reaction_the_second_burst_strikes_in_full() -> None:
    table = two_pistols()
    table.end_turn()

    done = table.play(
        "full_auto_burst",
        "gun",
        "vane",
        weapon="stormy",
        second_weapon="plain",
        first__to_hit=10,
        defend="dodge",
        dodge=40,
        negate_hits="last",
        first__hit1__damage=1,
        first__hit2__damage=1,
        second__to_hit=10,
        second__hit1__damage=1,
        second__hit2__damage=1,
    )

    assert [event.negated for event in done.of(ev.DefenceResolved)] == [(3, 4)]
    assert len(done.of(ev.DamageDealt)) == 4


# Being pinned


def under_fire(on_map: bool, **vane: Any) -> PlayTable:
    """Ann is to lay down fire on where Vane is, who has nothing to do but to watch her."""
    return fight(on_map, {"vane": HERE, "ann": (20, 0)}, ann={"sample": "vane"}, vane=vane)


def lay_down(table: PlayTable, **given: Any) -> Played:
    """A long burst into a zone that holds Vane."""
    zone = Sector((length(20), 0), length(50), 270, 45)
    where: dict[str, Any] = {"area": zone} if table.table.has_map else {"said": {"inside": ["vane"]}}
    return table.play("suppressing_fire", "ann", options={"mode": "full"}, facing=270, **where, **given)


@both_ways
@pytest.mark.clause("DH-4210", "DH-5650", "DH-5660", "DH-3920", "DH-4240")
@pytest.mark.parametrize("dodges", [False, True])
def test_suppressing_fire_on_who_is_pinned_already(on_map: bool, dodges: bool) -> None:
    table = under_fire(on_map)
    effect(table, "vane", "pinned")
    table.rule(cmd.SetBudget(CombatantId("vane"), "half_action", 0))
    effect(table, "vane", "overwatching")
    table.end_turn(recover_from_pinning=99)

    answers = {"defend": "dodge", "dodge": 40} if dodges else {"defend": "none", "damage": 1}
    done = lay_down(table, to_hit=25, **answers)

    # No new test: he simply stays pinned, and was shot at. Being pinned does not end his watch, a reaction does.
    assert [check.purpose for check in done.of(ev.CheckRolled) if check.combatant == "vane"] == ["evade"] * dodges
    assert table.has("vane", "pinned")
    assert table.has("vane", "overwatching") is not dodges
    table.end_turn()
    assert table.has("vane", "pinned")
    assert table.end_turn(recover_from_pinning=42).check.target == 41


@both_ways
@pytest.mark.clause("DH-5640", "DH-3260", "DH-3270")
def test_pinned_while_he_waits_his_late_half_action_is_for_cover(on_map: bool) -> None:
    table = under_fire(on_map)
    table.play("delay", "vane", delay_use="hold")
    lay_down(table, pinning=99, to_hit=99)
    table.end_turn(delay_use="act")
    assert table.turn == "vane"

    assert cited(table.reasons("standard_attack", "vane", "ann")) == [("pinned_must_seek_cover", "DH-5640")]
    assert table.why_not("move", "vane", type="half", **path(on_map, HERE, (0, 4))) == []


# Long work under fire


def loading() -> PlayTable:
    """Brok has the first half of his belt in; Vane, 20 m off, has the turn."""
    table = duel(20, brok={"sample": "brok", "items": weapon("heavy_stubber", ammo=0)}, vane={"sample": "vane"})
    table.play("reload", "brok")
    table.end_turn()
    return table


@pytest.mark.clause("DH-1160", "DH-4150", "DH-3630")
@pytest.mark.parametrize(
    ("answers", "kept"),
    [
        ({"defend": "none", "hit1__damage": 9, "hit2__damage": 10, "hit2__fury": 1}, True),
        ({"defend": "dodge", "dodge": 10}, False),
        ({"defend": "dodge", "dodge": 99, "hit1__damage": 1, "hit2__damage": 1}, False),
    ],
    ids=["wounded", "dodged", "dodged in vain"],
)
def test_a_reload_over_two_turns_is_lost_to_a_reaction_and_not_to_wounds(answers: dict[str, Any], kept: bool) -> None:
    table = loading()

    table.play("semi_auto_burst", "vane", "brok", to_hit=35, **answers)
    table.end_turn()

    reasons = table.reasons("continue_extended_action", "brok")
    assert cited(reasons) == ([] if kept else [("no_extended_action", "DH-1150")])
    if kept:
        table.play("continue_extended_action", "brok")
    assert table.who("brok").items[ItemId("heavy_stubber")].marks["ammo"] == (80 if kept else 0)


@pytest.mark.clause("DH-1160", "DH-5450", "DH-5520")
def test_what_he_reloads_is_shot_out_of_his_hands_and_there_is_nothing_to_go_on_with() -> None:
    table = loading()

    # 20 m is short for an autogun: T65. 02 is the right arm; the natural 10 adds row 2, and the hand lets go.
    table.play("standard_attack", "vane", "brok", to_hit=2, defend="none", damage=10, fury=2)
    table.end_turn()

    assert table.who("brok").items[ItemId("heavy_stubber")].on_ground
    assert cited(table.reasons("continue_extended_action", "brok")) == [("item_not_carried", "DH-4300")]
    done = table.end_turn()
    assert ends(done, "extended_action") == ["not_continued"]


@pytest.mark.clause("DH-1040", "DH-1160", "DH-4150")
def test_dropping_what_he_reloads_is_free_and_the_work_cannot_go_on() -> None:
    table = loading()
    table.end_turn()

    table.play("drop_item", "brok", weapon="heavy_stubber")

    assert cited(table.reasons("continue_extended_action", "brok")) == [("item_not_carried", "DH-4300")]


# The gap of a Delay


@pytest.mark.clause("DH-3260", "DH-3270", "DH-3320", "DH-1120")
def test_the_late_move_out_of_melee_is_struck_at_and_neither_that_nor_a_shot_on_the_way_is_evaded() -> None:
    table = fight(
        True,
        {"vane": HERE, "sable": (20, -9), "gorm": (20, -10)},
        melee=(("sable", "gorm"),),
        vane={"side": "us"},
        gorm={**ARMED, "side": "us"},
        sable={"ag": 38, "side": "them"},
    )
    watch(table, SEMI)
    table.play("delay", "sable", delay_use="act")

    done = table.play(
        "move",
        "sable",
        path=[(20, -6)],
        free_attack="take",
        gorm__to_hit=48,
        gorm__hit1__damage=(1, 1),
        overwatch_fire="fire",
        vane__to_hit=52,
        vane__hit1__damage=1,
        pinning=1,
    )

    assert attackers(done) == ["gorm", "vane"]
    assert done.questions("defend") == []
    assert table.who("sable").budget["reaction"] == 1


@pytest.mark.clause("DH-3250", "DH-3260", "DH-3600", "DH-1110")
def test_who_waits_may_react_and_acts_all_the_same_and_his_target_may_evade() -> None:
    table = duel(20, vane={"sample": "vane"}, ann={"sample": "vane"})
    table.play("delay", "vane", delay_use="hold")
    table.play("standard_attack", "ann", "vane", to_hit=55, defend="dodge", dodge=40)

    table.end_turn(delay_use="act")
    done = table.play("standard_attack", "vane", "ann", to_hit=55, defend="dodge", dodge=40)

    assert done.one(ev.DefenceResolved).combatant == "ann"
    assert table.who("vane").budget["reaction"] == 1
    assert table.state.clock.round == 2


@pytest.mark.clause("DH-3260", "DH-3290", "DH-5540")
def test_a_late_attack_may_kill_whose_turn_would_have_come() -> None:
    table = fight(
        False,
        {"vane": HERE, "brok": (20, 0), "gorm": (25, 0)},
        brok={"wounds_max": 1, "armour": 0, "minion": 1},
    )
    table.play("delay", "vane", delay_use="act")

    done = table.play("standard_attack", "vane", "brok", to_hit=45, defend="none", damage=10)

    assert table.who("brok").status == "dead"
    assert [event.combatant for event in done.of(ev.TurnBegan)] == ["gorm"]


@pytest.mark.clause("DH-3280", "DH-1020", "DH-4100", "DH-3250")
def test_after_an_attack_and_a_delay_the_gap_is_for_neither_attack_nor_full_action() -> None:
    table = duel(20, vane={"sample": "vane"}, ann={"sample": "vane"}, options={"delay_cost": "half"})
    table.play("semi_auto_burst", "vane", "ann", to_hit=99)
    table.play("delay", "vane", type="half", delay_use="act")

    assert cited(table.reasons("semi_auto_burst", "vane", "ann")) == [
        ("same_half_action_twice", "DH-1020"),
        ("attack_limit", "DH-1070"),
        ("weapon_jammed", "DH-3720"),
    ]
    assert table.why_not("overwatch", "vane", options=SEMI) == ["insufficient_actions", "attack_limit", "weapon_jammed"]
    assert table.why_not("guarded_action", "vane") == ["must_be_first_action"]
    assert table.why_not("aim", "vane") == []


# Grapples seen from outside


def held(on_map: bool, **people: Any) -> PlayTable:
    """Gorm has Brok in a grapple; Sable is next to both of them, Vane 20 m off."""
    table = fight(
        on_map,
        {"gorm": HERE, "brok": (1, 0), "sable": (0.5, 0.8), "vane": (20, 0)},
        melee=(("gorm", "brok"),),
        gorm={**BARE, "side": "gorm", **people.pop("gorm", {})},
        sable={"side": "third", **people.pop("sable", {})},
        brok={"armour": 0, **people.pop("brok", {})},
        **people,
    )
    effect(table, "gorm", "grapple_controller", against="brok")
    table.play("grapple", "gorm", options={"option": "none"})
    table.until_turn_of("sable")
    return table


@both_ways
@pytest.mark.clause("DH-3545", "DH-3170", "DH-3600")
def test_blows_spread_over_both_in_a_grapple_and_neither_evades(on_map: bool) -> None:
    table = held(on_map)
    if not on_map:
        table.rule(cmd.SetEngaged(CombatantId("sable"), CombatantId("gorm"), True))
        table.rule(cmd.SetEngaged(CombatantId("sable"), CombatantId("brok"), True))

    done = table.play(
        "swift_attack",
        "sable",
        "brok",
        weapon="sword",
        to_hit=31,
        allocate_hits=("allocate", {"hits": {"brok": 2, "gorm": 1}}),
        hit1__damage=4,
        hit2__damage=5,
        hit3__damage=6,
    )

    # Brok 52+20: T72 r31 => S5, 3 hits; Gorm, as large as he is, is no harder to hit.
    assert terms(done)["target_grappled"] == 20
    assert done.questions("defend") == []
    assert {event.target for event in done.of(ev.DamageDealt)} == {"brok", "gorm"}
    assert table.has("gorm", "grapple_controller")
    assert table.has("brok", "grappled")


@both_ways
@pytest.mark.clause("DH-3545", "DH-3548", "DH-3600", "DH-5350")
def test_a_burst_into_a_grapple_is_harder_not_evaded_and_frees_whom_it_does_not_kill(on_map: bool) -> None:
    table = held(on_map, gorm={"wounds_max": 1, "minion": 1})
    table.until_turn_of("vane")

    done = table.play("full_auto_burst", "vane", "gorm", to_hit=35, damage=9)

    found = terms(done)
    assert found["shooting_into_melee"] == -20
    assert "target_grappled" not in found
    assert done.questions("defend") == []
    assert table.who("gorm").status == "dead"
    assert not table.has("brok", "grappled")


@pytest.mark.clause("DH-3545", "DH-3548", "DH-5610", "DH-3500")
def test_a_controller_who_is_thrown_down_from_outside_keeps_hold_without_being_on_top() -> None:
    table = held(True)
    table.play("knock_down", "sable", "gorm", sable__knock_down=1, gorm__knock_down=99, knock_down_outcome="prone")
    assert table.has("gorm", "prone")
    table.until_turn_of("gorm")
    table.play("grapple", "gorm", options={"option": "none"})
    table.end_turn()

    done = table.play("grapple", "brok", options={"option": "break_free"}, brok__grapple=99, gorm__grapple=58)

    assert [check.target for check in done.of(ev.CheckRolled)] == [45, 58]
    assert table.has("brok", "grappled")


# The moment at which something ends


@pytest.mark.clause("DH-1180", "DH-3110", "DH-3020", "DH-3550", "DH-4100")
@pytest.mark.parametrize(
    ("action", "given", "number", "dodge"),
    [
        ("run", {"path": [(0.5, 0)], "free_attack": "pass"}, 38 + 10 + 20, 40),
        ("defensive_stance", {}, 38 + 10 - 20, 40),
        ("guarded_action", {}, 38 + 10, 50),
        ("all_out_attack", {"targets": ("gorm",), "to_hit": 99}, 38 + 10, None),
    ],
)
def test_it_lasts_through_the_end_of_the_round_until_his_own_turn_begins(
    action: str, given: dict[str, Any], number: int, dodge: int | None
) -> None:
    def evaded(done: Played) -> list[int]:
        return [check.target for check in done.of(ev.CheckRolled) if check.purpose == "evade"]

    targets = given.get("targets", ())
    fields = {name: value for name, value in given.items() if name not in ("targets", "free_attack")}
    table = fight(
        True,
        {"gorm": (1, 0), "sable": (0, 1), "vane": HERE},
        gorm={**ARMED, "side": "foes"},
        sable={"side": "foes"},
        vane={"held": {"sword": "main"}},
    )
    table.until_turn_of("vane")
    table.play(action, "vane", *targets, **fields)
    table.end_turn()
    assert (table.state.clock.round, table.turn) == (2, "gorm")

    asks: dict[str, Any] = {} if dodge is None else {"defend": "dodge", "dodge": 40}
    harm: dict[str, Any] = {"damage": (1, 1)} if dodge is None else {}
    done = table.play("standard_attack", "gorm", "vane", to_hit=28, **asks, **harm)
    assert (done.check.target, evaded(done)) == (number, [] if dodge is None else [dodge])

    # His turn begins, and it is over, whatever he does in it; Gorm's next blow finds him as ever.
    table.until_turn_of("vane")
    assert not table.has("vane", "running", "defensive_stance", "guarded", "all_out")
    table.until_turn_of("gorm")
    done = table.play("standard_attack", "gorm", "vane", to_hit=28, defend="dodge", dodge=40)
    gang = terms(done).get("gang_2", 0)
    assert (done.check.target - gang, evaded(done)) == (48, [40])


@pytest.mark.clause("DH-4100", "DH-4110", "DH-3320")
def test_the_penalty_of_a_guarded_turn_is_gone_in_a_free_attack_after_it() -> None:
    table = fight(True, {"sable": HERE, "gorm": (1, 0)}, melee=(("sable", "gorm"),), gorm=ARMED)
    table.play("guarded_action", "sable")
    in_turn = table.play("standard_attack", "sable", "gorm", weapon="sword", to_hit=99)
    table.end_turn()

    after = table.play("move", "gorm", path=[(4, 0)], free_attack="take", to_hit=99)

    assert (in_turn.check.target, after.check.target) == (52 + 10 + 10 - 10, 52 + 10 + 10)


@pytest.mark.clause("DH-4340", "DH-4350", "DH-4360", "DH-5430")
def test_an_aim_outlasts_wounds_words_and_the_round_and_ends_with_the_attack() -> None:
    table = duel(20, vane={"sample": "vane"}, ann={"sample": "vane"})
    table.play("aim", "vane", type="full")
    table.end_turn()
    table.play("standard_attack", "ann", "vane", to_hit=65, defend="none", damage=9)
    table.end_turn()
    table.play("free_action", "vane", note="steady")

    first = table.play("semi_auto_burst", "vane", "ann", to_hit=93)
    table.end_turn()
    table.end_turn()
    second = table.play("semi_auto_burst", "vane", "ann", to_hit=93)

    assert (first.check.target, second.check.target) == (45 + 10 + 20, 45 + 10)


def feinting(**more: Any) -> PlayTable:
    """Sable has fooled Gorm and has a half action left; Brok is on her side and next to him too."""
    table = fight(
        True,
        {"sable": HERE, "gorm": (1, 0), "brok": (1, 1)},
        sable={"side": "us", **more.pop("sable", {})},
        brok={"side": "us", "held": {"knife": "main"}},
        gorm={**ARMED, "side": "them"},
        **more,
    )
    table.play("feint", "sable", "gorm", sable__feint=1, gorm__feint=99)
    assert table.has("gorm", "feinted")
    return table


@pytest.mark.clause("DH-4620", "DH-4630", "DH-1180")
def test_a_feint_is_gone_with_the_turn_and_was_never_for_a_friend() -> None:
    table = feinting()
    done = table.end_turn()
    assert ends(done, "feinted") == ["expired"]
    table.until_turn_of("brok")

    done = table.play("standard_attack", "brok", "gorm", to_hit=40, defend="none", damage=1)

    assert len(done.questions("defend")) == 1


@pytest.mark.clause("DH-4620", "DH-3450", "DH-4560")
def test_a_feint_opens_the_way_for_a_standard_attack_that_takes_hold() -> None:
    table = feinting(sable=BARE)

    done = table.play("standard_attack", "sable", "gorm", options={"mode": "grapple"}, to_hit=50)

    assert done.questions("defend") == []
    assert table.has("gorm", "grappled")
    assert not table.has("gorm", "feinted")


@pytest.mark.clause("DH-4630", "DH-3250", "DH-3270")
def test_a_delay_after_a_feint_is_another_action_and_loses_it() -> None:
    table = feinting(options={"delay_cost": "half"})

    done = table.play("delay", "sable", type="half", delay_use="act")
    assert ends(done, "feinted") == ["expired"]

    blow = table.play("standard_attack", "sable", "gorm", weapon="sword", to_hit=50, defend="none", damage=1)
    assert len(blow.questions("defend")) == 1


@pytest.mark.clause("DH-3550", "DH-3340", "DH-3560", "DH-3570")
def test_in_his_stance_he_strikes_at_nobody_who_leaves_until_his_own_turn() -> None:
    table = fight(
        True, {"vane": HERE, "gorm": (1, 0)}, melee=(("vane", "gorm"),), gorm=ARMED, vane={"held": {"sword": "main"}}
    )
    table.play("defensive_stance", "vane")
    table.end_turn()
    assert table.play("move", "gorm", path=[(4, 0)]).questions("free_attack") == []
    table.end_turn()
    table.end_turn()

    table.play("move", "gorm", path=[(1, 0)], said={"engage": ["vane"]})
    table.until_turn_of("vane")
    table.until_turn_of("gorm")

    assert table.play("move", "gorm", path=[(4, 0)], free_attack="pass").questions("free_attack") != []
