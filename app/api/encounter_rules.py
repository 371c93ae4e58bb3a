"""The rules of an encounter as it keeps to them: the ruleset's pages under its house rules."""

from starlette.responses import Response

from app.api.answers import answered
from app.api.asking import Asked
from app.api.operations import Operations
from app.api.parameters import ActionName, Clause, EncounterId
from app.api.shapes import ActionInfo, ClauseView, RulesetInfo, RulesetSchemas
from app.services import rulesets

operations = Operations("encounter rules", "Encounter rules: what a fight is played by, house rules and all.")
_BASE = "/v1/encounters/{encounter}/ruleset"


@operations.get(_BASE, answers=RulesetInfo, told="The ruleset as the encounter plays it.")
async def read_encounter_ruleset(asker: Asked, encounter: EncounterId) -> Response:
    """Read the ruleset of an encounter.

    As `read_ruleset`, under the version of the house rules that the encounter keeps to.
    """
    language = asker.caller.language
    view = await rulesets.of_encounter(
        asker.service, asker.caller, encounter, lambda book: rulesets.whole_of(book, language)
    )
    return answered(asker, view)


@operations.get(f"{_BASE}/actions/{{action}}", answers=ActionInfo, told="The action as the encounter plays it.")
async def read_encounter_action(asker: Asked, encounter: EncounterId, action: ActionName) -> Response:
    """Read an action of an encounter's ruleset.

    What it costs, whom and what it takes, and the JSON Schema of its `options`, under its house rules.
    """
    language = asker.caller.language
    view = await rulesets.of_encounter(
        asker.service, asker.caller, encounter, lambda book: rulesets.action_of(book, action, language)
    )
    return answered(asker, view)


@operations.get(f"{_BASE}/rules/{{clause}}", answers=ClauseView, told="The clause.")
async def read_encounter_clause(asker: Asked, encounter: EncounterId, clause: Clause) -> Response:
    """Read a clause of an encounter's ruleset.

    One of the ruleset, or one of the table's own (`HR-101`), told by what cites it.
    """
    language = asker.caller.language
    view = await rulesets.of_encounter(
        asker.service, asker.caller, encounter, lambda book: rulesets.clause_of(book, clause, language)
    )
    return answered(asker, view)


@operations.get(f"{_BASE}/schema", answers=RulesetSchemas, told="The JSON Schemas.")
async def read_encounter_schema(asker: Asked, encounter: EncounterId) -> Response:
    """Read the JSON Schemas of an encounter's ruleset.

    Of sheets, weapons, options and the `options` of each action, under its house rules.
    """
    language = asker.caller.language
    view = await rulesets.of_encounter(
        asker.service, asker.caller, encounter, lambda book: rulesets.schema_of(book, language)
    )
    return answered(asker, view)
