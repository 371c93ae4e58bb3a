"""Every action of every ruleset, with no target, one and many, on a map and without: it ends, asks, or refuses."""

from itertools import product

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine.actions import why_not
from app.engine.asks import Ask, Input
from app.engine.ids import CombatantId, ItemId
from app.engine.preview import preview
from app.engine.reasons import BadAnswer, Refused
from app.engine.rules import Action
from app.engine.run import run
from app.engine.space.model import Ground, PairFact, Place, Said, Sector, pair_key
from app.engine.state import Item, Scenery, State
from app.engine.table import table_for
from tests.laws.cases import drawn, settled
from tests.laws.generate import rulesets
from tests.support.play import book

PEOPLE = ("ann", "bo", "cy", "dee")
ANN = CombatantId("ann")
TARGETS = {"no target": (), "one": ("bo",), "itself": ("ann",), "many": ("bo", "cy", "dee"), "unknown": ("nobody",)}


def table(name: str, *, on_map: bool, distance: int) -> State:
    """Four people in pairs of foes, the first with something of every kind in his hands; his turn has begun."""
    rules = book(name).ruleset
    samples = sorted(book(name).document["samples"])
    bodies = {}
    for place, who in enumerate(PEOPLE):
        body = book(name).sample(samples[place % len(samples)], CombatantId(who), ("red", "green")[place % 2], who)
        assert body is not None
        body = replace(body, place=Place(distance * place, 0, 90) if on_map else None)
        bodies[CombatantId(who)] = rules.prepare(rules, body)
    pairs = [(one, other) for one in PEOPLE for other in PEOPLE if one < other]
    facts = {} if on_map else {pair_key(*pair): PairFact(distance=distance) for pair in pairs}
    scenery = Scenery(ground=Ground() if on_map else None, facts=facts)
    state = settled(rules, State(name, scenery=scenery, combatants=bodies), cmd.Start(), b"start").outcome.state
    kinds = sorted(rules.weapons)
    items = {kind: Item(kind, held=None, marks={"ammo": 1}) for kind in kinds}
    ann = replace(state.combatants[ANN], items=items)
    slot = state.clock.slot
    assert slot is not None
    clock = replace(state.clock, slot=replace(slot, owner=ANN))
    budget = dict.fromkeys(rules.budgets, 2)
    return replace(state, clock=clock, combatants={**state.combatants, ANN: replace(ann, budget=budget)})


def holding(state: State, kind: str) -> State:
    """The same with that in her hands."""
    ann = state.combatants[ANN]
    items = {**ann.items, kind: replace(ann.items[kind], held="both")}
    return replace(state, combatants={**state.combatants, ANN: replace(ann, items=items)})


def ways(name: str, action: Action, state: State) -> list[tuple[State, cmd.Submission]]:
    """Plain submissions, and ones with every input that an action may need."""
    rules, found = book(name).ruleset, []
    full = Said(distance={"bo": 400}, length=40, path_straight=True, leaves=(), crosses=(), near=("cy",))
    for kind, targets in product([None, *sorted(rules.weapons)], TARGETS.values()):
        sub = cmd.Submission(ANN, action.id, targets=tuple(CombatantId(who) for who in targets))
        found.append((state, sub))
        place = state.combatants[ANN].place
        whole = replace(
            sub,
            weapon=None if kind is None else ItemId(kind),
            path=() if place is None else ((place.x, place.y + 40),),
            facing=90,
            area=Sector((0, 0), 300, 90, 30),
            location="body",
            said=full if place is None else Said(),
            note="hey",
        )
        found.append((state if kind is None else holding(state, kind), whole))
    return found


def outcome_of(name: str, state: State, sub: cmd.Submission, *, plainly: bool) -> str:
    """How it comes out: `ends`, `refused` with reasons and clauses, or `bad`; anything else is raised."""
    rules = book(name).ruleset

    def source(ask: Ask) -> Input:
        return drawn(b"x", ask, plainly=plainly)

    try:
        open_ = run(rules, state, cmd.Act(sub), inputs={}, source=lambda ask: None).open
        run(rules, state, cmd.Act(sub), inputs={}, source=source)
    except Refused as refused:
        clauses = [reason.clause for reason in refused.reasons]
        return "refused" if clauses and all(book(name).clause(one, "en") for one in clauses) else "refused for nothing"
    except BadAnswer:
        return "bad"
    return "asks" if open_ else "ends"


@pytest.mark.parametrize(
    ("name", "action"), [(name, action) for name in rulesets() for action in book(name).ruleset.actions]
)
@pytest.mark.parametrize("on_map", [False, True], ids=["stated", "map"])
@pytest.mark.parametrize("distance", [100, 600], ids=["near", "far"])
def test_it_ends_or_asks_or_refuses_with_a_clause(name: str, action: str, on_map: bool, distance: int) -> None:
    state = table(name, on_map=on_map, distance=distance)
    found = book(name).ruleset.actions[action]

    results = {
        outcome_of(name, base, sub, plainly=plainly)
        for base, sub in ways(name, found, state)
        for plainly in (True, False)
    }

    assert results <= {"ends", "asks", "refused", "bad"}


@pytest.mark.parametrize(
    ("name", "action"), [(name, action) for name in rulesets() for action in book(name).ruleset.actions]
)
def test_a_preview_of_it_ends_too(name: str, action: str) -> None:
    """And says what a check says."""
    rules, state = book(name).ruleset, table(name, on_map=False, distance=100)
    for base, sub in ways(name, rules.actions[action], state)[:8]:
        try:
            reasons = why_not(table_for(rules, base, sub), sub)
        except BadAnswer:
            continue

        found = preview(rules, base, sub)

        assert found.reasons == reasons
        assert found.legal == (not reasons)


@pytest.mark.parametrize(
    ("name", "action"), [(name, action) for name in rulesets() for action in book(name).ruleset.actions]
)
def test_what_is_told_beside_a_weapon_that_is_not_there_stands_whatever_he_takes(name: str, action: str) -> None:
    rules, state = book(name).ruleset, table(name, on_map=False, distance=100)
    for base, sub in ways(name, rules.actions[action], state):
        try:
            without = why_not(table_for(rules, base, sub), replace(sub, weapon=ItemId("no_such_thing")))
        except BadAnswer:
            continue
        if base.status != "running" or not any(reason.code == "item_not_carried" for reason in without):
            continue
        told = {reason.code for reason in without} - {"item_not_carried", "unused_input", "missing_input"}
        looked_at = table_for(rules, base, sub)
        for key in base.combatants[ANN].items:
            if rules.fits(looked_at, ANN, ItemId(key), rules.actions[action]):
                reasons = why_not(looked_at, replace(sub, weapon=ItemId(key)))
                assert told <= {reason.code for reason in reasons}, (key, sub)


@pytest.mark.parametrize("name", rulesets())
def test_every_planned_action_is_refused_as_not_there_yet(name: str) -> None:
    rules, state = book(name).ruleset, table(name, on_map=False, distance=100)
    for action, clause in rules.planned.items():
        sub = cmd.Submission(ANN, action)

        reasons = why_not(table_for(rules, state, sub), sub)

        assert [(reason.code, reason.clause) for reason in reasons] == [("not_supported_yet", clause)]
        assert book(name).clause(clause, "en") is not None
