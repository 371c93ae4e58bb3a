"""Focus Power: powers of the submission and of the table, their test, what they strike. Clauses DH-4660 to DH-4680."""

from copy import deepcopy
from typing import Any

import msgspec
import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.rules import Ruleset
from tests.rulesets.dark_heresy_2e.firing import barred, cited
from tests.rulesets.dark_heresy_2e.going import both_ways, fight
from tests.support.play import Played, PlayTable, book, catalog, duel

VANE, GORM = CombatantId("vane"), CombatantId("gorm")
PSYKER = {"sample": "vane", "psy_rating": 3, "wp": 41}
SMITE = {
    "power": "smite",
    "test": "wp",
    "subtypes": ["attack", "concentration"],
    "power_attack": "bolt",
    "damage": "1d10+3",
    "penetration": 2,
    "range": 2000,
}
"""A bolt as a submission describes it."""
SIGHT = {"power": "second sight", "test": "per", "subtypes": ["concentration"], "sustain": True}
"""A power whose effect the GM tells."""


def pair(distance: float = 10, psyker: dict[str, Any] = PSYKER, **options: Any) -> PlayTable:
    """The psyker to act, Gorm to follow."""
    return duel(distance, vane=psyker, gorm={"sample": "gorm"}, options=options)


def cast(table: PlayTable, *targets: str, options: dict[str, Any], **given: Any) -> Played:
    """Focus a power that the GM allows."""
    return table.play("focus_power", "vane", *targets, options=options, gm_power="allow", **given)


def knowing(**powers: dict[str, Any]) -> Ruleset:
    """The ruleset of a table that knows these powers."""
    document = deepcopy(dict(book().document))
    document["actions"]["focus_power"]["params"]["powers"] = powers
    return catalog().restore(document).ruleset


# The test


@pytest.mark.clause("DH-4660")
def test_a_power_is_a_test_with_its_own_type_and_subtypes() -> None:
    table = pair()

    done = cast(table, "gorm", options=SMITE, focus_power=20, defend="none", damage=5)

    check = done.of(ev.CheckRolled)[0]
    assert (check.check, check.target, check.degrees, check.clause) == ("wp", 41, 3, "DH-4660")
    taken = done.one(ev.ActionTaken)
    assert (taken.form, taken.tags) == ("half", ("attack", "concentration"))
    assert cited(table.reasons("aim", "vane")) == [("second_concentration_action", "DH-1080")]
    assert cited(table.reasons("standard_attack", "vane", "gorm")) == [("attack_limit", "DH-1070")]


@pytest.mark.clause("DH-4660")
@pytest.mark.parametrize(
    ("first", "options", "reasons"),
    [
        (("aim",), SMITE, [("second_concentration_action", "DH-1080")]),
        (("standard_attack", "gorm"), SMITE, [("attack_limit", "DH-1070")]),
        (("standard_attack", "gorm"), SIGHT, []),
    ],
)
def test_its_subtypes_count_against_the_allowances_of_the_turn(
    first: tuple[str, ...], options: dict[str, Any], reasons: list[tuple[str, str]]
) -> None:
    table = pair()
    table.play(first[0], "vane", *first[1:], **({"to_hit": 90} if len(first) > 1 else {}))

    assert cited(table.reasons("focus_power", "vane", "gorm", options=options)) == reasons


@pytest.mark.clause("DH-4660", "DH-1010")
def test_a_full_power_takes_the_whole_turn_and_a_free_one_nothing() -> None:
    table = pair()
    cast(table, options=SIGHT, type="free", focus_power=90)
    assert table.who("vane").budget["half_action"] == 2

    table.play("ready", "vane", weapon="autogun", options={"hand": "stowed"})
    full = {**SIGHT, "subtypes": []}
    assert cited(table.reasons("focus_power", "vane", type="full", options=full)) == [
        ("insufficient_actions", "DH-1010")
    ]


