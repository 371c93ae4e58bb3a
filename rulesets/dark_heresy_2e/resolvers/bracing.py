"""Brace Heavy Weapon: set it up towards where one faces. Clauses DH-4500 to DH-4530."""

from collections.abc import Iterator

import msgspec

from app.engine.asks import GM, Option, Question
from app.engine.commands import Submission
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.dark_heresy_2e.braces import ARC, BRACED, FACING, ON_BODY, X, Y, is_braced
from rulesets.dark_heresy_2e.weapons import readied, weapon_of
from rulesets.dark_heresy_2e.zones import facing_of, gun_of, turn_to

HEAVY = "heavy"
CLAUSE = "DH-4500"
ARC_CLAUSE = "DH-4530"
BRACE = "brace"


class BraceParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ways to brace a weapon with the arc in degrees of each, the one that needs no support, those on the shooter's own
    body, and those of which the GM may say less.

    Clauses: DH-4520, DH-4530.
    """

    arcs: dict[str, int]
    default: str
    on_body: tuple[str, ...]
    gm_may_lower: tuple[str, ...]


def _heavy(table: Table, sub: Submission) -> ItemId | None:
    """The weapon named, else the heavy one in his hands, else any that shoots."""
    if sub.weapon is not None:
        return sub.weapon
    heavy = (key for key, weapon in readied(table, sub.actor) if weapon.class_ == HEAVY)
    return next(heavy, gun_of(table, sub))


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A heavy weapon in his hands that is not braced yet. Clause: DH-4500."""
    reason, item = table.rules.reason, _heavy(table, sub)
    if item is None:
        yield reason("weapon_not_heavy", CLAUSE, at="/weapon")
        return
    if weapon_of(table, sub.actor, item).class_ != HEAVY:
        yield reason("weapon_not_heavy", CLAUSE, at="/weapon", names=(item,))
    if not table.item(sub.actor, item).held:
        yield reason("weapon_not_ready", CLAUSE, at="/weapon", names=(item,))
    if is_braced(table, sub.actor, item):
        yield reason("already_braced", CLAUSE, at="/weapon", names=(item,))


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """It stands braced towards where he faces until it is moved. Clauses: DH-4500, DH-4530."""
    params: BraceParams = action.params
    item, facing = _heavy(scene, sub), facing_of(scene, sub) or 0
    if item is None:
        return
    way = str(sub.options.get(BRACE) or params.default)
    arc = params.arcs[way]
    if way in params.gm_may_lower:
        arc = _judged(scene, sub.actor, arc)
    turn_to(scene, sub.actor, facing)
    marks = {ARC: arc, FACING: facing, ON_BODY: int(way in params.on_body)}
    place = scene.who(sub.actor).place
    if place is not None:
        marks |= {X: place.x, Y: place.y}
    for mark, value in marks.items():
        scene.mark_item(sub.actor, item, mark, value, ARC_CLAUSE)
    scene.mark_item(sub.actor, item, BRACED, 1, CLAUSE)


def _judged(scene: Scene, who: CombatantId, arc: int) -> int:
    """The arc that an odd support allows: a crenel may be narrow. Clause: DH-4530."""
    answer = scene.ask(
        Question(
            key="",
            name="brace_arc",
            kind="brace_arc",
            to=GM,
            options=(
                Option("usual", declines=True),
                Option("state", form=(Field("degrees", "integer", True, minimum=1, maximum=arc),)),
            ),
            default="usual",
            about=who,
            figures={"degrees": arc},
            clause=ClauseId(ARC_CLAUSE),
        )
    )
    return answer.whole("degrees", arc) if answer.option == "state" else arc


BRACE_HEAVY_WEAPON = Resolver(BraceParams, check, resolve)
