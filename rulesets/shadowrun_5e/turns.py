"""Combat Turns of initiative passes: who is next, what a phase holds, what ends when.

Clauses SR-010 to SR-120, SR-140 to SR-195, SR-500, SR-658, SR-865, SR-870, SR-955.
"""

from collections.abc import Iterator
from functools import partial

from app.engine.actions import type_of
from app.engine.commands import Submission
from app.engine.events import (
    ActionTaken,
    Die,
    EncounterStarted,
    EngagementEnded,
    PassBegan,
    RoundBegan,
    StandingSet,
    TurnBegan,
    TurnEnded,
)
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.state import Slot
from app.engine.table import Table
from app.engine.turns import advance
from rulesets.shadowrun_5e import delaying as late
from rulesets.shadowrun_5e.beats import act_together
from rulesets.shadowrun_5e.checks import asked_for_edge, spend_edge, wants_to_be_asked
from rulesets.shadowrun_5e.figures import (
    DEFENSES,
    MOVED,
    RECOIL,
    SCORE,
    is_out,
    score_of,
    stat,
    tables_of,
    whole_option,
    wound_modifier,
)
from rulesets.shadowrun_5e.grenades import explode, next_timer
from rulesets.shadowrun_5e.medicine import bleed, medkits_at_work, treatment_shows
from rulesets.shadowrun_5e.score import by_score, change_score, foremost, why_not_affordable
from rulesets.shadowrun_5e.steadiness import disturb
from rulesets.shadowrun_5e.surprise import surprise

SIMPLE, COMPLEX, FREE, INTERRUPT, NO_ACTION = "simple", "complex", "free", "interrupt", "no_action"
ENDS = ("end_phase", "end_turn")
DELAY = "delay_action"
OWN_PHASE = ("movement", "attack_option")
"""Tags of Free Actions that belong to the own phase. Clauses: SR-468, SR-470, SR-475."""
BLITZ, SEIZE = "blitz", "seize_initiative"


