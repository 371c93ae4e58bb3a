"""Grapple: taking hold, what either side may do, what others may, how it ends.

Clauses DH-3450 to DH-3548, and what DH-1160, DH-3320 to DH-3340, DH-3600, DH-3920, DH-3970, DH-4370, DH-4560,
DH-5110, DH-5350 and DH-5640 have to do with it.
"""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId, EffectId, ItemId
from app.engine.listing import ActionView, listing
from app.engine.reasons import BadAnswer, Refused
from app.engine.space.model import Landing, Place, Sector
from app.engine.state import Item
from rulesets.dark_heresy_2e.grappling import GRAPPLE
from tests.rulesets.dark_heresy_2e.going import Spot, both_ways, engaged, fight, path
from tests.support.play import Played, PlayTable, length

HERE: Spot = (0, 0)
BESIDE: Spot = (1, 0)
BARE: dict[str, Any] = {"held": {}}
SEIZE: dict[str, Any] = {"options": {"mode": "grapple"}}
SIDES = {"gorm": HERE, "vane": BESIDE}


def beside(on_map: bool = False, spots: dict[str, Spot] | None = None, **more: Any) -> PlayTable:
    """Gorm, bare-handed, has the turn; Vane, autogun in hands, is a metre east of him."""
    return fight(on_map, {**SIDES, **(spots or {})}, **{"gorm": BARE, **more})


def seize(table: PlayTable, who: str = "gorm", target: str = "vane", **given: Any) -> Played:
    """A Standard Attack that takes hold."""
    return table.play("standard_attack", who, target, **SEIZE, **given)


def grappled(
    on_map: bool = False, spots: dict[str, Spot] | None = None, *, turn: str = "gorm", **more: Any
) -> PlayTable:
    """Gorm has Vane in a grapple since his last turn; now it is the turn of one of them."""
    table = beside(on_map, spots, **more)
    seize(table, to_hit=30, defend="none")
    table.end_turn()
    while table.turn != turn:
        if table.turn == "gorm":
            table.play("grapple", "gorm", options={"option": "none"})
        table.end_turn()
    return table


def grapple(table: PlayTable, who: str, option: str, mine: int | None = None, theirs: int = 0, **given: Any) -> Played:
    """An option, with the dice of its opposed test: his own and the other's."""
    other = "vane" if who == "gorm" else "gorm"
    dice = {} if mine is None else {f"{who}__grapple": mine, f"{other}__grapple": theirs}
    options = {"option": option, **given.pop("options", {})}
    return table.play("grapple", who, options=options, **dice, **given)


def holds(table: PlayTable, controller: str = "gorm", target: str = "vane") -> bool:
    """Whether both sides say that the one has the other."""
    over = [effect.against for effect in table.who(controller).effects.values() if effect.kind == "grapple_controller"]
    under = [effect.against for effect in table.who(target).effects.values() if effect.kind == "grappled"]
    assert (target in over) == (controller in under)
    return target in over


def free(table: PlayTable, *people: str) -> bool:
    """Whether none of them is in a grapple."""
    return not any(table.has(who, "grappled", "grapple_controller") for who in people or ("gorm", "vane"))


def ended(done: Played) -> list[tuple[str, str | None]]:
    """Why grapples ended, and by which clause."""
    return [(note.words[0], note.clause) for note in done.of(ev.Noted) if note.fact == "grapple_ended"]


def cited(reasons: tuple[Any, ...]) -> list[tuple[str, str]]:
    """Codes and clauses."""
    return [(reason.code, reason.clause) for reason in reasons]


def effect(table: PlayTable, name: str, kind: str, value: int = 0, against: str | None = None) -> Played:
    """Put a condition on somebody by ruling."""
    return table.rule(cmd.AddEffect(CombatantId(name), kind, value, against=against and CombatantId(against)))  # type: ignore[arg-type]


def view(table: PlayTable, who: str, action: str) -> ActionView:
    """How the list shows an action."""
    return next(one for one in listing(table.table, CombatantId(who)) if one.id == action)


# Taking hold


@both_ways
@pytest.mark.clause("DH-3450", "DH-4560")
def test_a_blow_that_is_not_evaded_takes_hold_and_does_no_damage(on_map: bool) -> None:
    table = beside(on_map)

    done = seize(table, to_hit=30, defend="dodge", dodge=41)

    first, dodge = done.of(ev.CheckRolled)
    assert (first.target, first.outcome, first.degrees) == (48, "success", 2)
    assert (dodge.target, dodge.outcome, dodge.degrees) == (40, "failure", 1)
    assert done.of(ev.DamageDealt) == []
    assert holds(table)
    assert engaged(table, "gorm", "vane")
    assert table.who("vane").pools["wounds"] == 12


@both_ways
@pytest.mark.clause("DH-3450")
@pytest.mark.parametrize("given", [{"to_hit": 49}, {"to_hit": 30, "defend": "dodge", "dodge": 40}])
def test_a_miss_or_an_evasion_takes_no_hold(on_map: bool, given: dict[str, Any]) -> None:
    table = beside(on_map)

    seize(table, **given)

    assert free(table)
    assert engaged(table, "gorm", "vane")


@pytest.mark.clause("DH-3450", "DH-3620")
@pytest.mark.parametrize(
    ("held", "options"),
    [
        ({"sword": "main"}, {"dodge", "parry", "none"}),
        ({}, {"dodge", "parry", "none"}),
        ({"autogun": "both"}, {"dodge", "none"}),
    ],
)
def test_it_is_an_unarmed_attack_that_bare_hands_parry_too(held: dict[str, str], options: set[str]) -> None:
    table = beside(vane={"held": held})
    penalty = 20 if "sword" in held else 0

    done = seize(table, to_hit=28, defend="none")

    assert {option.id for option in done.questions("defend")[0].options} == options
    assert done.check.target == 48 - penalty


@pytest.mark.clause("DH-3450", "DH-4560", "DH-1230")
def test_it_takes_bare_hands_somebody_near_and_whom_nobody_else_has() -> None:
    armed = fight(False, {"gorm": HERE, "vane": (5, 0)}, gorm={"held": {"great_weapon": "both"}})
    named = beside(gorm={"items": {"great_weapon": Item("great_weapon")}})
    taken = grappled(False, {"sable": (1, 1)}, sable=BARE, turn="vane")

    assert cited(armed.reasons("standard_attack", "gorm", "vane", **SEIZE)) == [
        ("not_engaged", "DH-3450"),
        ("not_unarmed", "DH-3450"),
    ]
    assert named.why_not("standard_attack", "gorm", "vane", weapon="great_weapon", **SEIZE) == ["not_unarmed"]
    taken.play("grapple", "vane", options={"option": "none"})
    taken.end_turn()
    assert cited(taken.reasons("standard_attack", "sable", "vane", **SEIZE)) == [("already_grappled", "DH-3450")]
    assert taken.why_not("standard_attack", "sable", "gorm", **SEIZE) == []


