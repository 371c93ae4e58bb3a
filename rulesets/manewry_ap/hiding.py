"""Hiding: the test against all who could notice, discovery, and what ends it. Clauses MA-250, MA-700 to MA-750."""

from collections.abc import Iterator
from functools import partial

import msgspec
from msgspec.structs import replace

from app.engine.asks import GM, Answer, Option, Question
from app.engine.events import Figure, Noted, Term
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.showing import put
from app.engine.space.model import Unknown
from app.engine.table import Table
from rulesets.manewry_ap.checks import base_st, take_test
from rulesets.manewry_ap.classes import stat_terms, total_of, use
from rulesets.manewry_ap.figures import HIDDEN, LISTENING, SPOTTED, SPOTTING, STEALTH, UNIT, whole_option
from rulesets.manewry_ap.reach import distance, foes_of, in_sight, is_behind

PERCEPTION = "perception"
DETECT = "detect"
ALL, NOBODY, THESE = "all_see", "nobody", "these"
TRY, LET_BE = "try", "let_be"
IN_SIGHT, IN_EARSHOT, BEHIND = "in_sight", "in_earshot", "behind"
HIDE = "hide"


class Perceiver(msgspec.Struct, frozen=True):
    """An enemy who could notice somebody: who only listens, and who looks as well. Clauses: MA-710, MA-720."""

    who: CombatantId
    looks: bool


class Around(msgspec.Struct, frozen=True):
    """Who could notice somebody, and what nobody has said of the others."""

    perceivers: tuple[Perceiver, ...]
    unknown: tuple[tuple[CombatantId, Unknown, str], ...]
    """Whom it is about, what is not known, and where in a submission it is stated."""


def around(table: Table, who: CombatantId, behind: tuple[str, ...] | None = None) -> Around:
    """Every enemy who could notice him where he is now. `behind` are those at whose backs he is stated to be.

    Clauses: MA-080, MA-710, MA-720.
    """
    found: list[Perceiver] = []
    unknown: list[tuple[CombatantId, Unknown, str]] = []
    for foe in foes_of(table, who):
        sees = in_sight(table, who, foe)
        if isinstance(sees, Unknown):
            unknown.append((foe, sees, "/said/sees"))
        elif sees:
            back = is_behind(table, who, foe, behind)
            if isinstance(back, Unknown):
                unknown.append((foe, back, "/options/behind"))
            else:
                found.append(Perceiver(foe, not back))
        else:
            far = distance(table, who, foe)
            if isinstance(far, Unknown):
                unknown.append((foe, far, "/said/distance"))
            elif far <= whole_option(table, "earshot_units") * UNIT:
                found.append(Perceiver(foe, looks=False))
    return Around(tuple(found), tuple(unknown))


def is_seen(table: Table, who: CombatantId) -> bool | None:
    """Whether any enemy has him in sight; None where nobody has said it of one of whom it would matter.

    Clause: MA-730.
    """
    facts = [in_sight(table, who, foe) for foe in foes_of(table, who)]
    if any(not isinstance(one, Unknown) and one for one in facts):
        return True
    return None if any(isinstance(one, Unknown) for one in facts) else False


def why_not_hide(table: Table, who: CombatantId, behind: tuple[str, ...] | None) -> Iterator[Reason]:
    """Who was spotted must first get out of everybody's sight; what the test needs must be known.

    Clauses: MA-080, MA-645, MA-730.
    """
    if table.has(who, HIDDEN):
        return
    reason, seen = table.rules.reason, is_seen(table, who)
    if table.has(who, SPOTTED) and seen:
        yield reason("in_enemy_sight")
        return
    missing = [(foe, where) for foe, fact, where in around(table, who, behind).unknown if fact.ask == "client"]
    for at in dict.fromkeys(where for _, where in missing):
        yield reason("missing_input", at=at, names=tuple(foe for foe, where in missing if where == at))


def hide(scene: Scene, who: CombatantId, behind: tuple[str, ...] | None = None) -> bool:
    """The test against all who could notice him; who is noticed by one is hidden to nobody.

    Clauses: MA-700 to MA-730.
    """
    scene.end(who, SPOTTED, why="out_of_sight", clause="MA-730")
    with scene.within(HIDE, who):
        noticing = _trying(scene, who, _settled(scene, who, behind))
        if not noticing:
            if not scene.has(who, HIDDEN):
                scene.begin(who, HIDDEN)
            return True
        return _tested(scene, who, noticing)


