"""One-second turns: the fixed order, one maneuver a slot, what begins and ends with it. Clauses GU-010 to GU-090,
GU-500 to GU-590, GU-1600 to GU-1660, GU-2160.
"""

from collections.abc import Iterator
from functools import partial

from app.engine.actions import completed
from app.engine.commands import Submission
from app.engine.events import ActionTaken, Die, EncounterStarted, RoundBegan, StandingSet, Term, TurnBegan, TurnEnded
from app.engine.ids import ActionId, ClauseId, CombatantId
from app.engine.moments import HALTED
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.state import Combatant, Slot
from app.engine.table import Table
from app.engine.turns import advance
from rulesets.gurps_4e.checks import HT, IQ, succeeds, take_test
from rulesets.gurps_4e.conditions import CONCENTRATING, MENTAL, OUT, is_out, is_stunned, loses_the_slot
from rulesets.gurps_4e.figures import figure, has_trait, tables_of
from rulesets.gurps_4e.holding_on import must_roll_to_act, stay_conscious
from rulesets.gurps_4e.maneuvers import DO_NOTHING, choose, is_full_turn, is_maneuver
from rulesets.gurps_4e.riding import controller_of
from rulesets.gurps_4e.tasks import finish

MANEUVER, SPEECH = "maneuver", "speech"
TURN = "turn"
FREE = "free"
END_TURN, TALK, CROUCH, RISE = "end_turn", "talk", "crouch", "rise_from_crouch"
TIE_SIDES = 6
ANY_TIME = (TALK, "wait_event", "resist_feints")
"""What needs no slot of one's own. Clause: GU-510."""