@pytest.mark.clause("DH-3450")
@pytest.mark.parametrize(
    ("need", "hands", "reasons"),
    [(0, 0, []), (1, 0, ["no_free_hand"]), (1, 1, []), (2, 1, ["no_free_hand"]), (2, 2, [])],
)
def test_the_controller_needs_as_many_free_hands_as_the_table_says(need: int, hands: int, reasons: list[str]) -> None:
    gorm = {"held": {}, "hands": hands}
    table = fight(False, SIDES, gorm=gorm, options={"grapple_free_hands": need})

    assert table.why_not("standard_attack", "gorm", "vane", **SEIZE) == reasons


@both_ways
@pytest.mark.clause("DH-3450")
@pytest.mark.parametrize(
    ("size", "answer", "held", "spent"), [(6, None, True, 1), (7, "allow", True, 1), (7, "deny", False, 0)]
)
def test_whether_somebody_much_larger_can_be_seized_is_for_the_gm(
    on_map: bool, size: int, answer: str | None, held: bool, spent: int
) -> None:
    table = fight(on_map, {"sable": HERE, "gorm": BESIDE}, sable=BARE, gorm={"held": {}, "size": size})
    rolls = {} if answer == "deny" else {"to_hit": 30, "defend": "none"}
    asked = {} if answer is None else {"grapple_size": answer}

    done = seize(table, "sable", "gorm", **rolls, **asked)

    assert [question.to for question in done.questions("ruling")] == ([] if answer is None else ["gm"])
    assert holds(table, "sable", "gorm") is held
    assert table.who("sable").budget["half_action"] == 2 - spent


@pytest.mark.clause("DH-3450")
def test_nobody_seizes_somebody_unconscious() -> None:
    table = beside()
    effect(table, "vane", "unconscious")

    assert table.why_not("standard_attack", "gorm", "vane", **SEIZE) == ["invalid_target"]


@pytest.mark.clause("DH-3450", "DH-4550")
def test_the_aim_counts_for_the_blow_that_takes_hold() -> None:
    table = beside()
    table.play("aim", "gorm")

    done = seize(table, to_hit=58, defend="none")

    assert done.check.target == 58
    assert not table.has("gorm", "aiming")


@both_ways
@pytest.mark.clause("DH-3970", "DH-3450")
def test_a_charge_may_grapple_at_plus_20(on_map: bool) -> None:
    table = fight(on_map, {"gorm": HERE, "vane": (6, 0)}, gorm=BARE)
    said = {} if on_map else {"said": {"path_straight": True}}

    done = table.play("charge", "gorm", "vane", **SEIZE, **said, to_hit=40, defend="none")

    assert (done.check.target, done.check.degrees) == (58, 2)
    assert holds(table)


@both_ways
@pytest.mark.clause("DH-3970", "DH-3450")
def test_a_charging_grappler_holds_nothing_at_all(on_map: bool) -> None:
    said = {} if on_map else {"said": {"path_straight": True}}
    armed = fight(on_map, {"sable": HERE, "vane": (6, 0)})
    item = fight(on_map, {"gorm": HERE, "vane": (6, 0)}, gorm={"items": {"lamp": Item("lamp", held="main")}})

    assert cited(armed.reasons("charge", "sable", "vane", **SEIZE, **said)) == [("not_unarmed", "DH-3450")]
    assert cited(item.reasons("charge", "gorm", "vane", **SEIZE, **said)) == [("not_unarmed", "DH-3970")]


@both_ways
@pytest.mark.clause("DH-3450", "DH-3970")
def test_a_denied_charge_at_somebody_huge_spends_nothing(on_map: bool) -> None:
    table = fight(on_map, {"sable": HERE, "gorm": (6, 0)}, sable=BARE, gorm={"held": {}, "size": 7})
    said = {} if on_map else {"said": {"path_straight": True}}

    done = table.play("charge", "sable", "gorm", **SEIZE, **said, grapple_size="deny")

    assert done.of(ev.Moved) == []
    assert table.who("sable").budget["half_action"] == 2


@pytest.mark.clause("DH-3545", "DH-5640", "DH-3920", "DH-1160")
def test_a_grapple_ends_pinning_overwatch_and_a_long_work() -> None:
    table = fight(False, {"vane": BESIDE, "gorm": HERE}, gorm=BARE)
    zone = Sector((0, 0), length(100), 90, 45)
    table.play(
        "overwatch", "vane", options={"attack": "standard_attack", "trigger": "enters_zone"}, area=zone, facing=90
    )
    table.end_turn()
    effect(table, "vane", "extended_action", 1)
    effect(table, "vane", "pinned")

    seize(table, to_hit=30, defend="none")

    assert not table.has("vane", "overwatching", "extended_action", "pinned")


@pytest.mark.clause("DH-1160")
def test_a_table_may_let_a_long_work_go_on_in_a_grapple() -> None:
    table = beside(options={"extended_interrupts": ("reaction",)})
    effect(table, "vane", "extended_action", 1)

    seize(table, to_hit=30, defend="none")

    assert table.has("vane", "extended_action")


# A free attack that takes hold


def leaving(on_map: bool, **more: Any) -> PlayTable:
    """Vane has the turn, in melee with Gorm, bare-handed."""
    return fight(on_map, {"vane": BESIDE, "gorm": HERE}, melee=(("vane", "gorm"),), **{"gorm": BARE, **more})


def go(table: PlayTable, on_map: bool, *leaves: str, **answers: Any) -> Played:
    """Vane moves away."""
    return table.play("move", "vane", **path(on_map, BESIDE, (4, 0), leaves=leaves or ("gorm",)), **answers)


@both_ways
@pytest.mark.clause("DH-3320", "DH-3330", "DH-4560", "DH-3515")
def test_a_free_attack_may_take_hold_and_whoever_it_holds_stays(on_map: bool) -> None:
    table = leaving(on_map)

    done = go(table, on_map, free_attack="grapple", to_hit=48)

    assert done.questions("defend") == []
    assert done.one(ev.AttackMade).action == "free_attack"
    assert [(stop.why, stop.clause) for stop in done.of(ev.ActionStopped)] == [("grappled", "DH-3330")]
    assert holds(table)
    assert "grappled" in table.why_not("move", "vane", **path(on_map, BESIDE, (2, 0), leaves=("gorm",)))
    assert table.why_not("aim", "vane") == []
    assert table.why_not("grapple", "vane", options={"option": "break_free"}) == []


@both_ways
@pytest.mark.clause("DH-3320", "DH-4560")
def test_the_question_offers_the_grapple_with_its_chance_only_to_the_unarmed(on_map: bool) -> None:
    bare, armed = leaving(on_map), leaving(on_map, gorm={"held": {"sword": "main"}})

    (open_to,) = go(bare, on_map, free_attack="pass").questions("free_attack")
    (barred,) = go(armed, on_map, free_attack="pass").questions("free_attack")

    assert {option.id: option.chance for option in open_to.options}["grapple"] == 480_000
    assert open_to.barred == ()
    assert [(one.id, cited(one.reasons)) for one in barred.barred] == [("grapple", [("not_unarmed", "DH-3450")])]


