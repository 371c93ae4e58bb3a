"""Damage, monitors, wounds, electricity, dying. Clauses SR-700 to SR-790."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from rulesets.shadowrun_5e.figures import physical_boxes, stun_boxes, wound_modifier
from rulesets.shadowrun_5e.harm import Harm, armor_terms
from tests.rulesets.shadowrun_5e.fights import done, fight, held, order, pool, rolls, score, terms_of
from tests.support.play import Played, PlayTable, book

B = CombatantId("b")


def hit(table: PlayTable, net: int, soaked: int, soak: int, gun: str = "ak_97", dice: int = 6) -> Played:
    """A hit on b with so many net hits, of which so much is soaked."""
    return table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon=gun,
        defend="plain",
        attack__dice=rolls(dice, net),
        defense__dice=rolls(6, 0),
        soak__dice=rolls(soak, soaked),
    )


def target(apart: float = 5, **more: Any) -> PlayTable:
    """A ganger shoots at b, of whom these are the figures."""
    return fight(apart=apart, a={"score": 20}, b={"score": 13, **more}, c=5)


@pytest.mark.clause("SR-700")
def test_the_damage_value_is_the_weapons_and_the_net_hits() -> None:
    table = fight(apart=5, a={"score": 20, "items": held(ares_predator_v="main")}, b=13)

    shot = hit(table, 3, 13, 13, "ares_predator_v")

    dealt = shot.one(ev.DamageDealt)
    assert (dealt.raw, dealt.damage_type) == (11, "P")


@pytest.mark.clause("SR-710")
@pytest.mark.parametrize(
    ("armor", "ap", "value"),
    [(12, -4, 8), (2, -5, 0), (9, 5, 14), (0, 5, 0), (0, -2, 0), (5, -5, 0)],
)
def test_armour_is_pierced_to_nothing_at_most_and_only_some_armour_is_helped(armor: int, ap: int, value: int) -> None:
    table = target(armour={"body": armor} if armor else {})

    found = armor_terms(table.table, Harm(None, B, (), "P", ap))

    assert sum(term.value for term in found) == value


@pytest.mark.clause("SR-710")
def test_what_is_worn_beside_it_and_the_body_itself_add_to_the_best_armour() -> None:
    sheet = book("shadowrun_5e").read_sheet({"armour": ["armor_vest", "armor_jacket", "helmet"]})
    assert sheet.armour == {"body": 12, "accessory": 2}
    table = fight(boulder=20, b=5)

    (term,) = armor_terms(table.table, Harm(None, CombatantId("boulder"), (), "P"))

    assert term.value == 13


@pytest.mark.clause("SR-720")
def test_at_exactly_the_armour_it_is_physical_and_what_stuns_always_stuns() -> None:
    for armor, kind in ((13, "P"), (14, "S")):
        dealt = hit(target(armour={"body": armor}), 1, 0, 5 + armor - 2).one(ev.DamageDealt)
        assert (dealt.raw, armor - 2, dealt.damage_type) == (11, armor - 2, kind)
    table = fight(apart=5, a={"score": 20, "items": held(defiance_ex_shocker="main")}, b={"score": 13, "armour": {}})
    assert hit(table, 2, 5, 5, "defiance_ex_shocker").one(ev.DamageDealt).damage_type == "S"


@pytest.mark.clause("SR-730", "SR-750", "SR-570")
def test_soak_is_body_and_armour_without_limit_wounds_or_running() -> None:
    table = fight(apart=5, b={"score": 22, "pools": {"physical": 3}}, a=20)
    table.play("run", "b")
    done(table)

    shot = table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(6, 1),
        defense__dice=rolls(7, 0),
        soak__dice=rolls(12, 8),
    )

    assert terms_of(shot, "soak") == {"body": 5, "armor": 9, "ap": -2}
    assert (shot.one(ev.DamageDealt).through, pool(table, "b", "physical")) == (3, 6)


@pytest.mark.clause("SR-730")
def test_soaked_whole_it_does_nothing() -> None:
    table = target()

    shot = hit(table, 1, 11, 12)

    assert shot.one(ev.DamageDealt).through == 0
    assert pool(table, "b", "physical") == 0


# Monitors


@pytest.mark.clause("SR-740")
@pytest.mark.parametrize(
    ("body", "willpower", "boxes"), [(4, 4, (10, 10)), (5, 3, (11, 10)), (1, 1, (9, 9)), (9, 4, (13, 10))]
)
def test_a_monitor_is_eight_and_half_the_attribute(body: int, willpower: int, boxes: tuple[int, int]) -> None:
    table = target(body=body, willpower=willpower)

    assert (physical_boxes(table.table, B), stun_boxes(table.table, B)) == boxes


@pytest.mark.clause("SR-740")
@pytest.mark.parametrize(
    ("filled", "boxes", "stun", "physical"), [(9, 4, 10, 1), (8, 3, 10, 0), (8, 4, 10, 1), (5, 4, 9, 0), (6, 8, 10, 2)]
)
def test_too_much_stun_is_half_as_much_physical(filled: int, boxes: int, stun: int, physical: int) -> None:
    table = fight(
        apart=5,
        a={"score": 20, "items": held(defiance_ex_shocker="main")},
        b={"score": 13, "willpower": 3, "armour": {}, "body": 9, "pools": {"stun": filled}},
    )

    table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="defiance_ex_shocker",
        defend="plain",
        attack__dice=rolls(6, 1),
        defense__dice=rolls(6 - filled // 3, 0),
        soak__dice=rolls(9, 10 - boxes) if boxes >= 1 else rolls(9, 9),
    )

    assert (pool(table, "b", "stun"), pool(table, "b", "physical")) == (stun, physical)


@pytest.mark.clause("SR-750")
@pytest.mark.parametrize(
    ("physical", "stun", "modifier"), [(5, 4, -2), (3, 3, -2), (2, 2, 0), (0, 9, -3), (9, 0, -3), (2, 3, -1)]
)
def test_every_full_row_of_three_is_a_die(physical: int, stun: int, modifier: int) -> None:
    table = target(pools={"physical": physical, "stun": stun})

    assert wound_modifier(table.table, B) == modifier


@pytest.mark.clause("SR-750", "SR-060")
def test_a_wound_counts_in_the_very_next_test_and_in_the_score() -> None:
    table = target()

    hit(table, 1, 8, 12)

    assert (pool(table, "b", "physical"), score(table, "b")) == (3, 12)
    done(table)
    shot = table.play(
        "fire_single_shot",
        "b",
        "a",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(5, 0),
        defense__dice=rolls(6, 0),
    )
    assert terms_of(shot, "attack")["wounds"] == -1


# Knock-down


@pytest.mark.clause("SR-760")
@pytest.mark.parametrize(("soaked", "prone"), [(6, False), (5, True)])
def test_at_the_limit_he_stands_above_it_he_falls(soaked: int, prone: bool) -> None:
    table = target(strength=3, body=4, reaction=4, armour={"body": 5})

    shot = table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(6, 1),
        defense__dice=rolls(7, 0),
        soak__dice=rolls(7, soaked),
    )

    assert shot.one(ev.DamageDealt).through == 11 - soaked
    assert table.has("b", "prone") is prone


@pytest.mark.clause("SR-760")
@pytest.mark.parametrize(("soaked", "prone"), [(2, False), (1, True)])
def test_ten_boxes_knock_down_whoever_it_is(soaked: int, prone: bool) -> None:
    table = fight(apart=5, a=20, boulder={"score": 13, "armour": {"body": 2}, "natural_armor": 0})

    shot = table.play(
        "fire_single_shot",
        "a",
        "boulder",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(6, 1),
        defense__dice=rolls(5, 0),
        soak__dice=rolls(9, soaked),
    )

    assert shot.one(ev.DamageDealt).through == 11 - soaked
    assert table.has("boulder", "prone") is prone


# Electricity


@pytest.mark.clause("SR-770")
def test_a_shock_costs_five_once_and_a_die_until_the_end_of_the_next_turn() -> None:
    table = fight(
        apart=1, okoye={"score": 30, "items": held(stun_baton="main")}, b={"score": 13, "willpower": 10}, c=28
    )

    def zap(soak: int, defense: int) -> None:
        table.play(
            "melee_attack",
            "okoye",
            "b",
            weapon="stun_baton",
            defend="plain",
            attack__dice=rolls(7, 1),
            defense__dice=rolls(defense, 0),
            soak__dice=rolls(9, soak),
        )

    zap(9, 5)
    assert (score(table, "b"), table.has("b", "electrified")) == (8, True)
    order(table, 2)
    looked = table.play("observe_in_detail", "b", observe__dice=rolls(1, 0))
    assert terms_of(looked, "observe")["electrified"] == -1
    done(table)
    assert table.turn == "okoye"
    before = score(table, "b")
    zap(9, 5)
    assert score(table, "b") == before
    for expected in (True, False):
        while table.state.clock.round == (1 if expected else 2):
            done(table, **_rolled(table))
        assert table.has("b", "electrified") is expected


def _rolled(table: PlayTable) -> dict[str, Any]:
    """Initiative for all, where this was the last phase of the Combat Turn."""
    clock, left = table.state.clock, []
    for name in table.state.combatants:
        value = score(table, name)
        if (value > 0 and name not in clock.acted and name != table.turn) or value > 10:
            left.append(name)
    return {} if left else {f"{name}__score": 6 - at for at, name in enumerate(table.state.combatants)}


@pytest.mark.clause("SR-770")
def test_without_a_box_there_is_no_shock() -> None:
    table = fight(apart=1, okoye={"score": 20, "items": held(stun_baton="main")}, b={"score": 13, "body": 12})

    table.play(
        "melee_attack",
        "okoye",
        "b",
        weapon="stun_baton",
        defend="plain",
        attack__dice=rolls(7, 1),
        defense__dice=rolls(5, 0),
        soak__dice=rolls(16, 10),
    )

    assert (score(table, "b"), table.has("b", "electrified")) == (13, False)


# Down


@pytest.mark.clause("SR-780", "SR-740")
def test_a_full_stun_monitor_is_unconsciousness_and_the_delay_is_lost() -> None:
    table = fight(b={"score": 22, "willpower": 3}, a=20, c=5)
    table.play("delay_action", "b", delayed_intervention="wait")

    table.rule(cmd.SetPool(B, "stun", 10))

    assert table.has("b", "unconscious", "prone")
    assert not table.has("b", "delaying")
    assert table.who("b").status == "down"
    assert order(table, 1) == ["a"]
    assert table.turn == "c"
    assert table.why_not("speak_phrase", "b") == ["cannot_act"]


@pytest.mark.clause("SR-780")
def test_nine_of_ten_boxes_are_not_enough_and_healing_wakes() -> None:
    table = fight(b={"score": 22, "willpower": 3}, a=20)
    table.rule(cmd.SetPool(B, "stun", 9))
    assert not table.has("b", "unconscious")
    table.rule(cmd.SetPool(B, "stun", 10))

    table.rule(cmd.SetPool(B, "stun", 9))

    assert (table.has("b", "unconscious"), table.who("b").status) == (False, "up")


@pytest.mark.clause("SR-790")
@pytest.mark.parametrize(("overflow", "status"), [(4, "down"), (5, "dead")])
def test_more_overflow_than_body_is_death(overflow: int, status: str) -> None:
    table = fight(b={"score": 22, "body": 4}, a=20, c=5)
    table.rule(cmd.SetPool(B, "physical", 10))
    assert table.has("b", "dying")

    table.rule(cmd.SetPool(B, "overflow", overflow))

    assert table.who("b").status == status
    assert table.has("b", "dead") is (status == "dead")


@pytest.mark.clause("SR-790", "SR-740")
def test_damage_beyond_a_full_monitor_overflows() -> None:
    table = target(body=4, pools={"physical": 8}, armour={"body": 2})

    table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(6, 1),
        defense__dice=rolls(4, 0),
        soak__dice=rolls(4, 4),
    )

    assert (pool(table, "b", "physical"), pool(table, "b", "overflow"), table.who("b").status) == (10, 5, "dead")


@pytest.mark.clause("SR-790", "SR-955")
def test_who_is_dying_bleeds_every_body_times_twenty_turns_until_stabilized() -> None:
    table = fight(a=5, b={"score": 3, "body": 1})
    table.rule(cmd.SetPool(B, "physical", 9))
    bleeding = next(iter(table.table.effects(B, "bleeding")))
    assert [tick.times for chain in bleeding.until for tick in chain] == [20]

    for turn in range(1, 21):
        assert pool(table, "b", "overflow") == 0, turn
        done(table, a__score=1)
        while table.state.clock.round == turn:
            done(table, **({"a__score": 1} if score(table, "a") <= 10 else {}))

    assert pool(table, "b", "overflow") == 1
    table.rule(cmd.AddEffect(B, "stabilized"))
    with pytest.raises(Refused):
        table.play("speak_phrase", "b")
