"""The shape of this ruleset's tables; their rows stand in `tables/*.yaml`, where house rules can reach them."""

from typing import Annotated, Literal

import msgspec

from app.engine.ids import Length
from app.engine.names import AtLeastOne

Mode = Literal["SS", "SA", "BF", "FA"]
Modifier = Annotated[int, msgspec.Meta(ge=-100, le=100)]
"""Dice, hits or points that are added or taken away."""
Figure = Annotated[int, msgspec.Meta(ge=0, le=100)]
Some = Annotated[int, msgspec.Meta(ge=1, le=100)]


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Root of all rows."""


class Recoil(_Row, frozen=True):
    """Compensation: `base` and one for each `strength` points of strength. Clause: SR-655."""

    base: Figure
    strength: AtLeastOne


class Surprise(_Row, frozen=True):
    """Hits that it takes, what failing costs, dice for whoever is alert or lies in ambush. Clause: SR-090."""

    threshold: Figure
    score: Modifier
    alerted: Modifier
    ambusher: Modifier


class Electricity(_Row, frozen=True):
    """What a shock takes off the score. Clause: SR-770."""

    score: Modifier


class CallShot(_Row, frozen=True):
    """DV of a shot at the vitals, score that a shaken target loses. Clause: SR-468."""

    vitals: Modifier
    shake_up: Modifier


class Smartlink(_Row, frozen=True):
    """Dice of a smartlink by kind. Clause: SR-620."""

    gear: Modifier
    implanted: Modifier


class Threshold(_Row, frozen=True):
    """Hits that a test takes."""

    threshold: Figure


class CoverShares(_Row, frozen=True):
    """From how many per cent hidden on it is partial, above how many good cover. Clause: SR-355."""

    partial: Figure
    good: Figure


class Grenade(_Row, frozen=True):
    """The throw's threshold, what a timer takes off the thrower's score, armour by cover. Clauses: SR-800 to SR-830."""

    threshold: Figure
    timer: Modifier
    partial_cover: Figure
    good_cover: Figure


class Suppression(_Row, frozen=True):
    """Metres of width at most, rounds. Clause: SR-435."""

    width: Figure
    rounds: Some


class Hacking(_Row, frozen=True):
    """Dice for each point of a file's protection. Clause: SR-420."""

    protection_dice: Figure


class Medicine(_Row, frozen=True):
    """First aid: metres, threshold, dice without a medkit, dice of a medkit alone for each point of its rating, sides
    of the die of a critical glitch, threshold to stabilize, dice for each earlier try. Clauses: SR-900 to SR-920.
    """

    reach: Figure
    threshold: Figure
    no_medkit: Modifier
    own_dice: Figure
    sides: Some
    stabilize: Figure
    failed: Modifier


class Core(_Row, frozen=True):
    """Figures of the core that no single action owns."""

    defaulting: Modifier
    boxes: Some
    boxes_per_wound: AtLeastOne
    initiative_sides: Some
    most_dice: Figure
    between_passes: Annotated[int, msgspec.Meta(ge=-100, le=-1)]
    simple_actions: Some
    free_actions: Figure
    knock_down: Modifier
    walk: Figure
    run: Figure
    reach: Figure
    pick_up_reach: Figure
    recoil: Recoil
    surprise: Surprise
    electricity: Electricity
    call_shot: CallShot
    smartlink: Smartlink
    full_defense: Modifier
    stand_up: Threshold
    quick_draw: Threshold
    gesture: Threshold
    observe: Threshold
    cover: CoverShares
    grenade: Grenade
    suppression: Suppression
    break_action: Figure
    hacking: Hacking
    medicine: Medicine
    bleeding: Figure


class FiringRow(_Row, frozen=True):
    """A way to fire: modes it needs, rounds, what it takes off the defence, recoil rounds by mode. Clause: SR-650."""

    modes: tuple[Mode, ...]
    rounds: Some
    defense: Modifier
    recoil: dict[Mode, Figure]


class MetatypeRow(_Row, frozen=True):
    """Metres a hit of a sprint is worth, natural reach and armour. Ledger 1.1, clause SR-565."""

    sprint: Figure
    reach: Figure = 0
    armor: Modifier = 0


class RangeRow(_Row, frozen=True):
    """How far each band reaches, in units or in multiples of strength; nothing is hit nearer than `least`.

    Clause: SR-660.
    """

    bands: tuple[Length, Length, Length, Length]
    least: Length = 0
    of_strength: bool = False


class Environment(_Row, frozen=True):
    """Modifiers, each a step worse than the one before. Clause: SR-665."""

    steps: tuple[Modifier, ...]


class Tables(_Row, frozen=True):
    """All of them; each field is a file."""

    core: Core
    firing: dict[str, FiringRow]
    metatypes: dict[str, MetatypeRow]
    ranges: dict[str, RangeRow]
    environment: Environment
    treatment: dict[str, int]
