"""The list of what one can do and what happens when one tries it agree: on states and combatants by chance."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine.actions import why_not
from app.engine.asks import Ask, Input
from app.engine.ids import CombatantId, ItemId
from app.engine.listing import ActionView, listing
from app.engine.reasons import BadAnswer, Reason, Refused
from app.engine.rules import Action
from app.engine.run import run
from app.engine.space.model import Point, Sector
from app.engine.table import Table, table_for
from tests.laws.cases import drawn
from tests.laws.generate import Table as Standing
from tests.laws.generate import places_of, rulesets, standing
from tests.laws.tape import Tape, examples, tapes

STEP = 10
"""Hundredths: so far everybody gets who gets anywhere; no agility and a lost leg leave a quarter of a metre."""
LONG = 400
"""Hundredths of a way that is none if it is shorter: a sprint by squares."""
TURN, NARROW = 15, 30
"""Degrees from one zone tried to the next, and the width of each: one lies in the narrowest arc of a braced weapon."""
MOST_FILLS = 12
CHOICES = 5
DISTANCES = (400, 100, 40, 0, 200)
"""Hundredths: of his weapons, one may be for far and the one that would do for near."""
NOT_TOLD = {"path_blocked", "destination_blocked", "destination_not_cover", "same_half_action_twice"}
"""Where exactly there is room or cover, and which thing he has readied already, the list does not say."""


def reasons_of(table: Standing, sub: cmd.Submission, view: ActionView) -> tuple[Reason, ...]:
    """What stands against it and cannot be filled in: an item only if he has one that fits."""
    try:
        found = why_not(table_for(table.rules, table.state, sub), sub)
    except BadAnswer:
        return ()
    return lasting(table, found, view)


def lasting(table: Standing, reasons: tuple[Reason, ...], view: ActionView) -> tuple[Reason, ...]:
    """The reasons that no input takes away."""
    items = () if view.weapons else ("/weapon",)
    return tuple(one for one in reasons if not table.rules.can_fill_in(one) or one.at in items)


def refused_with(table: Standing, sub: cmd.Submission) -> tuple[Reason, ...] | None:
    """The reasons with which it is refused when it is really tried; None if it is taken."""
    asked: list[Ask] = []

    def source(ask: Ask) -> Input:
        asked.append(ask)
        return drawn(b"", ask, plainly=True)

    try:
        run(table.rules, table.state, cmd.Act(sub), inputs={}, source=source)
    except Refused as refused:
        assert not asked, f"{sub}: refused after {asked[-1].key} was asked"
        return refused.reasons
    return None


def fills(table: Standing, sub: cmd.Submission, action: Action, view: ActionView) -> Iterator[cmd.Submission]:
    """The submission with the inputs that it misses filled in, in every way that a client would think of."""
    places = _paths(table, sub.actor)
    place = table.state.combatants[sub.actor].place
    around = (None, *(_zone((0, 0) if place is None else place.point, facing) for facing in range(0, 360, TURN)))
    for area in around if "area" in action.needs else (None,):
        for weapon in (sub.weapon, *view.weapons):
            for hand in ({}, {"hand": "stowed"}) if any(field.name == "hand" for field in action.form) else ({},):
                for path in ((), *places) if "path" in action.needs and action.targets.maximum == 0 else ((),):
                    yield replace(sub, weapon=weapon, path=path, area=area, options={**sub.options, **hand})


def _zone(centre: Point, facing: int) -> Sector:
    return Sector(centre, 0, facing, NARROW)


def _step(table: Standing) -> int:
    """A short way; a whole square where one goes by squares."""
    return 100 if table.rules.metric == "chebyshev" else STEP


def _paths(table: Standing, who: CombatantId) -> list[tuple[tuple[int, int], ...]]:
    place = table.state.combatants[who].place
    if place is None:
        return [()]
    step = _step(table)
    slant = step if step > STEP else 7
    around = ((step, 0), (0, step), (-step, 0), (0, -step), *((slant * x, slant * y) for x in (1, -1) for y in (1, -1)))
    far = ((LONG, 0), (0, LONG), (-LONG, 0), (0, -LONG)) if step > STEP else ()
    return [((place.x + dx, place.y + dy),) for dx, dy in (*around, *far)]


def completed(
    table: Standing, sub: cmd.Submission, action: Action, which: int, view: ActionView, far: int
) -> cmd.Submission:
    """What is still missing by the reasons themselves, filled in one after another; of several words the which-th."""
    for _ in range(MOST_FILLS):
        try:
            missing = [
                one
                for one in why_not(table_for(table.rules, table.state, sub), sub)
                if table.rules.can_fill_in(one) and one.at is not None
            ]
        except BadAnswer as bad:
            sub = _with(table, sub, action, which, bad.at, (), view, far)
            continue
        if not missing:
            return sub
        for one in missing:
            short = one.to_fill_in and one.at in ("/path", "/said/length")
            if short:
                sub = _closer(table, sub, one, view)
            else:
                sub = _with(table, sub, action, which, one.at or "", one.names, view, far)
    return sub


def _closer(table: Standing, sub: cmd.Submission, reason: Reason, view: ActionView) -> cmd.Submission:
    """The submission with a way straight at the target, just so far that it is as near as it has to be, or else as far
    as the list says that it leads: reach counts to the nearest yard.
    """
    space, target = table_for(table.rules, table.state, sub).space, sub.targets[0]
    far = space.distance(sub.actor, target)
    assert isinstance(far, int)
    length = far - 100 * (reason.need or 0)
    most = next((way.extent for way in view.types if way.type == (sub.type or view.default_type)), None)
    length = length if most is None or length <= most else most - 1
    here, there = (table.state.combatants[CombatantId(who)].place for who in (sub.actor, target))
    if here is None or there is None:
        return replace(sub, said=replace(sub.said, length=length), options={**sub.options, "toward": target})
    x, y = ((one + round((other - one) * length / far)) for one, other in ((here.x, there.x), (here.y, there.y)))
    return replace(sub, path=((x, y),))


def _with(
    table: Standing,
    sub: cmd.Submission,
    action: Action,
    which: int,
    at: str,
    names: tuple[str, ...],
    view: ActionView,
    far: int,
) -> cmd.Submission:
    said: dict[str, Any] = {
        "/said/distance": {"distance": dict.fromkeys(sub.targets or names, far)},
        "/said/bands": {"bands": dict.fromkeys(sub.targets, next(iter(table.rules.vocabulary.bands), "near"))},
        "/said/length": {"length": LONG if which // 2 % 2 and _step(table) > STEP else _step(table)},
        "/said/sees": {"sees": dict.fromkeys(sub.targets or names, which % 2 == 0)},
        "/said/units_free": {"units_free": far},
        "/said/destination_free": {"destination_free": True},
        "/said/path_straight": {"path_straight": True},
        "/said/leaves": {"leaves": ()},
        "/said/crosses": {"crosses": ()},
        "/said/near": {"near": ()},
        "/said/inside": {"inside": ()},
    }
    if at in said:
        return replace(sub, said=replace(sub.said, **said[at]))
    if at == "/location" and not sub.targets:
        return replace(sub, location="door_lock", options={**sub.options, "special": True})
    place = table.state.combatants[sub.actor].place
    if at.startswith("/options/"):
        name = at.removeprefix("/options/")
        field = next(field for field in action.form if field.name == name)
        words = names or field.choices or ("a word",)
        number = (field.minimum or 0) + which * ((field.maximum or 0) // CHOICES)
        others, items = _others(table, sub.actor), sorted(table.state.combatants[sub.actor].items)
        plain: dict[str, Any] = {
            "bool": True,
            "integer": number,
            "length": number,
            "combatant": others[0] if others else sub.actor,
            "integers": [max(5, field.minimum or 0)],
            "combatants": [],
            "path": [(0, 0) if place is None else place.point],
            "item": names[0] if names else items[which % len(items)] if items else "nothing",
        }
        return replace(sub, options={**sub.options, name: plain.get(field.type, words[which % len(words)])})
    aimed = tuple(target.id for target in view.targets if target.available)[:1]
    centre = (0, 0) if place is None else place.point
    given: dict[str, Any] = {
        "/location": {"location": places_of(table.rules)[0]},
        "/area": {"area": _zone(centre, 90)},
        "/facing": {"facing": 90},
        "/path": {"path": _paths(table, sub.actor)[0]},
        "/targets": {"targets": aimed or _others(table, sub.actor)},
    }
    return replace(sub, **given.get(at, {}))


def _others(table: Standing, who: CombatantId) -> tuple[CombatantId, ...]:
    return tuple(other for other in sorted(table.state.combatants) if other != who)


def what_is_offered_is_accepted(table: Standing, view: ActionView, plain: cmd.Submission) -> None:
    """Filled in as asked, what the list offers is taken."""
    action = table.rules.actions[view.id]
    tried: list[list[str]] = []
    seen: list[cmd.Submission] = []
    for sub in fills(table, plain, action, view):
        for which, far in product(range(CHOICES), DISTANCES if table.state.scenery.ground is None else DISTANCES[:1]):
            whole = completed(table, sub, action, which, view, far)
            if whole in seen:
                continue
            seen.append(whole)
            found = refused_with(table, whole)
            if found is None:
                return
            tried.append([one.code for one in found])
    if not any(set(codes) <= NOT_TOLD for codes in tried):
        raise AssertionError(
            f"{view.id} is offered {plain} and refused however filled in: {tried[:4]} ... {tried[-4:]}"
        )


def what_is_refused_is_refused_alike(
    table: Standing, view: ActionView, plain: cmd.Submission, told: tuple[Reason, ...]
) -> None:
    """What the list refuses is refused when tried, and for the same reasons."""
    found = refused_with(table, plain)
    assert found is not None, plain
    assert lasting(table, found, view) == told, plain


def agree(table: Standing, actor: CombatantId) -> None:
    """Everything that the list says of somebody."""
    for view in listing(Table(table.rules, table.state), actor):
        plain = cmd.Submission(actor, view.id)
        ways = [way.type for way in view.types if way.available]
        for way in view.types:
            sub = replace(plain, type=way.type)
            assert way.available == (not reasons_of(table, sub, view)), sub
            if not way.available:
                what_is_refused_is_refused_alike(table, view, sub, reasons_of(table, sub, view))
        if not ways:
            assert not view.available
            what_is_refused_is_refused_alike(table, view, plain, view.reasons)
            continue
        kept = replace(plain, type=None if not reasons_of(table, plain, view) else ways[0])
        for target in view.targets:
            sub = replace(kept, targets=(target.id,))
            if target.available:
                what_is_offered_is_accepted(table, view, sub)
            else:
                assert target.reasons
                what_is_refused_is_refused_alike(table, view, sub, target.reasons)
        if not table.rules.actions[view.id].targets.minimum and view.available:
            what_is_offered_is_accepted(table, view, kept)
        assert view.available or view.reasons or table.rules.actions[view.id].targets.minimum


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", rulesets())
@examples(everyday=120, long=10_000)
@given(tape=tapes(1000))
def test_the_list_and_the_submission_agree(name: str, tape: Tape) -> None:
    table = standing(tape, name, tape.below(5))
    slot = table.state.clock.slot
    actors = sorted(table.state.combatants) if slot is None else [slot.owner]

    agree(table, CombatantId(tape.pick(actors)))


@pytest.mark.parametrize("name", rulesets())
@examples(everyday=60, long=3_000)
@given(tape=tapes(1000))
def test_what_is_not_in_the_list_of_weapons_is_no_weapon_for_it(name: str, tape: Tape) -> None:
    """An item that the list leaves out for an action is refused with it, or is not looked at."""
    table = standing(tape, name, 2)
    slot = table.state.clock.slot
    if slot is None:
        return
    for view in listing(Table(table.rules, table.state), slot.owner):
        action = table.rules.actions[view.id]
        if "ranged" not in action.weapons.kinds and "melee" not in action.weapons.kinds:
            continue
        for target in view.targets:
            left_out = [ItemId(key) for key in table.state.combatants[slot.owner].items if key not in view.weapons]
            for item in left_out:
                assert refused_with(table, cmd.Submission(slot.owner, view.id, targets=(target.id,), weapon=item))
