"""What an action costs: as declared, which is judged, and as it really comes out, which is paid.

Clauses MA-020, MA-095, MA-540, MA-600, MA-660.
"""

from msgspec.structs import replace

from app.engine.asks import Cost
from app.engine.commands import Submission
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.manewry_ap.attack import AttackParams, attack_of, price_of
from rulesets.manewry_ap.figures import AP
from rulesets.manewry_ap.moving import MoveParams, Price, going_of, least_units, stop_of
from rulesets.manewry_ap.moving import price_of as price_of_way


def priced(sub: Submission, action: Action, ap: int | None) -> tuple[Submission, Action]:
    """The action with that price; where it cannot be judged, without any."""
    costs = () if ap is None else (Cost(AP, ap),)
    return sub, replace(action, costs=dict.fromkeys(action.costs, costs))


def price_now(scene: Scene, sub: Submission, action: Action) -> Price | None:
    """What it really comes to, where that can differ from what was declared. Clauses: MA-540, MA-600."""
    if isinstance(action.params, MoveParams):
        going = going_of(scene, sub)
        if going.run is None:
            return None
        stop = stop_of(scene, sub.actor, going.run)
        return price_of_way(scene, action.params, going.units, stop.at // 100)
    if isinstance(action.params, AttackParams):
        found = price_of(scene, attack_of(scene, sub, action, whole=True))
        return None if found is None else Price(found)
    return None


def declared(table: Table, sub: Submission, action: Action) -> int | None:
    """What it comes to as far as he knows; for a way that is not named, at least. Clause: MA-095."""
    if isinstance(action.params, MoveParams):
        going = going_of(table, sub)
        units = least_units(table, action.params) if going.run is None else going.units
        price = price_of_way(table, action.params, units)
        return None if price is None else price.ap
    return price_of(table, attack_of(table, sub, action))
