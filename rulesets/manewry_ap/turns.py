"""The turn structure: rounds by initiative, action points that last until the own next turn, stamina that comes back.

Clauses MA-010 to MA-040, MA-070, MA-330, MA-340, MA-700.
"""

from collections.abc import Iterator
from functools import partial

from app.engine.commands import Submission
from app.engine.dice import parse_dice
from app.engine.events import ActionTaken, Die, EncounterStarted, RoundBegan, StandingSet, TurnBegan, TurnEnded
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.state import Combatant, Slot
from app.engine.table import Table
from app.engine.turns import advance
from rulesets.manewry_ap.classes import TURN_END
from rulesets.manewry_ap.figures import AGI, AP, EP, HIDDEN, ap_left, current, whole_option
from rulesets.manewry_ap.hiding import hide, settle_spotted
from rulesets.manewry_ap.holds import settle_holds
from rulesets.manewry_ap.people import ep_max, refilled
from rulesets.manewry_ap.permission import END_TURN, IMMEDIATE_USED, is_immediate, why_barred, why_not_immediate
from rulesets.manewry_ap.pricing import price_now
from rulesets.manewry_ap.responding import spend

TURN, SPRINTED = "turn", "sprinted"
ORDER = "MA-010"


class ManewryTurns:
    """The turn structure of this game. See `app.engine.rules.Turns`."""

    # Whose moment it is

    def may(self, table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
        """Whose turn it is, the price, and what bars the action. Clauses: MA-010, MA-020, MA-040, MA-070, MA-330."""
        reason, who = table.rules.reason, sub.actor
        if not table.is_turn_of(who):
            yield reason("not_your_turn")
        need, left = declared_price(sub, action), ap_left(table, who)
        if need > left:
            yield reason("not_enough_ap", need=need, got=left)
        if is_immediate(action):
            yield from why_not_immediate(table, who, action)
        else:
            yield from why_barred(table, who, action)

    def pay(self, scene: Scene, sub: Submission, action: Action) -> None:
        """The price of what really comes of it: a way cut short is paid as far as it goes. Clauses: MA-020, MA-600."""
        who, clause = sub.actor, action.clauses[0]
        if action.id == END_TURN:
            return
        tags, form = tuple(sorted(action.tags)), sub.type or action.default_type
        own = scene.is_turn_of(who)
        scene.emit(
            ActionTaken(who, action.id, form, tags, sub.weapon, sub.targets, sub.note, counts=own, clause=clause)
        )
        price = price_now(scene, sub, action)
        spend(scene, who, declared_price(sub, action) if price is None else price.ap, str(clause))
        if price is not None and price.ep:
            scene.change_pool(who, EP, -price.ep, "MA-610")
        if is_immediate(action):
            scene.begin(who, IMMEDIATE_USED)

    def after(self, scene: Scene, sub: Submission, action: Action) -> None:
        """Holds and sight are looked at again; only the end of a turn passes it on. Clauses: MA-070, MA-420, MA-730."""
        settle_holds(scene)
        settle_spotted(scene)
        slot = scene.slot()
        if slot is not None and slot.owner == sub.actor and action.id == END_TURN:
            advance(scene)

    # Order

    def start(self, scene: Scene, surprised: tuple[CombatantId, ...]) -> None:
        """Everybody's place is rolled once, and the pools are full. Clauses: MA-010, MA-020."""
        settle_order(scene, [body.id for body in scene.state.combatants.values() if body.status == "up"])
        scene.emit(EncounterStarted(ClauseId(ORDER)))
        for body in scene.in_order():
            scene.set_budget(body.id, AP, refilled(scene, body.id), "MA-020")

    def enter(self, scene: Scene, newcomer: CombatantId) -> None:
        """A newcomer rolls for his place and acts in this round when it comes to him. Clause: MA-010."""
        settle_order(scene, [newcomer])
        scene.set_budget(newcomer, AP, refilled(scene, newcomer), "MA-020")

    def next(self, scene: Scene) -> Slot | None:
        """The next of the order who has not had his turn; when all have, a new round begins. Clause: MA-010."""
        coming = self._to_come(scene) if scene.state.clock.round else []
        if not coming:
            scene.emit(RoundBegan(scene.state.clock.round + 1, ClauseId(ORDER)))
            if scene.option("ap_refill") == "full_at_round_start":
                for body in scene.in_order():
                    scene.set_budget(body.id, AP, refilled(scene, body.id), "MA-020")
            coming = self._to_come(scene)
        return Slot(coming[0].id, TURN) if coming else None

    def _to_come(self, table: Table) -> list[Combatant]:
        acted = frozenset(table.state.clock.acted)
        return [body for body in table.in_order() if body.id not in acted and body.status == "up"]

    def open(self, scene: Scene, slot: Slot) -> bool:
        """A turn begins: full action points, stamina unless he sprinted, and the test of whoever is hidden.

        Clauses: MA-020, MA-030, MA-070, MA-700.
        """
        who = slot.owner
        scene.emit(TurnBegan(who, TURN, True, ClauseId(ORDER)))
        if scene.option("ap_refill") == "full_at_own_turn_start":
            scene.set_budget(who, AP, refilled(scene, who), "MA-020")
        if not scene.has(who, SPRINTED):
            breathe(scene, who, whole_option(scene, "ep_regen"), "MA-030")
        scene.end(who, SPRINTED, why="rested", clause="MA-030")
        settle_holds(scene)
        settle_spotted(scene)
        if scene.has(who, HIDDEN):
            hide(scene, who)
        return True

    def close(self, scene: Scene, slot: Slot) -> None:
        """What was counted in his turns has lasted one more, and the turn is over. Clause: MA-070."""
        who = slot.owner
        if scene.who(who).status == "gone":
            scene.tick(TURN_END, who)
            return
        scene.tick(TURN_END, who)
        scene.emit(TurnEnded(who, TURN, True, ClauseId("MA-070")))

    def between(self, scene: Scene) -> None:
        """Nothing comes between two turns. Clause: MA-010."""

    def upcoming(self, table: Table) -> tuple[Slot, ...]:
        """Who has not had his turn in this round, in order."""
        slot = table.state.clock.slot
        return tuple(Slot(body.id, TURN) for body in self._to_come(table) if slot is None or slot.owner != body.id)


def declared_price(sub: Submission, action: Action) -> int:
    """Action points of the submission as it was declared. Clause: MA-095."""
    costs = action.costs[sub.type or action.default_type]
    return sum(cost.amount for cost in costs if cost.budget == AP)


def breathe(scene: Scene, who: CombatantId, points: int, clause: str) -> None:
    """Stamina comes back, at most up to the whole pool. Clauses: MA-030, MA-660."""
    now, most = scene.pool(who, EP), ep_max(scene.rules.tables, scene.who(who))
    scene.change_pool(who, EP, max(0, min(most, now + points) - now), clause)


def settle_order(scene: Scene, whom: list[CombatantId]) -> None:
    """Initiative, then Agility, then who joined earlier. Clause: MA-010."""
    rolled = scene.gather({who: partial(_initiative, scene, who) for who in whom})
    joined = list(scene.state.combatants)
    expression = parse_dice(str(scene.option("initiative")))
    for who in whom:
        agility = current(scene, who, AGI)
        total = expression.plus + agility + sum(sign * die.value for sign, die in rolled[who])
        dice = tuple(die for _, die in rolled[who])
        scene.emit(StandingSet(who, (total, agility, -joined.index(who)), dice, ClauseId(ORDER)))


def _initiative(scene: Scene, who: CombatantId) -> list[tuple[int, Die]]:
    expression = parse_dice(str(scene.option("initiative")))
    found: list[tuple[int, Die]] = []
    for place, group in enumerate(expression.groups):
        name = "initiative" if not place else f"initiative_{place + 1}"
        fallen = scene.roll(name, group.count, group.sides, who, "initiative", clause=ORDER)
        found += [(group.sign, die) for die in fallen]
    return found
