"""The GM's hand: overruling the game, and cancelling a command that waits."""

from collections.abc import Iterator

from msgspec.structs import replace

from app.catalog import Rulebook
from app.catalog.findings import child
from app.engine import commands as cmd
from app.engine.events import CommandCancelled, Emitted
from app.engine.ids import ClauseId, CombatantId, EffectId, ItemId
from app.engine.reasons import Refused
from app.engine.space.model import PairFact, pair_key
from app.engine.state import Combatant, Effect, State
from app.persistence.work import Live, Pending
from app.services import door, effects, lookup, newcomers, stated
from app.services.bodies import ChangeIn, FactIn, RulingIn
from app.services.caller import Attempt, Caller, Result
from app.services.changes import change
from app.services.errors import BadInput, Finding, LimitReached
from app.services.play import Played, begin, go_on, withdrawn
from app.services.service import Service

MAX_EFFECTS = 64
"""Conditions that a ruling may heap on one combatant."""
MAX_BUDGET = 100
"""The most that a ruling may leave of a budget."""
_ALONE = ("add_effect", "remove_effect", "position", "status", "cover", "fact", "cancel")
_PAIRS = (("resource", ("set", "change")), ("budget", ("set", "change")), ("item", ("give", "take")))


async def rule(
    service: Service, caller: Caller, encounter: str, body: RulingIn, attempt: Attempt, *, facts: bool = False
) -> Result:
    """Carry out a ruling, also in the middle of a waiting command. GM. Answers with a command result.

    While something waits, the ruling becomes a part of the waiting command, which runs again with it: questions may
    change or vanish. With `cancel` that command ends, and what was shown of it stands. `facts` says that what came in
    was a list of facts, where the places of faults are to be told.
    """
    now = service.clock()

    def act(book: Rulebook, live: Live) -> Played:
        if not facts:
            return ruled(book, live)
        try:
            return ruled(book, live)
        except BadInput as bad:
            raise BadInput(replace(one, at=_of_fact(one.at)) for one in bad.findings) from bad
        except Refused as refused:
            reasons = (one if one.at is None else replace(one, at=_of_fact(one.at)) for one in refused.reasons)
            raise Refused(tuple(reasons)) from refused

    def ruled(book: Rulebook, live: Live) -> Played:
        rules = book.ruleset
        if not caller.is_gm:
            raise lookup.gm_alone(rules)
        findings = tuple(_shape(body))
        if findings:
            raise BadInput(findings)
        ruling = cmd.Rule(body.reason, tuple(_changes(book, live.state, caller, body)))
        cancels = {one.cancel for one in body.changes if one.cancel is not None}
        if not cancels:
            if live.pending is not None:
                return go_on(rules, live, now=now, ruling=ruling)
            return begin(rules, live, ruling, now=now, token=caller.token)
        if live.pending is None or not cancels <= {one.id for one in live.decisions}:
            raise BadInput(
                Finding("unknown_decision", f"/changes/{place}/cancel")
                for place, one in enumerate(body.changes)
                if one.cancel is not None and all(one.cancel != held.id for held in live.decisions)
            )
        told = (_cancelled(live.state, live.pending, body.reason),)
        closed = withdrawn(live.decisions)
        return begin(rules, live, ruling, now=now, token=caller.token, told=told, closed=closed)

    return await change(service, caller, encounter, attempt, act)


def _cancelled(state: State, pending: Pending, reason: str) -> Emitted:
    event = CommandCancelled(pending.command_id, reason)
    if isinstance(pending.command, cmd.Act):
        actor = state.combatants.get(pending.command.submission.actor)
        if actor is not None and actor.hidden:
            return Emitted(event, "gm")
    return Emitted(event)


def _shape(body: RulingIn) -> Iterator[Finding]:
    """Whether each change says exactly one thing."""
    for place, one in enumerate(body.changes):
        at = f"/changes/{place}"
        said = [name for name in _ALONE if getattr(one, name) is not None]
        said += [name for name, _ in _PAIRS if getattr(one, name) is not None]
        said += ["engaged_with"] if one.engaged_with is not None else []
        if len(said) != 1:
            yield Finding("one_change_each", at, ", ".join((*_ALONE, "resource", "budget", "item", "engaged_with")))
            continue
        if one.combatant is None and said[0] not in ("cancel", "fact"):
            yield Finding("missing_input", f"{at}/combatant")
        for name, figures in _PAIRS:
            if said[0] == name and sum(bool(_has(one, figure)) for figure in figures) != 1:
                yield Finding("missing_input", f"{at}/{figures[0]}", " or ".join(figures))
        if said[0] == "engaged_with" and one.engaged is None:
            yield Finding("missing_input", f"{at}/engaged")


