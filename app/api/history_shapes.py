"""The shapes of answers about an encounter's past, for the documentation."""

from typing import Literal

import msgspec

from app.api.shapes import DiceSeed, Shape
from app.engine.ids import Length


class DiceChecked(Shape, frozen=True):
    """How many dice were looked at."""

    checked: int
    """Dice of the server that were drawn again from a seed."""
    unchecked: int
    """Dice of the server that could not be: their seed is not shown yet, or not known here."""
    reported: int
    """Dice that somebody rolled himself."""


class Unproven(Shape, frozen=True):
    """So many of something that could not be checked."""

    reason: Literal["nameless", "elsewhere", "seed_unknown", "uncommitted", "times", "rules_unknown"]
    """Dice from before they had names; dice that fell in the encounter it was forked from; dice from a seed that is not
    shown yet or not known here; dice from a seed to which nobody was committed before they fell; events that are older
    than the one before them; a waiting command whose rules are not known here."""
    count: int
    """How many."""
    text: str
    """The same in a plain English sentence."""


class Verification(Shape, frozen=True):
    """Whether an encounter is what its log says, and its dice what the seed gives."""

    ok: bool
    """Whether nothing was found. It says nothing of what could not be checked: `verdict` does."""
    verdict: Literal["proven", "unproven", "broken"]
    """`broken`: something is wrong (`findings`). `unproven`: nothing is, but not all could be checked (`unproven`).
    `proven`: everything was checked, and all of it holds."""
    complete: bool
    """Whether everything was looked at: so for the GM; others get what they may know of checked."""
    events: int
    """Events in the reader's log."""
    dice: DiceChecked
    """Dice in the reader's log."""
    unproven: tuple[Unproven, ...]
    """What could not be checked, and why."""
    seeds: tuple[DiceSeed, ...]
    """Every seed, oldest first."""
    findings: tuple[str, ...]
    """What is wrong, in plain English sentences; at most 200."""
    hash: str | msgspec.UnsetType = msgspec.UNSET
    """Hash of the last event, chained over the whole log. For the GM."""


class Branch(Shape, frozen=True):
    """A stretch of the log."""

    first: int
    """Number of its first event in the reader's own count."""
    last: int
    """Number of its last event."""
    abandoned: bool
    """Whether it was left behind by going back."""
    first_version: int | msgspec.UnsetType = msgspec.UNSET
    """For the GM."""
    last_version: int | msgspec.UnsetType = msgspec.UNSET
    """For the GM."""


class BranchList(Shape, frozen=True):
    """The stretches of a log, oldest first."""

    items: tuple[Branch, ...]


class DiceMean(Shape, frozen=True):
    """Dice of so many sides that somebody rolled."""

    sides: int
    """How many sides each has."""
    count: int
    """How many fell."""
    mean: float
    """What they came to on average, to two decimals."""


class ActionCount(Shape, frozen=True):
    """How often an action was taken."""

    id: str
    count: int
    """How often."""


class PurposeCount(Shape, frozen=True):
    """Tests for one purpose."""

    purpose: str
    count: int
    """How many were rolled."""
    successes: int
    """How many succeeded."""


class ResourceTally(Shape, frozen=True):
    """How a resource went up and down."""

    id: str
    gained: int
    """All that it went up by."""
    lost: int
    """All that it went down by."""


class DecisionCount(Shape, frozen=True):
    """Decisions that were answered."""

    answered: int
    """All of them, dice that were handed in included."""
    by_timeout: int
    """By default, because time was up."""
    by_policy: int
    """By a policy."""
    by_gm: int
    """By the GM."""


class CombatantStatistics(Shape, frozen=True):
    """What one combatant did and suffered. `unknown` stands for whoever the reader may not know of."""

    combatant: str
    name: str
    side: str
    turns: int
    """Turns that began for him."""
    attacks: int
    """Attacks that he made."""
    attacks_hit: int
    """Attacks of his that hit something, before anybody evaded or, in some systems, after it."""
    hits: int
    """Hits that he scored."""
    attacked: int
    """Attacks that were aimed at him."""
    defences: int
    """Reactions of his to attacks."""
    defences_made: int
    """Those that turned a hit away."""
    checks: int
    """Tests that he rolled."""
    successes: int
    """Those that succeeded."""
    damage_dealt: int
    """What got through to others."""
    damage_taken: int
    """What got through to him."""
    hits_taken: int
    """Hits whose damage was rolled against him."""
    critical_effects: int
    """Rows of a critical table that applied to him."""
    went_down: int
    """How often he went down or died."""
    distance: Length
    """How far he went by himself."""
    actions: tuple[ActionCount, ...]
    """Actions that he took."""
    checks_by_purpose: tuple[PurposeCount, ...]
    """His tests by what they were for."""
    resources: tuple[ResourceTally, ...]
    """His resources."""
    decisions: DecisionCount
    """Decisions that were his."""
    dice: tuple[DiceMean, ...]
    """Dice that were rolled for him and that the log shows."""


class Statistics(Shape, frozen=True):
    """A fight in figures."""

    rounds: int
    """The round that was reached."""
    turns: int
    """Turns that began."""
    events: int
    """Events that were counted."""
    rulings: int
    """Rulings of the GM."""
    decisions: DecisionCount
    """Of everybody."""
    combatants: tuple[CombatantStatistics, ...]
