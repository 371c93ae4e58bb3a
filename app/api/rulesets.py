"""Rulesets: what may be played here. Needs no token, and is the same for everybody who reads the same language."""

from collections.abc import Callable
from typing import Any

from fastapi import Request
from starlette.responses import Response

from app.api.answers import linked
from app.api.asking import Parts, Visited
from app.api.house_shapes import HouseRulesSchema
from app.api.operations import Operations
from app.api.parameters import ActionName, After, Clause, Limit, RulesetId
from app.api.shapes import ActionInfo, ClausePage, ClauseView, RulesetInfo, RulesetPage, RulesetSchemas
from app.services import house_rules, rulesets

operations = Operations("rulesets", "Rulesets: the games that this server plays, for sheet editors and action forms.")
_BASE = "/v1/rulesets"


@operations.get(_BASE, answers=RulesetPage, is_open=True, tagged=True, told="Every ruleset.")
async def list_rulesets(request: Request, parts: Visited) -> Response:
    """List the rulesets.

    Each with its version and the hash of its data, which every encounter keeps to. Needs no token.
    """
    return _sent(request, parts, None, lambda language: rulesets.page(parts.catalog, language))


@operations.get(f"{_BASE}/{{ruleset}}", answers=RulesetInfo, is_open=True, tagged=True, told="The ruleset.")
async def read_ruleset(request: Request, parts: Visited, ruleset: RulesetId) -> Response:
    """Read a ruleset.

    Its actions, statistics, weapons, effects, samples and house-rule options, with their names in the reader's
    language. Needs no token.
    """
    return _sent(request, parts, ruleset, lambda language: rulesets.one(parts.catalog, ruleset, language))


@operations.get(
    f"{_BASE}/{{ruleset}}/actions/{{action}}", answers=ActionInfo, is_open=True, tagged=True, told="The action."
)
async def read_ruleset_action(request: Request, parts: Visited, ruleset: RulesetId, action: ActionName) -> Response:
    """Read an action of a ruleset.

    What it costs, whom and what it takes, and the JSON Schema of its `options`. Needs no token.
    """
    return _sent(request, parts, ruleset, lambda language: rulesets.action(parts.catalog, ruleset, action, language))


@operations.get(f"{_BASE}/{{ruleset}}/rules", answers=ClausePage, is_open=True, tagged=True, told="A page of clauses.")
async def list_clauses(
    request: Request, parts: Visited, ruleset: RulesetId, limit: Limit = 50, after: After = None
) -> Response:
    """List the clauses of a ruleset.

    In the order of their ids, in our own words. Needs no token.
    """
    return _sent(
        request,
        parts,
        ruleset,
        lambda language: rulesets.clauses(parts.catalog, ruleset, language, after=after, limit=limit),
    )


@operations.get(
    f"{_BASE}/{{ruleset}}/rules/{{clause}}", answers=ClauseView, is_open=True, tagged=True, told="The clause."
)
async def read_clause(request: Request, parts: Visited, ruleset: RulesetId, clause: Clause) -> Response:
    """Read a clause.

    What the rule says, in one to three sentences of our own: every event and every refusal names its clause. Needs no
    token.
    """
    return _sent(request, parts, ruleset, lambda language: rulesets.clause(parts.catalog, ruleset, clause, language))


@operations.get(
    f"{_BASE}/{{ruleset}}/schema", answers=RulesetSchemas, is_open=True, tagged=True, told="The JSON Schemas."
)
async def read_ruleset_schema(request: Request, parts: Visited, ruleset: RulesetId) -> Response:
    """Read the JSON Schemas of a ruleset.

    Of a combatant's `sheet`, a weapon's own profile, the house-rule options, and the options of each action, with
    titles in the reader's language. Needs no token.
    """
    return _sent(request, parts, ruleset, lambda language: rulesets.schema(parts.catalog, ruleset, language))


@operations.get(
    f"{_BASE}/{{ruleset}}/house-rules-schema",
    answers=HouseRulesSchema,
    is_open=True,
    tagged=True,
    told="The JSON Schema.",
)
async def read_house_rules_schema(request: Request, parts: Visited, ruleset: RulesetId) -> Response:
    """Read the JSON Schema of house rules for a ruleset.

    An editor completes a document from it: every option, action, weapon and table with the figures that may be set, and
    what a new action can be built on. Needs no token.
    """
    return _sent(request, parts, ruleset, lambda language: house_rules.schema(parts.catalog, ruleset, language))


def _sent(request: Request, parts: Parts, ruleset: str | None, view: Callable[[str], dict[str, Any]]) -> Response:
    language = request.scope["state"]["language"]
    pins = [rulesets.pin(parts.catalog, ruleset)] if ruleset else [pin for _, _, pin in rulesets.heads(parts.catalog)]
    tag = f'W/"{language}-{"-".join(pin[:16] for pin in pins)}"'
    headers = {"etag": tag, "cache-control": "public, max-age=300"}
    key = (request.scope["path"], request.scope["query_string"], language)
    body = parts.views.get(key)
    if body is None:
        body = rulesets.encoded(view(language))
        if len(parts.views) >= 2000:
            parts.views.clear()
        parts.views[key] = body
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return linked(request, Response(body, 200, headers, "application/json"))
