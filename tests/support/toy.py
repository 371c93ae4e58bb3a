"""A small ruleset for tests of the engine and the services: every way of asking, rolling and waiting, and nothing else.

| action | what it is there for |
|---|---|
| `strike` | a roll, a question with a barred option, the defender's own roll, damage that may fell |
| `blast` | a gather: everybody aimed at is asked and rolls side by side, then all is told in order |
| `volley` | an allocation with a judge beside the question |
| `plead` | a question to the GM |
| `shout` | no die and no question: an effect that ends at the end of its bearer's turn |
| `watch` | a hidden effect; whoever acts on the other side may be shot at (a reaction to a moment) |
| `step` | a move, on the map or stated |
| `end_turn` | the next turn; a new round gives new budgets |

Initiative is 1d10 + speed, rolled by everybody for himself. Two acts and one reaction a turn. Hits are `toughness` at
the start; who has none left is down.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from app.catalog import Catalog, Rulebook
from app.catalog.compile import compile_ruleset
from app.catalog.texts import Texts
from app.engine import events as ev
from app.engine.actions import type_of
from app.engine.asks import GM, Answer, Barred, Cost, Option, Question
from app.engine.commands import Submission
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.moments import ActionDone
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver, Ruleset, RulesetCode
from app.engine.scene import Scene
from app.engine.soundness import Misfit, hands_within, marks_within
from app.engine.space.model import Place, Unknown
from app.engine.state import Combatant, Sheet, Slot, State
from app.engine.table import Table
from app.engine.triggers import Cue
from app.engine.turns import advance
from app.engine.vocabulary import Vocabulary

TOY = "toy"
ACTS, REACTIONS = 2, 1
_DODGE_COST = (Cost("reaction", 1),)


class Weapon(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What hurts."""

    kind: str
    damage: int
    range: Length = 0


class Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """There are none."""


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of the actions."""

    bonus: int = 0
    most: Length = 800


# Turns


class ToyTurns:
    """Rounds in the order of initiative."""

    def may(self, table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
        """In the own turn, for the price."""
        if table.who(sub.actor).status != "up":
            yield table.rules.reason("cannot_act", "TOY-030")
        if not table.is_turn_of(sub.actor):
            yield table.rules.reason("not_your_turn", "TOY-020")
            return
        for cost in action.costs[type_of(sub, action)]:
            left = table.who(sub.actor).budget.get(cost.budget, 0)
            if left < cost.amount:
                yield table.rules.reason("insufficient_actions", "TOY-040", need=cost.amount, got=left)

    def pay(self, scene: Scene, sub: Submission, action: Action) -> None:
        """Take the price and tell."""
        form = type_of(sub, action)
        for cost in action.costs[form]:
            left = scene.who(sub.actor).budget.get(cost.budget, 0)
            scene.set_budget(sub.actor, cost.budget, left - cost.amount, "TOY-040")
        clause = action.clauses[0]
        told = ev.ActionTaken(
            sub.actor, action.id, form, tuple(sorted(action.tags)), sub.weapon, sub.targets, sub.note, clause=clause
        )
        scene.emit(told)

    def after(self, scene: Scene, sub: Submission, action: Action) -> None:
        """Nothing follows."""

    def start(self, scene: Scene, surprised: tuple[CombatantId, ...]) -> None:
        """Everybody rolls side by side, then the order is told."""
        scene.emit(ev.EncounterStarted(ClauseId("TOY-010")))
        people = sorted(body.id for body in scene.state.combatants.values() if body.status == "up")
        rolls = scene.gather({who: partial(_initiative, scene, who) for who in people})
        for who in people:
            scene.emit(_standing(scene, who, rolls[who]))
        scene.emit(ev.RoundBegan(1, ClauseId("TOY-010")))

    def enter(self, scene: Scene, newcomer: CombatantId) -> None:
        """He rolls for himself."""
        scene.emit(_standing(scene, newcomer, _initiative(scene, newcomer)))

    def close(self, scene: Scene, slot: Slot) -> None:
        """The end of a turn."""
        scene.tick("turn_end", slot.owner)
        scene.emit(ev.TurnEnded(slot.owner, slot.kind, clause=ClauseId("TOY-020")))

    def between(self, scene: Scene) -> None:
        """Nothing happens in the gap."""

    def next(self, scene: Scene) -> Slot | None:
        """Highest initiative first; a new round when all have acted."""
        for _ in range(2):
            for body in scene.in_order():
                if body.status == "up" and body.id not in scene.state.clock.acted:
                    return Slot(body.id)
            scene.emit(ev.RoundBegan(scene.state.clock.round + 1, ClauseId("TOY-010")))
        return None

    def open(self, scene: Scene, slot: Slot) -> bool:
        """New budgets."""
        scene.emit(ev.TurnBegan(slot.owner, slot.kind, clause=ClauseId("TOY-020")))
        scene.set_budget(slot.owner, "act", ACTS, "TOY-040")
        scene.set_budget(slot.owner, "reaction", REACTIONS, "TOY-040")
        scene.tick("turn_start", slot.owner)
        return True

    def upcoming(self, table: Table) -> tuple[Slot, ...]:
        """Those who have not acted yet."""
        acted = table.state.clock.acted
        return tuple(Slot(body.id) for body in table.in_order() if body.status == "up" and body.id not in acted)


def _initiative(scene: Scene, who: CombatantId) -> tuple[ev.Die, ...]:
    with scene.within("initiative"):
        return scene.roll(who, 1, 10, who, "initiative", clause="TOY-010")


def _standing(scene: Scene, who: CombatantId, dice: tuple[ev.Die, ...]) -> ev.StandingSet:
    return ev.StandingSet(who, (dice[0].value + stat(scene, who, "speed"),), dice, ClauseId("TOY-010"))


# Figures


def stat(table: Table, who: CombatantId, name: str) -> int:
    """A figure of the sheet."""
    return table.who(who).sheet.stats[name]


def prepare(rules: Ruleset, body: Combatant) -> Combatant:
    """A newcomer is unhurt."""
    return replace(body, pools={"hits": body.sheet.stats["toughness"], **body.pools})


# Resolvers


def anybody(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """No more than the engine asks."""
    return iter(())


def in_reach(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Within the weapon's range, where anybody knows how far it is."""
    if sub.target is None or sub.weapon is None:
        return
    weapon: Weapon = table.rules.weapons[table.item(sub.actor, sub.weapon).kind]
    far = table.space.distance(sub.actor, sub.target)
    if not isinstance(far, Unknown) and weapon.range and far > weapon.range:
        yield table.rules.reason("out_of_range", "TOY-110", at="/targets/0", need_length=weapon.range, got_length=far)


def strike(scene: Scene, sub: Submission, action: Action) -> None:
    """Hit, defend, hurt."""
    target = sub.targets[0]
    if not check(scene, sub.actor, "to_hit", stat(scene, sub.actor, "skill") + action.params.bonus, "TOY-100"):
        return
    with scene.within(target):
        option = defend(scene, sub.actor, target, informed=True)
        evaded = option != "none" and check(scene, target, option, stat(scene, target, "speed") * 10, "TOY-120")
    if option == "dodge":
        spend_reaction(scene, target)
    scene.emit(ev.DefenceResolved(target, sub.actor, option, (1,) if evaded else (), () if evaded else (1,)))
    if not evaded:
        hurt(scene, sub.actor, target, sub)


def check(scene: Scene, who: CombatantId, name: str, target: int, clause: str) -> bool:
    """1d100, at most the target."""
    dice = scene.roll(name, 1, 100, who, name, target=target, clause=clause)
    return tell_check(scene, who, name, target, dice, clause)


def tell_check(scene: Scene, who: CombatantId, name: str, target: int, dice: tuple[ev.Die, ...], clause: str) -> bool:
    """How it came out."""
    success = dice[0].value <= target
    terms = (ev.Term("skill", target, ClauseId(clause)),)
    outcome: Literal["success", "failure"] = "success" if success else "failure"
    scene.emit(ev.CheckRolled(who, "skill", name, target, dice, outcome, 1, terms, clause=ClauseId(clause)))
    return success


