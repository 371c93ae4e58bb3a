"""The document: valid, complete, as committed, and without what trips generators up."""

import inspect
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from openapi_spec_validator import OpenAPIV31SpecValidator

from app.api.openapi import written
from app.api.problem_texts import Code
from app.config import Settings
from app.main import create_app
from tests.api.table import contract
from tests.api.walk import everything, operations, resolve
from tests.support.repository import ROOT

FROZEN = [
    "add_combatants",
    "answer_decision",
    "answer_discord",
    "change_combatant",
    "change_token",
    "change_webhook",
    "check_health",
    "check_readiness",
    "create_campaign",
    "create_encounter",
    "create_invite",
    "create_stream_ticket",
    "create_token",
    "create_webhook",
    "delete_encounter",
    "delete_house_rules",
    "delete_webhook",
    "draw_map_png",
    "draw_map_svg",
    "duplicate_combatant",
    "end_encounter",
    "end_turn",
    "export_encounter",
    "follow_encounter",
    "fork_encounter",
    "import_encounter",
    "join_table",
    "list_actions",
    "list_branches",
    "list_campaigns",
    "list_clauses",
    "list_combatants",
    "list_decisions",
    "list_encounters",
    "list_house_rules",
    "list_invites",
    "list_rulesets",
    "list_tokens",
    "list_webhook_deliveries",
    "list_webhooks",
    "make_ruling",
    "preview_action",
    "put_house_rules",
    "read_campaign",
    "read_clause",
    "read_combatant",
    "read_decision",
    "read_encounter",
    "read_encounter_action",
    "read_encounter_clause",
    "read_encounter_ruleset",
    "read_encounter_schema",
    "read_house_rules",
    "read_house_rules_diff",
    "read_house_rules_schema",
    "read_invite",
    "read_log",
    "read_meta",
    "read_own_token",
    "read_ruleset",
    "read_ruleset_action",
    "read_ruleset_schema",
    "read_statistics",
    "read_token",
    "read_version",
    "read_webhook",
    "remove_combatant",
    "resend_webhook_delivery",
    "revoke_invite",
    "revoke_token",
    "rewind_encounter",
    "rotate_webhook_secret",
    "set_up_encounter",
    "start_encounter",
    "state_facts",
    "submit_action",
    "test_webhook",
    "verify_encounter",
    "withdraw_proposal",
]
"""Names of operations are names of functions in everybody's client: they may be added, never changed."""


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    return contract().document


def test_it_is_a_valid_document_of_3_1(told: dict[str, Any]) -> None:
    assert told["openapi"] == "3.1.0"
    assert list(OpenAPIV31SpecValidator(told).iter_errors()) == []


def test_the_committed_file_is_what_the_application_says() -> None:
    committed = (ROOT / "openapi" / "openapi.json").read_text(encoding="utf-8")

    assert committed == written(create_app(Settings())), "run `turnwright openapi`"


def test_names_of_operations_are_frozen(told: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(told)]

    assert sorted(names) == FROZEN


def test_every_operation_is_described_with_its_problems(told: dict[str, Any]) -> None:
    tags = {tag["name"] for tag in told["tags"]}
    for path, method, operation in operations(told):
        where = f"{method} {path}"
        assert operation["summary"], where
        assert operation["description"], where
        assert operation["description"].endswith("."), where
        assert set(operation["tags"]) <= tags, where
        statuses = set(operation["responses"])
        needed = {"404", "422", "429", "503"}
        if operation.get("security") != []:
            needed |= {"401", "403"}
        if "requestBody" in operation:
            needed |= {"400", "413", "415"}
        if method != "get" and operation.get("security") != []:
            needed |= {"400", "507"}
        assert needed <= statuses, where
        for status, answer in operation["responses"].items():
            if status.startswith(("4", "5")):
                content = answer["content"]["application/problem+json"]
                assert content["schema"] == {"$ref": "#/components/schemas/Problem"}, where
                for code, example in content["examples"].items():
                    shown = resolve(told, example)["value"]
                    assert (shown["status"], shown["code"]) == (int(status), Code(code)), where
                    assert not list(contract().validator("#/components/schemas/Problem").iter_errors(shown)), code


def test_every_field_on_the_wire_is_described_and_bounded(told: dict[str, Any]) -> None:
    for name, schema in told["components"]["schemas"].items():
        assert schema.get("description"), name
        for field, one in schema.get("properties", {}).items():
            assert one.get("description"), f"{name}.{field}"
            for part in _parts(one):
                kind = part.get("type")
                if kind == "string":
                    assert {"maxLength", "enum", "const"} & set(part), f"{name}.{field}"
                if kind in ("integer", "number"):
                    assert {"minimum", "maximum"} <= set(part), f"{name}.{field}"
                if kind == "array":
                    assert "maxItems" in part, f"{name}.{field}"


