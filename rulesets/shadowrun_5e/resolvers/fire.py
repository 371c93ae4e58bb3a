"""Firing: shots, bursts, full auto, suppressive fire. Clauses SR-300 to SR-310, SR-400 to SR-410, SR-435, SR-470."""

from collections.abc import Iterator

import msgspec

from app.engine.asks import GM, Option, Question
from app.engine.commands import Submission
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId
from app.engine.names import ClauseName
from app.engine.reasons import Reason
from app.engine.rules import Action, Clash, Resolver, Whole
from app.engine.scene import Scene
from app.engine.space.model import Polygon, Sector, Unknown
from app.engine.table import Table
from rulesets.shadowrun_5e.attack import (
    CALLING,
    Attack,
    AttackParams,
    attack_terms,
    attacks_of,
    limit_of,
    row_of,
    why_not_called,
    why_not_fire,
    why_not_split,
)
from rulesets.shadowrun_5e.checks import FIELD, take_test
from rulesets.shadowrun_5e.defending import Answered, defense_terms
from rulesets.shadowrun_5e.figures import METRE, is_helpless, tables_of
from rulesets.shadowrun_5e.odds import MILLION, at_least, beaten_by, dice_of, hits_of
from rulesets.shadowrun_5e.striking import defense_for, fire_rounds, still_there, strike
from rulesets.shadowrun_5e.suppressing import comes_in
from rulesets.shadowrun_5e.weapons import AMMO, mode_of, rounds, weapon_of


class FireParams(AttackParams, frozen=True, forbid_unknown_fields=True):
    """By which clause the weapon is judged."""

    clause: ClauseName = "SR-300"


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Weapon, mode, rounds, range, sight; several targets and called shots. Clauses: SR-300, SR-468, SR-470, SR-650."""
    row = row_of(table, action.id)
    yield from why_not_fire(table, sub, action, action.params.clause, row)
    yield from why_not_called(table, sub, row.rounds)
    yield from why_not_split(table, sub, row.rounds)


def fire(scene: Scene, sub: Submission, action: Action) -> None:
    """Every round is paid first, then each target in turn. Clauses: SR-470, SR-600, SR-650, SR-652."""
    row, who = row_of(scene, action.id), sub.actor
    assert sub.weapon is not None
    weapons = [one for one in (sub.weapon, sub.second_weapon) if one is not None]
    fired = row.rounds
    for place, item in enumerate(weapons):
        times = len(range(place, len(sub.targets), len(weapons)))
        if times:
            fired = fire_rounds(scene, who, item, row, times)
    attacks = attacks_of(scene, sub, action.id, defense_for(row, fired), action.clauses[0])
    for number, attack in enumerate(attacks, 1):
        if still_there(scene, attack):
            with scene.within(f"attack{number}"):
                strike(scene, attack)
    scene.end(who, "aiming", why="used", clause="SR-320")
    scene.end(who, CALLING, "splitting", why="used", clause="SR-468")


def chance(table: Table, sub: Submission, action: Action) -> int | None:
    """Chance in millionths that the first shot has more hits than a plain defence. Clause: SR-530."""
    if sub.weapon is None or not sub.targets:
        return None
    row = row_of(table, action.id)
    attack = attacks_of(table, sub, action.id, row.defense)[0]
    return odds_of(table, attack)


def odds_of(table: Table, attack: Attack) -> int:
    """Chance of an attack against a plain defence. Clauses: SR-210, SR-215."""
    pool = dice_of(attack_terms(table, attack))
    limit = limit_of(table, attack)
    if is_helpless(table, attack.target):
        return at_least(hits_of(pool, limit), 1)
    against = dice_of(defense_terms(table, attack, Answered()))
    return MILLION - beaten_by(against, None, pool, limit)


# Suppressive fire


def check_suppress(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Full auto and all its rounds, and a zone no wider than it may be. Clause: SR-435."""
    reason, rule = table.rules.reason, tables_of(table).core.suppression
    yield from why_not_fire(table, sub, action, action.params.clause)
    if (
        sub.weapon is not None
        and sub.weapon in table.who(sub.actor).items
        and weapon_of(table, sub.actor, sub.weapon).is_firearm
    ):
        mode = mode_of(table, sub.actor, sub.weapon)
        if mode != "FA":
            yield reason("wrong_fire_mode", "SR-435", at="/weapon", names=() if mode is None else (mode,))
        got = rounds(table, sub.actor, sub.weapon)
        if 0 < got < rule.rounds:
            yield reason("not_enough_ammo", "SR-435", at="/weapon", need=rule.rounds, got=got)
    if table.has_map and sub.area is None:
        yield reason("missing_input", "SR-435", at="/area")
    width = _width(sub)
    if width is not None and width > rule.width * METRE:
        yield reason("out_of_range", "SR-435", at="/area", need_length=rule.width * METRE, got_length=width)


