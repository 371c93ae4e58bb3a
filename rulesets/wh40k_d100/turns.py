"""Rounds of turns: the order, two half actions, one attack, one reaction, what forbids what.

Clauses WH-010 to WH-060, WH-940.
"""

from collections.abc import Iterator
from functools import partial

from app.engine.actions import type_of
from app.engine.commands import Submission
from app.engine.dice import parse_dice
from app.engine.events import (
    ActionTaken,
    Die,
    EncounterStarted,
    RoundBegan,
    StandingSet,
    TurnBegan,
    TurnEnded,
)
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.state import Combatant, Slot
from app.engine.table import Table
from app.engine.turns import advance
from rulesets.wh40k_d100.checks import succeeds, take_test, target_number
from rulesets.wh40k_d100.conditions import BLEEDING, UNCONSCIOUS, is_out
from rulesets.wh40k_d100.damage import bleed
from rulesets.wh40k_d100.figures import bonus, has_many_arms, stat, tables_of, whole_option
from rulesets.wh40k_d100.people import HALF_ACTION, REACTION, half_actions_of, reactions_of
from rulesets.wh40k_d100.reach import keep_up_engagements
from rulesets.wh40k_d100.tags import GM_MODIFIER
from rulesets.wh40k_d100.view import UNAWARE, look_about

TURN, END_TURN = "turn", "end_turn"
ANY = "any"
REACTIONS = ("dodge", "parry")


