"""The yardstick of the engine: one d100 ranged attack with evasion, location and damage, as one function on Structs.

No actions, no keys, no questions, no clauses, no sums of named terms: what somebody would write who needs this one
rule, and nothing that the next rule would need. Three events, a state that shares what did not change.
"""

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

ROLLS = Callable[[int], int]
LOCATIONS = ((10, "head"), (20, "right_arm"), (30, "left_arm"), (70, "body"), (85, "right_leg"), (100, "left_leg"))


class Fighter(msgspec.Struct, frozen=True):
    """Somebody who shoots and is shot at."""

    id: str
    bs: int
    ag: int
    toughness: int
    wounds: int
    ammo: int
    reactions: int
    armour: dict[str, int]


class Fight(msgspec.Struct, frozen=True):
    """Everybody."""

    round: int
    fighters: dict[str, Fighter]


class Shot(msgspec.Struct, frozen=True, tag="shot"):
    """Somebody shot at somebody."""

    who: str
    target: str
    roll: int
    number: int
    hit: bool


class Dodged(msgspec.Struct, frozen=True, tag="dodged"):
    """Somebody tried to dodge."""

    who: str
    roll: int
    number: int
    success: bool


class Wounded(msgspec.Struct, frozen=True, tag="wounded"):
    """Damage was dealt."""

    who: str
    location: str
    raw: int
    through: int


Event = Shot | Dodged | Wounded


def shoot(fight: Fight, actor: str, target: str, modifier: int, roll: ROLLS) -> tuple[Fight, list[Event]]:
    """The whole attack."""
    shooter, victim = fight.fighters[actor], fight.fighters[target]
    if shooter.ammo < 1:
        raise ValueError("no ammunition")
    number = max(-60, min(60, modifier)) + shooter.bs
    die = roll(100)
    hit = die <= number and die < 96
    events: list[Event] = [Shot(actor, target, die, number, hit)]
    shooter = replace(shooter, ammo=shooter.ammo - 1)
    if hit and victim.reactions > 0:
        dodge = roll(100)
        dodged = dodge <= victim.ag
        events.append(Dodged(target, dodge, victim.ag, dodged))
        victim = replace(victim, reactions=victim.reactions - 1)
        hit = not dodged
    if hit:
        reversed_die = die % 10 * 10 + die // 10
        location = next(name for limit, name in LOCATIONS if (reversed_die or 100) <= limit)
        raw = roll(10) + 3
        through = max(0, raw - victim.armour[location] - victim.toughness)
        events.append(Wounded(target, location, raw, through))
        victim = replace(victim, wounds=victim.wounds - through)
    return replace(fight, fighters={**fight.fighters, actor: shooter, target: victim}), events
