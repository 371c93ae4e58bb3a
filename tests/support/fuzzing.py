"""The API fuzzed by its own document: schemathesis against a server that runs, as one kind of caller.

What is generated is steered a little: ids that name something, so that more is reached than `not_found`. What a case
breaks on purpose is left as it is.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.transport import Response
from schemathesis.engine import Status, events, from_schema
from schemathesis.generation import GenerationMode
from schemathesis.generation.case import Case
from schemathesis.hooks import GLOBAL_HOOK_DISPATCHER, HookContext
from schemathesis.schemas import BaseSchema
from schemathesis.transport import SerializationContext

from tests.live.club import Club, Json
from tests.support.repository import ROOT
from tests.support.served import Served

DOCUMENT = ROOT / "openapi" / "openapi.json"
"""What the server says of itself; that it is so is a test of its own."""
ROLES = ("anonymous", "spectator", "player", "gm")
PHASES = ("examples", "coverage", "fuzzing", "stateful")
ANOTHER = 0.15
"""How often an id stays the generated one, which names nothing."""
UNJUDGED = {
    # The rules refuse much that has the right shape, and so does a version that has passed: these are declared answers.
    "positive_data_acceptance": {"enabled": False},
    # Needs several identities in one run; T10's matrix tries each route as eight.
    "object_level_authorization": {"enabled": False},
}
"""Checks of schemathesis that are not made, and why."""
LENIENT = ("Accept-Language", "If-None-Match", "X-Request-Id")
"""Headers of HTTP that are wishes: one that cannot be met is passed over, as HTTP says, and refuses nothing."""
REFUSALS = [400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 422]
"""How what is broken on purpose may be refused."""
SETTINGS = {
    "TURNWRIGHT_RATE_LIMITS": "false",
    "TURNWRIGHT_LOG_LEVEL": "error",
    # So that streams and long polls end before anybody waits for them.
    "TURNWRIGHT_STREAM_LIFE_S": "0.05",
    "TURNWRIGHT_WAIT_LIMIT_S": "0.05",
    # A receiver that nobody is: connections to it are refused at once.
    "TURNWRIGHT_WEBHOOK_ALLOW": "127.0.0.1:9",
    "TURNWRIGHT_ENCOUNTERS_PER_CAMPAIGN": "1000000",
}
"""What a server that is fuzzed is told."""


@schemathesis.serializer("application/x-ndjson")
def _lines(_context: SerializationContext, value: Any) -> Any:
    """An import as generated: text as it is, anything else as lines of JSON."""
    return str(value).encode("utf-8", "replace")


@dataclass
class Finding:
    """A check that failed, and how to see it again."""

    check: str
    operation: str
    told: str
    request: str

    def __str__(self) -> str:
        return f"{self.check} at {self.operation}: {self.told[:600]}\n    {self.request}"


@dataclass
class Report:
    """What a run did and found."""

    findings: list[Finding] = field(default_factory=list)
    excused: Counter[str] = field(default_factory=Counter)
    """Broken data that was accepted for a reason, by the reason."""
    errors: list[str] = field(default_factory=list)
    cases: Counter[str] = field(default_factory=Counter)
    """How many cases of each phase."""
    statuses: Counter[int] = field(default_factory=Counter)
    operations: set[str] = field(default_factory=set)
    """Operations of which at least one case was sent."""

    def __str__(self) -> str:
        told = ", ".join(f"{count} {name}" for name, count in self.cases.items())
        answers = ", ".join(f"{status}: {count}" for status, count in sorted(self.statuses.items()))
        return f"{told}; {len(self.operations)} operations; {answers}"


class World:
    """A campaign in which there is one of everything, made anew where a case has taken it away."""

    def __init__(self, server: Served, seed: int, ruleset: str = "dark_heresy_2e") -> None:
        self.club = Club.of(server)
        self.chance = random.Random(seed)
        self.ruleset = ruleset
        self.left = 0
        self.names: dict[str, str] = {}
        player = self.club.token("player", combatants=["ref:sable", "ref:brok"])
        self.tokens = {
            "gm": self.club.gm,
            "player": player["token"],
            "spectator": self.club.token("spectator")["token"],
        }
        self.spare: Json = {}
        self.renew()

    def close(self) -> None:
        """End it."""
        self.club.client.close()

    def renew(self) -> None:
        """One more of everything that a case may have taken away."""
        base = f"/v1/campaigns/{self.club.campaign}"
        path = self.club.encounter(ruleset=self.ruleset, combatants=self._people())
        self.club.call("POST", f"{path}/start")
        hook = self._there(f"{base}/webhooks", {"url": "https://127.0.0.1:9/hook", "name": "hook"})
        self.names = {
            "campaign": self.club.campaign,
            "encounter": path.rsplit("/", 1)[-1],
            "token": self._spare("tokens", {"role": "spectator", "name": "spare"}),
            "invite": self._spare("invites", {"role": "spectator"}),
            "webhook": hook,
            "ruleset": self.ruleset,
            "name": "ours",
            "version": "1",
        }
        self.left = 40

    def _spare(self, kind: str, body: Json) -> str:
        """A new one in the place of the last: there can be only so many at once."""
        base = f"{self.club.url}/v1/campaigns/{self.club.campaign}/{kind}"
        headers = {"authorization": f"Bearer {self.club.gm}"}
        if kind in self.spare:
            self.club.client.delete(f"{base}/{self.spare[kind]}", headers=headers)
        made = self.club.client.post(base, json=body, headers=headers)
        if made.status_code == 409:
            for one in self.club.client.get(f"{base}?limit=200", headers=headers).json()["items"]:
                if one["id"].split("_")[1] not in " ".join(self.tokens.values()):
                    self.club.client.delete(f"{base}/{one['id']}", headers=headers)
            made = self.club.client.post(base, json=body, headers=headers)
        assert made.is_success, made.text
        self.spare[kind] = made.json()["id"]
        return str(self.spare[kind])

    def _people(self) -> list[Json]:
        samples = [one["id"] for one in self._samples()]
        return [
            {"sample": samples[0], "side": "blue", "external_ref": "sable"},
            {"sample": samples[-1], "side": "red", "external_ref": "brok", "dice": "client"},
        ]

    @cache  # noqa: B019 - a world lives as long as its test
    def _samples(self) -> list[Json]:
        told: list[Json] = self.club.get(f"/v1/rulesets/{self.ruleset}")["samples"]
        return told

    def _there(self, path: str, body: Json) -> str:
        found = self.club.get(path)["items"]
        made = found[0] if found else self.club.call("POST", path, body)
        name: str = made["id"]
        return name

    def name_of(self, parameter: str) -> Any:
        """Something that such a parameter may name here."""
        if parameter == "combatant":
            return self.chance.choice(("ref:sable", "ref:brok"))
        if parameter == "decision":
            return self._decision()
        return self.names.get(parameter)

    def _decision(self) -> str | None:
        path = f"{self.club.url}/v1/encounters/{self.names['encounter']}/decisions"
        told = httpx.get(path, headers={"authorization": f"Bearer {self.club.gm}"})
        open_ones = told.json().get("items", ()) if told.is_success else ()
        return open_ones[0]["id"] if open_ones else None

    def before_call(self, _context: HookContext, case: Case[Any], _kwargs: dict[str, Any]) -> None:
        """Put names that name something where the case does not break them on purpose."""
        if self.left <= 0:
            self.renew()
        parts = case.meta.components if case.meta is not None else {}

        def is_whole(where: ParameterLocation) -> bool:
            return where not in parts or parts[where].mode is GenerationMode.POSITIVE

        if is_whole(ParameterLocation.PATH):
            for name in case.path_parameters:
                if self.chance.random() > ANOTHER and (known := self.name_of(name)) is not None:
                    case.path_parameters[name] = known
        # Nobody takes his own key away, or the rest would be about nothing else.
        own = {"tok_" + text.split("_")[1] for text in self.tokens.values()}
        if case.path_parameters.get("token") in own:
            case.path_parameters["token"] = self.names["token"]
        if is_whole(ParameterLocation.BODY) and isinstance(case.body, dict):
            self._mend(case.body)
        if is_whole(ParameterLocation.HEADER):
            for name in ("If-Match", "If-None-Match", "Idempotency-Key"):
                if name in case.headers and self.chance.random() > ANOTHER:
                    del case.headers[name]

    def _mend(self, body: Json) -> None:
        for name, known in (
            ("campaign", self.club.campaign),
            ("ruleset", self.ruleset),
            ("actor", self.name_of("combatant")),
            ("targets", [self.name_of("combatant")]),
            ("encounter", self.names["encounter"]),
        ):
            if name in body and self.chance.random() > ANOTHER:
                body[name] = known

    def after_call(self, _context: HookContext, case: Case[Any], response: Response) -> None:
        """Notice what is gone or has come to its end."""
        self.left -= case.operation.method != "get"
        if case.operation.method == "delete" and response.status_code < 300:
            self.left = 0
        if case.operation.path.endswith("/end") and response.status_code < 300:
            self.left = 0


def fuzz(
    world: World,
    role: str,
    examples: int,
    *,
    phases: tuple[str, ...] = PHASES,
    only: str | None = None,
    heard: Callable[[str], None] = lambda text: None,
) -> Report:
    """Send the server what the document makes of it, as that caller."""
    url = world.club.url
    headers = {} if role == "anonymous" else {"Authorization": f"Bearer {world.tokens[role]}"}
    seed = world.chance.getrandbits(32)
    given: dict[str, Any] = {
        "seed": seed,
        "base-url": url,
        "headers": headers,
        "request-timeout": 30,
        "continue-on-failure": True,
        "generation": {"max-examples": examples, "no-shrink": True, "database": "none"},
        "checks": {**UNJUDGED, "negative_data_rejection": {"expected-statuses": REFUSALS}},
        # A stream is no one text, though that is all a document can say of it: `x-event-schema` tells its events.
        "operations": [
            {"include-operation-id": "follow_encounter", "checks": {"response_schema_conformance": {"enabled": False}}}
        ],
        "phases": {name: {"enabled": name in phases} for name in PHASES},
    }
    schema: BaseSchema = schemathesis.openapi.from_path(DOCUMENT, config=SchemathesisConfig.from_dict(given))
    if only is not None:
        schema = schema.include(operation_id=only)
    report = Report()
    with _steered(world):
        _run(schema, report, heard)
    return report


@contextmanager
def _steered(world: World) -> Iterator[None]:
    for name in ("before_call", "after_call"):
        GLOBAL_HOOK_DISPATCHER.register_hook_with_name(getattr(world, name), name)
    try:
        yield
    finally:
        GLOBAL_HOOK_DISPATCHER.unregister_all()


def _run(schema: BaseSchema, report: Report, heard: Callable[[str], None]) -> None:
    for event in from_schema(schema).execute():
        if isinstance(event, events.NonFatalError):
            report.errors.append(f"{event.label}: {event.value}")
        elif isinstance(event, events.FatalError):
            report.errors.append(str(event.exception))
        elif isinstance(event, events.ScenarioFinished):
            held = len(report.findings)
            report.cases[event.phase.value] += len(event.recorder.interactions)
            for kept in event.recorder.cases.values():
                report.operations.add(kept.value.operation.label)
            for sent in event.recorder.interactions.values():
                report.statuses[0 if sent.response is None else sent.response.status_code] += 1
            for finding in _failed(event):
                if reason := _excuse(finding):
                    report.excused[reason] += 1
                else:
                    report.findings.append(finding)
            new = report.findings[held:]
            heard(f"{event.phase.value} {event.label}: {len(event.recorder.cases)} cases, {len(new)} findings {new}")


def _excuse(finding: Finding) -> str:
    """Why broken data may be accepted there; nothing where it may not."""
    if finding.check != "negative_data_rejection":
        return ""
    if "Invalid component: positive test case" in finding.told:
        return "a request that is whole again since a name was put into it"
    broken = [line for line in finding.told.splitlines() if line.startswith("Invalid component")]
    named = set(re.findall(r"`([A-Za-z-]+)`", broken[0].partition(" - ")[0])) if broken else set()
    return "a header that is a wish" if named and named <= set(LENIENT) else ""


def _failed(event: events.ScenarioFinished) -> Iterator[Finding]:
    for case, checks in event.recorder.checks.items():
        for check in checks:
            if check.status is Status.FAILURE and check.failure_info is not None:
                told, operation = check.failure_info, event.recorder.cases[case].value.operation.label
                yield Finding(check.name, operation, str(told.failure), told.code_sample[:1500])
