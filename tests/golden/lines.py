"""An event as one plain line that a game master can read and correct. Stable: ids, figures, no prose to translate.

    vane: attack on brok, bs 45 +10 standard_attack = T55, r23 => S4
    brok: hit 1 on body, [7] +3 weapon = 10, armour 5, toughness 4 => 1
    s: attack on x, broadsword 15 = T15, [4, 3, 4] 11 => S4

Every event has its line, so that nothing happens unseen. Places are left out: a fight on a map and the same fight
without one read alike.
"""

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from app.engine import events as ev
from app.engine.fold import fold
from app.engine.state import Effect, State
from tests.support.play import ruleset

UNIT = 100
DIRECTIONS = ("ran_straight",)
"""Kinds of effect whose value is a direction on the map, which is left out like any place."""


def lines_of(state: State, events: Iterable[ev.AnyEvent]) -> list[str]:
    """The lines of events that began at that state."""
    lines = []
    for event in events:
        seen = WITH_STATE.get(type(event))
        lines.append(LINES[type(event)](event) if seen is None else seen(event, state))
        state = fold(state, event)
    return lines


def units(length: int, state: State) -> str:
    """A length in whole or decimal units of the ruleset, as people write it."""
    return f"{(Decimal(length) / UNIT).normalize():f} {ruleset(state.ruleset).unit}"


def _names(ids: Iterable[str]) -> str:
    return ", ".join(ids)


def _faces(dice: Iterable[ev.Die]) -> str:
    return "[" + _names(str(die.value) for die in dice) + "]"


def _signed(terms: Iterable[ev.Term]) -> str:
    return "".join(f" {term.value:+d} {term.id}" for term in terms)


def _where(location: str | None) -> str:
    return f" on {location}" if location else ""


def _brackets(*parts: object) -> str:
    shown = [str(part) for part in parts if part]
    return f" ({_names(shown)})" if shown else ""


def _started(event: ev.EncounterStarted) -> str:
    return "the fight begins"


def _ended(event: ev.EncounterEnded) -> str:
    return "the fight ends"


def _set(event: ev.EncounterSet) -> str:
    return f"the table sets {_names(event.options)}"


def _round(event: ev.RoundBegan) -> str:
    return f"round {event.round}"


def _pass(event: ev.PassBegan) -> str:
    return f"pass {event.number}"


def _kind(kind: str) -> str:
    return "turn" if kind == "turn" else f"{kind} turn"


def _turn_began(event: ev.TurnBegan) -> str:
    return f"{event.combatant}: {_kind(event.kind)} begins"


def _turn_ended(event: ev.TurnEnded) -> str:
    return f"{event.combatant}: {_kind(event.kind)} ends"


def _queued(event: ev.SlotQueued) -> str:
    return f"{event.combatant}: {_kind(event.kind)} is to come"


def _dropped(event: ev.SlotDropped) -> str:
    return f"{event.combatant}: {_kind(event.kind)} comes"


def _joined(event: ev.Joined) -> str:
    return f"{event.body.id}: joins"


def _left(event: ev.Left) -> str:
    return f"{event.combatant}: leaves"


def _edited(event: ev.Edited) -> str:
    return f"{event.body.id}: edited {_names(event.fields)}"


def _pool(event: ev.PoolChanged) -> str:
    return f"{event.combatant}: {event.pool} {event.value - event.delta} -> {event.value}"


def _budget(event: ev.BudgetChanged) -> str:
    return f"{event.combatant}: {event.budget} {event.value - event.delta} -> {event.value}"


def _standing(event: ev.StandingSet) -> str:
    rolled = f" {_faces(event.dice)}" if event.dice else ""
    return f"{event.combatant}: initiative {'/'.join(str(one) for one in event.standing)}{rolled}"


def _action(event: ev.ActionTaken) -> str:
    at = f" at {_names(event.targets)}" if event.targets else ""
    said = f", {event.note!r}" if event.note else ""
    return f"{event.combatant}: {event.action} ({event.form}){at}{said}"


def _moved(event: ev.Moved, state: State) -> str:
    how = "is moved" if event.forced else "moves"
    return f"{event.combatant}: {how} {units(event.distance, state)}"


