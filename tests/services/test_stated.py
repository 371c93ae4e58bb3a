"""What is stated of space: what would change nothing, or cannot be, is refused at its place."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import inspect, to_builtins

from app.engine.forms import Field
from app.services import lookup
from app.services.bodies import SaidIn
from app.services.errors import BadInput
from app.services.stated import MEASURED, Naming, names_fit
from tests.services.game import ANN, GM, Game, fighter
from tests.services.test_possible import preview

pytestmark = pytest.mark.anyio
Found = list[tuple[str, str, str]]
KNOWN = "close, far"
ON_MAP = {"mode": "map", "size": [10, 10]}


async def found(doing: Any) -> Found:
    """What is refused, if anything is."""
    try:
        await doing
    except BadInput as refused:
        return [(one.code, one.at, one.need) for one in refused.findings]
    return []


def below(at: str, flaws: Found) -> Found:
    """The same, of something that stands there."""
    return [(code, at + rest, need) for code, rest, need in flaws]


PIECE = {"id": "crate", "ap": 4}
COVERS: list[tuple[dict[str, Any], Found]] = [
    ({"pieces": [PIECE | {"rating": "good"}]}, []),
    ({"hidden": 40}, []),
    ({"pieces": [PIECE | {"locations": ["haed"]}]}, [("unknown_word", "/pieces/0/locations/0", "")]),
    ({"pieces": [PIECE | {"rating": "splendid"}]}, [("unknown_word", "/pieces/0/rating", "good")]),
    ({"pieces": [PIECE, PIECE]}, [("id_taken", "/pieces/1/id", "")]),
    ({"hidden": 0, "pieces": [PIECE]}, [("contradiction", "/hidden", "")]),
]


@pytest.mark.parametrize(("cover", "flaws"), COVERS)
async def test_a_cover_is_judged_alike_wherever_it_comes_from(quick_game: Game, cover: Any, flaws: Found) -> None:
    game = quick_game
    fact = {"from": "ref:ann", "to": "ref:orc", "cover": cover}
    made = game.create(fighter("ann", "blue", cover=cover), fighter("orc", "red"))
    assert await found(made) == below("/combatants/0/cover", flaws)
    made = game.create(space={"mode": "stated", "facts": [fact]})
    assert await found(made) == below("/space/facts/0/cover", flaws)
    await game.duel()

    assert await found(game.add(fighter("bob", "blue", cover=cover))) == below("/combatants/0/cover", flaws)
    assert await found(game.edit(GM, "ref:ann", cover=cover)) == below("/cover", flaws)
    ruled = game.rule({"combatant": "ref:ann", "cover": cover}, {"fact": fact})
    assert await found(ruled) == below("/changes/0/cover", flaws) + below("/changes/1/fact/cover", flaws)
    said = {"cover": {"ref:orc": cover}}
    assert await found(preview(game, ANN, "ref:ann", "strike", "ref:orc", said=said)) == below(
        "/said/cover/ref:orc", flaws
    )


async def test_a_map_speaks_the_words_of_the_ruleset(quick_game: Game) -> None:
    game = quick_game
    wall = {"a": [1, 1], "b": [2, 1], "cover": {"ap": 4, "locations": ["head"], "rating": "splendid"}}
    shape = [[1, 1], [2, 1], [2, 2]]
    space = ON_MAP | {
        "walls": [wall],
        "regions": [{"kind": "smoke", "shape": shape}, {"kind": "smoek", "shape": shape}],
    }
    flaws = [
        ("unknown_word", "/space/walls/0/cover/locations/0", ""),
        ("unknown_word", "/space/walls/0/cover/rating", "good"),
        ("unknown_word", "/space/regions/1/kind", "smoke, dark, mud"),
    ]

    assert await found(game.create(space=space)) == flaws
    await game.duel()
    assert await found(game.set_up(space=space)) == flaws


FACTS: list[tuple[dict[str, Any], Found]] = [
    ({"distance": 3, "arc": "back", "between": ["smoke"]}, []),
    ({"band": "far"}, []),
    ({"distance": -0.01}, [("out_of_bounds", "/distance", ">= 0")]),
    ({"band": "fra"}, [("unknown_word", "/band", KNOWN)]),
    ({"band": "far", "distance": 3}, [("contradiction", "/band", "")]),
    ({"arc": "rear"}, [("unknown_word", "/arc", "front, back")]),
    ({"between": ["smoke", "mud"]}, [("unknown_word", "/between/1", "smoke, dark")]),
    ({"between": ["smoke", "smoke"]}, [("given_twice", "/between/1", "")]),
    ({"to": "ref:ann"}, [("named_twice", "/to", "")]),
]


@pytest.mark.parametrize(("fact", "flaws"), FACTS)
async def test_a_fact_is_judged_alike_wherever_it_comes_from(quick_game: Game, fact: Any, flaws: Found) -> None:
    game = quick_game
    whole = {"from": "ref:ann", "to": "ref:orc", **fact}

    made = game.create(space={"mode": "stated", "facts": [whole]})
    assert await found(made) == below("/space/facts/0", flaws)
    await game.duel()
    assert await found(game.rule({"fact": whole})) == below("/changes/0/fact", flaws)


async def test_what_is_stated_of_one_pair_fits_together(quick_game: Game) -> None:
    game = quick_game
    there, back = {"from": "ref:ann", "to": "ref:orc"}, {"from": "ref:orc", "to": "ref:ann"}
    facts = [there | {"distance": 3}, back | {"distance": 3, "sees": False}, there | {"sees": True}]

    assert await found(game.create(space={"mode": "stated", "facts": facts})) == [("given_twice", "/space/facts/2", "")]
    await game.duel()
    apart = [{"fact": there | {"distance": 3}}, {"fact": back | {"distance": 4}}]
    assert await found(game.rule(*apart)) == [("contradiction", "/changes/1/fact/distance", "")]
    assert await found(game.rule(*[{"fact": one} for one in facts[:2]])) == []


async def test_a_map_measures_what_is_a_measure(quick_game: Game) -> None:
    game = quick_game
    people = fighter("ann", "blue", position=[1, 1]), fighter("orc", "red", position=[2, 1])
    await game.duel(*people, space=ON_MAP)
    fact = {"from": "ref:ann", "to": "ref:orc", "engaged": True}

    assert await found(game.rule({"fact": fact | {"distance": 3, "band": "far"}})) == [
        ("map_measures", "/changes/0/fact/distance", ""),
        ("map_measures", "/changes/0/fact/band", ""),
    ]
    assert await found(game.rule({"fact": fact})) == []
    said = {"length": 3, "crosses": [], "engage": ["ref:orc"]}
    assert await found(game.act(ANN, "ref:ann", "step", path=[[2, 2]], said=said)) == [
        ("map_measures", "/said/length", ""),
        ("map_measures", "/said/crosses", ""),
    ]


# What a submission says


def said_fields() -> Iterator[tuple[str, Any, str]]:
    """Every field of what may be said, with a value made up from its type: `names`, `lengths` or `length`."""
    for field in inspect.type_info(SaidIn).fields:  # type: ignore[attr-defined]
        for kind in field.type.types:
            if isinstance(kind, inspect.VarTupleType):
                yield field.encode_name, ["ref:nobody"], "0"
            elif isinstance(kind, inspect.DictType):
                yield field.encode_name, {"ref:nobody": _sample(field.encode_name, kind.value_type)}, "ref:nobody"
            elif isinstance(kind, inspect.Metadata | inspect.FloatType):
                yield field.encode_name, -1, ""


def _sample(name: str, kind: Any) -> Any:
    if isinstance(kind, inspect.StructType):
        return {"hidden": 10}
    return {"sees": True, "bands": "far"}.get(name, 1)


@pytest.mark.parametrize(("name", "value", "place"), list(said_fields()))
async def test_no_field_of_what_is_said_names_nobody_or_is_less_than_nothing(
    quick_game: Game, name: str, value: Any, place: str
) -> None:
    game = quick_game
    await game.duel()
    before = await game.read()
    code, need = ("unknown_combatant", "") if place else ("out_of_bounds", ">= 0")
    at = f"/said/{name}" + (f"/{place}" if place else "")
    lacking = [("unknown_word", at, "")] if name == "crosses_at" else []

    refused = await found(game.act(ANN, "ref:ann", "step", said={name: value}))

    assert refused == [(code, at, need), *lacking]
    assert await found(preview(game, ANN, "ref:ann", "step", said={name: value})) == refused
    assert await game.read() == before


def test_every_field_of_what_is_said_is_measured_on_a_map_or_his_to_say() -> None:
    assert set(SaidIn.__struct_fields__) - set(MEASURED) == {"leaves", "engage", "near"}


SAID: list[tuple[dict[str, Any], Found]] = [
    ({"length": 3, "crosses": ["ref:orc"], "crosses_at": {"ref:orc": 3}, "straight_end": 3, "path_straight": True}, []),
    ({"distance": {"ref:ann": 1}}, [("named_twice", "/said/distance/ref:ann", "")]),
    ({"inside": ["ref:ann"]}, []),
    ({"near": ["ref:orc", "ref:orc"]}, [("given_twice", "/said/near/1", "")]),
    ({"bands": {"ref:orc": "fra"}}, [("unknown_word", "/said/bands/ref:orc", KNOWN)]),
    ({"bands": {"ref:orc": "far"}, "distance": {"ref:orc": 3}}, [("contradiction", "/said/bands/ref:orc", "")]),
    ({"distance_after": {"ref:orc": -1}}, [("out_of_bounds", "/said/distance_after/ref:orc", ">= 0")]),
    (
        {"length": 3, "crosses": ["ref:orc"], "crosses_at": {"ref:orc": 3.01}},
        [("out_of_bounds", "/said/crosses_at/ref:orc", "0..3")],
    ),
    ({"length": 3, "straight_end": 4}, [("out_of_bounds", "/said/straight_end", "0..3")]),
    ({"length": 3, "straight_end": 2, "path_straight": True}, [("contradiction", "/said/straight_end", "")]),
    ({"length": 3, "straight_end": 3, "path_straight": False}, [("contradiction", "/said/straight_end", "")]),
    ({"crosses": ["nest"]}, [("unknown_combatant", "/said/crosses/0", "")]),
]


@pytest.mark.parametrize(("said", "flaws"), SAID)
async def test_what_is_said_can_be(quick_game: Game, said: Any, flaws: Found) -> None:
    game = quick_game
    await game.duel()

    assert await found(preview(game, ANN, "ref:ann", "step", said=said)) == flaws


async def test_nothing_on_the_way_to_somebody_lies_behind_him(quick_game: Game) -> None:
    game = quick_game
    await game.duel(space={"mode": "stated", "facts": [{"from": "ref:orc", "to": "ref:ann", "distance": 2}]})
    far = {"crosses": ["ref:orc"], "crosses_at": {"ref:orc": 2.5}}

    async def of(**said: Any) -> Found:
        return await found(preview(game, ANN, "ref:ann", "strike", "ref:orc", weapon="sword", said={**far, **said}))

    assert await of() == [("out_of_bounds", "/said/crosses_at/ref:orc", "0..2")]
    assert await of(distance={"ref:orc": 2.5}) == []
    assert await of(length=1) == [("out_of_bounds", "/said/crosses_at/ref:orc", "0..1")]


async def test_one_by_two_names_is_named_twice(quick_game: Game) -> None:
    game = quick_game
    await game.duel()
    orc = game.ids["orc"]

    assert await found(preview(game, ANN, "ref:ann", "step", said={"distance": {orc: 1, "ref:orc": 2}})) == [
        ("given_twice", "/said/distance/ref:orc", "")
    ]
    assert await found(
        preview(game, ANN, "ref:ann", "step", said={"distance": {orc: 1}, "bands": {"ref:orc": "far"}})
    ) == [("contradiction", "/said/bands/ref:orc", "")]


async def test_who_is_hidden_is_refused_like_nobody(quick_game: Game) -> None:
    game = quick_game
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), fighter("spy", "red", hidden=True))
    said = {"near": ["ref:spy"], "crosses": ["ref:spy"]}

    nobody = {name: ["ref:nobody"] for name in said}
    refused = await found(preview(game, ANN, "ref:ann", "step", said=said))
    assert refused == await found(preview(game, ANN, "ref:ann", "step", said=nobody)) != []
    assert await found(preview(game, GM, "ref:ann", "step", said=said)) == []


@pytest.mark.parametrize(
    ("fields", "flaws"),
    [
        ({"path": [[1, 1]]}, [("no_map", "/path", "")]),
        ({"destination": [1, 1]}, [("no_map", "/destination", "")]),
        ({"area": {"kind": "sector", "centre": [0, 0], "reach": -1}}, [("out_of_bounds", "/area/reach", ">= 0")]),
        ({"area": {"kind": "polygon", "points": [[0, 0], [1, 1]]}}, [("bad_shape", "/area/points", "")]),
        (
            {"area": {"kind": "polygon", "points": [[0, 0], [4, 4], [4, 0], [0, 4]]}},
            [("bad_shape", "/area/points", "")],
        ),
    ],
)
async def test_what_is_drawn_can_be(quick_game: Game, fields: Any, flaws: Found) -> None:
    game = quick_game
    await game.duel()

    assert await found(game.act(ANN, "ref:ann", "step", **fields)) == flaws


# Forms


async def test_a_form_without_choices_takes_whom_and_what_there_is(quick_game: Game) -> None:
    game = quick_game
    await game.duel()
    form = (Field("who", "combatant"), Field("all", "combatants"), Field("what", "item"))

    async def flaws(**given: Any) -> list[tuple[str, str]]:
        live = await game.service.store.live(game.encounter)
        naming = Naming(live.state, ANN, live.state.combatants[game.ids["ann"]].id)  # type: ignore[index]
        return [(one.code, one.at) for one in names_fit(naming, form, given, "/fields")]

    assert await flaws(who="ref:orc", all=["ref:ann"], what="sword") == []
    assert await flaws(who="ref:orc", what="bow") == []  # his, who is named beside it
    assert await flaws(what="bow") == [("unknown_item", "/fields/what")]
    assert await flaws(who="x", all=["ref:ann", "y"]) == [
        ("unknown_combatant", "/fields/who"),
        ("unknown_combatant", "/fields/all/1"),
    ]


# Facts that are stated one after another


@pytest.mark.parametrize(
    ("first", "then", "known"),
    [
        ({"distance": 3, "sees": True}, {"arc": None, "sees": False}, {"distance": 300, "sees": False}),
        ({"distance": 3, "sees": True}, {"sees": None}, {"distance": 300}),
        ({"distance": 3}, {"distance": None, "sees": True}, {"sees": True}),
        ({"distance": 3}, {"band": "far"}, {"band": "far"}),
        ({"band": "far", "sees": True}, {"distance": 2}, {"distance": 200, "sees": True}),
    ],
)
async def test_what_is_left_out_of_a_pair_stays_and_null_takes_it_back(
    quick_game: Game, first: Any, then: Any, known: Any
) -> None:
    game, pair = quick_game, {"from": "ref:ann", "to": "ref:orc"}
    await game.duel(space={"mode": "stated", "facts": [pair | first]})

    await game.rule({"fact": pair | then})

    facts = (await live(game)).scenery.facts
    assert [to_builtins(fact) for fact in facts.values()] == [known]


async def test_a_distance_that_is_stated_from_the_other_is_the_same_one(quick_game: Game) -> None:
    game, there = quick_game, {"from": "ref:ann", "to": "ref:orc"}
    back = {"from": "ref:orc", "to": "ref:ann"}
    await game.duel(space={"mode": "stated", "facts": [there | {"distance": 3, "sees": True}]})

    await game.rule({"fact": back | {"distance": 5}})

    facts = (await live(game)).scenery.facts
    assert [to_builtins(fact) for fact in facts.values()] == [{"sees": True}, {"distance": 500}]
    await game.rule({"fact": there | {"distance": None}})
    facts = (await live(game)).scenery.facts
    assert [to_builtins(fact) for fact in facts.values()] == [{"sees": True}, {}]


async def live(game: Game) -> Any:
    """The state of the encounter as it is kept."""
    return (await lookup.encounter(game.service.store, GM, game.encounter)).state
