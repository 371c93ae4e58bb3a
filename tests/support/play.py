"""A table for rule tests: combatants by a few words, dice and answers written where they fall.

    table = duel(ann={"ws": 35}, orc={"wounds_max": 12}, distance=1)
    done = table.play("standard_attack", "ann", "orc", to_hit=54, defend="none", damage=7)

An answer is found by the end of its key (`to_hit`, `orc/dodge` as `orc__dodge`, `hit2/damage` as `hit2__damage`). A
list gives successive answers to the same name. A roll or question that nobody provided, or an answer that nobody
asked for, fails the test. After each command the laws hold: fold of events = state, the state survives JSON byte
for byte, the same inputs give the same events, every die is in an event.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from app.catalog import Catalog, Rulebook
from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.actions import why_not
from app.engine.asks import Answer, Ask, Faces, Input, Question, Roll, judged_answer, judged_faces
from app.engine.fold import fold_all
from app.engine.ids import ActionId, CombatantId, ItemId
from app.engine.rules import Ruleset
from app.engine.run import Outcome, run
from app.engine.scene import Scene
from app.engine.space.model import Area, Ground, PairFact, Place, Said, pair_key
from app.engine.state import Combatant, Item, Scenery, State
from app.engine.table import Table, table_for
from app.engine.turns import advance
from app.engine.visibility import cut_for

RULESETS = Path(__file__).resolve().parents[2] / "rulesets"
UNLESS_STATED = {"die_replacement": "keep"}
"""Questions that the examples of a ledger answer so unless they say otherwise."""
_ENCODER = msgspec.json.Encoder(order="deterministic")


def blanked(emitted: ev.Emitted) -> ev.AnyEvent:
    """An event of everybody's log as somebody sees it who controls nobody."""
    return cut_for(emitted, lambda who: False)[0]


@cache
def catalog() -> Catalog:
    """The real rulesets, read once."""
    return Catalog.load(RULESETS)


def book(name: str = "dark_heresy_2e") -> Rulebook:
    """One of them, with its names and samples."""
    found = catalog().get(name)
    assert found is not None
    return found


def ruleset(name: str = "dark_heresy_2e") -> Ruleset:
    """One of them, compiled."""
    return book(name).ruleset


def length(units: float | int | str | Decimal) -> int:
    """Hundredths of a unit from a decimal."""
    return int((Decimal(str(units)) * 100).to_integral_value())


class Unanswered(AssertionError):
    """The rule asked for something that the test did not provide."""


@dataclass
class Script:
    """Answers by the end of their key; each is used exactly as often as it is given."""

    given: dict[str, Any]
    used: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    asked: list[Ask] = field(default_factory=list)

    def source(self, ask: Ask) -> Input | None:
        """What the test provides for it; None leaves it open where the test says `...`."""
        self.asked.append(ask)
        name = self._find(ask)
        if name is None and isinstance(ask, Question) and ask.kind in UNLESS_STATED:
            return Answer(UNLESS_STATED[ask.kind])
        if name is None:
            raise Unanswered(f"nobody provided {ask.key}: {ask}")
        self.used.add(name)
        value = self.given[name]
        if isinstance(value, list):
            at = self.counts.get(name, 0)
            if at >= len(value):
                raise Unanswered(f"{name} was asked more than {len(value)} times: {ask.key}")
            self.counts[name] = at + 1
            value = value[at]
        if value is ...:
            return None
        if isinstance(ask, Roll):
            return judged_faces(ask, value if isinstance(value, tuple) else (value,), "client")
        return _answer(ask, value)

    def _find(self, ask: Ask) -> str | None:
        key = f"/{ask.key}"
        fit = [name for name in self.given if key.endswith("/" + name.replace("__", "/")) or name == ask.key]
        return max(fit, key=len, default=None)

    def check_used(self) -> None:
        """Fail for an answer that nobody asked for."""
        left = set(self.given) - self.used
        for name, value in self.given.items():
            if isinstance(value, list) and name in self.used and self.counts.get(name, 0) < len(value):
                left.add(name)
        if left:
            raise AssertionError(f"nobody asked for {sorted(left)}; asked were {[ask.key for ask in self.asked]}")


def _answer(question: Question, value: Any) -> Answer:
    if isinstance(value, str):
        return judged_answer(question, value, {})
    option, fields = value
    return judged_answer(question, option, fields)


@dataclass(frozen=True)
class Played:
    """What came of one command."""

    outcome: Outcome
    asked: tuple[Ask, ...]

    @property
    def events(self) -> tuple[ev.AnyEvent, ...]:
        """Everything that happened, in order."""
        return tuple(emitted.event for emitted in self.outcome.events)

    def of(self, kind: type[Any]) -> list[Any]:
        """The events of one type."""
        return [event for event in self.events if isinstance(event, kind)]

    def one(self, kind: type[Any]) -> Any:
        """The only event of that type."""
        found = self.of(kind)
        assert len(found) == 1, f"{len(found)} {kind.__name__}: {found}"
        return found[0]

    @property
    def check(self) -> ev.CheckRolled:
        """The first test that was rolled."""
        found: ev.CheckRolled = self.of(ev.CheckRolled)[0]
        return found

    def questions(self, kind: str | None = None) -> list[Question]:
        """Questions that were asked, answered or not."""
        return [ask for ask in self.asked if isinstance(ask, Question) and (kind is None or ask.kind == kind)]

    @property
    def open(self) -> tuple[Ask, ...]:
        """What it waits for."""
        return self.outcome.open