def _turned(event: ev.Turned) -> str:
    return f"{event.combatant}: faces {event.facing}"


def _engaged(event: ev.EngagementBegan) -> str:
    return f"{event.combatant} and {event.other}: in melee"


def _apart(event: ev.EngagementEnded) -> str:
    return f"{event.combatant} and {event.other}: out of melee"


def _effect(event: ev.EffectBegan) -> str:
    effect: Effect = event.effect
    value = 0 if effect.kind in DIRECTIONS else effect.value
    return f"{event.combatant}: {effect.kind} begins{_brackets(value, effect.word)}"


def _counted(event: ev.EffectCounted, state: State) -> str:
    effect = state.combatants[event.combatant].effects[event.effect]
    if event.value is not None and event.value != effect.value:
        return f"{event.combatant}: {effect.kind} {effect.value} -> {event.value}"
    left = sum(tick.times for tick in event.until[0]) if event.until else 0
    return f"{event.combatant}: {effect.kind} counts, {left} left"


def _effect_ended(event: ev.EffectEnded) -> str:
    return f"{event.combatant}: {event.kind} ends, {event.why}"


def _marked(event: ev.ItemMarked) -> str:
    return f"{event.combatant}: {event.item} {event.mark} {event.value - event.delta} -> {event.value}"


def _item_moved(event: ev.ItemMoved) -> str:
    where = "falls to the ground" if event.on_ground else f"in hand ({event.held})" if event.held else "stowed"
    return f"{event.combatant}: {event.item} {where}"


def _item_changed(event: ev.ItemChanged) -> str:
    what = "used up" if event.body is None else f"{event.body.count} left"
    return f"{event.combatant}: {event.item} {what}"


def _cover(event: ev.CoverChanged) -> str:
    pieces = () if event.cover is None else event.cover.pieces
    return f"{event.combatant}: cover {_names(f'{one.id} {one.ap}' for one in pieces) or 'none'}"


def _worn(event: ev.CoverWorn) -> str:
    return f"{event.wall}: worn by {event.worn}"


def _status(event: ev.StatusChanged) -> str:
    return f"{event.combatant}: is {event.status}{_brackets(event.why)}"


def _fact(event: ev.FactStated, state: State) -> str:
    far = "unknown" if event.fact.distance is None else units(event.fact.distance, state)
    return f"{event.combatant} and {event.other}: {far} apart"


def _map(event: ev.MapChanged) -> str:
    return "the map changes"


def _check(event: ev.CheckRolled) -> str:
    first, *rest = event.terms
    letter = "S" if event.outcome == "success" else "F"
    against = f" on {event.against}" if event.against and event.purpose == "attack" else ""
    what = f" {event.check}" if event.check not in (first.id, event.purpose) else ""
    sums = f"{first.id} {first.value}{_signed(rest)} = T{event.target}"
    faces = [die.value for die in event.dice]
    limit = "" if event.limit is None else f" at most {event.limit}"
    summed = f" {sum(faces)}" if event.target else ""
    rolled = f"r{faces[0]}" if len(faces) == 1 else f"{_faces(event.dice)}{summed}{limit}"
    grade = f" {event.grade}" if event.grade else ""
    return f"{event.combatant}: {event.purpose}{what}{against}, {sums}, {rolled} => {letter}{event.degrees}{grade}"


def _contest(event: ev.ContestSettled) -> str:
    if event.winner is None:
        return f"{event.combatant} and {event.other}: {event.purpose} undecided"
    return f"{event.combatant} and {event.other}: {event.purpose} won by {event.winner} with {event.margin}"


def _attack(event: ev.AttackMade) -> str:
    return f"{event.combatant}: attacks {event.target} with {event.weapon_kind}"


def _hits(event: ev.HitsScored) -> str:
    struck = (f"{hit.target} {hit.location}" if hit.location else hit.target for hit in event.hits)
    return f"{event.combatant}: hits {_names(struck)}"


def _defence(event: ev.DefenceResolved) -> str:
    away = _names(str(number) for number in event.negated) or "nothing"
    return f"{event.combatant}: {event.option} turns away {away}"