@both_ways
@pytest.mark.clause("DH-3330", "DH-3545")
def test_the_second_to_strike_at_somebody_held_by_then_has_it_easier_and_cannot_seize_him(on_map: bool) -> None:
    spots: dict[str, Spot] = {"vane": BESIDE, "gorm": HERE, "sable": (0.5, 0.8)}
    for choice, more in (("take", {"sable__to_hit": 99}), ("grapple", {})):
        table = fight(
            on_map,
            spots,
            melee=(("vane", "gorm"), ("vane", "sable")),
            gorm={**BARE, "side": "foes"},
            sable={**BARE, "side": "foes"},
        )

        done = go(
            table,
            on_map,
            "gorm",
            "sable",
            gorm__free_attack="grapple",
            sable__free_attack=choice,
            gorm__to_hit=30,
            **more,
        )

        assert holds(table)
        struck = [check for check in done.of(ev.CheckRolled) if check.combatant == "sable"]
        assert [check.target for check in struck] == ([52 + 10 + 10 + 20] if more else [])


@both_ways
@pytest.mark.clause("DH-3450", "DH-3320")
def test_a_free_grapple_of_somebody_huge_is_for_the_gm_too(on_map: bool) -> None:
    table = leaving(on_map, vane={"size": 8})

    done = go(table, on_map, free_attack="grapple", grapple_size="deny")

    assert done.of(ev.AttackMade) == []
    assert free(table)


@both_ways
@pytest.mark.clause("DH-3340")
def test_nobody_in_a_grapple_gets_a_free_attack(on_map: bool) -> None:
    for held in ("gorm", "brok"):
        table = fight(
            on_map,
            {"vane": BESIDE, "gorm": HERE, "brok": (-1, 0)},
            melee=(("vane", "gorm"), ("gorm", "brok")),
            gorm=BARE,
        )
        effect(table, held, "grappled", against="brok" if held == "gorm" else "gorm")

        done = go(table, on_map)

        assert done.questions("free_attack") == []


# Only inside a grapple


@pytest.mark.clause("DH-3460")
def test_the_action_is_for_those_in_a_grapple() -> None:
    table = beside()

    assert cited(table.reasons("grapple", "gorm")) == [("not_in_grapple", "DH-3460")]
    shown = view(table, "gorm", "grapple")
    assert not shown.available
    assert [reason.code for reason in shown.reasons] == ["not_in_grapple"]


@both_ways
@pytest.mark.clause("DH-3460", "DH-3470", "DH-3515")
def test_the_list_offers_it_to_either_side_as_the_action_it_takes(on_map: bool) -> None:
    for who, kind in (("gorm", "full"), ("vane", "half")):
        shown = view(grappled(on_map, turn=who), who, "grapple")

        assert shown.available
        assert [way.type for way in shown.types if way.available] == [kind]
    form = {field.name: field for field in beside().rules.actions[GRAPPLE].form}
    assert {"damage", "push", "break_free", "take_control", "none"} <= set(form["option"].choices)


@pytest.mark.clause("DH-3460", "DH-1070", "DH-3515")
def test_it_uses_up_the_attack_of_the_turn() -> None:
    table = grappled(turn="vane")
    table.play("grapple", "vane", options={"option": "none"})

    assert cited(table.reasons("standard_attack", "vane", "gorm", weapon="autogun"))[0] == ("attack_limit", "DH-1070")
    assert table.why_not("ready", "vane", weapon="autogun", options={"hand": "stowed"}) == []


@pytest.mark.clause("DH-4370", "DH-4350")
def test_the_opposed_test_uses_up_an_aim_without_any_good() -> None:
    table = grappled()
    effect(table, "gorm", "aiming", 10)

    done = grapple(table, "gorm", "damage", 99, 99)

    assert done.check.target == 58
    assert not table.has("gorm", "aiming")


@pytest.mark.clause("DH-3470", "DH-3515", "DH-1220")
def test_each_side_takes_it_as_its_own_type() -> None:
    assert grappled().why_not("grapple", "gorm", type="half", options={"option": "none"}) == ["wrong_action_type"]
    vane = grappled(turn="vane")
    assert vane.why_not("grapple", "vane", type="full", options={"option": "none"}) == ["wrong_action_type"]
    (missing,) = vane.reasons("grapple", "vane")
    assert (missing.code, missing.at) == ("missing_input", "/options/option")
    assert missing.names == ("break_free", "slip_free", "take_control", "none")


# The controller's turn


@both_ways
@pytest.mark.clause("DH-3470")
def test_keeping_hold_takes_the_whole_turn(on_map: bool) -> None:
    table = grappled(on_map)

    done = table.play("grapple", "gorm", options={"option": "none"})

    assert table.who("gorm").budget["half_action"] == 0
    assert ended(done) == []
    table.end_turn()
    assert holds(table)


@both_ways
@pytest.mark.clause("DH-3470")
def test_any_other_action_first_ends_the_grapple_and_goes_on(on_map: bool) -> None:
    table = grappled(on_map)

    done = table.play("aim", "gorm")

    assert ended(done) == [("not_maintained", "DH-3470")]
    assert table.has("gorm", "aiming")
    assert free(table)
    assert engaged(table, "gorm", "vane")


@both_ways
@pytest.mark.clause("DH-3470", "DH-3540")
def test_a_controller_who_walks_off_lets_go_and_is_struck_at(on_map: bool) -> None:
    table = grappled(on_map)

    done = table.play("move", "gorm", **path(on_map, HERE, (-2, 0), leaves=("vane",)), free_attack="pass")

    assert ended(done) == [("not_maintained", "DH-3470")]
    assert [question.to for question in done.questions("free_attack")] == ["vane"]
    assert done.of(ev.Moved) != []


@pytest.mark.clause("DH-3470", "DH-1040")
def test_free_actions_before_it_do_not_matter() -> None:
    table = grappled()
    table.play("free_action", "gorm", note="hold still!")

    assert holds(table)
    assert table.why_not("grapple", "gorm", options={"option": "damage"}) == []


@both_ways
@pytest.mark.clause("DH-3470")
def test_a_turn_that_ends_without_it_ends_the_grapple(on_map: bool) -> None:
    table = grappled(on_map)

    assert ended(table.end_turn()) == [("not_maintained", "DH-3470")]
    assert free(table)


@both_ways
@pytest.mark.clause("DH-3470", "DH-3548", "DH-5620")
def test_the_turn_of_a_stunned_controller_ends_it_and_not_the_stun_itself(on_map: bool) -> None:
    table = grappled(on_map, turn="vane")
    effect(table, "gorm", "stunned", 1)
    assert holds(table)
    table.play("grapple", "vane", options={"option": "none"})

    done = table.end_turn()

    assert ended(done) == [("not_maintained", "DH-3470")]
    assert table.turn == "vane"


@both_ways
@pytest.mark.clause("DH-3470")
def test_the_turn_in_which_he_took_hold_is_not_yet_one_to_maintain_in(on_map: bool) -> None:
    table = beside(on_map)
    seize(table, to_hit=30, defend="none")

    table.play("aim", "gorm")
    assert holds(table)
    table.end_turn()

    assert holds(table)


@both_ways
@pytest.mark.clause("DH-3545")
def test_but_going_somewhere_in_that_turn_lets_go(on_map: bool) -> None:
    table = beside(on_map)
    seize(table, to_hit=30, defend="none")

    done = table.play("move", "gorm", **path(on_map, HERE, (-2, 0), leaves=("vane",)), free_attack="pass")

    assert ended(done) == [("released", "DH-3545")]
    assert free(table)


