"""Rounds of turns: order, budget, the limits of a turn, what expires when.

Clauses DH-1010 to DH-1220, DH-3250 to DH-3300, DH-5010 to DH-5040.
"""

from collections.abc import Iterator

from app.engine.actions import type_of
from app.engine.asks import Option, Question
from app.engine.commands import Submission
from app.engine.dice import parse_dice
from app.engine.events import (
    ActionTaken,
    Die,
    EncounterStarted,
    Noted,
    RoundBegan,
    StandingSet,
    TurnBegan,
    TurnEnded,
)
from app.engine.ids import ClauseId, CombatantId
from app.engine.modifiers import collect
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.state import Combatant, Slot
from app.engine.table import Table
from app.engine.turns import advance, commit
from rulesets.dark_heresy_2e import fate
from rulesets.dark_heresy_2e.braces import stirred
from rulesets.dark_heresy_2e.checks import Side, contest, take_test, tell, unspoken_test
from rulesets.dark_heresy_2e.conditions import OUT, RESUMED, die, interrupt_extended, is_out
from rulesets.dark_heresy_2e.figures import bonus, tables_of
from rulesets.dark_heresy_2e.fleeing import FORCED, why_not_fleeing
from rulesets.dark_heresy_2e.grappling import end_turn_without_maintaining, maintain, settle, why_not_while_held
from rulesets.dark_heresy_2e.reach import is_in_cover

HALF_ACTION = "half_action"
REACTION = "reaction"
BONUS_REACTION = "bonus_reaction"
FREE = "free"
TURN, LATE = "turn", "late"
END_TURN = "end_turn"
SPEECH = "free_action"
TURN_OVER = "turn_over"
"""Name among what a command has set off: the turn of somebody ends with his action."""
FATE_IS_OUT = ("unconscious",)
"""Conditions in which not even Fate can be spent. Clauses: DH-1220, DH-5680."""
WHILE_PRONE = ("stand_mount_dismount", "move")
BLOOD_LOSS_SIDES = 10
PAIR = 2


