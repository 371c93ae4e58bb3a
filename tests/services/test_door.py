"""Between what is written and what is reckoned: decimals, names, forms, and every event on the wire."""

from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog.texts import Texts
from app.engine import events as ev
from app.engine.forms import Field, FieldType
from app.engine.ids import ClauseId, CombatantId, EffectId, ItemId
from app.engine.space.model import Area, Grid, Ground, PairFact, Place, Region, Sector, Wall
from app.engine.state import Combatant, Effect, Item
from app.engine.visibility import SECRET_FIELDS
from app.services.bodies import SaidIn
from app.services.caller import Caller
from app.services.door import hundredths, said
from app.services.lookup import find, id_of
from app.services.narration import Book
from app.services.opaque import opaque
from app.services.units import converter, in_units
from app.services.wire import form
from app.services.words import Words
from tests.support import toy

GM = Caller("t", "gm", campaign="c")
PLAYER = Caller("t", "player", campaign="c", combatants=frozenset({"orc", "ref:Token"}))


@pytest.mark.parametrize(
    ("written", "held"),
    [
        (0, 0),
        (12, 1200),
        (6.2, 620),
        (0.1, 10),
        (1.005, 101),
        (1.015, 102),
        (2.675, 268),
        (1.004, 100),
        (-1.005, -101),
        (4.35, 435),
        (1e5, 10_000_000),
    ],
)
def test_decimals_are_taken_as_they_are_written(written: float, held: int) -> None:
    assert hundredths(written) == held


@given(st.integers(-10_000_000, 10_000_000))
def test_a_length_comes_back_as_it_went(length: int) -> None:
    told = msgspec.json.encode(in_units(ev.Moved(CombatantId("a"), length), "gm"))
    read = msgspec.json.decode(told, type=dict[str, Any])

    assert hundredths(read["distance"]) == length


def test_lengths_are_decimals_wherever_they_stand() -> None:
    ground = Ground(
        Grid("square", 150, (75, 75)),
        (4000, 2500),
        (Wall((0, 150), (100, 0), drop=350),),
        (Region("r", "smoke", ((0, 0), (5, 0), (0, 5))),),
    )
    sector: Area = Sector((100, 205), 1250, 90, 60)
    effect = Effect(EffectId("a.1"), "zone", ClauseId("C"), area=sector)

    told = [
        in_units(ev.MapChanged(ground), "public"),
        in_units(ev.EffectBegan(CombatantId("a"), effect), "public"),
        in_units(ev.FactStated(CombatantId("a"), CombatantId("b"), PairFact(distance=1234, bearing=90)), "gm"),
        in_units(
            ev.Moved(CombatantId("a"), 5, ((1, 2), (3, 4)), Place(3, 4, 90), distances={CombatantId("b"): 5}), "gm"
        ),
    ]

    assert told[0]["ground"]["size"] == [40.0, 25.0]
    assert told[0]["ground"]["grid"] == {"kind": "square", "cell": 1.5, "origin": [0.75, 0.75]}
    assert told[0]["ground"]["walls"][0]["drop"] == 3.5
    assert told[1]["effect"]["area"]["centre"] == [1.0, 2.05]
    assert (told[1]["effect"]["area"]["kind"], told[1]["effect"]["area"]["reach"]) == ("sector", 12.5)
    assert told[2]["fact"] == {"distance": 12.34, "bearing": 90}
    assert told[3]["path"] == [[0.01, 0.02], [0.03, 0.04]]
    assert (told[3]["place"], told[3]["distances"]) == ({"x": 0.03, "y": 0.04, "facing": 90}, {"b": 0.05})


def test_where_an_item_lies_is_told_in_decimals_and_only_where_it_lies_somewhere() -> None:
    lies = Place(150, 275)
    moved = ev.ItemMoved(CombatantId("a"), ItemId("gun"), on_ground=True, lies=lies)
    given_ = ev.ItemChanged(CombatantId("a"), ItemId("gun"), Item("gun", count=2, on_ground=True, lies=lies))
    nowhere = ev.ItemChanged(CombatantId("a"), ItemId("gun"), Item("gun", "main", 2, {"ammo": 3}))

    assert in_units(moved, "public")["lies"] == {"x": 1.5, "y": 2.75, "facing": None}
    assert in_units(given_, "public")["body"]["lies"] == {"x": 1.5, "y": 2.75, "facing": None}
    assert msgspec.json.encode(in_units(nowhere, "gm")) == msgspec.json.encode(nowhere)
    assert msgspec.json.encode(in_units(ev.ItemMoved(CombatantId("a"), ItemId("gun"), "main"), "gm")) == (
        b'{"type":"item_moved","combatant":"a","item":"gun","held":"main"}'
    )


