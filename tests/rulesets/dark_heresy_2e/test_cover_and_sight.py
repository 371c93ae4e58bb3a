"""Cover and line of sight, on a map and as stated. Clauses DH-5160, DH-5170."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import Cover, CoverPiece, CoverValue, Ground, PairFact, Place, Wall
from tests.rulesets.dark_heresy_2e.firing import cited, weapon
from tests.support.play import PlayTable, combatant, duel, length, ruleset, state_distance, table_of

LOW = ("body", "right_leg", "left_leg")
SANDBAGS = Cover(50, (CoverPiece("sandbags", 8, LOW),))
BROK = {"sample": "brok", "items": weapon("heavy_stubber", ammo=80, braced=1)}


def behind(*walls: Wall, gun: dict[str, Any] | None = None, distance: float = 60) -> PlayTable:
    """On a map: a gunner and Vane so far to his right, with these walls about."""
    rules = ruleset()
    bodies = (
        combatant(rules, "brok", place=Place(0, 0, 90), **(gun or BROK)),
        combatant(rules, "vane", "vane", place=Place(length(distance), 0, 270)),
    )
    return table_of(*bodies, ground=Ground(walls=walls))


def wall(at: float, *, name: str = "sandbags", ap: int = 8, locations: tuple[str, ...] = LOW, **fields: Any) -> Wall:
    """Low cover across the line at that distance from the gunner."""
    value = CoverValue(ap, locations)
    return Wall((length(at), length(-3)), (length(at), length(3)), name, False, False, value, **fields)


def stated(cover: Cover | None = SANDBAGS, gun: dict[str, Any] | None = None) -> PlayTable:
    """Without a map: Vane stands behind it."""
    table = duel(60, brok=gun or BROK, vane={"sample": "vane"})
    table.rule(cmd.SetCover(CombatantId("vane"), cover))
    return table


def soak(done: Any) -> dict[str, int]:
    """What was taken off the first hit."""
    return {term.id: term.value for term in done.of(ev.DamageDealt)[0].soak}


def shoot(table: PlayTable, die: int = 33, damage: int = 9) -> Any:
    """The gunner's burst at Vane: one hit, to the body unless the die says otherwise."""
    return table.play("full_auto_burst", "brok", "vane", to_hit=die, defend="none", damage=damage)


@pytest.mark.clause("DH-5160")
@pytest.mark.parametrize("table", [stated, lambda: behind(wall(59))], ids=["stated", "map"])
def test_cover_adds_its_points_to_the_armour_of_what_it_hides_before_penetration(table: Any) -> None:
    """The ledger's sandbags: 13 against 4 and 8 less 3 and a Toughness bonus of 3, so that one point gets through."""
    done = shoot(table())

    assert soak(done) == {"armour": 4, "cover": 8, "penetration": 3, "toughness": 3}
    assert done.one(ev.DamageDealt).through == 1


@pytest.mark.clause("DH-5160")
@pytest.mark.parametrize("on_map", [True, False], ids=["map", "stated"])
@pytest.mark.parametrize(("die", "covered"), [(33, True), (1, False), (11, False), (17, True)])
def test_cover_hides_only_its_own_locations(on_map: bool, die: int, covered: bool) -> None:
    """Body and legs: 33 is the body, 1 the head, 11 an arm, 17 a leg."""
    gun = {"sample": "vane", "items": weapon("autogun", ammo=30)}
    table = behind(wall(59), gun=gun) if on_map else stated(gun=gun)

    done = table.play("standard_attack", "brok", "vane", to_hit=die, defend="none", damage=9)

    assert ("cover" in soak(done)) == covered


@pytest.mark.clause("DH-5160")
@pytest.mark.parametrize("table", [stated, lambda: behind(wall(59))], ids=["stated", "map"])
def test_cover_makes_nobody_harder_to_hit(table: Any) -> None:
    assert table().play("full_auto_burst", "brok", "vane", to_hit=90).check.target == 33


@pytest.mark.clause("DH-5160")
@pytest.mark.parametrize(
    ("damage", "lost"),
    [
        (9, 1),  # 9+4 and 3 penetration are 16
        (2, 1),  # 2+4 and 3 are 9
        (1, 0),  # 1+4 and 3 are 8: not more than its points
    ],
)
def test_cover_loses_a_point_when_damage_and_penetration_exceed_it(damage: int, lost: int) -> None:
    table = stated()

    done = shoot(table, damage=damage)

    cover = table.who("vane").cover
    assert cover is not None
    assert cover.pieces[0].ap == 8 - lost
    assert len(done.of(ev.CoverChanged)) == lost


@pytest.mark.clause("DH-5160")
def test_cover_of_the_map_wears_down_too_and_keeps_what_it_lost() -> None:
    table = behind(wall(59))

    shoot(table)
    assert table.state.scenery.worn == {"sandbags": 1}
    table.end_turn()
    table.end_turn()

    assert soak(shoot(table))["cover"] == 7


@pytest.mark.clause("DH-5160")
def test_cover_that_is_worn_away_protects_no_more() -> None:
    table = stated(Cover(50, (CoverPiece("glass", 0, LOW),)))

    done = shoot(table)

    assert "cover" not in soak(done)
    assert not done.of(ev.CoverChanged)


