"""Called attacks: which part is named, what it does, and why it may not be. Clauses WH-300 to WH-390."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from app.engine.ids import CombatantId
from app.engine.reasons import Reason
from app.engine.table import Table
from rulesets.wh40k_d100.figures import ARM, EYE, HEAD, JOINT, LEFT, LEG, RIGHT, TORSO, arm, has_arm, part_of, tables_of
from rulesets.wh40k_d100.weapons import Weapon


class Called(msgspec.Struct, frozen=True):
    """What a called attack is aimed at: `part` as it was called, the location as far as it was named."""

    part: str
    side: str = ""
    location: str | None = None
    pair: int = 1
    named_pair: bool = False
    prefix: str = ""
    """Beginning of the names of the fields it came from."""

    @property
    def special(self) -> str | None:
        """What is special about the place: `joint`, `eye`, or nothing."""
        return self.part if self.part in (JOINT, EYE) else None

    def strikes(self) -> str:
        """The location that a success hits. Clauses: WH-330, WH-340, WH-360."""
        match self.part:
            case "arm":
                return arm(self.side, self.pair)
            case "leg":
                return f"{self.side}_{LEG}"
            case "joint":
                named = self.location or ""
                return arm(named.removesuffix(f"_{ARM}"), self.pair) if part_of(named) == ARM else named
            case "eye":
                return HEAD
            case _:
                return self.part


def called_of(options: Mapping[str, Any], location: str | None, prefix: str = "") -> Called | None:
    """What a submission calls, None if nothing. A second weapon has fields of its own. Clause: WH-300."""
    part = options.get(f"{prefix}called")
    if part is None:
        return None
    where = options.get(f"{prefix}location") if prefix else location
    side, pair = options.get(f"{prefix}side") or "", options.get(f"{prefix}arm_pair")
    return Called(str(part), str(side), where, int(pair or 1), pair is not None, prefix)


def why_not_called(table: Table, called: Called, target: CombatantId | None, weapon: Weapon) -> Iterator[Reason]:
    """Every reason against calling that. Clauses: WH-300, WH-330, WH-340, WH-380."""
    reason, at = table.rules.reason, f"/options/{called.prefix}called"
    if weapon.is_cast:
        yield reason("spell_cannot_be_called", "WH-300", at=at)
    if called.part in (ARM, LEG) and called.side not in (RIGHT, LEFT):
        yield reason("side_required", "WH-330", at=f"/options/{called.prefix}side")
    elif called.part == JOINT and part_of(called.location or "") in ("", TORSO):
        yield reason("joint_requires_limb_or_head", "WH-340", at=_place(called))
    elif target is not None and not _has(table, target, called):
        yield reason("unknown_location", "WH-330", at=_place(called), names=(called.strikes(),))
    for name, given, parts in (
        ("side", called.side, (ARM, LEG)),
        ("location", called.location, (JOINT,)),
        ("arm_pair", called.named_pair, (ARM, JOINT)),
    ):
        if given and called.part not in parts:
            where = "/location" if name == "location" and not called.prefix else f"/options/{called.prefix}{name}"
            yield reason("unused_input", at=where, names=(name,))
    if weapon.area is not None and weapon.is_tested and called.part != TORSO:
        yield reason("area_attack_always_torso", "WH-380", at=at)
    if not weapon.is_tested:
        yield reason("no_attack_test", "WH-380", at=at)


def _place(called: Called) -> str:
    if called.part == JOINT:
        return f"/options/{called.prefix}location" if called.prefix else "/location"
    return f"/options/{called.prefix}called"


def _has(table: Table, target: CombatantId, called: Called) -> bool:
    """Whether the target has what is called. Clause: WH-330."""
    named = called.location if called.part == JOINT else called.strikes()
    location = "" if named is None else named
    if part_of(location) == ARM:
        side = RIGHT if location.startswith(RIGHT) else LEFT
        return has_arm(table.who(target), side, called.pair)
    return any(row.location == location for row in tables_of(table).hit_locations)
