"""Free actions, and the end of a slot. Clauses GU-070, GU-500 to GU-560, GU-2230."""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.events import Noted
from app.engine.ids import ClauseId
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.conditions import drop, holders_of, release, take_posture
from rulesets.gurps_4e.figures import CROUCHING, STANDING, posture_of
from rulesets.gurps_4e.maneuvers import is_maneuver
from rulesets.gurps_4e.resolvers.plain import NoParams
from rulesets.gurps_4e.turns import CROUCH as CROUCH_ID
from rulesets.gurps_4e.turns import RISE as RISE_ID
from rulesets.gurps_4e.turns import SPEECH, words_of
from rulesets.gurps_4e.weapons import is_ready


def check_nothing(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Nothing speaks against it."""
    yield from ()


def nothing(scene: Scene, sub: Submission, action: Action) -> None:
    """That it was done is all there is to tell."""


def check_talk(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """One utterance a second, more if the GM allows it. Clause: GU-510."""
    left = table.who(sub.actor).budget.get(SPEECH, 0)
    if left < 1:
        yield table.rules.reason("speech_limit_reached", "GU-510", need=words_of(table, sub.actor), got=left)


def talk(scene: Scene, sub: Submission, action: Action) -> None:
    """He speaks, in or out of his slot. Clause: GU-510."""
    scene.set_budget(sub.actor, SPEECH, scene.who(sub.actor).budget.get(SPEECH, 0) - 1, "GU-510")


def check_drop(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Something that is ready. Clause: GU-530."""
    if sub.weapon is None:
        yield table.rules.reason("missing_input", "GU-530", at="/weapon")
    elif not is_ready(table, sub.actor, sub.weapon):
        yield table.rules.reason("item_not_ready", "GU-530", at="/weapon", names=(sub.weapon,))


def drop_item(scene: Scene, sub: Submission, action: Action) -> None:
    """It lies at his place. Clauses: GU-530, GU-1380."""
    assert sub.weapon is not None
    drop(scene, sub.actor, sub.weapon, "GU-530")


def _why_not_now(table: Table, sub: Submission) -> Iterator[Reason]:
    """Only at the start of the slot, and only one of the two. Clauses: GU-540 to GU-560."""
    reason, done = table.rules.reason, table.who(sub.actor).done
    if any(one.action in (CROUCH_ID, RISE_ID) for one in done):
        yield reason("crouch_change_already_used", "GU-560")
    if any(is_maneuver(table.rules, one.action) for one in done):
        yield reason("only_at_start_of_turn", "GU-540" if sub.action == CROUCH_ID else "GU-550")


def check_crouch(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """From standing, at the start. Clauses: GU-540, GU-560."""
    yield from _why_not_now(table, sub)
    if posture_of(table, sub.actor) != STANDING:
        yield table.rules.reason("not_standing", "GU-540")


def crouch(scene: Scene, sub: Submission, action: Action) -> None:
    """He crouches. Clause: GU-540."""
    take_posture(scene, sub.actor, CROUCHING, "GU-540")


def check_rise(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """From a crouch, at the start. Clauses: GU-550, GU-560."""
    yield from _why_not_now(table, sub)
    if posture_of(table, sub.actor) != CROUCHING:
        yield table.rules.reason("not_crouching", "GU-550")


def rise_from_crouch(scene: Scene, sub: Submission, action: Action) -> None:
    """He stands, and sprints if he may. Clause: GU-550."""
    take_posture(scene, sub.actor, STANDING, "GU-550")


def check_maintain(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """It has to be said what is kept up. Clause: GU-520."""
    if not sub.options.get("effect"):
        yield table.rules.reason("missing_input", "GU-520", at="/options/effect")


def maintain(scene: Scene, sub: Submission, action: Action) -> None:
    """A spell or psi effect goes on as long as he is awake. Clause: GU-520."""
    word = str(sub.options["effect"])
    if not any(one.word == word for one in scene.effects(sub.actor, "sustaining")):
        scene.begin(sub.actor, "sustaining", word=word)
    scene.emit(Noted(sub.actor, "maintained", words=(word,), clause=ClauseId("GU-520")))


def check_release(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Somebody whom he holds. Clause: GU-2230."""
    if (
        sub.targets
        and table.known(sub.targets[0])
        and sub.actor not in [one for one, _ in holders_of(table, sub.targets[0])]
    ):
        yield table.rules.reason("invalid_target", "GU-2230", at="/targets/0", names=sub.targets[:1])


def let_go(scene: Scene, sub: Submission, action: Action) -> None:
    """He lets go of him. Clause: GU-2230."""
    for hold in [one for one in scene.effects(sub.actor, "grappling") if one.against == sub.target]:
        release(scene, sub.actor, hold, "released")


TALK = Resolver(NoParams, check_talk, talk)
DROP_ITEM = Resolver(NoParams, check_drop, drop_item)
CROUCH = Resolver(NoParams, check_crouch, crouch)
RISE_FROM_CROUCH = Resolver(NoParams, check_rise, rise_from_crouch)
MAINTAIN_EFFECT = Resolver(NoParams, check_maintain, maintain)
RELEASE = Resolver(NoParams, check_release, let_go)
END_TURN = Resolver(NoParams, check_nothing, nothing)
