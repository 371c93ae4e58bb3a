"""Who may know what: stamped when an event is emitted, cut when it is read. The only place that decides it.

The GM knows everything. Everybody else has one count of events: what is hidden is left out for all of them alike.
What only some may read, the figures of a veiled combatant, is cut out of events, for whoever does not control him.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import msgspec

from app.engine import events as ev
from app.engine.asks import GM
from app.engine.ids import CombatantId, Scalar
from app.engine.state import Clock, Combatant, Done, Effect, Item, Scenery, Sheet, Shown, Slot, State, Tick

NOBODY = "unknown"
"""What stands where a hidden combatant would have been mentioned."""
EVERY_SIDE = "*"
"""Stands for every side that is not named."""
ABSENT_SLOT, PRESENT_SLOT = "unknown_gone", "unknown_present"
"""That somebody unknown is in the order no more, or from now on."""

SECRET_FIELDS: dict[type[msgspec.Struct], frozenset[str]] = {
    Combatant: frozenset({"notes", "hidden", "serial", "policy", "slot", "values", "rolls"}),
    Effect: frozenset({"hidden", "in_secret"}),
    Item: frozenset(),
    Sheet: frozenset(),
    Done: frozenset(),
    Tick: frozenset(),
    Slot: frozenset(),
    Clock: frozenset(),
    Scenery: frozenset(),
    State: frozenset({"values", "secret_rolls"}),
}
"""Fields of the state that only the GM sees. A test holds that every Struct of the state is listed here."""
_SEEN_TO_CHANGE = frozenset({"hidden", "values"})
"""Secret fields whose change others notice: not as such, but by what they see from then on."""

_BODY = ("sheet", "pools", "budget", "standing", "done", "sample", "dice")
_OF_BODIES = (
    *(f"body.{name}" for name in _BODY),
    *(f"body.items.*.{name}" for name in ("marks", "count", "custom")),
    *(f"body.effects.*.{name}" for name in ("value", "words", "declared", "until", "active_after")),
)
FIGURES: dict[type[ev.Event], tuple[tuple[str, ev.Names], ...]] = {
    ev.Joined: (("body", _OF_BODIES),),
    ev.Edited: (("body", _OF_BODIES),),
    ev.Appeared: (("body", _OF_BODIES),),
    ev.PoolChanged: (("combatant", ("delta", "value")),),
    ev.BudgetChanged: (("combatant", ("delta", "value")),),
    ev.StandingSet: (("combatant", ("standing", "dice")),),
    ev.EffectBegan: (
        ("combatant", ("effect.value", "effect.words", "effect.declared", "effect.until", "effect.active_after")),
    ),
    ev.EffectCounted: (("combatant", ("until", "active_after", "value")),),
    ev.ItemMarked: (("combatant", ("delta", "value")),),
    ev.ItemChanged: (("combatant", ("body.marks", "body.count", "body.custom")),),
    ev.CheckRolled: (
        ("combatant", ("target", "dice", "degrees", "terms", "limit")),
        ("terms.of", ("target", "degrees", "terms.of")),
    ),
    ev.ContestSettled: (("combatant", ("margin",)), ("other", ("margin",))),
    ev.DamageDealt: (
        ("combatant", ("raw", "dice", "terms", "soak")),
        ("target", ("through", "soak")),
        ("terms.of", ("raw", "terms.of")),
    ),
    ev.CriticalSuffered: (("combatant", ("value", "dice")), ("roller", ("dice",))),
    ev.Noted: (("combatant", ("figures", "dice")), ("target", ("figures", "dice"))),
}
"""Of each event whose figures it tells, and which: what is cut for whoever does not get that combatant's figures."""

