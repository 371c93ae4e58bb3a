"""A weapon that flies off: where it lands, and who is in its way. Table 5.10, clause GU-280."""

from app.engine.asks import GM, Option, Question
from app.engine.events import Die, Figure, Hit, Noted
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.scene import Scene
from app.engine.space.model import Place, Unknown
from app.engine.table import Table
from rulesets.gurps_4e.attack import Blow
from rulesets.gurps_4e.checks import DX, succeeds, take_test
from rulesets.gurps_4e.conditions import drop
from rulesets.gurps_4e.figures import YARD
from rulesets.gurps_4e.injuries import Harm, deal
from rulesets.gurps_4e.reach import distance
from rulesets.gurps_4e.weapons import damage_of

HALF_TURN = 180
NEAR = YARD // 2
CLAUSE = ClauseId("GU-280")
NOBODY, SOMEBODY, WHO = "nobody", "somebody", "who"
IN_THE_WAY = "weapon_flies"


def fly_off(scene: Scene, who: CombatantId, blow: Blow, item: ItemId, dice: tuple[Die, ...], *, ahead: bool) -> None:
    """It lies as many yards off as all dice but the last, straight ahead or behind by that one; whoever is there rolls
    DX or takes half its damage.
    """
    far = sum(die.value for die in dice[:-1])
    lies = _landing(scene, who, blow, far, ahead=ahead)
    scene.emit(
        Noted(
            who,
            "weapon_flies",
            figures=(Figure("yards", far),),
            words=("ahead" if ahead else "behind",),
            dice=dice,
            clause=CLAUSE,
        )
    )
    drop(scene, who, item, CLAUSE, lies=lies, away=far * YARD)
    harm = Harm(
        who, damage_of(scene, who, blow.mode.damage), blow.mode.type, divisor=blow.mode.divisor, halved="GU-280"
    )
    for one in _struck(scene, who, far, lies):
        with scene.within("in_the_way", one):
            if not take_test(scene, one, DX, "get_out_of_the_way", clause="GU-280", sees=succeeds).success:
                deal(scene, harm, Hit(1, one))


def _landing(table: Table, who: CombatantId, blow: Blow, far: int, *, ahead: bool) -> Place | None:
    """Where it comes down; the way to the foe is ahead for whoever keeps no facing. None without a map."""
    place = table.who(who).place
    if place is None or not table.has_map:
        return None
    towards = place.facing
    if towards is None:
        found = table.space.bearing(who, blow.target)
        towards = 0 if isinstance(found, Unknown) else found
    landing = table.space.scatter(place.point, (towards + (0 if ahead else HALF_TURN)) % 360, far * YARD)
    return None if isinstance(landing, Unknown) else landing[0]


def _struck(scene: Scene, who: CombatantId, far: int, lies: Place | None) -> tuple[CombatantId, ...]:
    """Who is where it lands: measured on a map, said by the GM without one."""
    if lies is None:
        return _named(scene, who, far)
    near = scene.space.near(lies.point, NEAR)
    found = () if isinstance(near, Unknown) else near
    return tuple(CombatantId(one) for one in found if one != who and scene.who(CombatantId(one)).status != "dead")


def _named(scene: Scene, who: CombatantId, far: int) -> tuple[CombatantId, ...]:
    """The GM says who of those that can be there is there; nobody is asked where stated distances leave none.

    Stated distances tell how far somebody is, and not in which direction.
    """
    able = [body.id for body in scene.in_order() if body.id != who and _may_be_there(scene, who, body.id, far)]
    if not able:
        return ()
    form = (Field(WHO, "combatants", required=True, choices=tuple(able), minimum=1, clause=CLAUSE),)
    answer = scene.ask(
        Question(
            key="",
            name=IN_THE_WAY,
            kind=IN_THE_WAY,
            to=GM,
            options=(Option(NOBODY, declines=True), Option(SOMEBODY, form=form)),
            default=NOBODY,
            about=who,
            lengths={"distance": far * YARD},
            clause=CLAUSE,
        )
    )
    named = answer.fields.get(WHO, ()) if answer.option == SOMEBODY else ()
    return tuple(one for one in able if one in named)


def _may_be_there(table: Table, who: CombatantId, other: CombatantId, far: int) -> bool:
    found = distance(table, who, other)
    return isinstance(found, Unknown) or found == far
