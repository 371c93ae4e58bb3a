"""Whose turn it is, what a turn holds, what it allows once, what expires when. Clauses DH-1010 to DH-1230."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId, EffectId
from app.engine.reasons import Refused
from tests.support.play import PlayTable, duel, table_of


def pair(distance: float = 20, **options: Any) -> PlayTable:
    """Vane to move, Gorm to follow, so far apart."""
    return duel(distance, vane={"sample": "vane"}, gorm={"sample": "gorm"}, options=options)


def effect(table: PlayTable, name: str, kind: str, value: int = 0) -> None:
    """Put a condition on somebody by ruling."""
    table.rule(cmd.AddEffect(CombatantId(name), kind, value))


def remove(table: PlayTable, name: str, kind: str) -> None:
    """Take it away again."""
    table.rule(cmd.RemoveEffect(CombatantId(name), EffectId(kind)))


@pytest.mark.clause("DH-1010")
def test_a_turn_holds_two_different_half_actions_and_no_third() -> None:
    table = pair()

    table.play("aim", "vane")
    table.play("standard_attack", "vane", "gorm", to_hit=99)

    assert table.why_not("ready", "vane", weapon="sword") == ["insufficient_actions", "no_free_hand"]


@pytest.mark.clause("DH-1010")
@pytest.mark.parametrize("second", ["aim", "delay"])
def test_no_full_action_after_a_half_one(second: str) -> None:
    table = pair()

    table.play("ready", "vane", weapon="autogun", options={"hand": "stowed"})

    reasons = table.reasons(second, "vane", type="full")
    assert [(reason.code, reason.clause) for reason in reasons] == [("insufficient_actions", "DH-1010")]


@pytest.mark.clause("DH-1010")
def test_no_half_action_after_a_full_one() -> None:
    table = pair()

    table.play("aim", "vane", type="full")

    assert table.why_not("standard_attack", "vane", "gorm") == ["insufficient_actions"]


@pytest.mark.clause("DH-1020")
def test_the_two_halves_must_differ() -> None:
    table = pair()

    table.play("aim", "vane")

    reasons = table.reasons("aim", "vane")
    assert [(reason.code, reason.clause) for reason in reasons] == [
        ("same_half_action_twice", "DH-1020"),
        ("second_concentration_action", "DH-1080"),
    ]


@pytest.mark.clause("DH-1020", "DH-4310")
def test_ready_may_be_taken_twice_for_two_items_but_not_for_one() -> None:
    table = duel(20, sable={"sample": "sable"}, gorm={"sample": "gorm"})
    table.play("drop_item", "sable", weapon="sword")
    table.play("drop_item", "sable", weapon="sword_2")

    table.play("ready", "sable", weapon="knife")

    assert table.why_not("ready", "sable", weapon="knife", options={"hand": "stowed"}) == ["same_half_action_twice"]


@pytest.mark.clause("DH-1030", "DH-1210")
def test_a_full_action_needs_both_halves_and_a_pinned_combatant_has_one() -> None:
    table = pair()
    effect(table, "gorm", "pinned")
    table.end_turn()

    assert table.who("gorm").budget["half_action"] == 1
    reasons = table.reasons("aim", "gorm", type="full")
    assert ("insufficient_actions", "DH-1030") in [(reason.code, reason.clause) for reason in reasons]


@pytest.mark.clause("DH-1030")
def test_a_full_action_uses_the_whole_turn() -> None:
    table = pair()

    table.play("aim", "vane", type="full")

    assert table.who("vane").budget["half_action"] == 0


@pytest.mark.clause("DH-1040")
def test_free_actions_cost_nothing_and_have_no_number() -> None:
    table = pair()

    table.play("drop_item", "vane", weapon="autogun")
    table.play("free_action", "vane", note="to me!")
    table.play("ready", "vane", weapon="sword")

    assert table.who("vane").budget["half_action"] == 1
    assert table.who("vane").items["autogun"].on_ground


@pytest.mark.clause("DH-1040")
@pytest.mark.parametrize(("taken", "reasons"), [(1, []), (2, ["free_action_limit"])])
def test_a_table_may_limit_free_actions(taken: int, reasons: list[str]) -> None:
    table = pair(gm_free_action_limit=2)

    for word in range(taken):
        table.play("free_action", "vane", note=f"word {word}", gm_free_action_limit="allow")

    assert table.why_not("free_action", "vane", note="one more") == reasons


@pytest.mark.clause("DH-1050", "DH-1190")
def test_speech_is_possible_out_of_turn_and_changes_nothing_else() -> None:
    table = pair()
    before = table.who("gorm")

    done = table.play("free_action", "gorm", note="get down!")

    assert done.one(ev.ActionTaken).note == "get down!"
    assert table.who("gorm") == before


@pytest.mark.clause("DH-1060")
def test_somebody_immobilised_cannot_stand_up() -> None:
    table = pair()
    effect(table, "vane", "immobilised")
    effect(table, "vane", "prone")

    assert table.why_not("stand_mount_dismount", "vane") == ["immobilised"]
    assert table.why_not("aim", "vane") == []


@pytest.mark.clause("DH-1060")
def test_somebody_immobilised_is_offered_parry_but_no_dodge() -> None:
    table = duel(1, gorm={"sample": "gorm", "held": {"great_weapon": "both"}}, sable={"sample": "sable"})
    effect(table, "sable", "immobilised")

    done = table.play("standard_attack", "gorm", "sable", to_hit=30, defend="none", damage=(2, 3))

    question = done.questions("defend")[0]
    assert [option.id for option in question.options] == ["parry", "none"]
    assert [(barred.id, barred.reasons[0].code) for barred in question.barred] == [("dodge", "immobilised")]
    with pytest.raises(Refused) as refused:
        duel_answer(table, "dodge")
    assert [reason.code for reason in refused.value.reasons] == ["immobilised"]


def duel_answer(table: PlayTable, option: str) -> None:
    """Gorm strikes again next round and Sable answers so."""
    table.end_turn()
    table.end_turn()
    table.play("standard_attack", "gorm", "sable", to_hit=30, defend=option)


@pytest.mark.clause("DH-1070", "DH-1230")
def test_one_attack_action_a_turn() -> None:
    table = pair()

    table.play("semi_auto_burst", "vane", "gorm", to_hit=99)

    assert table.why_not("standard_attack", "vane", "gorm") == ["attack_limit", "weapon_jammed"]


@pytest.mark.clause("DH-1080", "DH-1090")
def test_attack_and_concentration_are_counted_apart_and_an_action_may_be_both() -> None:
    table = pair()

    table.play("called_shot", "vane", "gorm", location="head", to_hit=90)

    done = table.who("vane").done[0]
    assert {"attack", "concentration"} <= set(done.tags)
    assert table.why_not("aim", "vane") == ["insufficient_actions", "second_concentration_action"]


@pytest.mark.clause("DH-1090")
def test_aim_and_an_attack_share_a_turn() -> None:
    table = pair()

    table.play("aim", "vane")

    assert table.why_not("standard_attack", "vane", "gorm") == []


@pytest.mark.clause("DH-1100")
def test_a_reaction_is_still_possible_after_an_attack_of_ones_own() -> None:
    table = duel(
        1,
        sable={"sample": "sable"},
        gorm={"sample": "gorm", "held": {"great_weapon": "both"}},
    )
    table.play("standard_attack", "sable", "gorm", to_hit=99)
    table.end_turn()

    done = table.play("standard_attack", "gorm", "sable", to_hit=30, defend="parry", parry=72)

    assert done.one(ev.DefenceResolved).negated == (1,)


@pytest.mark.clause("DH-1110")
def test_one_reaction_a_round_which_comes_back_at_its_start() -> None:
    table = duel(20, ann={"sample": "vane"}, bob={"sample": "vane"}, cid={"sample": "vane"})
    table.rule(
        cmd.SetFact(CombatantId("bob"), CombatantId("cid"), _far()),
        cmd.SetFact(CombatantId("ann"), CombatantId("cid"), _far()),
    )
    table.play("standard_attack", "ann", "cid", to_hit=30, defend="dodge", dodge=40)
    table.end_turn()

    second = table.play("standard_attack", "bob", "cid", to_hit=30, damage=1)

    assert second.questions("defend") == []
    assert table.who("cid").budget["reaction"] == 0
    table.end_turn()
    table.end_turn()
    assert table.state.clock.round == 2
    assert table.who("cid").budget["reaction"] == 1


def _far() -> Any:
    from app.engine.space.model import PairFact

    return PairFact(distance=2000)


@pytest.mark.clause("DH-1110")
def test_an_unused_reaction_does_not_carry_over() -> None:
    table = pair()

    table.end_turn()
    table.end_turn()

    assert table.who("vane").budget["reaction"] == 1


@pytest.mark.clause("DH-1110")
def test_reactions_may_be_refreshed_at_the_own_turn_instead() -> None:
    table = pair(reaction_refresh="own_turn")
    table.rule(cmd.SetBudget(CombatantId("gorm"), "reaction", 0), cmd.SetBudget(CombatantId("vane"), "reaction", 0))

    table.end_turn()
    assert table.who("gorm").budget["reaction"] == 1
    table.end_turn()
    assert (table.state.clock.round, table.who("vane").budget["reaction"]) == (2, 1)


@pytest.mark.clause("DH-1130", "DH-5620")
def test_no_evasion_while_stunned() -> None:
    table = pair()
    effect(table, "gorm", "stunned", 2)

    done = table.play("standard_attack", "vane", "gorm", to_hit=30, damage=1)

    assert done.questions("defend") == []


@pytest.mark.clause("DH-1130", "DH-5050")
def test_no_evasion_against_an_attack_one_is_unaware_of() -> None:
    table = duel(20, vane={"sample": "vane"}, sable={"sample": "sable"})

    done = table.play("standard_attack", "vane", "sable", options={"aware": False}, to_hit=95, damage=1)

    assert done.check.target == 95
    assert done.questions("defend") == []


@pytest.mark.clause("DH-1150", "DH-4150")
def test_an_extended_action_counts_one_step_a_turn_and_completes() -> None:
    table = duel(20, brok={"sample": "brok"}, vane={"sample": "vane"})
    table.rule(cmd.SetItem(CombatantId("brok"), item_id("heavy_stubber"), stubber(12)))

    first = table.play("reload", "brok")
    assert [(figure.id, figure.value) for figure in first.one(ev.Noted).figures] == [("progress", 1), ("needed", 2)]
    assert table.who("brok").items["heavy_stubber"].marks["ammo"] == 12
    table.end_turn()
    table.end_turn()
    table.play("continue_extended_action", "brok")

    assert table.who("brok").items["heavy_stubber"].marks["ammo"] == 80
    assert not table.has("brok", "extended_action")


def item_id(name: str) -> Any:
    """An item id."""
    from app.engine.ids import ItemId

    return ItemId(name)


def stubber(rounds: int) -> Any:
    """A heavy stubber in hand with so many rounds."""
    from app.engine.state import Item

    return Item("heavy_stubber", held="both", marks={"ammo": rounds})


def reloading() -> PlayTable:
    """Brok has done the first of two steps of his reload; it is Vane's turn."""
    table = duel(20, brok={"sample": "brok"}, vane={"sample": "vane"})
    table.rule(cmd.SetItem(CombatantId("brok"), item_id("heavy_stubber"), stubber(12)))
    table.play("reload", "brok")
    table.end_turn()
    return table


