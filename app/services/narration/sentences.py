"""Every event as a sentence, or as nothing. Each function picks the template and gives it values; words are elsewhere.

Variants go from the special to the general: `action_taken__charge` before `action_taken`, and for each the ruleset's
own text under `narration` before the service's. So a ruleset can word, or silence, any event it knows more about.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from app.engine import events as ev
from app.engine.state import Combatant
from app.services.narration.hushed import Hushed
from app.services.narration.numbers import hundredths
from app.services.narration.plain import sentence
from app.services.narration.templates import Value, lowered
from app.services.narration.voice import Context, Voice, spoken, thing

ABILITIES = ("skill", "stat", "check")
ACTIONS = ("action",)
EFFECTS = ("effect",)
WORDS_OF_EFFECTS = ("option", "hand", "trigger", "action", "talent")
TERMS = ("modifier", "term", "stat")
MOST_TARGETS = 6
MOST_PIECES = 4
SINGLE_TURN = "turn"
LENGTHS = "_cm"
"""How figures of a fact that are lengths end; without it they stand for the same in the ruleset's unit."""


def narrate(event: ev.AnyEvent, ctx: Context, language: str, left_out: tuple[str, ...] = ()) -> str:
    """One event, as its reader may see it, as a sentence of at most 300 characters; empty for pure bookkeeping.

    `left_out` are the paths of the figures that he does not get.
    """
    voice = ctx.book.voice(language)
    return TELLERS[type(event)](Hushed(voice, left_out) if left_out else voice, ctx, event)


def _encounter_started(voice: Voice, ctx: Context, event: ev.EncounterStarted) -> str:
    return voice.say("encounter_started", {})


def _encounter_ended(voice: Voice, ctx: Context, event: ev.EncounterEnded) -> str:
    return voice.say("encounter_ended", {"why": _free(event.why)})


def _encounter_set(voice: Voice, ctx: Context, event: ev.EncounterSet) -> str:
    changed = [
        f"{lowered(voice.word(('house_option',), name))} — {_setting(voice, value)}"
        for name, value in event.options.items()
    ]
    if event.dice is not None:
        changed.append(voice.own(f"dice_{event.dice}"))
    return voice.say("encounter_set", {"what": _first(changed, MOST_PIECES, "; ")})


def _setting(voice: Voice, value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(_setting(voice, one) for one in value) or voice.own("nothing")
    if isinstance(value, bool):
        return voice.own("yes" if value else "no")
    if value is None:
        return voice.own("nothing")
    return lowered(voice.word(("house_value", "option"), value)) if isinstance(value, str) else str(value)


def _round_began(voice: Voice, ctx: Context, event: ev.RoundBegan) -> str:
    return voice.say("round_began", {"number": event.round})


def _pass_began(voice: Voice, ctx: Context, event: ev.PassBegan) -> str:
    return voice.say("pass_began", {"number": event.number})


def _turn_began(voice: Voice, ctx: Context, event: ev.TurnBegan) -> str:
    values: dict[str, Value] = {"who": ctx.name(voice, event.combatant)}
    if event.kind == SINGLE_TURN:
        return voice.say("turn_began", values)
    return voice.say("turn_began", values, event.kind, "other")


def _turn_ended(voice: Voice, ctx: Context, event: ev.TurnEnded) -> str:
    return voice.say("turn_ended", {"who": ctx.name(voice, event.combatant)}, event.kind)


def _slot_queued(voice: Voice, ctx: Context, event: ev.SlotQueued) -> str:
    return voice.say("slot_queued", {"who": ctx.name(voice, event.combatant)}, event.kind)


def _slot_dropped(voice: Voice, ctx: Context, event: ev.SlotDropped) -> str:
    return voice.say("slot_dropped", {"who": ctx.name(voice, event.combatant)}, event.kind)


def _joined(voice: Voice, ctx: Context, event: ev.Joined) -> str:
    return voice.say("joined", {"who": _body(voice, ctx, event.body), "side": spoken(event.body.side)})


def _appeared(voice: Voice, ctx: Context, event: ev.Appeared) -> str:
    return voice.say("appeared", {"who": _body(voice, ctx, event.body)})


def _left(voice: Voice, ctx: Context, event: ev.Left) -> str:
    return voice.say("left", {"who": ctx.name(voice, event.combatant)})


def _edited(voice: Voice, ctx: Context, event: ev.Edited) -> str:
    return voice.say("edited", {"who": _body(voice, ctx, event.body)})


def _body(voice: Voice, ctx: Context, body: Combatant) -> str:
    """His present name; the one of that time if he is in the fight no more."""
    return ctx.name(voice, body.id) if ctx.knows(body.id) else spoken(body.name) or voice.someone


def _pool_changed(voice: Voice, ctx: Context, event: ev.PoolChanged) -> str:
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "pool": voice.word(("resource", "stat"), event.pool),
        "value": event.value,
        "delta": event.delta,
    }
    # A change without a clause is the GM's own: it repeats no other line, so no ruleset may silence it.
    if not event.clause:
        return voice.say("pool_changed", values)
    return voice.say("pool_changed", values, *([f"{event.pool}_new"] if event.value == event.delta else ()), event.pool)