class DarkHeresyTurns:
    """The turn structure of this game. See `app.engine.rules.Turns`."""

    # Whose moment it is

    def may(self, table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
        """Who may act now, and what of his turn is left.

        Clauses: DH-1010 to DH-1090, DH-1190, DH-1210, DH-3515, DH-5610 to DH-5640.
        """
        form = type_of(sub, action)
        yield from self._able(table, sub)
        if sub.options.get(fate.FIELD) is True and not fate.left(table, sub.actor):
            yield table.rules.reason("no_fate", fate.CLAUSE, at=f"/options/{fate.FIELD}")
        if action.id == fate.SPEND:
            return  # It costs no action, and anybody's turn will do.
        if table.is_turn_of(sub.actor) or self._cuts_in(table, sub, form):
            left = self._left(table, sub.actor)
            yield from self._budget(table, sub, action, form, left)
            yield from self._limits(table, sub, action, form)
            yield from why_not_fleeing(table, sub, action, left, tables_of(table).core.half_actions)
        elif not (action.id == SPEECH and sub.note):
            yield from self._not_now(table, sub, action, form)
        yield from self._posture(table, sub, action, form)
        yield from why_not_while_held(table, sub, action, form)

    def _cuts_in(self, table: Table, sub: Submission, form: str) -> bool:
        """Whether a banked half action comes between two actions of somebody else's turn, where the table plays it so.

        Clause: DH-3260.
        """
        slot = table.state.clock.slot
        if table.option("delay_window") != "between_actions" or slot is None or slot.kind != TURN:
            return False
        return form != FREE and table.has(sub.actor, "delaying")

    def _left(self, table: Table, who: CombatantId) -> int:
        """Half actions left to him: of his turn, or the one he has banked. Clauses: DH-1010, DH-3260."""
        return table.who(who).budget.get(HALF_ACTION, 0) if table.is_turn_of(who) else 1

    def _able(self, table: Table, sub: Submission) -> Iterator[Reason]:
        """What leaves him no actions; Fate is none. Clauses: DH-1210, DH-1220, DH-5680."""
        reason, status = table.rules.reason, table.who(sub.actor).status
        if status == "dead":
            yield reason("dead", "DH-1220")
        for condition in FATE_IS_OUT if sub.action == fate.SPEND else OUT:
            # Whom the game master rules to be down lies there like the unconscious.
            has_it = table.has(sub.actor, condition) or (condition == "unconscious" and status == "down")
            if has_it and sub.action != END_TURN:
                yield reason(condition, "DH-1210")

    def _not_now(self, table: Table, sub: Submission, action: Action, form: str) -> Iterator[Reason]:
        reason, banked = table.rules.reason, table.has(sub.actor, "delaying")
        if table.option("delay_window") == "between_actions":
            if form != FREE and not banked:
                yield reason("no_delay_banked", "DH-3260")
        elif banked and table.state.clock.slot is not None and action.id != END_TURN:
            yield reason("turn_in_progress", "DH-3260")
            return
        yield reason("not_your_turn", "DH-1190")

    def _budget(self, table: Table, sub: Submission, action: Action, form: str, left: int) -> Iterator[Reason]:
        """Half actions left; a cause that leaves none is told in place of the figure.

        Clauses: DH-1010, DH-1030, DH-1210.
        """
        body = table.who(sub.actor)
        price = price_of(action, form)
        if price > left and not table.has(sub.actor, *OUT):
            used = [done.form for done in body.done if done.form != FREE]
            clause = "DH-1010" if used or price == 1 else "DH-1030"
            if price == 1 and used in ([], ["half"]) and table.has(sub.actor, "pinned"):
                clause = "DH-1210"  # It would be the turn's second half action at most: pinned, he has but one.
            yield table.rules.reason("insufficient_actions", clause, need=price, got=left)

    def _limits(self, table: Table, sub: Submission, action: Action, form: str) -> Iterator[Reason]:
        """What a turn allows once. Clauses: DH-1020, DH-1040, DH-1070, DH-1080, DH-4310."""
        reason, done = table.rules.reason, table.who(sub.actor).done
        if form == "half":
            for one in done:
                twice = one.form == "half" and one.action == action.id
                if twice and not (action.id == "ready" and one.item != sub.weapon):
                    yield reason("same_half_action_twice", "DH-1020")
        if "attack" in action.tags and any("attack" in one.tags for one in done):
            yield reason("attack_limit", "DH-1070")
        if "concentration" in action.tags and any("concentration" in one.tags for one in done):
            yield reason("second_concentration_action", "DH-1080")
        limit = table.option("gm_free_action_limit")
        if form == FREE and action.id != END_TURN and isinstance(limit, int):
            taken = sum(one.form == FREE and one.action != fate.SPEND for one in done)
            if taken >= limit:
                yield reason("free_action_limit", "DH-1040", need=limit, got=taken)

    def _posture(self, table: Table, sub: Submission, action: Action, form: str) -> Iterator[Reason]:
        """What being immobilised, prone or pinned forbids. Clauses: DH-1060, DH-5610, DH-5640."""
        reason, who = table.rules.reason, sub.actor
        movement = "movement" in action.tags
        if movement and table.has(who, "immobilised"):
            yield reason("immobilised", "DH-1060")
        if movement and table.has(who, "prone") and action.id not in WHILE_PRONE:
            yield reason("prone", "DH-5610")
        pinned = table.effect(who, "pinned")
        if pinned is None or form == FREE or pinned.value == table.state.clock.round or table.has(who, FORCED):
            return
        if is_in_cover(table, who):
            if movement and sub.options.get("within_cover") is not True and action.id != "stand_mount_dismount":
                yield reason("pinned_may_not_leave_cover", "DH-5640")
        elif table.flag("pinned_must_seek_cover") and action.id not in WHILE_PRONE:
            yield reason("pinned_must_seek_cover", "DH-5640")

    def pay(self, scene: Scene, sub: Submission, action: Action) -> None:
        """The action is taken: its half actions are gone, and what an action ends is over.

        Clauses: DH-1010, DH-1160, DH-3470, DH-3920, DH-4350.
        """
        settle(scene)
        if action.id == END_TURN:
            return
        form = type_of(sub, action)
        if not scene.is_turn_of(sub.actor) and self._cuts_in(scene, sub, form):
            self._cut_in(scene, sub.actor)
        maintain(scene, sub.actor, action, form)
        who, own = sub.actor, scene.is_turn_of(sub.actor)
        tags = tuple(sorted(action.tags))
        clause = action.clauses[0]
        scene.emit(
            ActionTaken(who, action.id, form, tags, sub.weapon, sub.targets, sub.note, counts=own, clause=clause)
        )
        if form == FREE:
            return
        left = scene.who(who).budget.get(HALF_ACTION, 0)
        scene.set_budget(who, HALF_ACTION, left - price_of(action, form), clause)
        if action.id != "continue_extended_action":
            interrupt_extended(scene, who, "other_action")
        scene.tick("action", who)
        if "movement" in action.tags:
            stirred(scene, who)
        if "attack" not in action.tags:
            scene.tick("other_action", who)
        if action.id != "standard_attack":
            scene.tick("another_action", who)
        if sub.options.get(fate.FIELD) is True:
            fate.begin_bonus(scene, who)

    def _cut_in(self, scene: Scene, who: CombatantId) -> None:
        """His late half action begins; the turn it comes between goes on after it. Clause: DH-3260."""
        slot = scene.slot()
        assert slot is not None
        commit(scene, Slot(slot.owner, RESUMED), "DH-3260", front=True)
        self._open_late(scene, Slot(who, LATE))

    def after(self, scene: Scene, sub: Submission, action: Action) -> None:
        """A turn that is over by what was done in it passes on. Clauses: DH-1200, DH-3250, DH-3260."""
        fate.end_bonus(scene, sub.actor)
        slot = scene.slot()
        if slot is None or slot.owner != sub.actor:
            return
        done = action.id in (END_TURN, "delay") or f"{TURN_OVER}/{sub.actor}" in scene.met
        late = slot.kind == LATE and type_of(sub, action) != FREE
        if done or late or is_out(scene, sub.actor) or scene.has(sub.actor, *OUT):
            advance(scene)

    # Order

    def start(self, scene: Scene, surprised: tuple[CombatantId, ...]) -> None:
        """Initiative for everybody, ties settled, the surprised marked. Clauses: DH-5010, DH-5040."""
        everybody = [body.id for body in scene.state.combatants.values() if body.status == "up"]
        roll_initiative(scene, everybody)
        scene.emit(EncounterStarted(ClauseId("DH-5010")))
        for who in surprised:
            scene.begin(who, "surprised", clause="DH-5040")

    def enter(self, scene: Scene, newcomer: CombatantId) -> None:
        """A newcomer rolls; if his place in this round has passed he acts from the next. Clause: DH-5020."""
        roll_initiative(scene, [newcomer])
        scene.set_budget(newcomer, REACTION, tables_of(scene).core.reactions, "DH-1110")
        slot = scene.slot()
        if slot is not None and scene.who(newcomer).standing > scene.who(slot.owner).standing:
            scene.emit(TurnEnded(newcomer, "passed", True, ClauseId("DH-5020")))

    def next(self, scene: Scene) -> Slot | None:
        """The highest of those who have not acted; when all have, a new round begins. Clauses: DH-5010, DH-5030."""
        coming = self._to_come(scene) if scene.state.clock.round else []
        if not coming:
            self._new_round(scene)
            coming = self._to_come(scene)
        return Slot(coming[0].id, TURN) if coming else None

    def _to_come(self, table: Table) -> list[Combatant]:
        acted = frozenset(table.state.clock.acted)
        return [body for body in table.in_order() if body.id not in acted]

    def _new_round(self, scene: Scene) -> None:
        """Reactions come back at the start of each round. Clauses: DH-1110, DH-3570."""
        scene.emit(RoundBegan(scene.state.clock.round + 1, ClauseId("DH-5030")))
        scene.tick("round_start")
        for body in scene.in_order():
            _drop_extra_reaction(scene, body.id)
        if scene.option("reaction_refresh") == "round" or scene.state.clock.round == 1:
            for body in scene.in_order():
                scene.set_budget(body.id, REACTION, tables_of(scene).core.reactions, "DH-1110")

    def open(self, scene: Scene, slot: Slot) -> bool:
        """A turn begins: what lasted until now expires, the budget is new. Who cannot act is passed over.

        Clauses: DH-1180, DH-1210, DH-3260, DH-5620.
        """
        who = slot.owner
        if slot.kind == LATE:
            return self._open_late(scene, slot)
        if slot.kind == RESUMED:
            return self._resume(scene, who)
        settle(scene)
        scene.emit(TurnBegan(who, TURN, True, ClauseId("DH-1180")))
        scene.tick("turn_start", who)
        self._shake_off(scene, who)
        scene.set_budget(who, HALF_ACTION, self.half_actions(scene, who), "DH-1210")
        _drop_extra_reaction(scene, who)
        if scene.option("reaction_refresh") == "own_turn":
            scene.set_budget(who, REACTION, tables_of(scene).core.reactions, "DH-1110")
        if is_out(scene, who) or scene.has(who, *OUT):
            with scene.within("passed_over", who):
                self.close(scene, slot)
            return False
        return True

    def _resume(self, scene: Scene, who: CombatantId) -> bool:
        """A turn that a late action has come between goes on, if its owner still can. Clause: DH-3260."""
        scene.emit(TurnBegan(who, TURN, False, ClauseId("DH-3260")))
        if is_out(scene, who) or scene.has(who, *OUT):
            with scene.within("passed_over", who):
                self.close(scene, Slot(who, TURN))
            return False
        return True

    def _shake_off(self, scene: Scene, who: CombatantId) -> None:
        """Somebody stunned may spend Fate at the start of his turn, and acts. Clause: DH-5680."""
        asks = scene.has(who, "stunned") and not is_out(scene, who) and fate.wants_to_be_asked(scene, who)
        if asks and fate.asked(scene, who, fate.END_STUN, figures={}) == fate.END_STUN:
            fate.end_stun(scene, who)

    def _open_late(self, scene: Scene, slot: Slot) -> bool:
        who = slot.owner
        if is_out(scene, who) or not scene.end(who, "delaying", why="used", clause="DH-3260"):
            return False
        scene.emit(TurnBegan(who, LATE, False, ClauseId("DH-3270")))
        scene.set_budget(who, HALF_ACTION, 1, "DH-3260")
        return True

    def half_actions(self, table: Table, who: CombatantId) -> int:
        """The budget of a turn. Clause: DH-1210."""
        core = tables_of(table).core
        if is_out(table, who) or table.has(who, *OUT):
            return 0
        return core.half_actions_pinned if table.has(who, "pinned") else core.half_actions

    # Ends

    def close(self, scene: Scene, slot: Slot) -> None:
        """The end of a turn: recovering from pinning, blood loss, then whatever lasted until now. Clause: DH-1180."""
        who = slot.owner
        if scene.who(who).status == "gone":
            return
        if slot.kind == TURN:
            end_turn_without_maintaining(scene, who)
            self._recover_from_pinning(scene, who)
            self._bleed(scene, who)
            self._drop_extended(scene, who)
            scene.tick("turn_end", who)
        scene.emit(TurnEnded(who, slot.kind, slot.kind == TURN, ClauseId("DH-1180")))

    def _recover_from_pinning(self, scene: Scene, who: CombatantId) -> None:
        """Willpower, easier if nobody shot at him since the end of his last turn. Clause: DH-5660."""
        if scene.has(who, "pinned") and not is_out(scene, who):
            tags = {f"actor.{effect.kind}" for effect in scene.who(who).effects.values()}
            terms = collect(scene.rules.modifiers, "recover", tags)
            if take_test(scene, who, "wp", "recover_from_pinning", terms, clause="DH-5660").success:
                scene.end(who, "pinned", why="recovered", clause="DH-5660")
        scene.end(who, "shot_at", why="turn_over", clause="DH-5660")

    def _bleed(self, scene: Scene, who: CombatantId) -> None:
        """Blood loss kills on a 10, also while stunned or unconscious. Clause: DH-5550."""
        if not scene.has(who, "blood_loss") or scene.who(who).status == "dead":
            return
        dice = scene.roll("blood_loss", 1, BLOOD_LOSS_SIDES, who, "blood_loss", clause="DH-5550")
        scene.emit(Noted(who, "blood_loss", dice=dice, clause=ClauseId("DH-5550")))
        if dice[0].value == BLOOD_LOSS_SIDES:
            die(scene, who, "DH-5550")

    def _drop_extended(self, scene: Scene, who: CombatantId) -> None:
        """An extended action that his turn went by without is lost. Clause: DH-1150."""
        running = scene.effect(who, "extended_action")
        if running is None:
            return
        carried = any(one.action in (running.word, "continue_extended_action") for one in scene.who(who).done)
        if not carried:
            scene.end(who, "extended_action", why="not_continued", clause="DH-1150")

    # The gap between two turns

    def between(self, scene: Scene) -> None:
        """Everybody with a banked half action is asked; one of those who act goes first. Clauses: DH-3260, DH-3300."""
        queue = scene.state.clock.queue
        if queue and queue[0].kind == RESUMED:
            return  # A turn under way is no gap.
        holders = [
            body.id
            for body in scene.in_order()
            if body.status == "up" and scene.has(body.id, "delaying") and not scene.has(body.id, *OUT)
        ]
        if not holders:
            return
        with scene.within("delay"):
            answers = scene.gather({who: (lambda who=who: scene.ask(_delay_question(who)).option) for who in holders})  # type: ignore[misc]
            acting = [who for who in holders if answers[who] == "act"]
            if not acting:
                return
            first = acting[0] if len(acting) == 1 else _first_of(scene, acting)
        commit(scene, Slot(first, LATE), "DH-3260", front=True)

    def upcoming(self, table: Table) -> tuple[Slot, ...]:
        """Committed late actions first, then who has not acted, in order."""
        turns = tuple(Slot(body.id, TURN) for body in self._to_come(table) if body.status == "up")
        slot = table.state.clock.slot
        rest = tuple(one for one in turns if slot is None or one.owner != slot.owner)
        return (*table.state.clock.queue, *rest)


def _drop_extra_reaction(scene: Scene, who: CombatantId) -> None:
    """The extra reaction of a stance is gone with the stance. Clause: DH-3560."""
    if scene.who(who).budget.get(BONUS_REACTION) and not scene.has(who, "defensive_stance"):
        scene.set_budget(who, BONUS_REACTION, 0, "DH-3560")


def price_of(action: Action, form: str) -> int:
    """Half actions that the action costs, taken that way."""
    return sum(cost.amount for cost in action.costs[form] if cost.budget == HALF_ACTION)


def _delay_question(who: CombatantId) -> Question:
    return Question(
        key="",
        name="delay_use",
        kind="delay_use",
        to=who,
        options=(Option("act"), Option("hold", declines=True)),
        default="hold",
        best="hold",
        clause=ClauseId("DH-3260"),
    )


def _first_of(scene: Scene, acting: list[CombatantId]) -> CombatantId:
    """Two who claim one gap test Agility against each other; three or more roll once each and rank by degrees.

    Clause: DH-3300.
    """
    if len(acting) == PAIR:
        settled = contest(
            scene,
            Side(acting[0], "ag"),
            Side(acting[1], "ag"),
            "delay_order",
            clause="DH-3300",
            until_settled=True,
        )
        assert settled.winner is not None
        return settled.winner
    rolled = scene.gather(
        {
            who: (lambda who=who: unspoken_test(scene, who, "ag", "delay_order", clause="DH-3300"))  # type: ignore[misc]
            for who in acting
        }
    )
    for _, told in rolled.values():
        tell(scene, told)

    def rank(who: CombatantId) -> tuple[int, int, int]:
        check = rolled[who][0]
        degrees = check.degrees if check.success else -check.degrees
        return (-degrees, -bonus(scene.who(who), "ag"), check.die)

    return min(acting, key=rank)


def roll_initiative(scene: Scene, whom: list[CombatantId]) -> None:
    """1d10 and the Agility bonus; ties by the higher bonus, then by fresh dice until settled.

    Clauses: DH-5010, DH-5020.
    """
    group = parse_dice(tables_of(scene).core.initiative).groups[0]

    def die_of(who: CombatantId) -> tuple[Die, ...]:
        return scene.roll("initiative", group.count, group.sides, who, "initiative", clause="DH-5010")

    def first_of(who: CombatantId) -> tuple[tuple[Die, ...], bool]:
        """His dice, and whether Fate makes them count as high as they go. Clause: DH-5680."""
        rolled, most = die_of(who), group.count * group.sides
        figure = sum(one.value for one in rolled)
        if figure >= most or not fate.wants_to_be_asked(scene, who):
            return rolled, False
        return rolled, fate.asked(scene, who, fate.INITIATIVE, figures={"die": figure}) == fate.INITIATIVE

    first = scene.gather({who: (lambda who=who: first_of(who)) for who in whom})  # type: ignore[misc]
    standing: dict[CombatantId, tuple[int, ...]] = {}
    dice = {who: first[who][0] for who in whom}
    for who in whom:
        agility = bonus(scene.who(who), "ag")
        rolled, at_most = first[who]
        figure = group.count * group.sides if at_most else sum(one.value for one in rolled)
        standing[who] = (figure + agility, agility)
        if at_most:
            fate.spend(scene, who, fate.INITIATIVE)
    held = {body.id: body.standing for body in scene.state.combatants.values() if body.id not in standing}
    attempt = 0
    while tied := _tied(standing, held):
        attempt += 1
        with scene.within(f"tie{attempt}"):
            again = scene.gather({who: (lambda who=who: die_of(who)) for who in tied})  # type: ignore[misc]
        for who in tied:
            standing[who] = (*standing[who], again[who][0].value)
            dice[who] = (*dice[who], *again[who])
    for who in sorted(whom, key=lambda one: (tuple(-figure for figure in standing[one]), one)):
        scene.emit(StandingSet(who, standing[who], dice[who], ClauseId("DH-5010")))


def _tied(standing: dict[CombatantId, tuple[int, ...]], held: dict[CombatantId, tuple[int, ...]]) -> list[CombatantId]:
    """Those of the new ones who stand exactly like somebody else."""
    every = [*standing.values(), *held.values()]
    return sorted(who for who, figures in standing.items() if every.count(figures) > 1)
