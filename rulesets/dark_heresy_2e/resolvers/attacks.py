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
from rulesets.dark_heresy_2e.attack import (
    AttackParams,
    attack_from,
    hit_chance,
    why_not_attack,
    why_not_fire,
    why_not_wield,
)
from rulesets.dark_heresy_2e.figures import tables_of
from rulesets.dark_heresy_2e.grappling import GRAPPLE, why_not_seize
from rulesets.dark_heresy_2e.reach import is_adjacent
from rulesets.dark_heresy_2e.resolvers.grapple import ask_before_seizing, bare_handed, seize
from rulesets.dark_heresy_2e.striking import make_attack, strike_thing
from rulesets.dark_heresy_2e.tags import GM_MODIFIER, unknown_modifiers
from rulesets.dark_heresy_2e.two_weapons import make_attacks, pair_from, why_not_pair
from rulesets.dark_heresy_2e.weapons import weapon_of

WIDEST = 60
EFFECT = "effect"


def check_attack(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason against this attack now."""
    return why_not_submitted(table, sub, action.params)


def why_not_submitted(table: Table, sub: Submission, params: AttackParams) -> Iterator[Reason]:
    """Every reason against an attack with these figures, as it was submitted."""
    reason = table.rules.reason
    if sub.options.get("use_aim") is True and not params.aim:
        yield reason("aim_not_allowed", "DH-3030", at="/options/use_aim")
    for place, name in unknown_modifiers(table, sub.modifiers):
        yield reason("unknown_option", at=f"/modifiers/{place}", names=(name,))
    first, second = pair_from(table, sub, params)
    if sub.options.get("mode") == GRAPPLE:
        first = bare_handed(table, first)
        yield from why_not_grapple(table, sub)
    if sub.targets or (first.is_area and first.place is not None):
        yield from why_not_attack(table, first)
        if second is not None:
            yield from why_not_pair(table, first, second)
    elif first.place is not None:
        yield reason("invalid_target", "DH-1220", at="/area")


def why_not_grapple(table: Table, sub: Submission) -> Iterator[Reason]:
    """What keeps him from seizing his target, who must be next to him, with bare hands. Clauses: DH-3450, DH-4560."""
    reason, target = table.rules.reason, sub.target
    if sub.weapon is not None and not weapon_of(table, sub.actor, sub.weapon).natural:
        yield reason("not_unarmed", "DH-3450", at="/weapon")
    if target is None:
        yield reason("missing_input", at="/targets")
        return
    yield from why_not_seize(table, sub.actor, target)
    if not is_adjacent(table, sub.actor, target):
        yield reason("not_engaged", "DH-3450", at="/targets/0", names=(target,))


def resolve_attack(scene: Scene, sub: Submission, action: Action) -> None:
    """One attack, from the roll to the wounds, or until it takes hold. Clauses: DH-4550, DH-4560."""
    first, second = pair_from(scene, sub, action.params)
    if sub.options.get("mode") == GRAPPLE:
        seize(scene, bare_handed(scene, first))
    else:
        make_attacks(scene, first, second)
    scene.tick(action.id, sub.actor)


def check_called_shot(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """As any attack, with a place named. A thing, which is nobody, may be the target. Clauses: DH-3800, DH-3810."""
    reason, attack = table.rules.reason, attack_from(table, sub, action.params)
    if sub.location is None:
        yield reason("missing_input", "DH-3800", at="/location")
    if attack.weapon.has("spray"):
        yield reason("weapon_quality_forbids", "DH-3800", at="/weapon")
    yield from check_attack(table, sub, action)
    if is_special(table, sub):
        if sub.options.get("special") is not True:
            yield reason("unknown_location", "DH-3800", at="/location", names=(sub.location or "",))
    elif not sub.targets:
        yield reason("missing_input", at="/targets")
    if not sub.targets:
        yield from why_not_wield(table, attack) if attack.is_melee else why_not_fire(table, attack)


def is_special(table: Table, sub: Submission) -> bool:
    """Whether the place named is no location of a body: a thing, or a part that only the GM can judge."""
    return sub.location is not None and all(row.location != sub.location for row in tables_of(table).hit_locations)


def ask_for_special_target(scene: Scene, sub: Submission, action: Action) -> Submission | None:
    """The GM says whether a special place can be aimed at, how hard it is and what a hit does. A denial spends nothing.

    Clause: DH-3810.
    """
    if not is_special(scene, sub):
        return sub
    answer = scene.ask(_special_question(sub))
    if answer.option == "deny":
        scene.emit(Noted(sub.actor, "gm_refused", words=(sub.location or "",), clause=ClauseId("DH-3810")))
        return None
    extra = GivenModifier(GM_MODIFIER, answer.whole("modifier"), sub.location)
    options = {**sub.options, EFFECT: answer.word("effect")}
    return replace(sub, modifiers=(*sub.modifiers, extra), options=options)


def _special_question(sub: Submission) -> Question:
    allowing = (
        Field("modifier", "integer", minimum=-WIDEST, maximum=WIDEST, clause=ClauseId("DH-5110")),
        Field(EFFECT, "text", clause=ClauseId("DH-3810")),
    )
    return Question(
        key="",
        name="gm_called_shot_target",
        kind="gm_called_shot_target",
        to=GM,
        options=(Option("allow", form=allowing), Option("deny", declines=True)),
        default="deny",
        about=sub.actor,
        clause=ClauseId("DH-3810"),
    )


def resolve_called_shot(scene: Scene, sub: Submission, action: Action) -> None:
    """An attack on the place named. What a hit on a special one does is the GM's to say. Clauses: DH-3800, DH-3810."""
    attack = attack_from(scene, sub, action.params)
    if not is_special(scene, sub):
        make_attack(scene, attack)
        return
    effect = str(sub.options.get(EFFECT, ""))
    attack = replace(attack, effect=effect)
    stood = make_attack(scene, attack) if sub.targets else strike_thing(scene, attack)
    if stood:
        words = (sub.location or "", effect) if effect else (sub.location or "",)
        scene.emit(Noted(sub.actor, "special_hit", sub.target, words=words, clause=ClauseId("DH-3810")))


def chance(table: Table, sub: Submission, action: Action) -> int | None:
    """Chance of the attack roll against its target, where it has one."""
    if not sub.targets:
        return None
    attack = attack_from(table, sub, action.params)
    return hit_chance(table, bare_handed(table, attack) if sub.options.get("mode") == GRAPPLE else attack)


ATTACK = Resolver(AttackParams, check_attack, resolve_attack, before=ask_before_seizing, chance=chance)
CALLED_SHOT = Resolver(
    AttackParams, check_called_shot, resolve_called_shot, before=ask_for_special_target, chance=chance
)
