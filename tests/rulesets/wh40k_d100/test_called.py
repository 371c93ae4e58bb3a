"""Called attacks: penalties, places, joints and eyes, several hits, areas. Clauses WH-300 to WH-390."""

from typing import Any

import msgspec
import pytest

from app.engine import events as ev
from app.engine.reasons import Refused
from app.engine.space.model import Cover, CoverPiece
from app.engine.state import Item
from rulesets.wh40k_d100.weapons import Weapon
from tests.rulesets.wh40k_d100.fights import begin, fight, held, places, terms, through
from tests.support.play import PlayTable

BOLT = msgspec.json.encode(
    Weapon(kind="spell", damage="1d10", type="energy", range=2000, is_spell=True, natural=True)
).decode()


def striking(ws: int = 50, target: dict[str, Any] | None = None, **more: Any) -> PlayTable:
    """A swordsman beside somebody who has a sword too."""
    return fight(
        apart=1,
        varro={"ws": ws, "items": held("sword"), "s": 0, **more},
        grash={"items": held("sword"), "t": 0, "armour": 0, **(target or {})},
    )


def called(part: str, side: str = "", location: str | None = None, **more: Any) -> dict[str, Any]:
    """The fields that call a part."""
    options: dict[str, Any] = {"called": part, **more}
    if side:
        options["side"] = side
    return {"options": options, **({"location": location} if location else {})}


# WH-300 to WH-320


@pytest.mark.clause("WH-300")
def test_a_spell_cannot_be_called() -> None:
    table = fight(apart=10, varro={"items": {"bolt": Item("bolt", custom=BOLT)}}, grash={})

    assert table.why_not("attack", "varro", "grash", weapon="bolt", **called("head")) == ["spell_cannot_be_called"]
    done = table.play("attack", "varro", "grash", weapon="bolt", to_hit=40, defend="none", damage=5)
    assert (done.check.check, done.check.target) == ("wp", 40)


@pytest.mark.clause("WH-310")
def test_calling_makes_it_mental_beside_what_it_was() -> None:
    done = striking().play("attack", "varro", "grash", to_hit=99, **called("torso"))

    assert done.one(ev.ActionTaken).tags == ("attack", "melee", "mental", "physical")


@pytest.mark.clause("WH-320", "WH-390")
@pytest.mark.parametrize(
    ("fields", "target"),
    [
        (called("torso"), 40),
        (called("leg", "left"), 35),
        (called("arm", "right"), 30),
        (called("head"), 30),
        (called("joint", location="head"), 10),
        (called("eye"), 0),
    ],
)
def test_what_each_part_costs(fields: dict[str, Any], target: int) -> None:
    done = striking().play("attack", "varro", "grash", to_hit=99, **fields)

    assert done.check.target == target
    assert list(terms(done.check)) == [f"called_{fields['options']['called']}"]


@pytest.mark.clause("WH-320")
@pytest.mark.parametrize(("die", "hits"), [(40, True), (41, False)])
def test_the_penalty_joins_the_other_rows(die: int, hits: bool) -> None:
    table = fight(apart=20, varro={"items": held("lasgun", "both")}, grash={})
    given = {"defend": "none", "damage": 2} if hits else {}

    done = table.play("attack", "varro", "grash", to_hit=die, **called("leg", "left"), **given)

    assert (done.check.target, bool(done.of(ev.HitsScored))) == (40, hits)


# WH-330, WH-340


@pytest.mark.clause("WH-330")
def test_a_success_hits_what_was_called() -> None:
    done = striking().play("attack", "varro", "grash", to_hit=10, defend="none", damage=5, **called("leg", "left"))

    assert places(done) == ["left_leg"]


