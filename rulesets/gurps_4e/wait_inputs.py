"""What a Wait has a use for of everything that it can be told, and what it must be told. Clauses GU-600, GU-1400 to
GU-1410, GU-1500 to GU-1550.
"""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.reasons import Reason
from app.engine.table import Table
from rulesets.gurps_4e.areas import is_a_line
from rulesets.gurps_4e.attack import ALL_OUT_ATTACK, ATTACK, DETERMINED, DOUBLE, FEINT, SHOT, STRONG, SUPPRESSION
from rulesets.gurps_4e.maneuvers import READY
from rulesets.gurps_4e.reach import are_foes
from rulesets.gurps_4e.resolvers.ready import (
    CHANGE_REACH,
    DRAW,
    FROM,
    ITEM,
    OWN_FIELDS,
    PICK_UP,
    RECOVER,
    RELOAD,
    STOW,
    TASK_OPTION,
    TOGGLE,
    TRAIT,
    USES,
)
from rulesets.gurps_4e.tasks import TASK
from rulesets.gurps_4e.waiting import COVER, REFLEX, STOP_THRUST
from rulesets.gurps_4e.weapons import REACH, weapon_of

WITH_A_WEAPON = (ATTACK, FEINT, ALL_OUT_ATTACK)
OPTIONS = {
    ALL_OUT_ATTACK: (DETERMINED, DOUBLE, FEINT, STRONG, SUPPRESSION),
    READY: (DRAW, PICK_UP, STOW, RELOAD, RECOVER, CHANGE_REACH, TOGGLE, TASK_OPTION),
}
"""What each response can be chosen with."""
COVERS_ON = ("enters_area", "becomes_visible")
"""Events by which an area is covered. Clause: GU-1500."""


class Told:
    """A declaration of a Wait, looked at for what it is."""

    def __init__(self, table: Table, sub: Submission, kind: str, trigger: str) -> None:
        self.table, self.sub, self.kind, self.trigger = table, sub, kind, trigger
        response = sub.options.get("response")
        self.response = READY if response is None and kind == REFLEX else str(response or "")
        self.option = str(sub.options.get("response_option") or "")
        if self.response == READY and not self.option and kind == REFLEX:
            self.option = TASK_OPTION
        self.covers_an_area = kind == COVER and not sub.targets

    @property
    def shoots(self) -> bool:
        """Whether the response is a shot."""
        form = self.sub.options.get("form")
        return form == SHOT or (form is None and weapon_of(self.table, self.sub.actor, self.sub.weapon).is_ranged)

    def uses(self, name: str) -> bool:
        """Whether it has a use for that input. Clauses: GU-1400, GU-1410, GU-1500 to GU-1540."""
        attacks = self.response in (ATTACK, ALL_OUT_ATTACK)
        match name:
            case "trigger":
                return self.kind != STOP_THRUST and (not self.covers_an_area or self.trigger in COVERS_ON)
            case "distance":
                return self.trigger == "comes_within"
            case "maneuvers":
                return self.trigger == "starts_maneuver"
            case "whom":
                return self.trigger == "attacks"
            case "ally":
                return self.trigger == "ally_acts"
            case "text":
                return self.trigger == "custom" or (self.response == READY and self.option == TASK_OPTION)
            case "group":
                return not self.sub.targets and self.trigger not in ("ally_acts", "custom") and self.kind != COVER
            case "response_option":
                return self.response in OPTIONS
            case "aim_at":
                return self.response in WITH_A_WEAPON and not self.covers_an_area
            case "form":
                return attacks and self.kind != STOP_THRUST
            case "mode":
                return self.response in WITH_A_WEAPON
            case "shots":
                return attacks and self.shoots
            case "yards" | "line" | "discriminate":
                return self.covers_an_area
            case _ if name in OWN_FIELDS:
                return self.response == READY and name in USES.get(self.option, ())
            case _:
                return True

    @property
    def uses_area(self) -> bool:
        """Whether an area is what it watches."""
        return self.covers_an_area or self.trigger == "enters_area"


def why_unused(told: Told) -> Iterator[Reason]:
    """Inputs for which this Wait has no use: nothing that was sent is silently passed over. Clause: GU-1400."""
    reason, sub = told.table.rules.reason, told.sub
    for name, value in sub.options.items():
        if value is not None and not told.uses(name):
            yield reason("unused_input", at=f"/options/{name}", names=(name,))
    if sub.area is not None and not told.uses_area:
        yield reason("unused_input", at="/area", names=("area",))
    if sub.area is not None and told.covers_an_area and sub.options.get("yards") is not None:
        yield reason("unused_input", "GU-1510", at="/options/yards", names=("yards",))
    if sub.area is not None and told.covers_an_area and sub.options.get("line") is True and not is_a_line(sub.area):
        yield reason("invalid_option_value", "GU-1510", at="/options/line", names=("line",))


def why_not_them(told: Told) -> Iterator[Reason]:
    """Whom it names and cannot mean: an ally is one of his own side, and nobody strikes himself.

    Clauses: GU-1400, GU-1410, GU-1540.
    """
    table, sub = told.table, told.sub
    reason, who = table.rules.reason, sub.actor
    ally, aim_at = sub.options.get("ally"), sub.options.get("aim_at")
    if isinstance(ally, str) and table.known(ally) and (ally == who or are_foes(table, who, ally)):  # type: ignore[arg-type]
        yield reason("invalid_target", "GU-1540", at="/options/ally", names=(ally,))
    if aim_at == who:
        yield reason("invalid_target", "GU-1400", at="/options/aim_at", names=(who,))
    for place, one in enumerate(sub.options.get("group") or ()):
        if one == who:
            yield reason("invalid_target", "GU-1410", at=f"/options/group/{place}", names=(who,))
        elif not table.known(one):
            yield reason("unknown_combatant", at=f"/options/group/{place}", names=(one,))


def why_not_readied(told: Told) -> Iterator[Reason]:
    """A response with an option of another one, and a Ready that does not say what is readied.

    Clauses: GU-1300, GU-1400.
    """
    reason, sub, option = told.table.rules.reason, told.sub, told.option
    at = "/options/response_option"
    known = OPTIONS.get(told.response, ())
    if option and known and option not in known:
        yield reason("invalid_option_value", "GU-1400", at=at, names=known)
        return
    if told.response != READY or told.kind in (COVER, STOP_THRUST):
        return
    if not option:
        yield reason("option_required", "GU-1400", at=at)
        return
    lacking = _lacking(told)
    if lacking is not None:
        yield reason("missing_input", "GU-1400", at=lacking)
    if sub.weapon is not None and option in (TOGGLE, TASK_OPTION):
        yield reason("unused_input", at="/weapon", names=("weapon",))


def _lacking(told: Told) -> str | None:
    """Where something is missing that a Ready needs."""
    options, weapon = told.sub.options, told.sub.weapon
    match told.option:
        case "pick_up":
            if options.get(FROM) is not None:
                return None if options.get(ITEM) is not None else f"/options/{ITEM}"
            return None if weapon is not None else "/weapon"
        case "toggle_trait":
            return None if options.get(TRAIT) is not None else f"/options/{TRAIT}"
        case "task":
            said = options.get(TASK) or options.get("text")
            return None if said or told.kind == REFLEX else f"/options/{TASK}"
        case "change_reach" if weapon is not None:
            return None if options.get(REACH) is not None else f"/options/{REACH}"
        case _:
            return None if weapon is not None else "/weapon"