def _has(one: ChangeIn, figure: str) -> bool:
    value = getattr(one, figure)
    return value is not None and value is not False


def _of_fact(at: str) -> str:
    """The place in a list of facts of what is said of the ruling that it became."""
    return at.replace("/changes/", "/facts/", 1).replace("/fact/", "/", 1)


def _changes(book: Rulebook, state: State, caller: Caller, body: RulingIn) -> Iterator[cmd.Change]:
    """The changes, one after the other. Raises `BadInput` with every one that cannot be."""
    figures: dict[tuple[CombatantId, str], int] = {}
    bodies: dict[CombatantId, Combatant] = {}
    found: list[cmd.Change] = []
    findings: list[Finding] = []
    pairs: list[stated.Pair] = []
    facts = dict(state.scenery.facts)
    for place, one in enumerate(body.changes):
        if one.cancel is not None:
            continue
        at = f"/changes/{place}"
        if one.fact is not None:
            first, second = (lookup.id_of(state, caller, name) for name in (one.fact.from_, one.fact.to))
            pairs.append((first, second, one.fact, f"{at}/fact"))
        for change_ in _change(book, state, caller, one, at, figures, facts):
            who = bodies.get(change_.combatant) or state.combatants.get(change_.combatant)
            if who is not None:
                findings += _misfits(book, state, who, change_, one, at)
                bodies[who.id] = _with(who, change_)
            found.append(change_)
    findings += stated.facts_fit(book.ruleset.vocabulary, pairs, has_map=state.scenery.ground is not None)
    if findings:
        raise BadInput(findings)
    yield from found


def _with(who: Combatant, change_: cmd.Change) -> Combatant:
    """How he carries on: what the changes after this one of the same ruling are judged by."""
    match change_:
        case cmd.SetItem(body=None):
            return replace(who, items={key: item for key, item in who.items.items() if key != change_.item})
        case cmd.SetItem(body=given) if given is not None:
            return replace(who, items={**who.items, change_.item: given})
        case cmd.AddEffect():
            begun = Effect(EffectId(change_.kind), change_.kind, ClauseId(""))
            return replace(who, effects={**who.effects, begun.id: begun})
        case cmd.RemoveEffect():
            left = {key: one for key, one in who.effects.items() if change_.effect not in (one.id, one.kind)}
            return replace(who, effects=left)
        case _:
            return who


def _misfits(
    book: Rulebook, state: State, who: Combatant, change_: cmd.Change, one: ChangeIn, at: str
) -> Iterator[Finding]:
    """What no ruling can bring about: a figure out of its range, a budget that is none, a place off the map, an item
    that cannot be, the end of what is not there.
    """
    rules = book.ruleset
    figure = f"{at}/set" if one.set is not None else f"{at}/change"
    match change_:
        case cmd.SetPool() if change_.pool in rules.pools:
            least, most = book.least(change_.pool), rules.pools[change_.pool](who)[1]
            if change_.pool in rules.least:
                least = max(least, rules.least[change_.pool](rules, who))
            if change_.value < least or (most is not None and change_.value > most):
                yield Finding("out_of_bounds", figure, f">= {least}" if most is None else f"{least}..{most}")
        case cmd.SetBudget() if change_.budget not in rules.budgets:
            yield Finding("unknown_word", f"{at}/budget", ", ".join(rules.budgets))
        case cmd.SetBudget() if not 0 <= change_.value <= MAX_BUDGET:
            yield Finding("out_of_bounds", figure, f"0..{MAX_BUDGET}")
        case cmd.Reposition():
            moved = replace(who, place=change_.place)
            yield from newcomers.places_fit(book, state, (moved,), {who.id: f"{at}/position"})
        case cmd.SetItem(body=None) if change_.item not in who.items:
            yield Finding("unknown_item", f"{at}/item")
        case cmd.SetItem() if change_.body is not None:
            before = set(rules.misfits(who))
            own = child("/items", change_.item)
            for misfit in rules.misfits(_with(who, change_)):
                if misfit not in before and misfit.at.startswith(f"{own}/"):
                    yield Finding(misfit.code, f"{at}/give{misfit.at.removeprefix(own)}", misfit.need)
        case cmd.RemoveEffect() if all(change_.effect not in (one.id, one.kind) for one in who.effects.values()):
            yield Finding("no_such_effect", f"{at}/remove_effect")
        case cmd.AddEffect() if change_.kind in rules.effects and one.add_effect is not None:
            kind = rules.effects[change_.kind]
            yield from effects.effect_fits(kind, who.id, one.add_effect, change_.against, f"{at}/add_effect")
        case cmd.SetCover():
            yield from stated.cover_fits(rules.vocabulary, one.cover, f"{at}/cover")
        case cmd.SetEngaged() if change_.other == who.id and one.fact is None:
            yield Finding("named_twice", f"{at}/engaged_with")
        case _:
            pass