def _damage(event: ev.DamageDealt) -> str:
    first, *rest = event.terms
    replaced = f" {first.value}" if first.value != sum(die.value for die in event.dice) else ""
    parts = f"{_faces(event.dice)}{replaced}{_signed(rest)} = {event.raw}"
    soak = "".join(f", {term.id} {term.value}" for term in event.soak)
    where = "" if event.location is None else f" on {event.location}"
    return f"{event.target}: hit {event.hit}{where}, {parts}{soak} => {event.through}"


def _critical(event: ev.CriticalSuffered) -> str:
    return f"{event.combatant}: suffers {event.cause} {event.value}{_where(event.location)}"


def _stopped(event: ev.ActionStopped) -> str:
    return f"{event.combatant}: {event.action} stops, {event.why}"


def _noted(event: ev.Noted) -> str:
    target = f" on {event.target}" if event.target else ""
    dice = f" {_faces(event.dice)}" if event.dice else ""
    figures = "".join(f" {figure.id} {figure.value}" for figure in event.figures)
    words = f" {_names(event.words)}" if event.words else ""
    return f"{event.combatant}: {event.fact}{target}{dice}{figures}{words}"


def _ruled(event: ev.Ruled) -> str:
    return f"the GM rules: {event.reason}"


def _appeared(event: ev.Appeared) -> str:
    return f"{event.body.id}: appears"


def _settled(event: ev.ProposalSettled) -> str:
    return f"{event.combatant}: {event.action} is {event.verdict}"


def _opened(event: ev.DecisionOpened) -> str:
    return f"{event.combatant}: is asked {event.kind}"


def _answered(event: ev.DecisionAnswered) -> str:
    return f"{event.combatant}: answers {event.kind} {event.option}"


def _cancelled(event: ev.CommandCancelled) -> str:
    return f"cancelled: {event.reason}"


def _rewound(event: ev.Rewound) -> str:
    return f"rewound to {event.to_version}: {event.reason}"


def _forked(event: ev.Forked) -> str:
    return f"forked from {event.encounter} at {event.at_version}"


def _imported(event: ev.Imported) -> str:
    return f"imported: {event.encounter}"


LINES: dict[type[ev.Event], Callable[[Any], str]] = {
    ev.EncounterStarted: _started,
    ev.EncounterEnded: _ended,
    ev.EncounterSet: _set,
    ev.RoundBegan: _round,
    ev.PassBegan: _pass,
    ev.TurnBegan: _turn_began,
    ev.TurnEnded: _turn_ended,
    ev.SlotQueued: _queued,
    ev.SlotDropped: _dropped,
    ev.Joined: _joined,
    ev.Left: _left,
    ev.Edited: _edited,
    ev.PoolChanged: _pool,
    ev.BudgetChanged: _budget,
    ev.StandingSet: _standing,
    ev.ActionTaken: _action,
    ev.Turned: _turned,
    ev.EngagementBegan: _engaged,
    ev.EngagementEnded: _apart,
    ev.EffectBegan: _effect,
    ev.EffectEnded: _effect_ended,
    ev.ItemMarked: _marked,
    ev.ItemMoved: _item_moved,
    ev.ItemChanged: _item_changed,
    ev.CoverChanged: _cover,
    ev.CoverWorn: _worn,
    ev.StatusChanged: _status,
    ev.MapChanged: _map,
    ev.CheckRolled: _check,
    ev.ContestSettled: _contest,
    ev.AttackMade: _attack,
    ev.HitsScored: _hits,
    ev.DefenceResolved: _defence,
    ev.DamageDealt: _damage,
    ev.CriticalSuffered: _critical,
    ev.ActionStopped: _stopped,
    ev.Noted: _noted,
    ev.Ruled: _ruled,
    ev.ProposalSettled: _settled,
    ev.Appeared: _appeared,
    ev.DecisionOpened: _opened,
    ev.DecisionAnswered: _answered,
    ev.CommandCancelled: _cancelled,
    ev.Rewound: _rewound,
    ev.Forked: _forked,
    ev.Imported: _imported,
}
WITH_STATE: dict[type[ev.Event], Callable[[Any, State], str]] = {
    ev.EffectCounted: _counted,
    ev.FactStated: _fact,
    ev.Moved: _moved,
}
"""Events whose line takes more than themselves to tell."""
