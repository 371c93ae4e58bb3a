"""What the engine plays with is what the document says, with nothing left in wire form."""

import pytest

from app.catalog import Catalog, Rulebook
from app.engine.asks import Cost
from app.engine.forms import Field
from app.engine.rules import Targets, Weapons
from app.engine.state import Tick
from tests.catalog.conftest import HOME, PACKAGE
from tests.catalog.rulesets.toy import Begin, Push, SpeedRow, StepParams, StrikeParams, Weapon, check, resolve


def test_an_action_is_its_data_and_the_functions_of_its_resolver(book: Rulebook) -> None:
    hit = book.ruleset.actions["hit"]

    assert hit.costs == {"half": (Cost("point", 1),), "full": (Cost("point", 2),)}
    assert hit.default_type == "half"
    assert hit.tags == {"attack"}
    assert hit.targets == Targets("enemy", 1, 2)
    assert hit.weapons == Weapons(("melee", "ranged"), second=True)
    assert hit.needs == {"location"}
    assert hit.clauses == ("TY-20",)
    assert hit.listed
    assert (hit.check, hit.resolve) == (check, resolve)


def test_parameters_come_typed_with_lengths_in_hundredths(book: Rulebook) -> None:
    assert book.ruleset.actions["hit"].params == StrikeParams(
        to_hit=10, reach=150, harm="2d6+1", cites={"to_hit": "TY-20"},
        after={"down": Begin("prone"), "back": Push(25)}, cap=4,
    )  # fmt: skip
    assert book.ruleset.actions["step"].params == StepParams((100, 250))
    assert book.ruleset.tables.speed == (SpeedRow(5, 200), SpeedRow(20, 425))
    assert book.ruleset.weapons["bow"] == Weapon("ranged", "1d8+1", 3050, {"piercing": 2})


def test_an_action_with_no_price_and_no_targets_says_so(book: Rulebook) -> None:
    step = book.ruleset.actions["step"]

    assert step.costs == {"free": ()}
    assert step.default_type == "free"
    assert step.targets == Targets("none", 0, 0)
    assert step.form == (Field(name="far", type="length", minimum=50, maximum=400),)


def test_an_effect_keeps_its_chains_with_roles_in_them(book: Rulebook) -> None:
    hasty, prone = book.ruleset.effects["hasty"], book.ruleset.effects["prone"]

    assert [[(tick.at, tick.who, tick.times) for tick in chain] for chain in hasty.until] == [
        [("turn_start", "bearer", 1)],
        [("turn_end", None, 2)],
    ]
    assert [(tick.at, tick.who, tick.against) for tick in hasty.active_after] == [("turn_end", "bearer", "source")]
    assert isinstance(hasty.until[0][0], Tick)
    assert (hasty.rank, hasty.stacks, hasty.hidden) == (10, True, False)
    assert (prone.until, prone.stacks) == ((), False)


def test_modifiers_stand_in_the_order_of_their_ids(book: Rulebook) -> None:
    dark, prone = book.ruleset.modifiers

    assert (dark.id, dark.term, dark.value, dark.scale, dark.any) == (
        "a_dark", "dark", -20, "light", frozenset({"given.dark", "given.gloom"}),
    )  # fmt: skip
    assert (prone.id, prone.all, prone.without) == (
        "z_prone", frozenset({"melee", "target.prone"}), frozenset({"range.short"}),
    )  # fmt: skip


def test_options_skills_and_ranks_are_ready_for_use(book: Rulebook) -> None:
    assert book.ruleset.options == {
        "brutal": False, "cap": "low", "stops": ("low",), "bonus": 3, "limit": None, "near_m": 150, "fall": "1d10",
    }  # fmt: skip
    assert book.ruleset.skills == {"block": "might", "sneak": "wits"}
    assert list(book.ruleset.ranks.items()) == [("unlearned", -5), ("novice", 0), ("master", 10)]


def test_refusals_have_their_kind_and_general_clause(book: Rulebook) -> None:
    reason = book.ruleset.reason("too_many_targets", need=1)

    assert (reason.clause, reason.kind, reason.need) == ("TY-10", "target", 1)
    assert book.ruleset.alone == {"unknown_action"}
    assert book.ruleset.planned == {"fly": "TY-30"}


def test_a_profile_of_ones_own_goes_to_the_state_and_back(book: Rulebook) -> None:
    wire = {"class": "ranged", "harm": "1d4", "range": 12.25, "qualities": {"piercing": 1}}

    text = book.read_weapon(wire)
    item = book.read_item({"kind": "sling", "custom": wire})

    assert '"range":1225' in text
    assert book.ruleset.make_weapon(text) == Weapon("ranged", "1d4", 1225, {"piercing": 1})
    assert item.custom == text
    assert book.write_item(item) == {
        "kind": "sling", "held": None, "count": 1, "marks": {}, "on_ground": False, "custom": wire,
    }  # fmt: skip


def test_the_catalog_finds_rulesets_by_looking_into_the_folder() -> None:
    catalog = Catalog.load(HOME.parent, PACKAGE)

    assert catalog.ids == ("toy",)
    assert [book.id for book in catalog] == ["toy"]
    assert catalog.get("toy") is next(iter(catalog))
    assert catalog.get("chess") is None
    assert catalog.by_pin("nothing") is None


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("en", ["Prone", "Grab it", "Low", "high", "Hit"]),
        ("pl", ["Prone (pl)", "Grab it (pl)", "Low (pl)", "Wysoki", "Hit (pl)"]),
        ("de", ["Prone", "Grab it", "Low", "high", "Hit"]),
    ],
)
def test_names_come_in_the_readers_language_else_in_english_else_as_the_id(
    book: Rulebook, language: str, names: list[str]
) -> None:
    assert names == [
        book.name("effect", "prone", language),
        book.choice("mode", "grab", language),
        book.choice("option", "low", language),
        book.choice("option", "high", language),
        book.describe_action("hit", language)["name"],
    ]


def test_clauses_and_messages_come_in_the_readers_language(book: Rulebook) -> None:
    clause = book.clause("TY-20", "ru")

    assert clause is not None
    assert (clause.id, clause.title, clause.text) == ("TY-20", "Удары", "Удары ранят.")
    assert book.clause("TY-99", "en") is None
    assert book.message("out_of_range", "en") == "Too far: at most {need}, here {got}."
    assert book.message("out_of_range", "en", plain=True) == "Too far."
    assert book.message("unknown_effect", "en", plain=True) == "Unknown effect."
    assert book.message("nonsense", "en") is None