@pytest.mark.clause("WH-330", "WH-340")
@pytest.mark.parametrize(
    ("fields", "reasons"),
    [
        (called("arm"), ["side_required"]),
        (called("leg"), ["side_required"]),
        (called("joint"), ["joint_requires_limb_or_head"]),
        (called("joint", location="torso"), ["joint_requires_limb_or_head"]),
        (called("joint", location="tail"), ["unknown_location"]),
        (called("joint", location="left_leg"), []),
        (called("arm", "left"), ["unknown_location"]),
        (called("joint", location="left_arm"), ["unknown_location"]),
        (called("arm", "right", arm_pair=2), ["unknown_location"]),
        (called("arm", "right"), []),
        ({"options": {"side": "left"}}, ["missing_input"]),
        ({"location": "head"}, ["missing_input"]),
    ],
)
def test_what_cannot_be_called(fields: dict[str, Any], reasons: list[str]) -> None:
    table = striking(target={"arms": 1, "items": {}})

    assert table.why_not("attack", "varro", "grash", **fields) == reasons


@pytest.mark.clause("WH-260", "WH-330", "WH-640")
def test_an_arm_of_another_pair_can_be_called() -> None:
    table = fight(apart=1, varro={"ws": 90, "items": held("sword"), "s": 0}, quad={"t": 0, "natural_arms": 0})

    done = table.play(
        "attack", "varro", "quad", to_hit=20, defend="none", damage=5, **called("arm", "left", arm_pair=2)
    )

    assert places(done) == ["left_arm_2"]
    assert through(done) == [5]


@pytest.mark.clause("WH-340", "WH-920")
def test_a_joint_counts_as_its_part() -> None:
    table = fight(
        apart=10,
        varro={"bs": 55, "items": held("laspistol")},
        grash={"wounds_max": 0, "t": 0, "armour": 0},
    )

    done = table.play(
        "attack", "varro", "grash", to_hit=25, defend="none", damage=2, **called("joint", location="right_arm")
    )

    assert (done.check.target, places(done)) == (25, ["right_arm"])
    assert done.one(ev.CriticalSuffered).location == "right_arm"
    assert table.who("grash").items["great_cleaver"].on_ground


# WH-350, WH-360


@pytest.mark.clause("WH-350", "WH-900")
@pytest.mark.parametrize(
    ("worn", "natural", "pen", "cover", "soak"),
    [
        (8, 0, 0, 0, 2),
        (6, 0, 0, 0, 2),
        (5, 0, 0, 0, 1),
        (4, 0, 0, 0, 1),
        (2, 0, 0, 0, 0),
        (4, 4, 0, 0, 2),
        (8, 0, 3, 0, 0),
        (8, 0, 3, 4, 3),
    ],
)
def test_a_joint_has_a_third_of_the_armour(worn: int, natural: int, pen: int, cover: int, soak: int) -> None:
    gun = Weapon(kind="pistol", damage="1d10", type="impact", range=3000, pen=pen, clip=5)
    custom = msgspec.json.encode(
        msgspec.structs.replace(gun, rof=msgspec.structs.replace(gun.rof, single=True))
    ).decode()
    table = fight(
        apart=10,
        varro={"bs": 95, "items": {"gun": Item("gun", held="main", custom=custom, marks={"ammo": 5})}},
        grash={"armour": {"right_arm": worn}, "natural_arms": natural, "t": 41},
    )
    pieces = (CoverPiece("crate", cover, ("right_arm",)),) if cover else ()
    table.state.combatants["grash"] = msgspec.structs.replace(table.who("grash"), cover=Cover(pieces=pieces))  # type: ignore[index]

    done = table.play(
        "attack", "varro", "grash", to_hit=60, defend="none", damage=9, **called("joint", location="right_arm")
    )

    assert through(done) == [max(0, 9 - soak - 4)]


@pytest.mark.clause("WH-360")
@pytest.mark.parametrize(("natural", "worn_head", "soak"), [(3, 0, 7), (0, 0, 4), (0, 2, 6)])
def test_an_eye_is_a_head_without_its_helmet(natural: int, worn_head: int, soak: int) -> None:
    table = striking(95, {"armour": {"head": 4}, "natural_head": natural, "worn_head": worn_head, "t": 41}, s=30)

    done = table.play("attack", "varro", "grash", to_hit=45, defend="none", damage=9, **called("eye"))

    assert places(done) == ["head"]
    assert through(done) == [9 + 3 - soak]