@both_ways
@pytest.mark.clause("DH-3320", "DH-3470")
def test_who_took_hold_by_a_free_attack_maintains_it_in_his_next_turn(on_map: bool) -> None:
    table = leaving(on_map)
    go(table, on_map, free_attack="grapple", to_hit=30)
    table.end_turn()

    assert (table.turn, holds(table)) == ("gorm", True)
    assert ended(table.play("aim", "gorm")) == [("not_maintained", "DH-3470")]


@pytest.mark.clause("DH-3548")
def test_letting_go_is_free_and_leaves_the_whole_turn() -> None:
    table = grappled()

    done = table.play("free_action", "gorm", options={"option": "release"})

    assert ended(done) == [("released", "DH-3548")]
    assert table.who("gorm").budget["half_action"] == 2
    assert table.why_not("standard_attack", "gorm", "vane") == []


@pytest.mark.clause("DH-3548", "DH-3480", "DH-3460", "DH-1190")
def test_only_the_controller_lets_go_and_in_his_own_turn() -> None:
    table = grappled(turn="vane")
    release: dict[str, Any] = {"options": {"option": "release"}, "note": "go!"}

    assert cited(table.reasons("free_action", "vane", **release)) == [("not_controller", "DH-3480")]
    assert table.why_not("free_action", "gorm", **release) == ["not_your_turn"]
    assert cited(beside().reasons("free_action", "gorm", **release)) == [("not_in_grapple", "DH-3460")]


@pytest.mark.clause("DH-3450", "DH-3470")
def test_the_hand_that_holds_is_not_free_for_a_weapon() -> None:
    table = beside(gorm={"items": {"great_weapon": Item("great_weapon"), "sword": Item("sword")}})
    seize(table, to_hit=30, defend="none")

    assert table.why_not("ready", "gorm", weapon="great_weapon") == ["no_free_hand"]
    assert table.why_not("ready", "gorm", weapon="sword") == []


# What the controller does


@pytest.mark.clause("DH-3480", "DH-3520")
def test_neither_side_has_the_others_options() -> None:
    gorm, vane = grappled(), grappled(turn="vane")

    for option in ("damage", "throw_down", "push"):
        reasons = vane.reasons("grapple", "vane", options={"option": option, "direction": 90})
        assert cited(reasons) == [("not_controller", "DH-3480")]
    for option in ("break_free", "slip_free", "take_control"):
        assert cited(gorm.reasons("grapple", "gorm", options={"option": option})) == [("not_grapple_target", "DH-3520")]


@pytest.mark.clause("DH-3480")
def test_an_extra_option_that_is_off_is_unknown_and_so_is_nonsense() -> None:
    for option in ("ready", "stand", "use_item"):
        reasons = grappled().reasons("grapple", "gorm", options={"option": option})
        assert cited(reasons) == [("unknown_option", "DH-3480")]
    with pytest.raises(BadAnswer):
        grapple(grappled(), "gorm", "tickle")


@both_ways
@pytest.mark.clause("DH-3490", "DH-3530", "DH-5440")
def test_hurting_is_an_opposed_test_and_always_costs_fatigue(on_map: bool) -> None:
    table = grappled(on_map)

    done = grapple(table, "gorm", "damage", 34, 20, hit1__damage=4)

    mine, theirs = done.of(ev.CheckRolled)
    assert (mine.target, mine.degrees, theirs.target, theirs.degrees) == (58, 4, 34, 2)
    dealt = done.one(ev.DamageDealt)
    assert (dealt.location, dealt.raw, dealt.through) == ("body", 6, 0)
    assert table.who("vane").pools["fatigue"] == 1
    assert done.questions("defend") == []
    assert holds(table)


@pytest.mark.clause("DH-3490", "DH-5440")
def test_it_costs_no_second_level_where_it_gets_through() -> None:
    table = grappled(vane={"armour": 0})

    done = grapple(table, "gorm", "damage", 34, 99, hit1__damage=5)

    assert done.one(ev.DamageDealt).through == 4
    assert table.who("vane").pools["fatigue"] == 1


@pytest.mark.clause("DH-3490", "DH-2090")
@pytest.mark.parametrize(("mine", "theirs"), [(59, 99), (59, 20), (58, 4)])
def test_a_test_not_won_hurts_nobody(mine: int, theirs: int) -> None:
    table = grappled()

    done = grapple(table, "gorm", "damage", mine, theirs)

    assert done.of(ev.DamageDealt) == []
    assert holds(table)


@both_ways
@pytest.mark.clause("DH-3490", "DH-3548", "DH-5560")
def test_fatigue_that_knocks_the_target_out_ends_the_grapple(on_map: bool) -> None:
    table = grappled(on_map)
    table.rule(cmd.SetPool(CombatantId("vane"), "fatigue", 7))

    done = grapple(table, "gorm", "damage", 20, 99, hit1__damage=1)

    assert table.who("vane").status == "down"
    assert ended(done) == [("unconscious", "DH-3548")]
    assert free(table)


@both_ways
@pytest.mark.clause("DH-3500", "DH-3530")
def test_throwing_down_keeps_hold_and_makes_it_easier(on_map: bool) -> None:
    table = grappled(on_map)

    done = grapple(table, "gorm", "throw_down", 50, 35)

    assert [(check.target, check.degrees) for check in done.of(ev.CheckRolled)] == [(58, 2), (34, 1)]
    assert table.has("vane", "prone")
    assert not table.has("gorm", "prone")
    assert holds(table)
    table.end_turn()
    again = grapple(table, "vane", "break_free", 30, 61)
    assert [(check.target, check.degrees) for check in again.of(ev.CheckRolled)] == [(34, 1), (68, 2)]
    assert holds(table)


@pytest.mark.clause("DH-3500")
@pytest.mark.parametrize(("down", "target"), [((), 58), (("vane",), 68), (("gorm",), 58), (("vane", "gorm"), 58)])
def test_it_is_easier_only_over_somebody_who_alone_is_on_the_ground(down: tuple[str, ...], target: int) -> None:
    table = grappled()
    for who in down:
        effect(table, who, "prone")

    assert grapple(table, "gorm", "damage", 99, 99).check.target == target


@pytest.mark.clause("DH-3530")
@pytest.mark.parametrize(
    ("size", "die", "degrees", "outcome"),
    [(4, 58, 1, "success"), (5, 58, 2, "success"), (6, 58, 3, "success"), (5, 59, 1, "failure"), (3, 58, 1, "success")],
)
def test_only_a_success_of_the_larger_one_gains_degrees(size: int, die: int, degrees: int, outcome: str) -> None:
    table = grappled(gorm={**BARE, "size": size})

    check = grapple(table, "gorm", "throw_down", die, 99).check

    assert (check.degrees, check.outcome) == (degrees, outcome)


# Push


@pytest.mark.clause("DH-3505", "DH-3530", "DH-5120")
@pytest.mark.parametrize(("mine", "metres"), [(12, 3), (50, 3), (58, 3)])
def test_a_push_goes_a_metre_and_one_for_each_degree_up_to_his_half_move(mine: int, metres: int) -> None:
    table = grappled(True)

    done = grapple(table, "gorm", "push", mine, 99, options={"direction": 90}, grapple_after_push="follow")

    assert [(moved.combatant, moved.distance) for moved in done.of(ev.Moved)] == [
        ("vane", metres * 100),
        ("gorm", metres * 100),
    ]
    assert holds(table)
    assert engaged(table, "gorm", "vane")