@pytest.mark.clause("DH-1150")
def test_nothing_to_continue() -> None:
    table = pair()

    assert table.why_not("continue_extended_action", "vane") == ["no_extended_action"]


@pytest.mark.clause("DH-1170")
def test_an_ordinary_action_cannot_be_continued() -> None:
    table = pair()
    table.play("aim", "vane", type="full")
    table.end_turn()
    table.end_turn()

    assert table.why_not("continue_extended_action", "vane") == ["no_extended_action"]
    table.play("aim", "vane")
    assert "not_extended" in table.why_not("continue_extended_action", "vane")


@pytest.mark.clause("DH-1150")
def test_an_extended_action_is_lost_when_a_turn_goes_by_without_it() -> None:
    table = reloading()
    table.end_turn()

    done = table.end_turn()

    assert [(event.kind, event.why) for event in done.of(ev.EffectEnded)] == [("extended_action", "not_continued")]


@pytest.mark.clause("DH-1160")
def test_a_reaction_interrupts_an_extended_action() -> None:
    table = reloading()

    done = table.play("standard_attack", "vane", "brok", to_hit=30, defend="dodge", dodge=99, damage=1)

    assert ("extended_action", "reaction") in [(event.kind, event.why) for event in done.of(ev.EffectEnded)]


@pytest.mark.clause("DH-1160")
def test_a_wound_alone_does_not_interrupt_an_extended_action() -> None:
    table = reloading()

    table.play("standard_attack", "vane", "brok", to_hit=30, defend="none", damage=9)

    assert table.has("brok", "extended_action")


