"""The initiative score: what raises and lowers it, what an interrupt costs, who is before whom.

Clauses SR-020 to SR-070, SR-500, SR-865.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from app.engine.events import Die, StandingSet, TurnEnded
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.state import Combatant
from app.engine.table import Table
from rulesets.shadowrun_5e.figures import SCORE, score_of, tables_of

Place = tuple[int, ...]
LOST = "lost"
"""Kind of the slot that somebody does not get in this pass."""
MOST_TOSSES = 30
BY_SHEET = 5
"""So much of a place comes of seizing, the score and the sheet; what follows are tosses."""


def place_of(table: Table, who: CombatantId) -> Place:
    """Where he stands: who has seized the initiative, then the score, then what breaks ties. Higher is earlier.

    Clauses: SR-030, SR-050, SR-865.
    """
    body = table.who(who)
    score = score_of(table, who)
    seized = int(score > 0 and table.has(who, "seized"))
    return (seized, score, *body.standing[1:])


def by_score(table: Table, whom: Iterable[CombatantId]) -> list[CombatantId]:
    """The highest first, whoever it is who seized nothing or something. Clause: SR-050."""
    return sorted(whom, key=lambda who: ([-each for each in place_of(table, who)], who))


def ordered(scene: Scene, whom: Iterable[CombatantId]) -> list[CombatantId]:
    """The highest first; those who are still alike toss a die each until no two are, for the whole Combat Turn.

    Clause: SR-050.
    """
    return _settled(scene, list(whom), lambda place: True)


def foremost(scene: Scene, whom: Iterable[CombatantId], *, last: bool = False) -> CombatantId | None:
    """The highest of them, or the lowest; only who is as high as he tosses. Clause: SR-050."""
    among = list(whom)
    if not among:
        return None
    at = -1 if last else 0
    settled = _settled(
        scene, among, lambda place: place[:BY_SHEET] == place_of(scene, by_score(scene, among)[at])[:BY_SHEET]
    )
    return settled[at]


def _settled(scene: Scene, whom: list[CombatantId], counts: Callable[[Place], bool]) -> list[CombatantId]:
    """In order, those of the places that count with a die each as long as two are alike."""
    everybody = by_score(scene, whom)
    for attempt in range(1, MOST_TOSSES):
        places = [place_of(scene, who) for who in everybody]
        tied = [who for who, place in zip(everybody, places, strict=True) if counts(place) and places.count(place) > 1]
        if not tied:
            break
        with scene.within(f"tie{attempt}"):
            tossed = scene.gather({who: partial(_toss, scene, who) for who in tied})
        for who in tied:
            standing = (*scene.who(who).standing, tossed[who][0].value)
            scene.emit(StandingSet(who, standing, tossed[who], ClauseId("SR-050")))
        everybody = by_score(scene, everybody)
    return everybody


def _toss(scene: Scene, who: CombatantId) -> tuple[Die, ...]:
    return scene.roll("toss", 1, tables_of(scene).core.initiative_sides, who, "toss", clause="SR-050")


def change_score(scene: Scene, who: CombatantId, delta: int, clause: str) -> None:
    """It rises or falls, at once. Who falls to nothing before his phase has none in this pass.

    Clauses: SR-060, SR-070.
    """
    before = score_of(scene, who)
    scene.change_pool(who, SCORE, delta, clause)
    clock = scene.state.clock
    waits = clock.pass_ > 0 and who not in clock.acted and not scene.is_turn_of(who)
    if before > 0 >= before + delta and waits:
        scene.emit(TurnEnded(who, LOST, True, ClauseId("SR-070")))


def why_not_affordable(table: Table, who: CombatantId, price: int, at: str | None = None) -> Iterator[Reason]:
    """An interrupt costs more than he has; exactly as much will do. Clause: SR-500."""
    score = score_of(table, who)
    if score < price:
        yield table.rules.reason("insufficient_initiative", "SR-500", at=at, need=price, got=score)


def present(table: Table) -> list[Combatant]:
    """Everybody who takes part and is up."""
    return [body for body in table.in_order() if body.status == "up"]