@pytest.mark.clause("DH-3505", "DH-2120")
@pytest.mark.parametrize("margin", ["own", "difference"])
def test_his_own_degrees_count_whatever_the_table_calls_winning_well(margin: str) -> None:
    table = grappled(True, gorm={**BARE, "size": 4, "ag": 90}, options={"opposed_margin": margin})

    # Three degrees against Vane's two.
    done = grapple(table, "gorm", "push", 39, 20, options={"direction": 90}, grapple_after_push="follow")

    assert done.of(ev.Moved)[0].distance == 400


@both_ways
@pytest.mark.clause("DH-3505", "DH-3548", "DH-5130")
@pytest.mark.parametrize("answer", ["follow", "release"])
def test_he_goes_along_and_keeps_hold_or_stays_and_lets_go(on_map: bool, answer: str) -> None:
    table = grappled(on_map)

    done = grapple(table, "gorm", "push", 50, 99, options={"direction": 90}, grapple_after_push=answer)

    (question,) = done.questions("grapple_after_push")
    assert (question.to, question.default, question.lengths) == ("gorm", "follow", {"distance": 300})
    assert holds(table) is (answer == "follow")
    assert engaged(table, "gorm", "vane") is (answer == "follow")
    assert ended(done) == ([] if answer == "follow" else [("released", "DH-3505")])
    if on_map:
        assert table.who("vane").place == Place(400, 0, 0)
        assert table.who("gorm").place.point == ((300, 0) if answer == "follow" else (0, 0))  # type: ignore[union-attr]


@pytest.mark.clause("DH-3505", "DH-3770")
def test_a_push_needs_room_and_goes_as_far_as_there_is() -> None:
    walled = grappled(True, walls=(((3.2, -2), (3.2, 2)),))
    tight = grappled(True, walls=(((1.6, -2), (1.6, 2)),))
    crowded = grappled(True, {"sable": (1, 1)})

    done = grapple(walled, "gorm", "push", 12, 99, options={"direction": 90}, grapple_after_push="follow")
    assert done.of(ev.Moved)[0].distance == 200
    for table, direction in ((tight, 90), (crowded, 180), (grappled(True), 270)):
        reasons = table.reasons("grapple", "gorm", options={"option": "push", "direction": direction})
        assert cited(reasons) == [("destination_blocked", "DH-3770")]
    assert cited(grappled(True).reasons("grapple", "gorm", options={"option": "push"})) == [
        ("missing_input", "DH-3505")
    ]


@pytest.mark.clause("DH-3505", "DH-3770", "DH-5700")
def test_without_a_map_the_room_is_stated() -> None:
    table = grappled()

    reasons = table.reasons("grapple", "gorm", options={"option": "push"}, said={"destination_free": False})

    assert cited(reasons) == [("destination_blocked", "DH-3770")]


@pytest.mark.clause("DH-3505", "DH-5470")
def test_nobody_goes_along_over_an_edge() -> None:
    table = grappled()

    done = grapple(
        table,
        "gorm",
        "push",
        50,
        99,
        said={"landing": {"vane": Landing(None, over="ledge", drop=600)}},
        grapple_after_push="release",
        fall_vane__damage=1,
        fall_vane__location=50,
    )

    assert [option.id for option in done.questions("grapple_after_push")[0].options] == ["release"]
    assert table.has("vane", "prone")
    assert free(table)


@pytest.mark.clause("DH-3505", "DH-3480")
def test_a_push_gives_nobody_a_free_attack_and_leaves_others_behind() -> None:
    table = grappled(True, {"sable": (1, 1.2), "brok": (-1, 0)})
    for one, other in (("vane", "sable"), ("gorm", "brok")):
        table.rule(cmd.SetEngaged(CombatantId(one), CombatantId(other), True))

    done = grapple(table, "gorm", "push", 50, 99, options={"direction": 90}, grapple_after_push="follow")

    assert done.questions("free_attack") == []
    assert table.who("vane").engaged == ("gorm",)
    assert table.who("gorm").engaged == ("vane",)


@pytest.mark.clause("DH-3505", "DH-5700")
def test_without_a_map_whom_they_leave_is_stated() -> None:
    table = grappled(False, {"sable": (1, 1.2)})
    table.rule(cmd.SetEngaged(CombatantId("vane"), CombatantId("sable"), True))

    grapple(table, "gorm", "push", 50, 99, said={"leaves": ["sable"]}, grapple_after_push="follow")

    assert table.who("vane").engaged == ("gorm",)
    assert holds(table)


@pytest.mark.clause("DH-3505", "DH-3890", "DH-3548")
def test_a_push_through_a_kill_zone_does_not_tear_the_two_apart() -> None:
    table = fight(True, {"brok": (2, -6), **SIDES}, brok={"held": {"laspistol": "main"}, "side": "watch"}, gorm=BARE)
    zone = Sector((200, -600), length(14), 180, 10)
    table.play(
        "overwatch", "brok", options={"attack": "standard_attack", "trigger": "enters_zone"}, area=zone, facing=180
    )
    table.end_turn()
    effect(table, "vane", "grappled", against="gorm")

    done = grapple(
        table, "gorm", "push", 50, 99, options={"direction": 90}, grapple_after_push="follow",
        follow__overwatch__brok__overwatch_fire="hold", push__vane__overwatch__brok__overwatch_fire="fire", to_hit=99,
    )  # fmt: skip

    assert len(done.questions("overwatch_fire")) == 2
    assert holds(table)
    assert table.who("gorm").place.point == (300, 0)  # type: ignore[union-attr]


# The extra options


def with_extras(turn: str = "gorm", on_map: bool = False, **more: Any) -> PlayTable:
    """A grapple at a table that plays the options of the first edition."""
    options = {"grapple_extra_options": True, **more.pop("options", {})}
    return grappled(on_map, turn=turn, options=options, **more)


def lying(**more: Any) -> PlayTable:
    """Both on the ground."""
    table = with_extras(**more)
    for who in ("gorm", "vane"):
        effect(table, who, "prone")
    return table


@pytest.mark.clause("DH-3510")
@pytest.mark.parametrize(("mine", "dragged"), [(20, True), (59, False)])
def test_standing_up_drags_the_other_along_or_ends_it(mine: int, dragged: bool) -> None:
    table = lying()

    done = grapple(table, "gorm", "stand", mine, 99)

    assert done.check.target == 58
    assert not table.has("gorm", "prone")
    assert table.has("vane", "prone") is not dragged
    assert holds(table) is dragged
    assert ended(done) == ([] if dragged else [("released", "DH-3510")])


@pytest.mark.clause("DH-3510")
def test_he_may_stand_up_alone_or_from_under_somebody_who_stands() -> None:
    alone, under = lying(), with_extras()
    effect(under, "gorm", "prone")

    grapple(alone, "gorm", "stand", options={"drag": False})
    grapple(under, "gorm", "stand")

    assert free(alone)
    assert alone.has("vane", "prone")
    assert holds(under)
    assert cited(with_extras().reasons("grapple", "gorm", options={"option": "stand"})) == [("not_prone", "DH-3510")]
    assert lying(turn="vane").why_not("grapple", "vane", options={"option": "stand"}) == ["not_controller"]