ROLLED: dict[type[ev.Event], ev.Names] = {
    ev.CheckRolled: ("target", "dice", "outcome", "degrees", "terms", "limit", "grade"),
    ev.ContestSettled: ("winner", "margin"),
    ev.StandingSet: ("dice",),
    ev.DamageDealt: ("raw", "dice", "terms", "soak"),
    ev.CriticalSuffered: ("value", "dice"),
    ev.Noted: ("figures", "dice"),
    ev.DecisionAnswered: ("option",),
}
"""What a secret roll keeps back of each event. What it changes in the state is told by events of its own."""
_ONLY_ROLLS = (ev.CheckRolled, ev.ContestSettled)
"""Events that tell of nothing but a roll: where nobody is to learn of it they are the GM's."""

_IN_ORDER: dict[type[ev.Event], ev.Names] = {
    ev.TurnBegan: (),
    ev.TurnEnded: (),
    ev.SlotQueued: (),
    ev.SlotDropped: (),
    ev.StandingSet: ("standing", "dice"),
    ev.StatusChanged: ("why", "clause"),
    ev.Left: (),
}
"""What others learn of an unknown slot: what moves the order, without these fields."""


class Secrets(msgspec.Struct, frozen=True):
    """What is secret in a fight at one moment."""

    hidden: frozenset[CombatantId] = frozenset()
    slots: Mapping[CombatantId, str] = {}
    """Of those hidden the ids under which others see them in the order."""
    veiled: frozenset[CombatantId] = frozenset()
    """Those whose figures are not for everybody."""
    rolls: frozenset[CombatantId] = frozenset()
    """Those whose rolls are the GM's alone."""
    silent: bool = False
    """Whether nobody learns that such a roll took place."""
    rolled: frozenset[CombatantId] = frozenset()
    """Those of them who have rolled in the command under way: what is noted of them from then on can tell how."""

    @property
    def is_nothing(self) -> bool:
        """Whether there is nothing to keep from anybody."""
        return self is NOTHING or not (self.hidden or self.veiled or self.rolls)


NOTHING = Secrets()


Band = Literal["unhurt", "wounded", "badly_wounded", "down"]


def band(body: Combatant, harm: tuple[int, int]) -> Band:
    """How he looks: by his status, and by how much harm he carries out of how much he bears."""
    carried, borne = harm
    if body.status != "up":
        return "down"
    if carried <= 0:
        return "unhurt"
    return "badly_wounded" if carried * 2 >= borne else "wounded"


def hidden_in(state: State) -> frozenset[CombatantId]:
    """Everybody who is hidden now."""
    return frozenset([body.id for body in state.combatants.values() if body.hidden])


def shown(state: State, body: Combatant) -> Shown:
    """How exactly his figures are seen by whoever does not control him."""
    if body.values is not None:
        return body.values
    return state.values.get(body.side) or state.values.get(EVERY_SIDE, "exact") if state.values else "exact"


def secrets_of(state: State, rolls: CombatantId | None = None) -> Secrets:
    """What is secret now; `rolls` names somebody whose rolls are so in the command under way."""
    bodies = state.combatants.values()
    if rolls is None and not state.values and not any([_keeps_something(body) for body in bodies]):
        return NOTHING
    hidden = hidden_in(state)
    slots = {body.id: body.slot for body in bodies if body.slot is not None} if hidden else {}
    veiled = frozenset(
        [body.id for body in bodies if (body.values is not None or state.values) and shown(state, body) != "exact"]
    )
    secret = frozenset([body.id for body in bodies if body.rolls == "secret" or body.id == rolls])
    if not (hidden or veiled or secret):
        return NOTHING
    return Secrets(hidden, slots, veiled, secret, state.secret_rolls == "silent")


def _keeps_something(body: Combatant) -> bool:
    return body.hidden or body.values is not None or body.rolls == "secret"


_SECRET_BY_ITSELF: frozenset[type[ev.Event]] = frozenset(
    (
        ev.Joined,
        ev.Edited,
        ev.Appeared,
        ev.EncounterSet,
        ev.EffectBegan,
        ev.EffectCounted,
        ev.EffectEnded,
    )
)


