"""Free Actions: dropping prone, commands by thought, gestures and words, what goes with an attack. Clauses SR-450 to
SR-470, SR-820.
"""

from collections.abc import Iterator
from functools import partial

from app.engine.commands import Submission
from app.engine.events import Noted
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.state import Effect
from app.engine.table import Table
from rulesets.shadowrun_5e import devices
from rulesets.shadowrun_5e.attack import CALLING, SPLITTING
from rulesets.shadowrun_5e.checks import pool_terms, take_test
from rulesets.shadowrun_5e.conditions import fall_prone
from rulesets.shadowrun_5e.figures import PRONE, has_dni, tables_of
from rulesets.shadowrun_5e.free_actions import free_or_simple
from rulesets.shadowrun_5e.grenades import SET, explode
from rulesets.shadowrun_5e.harm import CONSEQUENCES
from rulesets.shadowrun_5e.resolvers.plain import NoParams, check_nothing, nothing
from rulesets.shadowrun_5e.resolvers.simple import named_mode, why_not_mode
from rulesets.shadowrun_5e.weapons import ACTIVE, LINKED, eject, fits, has_magazine, set_mode, weapon_of

SWITCH, ACTIVATE, EJECT, DETONATE, DEVICE = (
    "switch_fire_mode",
    "activate_cyberweapon",
    "eject_magazine",
    "detonate",
    "device",
)
COMMANDS = (SWITCH, ACTIVATE, EJECT, DETONATE, DEVICE)
CLAUSE = "SR-455"


