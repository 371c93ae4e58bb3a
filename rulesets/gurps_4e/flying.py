"""A weapon that flies off: where it lands, and who is in its way. Table 5.10, clause GU-280."""

from dataclasses import replace as changed

from app.engine.events import Hit, ItemMoved, Noted
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.scene import Scene
from app.engine.space.model import Place, Unknown
from rulesets.gurps_4e.attack import Blow
from rulesets.gurps_4e.checks import DX, succeeds, take_test
from rulesets.gurps_4e.conditions import forget_item
from rulesets.gurps_4e.figures import YARD
from rulesets.gurps_4e.injuries import Harm, deal
from rulesets.gurps_4e.weapons import damage_of

HALF_TURN = 180
NEAR = YARD // 2
CLAUSE = ClauseId("GU-280")


def land_at(scene: Scene, who: CombatantId, blow: Blow, item: ItemId, far: int, ahead: bool) -> None:
    """It lies so many yards off, straight ahead or behind; whoever is there rolls DX or takes half its damage."""
    place = scene.who(who).place
    lies: Place | None = None
    struck: tuple[CombatantId, ...] = ()
    if place is not None:
        direction = ((place.facing or 0) + (0 if ahead else HALF_TURN)) % 360
        found = scene.space.scatter(place.point, direction, far * YARD)
        if not isinstance(found, Unknown):
            lies = found[0]
            near = scene.space.near(lies.point, NEAR)
            struck = () if isinstance(near, Unknown) else tuple(CombatantId(one) for one in near if one != who)
    scene.emit(ItemMoved(who, item, None, True, CLAUSE, lies=lies))
    scene.emit(Noted(who, "weapon_flies", words=("ahead" if ahead else "behind",), clause=CLAUSE))
    forget_item(scene, who, item, "dropped")
    harm = Harm(who, damage_of(scene, who, blow.mode.damage), blow.mode.type, divisor=blow.mode.divisor, halved=True)
    for one in struck:
        with scene.within("in_the_way", one):
            if not take_test(scene, one, DX, "duck", clause="GU-280", sees=succeeds).success:
                deal(scene, changed(harm, clause="GU-280"), Hit(1, one))
