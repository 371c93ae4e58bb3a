"""Focus Power: psychic powers, as the table's own rules or the submission describe them. Clauses DH-4660 to DH-4680."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from app.engine.asks import GM, Option, Question
from app.engine.commands import Submission
from app.engine.dice import parse_dice
from app.engine.events import AttackMade, Noted, Term
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.names import DiceText
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.area import BLAST, NOWHERE, impact_of, in_blast
from rulesets.dark_heresy_2e.attack import Attack, AttackParams, hit_count
from rulesets.dark_heresy_2e.blasting import caught_in, explode
from rulesets.dark_heresy_2e.checks import Check, outcome, settled_test, target_number, tell
from rulesets.dark_heresy_2e.damage import Source
from rulesets.dark_heresy_2e.firing import come_under_fire
from rulesets.dark_heresy_2e.permission import allowed
from rulesets.dark_heresy_2e.skill_use import CHARACTERISTICS, is_testable
from rulesets.dark_heresy_2e.striking import land, locate
from rulesets.dark_heresy_2e.tags import GM_MODIFIER, given_terms
from rulesets.dark_heresy_2e.weapons import Weapon

CLAUSE, FIGURES, SUSTAINED = ClauseId("DH-4660"), ClauseId("DH-4670"), "DH-4680"
POWER, TEST, KIND, RATING = "power", "test", "power_attack", "rating"
DAMAGE = "damage"
SUSTAINING = "sustaining"
PSY_RATING = "psy_rating"
PURPOSE = "focus_power"
HALF, ATTACK = "half", "attack"
ALIKE = 11
"""A die whose two digits are alike is a multiple of it."""
DOUBLE_NOUGHT = 100
RULED, NOTHING, TEXT = "ruled", "nothing", "effect"

Kind = Literal["bolt", "barrage", "storm", "blast"]
DamageType = Literal["energy", "explosive", "impact", "rending"]


class Power(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A power: what it takes, what is tested, how far it reaches, what it does.

    `attack` says how it strikes, with which damage; without it the GM says what it does. `radius` is that of a blast,
    in metres.
    """

    type: Literal["half", "full", "free"] = "half"
    subtypes: tuple[str, ...] = ()
    test: str = "wp"
    modifier: int = 0
    range: Length | None = None
    attack: Kind | None = None
    damage: DiceText | None = None
    damage_type: DamageType = "energy"
    penetration: int = 0
    radius: int = 0
    sustain: bool = False


class PowerParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Powers that this table knows, what a point of psy rating held back is worth, and how each kind strikes."""

    powers: dict[str, Power]
    held_back: int
    attacks: dict[str, AttackParams]


# Which power it is


def power_of(sub: Submission, params: PowerParams) -> Power | None:
    """The power as the table knows it, else as the submission describes it; None if it does neither."""
    options = sub.options
    found = params.powers.get(str(options.get(POWER)))
    if found is not None or options.get(TEST) is None:
        return found
    stated = {
        name: value
        for name, value in options.items()
        if name in Power.__struct_fields__ and value is not None and name != ATTACK
    }
    return Power(**{"type": sub.type or HALF, "attack": options.get(KIND), **stated})


def type_for(table: Table, sub: Submission, action: Action) -> str:
    """The type of the power. Clause: DH-4660."""
    power = power_of(sub, action.params)
    return HALF if power is None else power.type


def becomes(table: Table, sub: Submission, action: Action) -> tuple[Submission, Action]:
    """An action with the subtypes of the power. Clause: DH-4660."""
    power = power_of(sub, action.params)
    return sub, action if power is None else msgspec.structs.replace(action, tags=frozenset(power.subtypes))


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A power that is known or described, at least by its test, and if it strikes somebody within its reach."""
    reason, params, named = table.rules.reason, action.params, sub.options.get(POWER)
    power = power_of(sub, params)
    if named is None:
        yield reason("missing_input", CLAUSE, at=f"/options/{POWER}", names=tuple(params.powers))
    elif power is None:
        yield reason("unknown_power", CLAUSE, at=f"/options/{POWER}", names=(str(named),))
        yield reason("missing_input", CLAUSE, at=f"/options/{TEST}", names=CHARACTERISTICS)
    for place, one in enumerate(sub.modifiers):
        if one.id != GM_MODIFIER:
            yield reason("unknown_option", at=f"/modifiers/{place}", names=(one.id,))
    if sub.target not in (None, sub.actor):
        yield from _why_out_of_sight(table, sub.actor, sub.targets[0])
    if power is None:
        return
    if sub.type != power.type:
        yield reason("wrong_action_type", CLAUSE, at="/type", names=(power.type,))
    if not is_testable(table, power.test):
        yield reason("unknown_skill", CLAUSE, at=f"/options/{TEST}", names=(power.test,))
    if power.attack is not None:
        yield from _why_not_strike(table, sub, action, power)
    if sub.target is not None:
        yield from _why_out_of_reach(table, sub, sub.target, power)