class ShadowrunTurns:
    """The turn structure of this game. See `app.engine.rules.Turns`."""

    # Whose moment it is

    def may(self, table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
        """Whose phase it is, what is left of it, and the limits of a phase and a pass.

        Clauses: SR-030, SR-100, SR-110, SR-130, SR-150, SR-160, SR-500.
        """
        who, form, reason = sub.actor, type_of(sub, action), table.rules.reason
        if is_out(table, who) and action.id not in ENDS:
            yield reason("cannot_act", {FREE: "SR-110", INTERRUPT: "SR-500"}.get(form, "SR-780"))
        if form == INTERRUPT:
            yield from self._interrupt(table, sub, action)
        elif action.default_type == FREE:
            yield from self._free(table, sub, action, form)
        elif not table.is_turn_of(who):
            yield self._not_now(table, sub)
        else:
            yield from self._budget(table, sub, action, form)
        if "attack" in action.tags and table.is_turn_of(who):
            taken = sum("attack" in one.tags for one in table.who(who).done)
            most = whole_option(table, "attack_actions_per_phase")
            if taken >= most:
                yield reason("attack_limit", "SR-130", need=most, got=taken)

    def _interrupt(self, table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
        """At any moment, for a price in initiative. Clauses: SR-090, SR-500."""
        if table.has(sub.actor, "surprised"):
            yield table.rules.reason("surprised", "SR-090")
        price = sum(cost.amount for cost in action.costs[INTERRUPT] if cost.budget == SCORE)
        yield from why_not_affordable(table, sub.actor, price)

    def _free(self, table: Table, sub: Submission, action: Action, form: str) -> Iterator[Reason]:
        """One a pass, from the own phase on; a Simple Action in its place only where the table plays it so.

        Clauses: SR-110, SR-115, SR-118, SR-145.
        """
        who, reason = sub.actor, table.rules.reason
        own = table.is_turn_of(who)
        if not own and action.tags.intersection(OWN_PHASE):
            yield self._not_now(table, sub)
        if form == SIMPLE:
            if not table.flag("simple_as_free"):
                yield reason("wrong_action_type", "SR-118", at="/type", names=(FREE,))
            elif not own:
                yield self._not_now(table, sub)
            else:
                yield from self._budget(table, sub, action, form, "SR-118")
        elif not table.who(who).budget.get(FREE, 0):
            if table.has(who, "phase_begun") or table.flag("free_action_without_phase"):
                yield reason("free_action_limit", "SR-110", need=1, got=0)
            else:
                yield reason("no_action_phase_yet", "SR-110" if score_of(table, who) > 0 else "SR-115")

    def _not_now(self, table: Table, sub: Submission) -> Reason:
        """It is not his phase: he delays and may cut in at the next one, he has committed himself, or neither.

        Clauses: SR-030, SR-150, SR-160.
        """
        reason = table.rules.reason
        if table.has(sub.actor, late.INTERVENING, late.ACTING_LAST):
            return reason("intervention_committed", "SR-160")
        if table.has(sub.actor, late.DELAYING) and sub.action not in (*ENDS, DELAY):
            return reason("too_late_wait_for_next_phase", "SR-150")
        clause = {DELAY: "SR-140", "walk": "SR-550", "run": "SR-475"}.get(sub.action, "SR-030")
        return reason("not_your_turn", clause)

    def _budget(
        self, table: Table, sub: Submission, action: Action, form: str, clause: str = "SR-100"
    ) -> Iterator[Reason]:
        """Two Simple Actions or one Complex. Clause: SR-100."""
        price, left = simple_price(action, form), table.who(sub.actor).budget.get(SIMPLE, 0)
        if price > left:
            yield table.rules.reason("insufficient_actions", clause, need=price, got=left)

    def pay(self, scene: Scene, sub: Submission, action: Action) -> None:
        """The price is gone, and whatever any action breaks is broken. Clauses: SR-100, SR-110, SR-320, SR-500."""
        if action.id in ENDS:
            return
        who, form, clause = sub.actor, type_of(sub, action), action.clauses[0]
        own, tags = scene.is_turn_of(who) and form != INTERRUPT, tuple(sorted(action.tags))
        scene.emit(
            ActionTaken(who, action.id, form, tags, sub.weapon, sub.targets, sub.note, counts=own, clause=clause)
        )
        for cost in action.costs[form]:
            if cost.budget == SCORE:
                change_score(scene, who, -cost.amount, clause)
            else:
                scene.set_budget(who, cost.budget, scene.who(who).budget.get(cost.budget, 0) - cost.amount, clause)
        disturb(scene, who, action.id, sub.weapon)

    def after(self, scene: Scene, sub: Submission, action: Action) -> None:
        """A phase that is given up, delayed, or whose owner is out passes on. Clauses: SR-120, SR-140, SR-780."""
        slot = scene.slot()
        if slot is None:
            return
        ends = slot.owner == sub.actor and action.id in (*ENDS, DELAY)
        if ends or is_out(scene, slot.owner):
            advance(scene)

    # Order

    def start(self, scene: Scene, surprised: tuple[CombatantId, ...]) -> None:
        """The first Combat Turn: everybody rolls, then whoever may be surprised. Clauses: SR-010, SR-020, SR-090."""
        scene.emit(EncounterStarted(ClauseId("SR-010")))
        self._new_turn(scene)
        for who in surprised:
            with scene.within("surprise", who):
                surprise(scene, who)

    def enter(self, scene: Scene, newcomer: CombatantId) -> None:
        """A newcomer rolls, less what the passes begun already have cost everybody. Clause: SR-080."""
        roll_initiative(scene, [newcomer])
        begun = max(0, scene.state.clock.pass_ - 1)
        scene.change_pool(newcomer, SCORE, begun * tables_of(scene).core.between_passes, "SR-080")
        if scene.flag("free_action_without_phase"):
            scene.set_budget(newcomer, FREE, tables_of(scene).core.free_actions, "SR-115")

    def next(self, scene: Scene) -> Slot | None:
        """Carried phases, then the highest score that has not acted, then the end of the pass.

        Clauses: SR-010, SR-030, SR-170, SR-175, SR-820.
        """
        if not scene.state.clock.round:
            self._new_turn(scene)
        carrier = late.next_carrier(scene)
        if carrier is not None:
            return Slot(carrier, late.CARRIED)
        coming = foremost(scene, self._to_come(scene))
        timer = next_timer(scene, None if coming is None else score_of(scene, coming))
        if timer is not None:
            explode(scene, *timer)
            return None
        if coming is not None:
            return Slot(coming, late.PHASE)
        if late.asked_about_the_end(scene):
            return None
        last = late.next_of_the_last(scene)
        if last is not None:
            return Slot(last, late.LAST)
        self._next_pass(scene)
        return None

    def _to_come(self, table: Table) -> list[CombatantId]:
        acted = frozenset(table.state.clock.acted)
        up = [body.id for body in table.in_order() if body.id not in acted and not is_out(table, body.id)]
        return [who for who in up if score_of(table, who) > 0]

    def _next_pass(self, scene: Scene) -> None:
        """Everybody loses ten; if nobody has anything left the Combat Turn is over. Clauses: SR-010, SR-040, SR-190."""
        for body in scene.in_order():
            scene.change_pool(body.id, SCORE, tables_of(scene).core.between_passes, "SR-040")
        if any(score_of(scene, body.id) > 0 and not is_out(scene, body.id) for body in scene.in_order()):
            self._begin_pass(scene, scene.state.clock.pass_ + 1)
        else:
            self._end_turn(scene)
            self._new_turn(scene)

    def _begin_pass(self, scene: Scene, number: int) -> None:
        """A new allowance of Free Actions; what was carried over is due. Clauses: SR-110, SR-115, SR-175, SR-955."""
        scene.emit(PassBegan(number, ClauseId("SR-030")))
        free = tables_of(scene).core.free_actions if scene.flag("free_action_without_phase") else 0
        for body in scene.in_order():
            scene.set_budget(body.id, FREE, free, "SR-110")
        scene.tick("pass_start")

    def _end_turn(self, scene: Scene) -> None:
        """Whatever lasts for the Combat Turn ends; treatment and bleeding go on. Clauses: SR-010, SR-195, SR-955."""
        if not scene.flag("delay_carry_across_turns"):
            late.burn_carried(scene)
        treatment_shows(scene)
        scene.tick("combat_turn_end")
        for body in scene.in_order():
            scene.tick("turn_end", body.id)  # What a ruling has given for so many rounds counts Combat Turns.
            scene.change_pool(body.id, MOVED, -scene.pool(body.id, MOVED), "SR-550")
            for other in scene.who(body.id).engaged:
                scene.emit(EngagementEnded(body.id, other, ClauseId("SR-580")))
        with scene.within("bleeding"):
            bleed(scene)

    def _new_turn(self, scene: Scene) -> None:
        """Initiative anew for everybody; medkits left alone work. Clauses: SR-010, SR-020, SR-865, SR-870, SR-900."""
        scene.emit(RoundBegan(scene.state.clock.round + 1, ClauseId("SR-010")))
        with scene.within(f"turn{scene.state.clock.round}"):
            roll_initiative(scene, [body.id for body in scene.in_order() if not is_out(scene, body.id)])
            self._begin_pass(scene, 1)
            _offer_to_seize(scene)
            with scene.within("medkit"):
                medkits_at_work(scene)

    # Phases

    def open(self, scene: Scene, slot: Slot) -> bool:
        """A phase begins, unless somebody who delays cuts in, it is forfeit, or there is nobody to have it.

        Clauses: SR-070, SR-150, SR-165, SR-180, SR-185, SR-955.
        """
        who, kind = slot.owner, late.kind_of(slot)
        if kind == late.CARRIED:
            return late.takes_it(scene, who) and self._begin(scene, slot, kind, "SR-175")
        may_be_cut = kind in (late.PHASE, late.DELAYED) and not late.is_due(slot) and not self._is_lost(scene, slot)
        if may_be_cut and late.somebody_cuts_in(scene, slot):
            return False
        if self._is_lost(scene, slot):
            late.without_the_owner(scene, slot)
            return False
        others = tuple(one for one in slot.others if not is_out(scene, one))
        if others:
            self._begin(scene, Slot(who, slot.kind, others), late.TOGETHER, "SR-165")
            act_together(scene, (who, *others))
            self._close_all(scene, (who, *others))
            return False
        return self._begin(scene, slot, kind, "SR-170" if kind == late.LAST else "SR-030")

    def _is_lost(self, table: Table, slot: Slot) -> bool:
        """Nobody who is out has a phase, and no ordinary one without a score. Clauses: SR-070, SR-185, SR-780."""
        ordinary = late.kind_of(slot) == late.PHASE
        return is_out(table, slot.owner) or (ordinary and score_of(table, slot.owner) <= 0)

    def _begin(self, scene: Scene, slot: Slot, kind: str, clause: str) -> bool:
        """What starts with every phase: surprise ends, defences count anew, actions are whole.

        Clauses: SR-110, SR-198, SR-515, SR-540, SR-955.
        """
        core = tables_of(scene).core
        scene.emit(TurnBegan(slot.owner, kind, True, ClauseId(clause), slot.others))
        for who in (slot.owner, *slot.others):
            scene.tick("phase_start", who)
            if scene.option("full_defense_duration") == "own_next_phase":
                scene.end(who, "full_defense", clause="SR-515")
            scene.change_pool(who, DEFENSES, -scene.pool(who, DEFENSES), "SR-540")
            scene.set_budget(who, SIMPLE, core.simple_actions, "SR-100")
            if not scene.has(who, "phase_begun"):
                scene.begin(who, "phase_begun")
                if not scene.flag("free_action_without_phase"):
                    scene.set_budget(who, FREE, core.free_actions, "SR-110")
            if scene.end(who, late.INTERVENING, why="used", clause="SR-150"):
                scene.begin(who, "delayed_phase")
            scene.end(who, late.ACTING_LAST, why="used", clause="SR-170")
        return True

    def close(self, scene: Scene, slot: Slot) -> None:
        """A phase ends: without a round fired recoil is forgotten, unless it is only put off.

        Clauses: SR-120, SR-140, SR-658, SR-955.
        """
        who = slot.owner
        if scene.who(who).status == "gone":
            return
        if not scene.has(who, late.DELAYING) and not scene.has(who, "fired"):
            scene.change_pool(who, RECOIL, -scene.pool(who, RECOIL), "SR-658")
        scene.set_budget(who, SIMPLE, 0, "SR-100")
        scene.tick("phase_end", who)
        counts = slot.kind != late.CARRIED or scene.flag("carried_delay_replaces_phase")
        scene.emit(TurnEnded(who, slot.kind, counts, ClauseId("SR-120")))

    def _close_all(self, scene: Scene, whom: tuple[CombatantId, ...]) -> None:
        """Phases that ran together end together. Clause: SR-165."""
        for who in reversed(whom):
            self.close(scene, Slot(who, late.TOGETHER))

    def between(self, scene: Scene) -> None:
        """Nothing comes between two phases that is not asked at the start of the next. Clause: SR-150."""

    def upcoming(self, table: Table) -> tuple[Slot, ...]:
        """Who is still to come in this pass, as scores stand now."""
        slot = table.state.clock.slot
        now = slot.owner if slot is not None and slot.kind != late.CARRIED else None
        coming = [who for who in by_score(table, self._to_come(table)) if who != now]
        carriers = by_score(table, coming_carriers(table))
        return (*(Slot(who, late.CARRIED) for who in carriers), *(Slot(who, late.PHASE) for who in coming))


def coming_carriers(table: Table) -> list[CombatantId]:
    """Who carries a phase over that is due. Clause: SR-175."""
    return [body.id for body in table.in_order() if table.has(body.id, late.CARRIED_DELAY)]


def simple_price(action: Action, form: str) -> int:
    """Simple Actions that it takes; a Complex one takes all of them. Clause: SR-100."""
    return sum(cost.amount for cost in action.costs[form] if cost.budget == SIMPLE)


# Rolling


def roll_initiative(scene: Scene, whom: list[CombatantId]) -> None:
    """Attributes, wounds and dice; a point of Edge beforehand makes them five. Clauses: SR-020, SR-750, SR-870."""
    blitzing = [who for who in whom if wants_to_be_asked(scene, who) and not is_out(scene, who)]
    with scene.within("initiative"):
        asked = scene.gather({who: partial(asked_for_edge, scene, who, BLITZ, name=BLITZ) for who in blitzing})
        fast = [who for who in blitzing if asked[who] == BLITZ]
        for who in fast:
            spend_edge(scene, who, BLITZ, "SR-870")
            scene.begin(who, BLITZ)
        dice = scene.gather({who: partial(_initiative_dice, scene, who) for who in whom})
    for who in whom:
        body = scene.who(who)
        base = stat(body, "reaction") + stat(body, "intuition")
        wounds = wound_modifier(scene, who) if scene.flag("wound_affects_initiative") else 0
        score = base + wounds + sum(die.value for die in dice[who])
        ties = (stat(body, "edge"), stat(body, "reaction"), stat(body, "intuition"))
        scene.emit(StandingSet(who, (score, *ties), dice[who], ClauseId("SR-020")))
        scene.change_pool(who, SCORE, score - scene.pool(who, SCORE), "SR-020")


def _initiative_dice(scene: Scene, who: CombatantId) -> tuple[Die, ...]:
    core = tables_of(scene).core
    count = (
        core.most_dice
        if scene.has(who, BLITZ)
        else min(core.most_dice, max(1, stat(scene.who(who), "initiative_dice")))
    )
    return scene.roll("score", count, core.initiative_sides, who, "initiative", clause="SR-020")


def _offer_to_seize(scene: Scene) -> None:
    """After the rolls a point of Edge puts somebody before everybody else for this Combat Turn. Clause: SR-865."""
    able = [body.id for body in scene.in_order() if wants_to_be_asked(scene, body.id) and not is_out(scene, body.id)]
    with scene.within("seize"):
        asked = scene.gather({who: partial(asked_for_edge, scene, who, SEIZE, name=SEIZE) for who in able})
    for who in able:
        if asked[who] == SEIZE:
            spend_edge(scene, who, SEIZE, "SR-865")
            scene.begin(who, "seized")
