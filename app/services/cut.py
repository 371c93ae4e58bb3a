"""A fight as somebody may know it: his eyes, and what is cut by them. Nothing else decides what a reader gets.

`app.engine.visibility` says what is secret; here it is applied to what goes out: to states, events, lists, odds,
decisions, reasons.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from app.engine.asks import GM, Ask, Option, Question, Roll
from app.engine.events import AnyEvent, Appeared, Edited, Emitted, Joined
from app.engine.ids import CombatantId
from app.engine.listing import TargetView
from app.engine.preview import CheckOdds, Preview
from app.engine.reasons import Reason
from app.engine.state import Combatant, Effect, State
from app.engine.visibility import NOBODY, NOTHING, Secrets, cut_for, names_in, secrets_of
from app.services.caller import Caller

View = dict[str, Any]
_NO_BODIES: Mapping[CombatantId, Combatant] = {}
_JUDGED = frozenset({"target", "state", "range"})
"""Kinds of reasons that may tell figures of somebody else than the one who acts."""
_TOLD_ANYWAY = frozenset({"hits", "negated"})
"""Figures of a question that events tell everybody."""
_ITEM_FIGURES = frozenset({"count", "marks", "custom"})
_EFFECT_FIGURES = frozenset({"value", "ends", "declared"})


class Eyes:
    """What one reader does not see of a fight as it stands. The GM's, and those of nobody in particular, see all."""

    __slots__ = ("_bodies", "_caller", "hidden", "rolls", "slots", "veiled")

    def __init__(
        self,
        caller: Caller | None = None,
        bodies: Mapping[CombatantId, Combatant] = _NO_BODIES,
        secrets: Secrets = NOTHING,
    ) -> None:
        self._caller, self._bodies = caller, bodies
        self.hidden = secrets.hidden
        """Combatants of whom he may not know."""
        self.slots = secrets.slots
        """The ids under which he sees some of them in the order."""
        self.veiled = frozenset([who for who in secrets.veiled if not self.controls(who)])
        """Combatants whose figures he does not get."""
        self.rolls = secrets.rolls
        """Combatants whose rolls he does not get, be they his own."""

    def __contains__(self, who: object) -> bool:
        """Whether that one is hidden from him."""
        return who in self.hidden

    def controls(self, who: CombatantId) -> bool:
        """Whether he acts for that one."""
        body = self._bodies.get(who)
        return self._caller is not None and body is not None and self._caller.controls(body)

    def kind(self, veiled: Iterable[CombatantId]) -> frozenset[CombatantId]:
        """What kind of reader he is of something that cuts these figures: whose of them he gets."""
        return frozenset([who for who in veiled if self.controls(who)])


ALL_SEEING = Eyes()


def eyes_of(caller: Caller, state: State) -> Eyes:
    """The eyes of this caller on this state."""
    return ALL_SEEING if caller.is_gm else Eyes(caller, state.combatants, secrets_of(state))


def kind_of(caller: Caller, state: State) -> Hashable:
    """What kind of reader he is of a fight as it stands: two of one kind are shown the same, to the last byte.

    It is all that what he is shown depends on, besides the fight: the cut, for whom he acts, and his language.
    """
    own = () if caller.is_gm else frozenset([who for who, body in state.combatants.items() if caller.controls(body)])
    return caller.audience, caller.language, own


# States