class Wh40kTurns:
    """The turn structure of this game. See `app.engine.rules.Turns`."""

    # Whose moment it is

    def may(self, table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
        """Whose turn it is, the half actions left, one attack a turn, and what a condition forbids.

        Clauses: WH-010 to WH-050.
        """
        reason, body = table.rules.reason, table.who(sub.actor)
        if action.id in REACTIONS:
            return
        if not table.is_turn_of(sub.actor):
            yield reason("not_your_turn", "WH-010")
        price = sum(cost.amount for cost in action.costs[type_of(sub, action)])
        left = body.budget.get(HALF_ACTION, 0)
        if table.is_turn_of(sub.actor) and price > left:
            yield reason("insufficient_actions", "WH-020", need=price, got=left)
        attacks = sum("attack" in one.tags for one in body.done)
        limit = whole_option(table, "attack_actions_per_turn")
        if "attack" in action.tags and not has_many_arms(body) and attacks >= limit and table.is_turn_of(sub.actor):
            yield reason("attack_limit", "WH-040", need=limit, got=attacks)
        yield from _forbidden(table, sub, action)
        yield from _why_not_modified(table, sub, action)

    def pay(self, scene: Scene, sub: Submission, action: Action) -> None:
        """The action is taken and its half actions are gone. Clauses: WH-020, WH-050."""
        if action.id == END_TURN:
            return
        who, form = sub.actor, type_of(sub, action)
        tags, clause = tuple(sorted(action.tags)), action.clauses[0]
        scene.emit(ActionTaken(who, action.id, form, tags, sub.weapon, sub.targets, sub.note, clause=clause))
        price = sum(cost.amount for cost in action.costs[form])
        scene.set_budget(who, HALF_ACTION, scene.who(who).budget.get(HALF_ACTION, 0) - price, "WH-020")

    def after(self, scene: Scene, sub: Submission, action: Action) -> None:
        """Who is locked with whom follows from where everybody now is; a turn that is over passes on.

        Clauses: WH-020, WH-090.
        """
        keep_up_engagements(scene, sub.actor, *(one for one in sub.targets if one != sub.actor))
        slot = scene.slot()
        if slot is not None and slot.owner == sub.actor and (action.id == END_TURN or is_out(scene, sub.actor)):
            advance(scene)

    # Order

    def start(self, scene: Scene, surprised: tuple[CombatantId, ...]) -> None:
        """Initiative for everybody; whoever is caught unawares expects nothing yet. Clauses: WH-010, WH-030, WH-560."""
        everybody = [body.id for body in scene.state.combatants.values() if body.status == "up"]
        _roll_initiative(scene, everybody)
        scene.emit(EncounterStarted(ClauseId("WH-010")))
        for who in surprised:
            scene.begin(who, UNAWARE)
        for who in everybody:
            scene.set_budget(who, REACTION, reactions_of(scene, who), "WH-030")
        keep_up_engagements(scene, *everybody)

    def enter(self, scene: Scene, newcomer: CombatantId) -> None:
        """A newcomer rolls; if his place in this round has passed he acts from the next. Clause: WH-010."""
        _roll_initiative(scene, [newcomer])
        scene.set_budget(newcomer, REACTION, reactions_of(scene, newcomer), "WH-030")
        slot = scene.slot()
        if slot is not None and scene.who(newcomer).standing > scene.who(slot.owner).standing:
            scene.emit(TurnEnded(newcomer, "passed", True, ClauseId("WH-010")))

    def next(self, scene: Scene) -> Slot | None:
        """The highest of those who have not had their turn; when all have, a new round begins. Clause: WH-010."""
        coming = self._to_come(scene) if scene.state.clock.round else []
        if not coming:
            scene.emit(RoundBegan(scene.state.clock.round + 1, ClauseId("WH-010")))
            coming = self._to_come(scene)
        return Slot(coming[0].id, TURN) if coming else None

    def _to_come(self, table: Table) -> list[Combatant]:
        acted = frozenset(table.state.clock.acted)
        return [body for body in table.in_order() if body.id not in acted]

    def open(self, scene: Scene, slot: Slot) -> bool:
        """A turn begins: what lasted until now ends, wounds bleed, actions and the reaction are back.

        Somebody who lies unconscious has a turn in which he does nothing. Clauses: WH-020, WH-030, WH-060, WH-940.
        """
        who = slot.owner
        scene.emit(TurnBegan(who, TURN, True, ClauseId("WH-010")))
        scene.tick("turn_start", who)
        if scene.has(who, BLEEDING):
            with scene.within("bleeding", who):
                bleed(scene, who)
        if is_out(scene, who):
            with scene.within("passed_over", who):
                self.close(scene, slot)
            return False
        scene.set_budget(who, HALF_ACTION, half_actions_of(scene, who), "WH-020")
        scene.set_budget(who, REACTION, reactions_of(scene, who), "WH-030")
        keep_up_engagements(scene, who)
        look_about(scene, who)
        return True

    def close(self, scene: Scene, slot: Slot) -> None:
        """Whoever is suppressed may shake it off; what lasts to the end of the turn is over.

        Clauses: WH-060, WH-940.
        """
        who = slot.owner
        if scene.who(who).status == "gone":
            return
        if not is_out(scene, who) and scene.has(who, "suppressed"):
            number = target_number(scene, who, "wp", ())
            check = take_test(scene, who, "wp", "shake_off", number, clause="WH-940", sees=succeeds)
            if check.success:
                scene.end(who, "suppressed", why="shaken_off", clause="WH-940")
        scene.tick("turn_end", who)
        scene.emit(TurnEnded(who, TURN, True, ClauseId("WH-060")))

    def between(self, scene: Scene) -> None:
        """Nothing comes between two turns. Clause: WH-010."""

    def upcoming(self, table: Table) -> tuple[Slot, ...]:
        """Who has not had his turn in this round, in order."""
        slot = table.state.clock.slot
        coming = (body for body in self._to_come(table) if body.status == "up")
        return tuple(Slot(body.id, TURN) for body in coming if slot is None or slot.owner != body.id)


def _why_not_modified(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Modifiers count in tests: an attack's are judged with it, any other test takes the GM's own. Clause: WH-400."""
    if "attack" in action.tags:
        return
    tested = hasattr(action.params, "check")
    for place, one in enumerate(sub.modifiers):
        if one.id != GM_MODIFIER or not tested:
            yield table.rules.reason("unknown_option", at=f"/modifiers/{place}", names=(one.id,))


def _forbidden(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Types of action that a condition forbids. Clauses: WH-050, WH-940."""
    if action.id == END_TURN:
        return
    forbidden = tables_of(table).core.forbidden_types
    active = set(table.active(sub.actor))
    status = table.who(sub.actor).status
    if status == "dead":
        active.add("dead")
    elif status == "down":  # Whom the game master rules to be down lies there like the unconscious.
        active.add(UNCONSCIOUS)
    for condition in sorted(forbidden):
        if condition not in active:
            continue
        for tag in forbidden[condition]:
            if tag == ANY or tag in action.tags:
                names = (condition,) if tag == ANY else (tag, condition)
                yield table.rules.reason("action_type_forbidden", "WH-050", at="/action", names=names)


def _roll_initiative(scene: Scene, whom: list[CombatantId]) -> None:
    """A die and the Agility bonus; of equals the higher Agility, then whoever was there first. Clause: WH-010."""
    group = parse_dice(str(scene.option("initiative"))).groups[0]
    plus = parse_dice(str(scene.option("initiative"))).plus

    def die_of(who: CombatantId) -> tuple[Die, ...]:
        return scene.roll("initiative", group.count, group.sides, who, "initiative", clause="WH-010")

    rolled = scene.gather({who: partial(die_of, who) for who in whom})
    joined = {who: place for place, who in enumerate(scene.state.combatants)}
    found: dict[CombatantId, tuple[int, ...]] = {}
    for who in whom:
        body = scene.who(who)
        figure = sum(one.value for one in rolled[who]) + plus + bonus(body, "ag")
        found[who] = (figure, stat(body, "ag"), -joined[who])
    for who in sorted(whom, key=lambda one: tuple(-figure for figure in found[one])):
        scene.emit(StandingSet(who, found[who], rolled[who], ClauseId("WH-010")))
