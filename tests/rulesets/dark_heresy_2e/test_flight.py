"""Fleeing, by choice and against one's will, and Fear. Clauses DH-3355, DH-3360, DH-5670."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId, EffectId
from app.engine.space.model import Cover, CoverPiece
from tests.rulesets.dark_heresy_2e.firing import cited
from tests.rulesets.dark_heresy_2e.going import both_ways, fight, path, spot_of
from tests.support.play import Played, PlayTable, duel

ARMED = {"sample": "gorm", "held": {"great_weapon": "both"}}
VANE, GORM = CombatantId("vane"), CombatantId("gorm")
HERE, BESIDE = (10.0, 10.0), (11.0, 10.0)


def beside(on_map: bool, **vane: Any) -> PlayTable:
    """Vane to act, locked in melee with Gorm."""
    return fight(on_map, {"vane": HERE, "gorm": BESIDE}, melee=(("vane", "gorm"),), gorm=ARMED, vane=vane)


def forced(table: PlayTable, *, rounds: int | None = None, source: CombatantId | None = GORM) -> Played:
    """The GM makes Vane flee from Gorm."""
    return table.rule(cmd.AddEffect(VANE, "forced_flight", rounds=rounds, against=source))


# By choice


@both_ways
@pytest.mark.clause("DH-3355")
@pytest.mark.parametrize(("by", "way", "half"), [("move", 4, "half"), ("run", 24, "full"), ("disengage", 4, "full")])
def test_one_may_flee_by_any_movement_at_its_own_cost(on_map: bool, by: str, way: float, half: str) -> None:
    table = beside(on_map)
    goes = path(on_map, HERE, (HERE[0] - way, HERE[1]), leaves=["gorm"])

    done = table.play(
        "flee", "vane", options={"by": by}, **goes, **({} if by == "disengage" else {"free_attack": "pass"})
    )

    taken = done.one(ev.ActionTaken)
    assert (taken.action, taken.form, taken.clause) == (by, half, "DH-3355")
    assert table.who("vane").budget["half_action"] == (1 if half == "half" else 0)
    assert table.has("vane", "running") is (by == "run")
    assert not table.table.engaged(VANE, GORM)


@both_ways
@pytest.mark.clause("DH-3355", "DH-3320")
def test_it_has_the_free_attacks_of_that_movement(on_map: bool) -> None:
    table = beside(on_map)
    goes = path(on_map, HERE, (4, 10), leaves=["gorm"])

    done = table.play("flee", "vane", type="full", **goes, free_attack="take", to_hit=99)

    assert done.questions("defend") == []
    assert len(done.questions("free_attack")) == 1


@both_ways
@pytest.mark.clause("DH-3355")
@pytest.mark.parametrize(
    ("by", "type_", "way", "reasons"),
    [
        ("move", "half", 4.5, [("move_too_far", "DH-3370")]),
        ("run", "full", 25, [("move_too_far", "DH-3100")]),
        ("run", "half", 4, [("wrong_action_type", "DH-3355")]),
        ("disengage", None, 5, [("move_too_far", "DH-3310")]),
    ],
)
def test_it_has_the_limits_of_that_movement(
    on_map: bool, by: str, type_: str | None, way: float, reasons: list[tuple[str, str]]
) -> None:
    table = beside(on_map)
    goes = path(on_map, HERE, (HERE[0] - way, HERE[1]), leaves=["gorm"])

    found = table.reasons("flee", "vane", type=type_, options={"by": by}, **goes)

    assert cited(found) == reasons


@pytest.mark.clause("DH-3355", "DH-4600")
def test_one_may_flee_from_cover_to_cover() -> None:
    cover = Cover(pieces=(CoverPiece("crate", 8, ("body",)),))
    table = fight(False, {"vane": HERE, "gorm": (30, 10)}, vane={"cover": cover})
    options = {"by": "tactical_advance", "cover": "sandbags"}

    done = table.play("flee", "vane", options=options, said={"length": 4})

    taken = done.one(ev.ActionTaken)
    assert (taken.action, taken.form, taken.clause) == ("tactical_advance", "full", "DH-3355")
    assert cited(table.reasons("flee", "gorm", options=options, said={"length": 3}))[-1] == ("not_in_cover", "DH-4600")


@pytest.mark.clause("DH-3355", "DH-1020")
def test_fleeing_by_a_move_after_a_move_is_the_same_half_action_twice() -> None:
    table = fight(False, {"vane": HERE, "gorm": (30, 10)})
    table.play("move", "vane", said={"length": 2})

    found = table.reasons("flee", "vane", type="half", options={"by": "move"}, said={"length": 2})

    assert cited(found) == [("same_half_action_twice", "DH-1020")]


@pytest.mark.clause("DH-3355", "DH-5610")
def test_somebody_prone_flees_only_at_a_crawl() -> None:
    table = fight(False, {"vane": HERE, "gorm": (30, 10)})
    table.rule(cmd.AddEffect(VANE, "prone"))

    assert table.why_not("flee", "vane", type="half", said={"length": 2}) == []
    assert table.why_not("flee", "vane", options={"by": "run"}, said={"length": 2}) == ["prone"]


# Against one's will


@both_ways
@pytest.mark.clause("DH-3360")
def test_whoever_is_forced_to_flee_runs_and_gives_free_attacks(on_map: bool) -> None:
    table = beside(on_map)
    forced(table)
    away = path(on_map, HERE, (-14, 10), leaves=["gorm"], distance_after={"gorm": 25})

    for action in ("disengage", "move"):
        near = path(on_map, HERE, (8, 10), leaves=["gorm"])
        assert cited(table.reasons(action, "vane", type=None, **near)) == [("must_run", "DH-3360")]
    done = table.play("run", "vane", **away, free_attack="pass")

    assert len(done.questions("free_attack")) == 1
    if on_map:
        assert spot_of(table, "vane") == (-14, 10)


@both_ways
@pytest.mark.clause("DH-3360")
@pytest.mark.parametrize(("x", "reasons"), [(9.0, []), (12.0, ["must_run"]), (30.0, [])])
def test_the_way_leads_away_from_the_source(on_map: bool, x: float, reasons: list[str]) -> None:
    table = beside(on_map)
    forced(table)
    after = abs(x - BESIDE[0])
    goes = path(on_map, HERE, (10, 12), (x, 12), (x, 10), leaves=[], distance_after={"gorm": after})

    assert table.why_not("run", "vane", **goes) == reasons


@pytest.mark.clause("DH-3360")
def test_the_end_of_the_turn_free_actions_and_speech_stay_open_and_nothing_else() -> None:
    table = beside(False)
    forced(table)

    for action in ("aim", "defensive_stance", "delay", "guarded_action"):
        assert cited(table.reasons(action, "vane")) == [("must_run", "DH-3360")]
    assert table.why_not("standard_attack", "vane", "gorm") == ["must_run", "weapon_not_usable_in_melee"]
    assert table.why_not("free_action", "vane", note="aaah") == []
    assert table.why_not("drop_item", "vane", weapon="autogun") == []
    assert table.why_not("end_turn", "vane") == []
    assert table.why_not("flee", "vane", options={"by": "run"}, said={"length": 9, "leaves": ["gorm"]}) == []


@pytest.mark.clause("DH-3360", "DH-1060")
def test_somebody_immobilised_stays_where_he_is() -> None:
    table = beside(False)
    forced(table)
    table.rule(cmd.AddEffect(VANE, "immobilised"))

    found = table.reasons("run", "vane", said={"length": 9, "leaves": ["gorm"]})

    assert cited(found) == [("immobilised", "DH-1060")]
    assert cited(table.reasons("aim", "vane")) == [("must_run", "DH-3360")]


@pytest.mark.clause("DH-3360")
def test_somebody_stunned_is_passed_over() -> None:
    table = beside(False)
    table.end_turn()
    forced(table)
    table.rule(cmd.AddEffect(VANE, "stunned", 1))

    table.end_turn()

    assert table.turn == "gorm"


@both_ways
@pytest.mark.clause("DH-3360")
def test_somebody_prone_stands_and_then_moves_half_away(on_map: bool) -> None:
    table = beside(on_map)
    table.rule(cmd.AddEffect(VANE, "prone"))
    forced(table)
    away = path(on_map, HERE, (6, 10), leaves=["gorm"], distance_after={"gorm": 5})
    nearer = path(on_map, HERE, (10, 9), leaves=[], distance_after={"gorm": 1})

    assert "must_run" in table.why_not("move", "vane", **away)
    table.play("stand_mount_dismount", "vane")
    assert table.why_not("move", "vane", **away) == []
    assert cited(table.reasons("aim", "vane")) == [("must_run", "DH-3360")]
    if not on_map:
        assert table.why_not("move", "vane", **nearer) == ["must_run"]
    table.play("move", "vane", **away, free_attack="pass")


@both_ways
@pytest.mark.clause("DH-3360", "DH-5640")
@pytest.mark.parametrize("covered", [True, False])
def test_somebody_pinned_moves_half_away_whatever_cover_there_is(on_map: bool, covered: bool) -> None:
    cover = Cover(pieces=(CoverPiece("crate", 8, ("body",)),)) if covered else None
    table = fight(on_map, {"gorm": (30, 10), "vane": HERE}, vane={"cover": cover})
    table.rule(cmd.AddEffect(VANE, "pinned"))
    table.end_turn()
    forced(table)
    away = path(on_map, HERE, (6, 10), distance_after={"gorm": 24})

    assert "must_run" in table.why_not("run", "vane", **away)
    assert table.why_not("move", "vane", type="half", **away) == []


@pytest.mark.clause("DH-3360", "DH-3515")
def test_somebody_held_tries_to_get_out_and_who_holds_lets_go() -> None:
    table = beside(False)
    table.rule(cmd.AddEffect(VANE, "grappled", against=GORM))
    forced(table)

    assert "must_run" in table.why_not("grapple", "vane", options={"option": "none"})
    for way in ("break_free", "slip_free"):
        assert table.why_not("grapple", "vane", options={"option": way}) == []

    table = beside(False, held={})
    table.rule(cmd.AddEffect(VANE, "grapple_controller", against=GORM))
    forced(table)
    assert "must_run" in table.why_not("grapple", "vane", type="full", options={"option": "none"})
    table.play("run", "vane", said={"length": 9, "leaves": ["gorm"]}, free_attack="pass")
    assert not table.has("gorm", "grappled")


@pytest.mark.clause("DH-3360")
def test_it_lasts_as_long_as_the_gm_says() -> None:
    table = fight(False, {"vane": HERE, "gorm": (30, 10)})
    forced(table, rounds=1)
    assert table.has("vane", "forced_flight")

    table.end_turn()
    assert not table.has("vane", "forced_flight")

    forced(table)
    table.rule(cmd.RemoveEffect(VANE, EffectId("forced_flight")))
    assert not table.has("vane", "forced_flight")


@pytest.mark.clause("DH-3360")
def test_without_a_source_any_way_is_away() -> None:
    table = fight(True, {"vane": HERE, "gorm": (30, 10)})
    forced(table, source=None)

    assert table.why_not("run", "vane", path=[(12, 10)]) == []


# Fear


@pytest.mark.clause("DH-5670")
@pytest.mark.parametrize(("rating", "target"), [(0, 41), (1, 41), (2, 31), (3, 21), (4, 11), (9, 11)])
def test_the_rating_makes_the_test_harder(rating: int, target: int) -> None:
    table = fight(False, {"vane": HERE, "gorm": (30, 10)})

    done = table.rule(cmd.AddEffect(VANE, "fear", rating, against=GORM), fear=target)

    assert (done.check.target, done.check.outcome, done.check.clause) == (target, "success", "DH-5670")
    assert done.questions() == []
    assert not table.has("vane", "fear")


@pytest.mark.clause("DH-5670", "DH-3360")
def test_who_fails_does_what_the_gm_says_and_to_flee_is_to_be_forced_to() -> None:
    table = fight(False, {"vane": HERE, "gorm": (30, 10)})

    done = table.rule(cmd.AddEffect(VANE, "fear", 2, against=GORM), fear=32, fear_result=("flees", {"rounds": 2}))

    assert (done.check.degrees, done.check.outcome) == (1, "failure")
    (question,) = done.questions("fear_result")
    assert (question.to, question.about) == ("gm", "vane")
    flight = next(table.table.effects(VANE, "forced_flight"))
    assert flight.against == "gorm"
    table.end_turn()
    table.end_turn()
    assert table.has("vane", "forced_flight")
    table.end_turn()
    assert not table.has("vane", "forced_flight")


@pytest.mark.clause("DH-5670")
@pytest.mark.parametrize(
    ("answer", "told"), [(("ruled", {"effect": "He drops his gun."}), ["He drops his gun."]), ("nothing", [])]
)
def test_any_other_shock_is_told(answer: Any, told: list[str]) -> None:
    table = fight(False, {"vane": HERE, "gorm": (30, 10)})

    done = table.rule(cmd.AddEffect(VANE, "fear", 1), fear=100, fear_result=answer)

    assert [word for fact in done.of(ev.Noted) for word in fact.words] == told
    assert not table.has("vane", "forced_flight")


@pytest.mark.clause("DH-5670")
def test_several_may_be_put_to_the_test_by_one_ruling() -> None:
    table = duel(20, vane={"sample": "vane"}, sable={"sample": "sable"}, gorm={"sample": "gorm"})
    sable = CombatantId("sable")

    done = table.rule(
        cmd.AddEffect(VANE, "fear", 1, against=GORM),
        cmd.AddEffect(sable, "fear", 1, against=GORM),
        fear=[20, 99],
        fear_result="flees",
    )

    assert [(one.combatant, one.outcome) for one in done.of(ev.CheckRolled)] == [
        ("vane", "success"),
        ("sable", "failure"),
    ]
    assert next(table.table.effects(sable, "forced_flight")).against == "gorm"
