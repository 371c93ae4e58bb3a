"""Who holds whom: a hold is two effects that name each other. Clauses MA-320 to MA-370, MA-390 to MA-435."""

from functools import partial

import msgspec

from app.engine.events import Figure, Noted, Term
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.state import Effect
from app.engine.table import Table
from rulesets.manewry_ap.checks import HOLDER, HOLDER_STR, Rolled, roll_dice, take_test
from rulesets.manewry_ap.classes import stat_terms, total_of, use
from rulesets.manewry_ap.figures import STR, UNIT, is_conscious

GRABBED, HOLDING = "grabbed", "holding"
BREAK_FREE = "break_free"
HELD_STILL = "held_still"
"""Why one of several holds has ended: he is not free by that."""


def holders_of(table: Table, who: CombatantId) -> list[CombatantId]:
    """Who holds him, by id. Clauses: MA-400, MA-430."""
    found = {one.source for one in table.effects(who, GRABBED) if one.source is not None}
    return sorted(one for one in found if _lasts(table, one, who))


def captive_of(table: Table, who: CombatantId) -> CombatantId | None:
    """Whom he holds: never more than one. Clause: MA-340."""
    hold = hold_of(table, who)
    return None if hold is None else hold.against


def hold_of(table: Table, who: CombatantId) -> Effect | None:
    """His hold, with the item it is done with."""
    hold = table.effect(who, HOLDING)
    return hold if hold is not None and hold.against and _lasts(table, who, hold.against) else None


def _lasts(table: Table, holder: CombatantId, held: CombatantId) -> bool:
    """Whether that hold still is one: both halves of it are there, both are up and next to each other, whoever sees it.

    Clause: MA-420.
    """
    if not table.known(holder) or not table.known(held) or captive_named(table, holder) != held:
        return False
    if not any(one.source == holder for one in table.effects(held, GRABBED)):
        return False
    near = table.whole_space.adjacent(holder, held, UNIT)
    return is_conscious(table, holder) and is_conscious(table, held) and (isinstance(near, Unknown) or near)


def is_grabbed(table: Table, who: CombatantId) -> bool:
    """Whether anybody holds him. Clause: MA-330."""
    return bool(holders_of(table, who))


def are_in_one_hold(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether one of the two holds the other. Clause: MA-370."""
    return captive_of(table, one) == other or captive_of(table, other) == one


def is_in_a_hold(table: Table, who: CombatantId) -> bool:
    """Whether he holds somebody or is held. Clause: MA-370."""
    return is_grabbed(table, who) or captive_of(table, who) is not None


def take_hold(scene: Scene, holder: CombatantId, held: CombatantId, item: ItemId | None = None) -> None:
    """He has him. Clauses: MA-320, MA-430."""
    scene.begin(held, GRABBED, source=holder)
    scene.begin(holder, HOLDING, against=held, item=item)


def let_go(scene: Scene, holder: CombatantId, why: str, clause: str) -> None:
    """The hold of this holder is over; others stay. Clause: MA-350."""
    for hold in tuple(scene.effects(holder, HOLDING)):
        scene.end_one(holder, hold, why, clause)
        if hold.against is not None and scene.known(hold.against):
            for held in [one for one in scene.effects(hold.against, GRABBED) if one.source == holder]:
                _one_less(scene, hold.against, held, why, clause)


def _one_less(scene: Scene, who: CombatantId, held: Effect, why: str, clause: str) -> None:
    """He is free with the last hold on him, and not before. Clauses: MA-350, MA-400."""
    last = sum(1 for _ in scene.effects(who, GRABBED)) == 1
    scene.end_one(who, held, why if last else HELD_STILL, clause)


def be_free(scene: Scene, who: CombatantId, why: str, clause: str) -> None:
    """Nobody holds him any more. Clause: MA-410."""
    for held in tuple(scene.effects(who, GRABBED)):
        holder = held.source
        if holder is not None and captive_named(scene, holder) == who:
            let_go(scene, holder, why, clause)
        elif held.id in scene.who(who).effects:
            _one_less(scene, who, held, why, clause)


def captive_named(table: Table, who: CombatantId) -> CombatantId | None:
    """Whom his hold names, lasting or not."""
    hold = table.effect(who, HOLDING) if who in table.state.combatants else None
    return None if hold is None else hold.against


def settle_holds(scene: Scene) -> None:
    """Holds that have come to an end by themselves are over. Clause: MA-420."""
    for who in tuple(scene.state.combatants):
        named = captive_named(scene, who)
        if named is not None and not _lasts(scene, who, named):
            let_go(scene, who, "ended", "MA-420")
        for held in tuple(scene.effects(who, GRABBED)):
            if held.source is None or captive_named(scene, held.source) != who:
                _one_less(scene, who, held, "ended", "MA-420")


# Breaking free


def break_free(scene: Scene, who: CombatantId) -> bool:
    """STR against the rolls of all who hold him: free of all, or of none. Whose hold a ruling has ended meanwhile
    counts no more, and with none left there is nothing to roll against.

    Clauses: MA-390, MA-400, MA-410, MA-420.
    """
    with scene.within(BREAK_FREE, who):
        rolled = scene.gather({one: partial(_strength, scene, one) for one in holders_of(scene, who)})
        holders = [one for one in holders_of(scene, who) if one in rolled]
        if not holders:
            return True
        grips: dict[CombatantId, Grip] = {}
        for one in holders:
            grips[one] = _told(scene, one, who, rolled[one])
        check = take_test(
            scene,
            who,
            STR,
            BREAK_FREE,
            _difficulty(scene, grips),
            lambda: stat_terms(scene, who, STR),
            clause="MA-390",
            against=holders[0],
        )
        use(scene, who, STR)
    if check.success:
        be_free(scene, who, "broke_free", "MA-410")
    return check.success


def _strength(scene: Scene, holder: CombatantId) -> Rolled:
    return roll_dice(scene, "hold", holder, "hold")


class Grip(msgspec.Struct, frozen=True):
    """What a holder has rolled, and his STR as it was then. Clause: MA-390."""

    rolled: int
    strength: int

    @property
    def total(self) -> int:
        """What it comes to."""
        return self.rolled + self.strength


def _told(scene: Scene, holder: CombatantId, held: CombatantId, rolled: Rolled) -> Grip:
    """What the holder's dice and STR come to. Clause: MA-390."""
    grip = Grip(rolled.natural + total_of(rolled.plus), total_of(stat_terms(scene, holder, STR)))
    figures = (Figure("total", grip.total), Figure("natural", rolled.natural), Figure(STR, grip.total - rolled.natural))
    scene.emit(Noted(holder, "holds_on", held, figures=figures, dice=rolled.dice, clause=ClauseId("MA-390")))
    use(scene, holder, STR)
    return grip


def _difficulty(table: Table, grips: dict[CombatantId, Grip]) -> tuple[Term, ...]:
    """The sum of all their totals, or by option the highest with the STR of the others. Clause: MA-400."""
    clause = ClauseId("MA-390" if len(grips) == 1 else "MA-400")
    if len(grips) == 1 or table.option("several_holders_st") == "sum":
        parts = [(who, ((HOLDER, grip.rolled), (HOLDER_STR, grip.strength))) for who, grip in grips.items()]
        return tuple(Term(name, value, clause, who) for who, both in parts for name, value in both)
    best, grip = max(grips.items(), key=lambda held: held[1].total)
    return (
        Term(HOLDER, grip.rolled, clause, best),
        *(Term(HOLDER_STR, grip.strength, clause, who) for who, grip in grips.items()),
    )