def stamp(state: State, event: ev.AnyEvent, secrets: Secrets | None = None) -> ev.Emitted:
    """The event with who may know what of it, judged by what is secret at this moment, before it is folded.

    `secrets` where the caller keeps them.
    """
    if secrets is None:
        secrets = secrets_of(state)
    if type(event) not in _SECRET_BY_ITSELF and secrets.is_nothing:
        return ev.Emitted(event)
    hidden = secrets.hidden
    if _is_secret(state, event, hidden) or _comes_of_a_roll(event, secrets):
        return ev.Emitted(event, "gm")
    cuts: list[str] = []
    if any(_names_one(event, name, hidden) for name in event.about):
        slot = secrets.slots.get(_of(event, "combatant") or CombatantId(""))
        if slot is None or type(event) not in _IN_ORDER:
            return ev.Emitted(event, "gm")
        cuts += [f"combatant={slot}", *(f"{name}@" for name in _IN_ORDER[type(event)])]
    cuts += [name for name in event.mentions if _names_one(event, name, hidden)]
    cuts += _veils(state, event, secrets)
    if hidden and isinstance(event, ev.Joined | ev.Edited | ev.Appeared):
        cuts += [f"-{who}" for who in sorted(hidden.intersection(_met(event.body)))]
    return ev.Emitted(event, "all", tuple(dict.fromkeys(cuts)))


def is_cut_rightly(state: State, emitted: ev.Emitted) -> bool:
    """Whether a stamp that was read back keeps from others at least what had to be, and cuts only what there is.

    More may be cut: a submission can be secret. The chain of hashes proves only that a log is of one piece, and an
    import may be made up as a whole, so a stamp is judged by what it must be.
    """
    if emitted.audience == "gm":
        return not emitted.blank
    least = stamp(state, emitted.event)
    cuts = frozenset(emitted.blank)
    return (
        least.audience == "all" and cuts.issuperset(least.blank) and all(_may_cut(emitted.event, cut) for cut in cuts)
    )


def _may_cut(event: ev.AnyEvent, cut: str) -> bool:
    kind = type(event)
    if cut.startswith("-"):
        return isinstance(event, ev.Joined | ev.Edited | ev.Appeared)
    name, is_figure, _ = cut.partition("@")
    if is_figure:
        figures = (held for _, names in FIGURES.get(kind, ()) for held in names)
        return name in {*figures, *ROLLED.get(kind, ()), *_IN_ORDER.get(kind, ())}
    name, has_slot, _ = cut.partition("=")
    return kind in _IN_ORDER and name == "combatant" if has_slot else name in event.mentions


def _is_secret(state: State, event: ev.AnyEvent, hidden: frozenset[CombatantId]) -> bool:
    match event:
        case ev.Joined():
            return event.body.hidden
        case ev.Edited():
            before = state.combatants.get(event.body.id)
            appears = before is not None and before.hidden  # told by an event of its own, without what was
            quiet = SECRET_FIELDS[Combatant] - _SEEN_TO_CHANGE
            return event.body.hidden or appears or (bool(event.fields) and quiet.issuperset(event.fields))
        case ev.EncounterSet():
            # Only how rolls are kept secret: others see nothing else than before.
            return event.secret_rolls is not None and event == ev.EncounterSet(secret_rolls=event.secret_rolls)
        case ev.EffectBegan():
            return event.effect.hidden
        case ev.EffectCounted() | ev.EffectEnded():
            effect = state.combatants[event.combatant].effects.get(event.effect)
            return effect is not None and effect.hidden
        case ev.Ruled():
            return bool(event.combatants) and hidden.issuperset(event.combatants)
        case _:
            return False


def _comes_of_a_roll(event: ev.AnyEvent, secrets: Secrets) -> bool:
    """Whether it tells others nothing but what they are not to know of a secret roll."""
    if isinstance(event, ev.Noted):
        return event.combatant in secrets.rolled
    return secrets.silent and isinstance(event, _ONLY_ROLLS) and event.combatant in secrets.rolls