def _why_not_strike(table: Table, sub: Submission, action: Action, power: Power) -> Iterator[Reason]:
    """An attack power has a target and does damage; a blast holds those whom a map shows or who are stated."""
    reason = table.rules.reason
    if sub.target is None:
        yield reason("missing_input", at="/targets")
    elif sub.target == sub.actor or table.who(sub.target).status == "dead":
        yield reason("invalid_target", at="/targets/0", names=(sub.target,))
    if power.damage is None:
        yield reason("missing_input", FIGURES, at=f"/options/{DAMAGE}")
    elif not _are_dice(power.damage):
        yield reason("unknown_option", FIGURES, at=f"/options/{DAMAGE}", names=(power.damage,))
    if power.attack != BLAST:
        return
    if not power.radius:
        yield reason("missing_input", FIGURES, at="/options/radius")
    elif sub.target is not None and not table.has_map and _holds_nobody_knows_whom(table, sub, action, power):
        yield reason("missing_input", "DH-5480", at="/said/near")


def _holds_nobody_knows_whom(table: Table, sub: Submission, action: Action, power: Power) -> bool:
    return isinstance(in_blast(table, attack_by(sub, action, power), NOWHERE), Unknown)


def _are_dice(text: str) -> bool:
    """Whether it is dice of one kind, with a bonus or without."""
    try:
        return len(parse_dice(text).groups) == 1
    except ValueError:
        return False


def _why_out_of_reach(table: Table, sub: Submission, target: CombatantId, power: Power) -> Iterator[Reason]:
    if target == sub.actor or power.range is None:
        return
    reason, distance = table.rules.reason, table.space.distance(sub.actor, target)
    if isinstance(distance, Unknown):
        at = "/targets/0" if table.has_map else "/said/distance"
        yield reason("missing_input", "DH-5700", at=at, names=(target,))
    elif distance > power.range:
        yield reason("out_of_range", CLAUSE, at="/targets/0", need_length=power.range, got_length=distance)


def _why_out_of_sight(table: Table, who: CombatantId, target: CombatantId) -> Iterator[Reason]:
    sees = table.space.sees(who, target)
    if not isinstance(sees, Unknown) and not sees:
        yield table.rules.reason("no_line_of_sight", "DH-5170", at="/targets/0", names=(target,))


def ask_for_leave(scene: Scene, sub: Submission, action: Action) -> Submission | None:
    """A power that only the submission describes is the GM's to allow. Clause: DH-4660."""
    named = str(sub.options[POWER])
    if named in action.params.powers or allowed(scene, sub.actor, "gm_power", CLAUSE, words=(named,)):
        return sub
    return None


# Focusing it


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """The test, what the warp makes of it, and if it succeeds the power. Clauses: DH-4660 to DH-4680."""
    params: PowerParams = action.params
    power = power_of(sub, params)
    assert power is not None
    check_ = _focus(scene, sub, power, params)
    if check_.die % ALIKE == 0 or check_.die == DOUBLE_NOUGHT:
        _ask_what_happens(scene, sub, "psychic_phenomena", FIGURES)
    if power.attack is not None:
        _strike(scene, sub, action, power, check_)
    elif check_.success:
        _ask_what_happens(scene, sub, "power_effect", CLAUSE)
    if check_.success and power.sustain:
        scene.begin(sub.actor, SUSTAINING, clause=SUSTAINED, word=str(sub.options[POWER]))
    if ATTACK in action.tags:
        scene.tick(ATTACK, sub.actor, sub.target)


