"""Falling: damage by the height, which armour does not lessen. Clause: DH-5470."""

from app.engine.dice import parse_dice
from app.engine.events import DamageDealt, Term
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.scene import Scene
from rulesets.dark_heresy_2e.conditions import fall_prone
from rulesets.dark_heresy_2e.damage import wound
from rulesets.dark_heresy_2e.figures import bonus
from rulesets.dark_heresy_2e.locations import fresh_location

FALLING = "DH-5470"
UNIT = 100


def metres(length: Length) -> int:
    """Whole metres, rounded up."""
    return -(-length // UNIT)


def fall(scene: Scene, who: CombatantId, height: Length) -> None:
    """He falls so far: dice and the metres, to a random location; toughness counts, armour does not; he ends prone.

    Nothing for a height of 0. Clause: DH-5470.
    """
    if height <= 0 or scene.who(who).status == "dead":
        return
    with scene.within(f"fall_{who}"):
        rule = parse_dice(str(scene.option("fall_damage")))
        group = rule.groups[0]
        dice = scene.roll("damage", group.count, group.sides, who, "falling", clause=FALLING)
        location = fresh_location(scene, who, who)
        terms = (
            Term("dice", sum(one.value for one in dice), ClauseId(FALLING)),
            Term("height", metres(height) + rule.plus, ClauseId(FALLING)),
        )
        raw = sum(term.value for term in terms)
        toughness = bonus(scene.who(who), "t")
        through = max(0, raw - toughness)
        scene.emit(
            DamageDealt(
                None,
                who,
                through,
                raw,
                dice,
                terms,
                (Term("toughness", toughness, ClauseId(FALLING)),),
                1,
                location,
                "impact",
                None,
                ClauseId(FALLING),
            )
        )
        wound(scene, who, through, location)
        fall_prone(scene, who, FALLING)