def _budget_changed(voice: Voice, ctx: Context, event: ev.BudgetChanged) -> str:
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "budget": voice.word(("budget",), event.budget),
        "value": event.value,
        "delta": event.delta,
    }
    return voice.say("budget_changed", values, event.budget)


def _standing_set(voice: Voice, ctx: Context, event: ev.StandingSet) -> str:
    first, second = (*event.standing, None, None)[:2]
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "value": first,
        "hundredths": None if first is None else hundredths(voice.language, first),
        "second": second,
        "dice": voice.faces(event.dice),
    }
    # A place that was tossed for goes by the same event as one that was rolled.
    return voice.say("standing_set", values, *_by_rule(event.clause))


def _action_taken(voice: Voice, ctx: Context, event: ev.ActionTaken) -> str:
    targets = event.targets
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "action": voice.word(ACTIONS, event.action),
        "form": voice.word(("action_type",), event.form) if event.form else None,
        "item": ctx.item(voice, event.combatant, event.item),
        "target": ctx.name(voice, targets[0]) if len(targets) == 1 else None,
        "targets": _first([ctx.name(voice, who) for who in targets], MOST_TARGETS) if len(targets) > 1 else None,
    }
    text = voice.say("action_taken", values, event.action)
    if event.note is None:
        return text
    said = voice.say("action_note", {"who": values["who"], "note": spoken(event.note)}, *(["more"] if text else ()))
    return f"{text} {said}".strip()


def _moved(voice: Voice, ctx: Context, event: ev.Moved) -> str:
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "distance": voice.length(event.distance),
        "beside": None if event.beside is None else ctx.name(voice, event.beside),
    }
    if not event.distance:
        return voice.say("moved", values, "placed")
    # What somebody else or his own defence makes of his place goes by one event: the rule behind it tells them apart.
    by_rule = [f"forced_{rule}" for rule in _by_rule(event.clause)]
    return voice.say("moved", values, *([*by_rule, "forced"] if event.forced else ()))


def _by_rule(clause: str | None) -> list[str]:
    """The variant of a sentence that is told of an event under this clause."""
    return [clause.replace("-", "_").lower()] if clause else []


def _turned(voice: Voice, ctx: Context, event: ev.Turned) -> str:
    return voice.say("turned", {"who": ctx.name(voice, event.combatant), "facing": event.facing})


def _engagement_began(voice: Voice, ctx: Context, event: ev.EngagementBegan) -> str:
    return voice.say("engagement_began", _pair(voice, ctx, event.combatant, event.other))


def _engagement_ended(voice: Voice, ctx: Context, event: ev.EngagementEnded) -> str:
    return voice.say("engagement_ended", _pair(voice, ctx, event.combatant, event.other))


def _pair(voice: Voice, ctx: Context, one: str, other: str) -> dict[str, Value]:
    return {"who": ctx.name(voice, one), "other": ctx.name(voice, other)}


