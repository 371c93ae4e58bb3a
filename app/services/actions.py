"""Submitting an action: the central path. What is possible, and what would happen, stand beside it."""

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import to_builtins

from app.catalog import Rulebook
from app.engine import commands as cmd
from app.engine.ids import ActionId, CombatantId, Length
from app.engine.listing import ActionView, TargetView, TypeView, listing
from app.engine.preview import MILLION, CheckOdds, Preview
from app.engine.preview import preview as engine_preview
from app.engine.reasons import Refused
from app.engine.rules import Ruleset
from app.engine.state import Combatant, State
from app.engine.table import Table
from app.persistence.work import Live, revision
from app.services import door, lookup, rulesets, stated, wire
from app.services.bodies import SubmissionIn
from app.services.caller import Attempt, Caller, Result
from app.services.changes import change, words_for
from app.services.cut import Eyes, eyes_of, known, odds_known, target_known
from app.services.errors import AnswerAwaited, BadInput, NotPermitted
from app.services.overdue import END_TURN
from app.services.play import Played, begin, judge, nothing_waits, why_wait
from app.services.results import present
from app.services.service import Service
from app.services.settings import Settings
from app.services.units import units
from app.services.words import Words

_encode = msgspec.json.Encoder().encode

GM_MODIFIER = "gm"
"""The situational modifier of the GM. It has a value of its own, and whatever has one only the GM may bring along."""


async def submit(service: Service, caller: Caller, encounter: str, body: SubmissionIn, attempt: Attempt) -> Result:
    """Take an action (also `end_turn`). Who controls the actor, or the GM. Answers with a command result.

    Where players only propose, it waits for the GM's yes.

    Raises `Refusal` with every reason, `BadInput`, `BadAnswer`, `AnswerAwaited` while something waits, `Stale`.
    """
    now = service.clock()

    def act(book: Rulebook, live: Live) -> Played:
        rules = book.ruleset
        actor = actor_of(rules, live.state, caller, body)
        nothing_waits(rules, live, caller)
        sub = read(rules, live.state, caller, actor, body)
        act = cmd.Act(sub, needs_approval(caller, live, sub.action))
        return begin(rules, live, act, now=now, token=caller.token)

    return await change(service, caller, encounter, attempt, act)


def needs_approval(caller: Caller, live: Live, action: ActionId) -> bool:
    """Whether this waits for the GM's yes: what a player does where the table says so, but for ending a turn."""
    return not caller.is_gm and action != END_TURN and Settings.of(live.head).approval == "actions"


def actor_of(rules: Ruleset, state: State, caller: Caller, body: SubmissionIn) -> Combatant:
    """Who acts, if the caller may act for him. Raises `Refused` for somebody whom he cannot know, `NotPermitted`."""
    actor = lookup.find(state, caller, body.actor)
    if actor is None:
        raise Refused((rules.reason("unknown_combatant", at="/actor", names=(lookup.ABSENT + body.actor,)),))
    if not caller.controls(actor):
        raise NotPermitted("control of the actor")
    if not caller.is_gm and _says_what_the_gm_says(rules, body):
        raise lookup.gm_alone(rules)
    return actor


def _says_what_the_gm_says(rules: Ruleset, body: SubmissionIn) -> bool:
    """Whether it brings along a modifier with a value of its own, an input that is the GM's alone, or is secret."""
    if body.secret or any(one.id == GM_MODIFIER or one.value is not None for one in body.modifiers):
        return True
    action = rules.actions.get(ActionId(body.action))
    return action is not None and any(field.gm and field.name in body.options for field in action.form)


def read(rules: Ruleset, state: State, caller: Caller, actor: Combatant, body: SubmissionIn) -> cmd.Submission:
    """The submission as the engine takes it. Raises `BadInput` where it states what cannot be."""
    findings = tuple(stated.submission_fits(rules, state, caller, actor, body))
    if findings:
        raise BadInput(findings)
    return door.submission(rules, state, caller, actor.id, body)


async def possible(
    service: Service, caller: Caller, encounter: str, combatant: str, *, available_only: bool = False
) -> Result:
    """Every action for this combatant now: legal or with all reasons, its cost, form, targets and weapons.

    For whoever may act for him. It is judged as a submission is, so that what it offers is accepted; while somebody
    must answer first, nothing is offered.
    """
    live = await lookup.encounter(service.store, caller, encounter)
    actor = lookup.combatant(live.state, caller, combatant)
    if not caller.controls(actor):
        raise NotPermitted("control of the combatant")
    book = await service.fetch(live.head.pin)
    version = revision(live.head, caller.audience)

    def make() -> dict[str, Any]:
        words, eyes = words_for(service, caller, book, live.state), eyes_of(caller, live.state)
        bodies = live.state.combatants
        found = listing(Table(book.ruleset, live.state), actor.id, eyes.hidden, why_wait(book.ruleset, live, caller))
        home = rulesets.home(service, encounter, book)
        views = [
            action(one, actor, bodies, book, words, eyes, home) for one in found if one.available or not available_only
        ]
        return {"version": version, "actions": views}

    return present(service.renderings.of(live, caller, ("actions", actor.id, available_only), make), live, caller)


