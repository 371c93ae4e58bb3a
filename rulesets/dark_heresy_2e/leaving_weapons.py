"""A braced weapon left to another: whoever is next to it may take it over as it stands. Clause DH-4540."""

from collections.abc import Iterator

from msgspec.structs import replace

from app.engine.commands import Submission
from app.engine.events import ItemChanged
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Place, Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.braces import THERE, X, Y, is_braced
from rulesets.dark_heresy_2e.grappling import hands_holding
from rulesets.dark_heresy_2e.reach import engagement_range
from rulesets.dark_heresy_2e.weapons import free_hands, hands_taken

CLAUSE = "DH-4540"
FROM, ITEM = "from", "item"


def takes_over(sub: Submission) -> bool:
    """Whether it is a weapon of somebody else's that he readies."""
    return FROM in sub.options or ITEM in sub.options


def _named(sub: Submission) -> tuple[CombatantId, ItemId]:
    return CombatantId(str(sub.options.get(FROM, ""))), ItemId(str(sub.options.get(ITEM, "")))


def check_take_over(table: Table, sub: Submission) -> Iterator[Reason]:
    """A weapon that stands braced, that nobody holds any more, within reach, and hands for it."""
    reason = table.rules.reason
    owner, item = _named(sub)
    if not table.known(owner):
        yield reason("unknown_combatant", at=f"/options/{FROM}", names=(owner,))
        return
    if item not in table.who(owner).items or not _is_left(table, owner, item):
        yield reason("item_not_carried", CLAUSE, at=f"/options/{ITEM}", names=(item,))
        return
    yield from _why_out_of_reach(table, sub.actor, owner, item)
    need = hands_taken(table.rules, replace(table.item(owner, item), held="both"))
    free = free_hands(table, sub.actor) - hands_holding(table, sub.actor)
    if need > free:
        yield reason("no_free_hand", "DH-4300", at=f"/options/{ITEM}", need=need, got=free)


def _is_left(table: Table, owner: CombatantId, item: ItemId) -> bool:
    held = table.item(owner, item)
    return is_braced(table, owner, item) and (held.on_ground or table.who(owner).status != "up")


def _why_out_of_reach(table: Table, who: CombatantId, owner: CombatantId, item: ItemId) -> Iterator[Reason]:
    """On a map it stands where it was braced; without one, whoever takes it states that he is next to it.

    What somebody still has his hands on is where he lies.
    """
    held, reach = table.item(owner, item), engagement_range(table)
    if table.has_map and X in held.marks and Y in held.marks:
        apart = table.space.after({THERE: Place(held.marks[X], held.marks[Y])}).distance(who, THERE)
    elif held.on_ground:
        return
    else:
        apart = table.space.distance(who, owner)
    if not isinstance(apart, Unknown) and apart > reach:
        yield table.rules.reason("out_of_reach", CLAUSE, at=f"/options/{ITEM}", need_length=reach, got_length=apart)


def take_over(scene: Scene, sub: Submission) -> None:
    """It is his now, in both hands, as it stood."""
    owner, item = _named(sub)
    taken = replace(scene.item(owner, item), held="both", on_ground=False)
    scene.emit(ItemChanged(owner, item, None, ClauseId(CLAUSE)))
    scene.emit(ItemChanged(sub.actor, _free_name(scene, sub.actor, item), taken, ClauseId(CLAUSE)))


def _free_name(table: Table, who: CombatantId, item: ItemId) -> ItemId:
    """The name it goes by among his things."""
    names = (item, *(ItemId(f"{item}_{number}") for number in range(2, len(table.who(who).items) + 3)))
    return next(name for name in names if name not in table.who(who).items)
