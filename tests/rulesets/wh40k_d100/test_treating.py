"""What lasts until it is treated, and the words and rulings that shape a fight."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import Ground, PairFact, pair_key
from app.engine.state import Scenery
from tests.rulesets.wh40k_d100.fights import begin, both_ways, fight, held, region, terms, through, two
from tests.support.play import book, length, ruleset

SWORD = {"items": held("sword")}


@pytest.mark.clause("WH-940", "WH-920")
@both_ways
def test_treating_ends_what_lasts_until_treated(on_map: bool) -> None:
    table = two(on_map, 1, varro={"side": "us"}, lyse={"side": "us", "wounds_max": 60})
    begin(table, "lyse", "bleeding")
    begin(table, "lyse", "leg_disabled", 3)

    done = table.play("treat", "varro", "lyse")

    assert [(one.kind, one.why) for one in done.of(ev.EffectEnded)] == [("bleeding", "treated")]
    assert table.has("lyse", "leg_disabled"), "three rounds are three rounds"
    assert table.who("varro").budget["half_action"] == 0
    table.end_turn()
    assert table.who("lyse").pools["wounds"] == 60


@pytest.mark.clause("WH-940", "WH-200")
def test_what_cannot_be_treated() -> None:
    table = fight(varro={"side": "us", "at": (0, 0, 90)}, lyse={"side": "us", "at": (2.5, 0, 0)}, t1={"at": (0, 1, 0)})
    assert table.why_not("treat", "varro", "lyse") == ["out_of_reach", "nothing_to_treat"]
    begin(table, "varro", "bleeding")
    begin(table, "t1", "bleeding")
    begin(table, "t1", "hidden")

    assert table.why_not("treat", "varro", "varro") == []
    assert table.why_not("treat", "varro", "t1") == ["no_such_target"]
    table.rule(cmd.SetStatus(CombatantId("lyse"), "dead"))
    assert table.why_not("treat", "varro", "lyse") == ["target_is_dead", "out_of_reach"]


@pytest.mark.clause("WH-940")
def test_an_arm_out_of_use_until_treated_serves_again() -> None:
    table = fight(apart=1, a={"sample": "varro", "ws": 90, "s": 50, **SWORD}, varro={"wounds_max": 4})
    # 11 is the right arm; 10 + 5 less armour 4 and toughness 4 is 7, three more than the wounds; Extreme row 5 besides.
    table.play("attack", "a", "varro", to_hit=11, defend="none", damage=10, extreme=5)
    assert table.has("varro", "arm_disabled")
    assert table.why_not("ready", "varro", weapon="lasgun") != []
    table.end_turn()
    table.until_turn_of("a")
    table.play("treat", "a", "varro")

    assert not table.has("varro", "arm_disabled", "bleeding")


# WH-090, WH-095


@pytest.mark.clause("WH-090")
def test_a_ruling_that_two_are_in_melee_holds_on_a_map_until_they_part() -> None:
    """Neither holds a blade, so that nothing else locks them."""
    gun = {"items": held("lasgun", "both")}
    table = fight(varro={"at": (0, 0, 90), **gun}, t1={"at": (1, 0, 270), **gun})
    assert table.why_not("attack", "varro", "t1") == []
    table.rule(cmd.SetEngaged(CombatantId("varro"), CombatantId("t1"), True))
    table.end_turn()
    table.end_turn()

    assert table.why_not("attack", "varro", "t1") == ["weapon_not_usable_in_melee"]
    assert table.why_not("move", "varro", path=[(-3, 0)]) == ["engaged_must_disengage"]
    table.play("disengage", "varro", path=[(-3, 0)])
    assert table.who("t1").engaged == ()


@pytest.mark.clause("WH-095", "WH-410", "WH-460", "WH-510")
def test_every_word_in_which_space_may_be_stated_changes_a_test() -> None:
    words = ruleset("wh40k_d100").vocabulary
    assert words.bands == ("point_blank", "short", "combat", "long", "extreme")

    def shot(**facts: Any) -> dict[str, int]:
        table = fight(apart=60, varro={"items": held("lasgun", "both")}, grash=SWORD)
        fact = {pair_key("varro", "grash"): PairFact(distance=length(60), **facts)}
        table.state = table.state.__class__(
            **{name: getattr(table.state, name) for name in table.state.__struct_fields__ if name != "scenery"},
            scenery=Scenery(facts=fact),
        )
        return terms(table.play("attack", "varro", "grash", to_hit=99).check)

    assert all(shot(between=(word,)) for word in words.air)
    for word in words.ground:
        people: dict[str, Any] = {"varro": {"at": (0, 0, 90), **SWORD}, "grash": {"at": (1, 0, 270), **SWORD}}
        done = fight(ground=Ground(regions=(region(word),)), **people).play("attack", "varro", "grash", to_hit=99)
        assert terms(done.check)
    for band, value in zip(words.bands, (30, 10, 0, -10, -30), strict=True):
        table = fight(varro={"items": held("lasgun", "both")}, grash=SWORD)
        done = table.play("attack", "varro", "grash", said={"bands": {"grash": band}}, to_hit=99)
        assert done.check.target == 45 + value


# WH-640


@pytest.mark.clause("WH-640", "WH-650")
def test_a_sample_has_a_pistol_in_its_second_pair_of_arms() -> None:
    table = fight(apart=1, quad={"sample": "quad_duellist"}, grash={**SWORD, "wounds_max": 60})

    blow = table.play("attack", "quad", "grash", options={"pair": 1}, to_hit=48, defend="none", damage=9)
    shot = table.play("attack", "quad", "grash", options={"pair": 2}, to_hit=70, defend="none", damage=9)

    assert (blow.check.check, blow.check.target) == ("ws", 48)
    # 40 and point blank, which counts in melee too (WH-500).
    assert (shot.check.check, shot.check.target) == ("bs", 70)
    assert table.who("quad").budget["half_action"] == 0
    assert through(blow) == [9 + 4 - 2 - 5]


@pytest.mark.clause("WH-920")
def test_the_critical_table_may_differ_by_the_type_of_damage() -> None:
    """A house rule: fire that wounds gravely knocks nobody down but burns; other damage is as it was."""
    made = book("wh40k_d100").document
    rows = made["tables"]["criticals"]
    burning = {"value": 2, "damage_type": "energy", "torso": [{"do": "fatigue", "amount": 3}]}
    from tests.support.play import catalog

    rules = catalog().restore({**made, "tables": {**made["tables"], "criticals": [*rows, burning]}}).ruleset
    for weapon, fatigue, stunned in (("laspistol", 3, False), ("autogun", 0, True)):
        hand = "main" if weapon == "laspistol" else "both"
        table = fight(apart=20, a={"sample": "varro", "items": held(weapon, hand)}, b={"wounds_max": 3, "minor": 0})
        table.rules = rules
        soft = table.who("b").sheet.armour["torso"] + 3
        raw = {"laspistol": 2, "autogun": 3}[weapon]

        table.play("attack", "a", "b", to_hit=15, defend="none", damage=5 + soft - raw)

        assert table.who("b").pools["critical_damage"] == 2
        assert table.who("b").pools["fatigue"] == fatigue
        assert table.has("b", "stunned") is stunned