@pytest.mark.clause("DH-4660")
@pytest.mark.parametrize(
    ("options", "targets", "reasons"),
    [
        ({}, (), [("missing_input", "DH-4660")]),
        ({"power": "smite"}, (), [("missing_input", "DH-4660"), ("unknown_power", "DH-4660")]),
        ({**SIGHT, "test": "cookery"}, (), [("unknown_skill", "DH-4660")]),
        (SMITE, (), [("missing_input", "DH-5700")]),
        (SMITE, ("vane",), [("invalid_target", "DH-1220")]),
        ({**SMITE, "damage": None}, ("gorm",), [("missing_input", "DH-4670")]),
        ({**SMITE, "damage": "a lot"}, ("gorm",), [("unknown_option", "DH-4670")]),
        ({**SMITE, "power_attack": "blast"}, ("gorm",), [("missing_input", "DH-4670")]),
        (SIGHT, ("vane",), []),
        (SIGHT, (), []),
    ],
)
def test_what_must_be_known_of_a_power(
    options: dict[str, Any], targets: tuple[str, ...], reasons: list[tuple[str, str]]
) -> None:
    assert cited(pair().reasons("focus_power", "vane", *targets, options=options)) == reasons


@both_ways
@pytest.mark.clause("DH-4660")
@pytest.mark.parametrize(("distance", "reasons"), [(20, []), (20.1, [("out_of_range", "DH-4660")])])
def test_it_reaches_as_far_as_its_range(on_map: bool, distance: float, reasons: list[tuple[str, str]]) -> None:
    table = fight(on_map, {"vane": (0, 0), "gorm": (distance, 0)}, vane=PSYKER)

    assert cited(table.reasons("focus_power", "vane", "gorm", options=SMITE)) == reasons


@pytest.mark.clause("DH-4660", "DH-5170", "DH-5700")
def test_it_needs_sight_and_a_known_distance() -> None:
    walled = fight(True, {"vane": (0, 0), "gorm": (10, 0)}, walls=(((5, -5), (5, 5)),), vane=PSYKER)
    assert walled.why_not("focus_power", "vane", "gorm", options=SMITE) == ["no_line_of_sight"]

    table = fight(False, {"vane": (0, 0), "gorm": (10, 0)}, vane=PSYKER)
    table.state = msgspec.structs.replace(table.state, scenery=msgspec.structs.replace(table.state.scenery, facts={}))
    assert table.why_not("focus_power", "vane", "gorm", options=SMITE) == ["missing_input"]
    said = {"distance": {"gorm": 20}}
    assert table.why_not("focus_power", "vane", "gorm", options=SMITE, said=said) == []


@pytest.mark.clause("DH-4660")
def test_a_power_that_only_the_submission_describes_is_the_gms_to_allow() -> None:
    table = pair()

    done = table.play("focus_power", "vane", "gorm", options=SMITE, gm_power="deny")

    assert [type(event).__name__ for event in done.events] == ["Noted"]
    assert (done.one(ev.Noted).fact, done.one(ev.Noted).words) == ("gm_refused", ("smite",))
    assert table.who("vane").budget["half_action"] == 2


@pytest.mark.clause("DH-4660")
@pytest.mark.parametrize(
    ("answer", "told"), [(("ruled", {"effect": "He sees."}), ["second sight", "He sees."]), ("nothing", [])]
)
def test_the_gm_tells_the_effect_of_what_is_not_coded(answer: Any, told: list[str]) -> None:
    table = pair()

    done = cast(table, options=SIGHT, focus_power=20, power_effect=answer)

    assert [word for fact in done.of(ev.Noted) for word in fact.words] == told
    assert cast(pair(), options=SIGHT, focus_power=90).questions("power_effect") == []