def known(state: State, caller: Caller, *, with_slots: bool = False) -> State:
    """The state without what this caller may not know of: combatants who are hidden, and whatever names them.

    Of hidden effects he knows those on combatants whom he controls. Figures are all there: the rules need them. With
    `with_slots` those of whom he knows that somebody is in the order are there, to forecast it.
    """
    if caller.is_gm:
        return state
    secrets = secrets_of(state)
    hidden = secrets.hidden.difference(secrets.slots) if with_slots else secrets.hidden
    bodies = {
        who: body_known(body, hidden, keeps_effects=caller.controls(body))
        for who, body in state.combatants.items()
        if who not in hidden
    }
    if not hidden:
        return replace(state, combatants=bodies)
    clock = state.clock
    slot = None if clock.slot is not None and clock.slot.owner in hidden else clock.slot
    queue = tuple(slot for slot in clock.queue if slot.owner not in hidden)
    clock = replace(clock, slot=slot, queue=queue, acted=tuple(who for who in clock.acted if who not in hidden))
    facts = {key: fact for key, fact in state.scenery.facts.items() if hidden.isdisjoint(key.split(">", 1))}
    return replace(state, combatants=bodies, clock=clock, scenery=replace(state.scenery, facts=facts))


def body_known(body: Combatant, hidden: frozenset[CombatantId], *, keeps_effects: bool = False) -> Combatant:
    """A combatant without hidden effects, and without the names of hidden people."""
    effects = {
        key: _effect_known(effect, hidden) if hidden else effect
        for key, effect in body.effects.items()
        if not effect.hidden or (keeps_effects and not _is_of_the_hidden(effect, hidden))
    }
    if not hidden:
        return body if len(effects) == len(body.effects) else replace(body, effects=effects)
    return replace(body, effects=effects, engaged=tuple(who for who in body.engaged if who not in hidden))


def _is_of_the_hidden(effect: Effect, hidden: frozenset[CombatantId]) -> bool:
    """Whether it is there for hidden people alone: that they have seen him."""
    return bool(effect.words) and hidden.issuperset(effect.words)


def _effect_known(effect: Effect, hidden: frozenset[CombatantId]) -> Effect:
    def name(who: CombatantId | None) -> CombatantId | None:
        return CombatantId(NOBODY) if who in hidden else who

    chains = tuple(
        tuple(replace(tick, who=name(tick.who), against=name(tick.against)) for tick in chain) for chain in effect.until
    )
    waits = tuple(replace(tick, who=name(tick.who), against=name(tick.against)) for tick in effect.active_after)
    return replace(
        effect,
        source=name(effect.source),
        against=name(effect.against),
        words=tuple(word for word in effect.words if word not in hidden),
        until=chains,
        active_after=waits,
        declared={} if names_in(effect.declared, hidden) else effect.declared,
    )


def without_figures(view: View) -> View:
    """A combatant as he is shown to whoever does not get his figures."""
    items = {
        key: {name: held for name, held in item.items() if name not in _ITEM_FIGURES}
        for key, item in view["items"].items()
    }
    effects = [
        {name: held for name, held in effect.items() if name not in _EFFECT_FIGURES} for effect in view["effects"]
    ]
    gone: View = {
        "sample": None,
        "initiative": [],
        "initiative_text": None,
        "resources": [],
        "budgets": [],
        "sheet": None,
    }
    return view | gone | {"items": items, "effects": effects}


# Events


def event_known(happened: AnyEvent, hidden: frozenset[CombatantId]) -> AnyEvent:
    """An event without what its body tells of hidden effects and people."""
    if isinstance(happened, Joined | Edited | Appeared):
        return replace(happened, body=body_known(happened.body, hidden))
    return happened


def event_seen(emitted: Emitted, eyes: Eyes) -> AnyEvent:
    """An event of everybody's log with nothing where this reader gets no figure: for who counts, not for the wire."""
    happened, gone = cut_for(emitted, eyes.controls)
    empty = {name: type(getattr(happened, name))() for name in gone if "." not in name and hasattr(happened, name)}
    return replace(happened, **{name: held for name, held in empty.items() if held is not None})


def left_out(view: Any, paths: Iterable[str]) -> Any:
    """A built value without what stands at these paths (`body.items.*.marks`); of a list without whatever has that
    (`terms.of`: every term that is another's).
    """
    for path in paths:
        _leave_out(view, path.split("."))
    return view


