"""Getting past foes who are in the way. Clause GU-470."""

from collections.abc import Iterator
from functools import partial

from app.engine.asks import Answer, Option, Question
from app.engine.events import Noted, Term
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.moments import Passing
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.table import Table
from app.engine.triggers import Cue
from rulesets.gurps_4e.checks import DX, Side, base_terms, contest
from rulesets.gurps_4e.figures import YARD, posture_of, posture_row, tables_of, yards
from rulesets.gurps_4e.going import Going
from rulesets.gurps_4e.reach import REAR, SIDE, arc_of, are_foes
from rulesets.gurps_4e.riding import is_mounted

CLAUSE = ClauseId("GU-470")
LET_PASS = "let_pass"
OPPOSE = "oppose"
EVADE = "evade"
AFTER_ALL_REACTIONS = (1_000_000,)


def is_stopped(scene: Scene, who: CombatantId) -> bool:
    """Whether somebody has stopped him on his way in this command."""
    return _stopped(who) in scene.met


def _stopped(who: CombatantId) -> str:
    return f"stopped/{who}"


# Who is in the way


def foes_in_the_way(table: Table, going: Going) -> list[tuple[Length, CombatantId]]:
    """Conscious foes whose yard the way leads through, each with how far one gets before him, the first one first.

    Whoever's yard it ends in is none of them.
    """
    return sorted((at, who) for at, who in _met(table, going) if at is not None)


def _met(table: Table, going: Going) -> Iterator[tuple[Length | None, CombatantId]]:
    run = going.run
    if run is None:
        return
    found = table.space.met(run) if table.has_map else [(at, who) for who, at in going.met.items()]
    for at, other in () if isinstance(found, Unknown) else found:
        who = CombatantId(other)
        in_the_way = table.known(who) and table.who(who).status == "up" and not is_mounted(table, who)
        if in_the_way and are_foes(table, going.owner, who) and not _ends_at(table, going, who, at):
            yield at, who


def _ends_at(table: Table, going: Going, foe: CombatantId, at: Length | None) -> bool:
    """Whether the way ends in his yard, which takes no contest."""
    run = going.run
    assert run is not None
    place = table.space.place(run, run.walked)
    if place is not None:
        far = table.space.after({going.who: place}).distance(going.who, foe)
        return not isinstance(far, Unknown) and yards(far) == 0
    if foe in going.ends:
        return yards(going.ends[foe]) == 0
    return at is not None and yards(abs(at + YARD - run.walked)) == 0


def why_unsaid_where(table: Table, going: Going) -> Iterator[Reason]:
    """Without a map: where on the way the foe stands has to be known, or stated as the free length before him."""
    unsaid = tuple(who for at, who in _met(table, going) if at is None)
    if unsaid:
        yield table.rules.reason("missing_input", CLAUSE, at="/said/units_free", names=unsaid)


# Getting past


def evading(scene: Scene, going: Going, until: Length, moment: Passing) -> Iterator[Cue]:
    """At each foe in the way: he lets the mover pass, or is evaded, or stops him."""
    for at, foe in foes_in_the_way(scene, going):
        if at < until:
            offer, run = partial(_let_pass, scene, going, foe), partial(_evade, scene, going, foe)
            yield Cue(at, AFTER_ALL_REACTIONS, f"{EVADE}/{foe}", offer, run)


def _let_pass(scene: Scene, going: Going, foe: CombatantId) -> Answer | None:
    """Ask the foe; who does not know of the mover is asked nothing. The side from which he comes is kept."""
    option = OPPOSE
    if going.who not in scene.unknown_to(foe):
        option = scene.ask(_question(going, foe)).option
    arc = arc_of(scene, foe, going.who, going.arc)
    return None if option == LET_PASS else Answer(OPPOSE, {"arc": arc})


def _question(going: Going, foe: CombatantId) -> Question:
    return Question(
        key="",
        name=LET_PASS,
        kind=LET_PASS,
        to=foe,
        options=(Option(LET_PASS), Option(OPPOSE)),
        default=OPPOSE,
        best=OPPOSE,
        about=going.who,
        clause=CLAUSE,
    )


def _evade(scene: Scene, going: Going, foe: CombatantId, answer: Answer) -> None:
    """A Quick Contest of DX. Who loses it, or ties, stops in front, as does whoever runs into somebody unseen."""
    who = going.who
    arc = arc_of(scene, foe, who) if scene.has_map else answer.word("arc")
    if foe not in scene.unknown_to(going.owner):
        mine = Side(who, DX, (*base_terms(scene, who, DX), *evade_terms(scene, foe, arc)))
        theirs = Side(foe, DX, base_terms(scene, foe, DX))
        if contest(scene, mine, theirs, EVADE, clause=CLAUSE) == who:
            return
    scene.met[_stopped(who)] = 1
    scene.emit(Noted(who, "way_barred", foe, clause=CLAUSE))


def evade_terms(table: Table, foe: CombatantId, arc: str) -> Iterator[Term]:
    """What the foe's posture and the side from which one comes make of it."""
    posture, evade = posture_of(table, foe), tables_of(table).core.evade
    yield Term(posture, posture_row(table, posture).evade, CLAUSE)
    if arc == SIDE:
        yield Term("from_the_side", evade.side, CLAUSE)
    elif arc == REAR:
        yield Term("from_behind", evade.rear, CLAUSE)