@pytest.mark.clause("DH-5160")
def test_of_several_covers_the_best_counts() -> None:
    both = Cover(50, (CoverPiece("crate", 4, LOW), CoverPiece("sandbags", 8, LOW), CoverPiece("door", 16, ("head",))))

    assert soak(shoot(stated(both)))["cover"] == 8
    assert soak(shoot(behind(wall(58, name="crate", ap=4), wall(59))))["cover"] == 8


@pytest.mark.clause("DH-5160")
def test_what_is_stated_for_somebody_counts_beside_the_map() -> None:
    table = behind(wall(59, ap=4))
    table.rule(cmd.SetCover(CombatantId("vane"), SANDBAGS))

    assert soak(shoot(table))["cover"] == 8


@pytest.mark.clause("DH-5160", "DH-5700")
@pytest.mark.parametrize(("piece", "cover"), [(CoverPiece("crate", 4, LOW), 4), (None, 0)])
def test_without_a_map_a_submission_may_state_the_cover_of_its_target(piece: CoverPiece | None, cover: int) -> None:
    """It goes before what was stated for everybody: from where this one shoots it is so."""
    seen = Cover(50, (piece,)) if piece is not None else Cover()
    table = stated()

    done = table.play(
        "full_auto_burst", "brok", "vane", said={"cover": {"vane": seen}}, to_hit=33, defend="none", damage=9
    )

    assert soak(done).get("cover", 0) == cover


@pytest.mark.clause("DH-5160", "DH-5700")
def test_without_a_map_cover_may_be_stated_between_two() -> None:
    table = duel(60, brok=BROK, vane={"sample": "vane"})
    table.rule(cmd.SetFact(CombatantId("brok"), CombatantId("vane"), PairFact(distance=length(60), cover=SANDBAGS)))

    assert soak(shoot(table))["cover"] == 8


@pytest.mark.clause("DH-5160")
@pytest.mark.parametrize("on_map", [True, False], ids=["map", "stated"])
def test_cover_is_none_against_a_blow(on_map: bool) -> None:
    table = duel(1, on_map=on_map, sable={"sample": "sable"}, vane={"sample": "vane"})
    table.rule(cmd.SetCover(CombatantId("vane"), SANDBAGS))

    done = table.play("standard_attack", "sable", "vane", to_hit=55, defend="none", damage=9)

    assert "cover" not in soak(done)


@pytest.mark.clause("DH-5160")
def test_an_open_door_covers_nobody() -> None:
    assert "cover" not in soak(shoot(behind(wall(59, open=True))))


@pytest.mark.clause("DH-5160")
def test_materials_have_the_points_of_the_ledger() -> None:
    assert {row.material: row.points for row in ruleset().tables.cover} == {
        "wood": 4,
        "glass": 4,
        "sandbags": 8,
        "iron_plate": 8,
        "rockcrete": 16,
        "bulkhead": 32,
    }


SOLID = Wall((length(30), length(-3)), (length(30), length(3)), "partition")


@pytest.mark.clause("DH-5170")
@pytest.mark.parametrize(
    ("action", "fields"), [("full_auto_burst", {}), ("standard_attack", {}), ("called_shot", {"location": "head"})]
)
def test_there_is_no_shot_through_a_wall(action: str, fields: dict[str, Any]) -> None:
    gun = {"sample": "vane", "items": weapon("autogun", ammo=30)}

    assert cited(behind(SOLID, gun=gun).reasons(action, "brok", "vane", **fields)) == [("no_line_of_sight", "DH-5170")]
    assert behind(gun=gun).why_not(action, "brok", "vane", **fields) == []


@pytest.mark.clause("DH-5170")
def test_past_the_end_of_a_wall_one_sees() -> None:
    beside = Wall((length(30), length(0.01)), (length(30), length(3)), "partition")

    assert behind(beside).why_not("full_auto_burst", "brok", "vane") == []


@pytest.mark.clause("DH-5170", "DH-5160")
def test_low_cover_takes_nobody_out_of_sight() -> None:
    assert behind(wall(30)).why_not("full_auto_burst", "brok", "vane") == []


@pytest.mark.clause("DH-5170", "DH-5700")
@pytest.mark.parametrize(("sees", "reasons"), [(True, []), (None, []), (False, [("no_line_of_sight", "DH-5170")])])
def test_without_a_map_it_is_stated_that_somebody_is_not_in_sight(
    sees: bool | None, reasons: list[tuple[str, str]]
) -> None:
    table = duel(60, brok=BROK, vane={"sample": "vane"})
    state_distance(table, "brok", "vane", 60)
    table.rule(cmd.SetFact(CombatantId("brok"), CombatantId("vane"), PairFact(distance=length(60), sees=sees)))

    assert cited(table.reasons("full_auto_burst", "brok", "vane")) == reasons


@pytest.mark.clause("DH-5170", "DH-5700")
@pytest.mark.parametrize(("sees", "reasons"), [(True, []), (False, ["no_line_of_sight"])])
def test_a_submission_may_state_it_for_itself(sees: bool, reasons: list[str]) -> None:
    table = duel(60, brok=BROK, vane={"sample": "vane"})

    assert table.why_not("full_auto_burst", "brok", "vane", said={"sees": {"vane": sees}}) == reasons