def comes_in_secret(secrets: Secrets, bearer: CombatantId, source: CombatantId | None) -> bool:
    """Whether the value of an effect that begins now may tell how somebody rolled whose rolls are not everybody's."""
    return source in secrets.hidden or not secrets.rolled.isdisjoint((bearer, source))


def keeps_value(effect: Effect, bearer: CombatantId, rolls: frozenset[CombatantId]) -> bool:
    """Whether only the GM, and who acts for its bearer, sees an effect's value; `rolls` are whose rolls are secret."""
    return effect.in_secret or not rolls.isdisjoint((bearer, effect.source))


def answer_cuts(event: ev.DecisionAnswered, secrets: Secrets, about: CombatantId | None = None) -> ev.Names:
    """What others do not get of an answer of somebody who rolls in secret, or of the GM's about him: it is offered by
    how he rolled. Whoever acts for him reads his answers, as he does his options.
    """
    if event.option is None:
        return ()
    if event.combatant in secrets.rolls:
        return (f"option@{event.combatant}",)
    return ("option@",) if event.combatant == GM and about in secrets.rolls else ()


def _veils(state: State, event: ev.AnyEvent, secrets: Secrets) -> Iterable[str]:
    """What is cut of the figures in an event."""
    kind = type(event)
    if isinstance(event, ev.DecisionAnswered):
        yield from answer_cuts(event, secrets)
    elif secrets.rolls and kind in ROLLED and ev.roller_of(event) in secrets.rolls:
        for name in ROLLED[kind]:
            yield f"{name}@"
    yield from _values_kept(state, event, secrets)
    for whose, names in FIGURES.get(kind, ()):
        if isinstance(event, ev.Joined | ev.Edited | ev.Appeared):
            veiled = {event.body.id} if shown(state, event.body) != "exact" else frozenset[CombatantId]()
        else:
            veiled = secrets.veiled.intersection(_named(event, whose)) if secrets.veiled else frozenset()
        for who in sorted(veiled):
            # Whoever is hidden is nobody's: what he deals is told without his figures.
            owner = "" if who in secrets.hidden else who
            for name in names:
                yield f"{name}@{owner}"


def _values_kept(state: State, event: ev.AnyEvent, secrets: Secrets) -> Iterable[str]:
    match event:
        case ev.EffectBegan() if keeps_value(event.effect, event.combatant, secrets.rolls):
            yield f"effect.value@{event.combatant}"
        case ev.EffectCounted():
            effect = state.combatants[event.combatant].effects.get(event.effect)
            if effect is not None and keeps_value(effect, event.combatant, secrets.rolls):
                yield f"value@{event.combatant}"
        case ev.Joined() | ev.Edited() | ev.Appeared():
            body = event.body
            if any(keeps_value(effect, body.id, secrets.rolls) for effect in body.effects.values()):
                yield f"body.effects.*.value@{body.id}"
        case _:
            pass


def _met(body: Combatant) -> Iterable[str]:
    """Everybody whom a combatant's own data name."""
    yield from body.engaged
    for effect in body.effects.values():
        yield from _ids((effect.source, effect.against, effect.until, effect.active_after, effect.declared))


def _of(event: ev.AnyEvent, field: str) -> CombatantId | None:
    held = getattr(event, field, None)
    return held.id if isinstance(held, Combatant) else held


def _names_one(event: ev.AnyEvent, name: str, hidden: frozenset[CombatantId]) -> bool:
    return bool(hidden) and not hidden.isdisjoint(_named(event, name))


def _named(event: ev.AnyEvent, name: str) -> tuple[str, ...]:
    value: Any = event
    for part in name.split("."):
        value = tuple(getattr(one, part) for one in value) if isinstance(value, tuple) else getattr(value, part)
    return _ids(value)


