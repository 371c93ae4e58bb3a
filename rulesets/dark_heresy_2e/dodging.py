"""Dodging out of an area: how far its edge is, whether one gets there, and the step itself.

Clauses DH-3660, DH-3670, DH-4520.
"""

from collections.abc import Iterator

from app.engine.asks import GM, Answer, Option, Question
from app.engine.blocks.walk import Walk, go
from app.engine.forms import Field, Form
from app.engine.ids import ActionId, ClauseId, CombatantId, Length
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Area, Exit, Place, Point, Run, Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.area import UNIT, to_leave
from rulesets.dark_heresy_2e.braces import displaced
from rulesets.dark_heresy_2e.conditions import is_out
from rulesets.dark_heresy_2e.figures import bonus
from rulesets.dark_heresy_2e.melee import part, part_from_the_far
from rulesets.dark_heresy_2e.reach import engagement_range

CLAUSE = ClauseId("DH-3660")
EVASION = ActionId("evasion")
X, Y = "to_x", "to_y"
A_STEP = 1
"""A hundredth: who has reached the edge stands that far beyond it."""


def farthest(table: Table, who: CombatantId) -> Length:
    """As many metres as his Agility bonus. Clause: DH-3660."""
    return bonus(table.who(who), "ag") * UNIT


def way_out(scene: Scene, who: CombatantId, area: Area) -> Exit:
    """How far the edge is, and whether he gets there, for all he knows. Without a map it is stated, or the GM asked."""
    found = scene.as_known_to(who).space.exit(who, to_leave(scene, who, area), farthest(scene, who))
    if not isinstance(found, Unknown):
        return found
    answer = scene.ask(
        Question(
            key="",
            name="exit_distance",
            kind="ruling",
            to=GM,
            options=(
                Option("state", form=(Field("distance", "length", True, minimum=0),)),
                Option("blocked", declines=True),
            ),
            default="blocked",
            about=who,
            clause=CLAUSE,
        )
    )
    if answer.option == "blocked":
        return Exit(0, None, False)
    length = answer.whole("distance")
    return Exit(length, None, length <= farthest(scene, who))


# A place of his own choice


def choosing(table: Table) -> Form:
    """On a map he may say where to; otherwise it is the nearest free place."""
    if not table.has_map:
        return ()
    return (Field(X, "length", clause=CLAUSE), Field(Y, "length", clause=CLAUSE))


def chosen(answer: Answer) -> Point | None:
    """The place that an answer names."""
    if X in answer.fields and Y in answer.fields:
        return (answer.whole(X), answer.whole(Y))
    return None


def why_not_chosen(table: Table, who: CombatantId, area: Area, answer: Answer) -> Iterator[Reason]:
    """A place out of the area, free, on a free way, and no farther off than he gets. Clause: DH-3660."""
    point = chosen(answer)
    if point is not None:
        yield from why_not_there(table, who, area, point)
    elif X in answer.fields or Y in answer.fields:
        yield table.rules.reason("missing_input", CLAUSE, at=f"/fields/{Y if X in answer.fields else X}")


def why_not_there(table: Table, who: CombatantId, area: Area, point: Point) -> Iterator[Reason]:
    """Why he cannot dodge to that point."""
    reason, space, grown = table.rules.reason, table.space, to_leave(table, who, area)
    run = space.run(who, (point,))
    assert not isinstance(run, Unknown)
    inside = space.after({who: Place(*point)}).inside(grown)
    still_in = isinstance(inside, Unknown) or who in inside
    if run.blocked_at is not None or space.ends_free(run) is not True or still_in:
        yield reason("destination_blocked", CLAUSE, at=f"/fields/{X}")
    crossings, limit = space.crossings(run, grown), farthest(table, who)
    leaves = () if isinstance(crossings, Unknown) else [one.at for one in crossings if one.kind == "leaves"]
    if run.length > limit + _step(table) or min(leaves, default=0) > limit:
        yield reason("move_too_far", CLAUSE, at=f"/fields/{X}", need_length=limit, got_length=run.length)


def _step(table: Table) -> Length:
    """How far beyond the edge one comes to stand: a hundredth, or a cell."""
    ground = table.state.scenery.ground
    return A_STEP if ground is None or ground.grid.kind == "none" else ground.grid.cell


# The step


def step_out(scene: Scene, who: CombatantId, area: Area, length: Length, point: Point | None) -> bool:
    """He is out of the area: nobody strikes at him for it, and he is locked with nobody whom he is no longer next to.

    If somebody else has come to stand there before him he takes the next free place; if none is left he stays, and
    nothing was dodged. Clauses: DH-3660, DH-3670.
    """
    run = _way(scene, who, area, length, point)
    if run is None:
        return False
    with scene.within("dodged", who):
        arrived = go(scene, Walk(who, run, EVASION, CLAUSE, lambda: not is_out(scene, who), forced=True))
    if run.walked:
        displaced(scene, who)
    if scene.has_map:
        part_from_the_far(scene, who)
    elif run.walked > engagement_range(scene):
        for other in scene.who(who).engaged:
            part(scene, who, other, "DH-3670")
    return arrived


def _way(scene: Scene, who: CombatantId, area: Area, length: Length, point: Point | None) -> Run | None:
    if not scene.has_map:
        return Run(who, length, length, cost=length, walked=length)
    if point is None or any(True for _ in why_not_there(scene, who, area, point)):
        found = scene.space.exit(who, to_leave(scene, who, area), farthest(scene, who))
        if isinstance(found, Unknown) or not found.possible or found.place is None:
            return None
        point = found.place.point
    run = scene.space.run(who, (point,))
    return None if isinstance(run, Unknown) else run