@pytest.mark.clause("DH-3510", "DH-3520")
@pytest.mark.parametrize("who", ["gorm", "vane"])
def test_either_side_may_ready_an_item_for_one_hand(who: str) -> None:
    items = {"knife": Item("knife"), "autogun": Item("autogun"), "sword": Item("sword", on_ground=True)}
    people: dict[str, Any] = {"gorm": BARE, who: {"items": items}}
    table = with_extras(who, **people)

    assert table.why_not("grapple", who, options={"option": "ready"}) == ["missing_input"]
    assert table.why_not("grapple", who, weapon="autogun", options={"option": "ready"}) == ["no_free_hand"]
    assert table.why_not("grapple", who, weapon="sword", options={"option": "ready"}) == ["item_not_carried"]
    grapple(table, who, "ready", weapon="knife")

    assert table.who(who).items["knife"].held == "main"
    assert holds(table)


@pytest.mark.clause("DH-3510")
@pytest.mark.parametrize(
    ("answer", "fact"), [(("allow", {"effect": "blinds him"}), "item_used"), ("deny", "gm_refused")]
)
def test_what_an_item_does_the_gm_says(answer: Any, fact: str) -> None:
    table = with_extras(gorm={"items": {"lamp": Item("lamp", held="main")}})

    done = grapple(table, "gorm", "use_item", weapon="lamp", grapple_item=answer)

    told = [note for note in done.of(ev.Noted) if note.fact == fact]
    assert [note.words for note in told] == [("lamp", "blinds him") if fact == "item_used" else ("lamp",)]
    assert table.who("gorm").budget["half_action"] == 0


@pytest.mark.clause("DH-3510", "DH-3520")
def test_only_an_item_in_hand_is_used_and_by_the_target_only_one_for_one_hand() -> None:
    table = with_extras("vane", vane={"items": {"knife": Item("knife"), "autogun": Item("autogun", held="both")}})
    use = {"option": "use_item"}

    assert table.why_not("grapple", "vane", options=use) == ["missing_input"]
    assert table.why_not("grapple", "vane", weapon="knife", options=use) == ["item_not_carried"]
    assert cited(table.reasons("grapple", "vane", weapon="autogun", options=use)) == [("no_free_hand", "DH-3520")]


@pytest.mark.clause("DH-3510", "DH-4550", "DH-3545")
@pytest.mark.parametrize(("weapon", "target"), [("knife", 55), ("laspistol", 65)])
def test_a_table_may_let_weapons_for_one_hand_strike_in_a_grapple(weapon: str, target: int) -> None:
    table = with_extras("vane", vane=BARE, options={"grapple_item_attack": True})
    table.rule(cmd.SetItem(CombatantId("vane"), ItemId(weapon), Item(weapon, held="main", marks={"ammo": 5})))

    done = grapple(table, "vane", "use_item", weapon=weapon, to_hit=95)

    # Weapon Skill 35 or Ballistic Skill 45, + 10 for the Standard Attack + 10 for Gorm's size; none for the grapple.
    assert done.check.target == target
    assert (done.one(ev.AttackMade).action, done.one(ev.AttackMade).clause) == ("grapple", "DH-3510")
    assert holds(table)


@pytest.mark.clause("DH-3510", "DH-4550")
def test_such_an_attack_needs_what_any_attack_needs() -> None:
    empty = {"items": {"laspistol": Item("laspistol", held="main", marks={"ammo": 0})}}
    table = with_extras("vane", vane=empty, options={"grapple_item_attack": True})

    assert table.why_not("grapple", "vane", weapon="laspistol", options={"option": "use_item"}) == ["not_enough_ammo"]


# The turn of who is held


@both_ways
@pytest.mark.clause("DH-3515")
def test_who_is_held_first_declares_grapple(on_map: bool) -> None:
    table = grappled(on_map, turn="vane")
    way = path(on_map, BESIDE, (3, 0), leaves=("gorm",))

    assert cited(table.reasons("aim", "vane")) == [("grapple_must_be_declared_first", "DH-3515")]
    assert cited(table.reasons("move", "vane", **way)) == [
        ("grapple_must_be_declared_first", "DH-3515"),
        ("grappled", "DH-3515"),
    ]
    assert table.why_not("free_action", "vane", note="help!") == []
    assert table.why_not("end_turn", "vane") == []


@both_ways
@pytest.mark.clause("DH-3515", "DH-3520", "DH-3540")
def test_once_free_he_may_go_and_is_struck_at_without_evading(on_map: bool) -> None:
    table = grappled(on_map, turn="vane")

    done = grapple(table, "vane", "break_free", 5, 50)

    assert [(check.target, check.degrees) for check in done.of(ev.CheckRolled)] == [(34, 4), (58, 2)]
    assert ended(done) == [("broken", "DH-3520")]
    assert engaged(table, "gorm", "vane")
    away = table.play(
        "move", "vane", **path(on_map, BESIDE, (3, 0), leaves=("gorm",)), free_attack="take", to_hit=48, damage=1
    )
    assert [question.to for question in away.questions("free_attack")] == ["gorm"]
    assert away.questions("defend") == []


@both_ways
@pytest.mark.clause("DH-3515")
def test_still_held_he_may_not_go_but_do_something_else(on_map: bool) -> None:
    table = grappled(on_map, turn="vane")
    grapple(table, "vane", "break_free", 99, 99)

    for action in ("move", "stand_mount_dismount"):
        reasons = table.reasons(action, "vane", **path(on_map, BESIDE, (3, 0), leaves=("gorm",)))
        assert ("grappled", "DH-3515") in cited(reasons)
    table.play("ready", "vane", weapon="autogun", options={"hand": "stowed"})


@pytest.mark.clause("DH-3515")
def test_a_turn_that_he_ends_without_it_changes_nothing() -> None:
    table = grappled(turn="vane")

    done = table.end_turn()

    assert ended(done) == []
    assert holds(table)


@pytest.mark.clause("DH-3515", "DH-3548", "DH-5620")
def test_somebody_stunned_declares_nothing_and_stays_held() -> None:
    table = grappled(turn="gorm")
    table.play("grapple", "gorm", options={"option": "none"})
    effect(table, "vane", "stunned", 1)

    table.end_turn()

    assert (table.turn, holds(table)) == ("gorm", True)
    assert table.state.clock.round == 3


@pytest.mark.clause("DH-3515", "DH-1190")
def test_out_of_turn_the_duty_is_no_reason() -> None:
    assert grappled().why_not("aim", "vane") == ["not_your_turn"]


@both_ways
@pytest.mark.clause("DH-3520", "DH-3530")
def test_slipping_free_is_acrobatics_against_strength(on_map: bool) -> None:
    table = grappled(on_map, turn="vane")

    done = grapple(table, "vane", "slip_free", 11, 44)

    mine, theirs = done.of(ev.CheckRolled)
    assert (mine.check, mine.target, mine.degrees) == ("acrobatics", 20, 2)
    assert (theirs.check, theirs.target, theirs.degrees) == ("s", 58, 3)
    assert holds(table)


