"""Getting past those in the way: allies, foes who let one pass or are evaded, somebody unseen. Clause GU-470."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Question
from app.engine.ids import CombatantId
from app.engine.space.model import Ground, PairFact
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.walking import HEXES, SQUARES, apart, both_ways, facing, field, gone, spot, walled
from tests.support.play import Played, PlayTable

R, X = CombatantId("r"), CombatantId("x")
PASS: dict[str, Any] = {"let_pass": "oppose", "r__evade": (3, 3, 2), "x__evade": (5, 4, 4)}
"""R makes his 8, X misses his 11 by 2."""


def meeting(on_map: bool, *, far: float = 3, x: Any = None, looks: int | None = 270, **others: Any) -> PlayTable:
    """The rifleman, and the axeman so many yards off in his way, who looks at him."""
    foe = dict(x or {})
    if on_map:
        return fight(r={"at": (0, 0, 90)}, x={"at": (far, 0, looks), **foe}, **others)
    return fight(r={}, x=foe, apart={"rx": far}, **others)


def past(table: PlayTable, yards: float = 6, after: float | None = 3, **given: Any) -> Played:
    """The rifleman goes straight on, past the axeman."""
    if table.table.has_map:
        return table.play("move", "r", path=[(yards, 0)], **given)
    options = given.pop("options", {})
    stated: dict[str, Any] = {"length": yards, "met": ("x",)}
    if after is not None:
        stated["distance_after"] = {"x": after}
    return table.play("move", "r", said=stated, options=options, **given)


# Allies


@both_ways
@pytest.mark.clause("GU-470")
def test_a_standing_ally_is_passed_without_a_word(on_map: bool) -> None:
    table = meeting(on_map, x={"side": "r"})

    done = past(table)

    assert (gone(done, "r"), done.questions()) == (6, [])


@both_ways
@pytest.mark.clause("GU-470")
@pytest.mark.parametrize("kind", ["unconscious", "dead"])
def test_so_is_a_foe_who_is_not_conscious(on_map: bool, kind: str) -> None:
    table = meeting(on_map)
    table.rule(cmd.AddEffect(X, kind))

    done = past(table)

    assert (gone(done, "r"), done.questions()) == (6, [])


# Evading


@both_ways
@pytest.mark.clause("GU-470")
def test_a_foe_is_passed_by_winning_a_contest_of_dx(on_map: bool) -> None:
    table = meeting(on_map)

    done = past(table, **PASS)

    mine, theirs = done.of(ev.CheckRolled)
    assert [(term.id, term.value) for term in mine.terms] == [("dx", 13), ("standing", -5)]
    assert (mine.target, mine.outcome, mine.degrees) == (8, "success", 0)
    assert (theirs.target, theirs.outcome, theirs.degrees) == (11, "failure", 2)
    settled = done.one(ev.ContestSettled)
    assert (settled.winner, settled.margin, settled.clause) == ("r", 2, "GU-470")
    assert gone(done, "r") == 6
    assert apart(table, "r", "x") == 3


@both_ways
@pytest.mark.clause("GU-470")
@pytest.mark.parametrize(
    ("mine", "theirs", "passes"),
    [
        ((3, 3, 2), (4, 4, 3), False),  # Both make it by 0: a tie.
        ((3, 3, 2), (5, 4, 3), True),  # 0 against a failure by 1.
        ((3, 3, 1), (4, 4, 3), True),  # 1 against 0.
        ((3, 3, 3), (4, 4, 3), False),  # A failure by 1 against a success by 0.
        ((3, 3, 3), (4, 4, 4), False),  # Both fail by 1.
        ((3, 3, 3), (5, 4, 4), True),  # A failure by 1 against one by 2.
    ],
)
def test_a_tie_or_a_loss_stops_him_in_front(on_map: bool, mine: Any, theirs: Any, passes: bool) -> None:
    table = meeting(on_map)

    done = past(table, let_pass="oppose", r__evade=mine, x__evade=theirs)

    if passes:
        assert gone(done, "r") == 6
        return
    barred = [one for one in done.of(ev.Noted) if one.fact == "way_barred"]
    assert [(one.combatant, one.target, one.clause) for one in barred] == [("r", "x", "GU-470")]
    if on_map:
        assert (spot(table, "r"), facing(table, "r")) == ((2.5, 0), 90)
        assert apart(table, "r", "x") == 0.5
    else:
        assert (gone(done, "r"), apart(table, "r", "x")) == (2, 1)


@both_ways
@pytest.mark.clause("GU-470")
@pytest.mark.parametrize(
    ("posture", "modifier"),
    [
        (None, -5),
        ("crouching", -5),
        ("kneeling", -2),
        ("sitting", -2),
        ("crawling", -2),
        ("lying_prone", 5),
        ("lying_face_up", 5),
    ],
)
def test_it_is_the_easier_the_lower_the_foe(on_map: bool, posture: str | None, modifier: int) -> None:
    table = meeting(on_map)
    if posture is not None:
        table.rule(cmd.AddEffect(X, posture))

    done = past(table, let_pass="oppose", r__evade=(1, 1, 2), x__evade=(6, 6, 4))

    assert (done.check.target, done.check.terms[1].id) == (13 + modifier, posture or "standing")


@pytest.mark.clause("GU-470")
@pytest.mark.parametrize(
    ("looks", "bonus"), [(270, 0), (180, 0), (0, 0), (179, 2), (121, 2), (120, 2), (119, 5), (90, 5), (None, 0)]
)
def test_it_is_easier_from_the_side_and_still_more_from_behind(looks: int | None, bonus: int) -> None:
    done = past(meeting(True, looks=looks), let_pass="oppose", r__evade=(1, 1, 2), x__evade=(6, 6, 4))

    assert done.check.target == 13 - 5 + bonus


@pytest.mark.clause("GU-470")
@pytest.mark.parametrize(("arc", "bonus"), [(None, 0), ("front", 0), ("side", 2), ("rear", 5)])
def test_without_a_map_the_mover_says_from_which_side_he_comes(arc: str | None, bonus: int) -> None:
    options = {} if arc is None else {"evade_arc": arc}

    done = past(meeting(False), options=options, let_pass="oppose", r__evade=(1, 1, 2), x__evade=(6, 6, 4))

    assert done.check.target == 13 - 5 + bonus


@pytest.mark.clause("GU-470")
def test_without_a_map_the_gm_has_the_last_word_about_the_side() -> None:
    table = meeting(False)
    table.rule(cmd.SetFact(X, R, PairFact(distance=300, arc="side")))

    done = past(table, options={"evade_arc": "rear"}, let_pass="oppose", r__evade=(1, 1, 2), x__evade=(6, 6, 4))

    assert [(term.id, term.value) for term in done.check.terms] == [("dx", 13), ("standing", -5), ("from_the_side", 2)]


@both_ways
@pytest.mark.clause("GU-470")
def test_a_foe_whom_somebody_holds_is_the_easier_to_pass(on_map: bool) -> None:
    table = meeting(on_map, p={"at": (3, 0.1, 0)} if on_map else {"side": "r"})
    if on_map:
        table.command(cmd.Edit(replace(table.who("p"), side="r"), ("side",)))
    table.rule(cmd.AddEffect(X, "grappled", against=CombatantId("p")))

    done = past(table, let_pass="oppose", r__evade=(3, 3, 2), x__evade=(3, 3, 2))

    assert [(term.id, term.value) for term in done.of(ev.CheckRolled)[1].terms] == [("dx", 11), ("grappled", -4)]
    assert gone(done, "r") == 6


# Letting somebody pass


@both_ways
@pytest.mark.clause("GU-470")
def test_the_foe_may_let_him_pass(on_map: bool) -> None:
    table = meeting(on_map)

    done = past(table, let_pass="let_pass")

    assert (gone(done, "r"), done.of(ev.CheckRolled)) == (6, [])
    (question,) = done.questions()
    assert (question.kind, question.to, question.about, question.clause) == ("let_pass", "x", "r", "GU-470")
    assert ([option.id for option in question.options], question.default) == (["let_pass", "oppose"], "oppose")


@both_ways
@pytest.mark.clause("GU-470")
def test_each_of_several_is_asked_and_evaded(on_map: bool) -> None:
    if on_map:
        table = fight(r={"at": (0, 0, 90)}, x={"at": (2, 0, 270)}, s={"at": (4, 0, 270)})
        fields: dict[str, Any] = {"path": [(6, 0)]}
    else:
        table = fight(r={}, x={}, s={}, apart={"rx": 2, "rs": 4})
        fields = {"said": {"length": 6, "met": ("x", "s")}}

    done = table.play(
        "move",
        "r",
        **fields,
        evade__x__let_pass="let_pass",
        evade__s__let_pass="oppose",
        r__evade=(6, 6, 4),
        s__evade=(3, 3, 3),
    )

    assert gone(done, "r") == (3.5 if on_map else 3)
    assert [one.target for one in done.of(ev.Noted) if one.fact == "way_barred"] == ["s"]


# Where the way ends


@both_ways
@pytest.mark.clause("GU-470")
def test_ending_in_a_foes_yard_takes_no_contest(on_map: bool) -> None:
    table = meeting(on_map)

    done = past(table, 3, 0)

    assert (gone(done, "r"), done.questions(), apart(table, "r", "x")) == (3, [], 0)


@pytest.mark.clause("GU-470")
@pytest.mark.parametrize(("end", "contest"), [(2.5, False), (2.51, False), (3.49, False), (3.5, True), (4, True)])
def test_his_yard_is_half_a_yard_about_him(end: float, contest: bool) -> None:
    given = PASS if contest else {}

    done = past(meeting(True), end, **given)

    assert bool(done.questions("let_pass")) == contest


@pytest.mark.clause("GU-470")
@pytest.mark.parametrize(("aside", "contest"), [(0.49, True), (0.5, False)])
def test_who_goes_by_half_a_yard_off_passes_through_nobodys_yard(aside: float, contest: bool) -> None:
    table = fight(r={"at": (0, aside, 90)}, x={"at": (3, 0, 270)})
    given = PASS if contest else {}

    done = table.play("move", "r", path=[(6, aside)], **given)

    assert bool(done.questions("let_pass")) == contest


@pytest.mark.clause("GU-470")
def test_without_a_map_the_way_ends_with_him_too_where_the_distance_says_so() -> None:
    done = past(meeting(False), 3, None)

    assert done.questions() == []


@pytest.mark.clause("GU-470")
@pytest.mark.parametrize("stated", [{}, {"units_free": 2}])
def test_without_a_map_it_has_to_be_known_where_he_stands(stated: dict[str, Any]) -> None:
    table = fight(r={}, x={})
    said = {"length": 6, "met": ("x",), **stated}

    found = table.reasons("move", "r", said=said)
    if not stated:
        assert [(one.code, one.clause, one.at) for one in found] == [("missing_input", "GU-470", "/said/units_free")]
        return
    done = table.play("move", "r", said=said, let_pass="oppose", r__evade=(6, 5, 5), x__evade=(3, 3, 3))
    assert (gone(done, "r"), apart(table, "r", "x")) == (2, 1)


# Grids


@pytest.mark.clause("GU-470")
@pytest.mark.parametrize(
    ("ground", "key", "foe", "to", "front"),
    [
        (SQUARES, "at", (2, 0, 270), (4, 0), (1, 0)),
        (SQUARES, "at", (2, 2, 270), (4, 4), (1, 1)),
        (HEXES, "hex", (2, 0, 270), (4, 0), (1, 0)),
        (HEXES, "hex", (0, 2, 330), (0, 4), (0, 1)),
    ],
)
def test_on_a_grid_he_stops_in_the_cell_before(ground: Ground, key: str, foe: Any, to: Any, front: Any) -> None:
    people = {"r": {key: (0, 0, 90)}, "x": {key: foe}}

    passed = field(ground, **people)
    passed.play("move", "r", path=[to], **{**PASS, "r__evade": (1, 1, 2)})
    barred = field(ground, **people)
    barred.play("move", "r", path=[to], let_pass="oppose", r__evade=(6, 5, 5), x__evade=(3, 3, 3))

    assert (spot(passed, "r"), spot(barred, "r")) == (to, front)


@pytest.mark.clause("GU-470")
@pytest.mark.parametrize(("ground", "key"), [(SQUARES, "at"), (HEXES, "hex")])
def test_on_a_grid_ending_in_his_cell_takes_no_contest(ground: Ground, key: str) -> None:
    table = field(ground, r={key: (0, 0, 90)}, x={key: (2, 0, 270)})

    done = table.play("move", "r", path=[(2, 0)])

    assert (done.questions(), spot(table, "r")) == ([], (2, 0))


# Others' movement


@both_ways
@pytest.mark.clause("GU-470")
def test_a_move_and_attack_that_is_stopped_strikes_whom_it_reaches(on_map: bool) -> None:
    if on_map:
        table = fight(x={"at": (0, 0, 90)}, s={"at": (3, 0, 270)}, p={"at": (6, 0, 270)})
        fields: dict[str, Any] = {"path": [(5, 0)]}
    else:
        table = fight(x={}, s={}, p={}, apart={"xs": 3, "xp": 6})
        fields = {"said": {"length": 5, "met": ("s",), "distance_after": {"p": 1}}}

    done = table.play(
        "move_and_attack",
        "x",
        "p",
        weapon="axe",
        **fields,
        let_pass="oppose",
        x__evade=(6, 5, 5),
        s__evade=(3, 3, 3),
        resume_turn=("change_remainder", {"target": "s"}),
        to_hit=(6, 6, 4),
    )

    assert done.one(ev.AttackMade).target == "s"
    assert gone(done, "x") == (2.5 if on_map else 2)


@both_ways
@pytest.mark.clause("GU-470", "GU-2230")
def test_whoever_is_held_evades_nobody(on_map: bool) -> None:
    table = meeting(on_map)
    table.rule(cmd.AddEffect(R, "grappled", against=X))
    fields: dict[str, Any] = {"path": [(6, 0)]} if on_map else {"said": {"length": 6, "met": ("x",)}}

    found = table.reasons("move", "r", **fields)

    assert [(one.code, one.clause) for one in found] == [("movement_not_allowed", "GU-2230")]


@pytest.mark.clause("GU-470")
def test_a_way_may_lead_round_a_foe() -> None:
    table = field(walled(), r={"at": (0, 0, 90)}, x={"at": (2, 0, 270)})

    done = table.play("move", "r", path=[(2, 1), (4, 0)])

    assert (done.questions(), spot(table, "r")) == ([], (4, 0))


# Somebody unseen


@pytest.mark.clause("GU-470")
def test_somebody_unseen_stops_him_and_is_not_named() -> None:
    table = meeting(True, x={"hidden": True})

    assert table.why_not("move", "r", path=[(6, 0)]) == []
    done = past(table, let_pass="oppose")

    assert spot(table, "r") == (2.5, 0)
    assert done.of(ev.CheckRolled) == []
    (told,) = done.of(ev.Noted)
    (emitted,) = [one for one in done.outcome.events if one.event is told]
    assert (told.fact, emitted.audience, emitted.blank) == ("way_barred", "all", ("target",))


@pytest.mark.clause("GU-470")
def test_somebody_unseen_may_let_him_pass_and_nobody_learns_of_it() -> None:
    table = meeting(True, x={"hidden": True})

    done = past(table, let_pass="let_pass")

    assert [type(event) for event in done.events if not isinstance(event, ev.EffectBegan)][-1] is ev.Moved
    assert (gone(done, "r"), done.of(ev.Noted)) == (6, [])


@pytest.mark.clause("GU-470")
def test_an_unseen_ally_is_in_nobodys_way() -> None:
    done = past(meeting(True, x={"hidden": True, "side": "r"}))

    assert (gone(done, "r"), done.questions()) == (6, [])


@both_ways
@pytest.mark.clause("GU-470")
def test_who_does_not_know_of_the_mover_is_not_asked_but_is_in_the_way(on_map: bool) -> None:
    table = meeting(on_map)
    table.command(cmd.Edit(replace(table.who("r"), hidden=True), ("hidden",)))

    done = past(table, r__evade=(3, 3, 2), x__evade=(5, 4, 4))

    assert not any(isinstance(ask, Question) for ask in done.asked)
    assert gone(done, "r") == 6
