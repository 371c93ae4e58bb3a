"""Modifiers by class: of the data, on somebody, given for one action; each counts at its own moment.

Clauses MA-070, MA-120 to MA-165.
"""

from collections.abc import Iterable, Iterator, Set
from typing import Final

from app.engine.commands import GivenModifier
from app.engine.events import Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.modifiers import collect, tagged
from app.engine.scene import Scene
from app.engine.state import Tick
from app.engine.table import Table
from rulesets.manewry_ap.figures import CHARACTERISTICS, base, modifier_kinds

HIT: Final = "hit"
ST: Final = "st"
DODGE, BLOCK, COVER, PARRY = "dodge", "block", "cover", "parry"
DEFENCES = (DODGE, BLOCK, COVER, PARRY)
DEALT: Final = "damage_dealt"
TAKEN: Final = "damage_taken"
CLASSES = (HIT, *DEFENCES, DEALT, TAKEN, *CHARACTERISTICS)
"""Every class of modifier. Table 1.5."""
STAGES = frozenset({HIT, ST, *DEFENCES, DEALT, TAKEN})
CLAUSE_OF = {HIT: "MA-120", DEALT: "MA-140", TAKEN: "MA-150", **dict.fromkeys(DEFENCES, "MA-130")}
CHARACTERISTIC: Final = "MA-160"
TURN_END: Final = "turn_end"
GIVEN_BY_GM = "gm"
_ALL_KINDS = frozenset(kind for one in CLASSES for kind in modifier_kinds(one))


def tags_of(
    table: Table, attacker: CombatantId, target: CombatantId, own: Set[str], given: Iterable[GivenModifier] = ()
) -> frozenset[str]:
    """What is true of an attack, as the words that modifiers in data look at. Clause: MA-165."""
    named = frozenset(f"given.{one.id}" for one in given if one.value is None)
    both = tagged("actor", table.active(attacker)) | tagged("target", table.active(target))
    return frozenset(own) | named | both | _options(table)


def _options(table: Table) -> frozenset[str]:
    found = set()
    for key in table.rules.options:
        value = table.option(key)
        if value is True:
            found.add(f"option.{key}")
        elif isinstance(value, str):
            found.add(f"option.{key}.{value}")
    return frozenset(found)


def class_terms(
    table: Table, who: CombatantId, of_class: str, tags: Set[str], given: Iterable[GivenModifier] = ()
) -> tuple[Term, ...]:
    """Every modifier of the class that counts for him now: by the rules, by what lies on him, by this action.

    Clauses: MA-120 to MA-150, MA-165.
    """
    terms = list(collect(table.rules.modifiers, of_class, tags))
    for kind in modifier_kinds(of_class):
        terms += [Term(kind, effect.value, effect.clause) for effect in table.effects(who, kind)]
    clause = ClauseId(CLAUSE_OF[of_class])
    terms += [Term(given_term(one), one.value, clause) for one in given if one.value and class_of(one) == of_class]
    return tuple(term for term in terms if term.value)


def class_of(given: GivenModifier) -> str:
    """The class a given modifier is of: the one that it names, else it is added to the hit test."""
    return given.id if given.id in CLASSES else HIT


def given_term(given: GivenModifier) -> str:
    """The name under which a given modifier is shown."""
    return given.id


def stat_terms(table: Table, who: CombatantId, key: str, given: Iterable[GivenModifier] = ()) -> tuple[Term, ...]:
    """A characteristic as it is now: base, what lies on it, and a term that keeps it from falling below 0.

    Clause: MA-160.
    """
    clause = ClauseId(CHARACTERISTIC)
    terms = [Term(key, base(table.who(who), key), clause)]
    for kind in modifier_kinds(key):
        terms += [Term(kind, effect.value, clause) for effect in table.effects(who, kind) if effect.value]
    terms += [Term(given_term(one), one.value, clause) for one in given if one.value and class_of(one) == key]
    total = sum(term.value for term in terms)
    if total < 0:
        terms.append(Term("least", -total, clause))
    return tuple(terms)


def total_of(terms: Iterable[Term]) -> int:
    """What the terms add up to."""
    return sum(term.value for term in terms)


def use(scene: Scene, who: CombatantId, *classes: str) -> None:
    """Modifiers of these classes that were for one use are gone, now that they have been added. Clause: MA-070."""
    for one in classes:
        _, once = modifier_kinds(one)
        scene.end(who, once, why="used")


def is_modifier(kind: str) -> bool:
    """Whether an effect is a modifier of some class."""
    return kind in _ALL_KINDS


def lay_on(scene: Scene, who: CombatantId, kind: str, value: int, ends_with: CombatantId | None) -> None:
    """A modifier that lasts until the end of somebody's turn, or until it is used or taken away. Clause: MA-070."""
    until = () if ends_with is None else ((Tick(TURN_END, ends_with),),)
    scene.begin(who, kind, value=value, until=until)


def given_for(given: Iterable[GivenModifier]) -> Iterator[str]:
    """The classes of what was given."""
    for one in given:
        yield class_of(one)