@pytest.mark.clause("DH-1160")
def test_another_action_interrupts_and_a_free_one_does_not() -> None:
    table = reloading()
    table.end_turn()

    table.play("free_action", "brok", note="cover me")
    assert table.has("brok", "extended_action")
    table.play("aim", "brok")

    assert not table.has("brok", "extended_action")


@pytest.mark.clause("DH-1160")
@pytest.mark.parametrize("cause", ["stunned", "prone", "unconscious"])
def test_what_takes_a_combatant_out_interrupts_an_extended_action(cause: str) -> None:
    table = reloading()

    effect(table, "brok", cause, 1)

    assert not table.has("brok", "extended_action")


@pytest.mark.clause("DH-1160")
def test_cancelling_loses_the_progress_for_free() -> None:
    table = reloading()
    table.end_turn()

    table.play("cancel_extended_action", "brok")

    assert not table.has("brok", "extended_action")
    assert table.who("brok").budget["half_action"] == 2


@pytest.mark.clause("DH-1160")
def test_the_list_of_interruptions_is_an_option() -> None:
    table = duel(
        20,
        brok={"sample": "brok"},
        vane={"sample": "vane"},
        options={"extended_interrupts": ("other_action",)},
    )
    table.rule(cmd.SetItem(CombatantId("brok"), item_id("heavy_stubber"), stubber(12)))
    table.play("reload", "brok")

    effect(table, "brok", "prone")

    assert table.has("brok", "extended_action")