@pytest.mark.clause("DH-3520")
@pytest.mark.parametrize(("die", "out"), [(20, True), (21, False)])
def test_a_table_may_make_it_a_plain_test_of_acrobatics(die: int, out: bool) -> None:
    table = grappled(turn="vane", options={"slip_free_test": "challenging_acrobatics"})

    done = table.play("grapple", "vane", options={"option": "slip_free"}, slip_free__grapple=die)

    assert done.one(ev.CheckRolled).target == 20
    assert free(table) is out


@both_ways
@pytest.mark.clause("DH-3520", "DH-3480")
def test_taking_control_swaps_the_roles_and_does_something_at_once(on_map: bool) -> None:
    table = grappled(on_map, turn="vane")

    done = grapple(
        table, "vane", "take_control", 5, 99,
        grapple_option="throw_down",
        free_option__throw_down__grapple1__vane__grapple=20,
        free_option__throw_down__grapple1__gorm__grapple=99,
    )  # fmt: skip

    (question,) = done.questions("grapple_option")
    assert [option.id for option in question.options] == ["damage", "throw_down", "push", "none"]
    assert ended(done) == []
    assert holds(table, "vane", "gorm")
    assert not table.has("vane", "grappled")
    assert table.has("gorm", "prone")
    table.end_turn()
    assert cited(table.reasons("aim", "gorm")) == [("grapple_must_be_declared_first", "DH-3515")]


@pytest.mark.clause("DH-3520")
def test_taking_control_may_give_no_option_at_some_tables() -> None:
    table = grappled(turn="vane", options={"take_control_free_option": False})

    done = grapple(table, "vane", "take_control", 5, 99)

    assert done.questions() == []
    assert holds(table, "vane", "gorm")


@pytest.mark.clause("DH-3520", "DH-3505", "DH-3770")
def test_the_option_at_once_is_judged_as_any_other() -> None:
    table = grappled(True, turn="vane", walls=(((-0.5, -2), (-0.5, 2)),))
    west: dict[str, Any] = {"grapple_option": ("push", {"direction": 270})}

    with pytest.raises(Refused, match="destination_blocked"):
        grapple(table, "vane", "take_control", 5, 99, **west)
    with pytest.raises(BadAnswer):
        grapple(table, "vane", "take_control", 5, 99, grapple_option="push")
    assert holds(table)


@pytest.mark.clause("DH-3520", "DH-3510")
def test_with_extra_options_they_are_open_at_once_too() -> None:
    table = with_extras("vane", vane={"items": {"knife": Item("knife")}})

    done = grapple(table, "vane", "take_control", 5, 99, grapple_option=("ready", {"weapon": "knife"}))

    ids = [option.id for option in done.questions("grapple_option")[0].options]
    assert ids == ["damage", "throw_down", "push", "ready", "use_item", "none"]
    assert table.who("vane").items["knife"].held == "main"


@pytest.mark.clause("DH-3520", "DH-2090")
@pytest.mark.parametrize("option", ["break_free", "slip_free", "take_control"])
def test_a_test_not_won_changes_nothing(option: str) -> None:
    table = grappled(turn="vane")

    done = grapple(table, "vane", option, 99, 99)

    assert ended(done) == []
    assert holds(table)


@pytest.mark.clause("DH-3520", "DH-3470")
def test_who_took_control_is_not_bound_to_maintain_it_in_the_same_turn() -> None:
    table = grappled(turn="vane", options={"take_control_free_option": False})
    grapple(table, "vane", "take_control", 5, 99)

    table.play("ready", "vane", weapon="autogun", options={"hand": "stowed"})
    table.end_turn()

    assert holds(table, "vane", "gorm")


# Others


@both_ways
@pytest.mark.clause("DH-3545", "DH-5110", "DH-3600")
@pytest.mark.parametrize(
    ("side", "target", "number"), [("gorm", "vane", 52 + 10 + 20 + 10), ("vane", "gorm", 52 + 10 + 20 + 10 + 10)]
)
def test_others_strike_either_at_plus_20_and_neither_evades(on_map: bool, side: str, target: str, number: int) -> None:
    table = grappled(on_map, {"sable": (0.5, 0.8)}, sable={"side": side}, turn="sable")

    done = table.play("standard_attack", "sable", target, weapon="sword", to_hit=80, damage=1)

    assert done.check.target == number
    assert ("target_grappled", 20, "DH-3545") in [(term.id, term.value, term.clause) for term in done.check.terms]
    assert done.questions("defend") == []
    assert holds(table)


@both_ways
@pytest.mark.clause("DH-3545")
@pytest.mark.parametrize(("bonus", "number"), [(0, 72), (30, 102)])
def test_how_much_easier_it_is_the_table_says(on_map: bool, bonus: int, number: int) -> None:
    table = grappled(
        on_map, {"sable": (0.5, 0.8)}, sable={"side": "gorm"}, turn="sable", options={"grapple_ws_bonus": bonus}
    )

    assert table.play("standard_attack", "sable", "vane", weapon="sword", to_hit=100).check.target == number


@both_ways
@pytest.mark.clause("DH-3545", "DH-3600")
def test_a_table_may_let_them_evade(on_map: bool) -> None:
    table = grappled(on_map, {"sable": (0.5, 0.8)}, turn="sable", options={"grapple_no_evasion": False})

    done = table.play("standard_attack", "sable", "vane", weapon="sword", to_hit=50, defend="none", damage=1)

    assert len(done.questions("defend")) == 1


@pytest.mark.clause("DH-3545", "DH-5350")
def test_shots_at_them_are_shots_into_melee_and_no_easier() -> None:
    table = grappled(False, {"brok": (20, 0)}, brok={"held": {"laspistol": "main"}}, turn="brok")

    done = table.play("standard_attack", "brok", "gorm", to_hit=100)

    assert {term.id: term.value for term in done.check.terms}["shooting_into_melee"] == -20
    assert "target_grappled" not in {term.id for term in done.check.terms}


@pytest.mark.clause("DH-3545", "DH-3470")
def test_the_other_side_of_the_grapple_gains_nothing_by_it() -> None:
    table = grappled()

    # The hold is over before he strikes.
    done = table.play("standard_attack", "gorm", "vane", to_hit=99)

    assert done.check.target == 48


@both_ways
@pytest.mark.clause("DH-3548", "DH-3545")
def test_an_attack_from_outside_that_stuns_or_wounds_changes_nothing_in_the_hold(on_map: bool) -> None:
    table = grappled(on_map, {"sable": (0.5, 0.8)}, turn="sable")
    for who in ("gorm", "vane"):
        effect(table, who, "prone")
        effect(table, who, "stunned", 1)

    table.play("standard_attack", "sable", "vane", weapon="sword", to_hit=50, damage=9)

    assert holds(table)


@both_ways
@pytest.mark.clause("DH-3548", "DH-5540", "DH-5560")
@pytest.mark.parametrize("who", ["gorm", "vane"])
@pytest.mark.parametrize("kind", ["dead", "unconscious"])
def test_it_ends_when_either_is_out_of_action(on_map: bool, who: str, kind: str) -> None:
    table = grappled(on_map, {"sable": (0.5, 0.8)}, turn="sable")
    if kind == "unconscious":
        done = effect(table, who, "unconscious")
    else:
        table.rule(cmd.SetPool(CombatantId(who), "wounds", 0), cmd.SetPool(CombatantId(who), "critical_damage", 9))
        done = table.play("standard_attack", "sable", who, weapon="sword", to_hit=50, damage=9)

    assert ended(done) == [(kind, "DH-3548")]
    assert free(table)
    assert table.who("gorm").engaged == ()