def _parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _parts(one)
    if isinstance(schema.get("items"), dict):
        yield from _parts(schema["items"])


def test_parameters_are_described_and_examples_fill_in_only_what_is_needed(told: dict[str, Any]) -> None:
    for path, _, operation in operations(told):
        for given in operation["parameters"]:
            name = given.get("$ref", "").rsplit("/", 1)[-1]
            parameter = told["components"]["parameters"][name] if name else given
            assert parameter["description"], (path, parameter["name"])
            assert ("example" in parameter) == parameter["required"], (path, parameter["name"])


def test_objects_to_choose_between_are_told_apart_by_a_word(told: dict[str, Any]) -> None:
    schemas = told["components"]["schemas"]
    for at, schema in everything(schemas):
        for word in ("anyOf", "oneOf"):
            variants = [resolve(told, one) for one in schema.get(word, ())]
            objects = [one for one in variants if one.get("type") == "object" or "oneOf" in one]
            assert len(objects) < 2 or "discriminator" in schema, at
            # What is no object is told apart by its JSON type, or by its words.
            assert len({one.get("type") for one in variants}) == len(variants) or objects or "null" in str(variants), at


def test_a_choice_names_its_variants_by_a_required_word(told: dict[str, Any]) -> None:
    schemas = told["components"]["schemas"]
    found = [one for _, one in everything(schemas) if "discriminator" in one]
    assert len(found) >= 4
    for choice in found:
        field, mapping = choice["discriminator"]["propertyName"], choice["discriminator"]["mapping"]
        assert len(mapping) == len(choice["oneOf"])
        for word, reference in mapping.items():
            variant = schemas[reference.rsplit("/", 1)[-1]]
            assert variant["properties"][field]["enum"] == [word]
            assert field in variant["required"]
            assert len(variant["properties"]) > 1


def _pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def test_names_make_classes_and_fields_that_do_not_meet(told: dict[str, Any]) -> None:
    schemas = told["components"]["schemas"]
    for name, schema in schemas.items():
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]*", name), name
        fields = schema.get("properties", {})
        # openapi-python-client has a variable of either name in one function.
        assert _snake(name) not in fields, name
        # It keeps what it does not know in `additional_properties`.
        assert "additional_properties" not in {_snake(field) for field in fields}, name
        for field, one in fields.items():
            inline = [part for part in _parts(one) if "$ref" not in part]
            if any(part.get("type") == "object" or "enum" in part for part in inline):
                # A class is made of a shape that has no name of its own: it is called after its place.
                assert name + _pascal(field) not in schemas, f"{name}.{field}"
    lowered = [name.lower() for name in schemas]
    assert len(set(lowered)) == len(lowered)


def test_no_example_holds_a_reference_that_tools_would_follow(told: dict[str, Any]) -> None:
    for at, one in everything(told):
        reference = one.get("$ref")
        assert reference is None or reference.startswith("#/components/"), at


def test_examples_of_fields_fit_them(told: dict[str, Any]) -> None:
    shown = 0
    for name, schema in told["components"]["schemas"].items():
        for field, one in schema.get("properties", {}).items():
            for example in one.get("examples", ()):
                errors = list(
                    contract().validator(f"#/components/schemas/{name}/properties/{field}").iter_errors(example)
                )
                assert not errors, f"{name}.{field}"
                shown += 1
    assert shown > 50


def test_a_field_with_a_default_may_be_left_out(told: dict[str, Any]) -> None:
    # openapi-typescript takes a field that has a `default` for one that must be there.
    for name, schema in told["components"]["schemas"].items():
        assert not [field for field, one in schema.get("properties", {}).items() if "default" in one], name
    assert "Left out, it is `1`." in told["components"]["schemas"]["Duplicate"]["properties"]["count"]["description"]


def test_nothing_of_it_needs_a_later_version_or_the_frameworks_own_errors(told: dict[str, Any]) -> None:
    text = json.dumps(told)

    assert "itemSchema" not in text
    assert "HTTPValidationError" not in text
    assert '"nullable"' not in text
    stream = told["paths"]["/v1/encounters/{encounter}/stream"]["get"]["responses"]["200"]["content"]
    assert stream["text/event-stream"]["schema"] == {"type": "string"}
    assert stream["text/event-stream"]["x-event-schema"] == {"$ref": "#/components/schemas/Event"}


def test_nothing_runs_in_a_thread_pool() -> None:
    def calls(dependant: Dependant) -> Iterator[Any]:
        if dependant.call is not None:
            yield dependant.call
        for one in dependant.dependencies:
            yield from calls(one)

    for route in create_app(Settings()).routes:
        assert isinstance(route, APIRoute)
        for call in calls(route.dependant):
            assert inspect.iscoroutinefunction(call), (route.path, call)
