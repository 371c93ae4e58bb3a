"""What is true of an attack, as the words that modifiers in data look at. Clause: DH-5110."""

from collections.abc import Iterable, Iterator

from app.engine.commands import GivenModifier
from app.engine.events import Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.modifiers import collect, tagged
from app.engine.reasons import Reason
from app.engine.space.model import Fact, Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.conditions import IN_A_GRAPPLE
from rulesets.dark_heresy_2e.figures import size_of
from rulesets.dark_heresy_2e.reach import gang, is_engaged, is_into_melee
from rulesets.dark_heresy_2e.weapons import Weapon, is_unarmed, readied

GANG = 3
"""From so many on, more of them make no difference. Clause: DH-5135."""

GIVEN = "given."
HELD = "target.in_a_grapple"
"""The target is in a grapple with somebody else than the attacker. Clause: DH-3545."""
OVER_PRONE = "grapple.over_prone"
"""Of the two in a grapple only the one who is held lies on the ground. Clause: DH-3500."""
GM_MODIFIER = "gm"
GROUND = ("difficult", "arduous", "mud")
AIR = ("dark", "smoke", "fog", "shadow", "rain")
"""Kinds of region on a map that count in an attack, as if the GM had stated them. Clause: DH-5110."""

COMPUTED = frozenset(
    {
        "melee",
        "ranged",
        "shooter_engaged",
        "into_melee",
        "gang.2",
        "gang.3",
        "unarmed_vs_armed",
        "aimed",
        "target.unaware",
        "off_hand",
        *(f"range.{band}" for band in ("point_blank", "short", "normal", "long", "extreme")),
        *(f"size.{size}" for size in range(1, 11)),
        *(f"mode.{mode}" for mode in ("melee", "single", "semi", "full")),
        *(f"test.{of}" for of in ("ws", "bs", "s", "t", "ag", "int", "per", "wp", "fel")),
        *(f"weapon.class.{kind}" for kind in ("melee", "pistol", "basic", "heavy", "thrown", "grenade")),
        *(f"underfoot.{kind}" for kind in GROUND),
        *(f"between.{kind}" for kind in AIR),
        "weapon.braced",
        *(f"for.{purpose}" for purpose in ("pinning", "overwatch_order")),
        "dodge",
        "momentum",
        "two_weapons",
        "contest.knock_down",
        "contest.grapple",
        OVER_PRONE,
        HELD,
        "parry",
    }
)
"""Every tag computed here or by `checks`; effects, actions, options and qualities have theirs from the data."""


def attack_tags(
    table: Table,
    attacker: CombatantId,
    target: CombatantId | None,
    weapon: Weapon,
    mode: str,
    *,
    given: Iterable[GivenModifier] = (),
    band: Fact[str] = "",
) -> set[str]:
    """The tags of one attack: how, with what, on whom, how each of them is placed. Nobody is the target of a thing."""
    tags = {f"mode.{mode}", "melee" if mode == "melee" else "ranged", f"weapon.class.{weapon.class_}"}
    tags.update(tagged("quality", tuple(weapon.qualities)))
    tags.update(f"{GIVEN}{modifier.id}" for modifier in given)
    tags.update(tagged("actor", table.active(attacker)))
    tags.update(surroundings(table, attacker, target))
    if target is None:
        return tags
    tags.update(tagged("target", table.active(target)))
    tags.add(f"size.{size_of(table.who(target))}")
    if mode == "melee":
        tags.update(_melee_tags(table, attacker, target, weapon))
        return tags
    if not isinstance(band, Unknown) and band:
        tags.add(f"range.{band}")
    if is_engaged(table, attacker):
        tags.add("shooter_engaged")
    if is_into_melee(table, attacker, target):
        tags.add("into_melee")
    return tags


def _melee_tags(table: Table, attacker: CombatantId, target: CombatantId, weapon: Weapon) -> Iterator[str]:
    ganging = gang(table, attacker, target)
    if ganging > 1:
        yield f"gang.{min(ganging, GANG)}"
    if any(effect.kind in IN_A_GRAPPLE and effect.against != attacker for effect in table.who(target).effects.values()):
        yield HELD
    bare = weapon.natural and is_unarmed(table, attacker) and table.flag("unarmed_vs_armed_penalty")
    if bare and _holds_melee_weapon(table, target):
        yield "unarmed_vs_armed"


def surroundings(table: Table, who: CombatantId, other: CombatantId | None) -> Iterator[str]:
    """What a map shows under somebody's feet, and what lies between him and another or about one of them.

    Without a map what is between two of them may be stated. Clause: DH-5110.
    """
    ground = table.space.at(who)
    if not isinstance(ground, Unknown):
        yield from (f"underfoot.{kind}" for kind in ground if kind in GROUND)
    air = table.space.at(who) if other is None else table.space.between(who, other)
    if not isinstance(air, Unknown):
        yield from (f"between.{kind}" for kind in air if kind in AIR)


def _holds_melee_weapon(table: Table, who: CombatantId) -> bool:
    return any(weapon.is_melee and not weapon.natural for _, weapon in readied(table, who))


def given_terms(given: Iterable[GivenModifier]) -> tuple[Term, ...]:
    """Modifiers of the GM's own, with their figure; one that is known by its id has its figure in the data.

    Clause: DH-5110.
    """
    own = (one for one in given if one.id == GM_MODIFIER and one.value is not None)
    return tuple(Term(one.id, one.value or 0, ClauseId("DH-5110")) for one in own)


def unknown_modifiers(table: Table, given: Iterable[GivenModifier]) -> Iterator[tuple[int, str]]:
    """Those of the given ones that no modifier looks at, with their place: an id that means nothing would be lost."""
    asked = table.rules.modifiers.asked
    for place, one in enumerate(given):
        if one.id != GM_MODIFIER and f"{GIVEN}{one.id}" not in asked:
            yield place, one.id


def why_not_given(table: Table, given: Iterable[GivenModifier]) -> Iterator[Reason]:
    """A modifier that comes with something other than an attack: the GM's own counts in any test, a named one in none.

    Clauses: DH-2090, DH-5110.
    """
    for place, one in enumerate(given):
        if one.id != GM_MODIFIER:
            yield table.rules.reason("unknown_option", at=f"/modifiers/{place}", names=(one.id,))


def hit_terms(table: Table, tags: set[str]) -> tuple[Term, ...]:
    """The named modifiers to hit under these tags. What one in a grapple is worth is a house-rule option (DH-3545)."""
    found = collect(table.rules.modifiers, "hit", tags)
    easier = table.option("grapple_ws_bonus")
    if HELD in tags and isinstance(easier, int):
        return (*found, Term("target_grappled", easier, ClauseId("DH-3545")))
    return found


def circumstances(terms: Iterable[Term]) -> int:
    """What the circumstances of a target are worth to the attacker: the sum that makes him harder or easier to hit.

    Clauses: DH-3170, DH-3430.
    """
    return sum(term.value for term in terms)
