"""Whom the hits of one attack strike beside its target. Clauses DH-3170, DH-3430, DH-3740, DH-3860."""

from collections.abc import Iterator

from app.engine.asks import Answer, Barred, Option, Question
from app.engine.forms import Field
from app.engine.ids import CombatantId
from app.engine.reasons import Reason, in_order
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.attack import Attack, hit_modifiers
from rulesets.dark_heresy_2e.braces import why_outside_arc
from rulesets.dark_heresy_2e.figures import tables_of
from rulesets.dark_heresy_2e.reach import BEYOND, is_adjacent, range_band
from rulesets.dark_heresy_2e.tags import circumstances


def allocate(scene: Scene, attack: Attack, count: int) -> tuple[CombatantId, ...]:
    """Whom each hit strikes: the first the target, further ones him or others near him who are no harder to hit.

    Clauses: DH-3430, DH-3740.
    """
    if count <= 1 or attack.params.spread == "none":
        return (attack.target,) * count
    mine = circumstances(hit_modifiers(scene, attack, attack.target))
    candidates = {who: in_order(_why_not_spread(scene, attack, who, mine)) for who in _others(scene, attack)}
    if all(candidates.values()):
        return (attack.target,) * count
    choices = (attack.target, *candidates)

    def judge_share(answer: Answer) -> Iterator[Reason]:
        share = answer.share("hits")
        if share and not share.get(attack.target):
            yield scene.rules.reason("invalid_target", attack.params.cites.spread, at=f"/fields/hits/{attack.target}")
        for who, hits in share.items():
            if hits and who != attack.target:
                yield from candidates[CombatantId(who)]

    spread = Field("hits", "allocation", True, choices, minimum=0, maximum=count, total=count)
    answer = scene.ask(
        Question(
            key="",
            name="allocate_hits",
            kind="allocate_hits",
            to=attack.attacker,
            options=(Option("primary"), Option("allocate", form=(spread,))),
            default="primary",
            best="primary",
            about=attack.target,
            barred=tuple(Barred(who, reasons) for who, reasons in candidates.items() if reasons),
            informed=True,
            figures={"hits": count},
            clause=attack.params.cites.spread,
        ),
        judge_share,
    )
    if answer.option == "primary":
        return (attack.target,) * count
    share = answer.share("hits")
    if sum(share.values()) != count:
        return (attack.target,) * count
    return tuple(CombatantId(who) for who in choices for _ in range(share.get(who, 0)))


def _others(table: Table, attack: Attack) -> list[CombatantId]:
    """Whom further hits might strike at all: those who are here and of whom the attacker knows, near as it may be."""
    unknown = table.unknown_to(attack.attacker)
    found = []
    for body in table.state.combatants.values():
        if body.id in (attack.attacker, attack.target) or body.status not in ("up", "down") or body.id in unknown:
            continue
        if attack.params.spread == "engaged":
            if table.has_map or is_adjacent(table, attack.attacker, body.id):
                found.append(body.id)
            continue
        near = table.space.distance(attack.target, body.id)
        stated = table.said.near is not None and body.id in table.said.near
        if table.has_map or stated or not isinstance(near, Unknown):
            found.append(body.id)
    return found


def _why_not_spread(table: Table, attack: Attack, who: CombatantId, mine: int) -> Iterator[Reason]:
    """`mine` is what the circumstances of the target himself are worth, the same beside each of the others."""
    reason, clause = table.rules.reason, attack.params.cites.spread
    if attack.params.spread == "engaged":
        if not is_adjacent(table, attack.attacker, who):
            yield reason("not_engaged", clause, names=(who,))
    else:
        yield from _why_not_near(table, attack, who)
    theirs = circumstances(hit_modifiers(table, attack, who))
    if theirs < mine:
        yield reason("target_harder_to_hit", clause, need=mine, got=theirs, names=(who,))


def _why_not_near(table: Table, attack: Attack, who: CombatantId) -> Iterator[Reason]:
    """Near the target, in sight and in range. Clause: DH-3430."""
    reason, clause = table.rules.reason, attack.params.cites.spread
    reach = tables_of(table).core.spread
    stated = table.said.near is not None and who in table.said.near
    distance = table.space.distance(attack.target, who)
    if not stated and not isinstance(distance, Unknown) and distance > reach:
        yield reason("target_too_far_from_primary", clause, need_length=reach, got_length=distance, names=(who,))
    sees = table.space.sees(attack.attacker, who)
    if not isinstance(sees, Unknown) and not sees:
        yield reason("no_line_of_sight", "DH-5170", names=(who,))
    if attack.item is not None:
        yield from why_outside_arc(table, attack.attacker, attack.item, who, f"/fields/hits/{who}")
    if range_band(table, attack.attacker, who, attack.weapon) == BEYOND:
        yield reason("out_of_range", "DH-5140", names=(who,))
