"""What clients build on stays: nothing breaks the contract that went out, and each kind of break is seen."""

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.api.table import contract
from tools import api_changes
from tools.api_changes import GROWS, RELEASED, changes

Json = dict[str, Any]
FIGHT = "/v1/encounters/{encounter}"


@cache
def bare() -> Json:
    """The document of today without its prose."""
    found: Json = api_changes.contract(contract().document)
    return found


def test_nothing_breaks_what_has_gone_out() -> None:
    released = json.loads(RELEASED.read_text(encoding="utf-8"))

    broken = [str(one) for one in changes(released, contract().document) if one.breaks]

    assert broken == [], "a client would break: see docs/decisions/0170-openapi-and-clients.md"


def test_the_contract_that_went_out_is_a_document_without_prose() -> None:
    released = json.loads(RELEASED.read_text(encoding="utf-8"))

    assert changes(released, released) == []
    assert len(released["paths"]) > 30
    # A field may be called `description` or `title`; a word of OpenAPI is left out.
    assert "title" in released["components"]["schemas"]["Problem"]["properties"]
    assert "description" not in released["components"]["schemas"]["Problem"]


def _schemas(told: Json) -> Json:
    found: Json = told["components"]["schemas"]
    return found


def _fields(told: Json, name: str) -> Json:
    found: Json = _schemas(told)[name]["properties"]
    return found


def _operation(told: Json, path: str, method: str) -> Json:
    found: Json = told["paths"][path][method]
    return found


def _answer(told: Json, path: str, method: str, status: str) -> Json:
    found: Json = _operation(told, path, method)["responses"][status]
    return found


def _rename(told: Json, old: str, new: str) -> None:
    _schemas(told)[new] = _schemas(told).pop(old)
    text = json.dumps(told).replace(f'"#/components/schemas/{old}"', f'"#/components/schemas/{new}"')
    told |= json.loads(text)


def _given(told: Json, path: str, method: str, name: str) -> Json:
    parameters = _operation(told, path, method)["parameters"]
    found: Json = next(one for one in parameters if one.get("name") == name)
    return found


BREAKS: list[tuple[str, str, Callable[[Json], Any]]] = [
    ("path_removed", FIGHT, lambda d: d["paths"].pop(FIGHT)),
    ("operation_removed", f"DELETE {FIGHT}", lambda d: d["paths"][FIGHT].pop("delete")),
    ("operation_renamed", "end_turn", lambda d: _operation(d, f"{FIGHT}/end-turn", "post").update(operationId="pass")),
    ("token_needed", "/v1/meta", lambda d: _operation(d, "/v1/meta", "get").pop("security")),
    ("parameter_removed", "query limit", lambda d: _operation(d, f"{FIGHT}/log", "get")["parameters"].remove(
        _given(d, f"{FIGHT}/log", "get", "limit"))),
    ("parameter_required", "query limit", lambda d: _given(d, f"{FIGHT}/log", "get", "limit").update(required=True)),
    ("parameter_required", "query tone", lambda d: _operation(d, f"{FIGHT}/log", "get")["parameters"].append(
        {"name": "tone", "in": "query", "required": True, "schema": {"type": "string"}})),
    ("limit_narrowed", "query limit maximum", lambda d: _given(d, f"{FIGHT}/log", "get", "limit")["schema"].update(
        maximum=100)),
    ("choice_narrowed", "query status: ended", lambda d: _given(d, "/v1/encounters", "get", "status")["schema"][
        "enum"].remove("ended")),
    ("body_required", "end-turn", lambda d: _operation(d, f"{FIGHT}/end-turn", "post")["requestBody"].update(
        required=True)),
    ("body_removed", "end-turn", lambda d: _operation(d, f"{FIGHT}/end-turn", "post").pop("requestBody")),
    ("media_type_removed", "ndjson", lambda d: _answer(d, f"{FIGHT}/stream", "get", "200")["content"].pop(
        "application/x-ndjson")),
    ("answer_removed", " 200", lambda d: _operation(d, FIGHT, "get")["responses"].pop("200")),
    ("answer_added", " 202", lambda d: _operation(d, FIGHT, "get")["responses"].update({"202": {"description": ""}})),
    ("header_removed", "ETag", lambda d: _answer(d, FIGHT, "get", "200")["headers"].pop("ETag")),
    ("type_removed", "CommandResult", lambda d: _rename(d, "CommandResult", "Outcome")),
    ("field_removed", "Submission.note", lambda d: _fields(d, "Submission").pop("note")),
    ("field_removed", "Combatant.side", lambda d: _fields(d, "Combatant").pop("side")),
    ("field_required", "Submission.weapon", lambda d: _schemas(d)["Submission"]["required"].append("weapon")),
    ("field_required", "Submission.mood", lambda d: (
        _fields(d, "Submission").update(mood={"type": "boolean"}),
        _schemas(d)["Submission"]["required"].append("mood"))),
    ("field_optional", "CommandResult.events", lambda d: _schemas(d)["CommandResult"]["required"].remove("events")),
    ("type_narrowed", "Submission.actor", lambda d: _fields(d, "Submission").update(
        actor={"type": "integer", "minimum": 0, "maximum": 9})),
    ("type_narrowed", "Submission.weapon: null", lambda d: _fields(d, "Submission")["weapon"]["anyOf"].remove(
        {"type": "null"})),
    ("type_widened", "Combatant.name", lambda d: _fields(d, "Combatant").update(
        name={"anyOf": [_fields(d, "Combatant")["name"], {"type": "null"}]})),
    ("type_widened", "Problem.status", lambda d: _fields(d, "Problem")["status"].update(type="string")),
    ("choice_narrowed", "DiceSource: client", lambda d: _schemas(d)["DiceSource"]["enum"].remove("client")),
    ("choice_narrowed", "Problem.code: conflict", lambda d: _fields(d, "Problem")["code"]["enum"].remove("conflict")),
    ("choice_widened", "CommandResult.status: lost", lambda d: _fields(d, "CommandResult")["status"]["enum"].append(
        "lost")),
    ("limit_narrowed", "NewEncounter.combatants maxItems", lambda d: _fields(d, "NewEncounter")["combatants"].update(
        maxItems=20)),
    ("limit_narrowed", "NewCampaign.name maxLength", lambda d: _fields(d, "NewCampaign")["name"].update(maxLength=40)),
    ("limit_narrowed", "NewCampaign.name minLength", lambda d: _fields(d, "NewCampaign")["name"].update(minLength=2)),
    ("limit_narrowed", "NewCampaign.name pattern", lambda d: _fields(d, "NewCampaign")["name"].update(pattern="^a")),
    ("limit_narrowed", "Submission.rolls maxProperties", lambda d: _fields(d, "Submission")["rolls"].update(
        maxProperties=3)),
    ("limit_narrowed", "Rewind.to_version minimum", lambda d: _fields(d, "Rewind")["to_version"].update(minimum=1)),
    ("default_changed", "query limit", lambda d: _given(d, f"{FIGHT}/log", "get", "limit")["schema"].update(
        default=100)),
    ("variant_removed", "NewEncounter.space", lambda d: _fields(d, "NewEncounter")["space"]["oneOf"].pop(0)),
    ("variant_added", "Encounter.space", lambda d: _fields(d, "Encounter")["space"]["oneOf"].append(
        {"$ref": "#/components/schemas/Place"})),
    ("discriminator_changed", "Event", lambda d: _schemas(d)["Event"]["discriminator"].update(propertyName="kind")),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "at", "change"), BREAKS, ids=[f"{n}-{kind}" for n, (kind, *_) in enumerate(BREAKS)])