@pytest.mark.clause("DH-4660")
def test_a_table_may_know_powers_by_name() -> None:
    rules = knowing(
        smite={
            "type": "full",
            "subtypes": ["attack", "concentration"],
            "modifier": -10,
            "range": 20,
            "attack": "bolt",
            "damage": "1d10",
        }
    )
    table = duel(10, rules=rules, vane=PSYKER, gorm={"sample": "gorm"})
    known = {"power": "smite"}

    assert cited(table.reasons("focus_power", "vane", "gorm", type="half", options=known)) == [
        ("wrong_action_type", "DH-4660")
    ]
    done = table.play("focus_power", "vane", "gorm", options=known, focus_power=31, defend="none", damage=9)

    assert (done.check.target, done.one(ev.ActionTaken).form) == (31, "full")
    assert done.questions("gm_power") == []
    assert done.one(ev.DamageDealt).raw == 9


# Figures


@pytest.mark.clause("DH-4670")
@pytest.mark.parametrize(("rating", "target"), [(None, 41), (3, 41), (2, 51), (1, 61), (4, 31), (6, 11)])
def test_the_effective_rating_makes_it_easier_or_harder(rating: int | None, target: int) -> None:
    options = SIGHT | {"test": "wp"} | ({} if rating is None else {"rating": rating})

    done = cast(pair(), options=options, focus_power=98)

    assert done.check.target == target


@pytest.mark.clause("DH-4670")
@pytest.mark.parametrize(
    ("die", "asks"), [(33, True), (11, True), (100, True), (99, True), (34, False), (1, False), (10, False)]
)
def test_doubles_call_for_phenomena(die: int, asks: bool) -> None:
    table = pair()
    options = {**SIGHT, "test": "wp", "rating": 2}
    given: dict[str, Any] = {"psychic_phenomena": ("ruled", {"effect": "Frost."})} if asks else {}
    if die <= 51:
        given["power_effect"] = "nothing"

    done = cast(table, options=options, focus_power=die, **given)

    assert [question.to for question in done.questions("psychic_phenomena")] == (["gm"] if asks else [])
    if die == 33:
        assert (done.check.target, done.check.degrees) == (51, 3)
        assert done.one(ev.Noted).words == ("second sight", "Frost.")


@pytest.mark.clause("DH-4670", "DH-4340")
def test_aim_never_counts_and_is_lost() -> None:
    for options, targets in ((SMITE, ("gorm",)), (SIGHT, ())):
        table = pair()
        table.play("aim", "vane", type="full")
        table.end_turn()
        table.end_turn()

        done = cast(table, *targets, options={**options, "test": "wp"}, focus_power=90)

        assert done.check.target == 41
        assert not table.has("vane", "aiming")


@pytest.mark.clause("DH-4670", "DH-5210", "DH-5420")
def test_a_bolt_is_one_hit_whatever_the_degrees() -> None:
    table = pair()

    done = cast(table, "gorm", options=SMITE, focus_power=1, defend="none", damage=7)

    (hit,) = done.one(ev.HitsScored).hits
    assert (hit.location, done.one(ev.AttackMade).action) == ("head", "focus_power")
    dealt = done.one(ev.DamageDealt)
    assert (dealt.raw, dealt.through, dealt.damage_type) == (10, 5, "energy")


@pytest.mark.clause("DH-4670")
@pytest.mark.parametrize(
    ("attack", "die", "hits"),
    [("barrage", 40, 1), ("barrage", 20, 2), ("barrage", 2, 3), ("storm", 40, 1), ("storm", 20, 3), ("storm", 2, 5)],
)
def test_a_barrage_and_a_storm_count_their_hits_as_bursts_do(attack: str, die: int, hits: int) -> None:
    table = pair()
    options = {**SMITE, "power_attack": attack}
    damage = {f"hit{number}__damage": 1 for number in range(1, hits + 1)}

    done = cast(table, "gorm", options=options, focus_power=die, defend="none", **damage)

    assert len(done.one(ev.HitsScored).hits) == hits
    assert len(done.of(ev.DamageDealt)) == hits


@pytest.mark.clause("DH-4670", "DH-3605", "DH-3630")
def test_it_is_dodged_as_any_ranged_attack() -> None:
    table = duel(10, vane=PSYKER, sable={"sample": "sable"})

    done = cast(table, "sable", options={**SMITE, "power_attack": "storm"}, focus_power=20, defend="dodge", dodge=37)

    assert done.one(ev.DefenceResolved).negated == (1, 2, 3)
    assert barred(done.questions("defend")[0]) == {"parry": [("cannot_parry_ranged", "DH-3605")]}


