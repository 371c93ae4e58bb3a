"""The shape of this ruleset's tables; their rows stand in `tables/*.yaml`, where house rules can reach them."""

from typing import Literal

import msgspec

from app.engine.names import AtLeastOne, DiceText, LocationName, StatName

DamageType = Literal["pi-", "pi", "pi+", "pi++", "cr", "cut", "imp", "burn", "cor", "tox", "fat"]
CriticalHit = Literal[
    "triple_damage",
    "half_dr",
    "double_damage",
    "maximum_damage",
    "major_wound",
    "double_shock",
    "normal_damage",
    "drop_held",
]
CriticalMiss = Literal[
    "breaks",
    "hit_self",
    "hit_self_half",
    "off_balance",
    "turns_in_hand",
    "dropped",
    "flies",
    "strained",
    "falls",
]


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Root of all rows."""


class Retreat(_Row, frozen=True):
    """What a retreat adds to each defence; `fencing` to the parry of one who fences or boxes. Clause: GU-370."""

    dodge: int
    parry: int
    block: int
    fencing: int


class Determined(_Row, frozen=True):
    """All-Out Attack (Determined). Clauses: GU-710, GU-760."""

    melee: int
    ranged: int


class Strong(_Row, frozen=True):
    """All-Out Attack (Strong): so much damage, or so much for each die if that is more. Clause: GU-750."""

    plus: int
    per_die: AtLeastOne


class MoveAndAttack(_Row, frozen=True):
    """To hit in melee with its cap, to hit at range at best, and for any other roll on the way.

    Clauses: GU-910, GU-930, GU-940.
    """

    melee: int
    cap: int
    ranged: int
    roll: int


class Sprint(_Row, frozen=True):
    """Per cent of the Move, and how many yards more at least. Clause: GU-1030."""

    percent: int
    least: int


class Evaluate(_Row, frozen=True):
    """The most that several seconds add up to. Clause: GU-1920."""

    most: int


class Suppression(_Row, frozen=True):
    """The least rate of fire, the least shots and the width in yards of a zone, what the skill is held to.

    Clauses: GU-770, GU-2500, GU-2510.
    """

    rof: int
    shots: int
    width: int
    cap: int
    mounted: int


class Evade(_Row, frozen=True):
    """Modifiers of the mover's DX by the side of the foe from which he comes. Clause: GU-470."""

    side: int
    rear: int


class Shove(_Row, frozen=True):
    """Knockback: the result is multiplied, a yard for each full ST less this. Clause: GU-2220."""

    st_less: int
    multiplier: int


class SlamRow(_Row, frozen=True):
    """Up to so many hundredths of a die it is these dice. Clause: GU-2210."""

    hundredths: int
    dice: DiceText


class Slam(_Row, frozen=True):
    """HP times yards, divided by this, gives the dice; less than one die by `small`. Clause: GU-2210."""

    divisor: AtLeastOne
    small: tuple[SlamRow, ...]


class LimbUseless(_Row, frozen=True):
    """Seconds less HT that a struck limb is of no use, and how many at least. Table 5.9."""

    seconds: int
    least: int


class Core(_Row, frozen=True):
    """Figures of the core that no single action owns."""

    maneuvers: int
    lowest_skill: int
    untrained_unarmed: StatName
    defense_base: int
    combat_reflexes: int
    retreat: Retreat
    drop: int
    side: int
    front_arc: int
    side_arc: int
    stunned: int
    off_balance: int
    repeated_parry: int
    off_hand_parry: int
    bare_hand_parry: int
    thrown_parry: int
    thrown_knife_parry: int
    unseen_attacker: int
    determined: Determined
    strong: Strong
    increased_defense: int
    move_and_attack: MoveAndAttack
    off_hand: int
    grappled: int
    shock_limit: int
    double_shock_limit: int
    shock_from: int
    sprint: Sprint
    step_divisor: AtLeastOne
    evaluate: Evaluate
    aim: tuple[int, ...]
    brace: int
    suppression: Suppression
    line_fire: int
    discriminate: int
    concentration: int
    evade: Evade
    pick_up_reach: int
    major_wound: int
    knocked_out_by: int
    high_pain_knockdown: int
    mental_recovery: int
    reeling: int
    death_checks: int
    destroyed: int
    mortal_wound: int
    kick: int
    holder_both_hands: int
    shove: Shove
    slam: Slam
    limb_useless: LimbUseless
    weapon_flies: DiceText
    hearing: int


class PostureRow(_Row, frozen=True):
    """What a posture does: table 5.1. `lies` leaves one yard of Move whatever it was, `evade` modifies the DX of
    whoever evades somebody in it (GU-470).
    """

    posture: str
    attack: int
    defense: int
    against: int
    numerator: int
    denominator: AtLeastOne
    retreat: bool
    evade: int
    lies: bool = False


class Ranges(_Row, frozen=True):
    """Speed and range: no modifier up to `first` yards, then one less for each step of the pattern. Table 5.2."""

    first: int
    pattern: tuple[int, ...]


class StrengthRow(_Row, frozen=True):
    """Thrust and swing of one ST. Table 5.3."""

    thrust: DiceText
    swing: DiceText


class RapidFireRow(_Row, frozen=True):
    """From so many shots on. Table 5.5."""

    shots: int
    bonus: int


class OpportunityRow(_Row, frozen=True):
    """Up to so many yards covered. Table 5.6."""

    yards: int
    penalty: int


class LocationRow(_Row, frozen=True):
    """One hit location: table 5.8. Wounding counts in halves; `from_behind` replaces the penalty, `cripples` is the
    part of the HP beyond which it is crippled. Of a pair that strikes at random together, `either` is the one to name.
    """

    location: LocationName
    to_hit: int
    from_behind: int | None = None
    from_front: bool = False
    dr: int = 0
    knockdown: int = 0
    limb: bool = False
    only: tuple[DamageType, ...] = ()
    wounding: dict[DamageType, int] = {}
    all_wounding: int | None = None
    but: tuple[DamageType, ...] = ()
    cripples: AtLeastOne | None = None
    rolls: tuple[int, ...] = ()
    either: bool = False


class CriticalHitRow(_Row, frozen=True):
    """Table 5.9; `multiple` is what the damage is multiplied by."""

    rolls: tuple[int, ...]
    effect: CriticalHit
    multiple: Literal[1, 2, 3] = 1


class CriticalMissRow(_Row, frozen=True):
    """Table 5.10."""

    rolls: tuple[int, ...]
    effect: CriticalMiss


class Tables(_Row, frozen=True):
    """All of them; each field is a file."""

    core: Core
    postures: tuple[PostureRow, ...]
    encumbrance: tuple[int, ...]
    ranges: Ranges
    strength: tuple[StrengthRow, ...]
    wounding: dict[DamageType, int]
    rapid_fire: tuple[RapidFireRow, ...]
    opportunity_fire: tuple[OpportunityRow, ...]
    hit_locations: tuple[LocationRow, ...]
    critical_hits: tuple[CriticalHitRow, ...]
    critical_misses: tuple[CriticalMissRow, ...]