@pytest.mark.clause("WH-360", "WH-320")
def test_a_called_head_has_its_helmet() -> None:
    table = striking(95, {"armour": {"head": 4}, "natural_head": 3, "worn_head": 1})

    done = table.play("attack", "varro", "grash", to_hit=70, defend="none", damage=9, **called("head"))

    assert through(done) == [9 - 8]


# WH-370 to WH-390


@pytest.mark.clause("WH-370", "WH-270", "WH-350")
def test_only_the_first_two_hits_have_what_is_special() -> None:
    gun = Weapon(kind="basic", damage="1d10", type="impact", range=9000, clip=30, hands=2)
    custom = msgspec.json.encode(msgspec.structs.replace(gun, rof=msgspec.structs.replace(gun.rof, semi=3))).decode()
    table = fight(
        apart=50,
        varro={"bs": 95, "items": {"gun": Item("gun", held="both", custom=custom, marks={"ammo": 30})}},
        grash={"armour": {"left_leg": 4, "torso": 4}, "t": 30},
    )

    done = table.play(
        "semi_auto_burst",
        "varro",
        "grash",
        to_hit=6,
        defend="none",
        hit1__damage=9,
        hit2__damage=9,
        hit3__damage=9,
        **called("joint", location="left_leg"),
    )

    assert places(done) == ["left_leg", "left_leg", "torso"]
    assert through(done) == [5, 5, 2]


@pytest.mark.clause("WH-380")
def test_an_area_can_be_called_at_the_torso_only() -> None:
    table = fight(apart=8, grash={"bs": 45, "items": held("frag_grenade")}, varro={})

    assert table.why_not("area_attack", "grash", "varro", **called("head")) == ["area_attack_always_torso"]
    done = table.play("area_attack", "grash", "varro", to_hit=99, **called("torso"))
    assert terms(done.check)["called_torso"] == -10
    assert "mental" in done.one(ev.ActionTaken).tags


@pytest.mark.clause("WH-380", "WH-780")
def test_a_spray_has_no_test_to_call() -> None:
    table = fight(apart=8, grash={"items": held("flamer", "both")}, varro={})

    assert table.why_not("area_attack", "grash", "varro", **called("torso")) == ["no_attack_test"]
    assert table.why_not("area_attack", "grash", "varro", rolls={"to_hit": (4,)}) == ["no_roll_expected"]


@pytest.mark.clause("WH-390", "WH-440")
def test_calling_costs_no_action_and_its_penalty_adds_to_the_rest() -> None:
    table = striking()
    begin(table, "grash", "prone")

    done = table.play("attack", "varro", "grash", to_hit=50, defend="none", damage=5, **called("arm", "left"))

    assert (done.check.target, done.check.degrees, places(done)) == (50, 1, ["left_arm"])
    assert table.who("varro").budget["half_action"] == 1


@pytest.mark.clause("WH-390", "WH-730")
def test_after_the_roll_it_is_too_late_to_call() -> None:
    table = striking()
    late = ("replace", {"called": "head"})

    with pytest.raises(Refused) as refused:
        table.play("attack", "varro", "grash", to_hit=10, defend="none", damage=2, die_replacement=late)

    assert [(one.code, one.clause) for one in refused.value.reasons] == [("too_late_to_call", "WH-390")]
    assert table.who("varro").budget["half_action"] == 2


@pytest.mark.clause("WH-390", "WH-240")
def test_a_critical_success_works_on_a_called_attack() -> None:
    table = fight(apart=1, varro={"items": held("sword")}, grash={"ag": 36})

    done = table.play("attack", "varro", "grash", to_hit=5, defend="dodge", dodge=6, **called("head"))

    assert done.of(ev.CheckRolled)[1].target == 6
