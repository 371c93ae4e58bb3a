"""Golden fights: read from `<ruleset>/*.yaml` and played step by step.

    title: what it is about
    rules: [DH-4550]                     clauses it holds to
    options: {delay_cost: half}          house rules that differ
    people:
      vane: {side: red, at: [0, 0]}      a sample (its own name, or `sample:`) with whatever differs from it
    apart: {vane brok: 60}               without a map: how far they are apart, in the ruleset's unit
    map: {}                              on a map: its walls; `at` is where people stand
    melee: [vane gorm]                   who is locked in melee when it begins
    fight:
      - do: start                        or `vane standard_attack brok`, or `gm` with `changes`
        area: {reach: 30, ...}           or `points`, its corners; on a map only
        stated: {toward: brok}           options that are said only without a map
        on_map: {mount: horse}           and those that are said only on one
        dice: {vane/initiative: 6}       by the end of the roll's name; a list for several dice
        answers: {brok/defend: dodge}    the option, or {option: {field: value}}
        log: [...]                       one line an event, see `lines.py`; or `refused: [code clause, ...]`

Lengths and points are in the ruleset's unit, also in options and in the fields of answers. Each die and answer falls
exactly once. A fight with both `apart` and `map` is played both ways and must read the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from app.engine import commands as cmd
from app.engine.asks import Answer, Ask, Input, Key, Question, Roll, judged_answer, judged_faces
from app.engine.forms import Form
from app.engine.ids import ActionId, CombatantId, ItemId
from app.engine.reasons import Refused
from app.engine.rules import Ruleset
from app.engine.run import Outcome, run
from app.engine.space.model import Area, Cover, CoverPiece, Ground, PairFact, Place, Polygon, Sector, Wall, pair_key
from app.engine.state import Combatant, Item, Scenery, State
from tests.golden.lines import lines_of
from tests.support.play import UNLESS_STATED, combatant, length, ruleset, said

FOLDER = Path(__file__).resolve().parent
Way = Literal["map", "stated"]


@dataclass(frozen=True)
class Fight:
    """One file, to be played on a map or with its distances stated."""

    path: Path
    way: Way
    data: Mapping[str, Any] = field(repr=False, hash=False, compare=False)

    @property
    def name(self) -> str:
        """What a test calls it."""
        return f"{self.path.parent.name}-{self.path.stem}-{self.way}"

    @property
    def ruleset(self) -> Ruleset:
        """The rules it is played by."""
        return ruleset(self.path.parent.name)

    @property
    def steps(self) -> list[dict[str, Any]]:
        """What is done, in order."""
        found: list[dict[str, Any]] = self.data["fight"]
        return found


@dataclass(frozen=True)
class Step:
    """One command as it was played: from which state, with which inputs, what came of it (None: refused)."""

    base: State
    command: cmd.Command
    inputs: Mapping[Key, Input]
    outcome: Outcome | None
    refused: tuple[str, ...] = ()

    @property
    def log(self) -> list[str]:
        """What happened, in plain lines."""
        events = () if self.outcome is None else self.outcome.events
        return lines_of(self.base, (emitted.event for emitted in events))


def all_fights() -> list[Fight]:
    """Every golden fight, each way it is to be played."""
    return [fight for path in sorted(FOLDER.glob("*/*.yaml")) for fight in _ways(path)]


def _ways(path: Path) -> Iterator[Fight]:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    ways: tuple[Way, ...] = ("stated", "map")
    for way in ways:
        if ("map" if way == "map" else "apart") in data:
            yield Fight(path, way, data)


# The start


def opening(fight: Fight) -> State:
    """The state before the first command."""
    people = {who: _body(fight, who, dict(fields or {})) for who, fields in fight.data["people"].items()}
    scenery = Scenery(ground=_ground(fight.data["map"])) if fight.way == "map" else Scenery(facts=_facts(fight))
    return State(
        fight.ruleset.id,
        options=dict(fight.data.get("options", {})),
        dice="client",
        scenery=scenery,
        combatants={CombatantId(who): body for who, body in people.items()},
    )


def _body(fight: Fight, who: str, fields: dict[str, Any]) -> Combatant:
    at, facing = fields.pop("at", None), fields.pop("facing", None)
    pairs = [pair.split() for pair in fight.data.get("melee", ()) if who in pair.split()]
    fields["engaged"] = tuple(sorted(CombatantId(one) for pair in pairs for one in pair if one != who))
    marks: Mapping[str, dict[str, int]] = fields.pop("marks", {})
    if fight.way == "map":
        fields["place"] = Place(length(at[0]), length(at[1]), facing)
    if "cover" in fields:
        pieces = [CoverPiece(name, one["ap"], tuple(one["locations"])) for name, one in fields["cover"].items()]
        fields["cover"] = Cover(pieces=tuple(pieces))
    body = combatant(fight.ruleset, who, fields.pop("sample", who), **fields)
    items: dict[str, Item] = {
        key: msgspec.structs.replace(item, marks={**item.marks, **marks.get(key, {})})
        for key, item in body.items.items()
    }
    return msgspec.structs.replace(body, items=items)


def _ground(data: Mapping[str, Any]) -> Ground:
    walls = [
        Wall((length(a), length(b)), (length(c), length(d)), id=f"wall{place}")
        for place, (a, b, c, d) in enumerate(data.get("walls", ()))
    ]
    return Ground(walls=tuple(walls))


def _facts(fight: Fight) -> dict[str, PairFact]:
    facts = {}
    for pair, far in fight.data["apart"].items():
        one, other = pair.split()
        facts[pair_key(one, other)] = PairFact(distance=length(far))
    return facts


# The steps


class Given:
    """The dice and answers of one step, each to be used exactly once."""

    def __init__(self, step: Mapping[str, Any]) -> None:
        self._dice: dict[str, Any] = dict(step.get("dice", {}))
        self._answers: dict[str, Any] = dict(step.get("answers", {}))
        self._keys: dict[str, Key] = {}

    def source(self, ask: Ask) -> Input:
        """What falls for it. Fails where nothing was given."""
        given = self._dice if isinstance(ask, Roll) else self._answers
        fit = [name for name in given if f"/{ask.key}".endswith(f"/{name}")]
        name = max(fit, key=len, default=None)
        if name is None:
            if isinstance(ask, Question) and ask.kind in UNLESS_STATED:
                return Answer(UNLESS_STATED[ask.kind])
            raise AssertionError(f"nobody gave {ask.key}: {ask}")
        if self._keys.setdefault(name, ask.key) != ask.key:
            raise AssertionError(f"{name} fits {self._keys[name]} and {ask.key}")
        value = given[name]
        if isinstance(ask, Roll):
            return judged_faces(ask, value if isinstance(value, list) else [value], "client")
        if isinstance(value, dict):
            ((option, fields),) = value.items()
            form = next((one.form for one in ask.options if one.id == option), ())
            return judged_answer(ask, option, _measured(form, fields))
        return judged_answer(ask, value, {})

    def left(self) -> list[str]:
        """What nobody asked for."""
        return [name for name in (*self._dice, *self._answers) if name not in self._keys]


def command_of(fight: Fight, step: Mapping[str, Any]) -> cmd.Command:
    """The command that a step stands for."""
    words = str(step["do"]).split()
    match words[0]:
        case "start":
            return cmd.Start(tuple(CombatantId(who) for who in step.get("surprised", ())))
        case "gm":
            return cmd.Rule(step["why"], msgspec.convert(step["changes"], tuple[cmd.Change, ...]))
    actor, action, *targets = words
    fields: dict[str, Any] = {key: step[key] for key in ("type", "location", "note") if key in step}
    form = fight.ruleset.actions[ActionId(action)].form
    fields["options"] = _measured(form, {**step.get("options", {}), **step.get(fight.way.replace("map", "on_map"), {})})
    for hand in ("weapon", "second_weapon"):
        if hand in step:
            fields[hand] = ItemId(step[hand])
    if "facing" in step:
        fields["facing"] = step["facing"]
    if "area" in step:
        fields["area"] = _area(step["area"])
    if fight.way == "map" and "path" in step:
        fields["path"] = tuple((length(x), length(y)) for x, y in step["path"])
    if fight.way == "stated" and "said" in step:
        fields["said"] = said(**step["said"])
    if "modifiers" in step:
        fields["modifiers"] = tuple(cmd.GivenModifier(one) for one in step["modifiers"])
    who = tuple(CombatantId(target) for target in targets)
    return cmd.Act(cmd.Submission(CombatantId(actor), ActionId(action), targets=who, **fields))


def _area(data: Mapping[str, Any]) -> Area:
    if "points" in data:
        return Polygon(tuple(_point(one) for one in data["points"]))
    return Sector((0, 0), length(data["reach"]), data["facing"], data["arc"])


def _point(point: tuple[float, float]) -> tuple[int, int]:
    return length(point[0]), length(point[1])


def _measured(form: Form, fields: Mapping[str, Any]) -> dict[str, Any]:
    """What is said in a form, its lengths and points in hundredths and its lists as the engine keeps them."""
    kinds = {one.name: one.type for one in form}
    return {name: _one_measured(kinds.get(name, ""), value) for name, value in fields.items()}


def _one_measured(kind: str, value: Any) -> Any:
    if kind == "length":
        return length(value)
    if kind == "path":
        return tuple(_point(point) for point in value)
    return tuple(value) if isinstance(value, list) else value


def play(fight: Fight) -> Iterator[tuple[Mapping[str, Any], Step]]:
    """Every step with what came of it. Fails for a die or answer that is missing or left over."""
    state = opening(fight)
    for step in fight.steps:
        command, given = command_of(fight, step), Given(step)
        try:
            outcome = run(fight.ruleset, state, command, inputs={}, source=given.source)
        except Refused as refused:
            reasons = tuple(f"{reason.code} {reason.clause}" for reason in refused.reasons)
            yield step, Step(state, command, {}, None, reasons)
            continue
        assert not given.left(), f"{step['do']}: nobody asked for {given.left()}"
        yield step, Step(state, command, outcome.inputs, outcome)
        state = outcome.state
