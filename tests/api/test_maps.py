"""A map is read, changed and sent back."""

from tests.api.table import Table, table
from tests.support.play import catalog

WALLS = [
    [[6, 0], [6, 4]],
    {"a": [6, 4], "b": [6, 6], "id": "door"},
    {
        "a": [2, 8],
        "b": [4, 8],
        "id": "crates",
        "move": False,
        "sight": False,
        "cover": {"ap": 8, "locations": ["body"], "near": 1.5},
    },
    {"a": [0, 9], "b": [9, 9], "drop": 4},
]
REGIONS = [{"kind": "smoke", "shape": [[1, 1], [3, 1], [3, 3]]}]


async def opened(seats: Table) -> None:
    """A fight on a map."""
    people = (
        {"sample": "sable", "side": "blue", "external_ref": "ann", "position": [1, 1]},
        {"sample": "brok", "side": "red", "external_ref": "orc", "position": [8, 1]},
    )
    space = {"mode": "map", "grid": "square", "cell": 1, "walls": WALLS, "regions": REGIONS, "size": [40, 40]}
    await seats.create(*people, ruleset="dark_heresy_2e", space=space)


async def test_a_map_that_was_read_can_be_sent_back_with_a_door_opened(sqlite_url: str) -> None:
    async with table(sqlite_url, catalog=catalog()) as seats:
        await opened(seats)
        space = (await seats.get(seats.encounter)).json()["space"]

        same = await seats.send("PATCH", seats.encounter, json={"space": space})
        assert same.status_code == 200, same.text
        assert (await seats.get(seats.encounter)).json()["space"] == space

        door = next(one for one in space["walls"] if one["id"] == "door")
        door["open"] = True
        assert (await seats.send("PATCH", seats.encounter, json={"space": space})).status_code == 200
        assert (await seats.get(seats.encounter)).json()["space"] == space


async def test_wear_of_cover_is_told_and_not_set(sqlite_url: str) -> None:
    async with table(sqlite_url, catalog=catalog()) as seats:
        await opened(seats)
        space = (await seats.get(seats.encounter)).json()["space"]
        assert space["worn"] == {}
        space["worn"] = {"crates": 2}

        refused = await seats.send("PATCH", seats.encounter, json={"space": space})

        assert refused.status_code == 422
        assert [(one["code"], one["at"]) for one in refused.json()["errors"]] == [
            ("not_settable", "/space/worn/crates")
        ]