class PlayTable:
    """One fight under test."""

    def __init__(self, rules: Ruleset, state: State) -> None:
        self.rules, self.state = rules, state

    def who(self, name: str) -> Combatant:
        """A combatant as he is now."""
        return self.state.combatants[CombatantId(name)]

    @property
    def table(self) -> Table:
        """The table to look at."""
        return Table(self.rules, self.state)

    @property
    def turn(self) -> str | None:
        """Whose turn it is."""
        slot = self.state.clock.slot
        return None if slot is None else slot.owner

    def has(self, name: str, *kinds: str) -> bool:
        """Whether he has an effect of one of these kinds."""
        return self.table.has(CombatantId(name), *kinds)

    def submission(self, action: str, actor: str, *targets: str, **fields: Any) -> cmd.Submission:
        """A submission in a few words: lengths and points in units."""
        if "path" in fields:
            fields["path"] = tuple((length(x), length(y)) for x, y in fields["path"])
        if "said" in fields:
            fields["said"] = said(**fields["said"])
        fields["modifiers"] = tuple(
            cmd.GivenModifier(one) if isinstance(one, str) else cmd.GivenModifier("gm", one, "because")
            for one in fields.get("modifiers", ())
        )
        who = tuple(CombatantId(target) for target in targets)
        return cmd.Submission(CombatantId(actor), ActionId(action), targets=who, **fields)

    def why_not(self, action: str, actor: str, *targets: str, **fields: Any) -> list[str]:
        """Reason codes against it, in the order they are told."""
        return [reason.code for reason in self.reasons(action, actor, *targets, **fields)]

    def reasons(self, action: str, actor: str, *targets: str, **fields: Any) -> tuple[Any, ...]:
        """The reasons themselves."""
        sub = self.submission(action, actor, *targets, **fields)
        return why_not(table_for(self.rules, self.state, sub), sub)

    def play(self, action: str, actor: str, *targets: str, **given: Any) -> Played:
        """Submit an action with everything it will ask; the state moves on. Raises `Refused` where it is refused."""
        known = {
            "type",
            "weapon",
            "second_weapon",
            "path",
            "facing",
            "area",
            "location",
            "options",
            "modifiers",
            "said",
            "note",
        }
        fields = {key: value for key, value in given.items() if key in known}
        answers = {key: value for key, value in given.items() if key not in known}
        return self.command(cmd.Act(self.submission(action, actor, *targets, **fields)), **answers)

    def end_turn(self, **answers: Any) -> Played:
        """Whoever's turn it is ends it."""
        assert self.turn is not None
        return self.play("end_turn", self.turn, **answers)

    def until_turn_of(self, name: str, **answers: Any) -> None:
        """End turns until it is his."""
        for _ in range(50):
            if self.turn == name:
                return
            self.end_turn(**answers)
        raise AssertionError(f"it never was {name}'s turn")

    def rule(self, *changes: cmd.Change, **answers: Any) -> Played:
        """The GM rules."""
        return self.command(cmd.Rule("test", changes), **answers)

    def command(self, command: cmd.Command, **answers: Any) -> Played:
        """Run any command; the laws are checked on the way."""
        script = Script(answers)
        before = _ENCODER.encode(self.state)
        outcome = run(self.rules, self.state, command, inputs={}, source=script.source)
        script.check_used()
        self._laws(command, outcome, before)
        if not outcome.open:
            assert not untold(script.asked, outcome), "a die that fell is in no event"
        if not outcome.open:
            self.state = outcome.state
        return Played(outcome, tuple(script.asked))

    def _laws(self, command: cmd.Command, outcome: Outcome, before: bytes) -> None:
        assert _ENCODER.encode(self.state) == before, "a run changed its base"
        events = tuple(emitted.event for emitted in outcome.events)
        assert fold_all(self.state, events) == outcome.state, "fold of the events is not the state"
        text = _ENCODER.encode(outcome.state)
        assert _ENCODER.encode(msgspec.json.decode(text, type=State)) == text, "the state does not survive JSON"
        if isinstance(command, cmd.Act):
            assert not [one for one in events if getattr(one, "clause", None) is None], (
                "an event of the rules names no clause"
            )
        again = run(self.rules, self.state, command, inputs=outcome.inputs, source=lambda ask: None)
        assert again.events == outcome.events, "the same inputs gave other events"