def test_a_break_is_found(kind: str, at: str, change: Callable[[Json], Any]) -> None:
    told = copy.deepcopy(bare())
    change(told)

    found = [one for one in changes(bare(), told) if one.breaks]

    assert any(one.kind == kind and at in one.at for one in found), found


NEW: list[tuple[str, Callable[[Json], Any]]] = [
    ("operation_added", lambda d: d["paths"].update({"/v1/dice": {"get": {}}})),
    ("parameter_added", lambda d: _operation(d, FIGHT, "get")["parameters"].append(
        {"name": "tone", "in": "query", "required": False, "schema": {"type": "string"}})),
    ("field_added", lambda d: _fields(d, "Combatant").update(mood={"type": "boolean"})),
    ("field_added", lambda d: _fields(d, "Submission").update(mood={"type": "boolean"})),
    ("choice_widened", lambda d: _fields(d, "Problem")["code"]["enum"].append("tea_time")),
    ("choice_widened", lambda d: _given(d, "/v1/encounters", "get", "status")["schema"]["enum"].append("paused")),
    ("variant_added", lambda d: _schemas(d)["Event"]["oneOf"].append({"$ref": "#/components/schemas/Place"})),
    ("answer_added", lambda d: _operation(d, FIGHT, "get")["responses"].update({"410": {"description": ""}})),
    ("answer_added", lambda d: _operation(d, "/v1/meta", "get")["responses"].update({"304": {"description": ""}})),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "change"), NEW, ids=[f"{n}-{kind}" for n, (kind, _) in enumerate(NEW)])
def test_what_is_new_breaks_nobody(kind: str, change: Callable[[Json], Any]) -> None:
    told = copy.deepcopy(bare())
    change(told)

    found = changes(bare(), told)

    assert [(one.kind, one.breaks) for one in found] == [(kind, False)]


def test_wider_limits_break_nobody() -> None:
    told = copy.deepcopy(bare())
    _fields(told, "NewCampaign")["name"]["maxLength"] = 1000
    _fields(told, "Submission")["targets"]["maxItems"] = 1000

    assert changes(bare(), told) == []


def test_what_may_grow_is_marked_and_told() -> None:
    told = contract().document

    assert _schemas(told)["Event"][GROWS] is True
    assert _fields(told, "Problem")["code"][GROWS] is True
    assert GROWS in told["info"]["description"]


def test_the_command_accepts_and_compares(tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    told = copy.deepcopy(bare())
    current, released = tmp_path / "openapi.json", tmp_path / "released.json"
    monkeypatch.setattr(api_changes, "CURRENT", current)
    monkeypatch.setattr(api_changes, "RELEASED", released)
    current.write_text(json.dumps(told))

    assert api_changes.main(["--accept"]) == 0
    assert api_changes.main([]) == 0
    _fields(told, "Submission").pop("note")
    current.write_text(json.dumps(told))
    assert api_changes.main([]) == 1
    assert "BREAKS field_removed: Submission.note" in capsys.readouterr().out