@pytest.mark.clause("DH-1180")
def test_what_lasts_until_the_own_turn_is_gone_at_its_first_instant_in_the_books_order() -> None:
    table = pair()
    for kind in ("delaying", "all_out", "running"):
        effect(table, "gorm", kind)

    done = table.end_turn(delay_use="hold")

    assert [event.kind for event in done.of(ev.EffectEnded)] == ["running", "all_out", "delaying"]


@pytest.mark.clause("DH-1180", "DH-5550", "DH-5660")
def test_the_end_of_a_turn_has_pinning_then_blood_loss_then_stun_then_the_rest() -> None:
    table = pair()
    effect(table, "vane", "blood_loss")
    effect(table, "vane", "pinned")

    done = table.end_turn(recover_from_pinning=1, blood_loss=5)

    told = [event for event in done.events if isinstance(event, ev.CheckRolled | ev.Noted | ev.EffectEnded)]
    assert [type(event).__name__ for event in told] == ["CheckRolled", "EffectEnded", "Noted"]


@pytest.mark.clause("DH-1190")
def test_nothing_else_out_of_turn() -> None:
    table = pair()

    reasons = table.reasons("reload", "gorm")

    assert [(reason.code, reason.clause) for reason in reasons] == [
        ("not_your_turn", "DH-1190"),
        ("not_reloadable", "DH-4150"),
    ]


@pytest.mark.clause("DH-1200")
def test_a_turn_may_always_be_ended() -> None:
    table = pair()
    table.play("aim", "vane", type="full")

    assert table.why_not("end_turn", "vane") == []
    table.end_turn()

    assert table.turn == "gorm"


@pytest.mark.clause("DH-1210")
@pytest.mark.parametrize("condition", ["stunned", "helpless", "surprised"])
def test_who_has_no_actions_is_told_why_and_his_turn_passes(condition: str) -> None:
    table = pair()
    effect(table, "gorm", condition, 1)

    assert condition in table.why_not("reload", "gorm")
    table.end_turn()

    assert table.turn == "vane"