def untold(asked: Iterable[Ask], outcome: Outcome) -> Counter[tuple[int, int]]:
    """Dice that fell and are in no event, as sides and face: nobody could read whose they were, or check them."""
    sides = {ask.key: ask.sides for ask in asked if isinstance(ask, Roll)}
    fell = Counter(
        (sides[key], face)
        for key, given in outcome.inputs.items()
        if isinstance(given, Faces) and key in sides
        for face in given.faces
    )
    told = (die for emitted in outcome.events for die in getattr(emitted.event, "dice", None) or ())
    return fell - Counter((die.sides, die.value) for die in told)


def said(**fields: Any) -> Said:
    """What a submission states, with lengths in units."""
    for name in ("length", "straight_end", "units_free"):
        if fields.get(name) is not None:
            fields[name] = length(fields[name])
    for name in ("distance", "distance_after", "crosses_at"):
        if fields.get(name) is not None:
            fields[name] = {who: length(value) for who, value in fields[name].items()}
    return Said(**fields)


Changes = Mapping[str, Any]


def combatant(rules: Ruleset, name: str, sample: str | None = None, **fields: Any) -> Combatant:
    """A combatant ready to fight: a sample by name, with characteristics, items and anything else changed.

    Keys that the combatant's own data has (`side`, `place`, `items`, `effects`, `engaged`, `cover`, `policy`, ...)
    are set, `skills` (ranks or levels), `defaults` and `trait_values` are added to those of the sheet, `talents` and
    `armour` replace them, everything else is a figure of the sheet.
    `held` lists item kinds in hand.
    """
    usual = "vane" if rules.id == "dark_heresy_2e" else next(iter(book(rules.id).document["samples"]))
    body = book(rules.id).sample(sample or usual, CombatantId(name), fields.pop("side", name), name)
    assert body is not None, sample
    sheet = body.sheet
    own = {key: fields.pop(key) for key in tuple(fields) if key in Combatant.__struct_fields__}
    skills, defaults = fields.pop("skills", {}), fields.pop("defaults", {})
    trait_values = fields.pop("trait_values", {})
    ranks = {**sheet.ranks, **{skill: rank for skill, rank in skills.items() if isinstance(rank, str)}}
    levels = {**sheet.levels, **{skill: level for skill, level in skills.items() if isinstance(level, int)}}
    traits = tuple(fields.pop("talents", sheet.traits))
    armour = fields.pop("armour", sheet.armour)
    if isinstance(armour, int):
        armour = dict.fromkeys(book(rules.id).document["stats"]["locations"], armour)
    held = fields.pop("held", None)
    sheet = msgspec.structs.replace(
        sheet,
        stats={**sheet.stats, **fields},
        ranks=ranks,
        levels=levels,
        defaults={**sheet.defaults, **defaults},
        traits=traits,
        trait_values={**sheet.trait_values, **trait_values},
        armour=armour,
    )
    if held is not None:
        own["items"] = {kind: Item(kind, held=hand) for kind, hand in held.items()}
    body = msgspec.structs.replace(body, sheet=sheet, pools={}, budget={}, **own)
    return rules.prepare(rules, body)


def table_of(
    *bodies: Combatant, rules: Ruleset | None = None, ground: Ground | None = None, **options: Any
) -> PlayTable:
    """A running fight of these, in this order of initiative; the first one's turn has begun."""
    made = rules or ruleset()
    fighters = {
        body.id: msgspec.structs.replace(body, standing=body.standing or (100 - place,))
        for place, body in enumerate(bodies)
    }
    state = State(
        made.id,
        status="running",
        options=dict(options),
        dice="client",
        scenery=Scenery(ground=ground),
        combatants=fighters,
    )
    opening = Scene(made, state, {}, lambda ask: None)
    advance(opening)
    return PlayTable(made, opening.state)


def state_distance(table: PlayTable, one: str, other: str, units: float) -> None:
    """Without a map: say how far they are apart."""
    facts = {**table.state.scenery.facts, pair_key(one, other): PairFact(distance=length(units))}
    table.state = msgspec.structs.replace(
        table.state, scenery=msgspec.structs.replace(table.state.scenery, facts=facts)
    )


def duel(
    distance: float = 1,
    *,
    on_map: bool = False,
    rules: Ruleset | None = None,
    options: Changes | None = None,
    **people: Changes,
) -> PlayTable:
    """Two or more combatants, the first `distance` units from each of the others, on a map or with that stated.

    Each is given as a mapping: `sample`, and whatever differs from it.
    """
    made = rules or ruleset()
    bodies = []
    for place, (name, changes) in enumerate(people.items()):
        fields = dict(changes)
        if on_map and "place" not in fields:
            fields["place"] = Place(0, 0, 90) if place == 0 else Place(length(distance), length(place - 1), 270)
        bodies.append(combatant(made, name, **fields))
    table = table_of(*bodies, rules=made, ground=Ground() if on_map else None, **(options or {}))
    if not on_map:
        first = next(iter(people))
        for other in list(people)[1:]:
            state_distance(table, first, other, distance)
    return table


def item(name: str) -> ItemId:
    """An item id."""
    return ItemId(name)


__all__ = ["Area", "Iterator", "PlayTable", "Played", "Unanswered", "catalog", "combatant", "duel", "item", "table_of"]