def _is_new(body: Combatant, kind: str, figures: dict[tuple[CombatantId, str], int]) -> bool:
    """Whether he bears nothing of that kind, nor will when the ruling comes to this change."""
    borne = any(effect.kind == kind for effect in body.effects.values())
    return not borne and (body.id, f"effect/{kind}") not in figures


def _figure(one: ChangeIn, figures: dict[tuple[CombatantId, str], int], key: tuple[CombatantId, str], held: int) -> int:
    """The new value, counted from what the changes before it in the ruling have made of it."""
    value = one.set if one.set is not None else figures.get(key, held) + (one.change or 0)
    figures[key] = value
    return value


def _facts(
    state: State, first: CombatantId, second: CombatantId, given: FactIn, facts: dict[str, PairFact]
) -> Iterator[cmd.SetFact]:
    """What is said of a pair, with what was known of it; an old distance that was stated from the other is gone."""
    there, back = pair_key(first, second), pair_key(second, first)
    facts[there] = door.fact(given, facts.get(there))
    yield cmd.SetFact(first, second, facts[there])
    if back in facts and (left := door.seen_back(given, facts[back])) != facts[back]:
        facts[back] = left
        yield cmd.SetFact(second, first, left)


def _change(
    book: Rulebook,
    state: State,
    caller: Caller,
    one: ChangeIn,
    at: str,
    figures: dict[tuple[CombatantId, str], int],
    facts: dict[str, PairFact],
) -> Iterator[cmd.Change]:
    if one.fact is not None:
        first = lookup.id_of(state, caller, one.fact.from_)
        second = lookup.id_of(state, caller, one.fact.to)
        yield from _facts(state, first, second, one.fact, facts)
        if one.fact.engaged is not None:
            yield cmd.SetEngaged(first, second, one.fact.engaged)
        return
    who = lookup.id_of(state, caller, one.combatant or "")
    body = state.combatants.get(who)
    if one.resource is not None:
        held = 0 if body is None else body.pools.get(one.resource, 0)
        yield cmd.SetPool(who, one.resource, _figure(one, figures, (who, f"pool/{one.resource}"), held))
    elif one.budget is not None:
        held = 0 if body is None else body.budget.get(one.budget, 0)
        yield cmd.SetBudget(who, one.budget, _figure(one, figures, (who, f"budget/{one.budget}"), held))
    elif one.add_effect is not None:
        effect = one.add_effect
        kind = book.ruleset.effects.get(effect.id)
        if body is not None and (kind is None or kind.stacks or _is_new(body, effect.id, figures)):
            # With those of the same ruling that come before it; one that does not stack takes its predecessor's place.
            borne = figures.get((who, "effects"), len(body.effects))
            if borne >= MAX_EFFECTS:
                raise LimitReached("too_many_effects", MAX_EFFECTS)
            figures[who, "effects"], figures[who, f"effect/{effect.id}"] = borne + 1, 1
        against = None if effect.against is None else lookup.id_of(state, caller, effect.against)
        usual = 0 if kind is None or kind.value is None else kind.value.default or 0
        value = usual if effect.value is None else effect.value
        yield cmd.AddEffect(who, effect.id, value, effect.rounds, against)
    elif one.remove_effect is not None:
        yield cmd.RemoveEffect(who, EffectId(one.remove_effect))
    elif one.position is not None:
        yield cmd.Reposition(who, door.place(one.position))
    elif one.status is not None:
        yield cmd.SetStatus(who, one.status)
    elif one.cover is not None:
        yield cmd.SetCover(who, None if one.cover == "none" else door.cover(one.cover))
    elif one.item is not None:
        given = None if one.give is None else door.item(book, one.give, f"{at}/give")
        yield cmd.SetItem(who, ItemId(one.item), given)
    elif one.engaged_with is not None:
        yield cmd.SetEngaged(who, lookup.id_of(state, caller, one.engaged_with), bool(one.engaged))