@pytest.mark.clause("DH-1210", "DH-5640")
def test_a_pinned_combatant_in_cover_shoots_at_a_penalty_and_does_nothing_more() -> None:
    from app.engine.space.model import Cover, CoverPiece

    table = pair()
    table.rule(cmd.SetCover(CombatantId("vane"), Cover(50, (CoverPiece("sandbags", 8, ("body", "left_leg")),))))
    effect(table, "vane", "pinned")
    table.end_turn(recover_from_pinning=99)
    table.end_turn()

    done = table.play("standard_attack", "vane", "gorm", to_hit=99)

    assert done.check.target == 55
    assert [(reason.code, reason.clause) for reason in table.reasons("aim", "vane")] == [
        ("insufficient_actions", "DH-1210")
    ]


@pytest.mark.clause("DH-1220")
@pytest.mark.parametrize(
    ("action", "actor", "targets", "fields", "reasons"),
    [
        ("called_shot", "vane", ("gorm",), {"type": "half"}, ["wrong_action_type"]),
        ("aim", "vane", (), {"type": "full"}, []),
        ("somersault", "vane", (), {}, ["unknown_action"]),
        ("aim", "nobody", (), {}, ["unknown_combatant"]),
        ("standard_attack", "vane", ("nobody",), {}, ["unknown_combatant"]),
        ("standard_attack", "vane", ("vane",), {}, ["invalid_target"]),
    ],
)
def test_what_cannot_be_judged_is_refused_alone(
    action: str, actor: str, targets: tuple[str, ...], fields: dict[str, Any], reasons: list[str]
) -> None:
    table = pair()

    assert table.why_not(action, actor, *targets, **fields)[: len(reasons) or 1] == reasons


@pytest.mark.clause("DH-1220")
def test_the_dead_cannot_be_attacked_and_do_not_act() -> None:
    table = pair()
    table.rule(cmd.SetStatus(CombatantId("gorm"), "dead"))

    assert "invalid_target" in table.why_not("standard_attack", "vane", "gorm")
    assert "dead" in table.why_not("aim", "gorm")


@pytest.mark.clause("DH-1220")
def test_nothing_is_accepted_before_the_start() -> None:
    table = pair()
    import msgspec

    table.state = msgspec.structs.replace(table.state, status="setup")

    assert table.why_not("aim", "vane") == ["encounter_not_running"]


@pytest.mark.clause("DH-1230")
def test_all_reasons_come_at_once_in_the_order_of_their_clauses() -> None:
    table = duel(5, sable={"sample": "sable"}, gorm={"sample": "gorm"})
    table.play("drop_item", "sable", weapon="sword_2")
    table.play("ready", "sable", weapon="knife")
    table.play("aim", "sable")

    reasons = table.reasons("standard_attack", "sable", "gorm", weapon="sword")

    assert [(reason.code, reason.clause) for reason in reasons] == [
        ("insufficient_actions", "DH-1010"),
        ("not_engaged", "DH-4550"),
    ]


@pytest.mark.clause("DH-1230")
def test_out_of_turn_stands_in_place_of_budget_and_limits() -> None:
    table = duel(20, vane={"sample": "vane"}, brok={"sample": "brok"})
    table.rule(cmd.SetItem(CombatantId("brok"), item_id("autogun"), jammed_autogun()))

    reasons = table.reasons("standard_attack", "brok", "vane", weapon="autogun")

    assert [(reason.code, reason.clause) for reason in reasons] == [
        ("not_your_turn", "DH-1190"),
        ("weapon_jammed", "DH-4550"),
    ]


def jammed_autogun() -> Any:
    """An autogun that has jammed."""
    from app.engine.state import Item

    return Item("autogun", held="both", marks={"ammo": 10, "jammed": 1})


def test_the_dead_leave_the_order() -> None:
    table = table_of(*duel(20, a={"sample": "vane"}, b={"sample": "vane"}).state.combatants.values())
    table.rule(cmd.SetStatus(CombatantId("b"), "dead"))

    table.end_turn()

    assert table.turn == "a"
