"""Fights of the ledger's ready combatants, with scores written down instead of rolled."""

from typing import Any

from msgspec.structs import replace

from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.scene import Scene
from app.engine.space.model import Ground, PairFact, Place, Wall, pair_key
from app.engine.state import Clock, Item, Scenery, State
from app.engine.turns import advance
from tests.support.play import Played, PlayTable, combatant, length, ruleset

USUAL = "grisha"
SAMPLES = ("razor", "grisha", "okoye", "boulder", "wren")


def fight(
    *,
    apart: dict[str, float] | float | None = None,
    options: dict[str, Any] | None = None,
    walls: tuple[Wall, ...] = (),
    round_: int = 1,
    pass_: int = 1,
    **people: Any,
) -> PlayTable:
    """A Combat Turn under way in its first pass. Each combatant is a score, or what differs from the ledger's of that
    name with `score` among it; one who is none of them is a ganger.

    `apart` states distances in metres by pair (`{"a-b": 5}`) or for all pairs; somebody with `at` (x and y in metres)
    is on a map, and then all have to be.
    """
    rules = ruleset("shadowrun_5e")
    bodies = []
    for place, (name, given) in enumerate(people.items()):
        fields: dict[str, Any] = {"score": given} if isinstance(given, int) else dict(given)
        score = fields.pop("score", 20 - place)
        at = fields.pop("at", None)
        pools = fields.pop("pools", {})
        if at is not None:
            fields["place"] = Place(length(at[0]), length(at[1]), None)
        sample = fields.pop("sample", name if name in SAMPLES else USUAL)
        body = combatant(rules, name, sample, **fields)
        stats = body.sheet.stats
        ties = (stats["edge"], stats["reaction"], stats["intuition"])
        body = replace(body, pools={**body.pools, "initiative": score, **pools}, standing=(score, *ties))
        bodies.append(body)
    on_map = any(body.place is not None for body in bodies)
    facts = {}
    if not on_map and apart is not None:
        names = list(people)
        if not isinstance(apart, dict):
            apart = {f"{one}-{other}": apart for i, one in enumerate(names) for other in names[i + 1 :]}
        facts = {pair_key(*pair.split("-")): PairFact(distance=length(far)) for pair, far in apart.items()}
    state = State(
        rules.id,
        status="running",
        options=dict(options or {}),
        dice="client",
        clock=Clock(round=round_, pass_=pass_),
        scenery=Scenery(ground=Ground(walls=walls) if on_map else None, facts=facts),
        combatants={body.id: body for body in bodies},
    )
    opening = Scene(rules, state, {}, lambda ask: None)
    advance(opening)
    return PlayTable(rules, opening.state)


def score(table: PlayTable, name: str) -> int:
    """Somebody's initiative score."""
    return table.who(name).pools["initiative"]


def pool(table: PlayTable, name: str, which: str) -> int:
    """A resource of somebody's."""
    return table.who(name).pools[which]


def done(table: PlayTable, **answers: Any) -> Played:
    """Whoever's phase it is ends it."""
    assert table.turn is not None
    return table.play("end_phase", table.turn, **answers)


def order(table: PlayTable, phases: int, **answers: Any) -> list[str]:
    """Who has the next phases, each ended at once."""
    found = []
    for _ in range(phases):
        assert table.turn is not None
        found.append(str(table.turn))
        done(table, **answers)
    return found


def rolls(count: int, hits: int, ones: int = 0) -> tuple[int, ...]:
    """A pool with so many hits and so many ones; the rest are threes."""
    return (5,) * hits + (1,) * ones + (3,) * (count - hits - ones)


def pools_of(played: Played, purpose: str) -> list[int]:
    """Dice of each test for that purpose, in order."""
    return [len(one.dice) for one in played.of(ev.CheckRolled) if one.purpose == purpose]


def terms_of(played: Played, purpose: str, at: int = 0) -> dict[str, int]:
    """The parts of one of them."""
    found = [one for one in played.of(ev.CheckRolled) if one.purpose == purpose]
    return {term.id: term.value for term in found[at].terms}


def held(**kinds: str) -> dict[str, Item]:
    """Items by kind and hand, loaded as they come."""
    return {kind: Item(kind, held=hand or None) for kind, hand in kinds.items()}


def ids(*names: str) -> tuple[CombatantId, ...]:
    """Names as ids."""
    return tuple(CombatantId(name) for name in names)
