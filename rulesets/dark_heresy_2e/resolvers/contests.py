"""Feint, Manoeuvre and Knock Down: opposed tests with somebody next to one.

Clauses DH-3760 to DH-3790, DH-4000 to DH-4030, DH-4620 to DH-4640.
"""

from collections.abc import Iterator

import msgspec

from app.engine.asks import GM, Option, Question
from app.engine.blocks.walk import Walk, go
from app.engine.commands import Submission
from app.engine.events import Hit, Noted, Term
from app.engine.forms import Field
from app.engine.ids import ActionId, ClauseId, CombatantId, Length
from app.engine.modifiers import collect, tagged
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import Landing, Run, Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.braces import displaced
from rulesets.dark_heresy_2e.checks import Settled, Side, contest
from rulesets.dark_heresy_2e.conditions import fall_prone, fatigue, interrupt_extended, is_out
from rulesets.dark_heresy_2e.damage import Source, deal
from rulesets.dark_heresy_2e.falling import fall
from rulesets.dark_heresy_2e.melee import engage, part, part_from_the_far
from rulesets.dark_heresy_2e.moving import go_along, leave_melee, left_behind, way_of
from rulesets.dark_heresy_2e.reach import is_adjacent
from rulesets.dark_heresy_2e.tags import given_terms, why_not_given
from rulesets.dark_heresy_2e.turns import FREE
from rulesets.dark_heresy_2e.weapons import UNARMED, weapon_of

MOVE = ActionId("move")
DEEPEST = 100_000
PRONE, DAMAGE, BOTH = "prone", "damage", "both"


def why_not_next_to(table: Table, sub: Submission, clause: str) -> Iterator[Reason]:
    """The foe must be next to him, or a stated pair. Clause: DH-5130."""
    if sub.target is not None and not is_adjacent(table, sub.actor, sub.target):
        yield table.rules.reason("not_engaged", clause, at="/targets/0", names=(sub.target,))


def contest_terms(table: Table, who: CombatantId, purpose: str, *tags: str) -> tuple[Term, ...]:
    """Modifiers of one side of an opposed test."""
    known = {f"contest.{purpose}", *tags}
    known.update(tagged("actor", table.active(who)))
    return collect(table.rules.modifiers, "contest", known)


# Feint


class FeintParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is tested."""

    check: str


def check_feint(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Somebody next to him. Clause: DH-4620."""
    yield from why_not_given(table, sub.modifiers)
    yield from why_not_next_to(table, sub, "DH-4620")


def feint(scene: Scene, sub: Submission, action: Action) -> None:
    """Won: the foe cannot evade his next Standard Attack of this turn. Clauses: DH-4620 to DH-4640."""
    params: FeintParams = action.params
    foe = sub.targets[0]
    engage(scene, sub.actor, foe)
    sides = (Side(sub.actor, params.check, given_terms(sub.modifiers)), Side(foe, params.check))
    if contest(scene, *sides, "feint", clause="DH-4620").winner == sub.actor:
        scene.begin(foe, "feinted", source=sub.actor, against=sub.actor)


# Knock Down


class KnockDownParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is tested, from how many degrees on the winner may do more, and the fatigue that damage brings.

    Clauses: DH-4000, DH-4010, DH-4020.
    """

    check: str
    decisive: int
    fatigue: int


def check_knock_down(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Somebody next to him. Clause: DH-4000."""
    yield from why_not_given(table, sub.modifiers)
    yield from why_not_next_to(table, sub, "DH-4000")


def knock_down(scene: Scene, sub: Submission, action: Action) -> None:
    """A contest of strength, with no hit and no Evasion. Clause: DH-4000."""
    throw_to_the_ground(scene, sub, action.params, in_a_rush=_has_just_moved(scene, sub.actor))


def _has_just_moved(table: Table, who: CombatantId) -> bool:
    """Whether a half move was his last action but for this one and free ones. Clause: DH-4000."""
    done = [one for one in table.who(who).done if one.form != FREE]
    before = done[:-1]
    return bool(before) and before[-1].action == MOVE and before[-1].form == "half"


def throw_to_the_ground(scene: Scene, sub: Submission, params: KnockDownParams, *, in_a_rush: bool) -> None:
    """Knock somebody down, alone, after a move, or at the end of a Charge; an aim is used up without any good.

    Clauses: DH-3970, DH-4000 to DH-4030, DH-4370.
    """
    who, foe = sub.actor, sub.targets[0]
    engage(scene, who, foe)
    tags = ("momentum",) if in_a_rush else ()
    terms = (*contest_terms(scene, who, "knock_down", *tags), *given_terms(sub.modifiers))
    mine = Side(who, params.check, terms)
    settled = contest(scene, mine, Side(foe, params.check), "knock_down", clause="DH-4000")
    scene.tick("attack", who, foe)
    if settled.winner == who:
        _thrown(scene, who, foe, params, settled)
    elif settled.winner == foe and settled.margin >= params.decisive:
        fall_prone(scene, who, "DH-4020")


def _thrown(scene: Scene, who: CombatantId, foe: CombatantId, params: KnockDownParams, settled: Settled) -> None:
    """He falls, or with two degrees is hurt instead. Clauses: DH-4010, DH-4030."""
    outcome = PRONE
    if settled.margin >= params.decisive:
        hurting = BOTH if scene.option("knock_down_damage") == "in_addition" else DAMAGE
        outcome = scene.ask(_outcome_question(who, foe, hurting)).option
    if outcome in (PRONE, BOTH):
        fall_prone(scene, foe, "DH-4010")
    if outcome in (DAMAGE, BOTH):
        source = Source(who, weapon_of(scene, who, None), UNARMED, bruises=False)
        deal(scene, source, Hit(1, foe, "body"), first=False)
        fatigue(scene, foe, params.fatigue, "DH-4010")