def _focus(scene: Scene, sub: Submission, power: Power, params: PowerParams) -> Check:
    """Easier for each point of psy rating held back, harder for each beyond it; Aim never counts. Clause: DH-4670."""
    who = sub.actor
    own = scene.who(who).sheet.stats.get(PSY_RATING, 0)
    used = sub.options.get(RATING)
    effective = used if isinstance(used, int) else own
    terms = (
        Term("difficulty", power.modifier, CLAUSE),
        Term(PSY_RATING, (own - effective) * params.held_back, FIGURES),
        *given_terms(sub.modifiers),
    )
    target = target_number(scene, who, power.test, terms, PURPOSE)
    check_, told = settled_test(
        scene,
        who,
        power.test,
        PURPOSE,
        target,
        name=PURPOSE,
        clause=CLAUSE,
        against=sub.target,
        meaning=lambda dice: outcome(scene, who, power.test, target, dice),
        sees=lambda faces: faces,
    )
    tell(scene, told)
    return check_


def _ask_what_happens(scene: Scene, sub: Submission, kind: str, clause: ClauseId) -> None:
    """The GM says it in words. Clauses: DH-4660, DH-4670."""
    answer = scene.ask(
        Question(
            key="",
            name=kind,
            kind=kind,
            to=GM,
            options=(Option(RULED, form=(Field(TEXT, "text", True),)), Option(NOTHING, declines=True)),
            default=NOTHING,
            best=NOTHING,
            about=sub.actor,
            informed=True,
            clause=clause,
        )
    )
    if answer.option == RULED:
        words = (str(sub.options[POWER]), answer.word(TEXT))
        scene.emit(Noted(sub.actor, kind, sub.target, words=words, clause=clause))


def _strike(scene: Scene, sub: Submission, action: Action, power: Power, check_: Check) -> None:
    """A bolt is one hit, a barrage and a storm count their hits as bursts do, a blast is an area. Clause: DH-4670."""
    attack = attack_by(sub, action, power)
    named = str(sub.options[POWER])
    scene.emit(AttackMade(sub.actor, attack.target, action.id, None, named, FIGURES))
    come_under_fire(scene, attack, (attack.target,))
    if not check_.success:
        return
    centre = impact_of(scene, attack) if power.attack == BLAST else None
    source = Source(sub.actor, attack.weapon, named, check_.degrees, behind_cover=True, centre=centre)
    if centre is not None:
        known = scene if scene.has_map else scene.as_known_to(sub.actor)
        explode(scene, attack, caught_in(scene, attack, in_blast(known, attack, centre)), centre, source)
        return
    targets = (attack.target,) * hit_count(scene, attack, check_.degrees, 0)
    land(scene, attack, locate(scene, attack, check_, targets), source)


def attack_by(sub: Submission, action: Action, power: Power) -> Attack:
    """The attack that the power makes."""
    params: PowerParams = action.params
    assert power.attack is not None
    assert sub.target is not None
    weapon = Weapon(
        class_="basic",
        damage=power.damage or "",
        type=power.damage_type,
        range=power.range,
        penetration=power.penetration,
        qualities={BLAST: power.radius} if power.attack == BLAST else {},
    )
    return Attack(
        attacker=sub.actor,
        target=sub.target,
        action=action.id,
        params=params.attacks[power.attack],
        item=None,
        weapon=weapon,
        mode="single",
        given=sub.modifiers,
        unaware=sub.options.get("aware") is False,
        use_aim=False,
        clause=CLAUSE,
    )


FOCUS_POWER = Resolver(PowerParams, check, resolve, before=ask_for_leave, type_for=type_for, becomes=becomes)