def test_the_wire_says_what_the_engine_says_but_for_lengths_and_secrets() -> None:
    body = toy.body(
        "ann", effects={"ann.1": Effect(EffectId("ann.1"), "shaken", ClauseId("C"), source=CombatantId("b"))}
    )
    event = ev.Joined(msgspec.structs.replace(body, hidden=True, notes="n", policy={"defend": "ask"}, serial=3))

    gm, public = in_units(event, "gm"), in_units(event, "public")

    assert msgspec.json.encode(gm) == msgspec.json.encode(event)
    secret = SECRET_FIELDS[Combatant]
    told = msgspec.to_builtins(event)
    assert msgspec.to_builtins(public["body"]) == {
        key: value for key, value in told["body"].items() if key not in secret
    }


def test_what_is_secret_is_a_field_that_may_be_left_out() -> None:
    for kind, secret in SECRET_FIELDS.items():
        optional = {field.name for field in msgspec.structs.fields(kind) if not field.required}
        assert secret <= optional, kind


def test_what_needs_no_change_is_not_touched() -> None:
    assert converter(ev.CheckRolled, "gm") is None
    assert converter(ev.CheckRolled, "public") is None
    assert converter(ev.Joined, "public") is not None


def test_combatants_are_found_by_id_and_by_reference_and_only_by_who_may_know() -> None:
    state = toy.duel(
        toy.body("ann", external_ref="Token"),
        toy.body("orc", hidden=True),
        toy.body("old", status="gone", external_ref="x"),
    )

    def found(caller: Caller, name: str) -> str | None:
        body = find(state, caller, name)
        return None if body is None else body.id

    assert (found(GM, "ann"), found(GM, "ref:Token"), found(GM, "orc")) == ("ann", "ann", "orc")
    assert (found(PLAYER, "ann"), found(PLAYER, "orc"), found(PLAYER, "ref:None")) == ("ann", None, None)
    assert (found(GM, "old"), found(GM, "ref:x"), found(GM, "ref:")) == (None, None, None)
    assert id_of(state, PLAYER, "orc") not in state.combatants
    assert not PLAYER.controls(state.combatants[CombatantId("orc")])
    assert PLAYER.controls(state.combatants[CombatantId("ann")])


def test_opaque_ids_are_the_same_for_the_same_and_differ_otherwise() -> None:
    one = opaque("dec_", b"seed", 0, 1, "key")

    assert one == opaque("dec_", b"seed", 0, 1, "key")
    assert len(one) == 14
    others = [
        opaque("dec_", b"seed", 1, 1, "key"),
        opaque("dec_", b"seed", 0, 2, "key"),
        opaque("dec_", b"s", 0, 1, "key"),
    ]
    assert len({one, *others, opaque("cmd_", b"seed", 0, 1, "key")}) == 5


def test_one_of_several_zones_is_named_by_whose_it_is_and_its_number() -> None:
    state = toy.duel(toy.body("ann", external_ref="Token/7"), toy.body("orc", hidden=True))
    body = SaidIn(crosses=("ann", "ann/2", "ref:Token/7", "ref:Token/7/3", "orc/2"), crosses_at={"ref:Token/7/2": 1.5})

    read = said(state, PLAYER, body)

    assert read.crosses is not None
    assert read.crosses[:4] == ("ann", "ann/2", "ann", "ann/3")
    assert not read.crosses[4].startswith("orc")
    assert read.crosses_at == {"ann/2": 150}


@pytest.mark.parametrize("kind", get_args(FieldType))
def test_a_question_can_hold_a_field_of_every_type(kind: FieldType) -> None:
    texts = Texts({}, {})
    words = Words("en", texts, Book(texts.find, "m"), {}, sees_hidden=True)

    assert form((Field("it", kind, minimum=1),), words)["properties"]["it"]["type"]
