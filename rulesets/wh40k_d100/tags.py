"""What is true of an attack, as the words that modifiers in data look at. Clauses WH-400 to WH-500."""

from collections.abc import Iterable, Iterator

from app.engine.commands import GivenModifier
from app.engine.events import Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.table import Table
from rulesets.wh40k_d100.reach import BANDS, is_higher, surroundings

GIVEN, GM_MODIFIER = "given.", "gm"
SCALES = (("weak_light", "darkness"), ("difficult_terrain", "very_difficult_terrain"))
"""Rows that are steps of one scale, of those that may be stated. Clause: WH-400."""
SHOWN = {
    "weak_light": "light.weak",
    "darkness": "light.dark",
    "smoke_fog": "smoke",
    "difficult_terrain": "terrain.difficult",
    "very_difficult_terrain": "terrain.very_difficult",
}
"""What may be stated, and the tag that a map shows it by. Clauses: WH-095, WH-400."""
HIGHER = "higher_position"

COMPUTED = frozenset(
    {
        "melee",
        "ranged",
        "actor.fatigued",
        "light.weak",
        "light.dark",
        "smoke",
        "sight.none",
        "terrain.difficult",
        "terrain.very_difficult",
        "outnumber.2",
        "outnumber.3",
        "higher",
        "longer",
        "into_melee",
        "off_hand",
        "parry",
        "dodge",
        "critical",
        *(f"range.{band}" for band in BANDS),
        *(f"called.{part}" for part in ("torso", "leg", "arm", "head", "joint", "eye")),
    }
)
"""Every tag computed in code; effects, actions, options and qualities have theirs from the data."""


def given_terms(given: Iterable[GivenModifier]) -> tuple[Term, ...]:
    """Rows of the GM's own, of any value. Clause: WH-400."""
    own = (one for one in given if one.id == GM_MODIFIER and one.value is not None)
    return tuple(Term(one.id, one.value or 0, ClauseId("WH-400")) for one in own)


def why_not_given(
    table: Table, given: Iterable[GivenModifier], attacker: CombatantId, target: CombatantId | None, *, melee: bool
) -> Iterator[Reason]:
    """A row that nothing knows, two steps of one scale, or one that the map contradicts. Clause: WH-400."""
    stated = {one.id: place for place, one in enumerate(given)}
    for name, place in stated.items():
        if name != GM_MODIFIER and f"{GIVEN}{name}" not in table.rules.modifiers.asked:
            yield table.rules.reason("unknown_option", at=f"/modifiers/{place}", names=(name,))
    against = list(_contradicting(table, stated, attacker, target, melee=melee))
    if against:
        at = f"/modifiers/{stated[against[-1]]}"
        yield table.rules.reason("contradicting_modifiers", "WH-400", at=at, names=tuple(dict.fromkeys(against)))


def _contradicting(
    table: Table, stated: Iterable[str], attacker: CombatantId, target: CombatantId | None, *, melee: bool
) -> Iterator[str]:
    names = list(stated)
    for scale in SCALES:
        if all(step in names for step in scale):
            yield from scale
    if not table.has_map:
        return
    shown = set(surroundings(table, attacker, target, melee=melee))
    yield from (name for name in names if name in SHOWN and SHOWN[name] not in shown)
    if HIGHER in names and target is not None and not is_higher(table, attacker, target):
        yield HIGHER