def _leave_out(view: Any, path: list[str]) -> None:
    if not isinstance(view, dict):
        return
    head, *rest = path
    if not rest:
        view.pop(head, None)
    elif head == "*":
        for one in view.values():
            _leave_out(one, rest)
    elif isinstance(view.get(head), list | tuple):
        view[head] = [one for one in view[head] if one.get(rest[0]) is None]
    elif head in view:
        _leave_out(view[head], rest)


# Reasons, lists, odds, decisions


def reason_known(why: Reason, eyes: Eyes) -> Reason:
    """A reason without figures that may be those of somebody whose figures the reader does not get."""
    if eyes.veiled and (why.kind in _JUDGED or not eyes.veiled.isdisjoint(why.names)):
        return replace(why, need=None, got=None)
    return why


def target_known(target: TargetView, eyes: Eyes) -> TargetView:
    """A target of an action without the chance against somebody whose figures the reader does not get."""
    return replace(target, chance=None) if target.id in eyes.veiled else target


def odds_known(found: Preview, eyes: Eyes) -> Preview:
    """What might come of an action. Where somebody has a part in it whose figures the reader does not get, what comes
    of it would betray them, and so would his own tests.
    """
    if not eyes.veiled or eyes.veiled.isdisjoint(found.people):
        return found
    checks = tuple(_sum_known(one, eyes) for one in found.checks if one.combatant not in eyes.veiled)
    defence = tuple(one for one in found.defence if one.combatant not in eyes.veiled)
    return replace(found, checks=checks, defence=defence, odds=None)


def _sum_known(check: CheckOdds, eyes: Eyes) -> CheckOdds:
    """A test without terms that are figures of somebody whom the reader does not get them of, and without their sum.

    Its chance is told where it is that of the sum and no more: told or not, neither must hang on whether he may react.
    """
    terms = tuple(one for one in check.terms if one.of not in eyes.veiled)
    if len(terms) < len(check.terms) or check.held_in in eyes.veiled:
        return replace(check, terms=terms, target=None, chance=None)
    return replace(check, chance=None) if check.over in eyes.veiled else check


def ask_known(ask: Ask, eyes: Eyes, rolls: CombatantId | None = None) -> Ask:
    """What somebody is asked, without figures of those whose figures the reader does not get, and without what comes of
    rolls that he does not see: those of the hidden, those that are secret, and those of `rolls` in this command.

    Of what one of them is asked he learns only that it is asked, unless it is his to answer.
    """
    if eyes is ALL_SEEING:
        return ask
    rollers = eyes.rolls if rolls is None else eyes.rolls | {rolls}
    if isinstance(ask, Roll):
        if ask.by in eyes.veiled or ask.by in rollers:
            return replace(ask, count=0, sides=0, target=None)
        return ask if eyes.veiled.isdisjoint(ask.of) else replace(ask, target=None)
    unseen = eyes.hidden | rollers
    if ask.to in unseen:
        if not eyes.controls(ask.to):
            return _only_asked(ask)
        return replace(ask, figures=_told_anyway(ask), options=tuple(_option_known(one) for one in ask.options))
    if ask.to in eyes.veiled:
        return replace(ask, options=(), barred=(), figures={}, lengths={})
    if ask.to == GM and ask.about in unseen:
        return _only_asked(ask)
    if ask.about not in eyes.veiled and ask.about not in unseen:
        return ask
    return replace(ask, figures=_told_anyway(ask), options=tuple(_option_known(one) for one in ask.options))


def _only_asked(question: Question) -> Question:
    """That it is asked: what may be answered, and what is the default, can hang on the roll."""
    return replace(question, options=(), barred=(), figures={}, lengths={}, default="")


def _told_anyway(question: Question) -> dict[str, int]:
    return {name: value for name, value in question.figures.items() if name in _TOLD_ANYWAY}


def _option_known(option: Option) -> Option:
    """An answer without its odds, where they hang on more than the figures of whoever is asked."""
    if option.own:
        return option
    form = tuple(replace(field, chance=None, chances={}) for field in option.form)
    return replace(option, chance=None, form=form)