def _outcome_question(who: CombatantId, foe: CombatantId, hurting: str) -> Question:
    return Question(
        key="",
        name="knock_down_outcome",
        kind="knock_down_outcome",
        to=who,
        options=(Option(PRONE), Option(hurting)),
        default=PRONE,
        best=PRONE,
        about=foe,
        informed=True,
        clause=ClauseId("DH-4010"),
    )


# Manoeuvre


class ManoeuvreParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is tested, and how far the loser is moved. Clause: DH-3760."""

    check: str
    distance: Length


def check_manoeuvre(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Somebody next to him, and room for him where he is to go. Clauses: DH-3760, DH-3770."""
    yield from why_not_given(table, sub.modifiers)
    yield from why_not_next_to(table, sub, "DH-3760")
    if sub.target is None:
        return
    params: ManoeuvreParams = action.params
    if table.has_map and not isinstance(sub.options.get("direction"), int):
        yield table.rules.reason("missing_input", "DH-3760", at="/options/direction")
        return
    if table.said.destination_free is False and not table.has_map:
        yield table.rules.reason("destination_blocked", "DH-3770", at="/said/destination_free")
        return
    landing = _landing(table, sub, params)
    if not isinstance(landing, Unknown) and landing.blocked_by is not None:
        names = () if not table.known(landing.blocked_by) else (landing.blocked_by,)
        yield table.rules.reason("destination_blocked", "DH-3770", at="/options/direction", names=names)


def _direction(sub: Submission) -> int:
    direction = sub.options.get("direction")
    return direction if isinstance(direction, int) else 0


def _landing(table: Table, sub: Submission, params: ManoeuvreParams) -> Landing | Unknown:
    return table.space.push(sub.targets[0], _direction(sub), params.distance)


def manoeuvre(scene: Scene, sub: Submission, action: Action) -> None:
    """Won: the opponent is moved, and he may follow. No hit, no Evasion, no free attack on who is moved.

    Clauses: DH-3760 to DH-3790.
    """
    params: ManoeuvreParams = action.params
    foe = sub.targets[0]
    engage(scene, sub.actor, foe)
    sides = (Side(sub.actor, params.check, given_terms(sub.modifiers)), Side(foe, params.check))
    if contest(scene, *sides, "manoeuvre", clause="DH-3760").winner != sub.actor:
        return
    stood = scene.who(foe).place
    landing = _landing(scene, sub, params)
    push(scene, foe, landing, params.distance, action.id, "DH-3760")
    follows = sub.options.get("advance") is True
    if follows and stood is not None:
        _advance(scene, sub, action, params)
    if scene.has_map:
        part_from_the_far(scene, foe)
    elif not follows:
        part(scene, sub.actor, foe)


def push(
    scene: Scene, who: CombatantId, landing: Landing | Unknown, distance: Length, action: ActionId, clause: str
) -> None:
    """Move somebody against his will, past whoever may be on Overwatch; over an edge he falls.

    Clauses: DH-3770, DH-3780, DH-3930, DH-5470.
    """
    if scene.has_map and scene.who(who).place is None:
        return
    place = None if isinstance(landing, Unknown) else landing.where
    drawn = None if place is None else scene.space.run(who, (place.point,))
    run = Run(who, distance, distance, cost=distance, walked=distance)
    if drawn is not None and not isinstance(drawn, Unknown):
        run = drawn
    with scene.within("push", who):
        go(scene, Walk(who, run, action, ClauseId(clause), lambda: not is_out(scene, who), forced=True))
    interrupt_extended(scene, who, "moved")
    displaced(scene, who)
    if isinstance(landing, Landing) and landing.over is not None:
        drop = landing.drop or _drop(scene, who)
        fall(scene, who, drop)


def _drop(scene: Scene, who: CombatantId) -> Length:
    """How deep it goes down where the map does not know it. Clause: DH-3770."""
    answer = scene.ask(
        Question(
            key="",
            name="drop",
            kind="ruling",
            to=GM,
            options=(Option("drop", form=(Field("drop", "length", True, minimum=0, maximum=DEEPEST),)),),
            default="drop",
            about=who,
            clause=ClauseId("DH-3770"),
        )
    )
    return answer.whole("drop")


def _advance(scene: Scene, sub: Submission, action: Action, params: ManoeuvreParams) -> None:
    """He follows by as much; opponents he leaves by it, other than that one, may strike. Clause: DH-3780."""
    landing = scene.space.push(sub.actor, _direction(sub), params.distance)
    if isinstance(landing, Unknown) or landing.where is None or landing.blocked_by is not None:
        scene.emit(Noted(sub.actor, "cannot_advance", clause=ClauseId("DH-3760")))
        return
    run = scene.space.run(sub.actor, (landing.where.point,))
    if isinstance(run, Unknown):
        return
    leaves = tuple(other for other in left_behind(scene, run) if other != sub.targets[0])
    way = way_of(scene, sub, action, run, leaves)
    if leave_melee(scene, way):
        with scene.within("advance"):
            go_along(scene, way, "DH-3900", "DH-3760")


FEINT = Resolver(FeintParams, check_feint, feint)
KNOCK_DOWN = Resolver(KnockDownParams, check_knock_down, knock_down)
MANOEUVRE = Resolver(ManoeuvreParams, check_manoeuvre, manoeuvre)