def _tested(scene: Scene, who: CombatantId, noticing: tuple[Perceiver, ...]) -> bool:
    """One roll, held against the ST that each of them sets. Clauses: MA-700 to MA-730."""
    levels = {one.who: _difficulty(scene, one) for one in noticing}
    hardest = max(sorted(levels), key=lambda one: total_of(levels[one]))
    check = take_test(
        scene,
        who,
        STEALTH,
        HIDE,
        levels[hardest],
        lambda: stat_terms(scene, who, STEALTH),
        clause="MA-700",
        against=hardest,
        others=tuple(total_of(level) for level in levels.values()),
    )
    use(scene, who, STEALTH)
    for one in noticing:
        use(scene, one.who, LISTENING, *((SPOTTING,) if one.looks else ()))
    discoverers = [one.who for one in noticing if check.total < total_of(levels[one.who])]
    for foe in discoverers:
        figures = (Figure("st", total_of(levels[foe])),)
        scene.emit(Noted(foe, "discovered", who, figures=figures, clause=ClauseId("MA-730")))
    if discoverers:
        reveal(scene, who, "discovered", "MA-730")
        scene.begin(who, SPOTTED)
        return False
    if not scene.has(who, HIDDEN):
        scene.begin(who, HIDDEN)
    return True


def _difficulty(table: Table, one: Perceiver) -> tuple[Term, ...]:
    """What somebody's senses make of the ST. Clauses: MA-710, MA-720."""
    looks = stat_terms(table, one.who, SPOTTING) if one.looks else ()
    return (base_st(table), *stat_terms(table, one.who, LISTENING), *looks)


def _trying(scene: Scene, who: CombatantId, able: tuple[Perceiver, ...]) -> tuple[Perceiver, ...]:
    """Those who try: all of them, or by option those who say so. Clause: MA-710."""
    if scene.option("detection") != "ask" or not able:
        return able
    chosen = scene.gather({one.who: partial(_whether_to_try, scene, one.who, who) for one in able})
    return tuple(one for one in able if chosen[one.who])


def _whether_to_try(scene: Scene, foe: CombatantId, who: CombatantId) -> bool:
    question = Question(
        key="",
        name=DETECT,
        kind=DETECT,
        to=foe,
        options=(Option(TRY), Option(LET_BE, declines=True)),
        default=TRY,
        best=TRY,
        about=who,
        clause=ClauseId("MA-710"),
    )
    return scene.ask(question).option == TRY


def _settled(scene: Scene, who: CombatantId, behind: tuple[str, ...] | None) -> tuple[Perceiver, ...]:
    """Who could notice him, with what the GM says of those of whom nobody has. Clauses: MA-080, MA-710."""
    known = around(scene, who, behind)
    if not known.unknown:
        return known.perceivers
    foes = tuple(foe for foe, _, _ in known.unknown)
    told = _from_gm(scene, who, foes)
    return tuple(sorted((*known.perceivers, *told), key=lambda one: one.who))


def _from_gm(scene: Scene, who: CombatantId, foes: tuple[CombatantId, ...]) -> tuple[Perceiver, ...]:
    names = (IN_SIGHT, IN_EARSHOT, BEHIND)
    form = tuple(Field(name, "combatants", choices=foes, clause=ClauseId("MA-710")) for name in names)
    question = Question(
        key="",
        name=PERCEPTION,
        kind=PERCEPTION,
        to=GM,
        options=(Option(ALL), Option(THESE, form=form), Option(NOBODY)),
        default=ALL,
        about=who,
        clause=ClauseId("MA-710"),
    )
    answer = scene.ask(question)
    if answer.option == NOBODY:
        return ()
    if answer.option == ALL:
        return tuple(Perceiver(foe, looks=True) for foe in foes)
    sight, ears, backs = (_listed(answer, name) for name in names)
    return tuple(Perceiver(foe, looks=foe in sight and foe not in backs) for foe in foes if foe in (*sight, *ears))


def _listed(answer: Answer, name: str) -> tuple[str, ...]:
    found = answer.fields.get(name, ())
    return tuple(found) if isinstance(found, list | tuple) else ()


# What ends it


def reveal(scene: Scene, who: CombatantId, why: str, clause: str) -> None:
    """He is hidden no more. Clauses: MA-600, MA-730, MA-740, MA-750."""
    scene.end(who, HIDDEN, why=why, clause=clause)


def met(scene: Scene, who: CombatantId) -> None:
    """Somebody has run into him: whatever hid him, it does so no more. Clauses: MA-540, MA-600."""
    reveal(scene, who, "met", "MA-600")
    body = scene.who(who)
    if body.hidden:
        put(scene, replace(body, hidden=False, slot=None), ("hidden",), ClauseId("MA-600"))


def reveal_by_attack(scene: Scene, who: CombatantId, target: CombatantId) -> None:
    """After his attack he is hidden no more, and spotted if an enemy has him in sight. Clause: MA-740.

    Without a map the one whom he attacked has, unless it was said otherwise.
    """
    reveal(scene, who, "attacked", "MA-740")
    facts = {foe: in_sight(scene, who, foe) for foe in foes_of(scene, who)}
    if any(foe == target if isinstance(one, Unknown) else one for foe, one in facts.items()):
        scene.begin(who, SPOTTED, clause="MA-740")


def settle_spotted(scene: Scene) -> None:
    """Who has got out of the sight of all enemies may hide again. Clause: MA-730."""
    for who in tuple(scene.state.combatants):
        if scene.has(who, SPOTTED) and is_seen(scene, who) is False:
            scene.end(who, SPOTTED, why="out_of_sight", clause="MA-730")