class GurpsTurns:
    """The turn structure of this game. See `app.engine.rules.Turns`."""

    # Whose moment it is

    def may(self, table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
        """Whose slot it is, and whether a maneuver is left.

        Clauses: GU-010, GU-020, GU-080, GU-570, GU-580, GU-1610.
        """
        reason, who = table.rules.reason, sub.actor
        if is_out(table, who) or table.has(who, *OUT):
            yield reason("cannot_act", "GU-080")
        elif table.has(who, "off_balance") and action.id not in (END_TURN,):
            yield reason("cannot_act", "GU-2610")
        if not table.is_turn_of(who) and action.id not in ANY_TIME:
            yield reason("not_your_turn", "GU-020")
            return
        if not is_maneuver(table.rules, action.id):
            return
        yield from self._used(table, sub, action)
        if is_stunned(table, who) and action.id != DO_NOTHING:
            yield reason("must_do_nothing", "GU-1610")

    def _used(self, table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
        """What the slot has room for. Clauses: GU-010, GU-570, GU-580."""
        body, reason = table.who(sub.actor), table.rules.reason
        done = [one for one in body.done if is_maneuver(table.rules, one.action)]
        several, left = maneuvers_of(table, sub.actor) > 1, body.budget.get(MANEUVER, 0)
        full = is_full_turn(sub, action) and done
        after_full = any("full_turn" in one.tags for one in done)
        if several and (full or after_full):
            yield reason("full_turn_maneuver", "GU-580")
        elif left < 1 and table.is_turn_of(sub.actor):
            yield reason("maneuver_already_used", "GU-570" if several else "GU-010")

    def pay(self, scene: Scene, sub: Submission, action: Action) -> None:
        """The maneuver is chosen and the slot's budget falls; at 0 HP or below it takes a roll first.

        Clauses: GU-060, GU-090, GU-580, GU-2160.
        """
        who = sub.actor
        if action.id == END_TURN:
            return
        full = is_maneuver(scene.rules, action.id) and is_full_turn(sub, action)
        tags = tuple(sorted({*action.tags, *(("full_turn",) if full else ())}))
        own = scene.is_turn_of(who)
        form = sub.type or action.default_type
        scene.emit(
            ActionTaken(
                who, action.id, form, tags, sub.weapon, sub.targets, sub.note, counts=own, clause=action.clauses[0]
            )
        )
        if not is_maneuver(scene.rules, action.id):
            return
        left = scene.who(who).budget.get(MANEUVER, 0)
        scene.set_budget(who, MANEUVER, 0 if full else left - 1, action.clauses[0])
        choose(scene, sub, action)
        if action.id != DO_NOTHING and must_roll_to_act(scene, who) and not stay_conscious(scene, who):
            scene.met[HALTED] = 1

    def after(self, scene: Scene, sub: Submission, action: Action) -> None:
        """A slot that is lost or given up passes on. Clauses: GU-070, GU-110, GU-2610."""
        slot = scene.slot()
        if slot is None or slot.owner != sub.actor:
            return
        stopped = loses_the_slot(scene, sub.actor) and not is_stunned(scene, sub.actor)
        stunned = is_stunned(scene, sub.actor) and is_maneuver(scene.rules, action.id) and action.id != DO_NOTHING
        if action.id == END_TURN or stopped or stunned:
            advance(scene)

    # Order

    def start(self, scene: Scene, surprised: tuple[CombatantId, ...]) -> None:
        """The order of the whole fight, ties settled, the surprised marked. Clauses: GU-030, GU-050, GU-1620."""
        settle_order(scene, [body.id for body in scene.state.combatants.values() if body.status == "up"])
        scene.emit(EncounterStarted(ClauseId("GU-030")))
        for who in surprised:
            scene.begin(who, "surprised")
        for body in scene.in_order():
            scene.set_budget(body.id, SPEECH, words_of(scene, body.id), "GU-510")

    def enter(self, scene: Scene, newcomer: CombatantId) -> None:
        """A newcomer takes his place in the order; if it has passed in this round he acts from the next.

        Clause: GU-030.
        """
        settle_order(scene, [newcomer])
        scene.set_budget(newcomer, SPEECH, words_of(scene, newcomer), "GU-510")
        slot = scene.slot()
        if slot is not None and scene.who(newcomer).standing > scene.who(slot.owner).standing:
            scene.emit(TurnEnded(newcomer, "passed", True, ClauseId("GU-030")))

    def next(self, scene: Scene) -> Slot | None:
        """The next of the order who has not had his slot; when all have, a new round begins.

        Clauses: GU-030, GU-080.
        """
        coming = self._to_come(scene) if scene.state.clock.round else []
        if not coming:
            scene.emit(RoundBegan(scene.state.clock.round + 1, ClauseId("GU-030")))
            coming = self._to_come(scene)
        return Slot(coming[0].id, TURN) if coming else None

    def _to_come(self, table: Table) -> list[Combatant]:
        acted = frozenset(table.state.clock.acted)
        return [body for body in table.in_order() if body.id not in acted and body.status == "up"]

    def open(self, scene: Scene, slot: Slot) -> bool:
        """A slot begins: what lasted until now is over, and shock begins. What somebody controls has none of its own.

        Clauses: GU-040, GU-090, GU-1020.
        """
        who = slot.owner
        scene.emit(TurnBegan(who, TURN, True, ClauseId("GU-090")))
        scene.tick("slot_start", who)
        if controller_of(scene, who) is not None:
            scene.emit(TurnEnded(who, TURN, True, ClauseId("GU-1020")))
            return False
        scene.set_budget(who, MANEUVER, maneuvers_of(scene, who), "GU-570")
        scene.set_budget(who, SPEECH, words_of(scene, who), "GU-510")
        return True

    def close(self, scene: Scene, slot: Slot) -> None:
        """Whoever chose nothing has done nothing; who is stunned may come to himself.

        Clauses: GU-070, GU-090, GU-1630.
        """
        who = slot.owner
        if scene.who(who).status == "gone":
            return
        if not is_out(scene, who):
            if not any(is_maneuver(scene.rules, one.action) for one in scene.who(who).done) and not scene.has(
                who, "off_balance"
            ):
                self._do_nothing(scene, who)
            self._recover(scene, who)
            finish(scene, who, CONCENTRATING, "GU-1210")
        scene.emit(TurnEnded(who, TURN, True, ClauseId("GU-090")))

    def _do_nothing(self, scene: Scene, who: CombatantId) -> None:
        action = scene.rules.actions[ActionId(DO_NOTHING)]
        sub, action = completed(scene, Submission(who, ActionId(DO_NOTHING)), action)
        scene.emit(ActionTaken(who, action.id, action.default_type, (), clause=ClauseId("GU-070")))
        scene.set_budget(who, MANEUVER, 0, "GU-070")
        choose(scene, sub, action)

    def _recover(self, scene: Scene, who: CombatantId) -> None:
        """HT against physical stun, IQ against mental, after a turn of doing nothing.

        Clauses: GU-1630, GU-1640, GU-1660.
        """
        done = [one.action for one in scene.who(who).done if is_maneuver(scene.rules, one.action)]
        if done != [DO_NOTHING] and set(done) != {DO_NOTHING}:
            return
        shaken = False
        if scene.has(who, "stunned_physical"):
            with scene.within("physical"):
                if take_test(scene, who, HT, "recover_from_stun", clause="GU-1630", sees=succeeds).success:
                    scene.end(who, "stunned_physical", why="recovered", clause="GU-1630")
                    shaken = True
        if scene.has(who, *MENTAL):
            with scene.within("mental"):
                if take_test(
                    scene, who, IQ, "recover_from_stun", _reflexes(scene, who), clause="GU-1630", sees=succeeds
                ).success:
                    scene.end(who, *MENTAL, why="recovered", clause="GU-1630")
                    shaken = True
        if shaken:
            scene.begin(who, "stun_aftermath")

    def between(self, scene: Scene) -> None:
        """Nothing comes between two slots. Clause: GU-030."""

    def upcoming(self, table: Table) -> tuple[Slot, ...]:
        """Who has not had his slot in this round, in order."""
        slot = table.state.clock.slot
        return tuple(Slot(body.id, TURN) for body in self._to_come(table) if slot is None or slot.owner != body.id)


def _reflexes(table: Table, who: CombatantId) -> tuple[Term, ...]:
    """What Combat Reflexes adds to rolls against mental stun; shock weighs on IQ too. Clauses: GU-1620, 1.6."""
    if not has_trait(table, who, "combat_reflexes"):
        return ()
    return (Term("combat_reflexes", tables_of(table).core.mental_recovery, ClauseId("GU-1620")),)


def words_of(table: Table, who: CombatantId) -> int:
    """Utterances of a turn. Clause: GU-510."""
    found = table.option("speech_per_turn")
    return found if isinstance(found, int) else 1


def seconds_of_a_slot(table: Table) -> int | None:
    """Seconds after which who does nothing has chosen Do Nothing; None for ever. Clause: GU-070."""
    found = table.option("slot_timeout")
    return found if isinstance(found, int) else None


def maneuvers_of(table: Table, who: CombatantId) -> int:
    """Maneuvers of a slot. Clause: GU-570."""
    return tables_of(table).core.maneuvers + table.who(who).sheet.trait_values.get("altered_time_rate", 0)


def settle_order(scene: Scene, whom: list[CombatantId]) -> None:
    """Basic Speed, then DX, then a die each until no two are alike; those already in the order keep it.

    Clause: GU-030.
    """
    before = {body.id: body.standing for body in scene.in_order() if body.standing and body.id not in whom}
    ranked: dict[CombatantId, tuple[int, ...]] = dict(before)
    for who in whom:
        ranked[who] = (figure(scene.who(who), "basic_speed"), figure(scene.who(who), "dx"))
    dice: dict[CombatantId, tuple[Die, ...]] = dict.fromkeys(ranked, ())
    attempt = 0
    while tied := _tied(ranked):
        attempt += 1
        with scene.within(f"tie{attempt}"):
            rolled = scene.gather({who: partial(_tie_die, scene, who) for who in tied})
        for who in tied:
            ranked[who] = (*ranked[who], rolled[who][0].value)
            dice[who] = (*dice[who], *rolled[who])
    settled = [who for who in ranked if ranked[who] != before.get(who)]
    for who in sorted(settled, key=lambda one: (tuple(-each for each in ranked[one]), one)):
        scene.emit(StandingSet(who, ranked[who], dice[who], ClauseId("GU-030")))


def _tie_die(scene: Scene, who: CombatantId) -> tuple[Die, ...]:
    return scene.roll("tie_break", 1, TIE_SIDES, who, "initiative", clause="GU-030")


def _tied(ranked: dict[CombatantId, tuple[int, ...]]) -> list[CombatantId]:
    """Those who stand exactly like somebody else, as far as their own figures and dice go."""
    return sorted(
        who
        for who, mine in ranked.items()
        if any(other != who and theirs[: len(mine)] == mine for other, theirs in ranked.items())
    )