def defend(scene: Scene, attacker: CombatantId, target: CombatantId, *, informed: bool) -> str:
    """Dodge or take it; a parry wants a sword."""
    dodge = Option("dodge", chance=stat(scene, target, "speed") * 100_000, cost=_DODGE_COST)
    barred = [Barred("parry", (scene.rules.reason("cannot_parry", "TOY-120"),))]
    options = [Option("none", declines=True)]
    if scene.who(target).budget.get("reaction", REACTIONS):
        options.insert(0, dodge)
    else:
        barred.append(Barred("dodge", (scene.rules.reason("no_reaction_left", "TOY-120"),)))
    question = Question(
        key="",
        name="evade",
        kind="defend",
        to=target,
        options=tuple(options),
        default="none",
        best=options[0].id,
        about=attacker,
        barred=tuple(barred),
        informed=informed,
        clause=ClauseId("TOY-120"),
    )
    return scene.ask(question).option


def spend_reaction(scene: Scene, who: CombatantId) -> None:
    """One reaction less."""
    left = scene.who(who).budget.get("reaction", REACTIONS)
    scene.set_budget(who, "reaction", left - 1, "TOY-120")


def hurt(scene: Scene, attacker: CombatantId, target: CombatantId, sub: Submission, name: str = "damage") -> None:
    """1d10 and the weapon's damage off the hits."""
    dice = scene.roll(name, 1, 10, attacker, "damage", clause="TOY-130")
    extra = 0 if sub.weapon is None else scene.rules.weapons[scene.item(attacker, sub.weapon).kind].damage
    amount = dice[0].value + extra
    scene.emit(ev.DamageDealt(attacker, target, amount, amount, dice, clause=ClauseId("TOY-130")))
    scene.change_pool(target, "hits", -min(amount, scene.pool(target, "hits")), "TOY-130")
    if scene.pool(target, "hits") == 0:
        scene.emit(ev.StatusChanged(target, "down", "no hits left", ClauseId("TOY-130")))


def blast(scene: Scene, sub: Submission, action: Action) -> None:
    """Everybody's whole asking side by side, then told by id, whoever answered first."""
    people = sorted(sub.targets)
    answers = scene.gather({who: partial(_duck, scene, sub.actor, who) for who in people})
    for who in people:
        option, dice = answers[who]
        if option == "dodge":
            spend_reaction(scene, who)
            if tell_check(scene, who, "dodge", stat(scene, who, "speed") * 10, dice, "TOY-140"):
                continue
        with scene.within(who):
            hurt(scene, sub.actor, who, sub)


def _duck(scene: Scene, attacker: CombatantId, who: CombatantId) -> tuple[str, tuple[ev.Die, ...]]:
    option = defend(scene, attacker, who, informed=False)
    return option, scene.roll("dodge", 1, 100, who, "dodge", clause="TOY-140") if option == "dodge" else ()


def volley(scene: Scene, sub: Submission, action: Action) -> None:
    """Three hits shared out by the shooter; the first target gets one at least."""
    first = sub.targets[0]
    form = (Field("hits", "allocation", required=True, choices=sub.targets, total=3, clause=ClauseId("TOY-150")),)
    question = Question(
        key="",
        name="share",
        kind="allocate_hits",
        to=sub.actor,
        options=(Option("share", form=form), Option("none", declines=True)),
        default="none",
        clause=ClauseId("TOY-150"),
    )

    def judge(answer: Answer) -> Iterator[Reason]:
        if answer.option == "share" and not answer.share("hits").get(first, 0):
            yield scene.rules.reason("first_target_left_out", "TOY-150", at="/fields/hits", names=(first,))

    answer = scene.ask(question, judge)
    for who, hits in answer.share("hits").items():
        for number in range(hits):
            with scene.within(who, f"hit{number + 1}"):
                hurt(scene, sub.actor, CombatantId(who), sub)