def _effect_began(voice: Voice, ctx: Context, event: ev.EffectBegan) -> str:
    effect = event.effect
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "effect": voice.word(EFFECTS, effect.kind),
        "value": effect.value or None,
        "word": None if effect.word is None else voice.word(WORDS_OF_EFFECTS, effect.word),
        "item": ctx.item(voice, event.combatant, effect.item),
        "against": None if effect.against is None else ctx.name(voice, effect.against),
        "source": None if effect.source is None else ctx.name(voice, effect.source),
    }
    return voice.say("effect_began", values, effect.kind, *(["later"] if effect.active_after else ()))


def _effect_counted(voice: Voice, ctx: Context, event: ev.EffectCounted) -> str:
    return voice.say("effect_counted", {"who": ctx.name(voice, event.combatant)})


def _effect_ended(voice: Voice, ctx: Context, event: ev.EffectEnded) -> str:
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "effect": voice.word(EFFECTS, event.kind),
    }
    return voice.say("effect_ended", values, f"{event.kind}_{event.why}", f"why_{event.why}", event.kind)


def _item_marked(voice: Voice, ctx: Context, event: ev.ItemMarked) -> str:
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "item": ctx.item(voice, event.combatant, event.item),
        "mark": voice.word(("mark", "resource"), event.mark),
        "value": event.value,
        "delta": event.delta,
    }
    return voice.say("item_marked", values, f"{event.mark}_{'up' if event.delta > 0 else 'down'}", event.mark)


def _item_moved(voice: Voice, ctx: Context, event: ev.ItemMoved) -> str:
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "item": ctx.item(voice, event.combatant, event.item),
        "hand": None if event.held is None else voice.word(("hand",), event.held),
    }
    return voice.say("item_moved", values, "dropped" if event.on_ground else "stowed" if event.held is None else "held")


def _item_changed(voice: Voice, ctx: Context, event: ev.ItemChanged) -> str:
    body = event.body
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "item": ctx.item(voice, event.combatant, event.item) if body is None else thing(voice, body.kind),
        "count": body.count if body is not None and body.count > 1 else None,
        "left": None if body is None else body.count,
    }
    # What is used up and what is taken go by one event: the rule behind it tells them apart.
    by_rule = "" if event.clause is None else event.clause.replace("-", "_").lower()
    if body is None:
        return voice.say("item_changed", values, *([f"gone_{by_rule}"] if by_rule else ()), "gone")
    return voice.say("item_changed", values, *([by_rule] if by_rule else ()), *(["ground"] if body.on_ground else ()))


def _cover_changed(voice: Voice, ctx: Context, event: ev.CoverChanged) -> str:
    values: dict[str, Value] = {"who": ctx.name(voice, event.combatant)}
    if event.cover is None or not (event.cover.hidden or event.cover.pieces):
        return voice.say("cover_changed", values, "none")
    pieces = [
        f"{lowered(voice.word(('cover',), piece.id))}{f' ({piece.ap})' if piece.ap else ''}"
        for piece in event.cover.pieces
    ]
    return voice.say("cover_changed", {**values, "cover": _first(pieces, MOST_PIECES)})


def _cover_worn(voice: Voice, ctx: Context, event: ev.CoverWorn) -> str:
    return voice.say("cover_worn", {"wall": voice.word(("cover",), event.wall), "worn": event.worn})


def _status_changed(voice: Voice, ctx: Context, event: ev.StatusChanged) -> str:
    because = [f"{event.status}_{event.why}"] if event.why else []
    return voice.say("status_changed", {"who": ctx.name(voice, event.combatant)}, *because, event.status)


def _fact_stated(voice: Voice, ctx: Context, event: ev.FactStated) -> str:
    values = _pair(voice, ctx, event.combatant, event.other)
    if event.fact.distance is None:
        return voice.say("fact_stated", values)
    return voice.say("fact_stated", {**values, "distance": voice.length(event.fact.distance)}, "distance")


def _map_changed(voice: Voice, ctx: Context, event: ev.MapChanged) -> str:
    return voice.say("map_changed", {}, *(["none"] if event.ground is None else ()))


