"""Several phases at once: two beats, each submitted hidden and resolved from one moment. Clause SR-165."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from app.engine.actions import completed, why_not
from app.engine.asks import Answer, Option, Question
from app.engine.commands import Submission
from app.engine.events import EffectBegan, Noted
from app.engine.fold import fold
from app.engine.forms import Field, Form
from app.engine.ids import ActionId, ClauseId, CombatantId, EffectId, ItemId, Length
from app.engine.moments import HALTED, ActionDone, Declaring
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.space.model import Said
from app.engine.state import Effect, State
from app.engine.table import Table, table_for
from rulesets.shadowrun_5e.delaying import DELAYING
from rulesets.shadowrun_5e.figures import is_out

ACT, PASS, DELAY = "act", "pass", "delay"
BEATS = 2
WALK = ActionId("walk")
RUN = "run"
ALONE = ("end_phase", "end_turn", "delay_action", "improvise")
"""What no beat holds: a beat ends by itself, and what the GM has yet to price cannot be sealed."""


class Part(msgspec.Struct, frozen=True):
    """One thing that somebody does in a beat."""

    sub: Submission
    action: Action


def act_together(scene: Scene, whom: tuple[CombatantId, ...]) -> None:
    """Up to two beats. In each all submit unseen by the others and are resolved from how things stood at its start;
    then positions, then damage and conditions come into force together.

    The interrupted one stands first, then those who cut in, by score: that is the order of the log. Clause: SR-165.
    """
    waits: set[CombatantId] = set()
    for beat in range(1, BEATS + 1):
        able = [who for who in whom if not is_out(scene, who) and who not in waits]
        with scene.within(f"beat{beat}"):
            given = scene.gather({who: partial(_ask, scene, who, beat == 1 and who == whom[0]) for who in able})
            scene.hold()
            for who in able:
                with scene.within(who, "resolved"):
                    for part in parts_of(scene, who, given[who]):
                        _resolve(scene, part)
            scene.release()
        for who in able:
            if given[who].option == DELAY and not is_out(scene, who):
                scene.begin(who, DELAYING)
                waits.add(who)


def _ask(scene: Scene, who: CombatantId, may_delay: bool) -> Answer:
    """What he does in this beat: a move, a Free Action, and one Simple or Complex Action; all may be left out."""
    delays = (Option(DELAY),) if may_delay else ()
    return scene.ask(
        Question(
            key="",
            name="simultaneous_beat",
            kind="simultaneous_beat",
            to=who,
            options=(Option(PASS, declines=True), Option(ACT, form=form_of(scene, who)), *delays),
            default=PASS,
            best=PASS,
            clause=ClauseId("SR-165"),
        ),
        judge=partial(_why_not, scene, who),
    )


def form_of(table: Table, who: CombatantId) -> Form:
    """The fields of a beat: the move, then the Free Action, then the other one, each with its own inputs."""
    hidden = table.unknown_to(who)
    others = tuple(body.id for body in table.in_order() if body.id != who and body.id not in hidden)
    items = tuple(table.who(who).items)
    own = _choices(table, ("simple", "complex"))
    free = _choices(table, ("free",))
    fields: dict[str, Field] = {
        "path": Field("path", "path"),
        "length": Field("length", "length", minimum=0),
        "distances": Field("distances", "allocation", choices=others, minimum=0),
        "free_action": Field("free_action", "word", choices=tuple(action.id for action in free)),
        "free_weapon": Field("free_weapon", "item", choices=items),
        "action": Field("action", "word", choices=tuple(action.id for action in own)),
        "targets": Field("targets", "combatants", choices=(*others, who), maximum=len(others) + 1),
        "weapon": Field("weapon", "item", choices=items),
        "second_weapon": Field("second_weapon", "item", choices=items),
    }
    for prefix, actions in (("free_", free), ("", own)):
        for action in actions:
            for field in action.form:
                name = prefix + field.name
                held = fields.get(name)
                choices = tuple(dict.fromkeys((*(held.choices if held else ()), *field.choices)))
                fields[name] = replace(field, name=name, required=False, choices=choices)
    return tuple(fields.values())


def _choices(table: Table, forms: tuple[str, ...]) -> list[Action]:
    actions = table.rules.actions.values()
    open_now = (one for one in actions if one.listed and not one.forbidden)
    return [one for one in open_now if one.id not in ALONE and set(forms) & set(one.costs)]


def parts_of(table: Table, who: CombatantId, answer: Answer) -> Iterator[Part]:
    """The submissions that an answer stands for, in the order in which they are resolved."""
    if answer.option != ACT:
        return
    fields = answer.fields
    said = _said(table, who, fields)
    if fields.get("free_action"):
        yield _part(table, who, str(fields["free_action"]), said, fields, "free_")
    if fields.get("path") or fields.get("length"):
        path = tuple(tuple(point) for point in fields.get("path", ()))
        move = Submission(who, WALK, path=path, said=said)
        yield Part(*completed(table, move, table.rules.actions[WALK]))
    if fields.get("action"):
        yield _part(table, who, str(fields["action"]), said, fields, "")


def _said(table: Table, who: CombatantId, fields: dict[str, Any]) -> Said:
    if table.has_map:
        return Said(by=who)
    after: dict[str, Length] = dict(fields.get("distances", {}))
    return Said(by=who, length=fields.get("length"), distance_after=after or None)


def _part(table: Table, who: CombatantId, action: str, said: Said, fields: dict[str, Any], prefix: str) -> Part:
    found = table.rules.actions[ActionId(action)]
    options = {field.name: fields[prefix + field.name] for field in found.form if prefix + field.name in fields}
    weapon, second = fields.get(f"{prefix}weapon"), fields.get("second_weapon") if not prefix else None
    sub = Submission(
        who,
        found.id,
        targets=tuple(CombatantId(one) for one in fields.get("targets", ())) if not prefix else (),
        weapon=None if weapon is None else ItemId(weapon),
        second_weapon=None if second is None else ItemId(second),
        options=options,
        said=said,
    )
    return Part(*completed(table, sub, found))


def _why_not(scene: Scene, who: CombatantId, answer: Answer) -> Iterator[Reason]:
    """Every reason against any part, judged as things stand at the start of the beat; a run counts for the move.

    Clause: SR-165.
    """
    for part in parts_of(scene, who, answer):
        runs = answer.fields.get("free_action") == RUN and part.sub.action == WALK
        state = _as_running(scene.state, who) if runs else scene.state
        yield from why_not(table_for(scene.rules, state, part.sub), part.sub)


def _as_running(state: State, who: CombatantId) -> State:
    """The state in which he has declared the run already that comes with this move."""
    effect = Effect(EffectId(f"{who}.{state.combatants[who].serial + 1}"), "running", ClauseId("SR-560"))
    return fold(state, EffectBegan(who, effect))


def _taken_away(scene: Scene, part: Part) -> Iterator[str]:
    """What he meant to do it with and cannot any more: he let it fall in this very beat, or it was taken from him."""
    places = {"/weapon": part.sub.weapon, "/second_weapon": part.sub.second_weapon}
    named = {at: item for at, item in places.items() if item is not None}
    gone = [at for at, item in named.items() if scene.carried(part.sub.actor, item) is None]
    yield from gone
    if named and not gone:
        yield from (one.code for one in part.action.check(scene, part.sub, part.action) if one.at in named)


def _resolve(scene: Scene, part: Part) -> None:
    """Pay and carry out, as any action is, but nothing follows that would end a phase."""
    sub, action = part.sub, part.action
    if any(True for _ in _taken_away(scene, part)):
        scene.emit(Noted(sub.actor, "thwarted", words=(action.id,), clause=ClauseId("SR-165")))
        return
    heard = scene.hear(replace(sub.said, by=sub.actor))
    scene.rules.turns.pay(scene, sub, action)
    with scene.within(action.id):
        scene.announce(Declaring(sub.actor, action.id, action.tags, sub))
        if HALTED not in scene.met:
            action.resolve(scene, sub, action)
    with scene.within(f"after_{action.id}"):
        scene.announce(ActionDone(sub.actor, action.id, action.tags, sub))
    scene.hear(heard)
