"""Conditions and what comes with them: how long they last, falling, fatigue, going down.

Clauses WH-060, WH-920 to WH-940.
"""

from app.engine.events import ItemMoved, StatusChanged
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.scene import Scene
from app.engine.state import Chain, Effect, Tick
from app.engine.table import Table
from rulesets.wh40k_d100.figures import CRITICAL, FATIGUE, LEFT, RIGHT, WOUNDS, arm, bonus, is_minor, tables_of
from rulesets.wh40k_d100.reach import part_from_all
from rulesets.wh40k_d100.weapons import arms_holding

BEARER = CombatantId("bearer")
STUNNED, PRONE, UNCONSCIOUS, BLEEDING, RUNNING = "stunned", "prone", "unconscious", "bleeding", "running"
ARM_DISABLED = "arm_disabled"
FOREVER = 1_000_000


def is_out(table: Table, who: CombatantId) -> bool:
    """Whether he is dead or lies unconscious."""
    return table.who(who).status != "up"


def can_act(table: Table, who: CombatantId) -> bool:
    """Whether he is conscious and not stunned. Clauses: WH-530, WH-940."""
    return not is_out(table, who) and not table.has(who, STUNNED, UNCONSCIOUS)


def for_rounds(table: Table, rounds: int) -> tuple[Chain, ...]:
    """Until the end of the so many-th own turn that starts from now; 0 lasts until it is treated. Clause: WH-060."""
    if rounds <= 0:
        return ()
    starts = Tick("turn_start", BEARER, times=rounds)
    if table.option("round_ends") == "turn_start":
        return ((starts,),)
    return ((starts, Tick("turn_end", BEARER)),)


def rounds_left(effect: Effect) -> int:
    """How many of his turns that are still to start it waits for. Clause: WH-060."""
    if not effect.until:
        return FOREVER
    return max(sum(tick.times for tick in chain if tick.at == "turn_start") for chain in effect.until)


def suffer(scene: Scene, who: CombatantId, kind: str, rounds: int, clause: str, word: str | None = None) -> None:
    """A condition begins; where it is there already, the longer of the two durations counts. Clause: WH-920."""
    if scene.who(who).status == "dead":
        return
    for held in scene.effects(who, kind):
        if held.word != word:
            continue
        if rounds_left(held) >= (rounds or FOREVER):
            return
        scene.end_one(who, held, "replaced")
        break
    scene.begin(who, kind, clause=clause, value=rounds, word=word, until=for_rounds(scene, rounds))
    if kind == PRONE:
        scene.end(who, RUNNING, why=PRONE, clause="WH-440")


def fall_prone(scene: Scene, who: CombatantId, clause: str) -> None:
    """He lies on the ground and runs no longer. Clauses: WH-085, WH-440."""
    suffer(scene, who, PRONE, 0, clause)


def tire(scene: Scene, who: CombatantId, levels: int, clause: str) -> None:
    """Levels of fatigue; more than the Toughness bonus and he passes out. Clauses: WH-920, WH-930."""
    if scene.who(who).status == "dead" or levels <= 0:
        return
    scene.change_pool(who, FATIGUE, levels, clause)
    if scene.pool(who, FATIGUE) > bonus(scene.who(who), "t"):
        knock_out(scene, who, "WH-930")


def knock_out(scene: Scene, who: CombatantId, clause: str) -> None:
    """He lies unconscious. Clause: WH-930."""
    if is_out(scene, who):
        return
    scene.begin(who, UNCONSCIOUS, clause=clause)
    scene.emit(StatusChanged(who, "down", UNCONSCIOUS, ClauseId(clause)))
    part_from_all(scene, who)


def die(scene: Scene, who: CombatantId, clause: str) -> None:
    """He is dead. Clauses: WH-920, WH-930."""
    if scene.who(who).status == "dead":
        return
    scene.emit(StatusChanged(who, "dead", "killed", ClauseId(clause)))
    for effect in tuple(scene.who(who).effects.values()):
        scene.end_one(who, effect, "dead", clause)
    part_from_all(scene, who)


def drop_from(scene: Scene, who: CombatantId, name: str, clause: str) -> None:
    """What that arm holds falls to the ground; with nothing in it, nothing happens. Clause: WH-920."""
    body = scene.who(who)
    for key, item in tuple(body.items.items()):
        if name in arms_holding(body, item):
            scene.emit(ItemMoved(who, ItemId(key), None, True, ClauseId(clause), body.place))


def begin_by_ruling(scene: Scene, who: CombatantId, kind: str, value: int, against: CombatantId | None = None) -> None:
    """A condition the GM puts on somebody, with all that the rules do beside it."""
    match kind:
        case "stunned" | "blinded" | "leg_disabled" | "arm_disabled":
            begin_for_rounds(scene, who, kind, value, against, 0)
        case "prone":
            fall_prone(scene, who, "WH-940")
        case "unconscious":
            knock_out(scene, who, "WH-930")
        case "extreme_damage_granted" if against is None:
            scene.begin(who, kind, until=())
        case _:
            scene.begin(who, kind, value=value, against=against)


def begin_for_rounds(
    scene: Scene, who: CombatantId, kind: str, value: int, against: CombatantId | None, rounds: int
) -> None:
    """The same for so many rounds, 0 until something ends it; `value` says which arm. Clause: WH-060."""
    match kind:
        case "stunned" | "blinded" | "leg_disabled":
            suffer(scene, who, kind, rounds, scene.rules.effects[kind].clause)
        case "arm_disabled":
            side = RIGHT if value % 2 else LEFT
            suffer(scene, who, kind, rounds, scene.rules.effects[kind].clause, arm(side, (value + 1) // 2))
        case _:
            scene.begin(who, kind, value=value, against=against, until=for_rounds(scene, rounds))


def set_pool_by_ruling(scene: Scene, who: CombatantId, pool: str, value: int) -> None:
    """A ruling that gives somebody more than he bears has the consequences that play would have: fatigue lets him pass
    out, the last row of critical damage kills, and so do no wounds left one of the many. Clauses: WH-920, WH-930.
    """
    scene.change_pool(who, pool, value - scene.pool(who, pool))
    body = scene.who(who)
    if pool == FATIGUE and scene.pool(who, FATIGUE) > bonus(body, "t") and body.status == "up":
        knock_out(scene, who, "WH-930")
    elif pool == CRITICAL and scene.pool(who, CRITICAL) >= tables_of(scene).core.death_at:
        die(scene, who, "WH-920")
    elif pool == WOUNDS and scene.pool(who, WOUNDS) <= 0 and is_minor(body) and scene.flag("minor_falls_at_0"):
        die(scene, who, "WH-930")