def _check_rolled(voice: Voice, ctx: Context, event: ev.CheckRolled) -> str:
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "check": voice.word(ABILITIES, event.check),
        "purpose": voice.word(("purpose", *ABILITIES, "action"), event.purpose),
        "target": event.target,
        "rolled": voice.dice(event.dice),
        "faces": voice.faces(event.dice),
        "degrees": event.degrees,
        # Where hits are counted: how many there were, and how many were needed.
        "reached": max(0, event.target + (event.degrees if event.outcome == "success" else -event.degrees)),
        "needed": event.target or None,
        "against": None if event.against is None else ctx.name(voice, event.against),
    }
    outcomes: list[str] = [] if event.grade is None else [f"{event.grade}_{event.outcome}"]
    if (sum(die.value for die in event.dice) <= event.target) != (event.outcome == "success"):
        # The dice alone decided, whatever the target; a game in which more is better has no text for this.
        outcomes.append(f"{event.outcome}_automatic")
    outcomes.append(event.outcome)
    return voice.say("check_rolled", values, *(f"{event.purpose}_{one}" for one in outcomes), *outcomes)


def _contest_settled(voice: Voice, ctx: Context, event: ev.ContestSettled) -> str:
    values = _pair(voice, ctx, event.combatant, event.other)
    values["purpose"] = voice.word(("purpose", *ABILITIES, "action"), event.purpose)
    if event.winner is None:
        return voice.say("contest_settled", values, f"{event.purpose}_tie", "tie")
    values["winner"] = ctx.name(voice, event.winner)
    values["margin"] = event.margin or None
    how = "won" if event.winner == event.combatant else "lost"
    return voice.say("contest_settled", values, f"{event.purpose}_{how}", event.purpose)


def _attack_made(voice: Voice, ctx: Context, event: ev.AttackMade) -> str:
    kind = event.weapon_kind
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "target": ctx.name(voice, event.target),
        "weapon": ctx.item(voice, event.combatant, event.weapon) if kind is None else thing(voice, kind),
        "action": voice.word(ACTIONS, event.action),
    }
    forms = (f"{event.action}_{event.form}", event.form) if event.form else ()
    return voice.say("attack_made", values, *forms, event.action)


def _hits_scored(voice: Voice, ctx: Context, event: ev.HitsScored) -> str:
    if not event.hits:
        return voice.say("hits_scored", {"who": ctx.name(voice, event.combatant)}, "none")
    by_target: dict[str, list[str]] = {}
    for hit in event.hits:
        places = by_target.setdefault(hit.target, [])
        if hit.location is not None:
            places.append(lowered(voice.word(("location",), hit.location)))
    if len(by_target) == 1:
        where = _tally(next(iter(by_target.values())))
    else:
        placed = any(by_target.values())
        where = ("; " if placed else ", ").join(
            f"{ctx.name(voice, target)} — {_tally(places)}"
            if places
            else _times(ctx.name(voice, target), event, target)
            for target, places in by_target.items()
        )
    values: dict[str, Value] = {"who": ctx.name(voice, event.combatant), "hits": len(event.hits), "where": where}
    return voice.say("hits_scored", values, *(["one"] if len(event.hits) == 1 else ()))


def _times(name: str, event: ev.HitsScored, target: str) -> str:
    """Whoever is hit, with how often where that is more than once."""
    count = sum(1 for hit in event.hits if hit.target == target)
    return name if count == 1 else f"{name} ×{count}"


def _tally(places: Iterable[str]) -> str:
    """`body, body, head` -> `body ×2, head`."""
    return ", ".join(place if count == 1 else f"{place} ×{count}" for place, count in Counter(places).items())


def _defence_resolved(voice: Voice, ctx: Context, event: ev.DefenceResolved) -> str:
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "against": ctx.name(voice, event.against),
        "option": voice.word(("skill", "defence", "action", "option"), event.option),
        "negated": len(event.negated),
        "total": len(event.negated) + len(event.left),
    }
    if event.option in ("", "none", "decline"):
        return voice.say("defence_resolved", values, "declined")
    if not event.negated:
        return voice.say("defence_resolved", values, "failed")
    how = "partly" if event.left else "wholly"
    return voice.say("defence_resolved", values, f"{how}_{event.option}", how)