@both_ways
@pytest.mark.clause("DH-4670", "DH-5480")
def test_a_blast_is_an_area(on_map: bool) -> None:
    table = fight(on_map, {"vane": (0, 0), "gorm": (10, 0), "sable": (12, 0), "brok": (14, 0)}, vane=PSYKER)
    options = {**SMITE, "power_attack": "blast", "radius": 3}
    said = {} if on_map else {"said": {"near": ["sable"]}, "exit_distance": "blocked"}

    done = cast(
        table,
        "gorm",
        options=options,
        **said,
        focus_power=20,
        defend="none",
        damage=9,
        hit_location=50,
    )

    assert [hit.target for hit in done.one(ev.HitsScored).hits] == ["gorm", "sable"]
    assert [(dealt.target, dealt.raw) for dealt in done.of(ev.DamageDealt)] == [("gorm", 12), ("sable", 12)]
    assert "cannot_parry_area" in str(done.questions("defend")[0].barred)


@pytest.mark.clause("DH-4670", "DH-5480", "DH-5700")
def test_without_a_map_it_is_stated_whom_a_blast_holds() -> None:
    table = duel(10, vane=PSYKER, gorm={"sample": "gorm"}, sable={"sample": "sable"})
    options = {**SMITE, "power_attack": "blast", "radius": 3}

    assert cited(table.reasons("focus_power", "vane", "gorm", options=options)) == [("missing_input", "DH-5480")]


@pytest.mark.clause("DH-4670")
def test_a_power_that_fails_strikes_nobody_and_its_target_counts_as_shot_at() -> None:
    table = pair()

    done = cast(table, "gorm", options=SMITE, focus_power=90)

    assert done.of(ev.HitsScored) == []
    assert table.has("gorm", "shot_at")


@pytest.mark.clause("DH-4670", "DH-5680")
def test_fate_counts_in_it_too() -> None:
    table = pair()

    done = cast(table, options={**SIGHT, "test": "wp", "fate": True}, focus_power=51, power_effect="nothing")

    assert (done.check.target, done.check.outcome) == (51, "success")


# Sustaining


@pytest.mark.clause("DH-4680", "DH-1080")
def test_sustaining_is_no_action_and_uses_no_allowance() -> None:
    table = pair(psyker={**PSYKER, "per": 60})
    cast(table, options=SIGHT, focus_power=20, power_effect="nothing")
    held = table.who("vane").effects.values()
    assert [effect.word for effect in held if effect.kind == "sustaining"] == ["second sight"]
    table.end_turn()
    table.end_turn()

    assert table.has("vane", "sustaining")
    assert table.why_not("called_shot", "vane", "gorm", location="body") == []
    table.play("aim", "vane")
    assert table.who("vane").budget["half_action"] == 1


@pytest.mark.clause("DH-4680")
def test_several_powers_are_sustained_side_by_side_until_the_gm_ends_one() -> None:
    table = pair(psyker={**PSYKER, "per": 60})
    options = {**SIGHT, "subtypes": []}
    cast(table, options=options, focus_power=20, power_effect="nothing")
    table.end_turn()
    table.end_turn()
    cast(table, options={**options, "power": "shield"}, focus_power=20, power_effect="nothing")

    sustained = [effect for effect in table.who("vane").effects.values() if effect.kind == "sustaining"]
    assert [effect.word for effect in sustained] == ["second sight", "shield"]
    table.rule(cmd.RemoveEffect(VANE, sustained[0].id))
    assert [effect.word for effect in table.who("vane").effects.values() if effect.kind == "sustaining"] == ["shield"]


@pytest.mark.clause("DH-4680")
def test_a_power_that_fails_is_not_sustained() -> None:
    table = pair()

    cast(table, options=SIGHT, focus_power=90)

    assert not table.has("vane", "sustaining")
