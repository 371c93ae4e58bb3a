"""A fight's table looks at its crowd on a map only where it is asked, and tells the same as a map of everybody."""

from msgspec.structs import replace

from app.engine.ids import CombatantId
from app.engine.space import Ground, MapSpace, Place, Run
from app.engine.table import Table
from tests.support.play import combatant, ruleset, table_of

PLACES = {
    "ann": Place(0, 0, 90),
    "bea": Place(300, 0, 90),
    "cid": Place(300, 400, 90),
    "dan": None,
    "eve": Place(100, 0),
}


def space_of(table: Table) -> MapSpace:
    """The map as it is seen."""
    space = table.space
    assert isinstance(space, MapSpace)
    return space


def met(space: MapSpace, who: str, to: tuple[int, int]) -> list[str]:
    """Who is in his way."""
    run = space.run(who, (to,))
    assert isinstance(run, Run)
    found = space.met(run)
    assert isinstance(found, tuple)
    return [other for _, other in found]


def crowd() -> Table:
    """Five people, of whom Dan stands nowhere, Eve has left, and Cid is large and down."""
    rules = ruleset()
    bodies = [combatant(rules, name, place=place, side=name) for name, place in PLACES.items()]
    state = table_of(*bodies, rules=rules, ground=Ground()).state
    people = dict(state.combatants)
    for name, change in (("eve", {"status": "gone"}), ("cid", {"status": "down"})):
        people[CombatantId(name)] = replace(people[CombatantId(name)], **change)
    cid = people[CombatantId("cid")]
    people[cid.id] = replace(cid, sheet=replace(cid.sheet, stats={**cid.sheet.stats, "size": 8}))
    return Table(rules, replace(state, combatants=people))


def test_a_distance_is_less_what_a_large_body_reaches_beyond_a_mans() -> None:
    table = crowd()

    reach = table.rules.body_extra(table.who(CombatantId("cid")))

    assert reach > 0
    assert table.space.distance("ann", "bea") == 300
    assert table.space.distance("ann", "cid") == 500 - reach


def test_who_stands_nowhere_or_has_left_is_not_on_the_map() -> None:
    space = space_of(crowd())

    for absent in ("dan", "eve", "nobody"):
        assert space.placed(absent) is None
        assert getattr(space.distance("ann", absent), "of", None) == (absent,)
    assert space.near("ann", 1000) == ("bea", "cid")


def test_only_who_is_up_stands_in_the_way() -> None:
    space = space_of(crowd())

    assert met(space, "ann", (700, 0)) == ["bea"]
    assert met(space, "ann", (-700, 0)) == []
    assert met(space, "bea", (300, 900)) == []


def test_somebody_moves_and_the_others_stay() -> None:
    space = space_of(crowd())

    after = space.after({"bea": Place(0, 900, 0), "ann": None})

    assert after.near((0, 900), 100) == ("bea",)
    assert after.placed("ann") is None
    assert after.placed("cid") == PLACES["cid"]
    assert space.placed("ann") == PLACES["ann"]


def test_the_hidden_are_not_found_and_do_not_stand_in_the_way() -> None:
    space = space_of(crowd()).known_to({"bea"})

    assert space.near("ann", 1000) == ("cid",)
    assert met(space, "ann", (700, 0)) == []
    assert space.distance("ann", "bea") == 300