def _damage_dealt(voice: Voice, ctx: Context, event: ev.DamageDealt) -> str:
    values: dict[str, Value] = {
        "who": None if event.combatant is None else ctx.name(voice, event.combatant),
        "target": ctx.name(voice, event.target),
        "through": event.through,
        "raw": event.raw,
        "absorbed": max(0, event.raw - event.through) or None,
        "soak": _first([_term(voice, one) for one in event.soak if one.value > 0], MOST_PIECES),
        "location": None if event.location is None else voice.word(("location",), event.location),
        "kind": None if event.damage_type is None else voice.word(("damage_type",), event.damage_type),
    }
    return voice.say("damage_dealt", values, *([] if event.through else ["nothing"]))


def _term(voice: Voice, term: ev.Term) -> str:
    return f"{voice.word(TERMS, term.id)} {term.value}"


def _critical_suffered(voice: Voice, ctx: Context, event: ev.CriticalSuffered) -> str:
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "value": event.value,
        "location": None if event.location is None else voice.word(("location",), event.location),
    }
    return voice.say("critical_suffered", values, event.cause)


def _action_stopped(voice: Voice, ctx: Context, event: ev.ActionStopped) -> str:
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "action": voice.word(ACTIONS, event.action),
        "why": voice.find(("why", "effect"), event.why),
    }
    return voice.say("action_stopped", values, event.why)


def _noted(voice: Voice, ctx: Context, event: ev.Noted) -> str:
    kinds = ("figure", "resource", "stat", "term", "modifier")
    values: dict[str, Value] = {figure.id: figure.value for figure in event.figures}
    for figure in event.figures:
        if figure.id.endswith(LENGTHS):
            values.setdefault(figure.id.removesuffix(LENGTHS), voice.length(figure.value) if figure.value else None)
    values.update(
        who=ctx.name(voice, event.combatant),
        target=None if event.target is None else ctx.name(voice, event.target),
        fact=voice.word(("fact", "term", "effect", "modifier", "action"), event.fact),
        figures=", ".join(f"{lowered(voice.word(kinds, one.id))} {one.value}" for one in event.figures),
        words=", ".join(_any_word(voice, ctx, event.combatant, word) for word in event.words),
        dice=voice.dice(event.dice),
    )
    return voice.say("noted", values, *(f"{event.fact}_{word}" for word in event.words[:1]), event.fact)


def _any_word(voice: Voice, ctx: Context, who: str, word: str) -> str:
    """A word of a fact: a combatant, something he carries, or a name of the ruleset."""
    if ctx.knows(word):
        return ctx.name(voice, word)
    kind = ctx.kind_of(who, word)
    if kind is not None:
        return lowered(thing(voice, kind))
    return lowered(voice.word(("effect", "location", "option", "action", "modifier", "weapon", "skill", "stat"), word))


def _ruled(voice: Voice, ctx: Context, event: ev.Ruled) -> str:
    people = _first([ctx.name(voice, who) for who in event.combatants], MOST_TARGETS)
    return voice.say("ruled", {"people": people, "reason": sentence(spoken(event.reason) or "")})


def _proposal_settled(voice: Voice, ctx: Context, event: ev.ProposalSettled) -> str:
    # What it was is not told: others read this too, and a plan that is refused never happened.
    values = {"who": ctx.name(voice, event.combatant), "note": _free(event.note)}
    return voice.say("proposal_settled", values, "timeout" if event.by == "timeout" else event.verdict)


def _decision_opened(voice: Voice, ctx: Context, event: ev.DecisionOpened) -> str:
    question = sentence(voice.find(("question",), event.kind) or "")
    values: dict[str, Value] = {"who": ctx.name(voice, event.combatant), "question": question}
    return voice.say("decision_opened", values, event.kind)