def plead(scene: Scene, sub: Submission, action: Action) -> None:
    """The GM judges."""
    question = Question(
        key="",
        name="plea",
        kind="ruling",
        to=GM,
        options=(Option("yes"), Option("no")),
        default="no",
        about=sub.target,
        clause=ClauseId("TOY-160"),
    )
    granted = scene.ask(question).option == "yes"
    scene.emit(ev.Noted(sub.actor, "heard" if granted else "unheard", sub.target, clause=ClauseId("TOY-160")))


def shout(scene: Scene, sub: Submission, action: Action) -> None:
    """The target is shaken until the end of its turn."""
    scene.begin(sub.targets[0], "shaken", value=action.params.bonus, source=sub.actor)


def watch(scene: Scene, sub: Submission, action: Action) -> None:
    """Lie in wait, until the own next turn."""
    scene.begin(sub.actor, "watching", source=sub.actor)


def step(scene: Scene, sub: Submission, action: Action) -> None:
    """Walk, as drawn or as stated."""
    run = scene.space.run(sub.actor, sub.path)
    assert not isinstance(run, Unknown)
    place = scene.space.place(run, run.length)
    scene.emit(ev.Moved(sub.actor, run.length, run.points, place, clause=ClauseId("TOY-180")))


def not_too_far(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """No farther than one can walk."""
    run = table.space.run(sub.actor, sub.path)
    if isinstance(run, Unknown):
        yield table.rules.reason("missing_input", at="/said/length")
    elif run.length > action.params.most:
        most = action.params.most
        yield table.rules.reason("move_too_far", "TOY-180", at="/path", need_length=most, got_length=run.length)


def end_turn(scene: Scene, sub: Submission, action: Action) -> None:
    """Pass on."""
    advance(scene)


def watchers(scene: Scene, done: ActionDone) -> Iterator[Cue]:
    """Whoever lies in wait may shoot at an opponent who has acted."""
    for body in scene.in_order():
        if body.side == scene.who(done.actor).side or not scene.has(body.id, "watching"):
            continue
        yield Cue(0, (body.id,), f"watch:{body.id}", _offer(scene, body.id, done), _fire(scene, body.id, done))


def _offer(scene: Scene, watcher: CombatantId, done: ActionDone) -> Any:
    def offer() -> Answer | None:
        question = Question(
            key="",
            name="fire",
            kind="watch_fire",
            to=watcher,
            options=(Option("fire"), Option("hold", declines=True)),
            default="hold",
            best="fire",
            about=done.actor,
            clause=ClauseId("TOY-170"),
        )
        answer = scene.ask(question)
        return None if answer.option == "hold" else answer

    return offer


def _fire(scene: Scene, watcher: CombatantId, done: ActionDone) -> Any:
    def fire(answer: Answer) -> None:
        scene.end(watcher, "watching", why="used")
        if check(scene, watcher, "to_hit", stat(scene, watcher, "skill"), "TOY-170"):
            hurt(scene, watcher, done.actor, Submission(watcher, done.action))

    return fire


def _hits(body: Combatant) -> tuple[int, int | None]:
    return body.pools.get("hits", 0), body.sheet.stats["toughness"]


def _harm(body: Combatant) -> tuple[int, int]:
    most = body.sheet.stats["toughness"]
    return most - body.pools.get("hits", 0), most


def misfits(rules: Ruleset, body: Combatant) -> Iterator[Misfit]:
    """A bow has up to twelve arrows, and a hand holds one thing."""
    yield from marks_within(body.items, lambda item: {"arrows": (0, 12)} if item.kind == "bow" else {})
    yield from hands_within(body.items)


CODE = RulesetCode(
    resolvers={
        "strike": Resolver(Params, in_reach, strike),
        "blast": Resolver(Params, anybody, blast),
        "volley": Resolver(Params, anybody, volley),
        "plead": Resolver(Params, anybody, plead),
        "shout": Resolver(Params, anybody, shout),
        "watch": Resolver(Params, anybody, watch),
        "step": Resolver(Params, not_too_far, step),
        "end_turn": Resolver(Params, anybody, end_turn),
    },
    turns=ToyTurns(),
    weapon=Weapon,
    tables=Tables,
    tags=frozenset(),
    handlers={ActionDone: (watchers,)},
    body_extra=lambda body: 0,
    pools={"hits": _hits},
    harm=_harm,
    prepare=prepare,
    budgets={"act": lambda table, who: ACTS, "reaction": lambda table, who: REACTIONS},
    fits=lambda table, who, item, action: table.rules.weapons[table.item(who, item).kind].kind in action.weapons.kinds,
    check_chance=lambda check: max(0, min(100, check.target)) * 10_000,
    moments=frozenset({"turn_start", "turn_end"}),
    questions={"allocate_hits": "combatant", "defend": "combatant", "ruling": "gm", "watch_fire": "combatant"},
    misfits=misfits,
    vocabulary=lambda tables: Vocabulary(
        bands=("close", "far"), arcs=("front", "back"), air=("smoke", "dark"), ground=("mud",), cover_ratings=("good",)
    ),
)

_FIGURE = {"kind": "figure", "min": 0, "max": 1000}
DOCUMENT: dict[str, Any] = {
    "ruleset": {
        "id": TOY,
        "version": "1.0.0",
        "title": {"en": "Toy", "ru": "Игрушка", "pl": "Zabawka"},
        "unit": "m",
        "metric": "euclid",
        "kinds": {
            "cannot_act": "state",
            "cannot_parry": "state",
            "decision_pending": "turn",
            "first_target_left_out": "target",
            "insufficient_actions": "economy",
            "missing_input": "input",
            "move_too_far": "range",
            "no_reaction_left": "economy",
            "not_your_turn": "turn",
            "out_of_range": "range",
            "roll_pending": "turn",
            "unknown_action": "input",
            "unknown_combatant": "target",
        },
        "general": dict.fromkeys(
            (
                "decision_pending",
                "encounter_already_started",
                "encounter_not_running",
                "invalid_option_value",
                "invalid_target",
                "item_not_carried",
                "missing_input",
                "no_combatants",
                "option_locked",
                "roll_pending",
                "too_many_targets",
                "unused_input",
                "unknown_action",
                "unknown_combatant",
                "unknown_effect",
                "unknown_option_key",
                "unknown_resource",
                "wrong_action_type",
            ),
            "TOY-001",
        ),
        "alone": ["encounter_not_running", "unknown_combatant", "unknown_action"],
    },
    "stats": {
        "figures": {
            "skill": _FIGURE | {"default": 50},
            "speed": _FIGURE | {"default": 3},
            "toughness": _FIGURE | {"default": 10},
        },
        "resources": {"hits": {"max": "toughness", "clause": "TOY-130"}},
        "budgets": {"act": {"clause": "TOY-040"}, "reaction": {"clause": "TOY-040"}},
    },
    "actions": {
        "strike": {
            "cost": {"act": {"act": 1}},
            "tags": ["attack", "melee"],
            "targets": {"who": "enemy"},
            "weapons": {"kinds": ["melee", "ranged"]},
            "form": {"aimed": {"type": "bool"}, "from_m": {"type": "length", "min": 0, "max": 50}},
            "resolver": "strike",
            "clauses": ["TOY-100", "TOY-110"],
        },
        "blast": {
            "cost": {"act": {"act": 2}},
            "tags": ["attack"],
            "targets": {"who": "any", "min": 1, "max": 60},
            "resolver": "blast",
            "clauses": ["TOY-140"],
        },
        "volley": {
            "cost": {"act": {"act": 2}},
            "tags": ["attack", "ranged"],
            "targets": {"who": "enemy", "min": 1, "max": 3},
            "resolver": "volley",
            "clauses": ["TOY-150"],
        },
        "plead": {
            "cost": {"act": {}},
            "targets": {"who": "any", "min": 0},
            "resolver": "plead",
            "clauses": ["TOY-160"],
        },
        "shout": {
            "cost": {"act": {"act": 1}},
            "targets": {"who": "enemy"},
            "resolver": "shout",
            "params": {"bonus": -10},
            "clauses": ["TOY-190"],
        },
        "watch": {"cost": {"act": {"act": 2}}, "resolver": "watch", "clauses": ["TOY-170"]},
        "step": {"cost": {"act": {"act": 1}}, "needs": ["path"], "resolver": "step", "clauses": ["TOY-180"]},
        "end_turn": {"cost": {"free": {}}, "resolver": "end_turn", "clauses": ["TOY-020"]},
    },
    "effects": {
        "shaken": {
            "clause": "TOY-190",
            "until": [[{"at": "turn_end", "who": "bearer"}]],
            "value": {"min": -30, "max": -1, "default": -10},
            "against": "optional",
        },
        "watching": {"clause": "TOY-170", "until": [[{"at": "turn_start", "who": "bearer"}]], "hidden": True},
        "prone": {"clause": "TOY-195"},
    },
    "modifiers": {},
    "options": {
        "lethal": {"kind": "flag", "default": False, "clause": "TOY-900"},
        "walk_m": {"kind": "length", "default": 8, "max": 20, "clause": "TOY-900"},
    },
    "weapons": {
        "sword": {"kind": "melee", "damage": 2, "range": 2},
        "bow": {"kind": "ranged", "damage": 1, "range": 30},
    },
    "samples": {
        "ann": {
            "sheet": {"skill": 60, "speed": 5, "toughness": 12},
            "items": {"sword": {"kind": "sword", "held": "main"}},
        },
        "orc": {"sheet": {"skill": 40, "speed": 3, "toughness": 10}, "items": {"bow": {"kind": "bow", "held": "both"}}},
    },
}
LOCALE: dict[str, dict[str, dict[str, str]]] = {
    "en": {
        "action": {"strike": "Strike", "blast": "Blast"},
        "sample": {"ann": "Ann", "orc": "Orc"},
        "resource": {"hits": "Hits"},
        "budget": {"act": "Acts", "reaction": "Reactions"},
        "reason": {
            "out_of_range": "Out of range: at most {need} m, here {got} m.",
            "out_of_range__plain": "Out of range.",
            "not_your_turn": "It is not your turn.",
            "decision_pending": "A decision must be answered first.",
        },
    },
    "ru": {"action": {"strike": "Удар"}, "reason": {"not_your_turn": "Сейчас не ваш ход."}},
    "pl": {"action": {"strike": "Cios"}, "reason": {"not_your_turn": "To nie twoja tura."}},
}


def rulebook(document: Mapping[str, Any] = DOCUMENT) -> Rulebook:
    """The toy ruleset with its texts, as the services use it."""
    texts = Texts({}, LOCALE)
    return Rulebook(compile_ruleset(document, texts, CODE), texts, CODE)


def rules() -> Ruleset:
    """The toy ruleset, as the engine uses it."""
    return rulebook().ruleset


def catalog() -> Catalog:
    """A catalog with nothing but the toy ruleset."""
    return Catalog({TOY: rulebook()})


def body(who: str, side: str = "blue", *, place: tuple[int, int] | None = None, **fields: Any) -> Combatant:
    """A combatant of average figures, unhurt, by his id."""
    stats = {name: fields.pop(name, figure) for name, figure in (("skill", 50), ("speed", 3), ("toughness", 10))}
    made = Combatant(CombatantId(who), who.capitalize(), side, Sheet(stats), **fields)
    if place is not None:
        made = replace(made, place=Place(*place))
    return replace(made, pools={"hits": stats["toughness"]})


def duel(*bodies: Combatant) -> State:
    """A running fight, the first of them to move."""
    people = bodies or (body("ann"), body("orc", "red"))
    fighters = {
        one.id: replace(one, standing=(100 - place,), budget={"act": ACTS, "reaction": REACTIONS})
        for place, one in enumerate(people)
    }
    state = State(ruleset=TOY, status="running", combatants=fighters)
    clock = replace(state.clock, round=1, slot=Slot(people[0].id))
    return replace(state, clock=clock)