@pytest.mark.clause("DH-3548", "DH-3760")
def test_it_ends_when_somebody_pushes_them_apart() -> None:
    table = grappled(True, {"sable": (1, -1)}, turn="sable")

    done = table.play("manoeuvre", "sable", "vane", options={"direction": 90}, sable__manoeuvre=10, vane__manoeuvre=99)

    assert ended(done) == [("apart", "DH-3548")]
    assert free(table)


@pytest.mark.clause("DH-3548", "DH-3760")
def test_pushed_but_still_side_by_side_they_stay_in_it() -> None:
    table = grappled(True, {"sable": (1, -1)}, turn="sable")

    table.play("manoeuvre", "sable", "vane", options={"direction": 180}, sable__manoeuvre=10, vane__manoeuvre=99)

    assert holds(table)


@pytest.mark.clause("DH-3450", "DH-3515", "DH-3470")
def test_a_controller_who_is_seized_himself_sees_to_that_first_and_loses_his_own_hold() -> None:
    table = grappled(False, {"sable": (0, 1)}, sable=BARE, turn="sable")
    seize(table, "sable", "gorm", to_hit=30)
    assert holds(table)
    assert holds(table, "sable", "gorm")
    table.end_turn()

    assert cited(table.reasons("grapple", "gorm", type="full", options={"option": "damage"}))[-1][0] in (
        "wrong_action_type",
        "not_controller",
    )
    done = table.play("grapple", "gorm", options={"option": "break_free"}, gorm__grapple=10, sable__grapple=99)

    assert ended(done) == [("not_maintained", "DH-3470"), ("broken", "DH-3520")]
    assert free(table, "gorm", "vane", "sable")


# The GM


@both_ways
@pytest.mark.clause("DH-3450")
@pytest.mark.parametrize(
    ("who", "kind", "against"), [("vane", "grappled", "gorm"), ("gorm", "grapple_controller", "vane")]
)
def test_a_ruling_that_names_the_other_side_sets_up_both(on_map: bool, who: str, kind: str, against: str) -> None:
    table = beside(on_map)

    effect(table, who, kind, against=against)

    assert holds(table)
    assert engaged(table, "gorm", "vane")
    assert table.why_not("grapple", "gorm", options={"option": "damage"}) == []


@pytest.mark.clause("DH-3515", "DH-3545", "DH-1160")
def test_a_ruling_may_hold_somebody_without_saying_who_does() -> None:
    table = fight(False, {"vane": BESIDE, "gorm": HERE})
    effect(table, "vane", "extended_action", 1)
    effect(table, "vane", "grappled")

    assert not table.has("vane", "extended_action")
    assert table.why_not("aim", "vane") == []
    assert table.why_not("move", "vane", said={"length": 2}) == ["grappled"]
    assert table.why_not("grapple", "vane", options={"option": "break_free"}) == ["not_in_grapple"]
    table.end_turn()
    assert table.has("vane", "grappled")


@both_ways
@pytest.mark.clause("DH-3548")
@pytest.mark.parametrize("how", ["one half", "other half", "moved", "gone", "dead"])
def test_what_a_ruling_leaves_of_a_grapple_binds_nobody_and_is_cleared_away(on_map: bool, how: str) -> None:
    table = grappled(on_map, {"sable": (9, 9)}, turn="vane")
    changes: dict[str, cmd.Command] = {
        "one half": cmd.Rule("x", (cmd.RemoveEffect(CombatantId("vane"), EffectId("grappled")),)),
        "other half": cmd.Rule("x", (cmd.RemoveEffect(CombatantId("gorm"), EffectId("grapple_controller")),)),
        "moved": cmd.Rule(
            "x",
            (cmd.Reposition(CombatantId("gorm"), Place(-500, 0, 0)),)
            if on_map
            else (cmd.SetEngaged(CombatantId("gorm"), CombatantId("vane"), False),),
        ),
        "gone": cmd.Leave((CombatantId("gorm"),)),
        "dead": cmd.Rule("x", (cmd.SetStatus(CombatantId("gorm"), "dead"),)),
    }
    table.command(changes[how])

    assert table.why_not("aim", "vane") == []
    assert table.why_not("grapple", "vane", options={"option": "none"}) == ["not_in_grapple"]
    table.play("aim", "vane")

    assert free(table)


@pytest.mark.clause("DH-3450")
def test_a_ruling_that_gives_somebody_to_another_frees_him_first() -> None:
    table = grappled(False, {"sable": (1, 1)})

    effect(table, "vane", "grappled", against="sable")

    assert holds(table, "sable", "vane")
    assert not table.has("gorm", "grapple_controller")


@pytest.mark.clause("DH-3250", "DH-3515")
def test_a_banked_half_action_of_somebody_held_is_no_way_out() -> None:
    table = fight(False, {"vane": BESIDE, "gorm": HERE}, gorm=BARE)
    table.play("delay", "vane", delay_use="hold")
    seize(table, to_hit=30, defend="none")
    table.end_turn(delay_use="act")

    assert table.turn == "vane"
    assert table.why_not("move", "vane", said={"length": 2, "leaves": ["gorm"]}) == ["grappled"]
    assert table.why_not("ready", "vane", weapon="autogun", options={"hand": "stowed"}) == []


@pytest.mark.clause("DH-3900", "DH-3548")
def test_an_overwatch_shot_before_it_may_end_the_grapple_it_was_for() -> None:
    table = fight(
        True, {"brok": (0, -6), **SIDES}, brok={"held": {"laspistol": "main"}, "side": "watch", "ag": 90}, gorm=BARE
    )
    zone = Sector((0, -600), length(14), 180, 40)
    table.play("overwatch", "brok", options={"attack": "standard_attack", "trigger": "attacks"}, area=zone, facing=180)
    table.end_turn()
    effect(table, "vane", "grappled", against="gorm")
    table.rule(cmd.SetPool(CombatantId("gorm"), "wounds", 0), cmd.SetPool(CombatantId("gorm"), "critical_damage", 9))

    done = grapple(table, "gorm", "damage", overwatch_fire="fire", to_hit=5, damage=9)

    assert ended(done) == [("dead", "DH-3548")]
    assert done.of(ev.ContestSettled) == []


@pytest.mark.clause("DH-3520", "DH-2090", "DH-5110")
@pytest.mark.parametrize(("option", "target"), [("break_free", 44), ("slip_free", 30), ("take_control", 44)])
def test_a_modifier_of_the_gm_counts_in_the_test_of_an_option(option: str, target: int) -> None:
    table = grappled(turn="vane")

    done = grapple(table, "vane", option, 99, 98, modifiers=(10,))

    assert [check.target for check in done.of(ev.CheckRolled)] == [target, 58]
    assert table.has("vane", "grappled")


@pytest.mark.clause("DH-5110")
def test_a_circumstance_of_attacks_is_refused_in_a_grapple() -> None:
    table = grappled(turn="vane")

    refused = table.why_not("grapple", "vane", options={"option": "break_free"}, modifiers=("darkness",))

    assert refused == ["unknown_option"]