def _width(sub: Submission) -> int | None:
    """How wide the zone is at most: twice the reach of a disc, the shorter way across a polygon."""
    if isinstance(sub.area, Sector):
        return 2 * sub.area.reach
    if isinstance(sub.area, Polygon):
        xs, ys = [x for x, _ in sub.area.points], [y for _, y in sub.area.points]
        return min(max(xs) - min(xs), max(ys) - min(ys))
    return None


def suppress(scene: Scene, sub: Submission, action: Action) -> None:
    """Twenty rounds into a zone: everybody in it keeps his head down or is hit. Clause: SR-435."""
    who, item = sub.actor, sub.weapon
    assert item is not None
    weapon = weapon_of(scene, who, item)
    scene.mark_item(who, item, AMMO, rounds(scene, who, item) - tables_of(scene).core.suppression.rounds, "SR-435")
    attack = Attack(who, who, action.id, item, weapon, push=sub.options.get(FIELD) is True, given=sub.modifiers)
    terms = [term for term in attack_terms(scene, attack) if term.id != "recoil"]
    done = take_test(
        scene,
        who,
        weapon.skill,
        "suppress",
        terms,
        clause="SR-435",
        limit=limit_of(scene, attack),
        push=attack.push,
        item=item,
    )
    area = None if sub.area is None else msgspec.structs.replace(sub.area, id=who)
    scene.begin(who, "suppressing", value=done.hits, item=item, area=area or Sector((0, 0), 0, id=who))
    fire_ = scene.effect(who, "suppressing")
    assert fire_ is not None
    for target in _in_zone(scene, sub):
        comes_in(scene, target, fire_, who)


def _in_zone(scene: Scene, sub: Submission) -> tuple[CombatantId, ...]:
    """Who is in it: by the map, as stated, or as the GM says. Clause: SR-435."""
    everybody = tuple(body.id for body in scene.in_order() if body.id != sub.actor and body.status == "up")
    found = None if sub.area is None else scene.whole_space.inside(sub.area)
    if not scene.has_map and sub.said.inside is not None:
        found = tuple(sub.said.inside)
    if found is not None and not isinstance(found, Unknown):
        return tuple(who for who in everybody if who in found)
    answer = scene.ask(
        Question(
            key="",
            name="zone",
            kind="area_caught",
            to=GM,
            options=(
                Option("state", form=(Field("who", "combatants", choices=everybody),)),
                Option("nobody", declines=True),
            ),
            default="nobody",
            best="nobody",
            about=sub.actor,
            clause=ClauseId("SR-435"),
        )
    )
    named = answer.fields.get("who", ())
    return tuple(who for who in everybody if who in named)


def clashes(params: FireParams, whole: Whole) -> Iterator[Clash]:
    """Every way to fire has its row in the table of ways to fire. Clause: SR-650."""
    if whole.action not in (whole.tables.get("firing") or {}):
        yield Clash(("clause",), "clash_absent", need=f"tables/firing/{whole.action}")


FIRE = Resolver(FireParams, check, fire, chance=chance, clashes=clashes)
SUPPRESS = Resolver(FireParams, check_suppress, suppress)