def _decision_answered(voice: Voice, ctx: Context, event: ev.DecisionAnswered) -> str:
    if event.option is None:
        return voice.say("decision_answered", {}, "roll")
    option = option_name(event.kind, event.option, ctx, voice.language)
    values: dict[str, Value] = {
        "who": ctx.name(voice, event.combatant),
        "option": option if ctx.knows(event.option) else lowered(option),
    }
    text = voice.say("decision_answered", values, event.kind)
    if text and event.by in ("gm", "timeout") and event.combatant != "gm":
        return voice.say("decision_answered", values, f"by_{event.by}")
    return text


def _command_cancelled(voice: Voice, ctx: Context, event: ev.CommandCancelled) -> str:
    return voice.say("command_cancelled", {"reason": _free(event.reason)})


def _rewound(voice: Voice, ctx: Context, event: ev.Rewound) -> str:
    # No version here: readers count their own, and the GM sees it in the event.
    return voice.say("rewound", {"reason": _free(event.reason)})


def _forked(voice: Voice, ctx: Context, event: ev.Forked) -> str:
    return voice.say("forked", {})


def _imported(voice: Voice, ctx: Context, event: ev.Imported) -> str:
    return voice.say("imported", {})


def option_name(question: str, option: str, ctx: Context, language: str) -> str:
    """What an option of a question is called: by the ruleset for that kind of question, in general, or as who it is."""
    voice = ctx.book.voice(language)
    special = voice.find(("option",), f"{option}__{question}")
    if special is not None:
        return special
    if ctx.knows(option):
        return ctx.name(voice, option)
    return voice.word(("option", "skill", "action", "location", "effect", "weapon"), option)


def _free(text: str | None) -> str | None:
    """Free text as a sentence of its own."""
    fit = spoken(text)
    return fit and sentence(fit[:1].upper() + fit[1:])


def _first(pieces: list[str], most: int, between: str = ", ") -> str:
    return between.join(pieces[:most]) + (between + "…" if len(pieces) > most else "")


TELLERS: dict[type[ev.Event], Callable[[Voice, Context, Any], str]] = {
    ev.EncounterStarted: _encounter_started,
    ev.EncounterEnded: _encounter_ended,
    ev.EncounterSet: _encounter_set,
    ev.RoundBegan: _round_began,
    ev.PassBegan: _pass_began,
    ev.TurnBegan: _turn_began,
    ev.TurnEnded: _turn_ended,
    ev.SlotQueued: _slot_queued,
    ev.SlotDropped: _slot_dropped,
    ev.Joined: _joined,
    ev.Left: _left,
    ev.Edited: _edited,
    ev.PoolChanged: _pool_changed,
    ev.BudgetChanged: _budget_changed,
    ev.StandingSet: _standing_set,
    ev.ActionTaken: _action_taken,
    ev.Moved: _moved,
    ev.Turned: _turned,
    ev.EngagementBegan: _engagement_began,
    ev.EngagementEnded: _engagement_ended,
    ev.EffectBegan: _effect_began,
    ev.EffectCounted: _effect_counted,
    ev.EffectEnded: _effect_ended,
    ev.ItemMarked: _item_marked,
    ev.ItemMoved: _item_moved,
    ev.ItemChanged: _item_changed,
    ev.CoverChanged: _cover_changed,
    ev.CoverWorn: _cover_worn,
    ev.StatusChanged: _status_changed,
    ev.FactStated: _fact_stated,
    ev.MapChanged: _map_changed,
    ev.CheckRolled: _check_rolled,
    ev.ContestSettled: _contest_settled,
    ev.AttackMade: _attack_made,
    ev.HitsScored: _hits_scored,
    ev.DefenceResolved: _defence_resolved,
    ev.DamageDealt: _damage_dealt,
    ev.CriticalSuffered: _critical_suffered,
    ev.ActionStopped: _action_stopped,
    ev.Noted: _noted,
    ev.Appeared: _appeared,
    ev.Ruled: _ruled,
    ev.ProposalSettled: _proposal_settled,
    ev.DecisionOpened: _decision_opened,
    ev.DecisionAnswered: _decision_answered,
    ev.CommandCancelled: _command_cancelled,
    ev.Rewound: _rewound,
    ev.Forked: _forked,
    ev.Imported: _imported,
}
"""Who tells which event. A test holds that every class of the vocabulary is here."""