def people_of(event: ev.AnyEvent) -> frozenset[str]:
    """Everybody whom an event tells of."""
    found: set[str] = set()
    for name in (*event.about, *event.mentions):
        held = None if "." in name else getattr(event, name)
        if type(held) is str:  # as nearly always
            found.add(held)
        else:
            found.update(_named(event, name))
    return frozenset(found)


def names_in(declared: Mapping[str, Scalar | tuple[str, ...]], hidden: frozenset[CombatantId]) -> bool:
    """Whether what somebody has said beforehand names one of these: then all of it is kept back."""
    return not hidden.isdisjoint(_ids(declared))


def _ids(value: Any) -> tuple[str, ...]:
    """The ids in a value: of one, of several, of those in a mapping, of those whose moments a chain counts."""
    if type(value) is str:
        return (value,)
    match value:
        case None | int() | Combatant():
            return ()
        case str():
            return (value,)
        case Tick():
            return tuple(who for who in (value.who, value.against) if who is not None)
        case dict():
            return tuple(who for entry in value.items() for one in entry for who in _ids(one))
        case _:
            return tuple(who for one in value for who in _ids(one))


# What stands in a stamp: a mention, a mention with what stands for it, a figure with whose it is, or somebody who was
# hidden then and is named in a body.


def unseen_in(cuts: Iterable[str]) -> frozenset[CombatantId]:
    """Those named in a body who were hidden then."""
    return frozenset([CombatantId(cut[1:]) for cut in cuts if cut.startswith("-")])


def veiled_in(cuts: Iterable[str]) -> frozenset[CombatantId]:
    """Those whose figures a stamp cuts for whoever does not control them."""
    return frozenset([CombatantId(cut.partition("@")[2]) for cut in cuts if "@" in cut and not cut.endswith("@")])


def cut_for(emitted: ev.Emitted, controls: Callable[[CombatantId], bool]) -> tuple[ev.AnyEvent, ev.Names]:
    """The event as somebody other than the GM may see it who `controls` some, and the paths of the figures to leave out
    of it. Only for events whose audience is `all`.
    """
    event: Any = emitted.event
    left_out: list[str] = []
    for cut in emitted.blank:
        if cut.startswith("-"):
            continue
        name, is_figure, whose = cut.partition("@")
        if is_figure:
            if not whose or not controls(CombatantId(whose)):
                left_out.append(name)
                if "." not in name and name in _DEFAULTED[type(event)]:
                    event = msgspec.structs.replace(event, **{name: _DEFAULTED[type(event)][name]})
            continue
        name, _, stands = cut.partition("=")
        event = _without(event, name, stands or NOBODY)
    return event, tuple(left_out)


_DEFAULTED: dict[type[Any], dict[str, Any]] = {
    kind: dict(zip(kind.__struct_fields__[-len(kind.__struct_defaults__) :], kind.__struct_defaults__, strict=True))
    for kind in (*FIGURES, *ROLLED, *_IN_ORDER)
    if kind.__struct_defaults__
}


def may_lack(kind: type[Any]) -> frozenset[str]:
    """Fields of an event or a body that some readers do not get."""
    if kind is Combatant:
        return frozenset(_BODY)
    if not issubclass(kind, ev.Event):
        return frozenset()
    found = [name for _, names in FIGURES.get(kind, ()) for name in names]
    return frozenset(name for name in (*found, *ROLLED.get(kind, ()), *_IN_ORDER.get(kind, ())) if "." not in name)


def _without(value: Any, name: str, stands: str) -> Any:
    """The value with what stands under that name blanked."""
    if isinstance(value, tuple):
        return tuple(_without(one, name, stands) for one in value)
    head, _, rest = name.partition(".")
    held = getattr(value, head)
    if held is None:
        return value
    nothing = type(held)() if isinstance(held, tuple | dict) else stands
    return msgspec.structs.replace(value, **{head: _without(held, rest, stands) if rest else nothing})
