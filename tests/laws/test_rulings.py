"""Whatever the game master takes away or changes while a command waits: it goes on, or the ruling is refused."""

from collections.abc import Iterator
from functools import partial

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine.ids import CombatantId, EffectId, ItemId
from app.engine.reasons import BadAnswer, Refused
from app.engine.rules import Ruleset
from app.engine.run import StoredRuling, digest_of, run
from app.engine.state import State
from tests.laws.cases import Case, drawn, golden_cases
from tests.laws.generate import rulesets
from tests.support.sizes import sized

EVERY = sized(6, 6, 1)
"""One in so many of the questions of the golden fights, the next time another one."""


def rulings(rules: Ruleset, state: State) -> Iterator[cmd.Rule | cmd.Edit]:
    """What may befall anybody in the midst of anything."""
    kinds = [kind for kind in rules.effects.values() if kind.ruled and kind.against != "required"]
    weapons = sorted(rules.weapons)
    for who, body in state.combatants.items():
        changes: list[cmd.Change] = [cmd.SetStatus(who, "dead"), cmd.SetStatus(who, "down")]
        changes += [cmd.AddEffect(who, kind.id, 1) for kind in kinds]
        for change in changes:
            yield cmd.Rule("so be it", (change,))
        if body.items:
            yield cmd.Rule("taken", tuple(cmd.SetItem(who, ItemId(key), None) for key in body.items))
            for place, weapon in enumerate(weapons):
                other = {key: replace(item, kind=weapon, custom=None, marks={}) for key, item in body.items.items()}
                if place % EVERY == 0:
                    yield cmd.Edit(replace(body, items=other), ("items",))
        if body.effects:
            yield cmd.Rule("over", tuple(cmd.RemoveEffect(who, EffectId(key)) for key in body.effects))
        yield cmd.Edit(replace(body, side="nobody's"), ("side",))
        yield cmd.Edit(replace(body, hidden=True), ("hidden",))
        if body.place is not None:
            yield cmd.Edit(replace(body, place=None), ("place",))
            yield cmd.Rule("moved", (cmd.Reposition(who, replace(body.place, x=body.place.x + 5_000)),))


def cuts(name: str) -> Iterator[tuple[Case, int]]:
    """Every open question of the golden fights of that ruleset."""
    for case in golden_cases():
        if case.rules.id == name and isinstance(case.command, cmd.Act):
            yield from ((case, cut) for cut in range(len(case.inputs)))


@pytest.mark.parametrize("name", rulesets())
def test_it_goes_on_whatever_is_ruled_while_it_waits(name: str) -> None:
    number = 0
    for case, cut in cuts(name):
        waiting = case.again({key: case.inputs[key] for key in list(case.inputs)[:cut]})
        shown = len(waiting.events)
        for ruling in rulings(case.rules, waiting.state):
            number += 1
            if not shown or number % EVERY:
                continue
            source = partial(drawn, number.to_bytes(4), plainly=number % 2 == 0)
            try:
                outcome = run(
                    case.rules,
                    case.base,
                    case.command,
                    inputs=waiting.inputs,
                    source=source,
                    rulings=(StoredRuling(shown, ruling),),
                    shown=shown,
                    digest=digest_of(waiting.events),
                )
            except (Refused, BadAnswer):
                continue
            _is_sound(outcome.state)
    assert number


def _is_sound(state: State) -> None:
    for who, body in state.combatants.items():
        for key, item in body.items.items():
            assert all(value >= 0 for value in item.marks.values()), (who, key, item)
    slot = state.clock.slot
    up = [who for who, body in state.combatants.items() if body.status == "up"]
    assert slot is None or CombatantId(slot.owner) in up or not up, f"the turn of {slot}"
