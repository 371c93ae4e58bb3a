"""The published schemas are valid JSON Schema, and they take what the catalog takes and refuse what it refuses."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from app.catalog import Catalog, Rulebook
from app.engine.forms import Field, fill
from app.engine.reasons import BadAnswer
from tests.support import play


def accepts(schema: dict[str, Any], value: Any) -> bool:
    Draft202012Validator.check_schema(schema)
    return bool(Draft202012Validator(schema).is_valid(value))


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return play.catalog()


def test_every_published_schema_is_a_schema(book: Rulebook, catalog: Catalog) -> None:
    for each in (book, *catalog):
        for language in ("en", "ru", "pl"):
            for action in each.ruleset.actions:
                Draft202012Validator.check_schema(each.action_form_schema(action, language))
            Draft202012Validator.check_schema(each.sheet_schema(language))
            Draft202012Validator.check_schema(each.options_schema(language))
        Draft202012Validator.check_schema(each.weapon_schema())
        Draft202012Validator.check_schema(each.document_schema())


def test_every_ruleset_fits_the_schema_of_its_document(book: Rulebook, catalog: Catalog) -> None:
    for each in (book, *catalog):
        errors = [error.message for error in Draft202012Validator(each.document_schema()).iter_errors(each.document)]
        assert errors == []


def test_the_documents_schema_knows_the_parameters_of_each_resolver(book: Rulebook) -> None:
    def with_params(params: dict[str, Any]) -> dict[str, Any]:
        actions = {**book.document["actions"]}
        actions["hit"] = {**actions["hit"], "params": params}
        return {**book.document, "actions": actions}

    schema = book.document_schema()

    assert accepts(schema, with_params({"to_hit": 1, "reach": 0.5}))
    assert not accepts(schema, with_params({"to_hit": 1}))
    assert not accepts(schema, with_params({"to_hit": 1, "reach": 0.5, "steps": []}))
    assert not accepts(schema, with_params({"to_hit": "1", "reach": 0.5}))


def test_samples_and_written_sheets_fit_the_schema_of_the_sheet(book: Rulebook, catalog: Catalog) -> None:
    for each in (book, *catalog):
        schema = each.sheet_schema("en")
        for sample in each.document["samples"].values():
            assert accepts(schema, sample["sheet"])
            assert accepts(schema, each.write_sheet(each.read_sheet(sample["sheet"])))


@pytest.mark.parametrize(
    "sheet",
    [
        {"might": 12},
        {"might": 21, "life": 5},
        {"might": 12, "life": 5, "charm": 1},
        {"might": 12, "life": 5, "skills": {"block": "grand"}},
        {"might": 12, "life": 5, "talents": ["brute", "brute"]},
        {"might": 12, "life": 5, "armour": "plate"},
        {"might": 12, "life": 5, "armour": {"middle": 1}},
    ],
)
def test_the_schema_of_the_sheet_refuses_what_reading_refuses(book: Rulebook, sheet: dict[str, Any]) -> None:
    assert not accepts(book.sheet_schema("en"), sheet)


def test_titles_are_in_the_readers_language(book: Rulebook) -> None:
    form = book.action_form_schema("hit", "pl")

    assert form["title"] == "Hit (pl)"
    assert form["properties"]["mode"]["title"] == "Mode (pl)"
    assert form["properties"]["mode"]["oneOf"][1] == {"const": "grab", "title": "Grab it (pl)"}
    assert form["properties"]["mode"]["x-clause"] == "TY-20"
    assert form["required"] == ["mode"]
    assert book.sheet_schema("ru")["properties"]["might"]["title"] == "Might (ru)"


FORM = (
    Field(name="bold", type="bool"),
    Field(name="often", type="integer", minimum=1, maximum=3),
    Field(name="word", type="word", choices=("strike", "grab"), required=True),
    Field(name="some", type="words", choices=("strike", "grab"), minimum=1),
    Field(name="each", type="integers", minimum=5, maximum=9),
    Field(name="whom", type="combatants", maximum=1),
    Field(name="share", type="allocation", choices=("a", "b"), maximum=2),
    Field(name="say", type="text"),
)


@pytest.mark.parametrize(
    "given",
    [
        {"word": "strike"},
        {},
        {"word": "kick"},
        {"word": "grab", "bold": True, "often": 3, "some": ["grab"], "whom": ["x"], "share": {"a": 2}, "say": "ha"},
        {"word": "grab", "bold": "yes"},
        {"word": "grab", "often": 4},
        {"word": "grab", "some": []},
        {"word": "grab", "some": ["grab", "grab"]},
        {"word": "grab", "each": [5, 9, 5]},
        {"word": "grab", "each": []},
        {"word": "grab", "each": [4]},
        {"word": "grab", "each": 5},
        {"word": "grab", "each": [5] * 201},
        {"word": "grab", "whom": ["x", "y"]},
        {"word": "grab", "share": {"c": 1}},
        {"word": "grab", "share": {"a": 3}},
        {"word": "grab", "say": "x" * 401},
        {"word": "grab", "other": 1},
    ],
)
def test_the_schema_of_a_form_takes_exactly_what_the_engine_takes(book: Rulebook, given: dict[str, Any]) -> None:
    try:
        fill(FORM, given, "/options")
        taken = True
    except BadAnswer:
        taken = False

    assert accepts(book.form_schema(FORM, "en"), given) is taken


def test_options_have_a_schema_too(book: Rulebook) -> None:
    schema = book.options_schema("en")

    assert accepts(schema, book.write_options({}))
    assert accepts(schema, {"near_m": 0.25, "limit": 4, "stops": ["low", "high"], "fall": "2d6"})
    assert not accepts(schema, {"near_m": 11})
    assert not accepts(schema, {"cap": "middle"})
    assert not accepts(schema, {"unheard_of": 1})


def test_a_front_end_learns_everything_from_one_view(book: Rulebook) -> None:
    view = book.describe_ruleset("en")

    assert view["title"] == "Toy"
    assert [action["id"] for action in view["actions"]] == ["hit", "step"]
    assert view["planned"] == [{"id": "fly", "name": "Fly", "clause": "TY-30"}]
    assert view["ranks"][0] == {"id": "unlearned", "name": "Unlearned", "value": -5}
    assert view["modifiers"] == [
        {"id": "dark", "name": "Dark", "clause": "TY-30"},
        {"id": "gloom", "name": "Gloom", "clause": "TY-30"},
    ]
    assert view["weapons"][0]["profile"]["range"] == 30.5
    near = next(option for option in view["options"] if option["id"] == "near_m")
    assert (near["value"], near["default"], near["min"], near["max"]) == (1.5, 1.5, None, 10)
    assert book.describe_options({"near_m": 25}, "en")[5]["value"] == 0.25
    assert view["actions"][0]["types"][1] == {
        "id": "half", "name": "Half", "cost": [{"budget": "point", "amount": 1}],
    }  # fmt: skip
