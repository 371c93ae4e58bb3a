"""Standard Attack, All Out Attack, Called Shot and the two bursts.

Clauses DH-3010 to DH-3030, DH-3400 to DH-3440, DH-3720 to DH-3820, DH-4550, DH-4560.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from app.engine.asks import GM, Option, Question
from app.engine.commands import GivenModifier, Submission
from app.engine.events import Noted
from app.engine.forms import Field
from app.engine.ids import ClauseId
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.dark_heresy_2e.attack import AttackParams, attack_from, hit_chance, make_attack, why_not_attack
from rulesets.dark_heresy_2e.figures import tables_of
from rulesets.dark_heresy_2e.weapons import is_unarmed

WIDEST = 60


def check_attack(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason against this attack now."""
    params: AttackParams = action.params
    reason = table.rules.reason
    if sub.second_weapon is not None:
        yield reason("not_supported_yet", "DH-5300", at="/second_weapon")
    if sub.options.get("mode") == "grapple":
        if not is_unarmed(table, sub.actor):
            yield reason("not_unarmed", "DH-4560", at="/options/mode")
        else:
            yield reason("not_supported_yet", "DH-4560", at="/options/mode")
    if sub.options.get("use_aim") is True and not params.aim:
        yield reason("aim_not_allowed", "DH-3030", at="/options/use_aim")
    if sub.targets:
        yield from why_not_attack(table, attack_from(table, sub, params))


def resolve_attack(scene: Scene, sub: Submission, action: Action) -> None:
    """One attack, from the roll to the wounds."""
    make_attack(scene, attack_from(scene, sub, action.params))


def check_called_shot(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """As any attack, with a named location. Clause: DH-3800."""
    reason = table.rules.reason
    if sub.location is None:
        yield reason("missing_input", "DH-3800", at="/location")
    attack = attack_from(table, sub, action.params) if sub.targets else None
    if attack is not None and attack.weapon.has("spray"):
        yield reason("weapon_quality_forbids", "DH-3800", at="/weapon")
    for one in check_attack(table, sub, action):
        special = one.code == "unknown_location" and _is_special(sub)
        if not special:
            yield one


def _is_special(sub: Submission) -> bool:
    """Whether the submission says that the location is a special one for the GM to judge. Clause: DH-3810."""
    return sub.options.get("special") is True


def allow_special_target(scene: Scene, sub: Submission, action: Action) -> Submission | None:
    """The GM says whether a special part can be aimed at, and how hard it is. A denial spends nothing.

    Clause: DH-3810.
    """
    known = {row.location for row in tables_of(scene).hit_locations}
    if sub.location in known:
        return sub
    answer = scene.ask(
        Question(
            key="",
            name="gm_called_shot_target",
            kind="gm_called_shot_target",
            to=GM,
            options=(
                Option("allow", form=(Field("modifier", "integer", minimum=-WIDEST, maximum=WIDEST),)),
                Option("deny", declines=True),
            ),
            default="deny",
            about=sub.actor,
            clause=ClauseId("DH-3810"),
        )
    )
    if answer.option == "deny":
        scene.emit(Noted(sub.actor, "gm_refused", words=(sub.location or "",), clause=ClauseId("DH-3810")))
        return None
    extra = GivenModifier("gm", answer.whole("modifier"), sub.location)
    return replace(sub, modifiers=(*sub.modifiers, extra))


def chance(table: Table, sub: Submission, action: Action) -> int:
    """Chance of the attack roll against its target."""
    return hit_chance(table, attack_from(table, sub, action.params))


ATTACK = Resolver(AttackParams, check_attack, resolve_attack, chance=chance)
CALLED_SHOT = Resolver(AttackParams, check_called_shot, resolve_attack, before=allow_special_target, chance=chance)