def action(
    one: ActionView,
    actor: Combatant,
    bodies: Mapping[CombatantId, Combatant],
    book: Rulebook,
    words: Words,
    eyes: Eyes,
    home: str,
) -> dict[str, Any]:
    """One action as a client sees it: enough to draw its button. `home` is where the ruleset's pages are."""
    form = book.ruleset.actions[one.id].form
    ordinary = next((way for way in one.types if way.type == one.default_type), None)
    return {
        "id": one.id,
        "name": words.name("action", one.id),
        "available": one.available,
        "cost": () if ordinary is None else ordinary.cost,
        "extent": None if ordinary is None else _units(ordinary.extent),
        "types": [_way(way, words) for way in one.types],
        "default_type": one.default_type,
        "tags": one.tags,
        "clauses": one.clauses,
        "reasons": [wire.reason(why, words, eyes) for why in one.reasons],
        "targets": [_target(target, actor, bodies, words, eyes) for target in one.targets],
        "weapons": one.weapons,
        "needs": one.needs,
        "form": {"href": f"{home}/actions/{one.id}#form"} if form else None,
    }


def _way(way: TypeView, words: Words) -> dict[str, Any]:
    return {
        "type": way.type,
        "name": words.name("action_type", way.type),
        "cost": way.cost,
        "available": way.available,
        "extent": _units(way.extent),
    }


def _units(length: Length | None) -> float | None:
    return None if length is None else units(length)


def _target(
    target: TargetView, actor: Combatant, bodies: Mapping[CombatantId, Combatant], words: Words, eyes: Eyes
) -> dict[str, Any]:
    target = target_known(target, eyes)
    view: dict[str, Any] = {
        "id": target.id,
        "relation": _relation(actor, bodies[target.id]),
        "available": target.available,
    }
    if target.chance is not None:
        view["chance"] = target.chance / MILLION
    if target.reasons:
        view["reasons"] = [wire.reason(why, words, eyes) for why in target.reasons]
    if target.missing:
        view["missing"] = [wire.reason(why, words, eyes) for why in target.missing]
    return view


def _relation(actor: Combatant, other: Combatant) -> str:
    if actor.id == other.id:
        return "self"
    return "ally" if actor.side == other.side else "foe"


async def preview(service: Service, caller: Caller, encounter: str, body: SubmissionIn) -> Result:
    """Whether it is allowed and what would come of it. Draws no die and changes nothing.

    Allowed is what a submission would be, and dice brought along are judged as there; what would come of it is
    reckoned without them, from what the caller may know. Raises `NotPermitted`, `BadInput`, `BadAnswer`,
    `LimitReached`.
    """
    live = await lookup.encounter(service.store, caller, encounter)
    book = await service.fetch(live.head.pin)
    rules, state = book.ruleset, live.state
    words, eyes = words_for(service, caller, book, state), eyes_of(caller, state)
    version = revision(live.head, caller.audience)
    try:
        actor = actor_of(rules, state, caller, body)
        nothing_waits(rules, live, caller)
        sub = read(rules, state, caller, actor, body)
        judge(rules, live, cmd.Act(sub))
    except (Refused, AnswerAwaited) as refused:
        return Result(_encode(_odds(Preview(False, refused.reasons), words, eyes)), version)
    # The rule is run a hundred times and more: not on the loop, where everybody else would wait for it.
    found = await asyncio.to_thread(engine_preview, rules, known(state, caller), sub)
    return Result(_encode(_odds(found if found.legal else Preview(True), words, eyes)), version)


def _check(check: CheckOdds, words: Words) -> dict[str, Any]:
    view: dict[str, Any] = to_builtins(check)
    for term in view["terms"]:
        term["name"] = words.term(term["id"])
    del view["over"], view["held_in"], view["chance"]
    if check.target is None:
        del view["target"]
    view |= {"name": words.ability(check.check), "purpose_name": words.purpose(check.purpose)}
    if check.chance is not None:
        view["chance"] = check.chance / MILLION
    return view


def _odds(found: Preview, words: Words, eyes: Eyes) -> dict[str, Any]:
    found = odds_known(found, eyes)
    view: dict[str, Any] = {
        "legal": found.legal,
        "reasons": [wire.reason(why, words, eyes) for why in found.reasons],
        "checks": [_check(check, words) for check in found.checks],
        "defence": [
            {
                "combatant": one.combatant,
                "option": one.option,
                "name": words.reaction(one.option),
                "chance": None if one.chance is None else one.chance / MILLION,
            }
            for one in found.defence
        ],
    }
    odds = found.odds
    if odds is not None:
        view["hits"] = {str(stood): chance / MILLION for stood, chance in odds.hits.items()}
        view["hits_error"] = odds.hits_error / MILLION
        view["damage"] = {
            "mean": odds.damage_mean / 1000,
            "at_least": {str(points): chance / MILLION for points, chance in odds.damage_at_least.items()},
            "drops": odds.drops / MILLION,
            "method": odds.method,
            "runs": odds.runs,
            "error": odds.error / MILLION,
        }
    return view
