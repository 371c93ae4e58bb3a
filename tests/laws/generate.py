"""Fights by chance: who fights whom, where, in which condition, and what they try, legal or not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from app.engine import commands as cmd
from app.engine.actions import why_not
from app.engine.ids import ActionId, CombatantId, EffectId, ItemId
from app.engine.reasons import BadAnswer, Refused
from app.engine.rules import Action, Ruleset
from app.engine.space.model import Cover, CoverPiece, Ground, PairFact, Place, Point, Said, Sector, Wall, pair_key
from app.engine.state import Combatant, Item, Scenery, State
from app.engine.table import table_for
from tests.laws.cases import Case, settled
from tests.laws.tape import Tape
from tests.support.play import book, catalog

NAMES = ("ann", "bo", "cy", "dee")
SIDES = ("red", "green")
HANDS = ("main", "off", "both", None)
METRES = tuple(range(0, 700, 50))
"""Where people stand, in hundredths: near enough to get at each other."""
FIGURES = (0, 1, 9, 14, 30, 55, 99, 100)
USUAL = (
    *("prone", "pinned", "stunned", "blood_loss", "stunned_physical", "lying_prone", "kneeling", "off_balance"),
    *("knocked_down", "lying", "hidden", "spotted"),
)
"""Conditions that befall people often."""
LIVES = ("wounds_max", "hp_max")
"""What a little of leaves somebody soon dead."""


def rulesets() -> list[str]:
    """Every ruleset there is."""
    return sorted(catalog().ids)


@dataclass(frozen=True)
class Table:
    """A fight about to begin."""

    rules: Ruleset
    state: State


def table(tape: Tape, name: str) -> Table:
    """Two to four people somewhere, set up and not begun."""
    rules = book(name).ruleset
    names = NAMES[: 2 + tape.below(3)]
    on_map = tape.below(2) == 1
    bodies = {CombatantId(who): body(tape, rules, who, number, on_map) for number, who in enumerate(names)}
    scenery = Scenery(ground=ground(tape)) if on_map else Scenery(facts=facts(tape, names))
    return Table(rules, State(rules.id, options=options(tape, name), scenery=scenery, combatants=bodies))


def body(tape: Tape, rules: Ruleset, who: str, number: int, on_map: bool) -> Combatant:
    """Somebody made from a sample."""
    samples = sorted(book(rules.id).document["samples"])
    made = book(rules.id).sample(tape.pick(samples), CombatantId(who), SIDES[number % 2], who)
    assert made is not None
    declared = book(rules.id).document["stats"]["figures"]
    stats = dict(made.sheet.stats)
    for _ in range(tape.below(3)):
        name = tape.pick(sorted(stats))
        if declared[name]["kind"] == "characteristic":
            low, high = declared[name]["min"], declared[name]["max"]
            stats[name] = tape.pick(sorted({low, high, *(one for one in FIGURES if low <= one <= high)}))
    for name in ("unnatural_ws", "minion"):
        if name in stats and tape.is_one_in(8):
            stats[name] = 1 + tape.below(2)
    for name in LIVES:
        if name in declared and tape.is_one_in(3):
            stats[name] = 1 + tape.below(4)
    if "size" in declared and tape.is_one_in(4):
        stats["size"] = 1 + tape.below(10)
    sheet = msgspec.structs.replace(made.sheet, stats=stats)
    place = Place(tape.pick(METRES), tape.pick(METRES), 45 * tape.below(8)) if on_map else None
    hidden, covered = tape.is_one_in(8), tape.is_one_in(5)
    cover = Cover(pieces=(CoverPiece("crate", 1 + tape.below(12), tuple(places_of(rules)[:3])),))
    made = msgspec.structs.replace(
        made,
        sheet=sheet,
        place=place,
        hidden=hidden,
        cover=cover if covered else None,
        items=items(tape, rules, made.items),
    )
    return rules.prepare(rules, made)


def places_of(rules: Ruleset) -> list[str]:
    """Where hits land."""
    return list(book(rules.id).document["stats"].get("locations", ()))


def items(tape: Tape, rules: Ruleset, own: dict[str, Item]) -> dict[str, Item]:
    """What he carries: his own things, and at times others in his hands instead."""
    if not tape.is_one_in(2):
        return own
    found = {key: msgspec.structs.replace(item, held=None) for key, item in own.items()}
    kinds = sorted(kind for kind, weapon in rules.weapons.items() if not is_natural(kind, weapon))
    for hand in ("both",) if tape.below(2) else ("main", "off"):
        kind = tape.pick(kinds)
        clip = clip_of(rules.weapons[kind])
        marks = {"ammo": min(clip, tape.pick((0, 1, 3, clip)))} if clip else {}
        if hasattr(rules.weapons[kind], "clip") and clip and tape.is_one_in(6):
            marks["jammed"] = 1
        found[f"{hand}_{kind}"] = Item(kind, held=hand, count=1 + tape.below(2), marks=marks)
    return found


def is_natural(kind: str, weapon: Any) -> bool:
    """Whether it is part of a body."""
    return kind in ("unarmed", "fists") or bool(getattr(weapon, "natural", False))


def clip_of(weapon: Any) -> int:
    """Rounds that a full magazine holds, as each book calls them."""
    return next((found for name in ("clip", "shots", "ammo") if (found := getattr(weapon, name, None))), 0)


def ground(tape: Tape) -> Ground:
    """Open ground, with a wall or two."""
    walls = []
    for number in range(tape.below(3)):
        x, y = tape.pick(METRES) + 25, tape.pick(METRES) + 25
        walls.append(Wall((x, y), (x + tape.pick(METRES), y), id=f"wall{number}"))
    return Ground(walls=tuple(walls))


def facts(tape: Tape, names: tuple[str, ...]) -> dict[str, PairFact]:
    """What was stated about some of the pairs."""
    found = {}
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            if not tape.is_one_in(5):
                far = tape.pick((100, 100, 150, 150, 200, 210, 400, 900, 3000, 30000))
                found[pair_key(one, other)] = PairFact(distance=far, sees=tape.pick((None, True, True, False)))
    return found


def options(tape: Tape, name: str) -> dict[str, Any]:
    """A few house rules that differ."""
    declared = book(name).document["options"]
    found: dict[str, Any] = {}
    for _ in range(tape.below(4)):
        key = tape.pick(sorted(declared))
        match declared[key]["kind"]:
            case "flag":
                found[key] = not declared[key]["default"]
            case "choice":
                found[key] = tape.pick(declared[key]["choices"])
            case "list":
                found[key] = tuple(declared[key]["choices"][: tape.below(len(declared[key]["choices"]) + 1)])
            case "whole" | "optional_whole":
                found[key] = declared[key]["min"] + tape.below(declared[key]["max"] - declared[key]["min"] + 1)
    return found


# What they try


def submission(tape: Tape, rules: Ruleset, state: State, actor: CombatantId | None = None) -> cmd.Submission:
    """Something that somebody tries, with inputs that may fit and may not: the first that fits of up to six."""
    people = sorted(state.combatants)
    slot = state.clock.slot
    own = slot.owner if slot is not None else CombatantId(people[0])
    who = actor or (CombatantId(tape.pick(people)) if tape.is_one_in(6) else own)
    attacks = sorted(action.id for action in rules.actions.values() if "attack" in action.tags)
    wanted = cmd.Submission(who, ActionId("end_turn"))
    for _ in range(1 + tape.below(6)):
        action = rules.actions[tape.pick(attacks if tape.below(2) else sorted(rules.actions))]
        wanted = inputs_for(tape, rules, state, who, action)
        if is_accepted(rules, state, wanted):
            break
    return wanted


def is_accepted(rules: Ruleset, state: State, wanted: cmd.Submission) -> bool:
    """Whether nothing stands against it."""
    try:
        return not why_not(table_for(rules, state, wanted), wanted)
    except BadAnswer:
        return False


def inputs_for(tape: Tape, rules: Ruleset, state: State, who: CombatantId, action: Action) -> cmd.Submission:
    """The action with inputs by chance, most of them of the kind that it takes."""
    people = sorted(other for other in state.combatants if other != who)
    targets: tuple[str, ...] = ()
    if action.targets.maximum or tape.is_one_in(10):
        targets = (tape.pick(people),)
        if tape.is_one_in(12):
            targets = (*targets, tape.pick((*people, who, "nobody")))
    held = sorted(state.combatants[who].items)
    weapon = ItemId(tape.pick((*held, *held, "nothing"))) if tape.is_one_in(3) and held else None
    return cmd.Submission(
        who,
        action.id,
        type="extended" if tape.is_one_in(30) else tape.pick((None, None, None, *action.costs)),
        targets=tuple(CombatantId(target) for target in targets),
        weapon=weapon,
        second_weapon=ItemId(tape.pick(held)) if held and tape.is_one_in(16) else None,
        path=path(tape, state, who) if "path" in action.needs or tape.is_one_in(12) else (),
        facing=tape.pick((None, 0, 90, 200)) if "facing" in action.needs else None,
        area=area(tape, state, who) if "area" in action.needs else None,
        location=tape.pick((*places_of(rules), "door_lock", None)) if "location" in action.needs else None,
        options=chosen(tape, state, who, action),
        modifiers=tuple(
            cmd.GivenModifier(tape.pick(sorted(book(rules.id).given_modifiers))) for _ in range(tape.below(2))
        ),
        said=said(tape, people) if state.scenery.ground is None else Said(),
        note=tape.pick((None, "hey")),
    )


def chosen(tape: Tape, state: State, who: CombatantId, action: Action) -> dict[str, Any]:
    """Fields of its form, some left out; seldom one that it does not have."""
    people = sorted(other for other in state.combatants if other != who)
    found: dict[str, Any] = {}
    for field in action.form:
        if tape.is_one_in(3):
            continue
        match field.type:
            case "bool":
                found[field.name] = tape.below(2) == 1
            case "integer" | "length":
                found[field.name] = tape.below(300)
            case "combatant" if not field.choices:
                found[field.name] = tape.pick(people)
            case "combatants" | "words":
                found[field.name] = tape.some(field.choices or people, 2)
            case "path":
                found[field.name] = list(path(tape, state, who))
            case "word" | "item" | "combatant":
                choices = field.choices or ("standard_attack", "semi_auto_burst", "full_auto_burst", "reload")
                found[field.name] = tape.pick(choices)
            case _:
                found[field.name] = "a word"
    if tape.is_one_in(40):
        found["no_such_field"] = 1
    return found


def path(tape: Tape, state: State, who: CombatantId) -> tuple[Point, ...]:
    """A few steps from where he stands, short ones as a rule."""
    place = state.combatants[who].place
    if place is None:
        return ()
    steps = (-300, -100, -50, 0, 50, 100, 200, 400, 900)
    x, y = place.x, place.y
    points = []
    for _ in range(1 + tape.below(2)):
        x, y = x + tape.pick(steps), y + tape.pick(steps)
        points.append((x, y))
    return tuple(points)


def area(tape: Tape, state: State, who: CombatantId) -> Sector:
    """A slice before him."""
    place = state.combatants[who].place
    centre = (0, 0) if place is None else place.point
    return Sector(centre, tape.pick((500, 2000, 100_000)), 45 * tape.below(8), tape.pick((30, 45, 60)))


def said(tape: Tape, people: Sequence[CombatantId]) -> Said:
    """What is stated for the moment."""
    return Said(
        distance={who: tape.pick((100, 400, 800, 1500)) for who in people} if tape.is_one_in(2) else None,
        length=tape.pick((50, 200, 400, 1000)) if tape.below(4) else None,
        path_straight=tape.pick((True, True, None, False)),
        leaves=tape.some(people, 2) if tape.below(2) else (),
        engage=tape.some(people, 1) if tape.is_one_in(3) else None,
        crosses=tape.some(people, 2) if tape.below(2) else None,
        near=tape.some(people, 2) if tape.is_one_in(3) else None,
        inside=tape.some(people, 1) if tape.is_one_in(3) else None,
        destination_free=tape.pick((None, True)),
    )


def ruling(tape: Tape, rules: Ruleset, state: State) -> cmd.Rule:
    """Something that the GM changes."""
    people = sorted(state.combatants)
    who, other = CombatantId(tape.pick(people)), CombatantId(tape.pick(people))
    body_ = state.combatants[who]
    kinds = sorted(name for name, kind in rules.effects.items() if kind.ruled)
    changes: list[cmd.Change] = [
        cmd.AddEffect(who, tape.pick(kinds), tape.below(4)),
        cmd.AddEffect(who, tape.pick([kind for kind in USUAL if kind in rules.effects]), 1 + tape.below(2)),
        cmd.AddEffect(who, tape.pick(kinds), rounds=1 + tape.below(2)),
        cmd.RemoveEffect(who, EffectId(tape.pick(kinds))),
        cmd.SetPool(who, tape.pick(sorted(rules.pools)), tape.below(6)),
        cmd.SetBudget(who, tape.pick(sorted(rules.budgets)), tape.below(3)),
        cmd.SetStatus(who, "up"),
    ]
    if other != who:
        changes.append(cmd.SetEngaged(who, other, tape.below(3) > 0))
        if state.scenery.ground is None:
            changes.append(cmd.SetFact(who, other, PairFact(distance=tape.pick((100, 1000)))))
    if body_.place is not None:
        changes.append(cmd.Reposition(who, Place(tape.pick(METRES), tape.pick(METRES), 90)))
    return cmd.Rule("by chance", (tape.pick(changes),))


def command(tape: Tape, rules: Ruleset, state: State) -> cmd.Command:
    """The next thing that happens at the table."""
    slot = state.clock.slot
    kind = tape.below(24)
    if kind == 0 and slot is not None:
        return cmd.Act(cmd.Submission(slot.owner, ActionId("end_turn")))
    if kind < 4:
        return ruling(tape, rules, state)
    if kind == 5 and tape.is_one_in(2):
        return cmd.Leave((CombatantId(tape.pick(sorted(state.combatants))),))
    if kind == 6 and tape.is_one_in(2):
        who = f"new{len(state.combatants)}"
        return cmd.Join((body(tape, rules, who, tape.below(2), state.scenery.ground is not None),))
    if kind == 7 and tape.is_one_in(2):
        old = state.combatants[CombatantId(tape.pick(sorted(state.combatants)))]
        return cmd.Edit(msgspec.structs.replace(old, hidden=not old.hidden), ("hidden",))
    return cmd.Act(submission(tape, rules, state))


def fight(tape: Tape, name: str, commands: int = 8) -> Iterator[Case]:
    """A fight of so many commands after its start. What is refused is left out."""
    made = table(tape, name)
    salt = bytes(tape.below(256) for _ in range(4))
    surprised = tape.some(sorted(made.state.combatants), 1)
    first = cmd.Start(tuple(CombatantId(who) for who in surprised))
    case = settled(made.rules, made.state, first, salt)
    yield case
    state = case.outcome.state
    for number in range(commands):
        for attempt in range(6):
            wanted = command(tape, made.rules, state)
            try:
                case = settled(made.rules, state, wanted, salt + bytes([number, attempt]))
            except (Refused, BadAnswer):
                continue
            yield case
            state = case.outcome.state
            break


def standing(tape: Tape, name: str, commands: int = 5) -> Table:
    """A fight under way, as it stands after so many commands."""
    rules = book(name).ruleset
    state = State(name)
    for case in fight(tape, name, commands):
        state = case.outcome.state
    return Table(rules, state)