def check_prone(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """He does not lie yet. Clause: SR-450."""
    if table.has(sub.actor, PRONE):
        yield table.rules.reason("already_prone", "SR-450")


def drop_prone(scene: Scene, sub: Submission, action: Action) -> None:
    """He lies. Clause: SR-450."""
    scene.later(CONSEQUENCES, partial(fall_prone, scene, sub.actor, "SR-450"))


# By thought


def waiting_grenade(table: Table, who: CombatantId) -> Effect | None:
    """A grenade of his that waits for his word. Clause: SR-820."""
    return next((one for one in table.effects(who, SET) if not one.declared.get("due")), None)


def check_command(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A device that is linked, nerves that reach it, and something to change. Clauses: SR-455, SR-458, SR-820."""
    reason, named = table.rules.reason, sub.options.get("command")
    if named is None and (sub.weapon is not None or waiting_grenade(table, sub.actor) is not None):
        able = tuple(one for one in COMMANDS if _may_be_said(table, sub, action, one))
        code = "missing_input" if able else "device_not_linked"
        yield reason(code, CLAUSE, at="/options/command", names=able)
    else:
        yield from _why_not(table, sub, str(named))


def _may_be_said(table: Table, sub: Submission, action: Action, command: str) -> bool:
    """Whether nothing but what is yet to be filled in speaks against it, and that can be: he has something linked."""
    reasons = tuple(_why_not(table, sub, command))
    linked = any(fits(table, sub.actor, ItemId(key), action) for key in table.who(sub.actor).items)
    return all(one.code == "missing_input" and (linked or one.at != "/weapon") for one in reasons)


def _why_not(table: Table, sub: Submission, command: str) -> Iterator[Reason]:
    """What speaks against one of the commands."""
    who = sub.actor
    if command == DETONATE:
        if waiting_grenade(table, who) is None or not has_dni(table.who(who)):
            yield table.rules.reason("device_not_linked", "SR-820", at="/options/command")
    elif command == DEVICE and sub.options.get("device") is not None:
        yield from _why_not_that_device(table, sub)
    elif sub.weapon is None:
        yield table.rules.reason("missing_input", CLAUSE, at="/weapon")
    elif sub.weapon in table.who(who).items:
        yield from _why_not_this_item(table, sub, sub.weapon, command)


def _why_not_this_item(table: Table, sub: Submission, item: ItemId, command: str) -> Iterator[Reason]:
    """What he carries himself: weapons, cyberweapons, gear."""
    reason, who = table.rules.reason, sub.actor
    weapon, marks = weapon_of(table, who, item), table.item(who, item).marks
    if not (weapon.device_link or marks.get(LINKED)) or not has_dni(table.who(who)):
        yield reason("device_not_linked", CLAUSE, at="/weapon", names=(item,))
    if command == SWITCH:
        yield from why_not_mode(table, sub, CLAUSE)
    elif command == ACTIVATE:
        if not weapon.cyberweapon:
            yield reason("device_not_linked", "SR-458", at="/weapon", names=(item,))
        elif marks.get(ACTIVE):
            yield reason("no_change", CLAUSE, at="/weapon", names=(item,))
    elif command == EJECT:
        if weapon.feed != "clip":
            yield reason("wrong_feed", CLAUSE, at="/weapon", names=(item,))
        elif not has_magazine(table, who, item):
            yield reason("no_magazine", CLAUSE, at="/weapon", names=(item,))
    elif command == DEVICE and weapon.device == "none":
        yield reason("device_not_linked", CLAUSE, at="/weapon", names=(item,))


def _why_not_that_device(table: Table, sub: Submission) -> Iterator[Reason]:
    """A device of the encounter, whoever keeps it."""
    device = devices.find(table, sub.options["device"])
    name = str(sub.options["device"])
    if device is None:
        yield table.rules.reason("unknown_device", CLAUSE, at="/options/device", names=(name,))
    elif not device.item.marks.get(LINKED) or not has_dni(table.who(sub.actor)):
        yield table.rules.reason("device_not_linked", CLAUSE, at="/options/device", names=(name,))


def command(scene: Scene, sub: Submission, action: Action) -> None:
    """The device does as it is told. Clauses: SR-455, SR-458, SR-820."""
    who, what = sub.actor, sub.options.get("command")
    if what == DETONATE:
        grenade = waiting_grenade(scene, who)
        assert grenade is not None
        explode(scene, who, grenade)
    elif what == DEVICE:
        device = devices.find(scene, sub.options.get("device") or sub.weapon)
        assert device is not None
        devices.switch(scene, device, sub.options.get("state"), CLAUSE)
    elif sub.weapon is not None and what == SWITCH:
        set_mode(scene, who, sub.weapon, named_mode(sub), CLAUSE)
    elif sub.weapon is not None and what == ACTIVATE:
        scene.mark_item(who, sub.weapon, ACTIVE, 1, "SR-458")
    elif sub.weapon is not None:
        eject(scene, who, sub.weapon, CLAUSE)


# Words and signs


def gesture(scene: Scene, sub: Submission, action: Action) -> None:
    """A sign; one without an agreed meaning has to be understood. Clause: SR-460."""
    text = (sub.note,) if sub.note else ()
    scene.emit(Noted(sub.actor, "gestured", sub.target, words=text, clause=ClauseId("SR-460")))
    if sub.target is None or sub.options.get("agreed") is not False:
        return
    terms = pool_terms(scene, sub.target, "intuition")
    take_test(
        scene,
        sub.target,
        "intuition",
        "understand",
        terms,
        clause="SR-460",
        threshold=tables_of(scene).core.gesture.threshold,
        against=sub.actor,
        sprung=True,
    )


# With an attack


def check_call(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Only where the table plays with called shots, and no second one. Clause: SR-468."""
    reason = table.rules.reason
    if not table.flag("called_shots"):
        yield reason("unknown_action", "SR-468", at="/action", names=(sub.action,))
    if table.has(sub.actor, SPLITTING):
        yield reason("called_shot_needs_single_attack", "SR-468")


def call(scene: Scene, sub: Submission, action: Action) -> None:
    """The next attack of this phase goes for that. Clause: SR-468."""
    scene.begin(sub.actor, CALLING, word=str(sub.options.get("place") or "vitals"))


def check_split(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Not together with a called shot. Clauses: SR-468, SR-470."""
    if table.has(sub.actor, CALLING):
        yield table.rules.reason("called_shot_needs_single_attack", "SR-468")


def split(scene: Scene, sub: Submission, action: Action) -> None:
    """The next attack of this phase has several targets. Clause: SR-470."""
    scene.begin(sub.actor, SPLITTING)


DROP_PRONE = Resolver(NoParams, check_prone, drop_prone, type_for=free_or_simple)
MENTAL_COMMAND = Resolver(NoParams, check_command, command, type_for=free_or_simple)
GESTURE = Resolver(NoParams, check_nothing, gesture, type_for=free_or_simple)
SPEAK = Resolver(NoParams, check_nothing, nothing, type_for=free_or_simple)
CALL_SHOT = Resolver(NoParams, check_call, call, type_for=free_or_simple)
MULTIPLE_ATTACKS = Resolver(NoParams, check_split, split, type_for=free_or_simple)
