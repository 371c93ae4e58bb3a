"""One evening in which every example of the documentation is sent, in order, on the first real ruleset.

`python -m tests.api.story` plays it and writes the answers into the examples.
"""

import asyncio
import hashlib
import itertools
import json
import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx

from app.api.examples import FOLDER, REFUSALS, examples
from app.persistence.schema import migrate
from tests.api.table import Table, table
from tests.support import discord, play

RULESET = "dark_heresy_2e"
Json = dict[str, Any]
_TOKEN = re.compile(r"tw_[0-9a-z]{12}_[A-Za-z0-9_-]{43}")
_ID = re.compile(r"\b(cmp|tok|inv|enc|cmb|cmd|dec|whk|msg)_[0-9a-z]{10,12}\b")
_CODE = re.compile(r'("code": ")[0-9A-Z]{4}-[0-9A-Z]{4}"')
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{43}=")
SHOWN_SECRET = f"whsec_{'x' * 43}="
_COMMITMENT = re.compile(r'("(?:dice_commitment|commitment|dice_seed|seed|hash)": ")[0-9a-f]{64}')
SHOWN_TOKEN = f"tw_3k8w5n2p9d6t_{'x' * 43}"
_TICKET = re.compile(r"twt_[A-Za-z0-9_-]{43}")
_REQUEST = re.compile(r"\b01[0-9a-hjkmnp-tv-z]{24}\b")
SHOWN_REQUEST = "01kb9g7w5qx3v0m2n8c4r6t1zs"
SHOWN_TIME = "2026-11-30T19:02:11.000Z"


class Story:
    """Sends examples one after another and hands back what came of each."""

    def __init__(self, seats: Table) -> None:
        self.seats = seats
        self.names: dict[str, str] = {"campaign": seats.campaign}
        self.copies: list[str] = []

    async def tell(self, operation: str, path: str, *, name: str, who: str = "gm", method: str = "") -> httpx.Response:
        """Send one example."""
        example = next(one for one in examples(operation) if one["name"] == name)
        fields: Json = {}
        if "request" in example:
            text = json.dumps(example["request"], ensure_ascii=False)
            for key, value in self.names.items():
                text = text.replace(f"{{{key}}}", value)
            fields["json"] = json.loads(text)
        return await self.seats.send(method or ("POST" if fields else "GET"), path, who, **fields)

    async def _ping(self) -> tuple[str, str, httpx.Response]:
        raw, headers = discord.posted(examples("answer_discord")[0]["request"])
        answer = await self.seats.send("POST", discord.PATH, None, content=raw, headers=headers)
        return "answer_discord", "ping", answer

    async def play(self) -> AsyncIterator[tuple[str, str, httpx.Response]]:
        """Every example with its answer."""
        seats, names = self.seats, self.names

        async def told(operation: str, name: str, path: str, **fields: Any) -> tuple[str, str, httpx.Response]:
            return operation, name, await self.tell(operation, path, name=name, **fields)

        yield await told("check_health", "there", "/healthz")
        yield await told("check_readiness", "ready", "/readyz")
        yield await told("read_meta", "this_server", "/v1/meta")
        yield await self._ping()
        book = f"/v1/rulesets/{RULESET}"
        yield await told("list_rulesets", "all", "/v1/rulesets")
        yield await told("read_ruleset", RULESET, book)
        yield await told("read_ruleset_action", "charge", f"{book}/actions/charge")
        yield await told("list_clauses", "first", f"{book}/rules?limit=2")
        yield await told("read_clause", "charge", f"{book}/rules/DH-3950")
        yield await told("read_ruleset_schema", RULESET, f"{book}/schema")
        yield await told("create_campaign", "thursday", "/v1/campaigns", who="admin")
        yield await told("list_campaigns", "all", "/v1/campaigns")
        campaign = f"/v1/campaigns/{seats.campaign}"
        yield await told("read_campaign", "thursday", campaign)
        made = await told("create_token", "player", f"{campaign}/tokens")
        yield made
        token, seats.tokens["ola"] = f"{campaign}/tokens/{made[2].json()['id']}", made[2].json()["token"]
        yield await told("create_token", "spectator", f"{campaign}/tokens")
        yield await told("list_tokens", "all", f"{campaign}/tokens")
        yield await told("read_token", "player", token)
        yield await told("read_own_token", "gm", "/v1/me")
        yield await told("change_token", "another_combatant", token, method="PATCH")

        made = await told("create_invite", "four_seats", f"{campaign}/invites")
        yield made
        invite, names["code"] = f"{campaign}/invites/{made[2].json()['id']}", made[2].json()["code"]
        yield await told("join_table", "ola", "/v1/join", who=None)
        yield await told("list_invites", "all", f"{campaign}/invites")
        yield await told("read_invite", "four_seats", invite)
        gone = await seats.send("DELETE", invite)
        assert gone.status_code == 204, gone.text

        made = await told("create_encounter", "no_map", "/v1/encounters")
        yield made
        tavern = f"/v1/encounters/{made[2].json()['id']}"
        names["other"] = made[2].json()["combatants"][1]["id"]
        yield await told("state_facts", "distance", f"{tavern}/facts")
        made = await told("create_encounter", "map", "/v1/encounters")
        yield made
        fight = f"/v1/encounters/{made[2].json()['id']}"
        yield await told("list_encounters", "all", "/v1/encounters")
        yield await told("read_encounter", "running", fight)
        yield await told("set_up_encounter", "name", fight, method="PATCH")
        yield await told("add_combatants", "two_more", f"{fight}/combatants")
        yield await told("list_combatants", "all", f"{fight}/combatants")
        yield await told("read_combatant", "sable", f"{fight}/combatants/ref:Token.a1")
        yield await told("start_encounter", "start", f"{fight}/start")
        await self._initiative(fight)
        proposal = await self._proposed(fight)
        yield await told("withdraw_proposal", "second_thoughts", f"{proposal}/withdraw", who="ola", method="POST")
        await seats.send("PATCH", fight, json={"approval": "none"})
        yield await told("list_actions", "possible", f"{fight}/combatants/ref:Token.a1/actions?available=true")
        yield await told("preview_action", "charge", f"{fight}/actions/preview")
        made = await told("submit_action", "charge", f"{fight}/actions")
        yield made
        yield await told("list_decisions", "open", f"{fight}/decisions")
        decision = f"{fight}/decisions/{made[2].json()['waiting_for'][0]['id']}"
        yield await told("read_decision", "defend", decision)
        made = await told("answer_decision", "option", decision)
        yield made
        decision = f"{fight}/decisions/{made[2].json()['waiting_for'][0]['id']}"
        yield await told("answer_decision", "dice", decision)
        await self._settle(fight)
        yield await told("end_turn", "sable", f"{fight}/end-turn")
        await self._settle(fight)
        yield await told("change_combatant", "policy", f"{fight}/combatants/ref:Token.b1", method="PATCH")
        made = await told("duplicate_combatant", "one_more", f"{fight}/combatants/ref:Token.b1/duplicate")
        yield made
        await self._settle(fight)
        yield await told("make_ruling", "wounds", f"{fight}/rulings")
        yield await told("read_log", "first", f"{fight}/log?limit=3")
        yield await told("create_stream_ticket", "browser", f"{fight}/stream-tickets", method="POST")
        yield await told("remove_combatant", "brok", f"{fight}/combatants/ref:Token.b2", method="DELETE")
        yield await told("rewind_encounter", "wrong_target", f"{fight}/rewind")
        await self._settle(fight)
        yield await told("list_branches", "rewound", f"{fight}/branches")
        yield await told("read_version", "first", f"{fight}/versions/1")
        made = await told("fork_encounter", "what_if", f"{fight}/fork")
        yield made
        fork = f"/v1/encounters/{made[2].json()['id']}"
        yield await told("end_encounter", "over", f"{fight}/end")
        hooks = f"{campaign}/webhooks"
        made = await told("create_webhook", "bot", hooks)
        yield made
        hook = f"{hooks}/{made[2].json()['id']}"
        yield await told("list_webhooks", "all", hooks)
        yield await told("read_webhook", "bot", hook)
        yield await told("change_webhook", "only_turns", hook, method="PATCH")
        made = await told("test_webhook", "ping", f"{hook}/test", method="POST")
        yield made
        await self._delivered(f"{hook}/deliveries")
        yield await told("list_webhook_deliveries", "newest", f"{hook}/deliveries?limit=1")
        again = f"{hook}/deliveries/{made[2].json()['id']}/resend"
        yield await told("resend_webhook_delivery", "again", again, method="POST")
        yield await told("rotate_webhook_secret", "new", f"{hook}/rotate-secret", method="POST")
        yield await told("verify_encounter", "over", f"{fight}/verify")
        yield await told("read_statistics", "over", f"{fight}/statistics")
        yield await self._brought_in(fight)
        rules = f"{campaign}/house-rules"
        yield await told("read_house_rules_schema", RULESET, f"{book}/house-rules-schema")
        yield await told("put_house_rules", "heavy_hands", f"{rules}/heavy_hands", method="PUT")
        yield await told("list_house_rules", "all", rules)
        yield await told("read_house_rules", "heavy_hands", f"{rules}/heavy_hands")
        yield await told("read_house_rules_diff", "heavy_hands", f"{rules}/heavy_hands/diff")
        made = await told("create_encounter", "house_rules", "/v1/encounters")
        yield made
        yard = f"/v1/encounters/{made[2].json()['id']}/ruleset"
        yield await told("read_encounter_ruleset", "heavy_hands", yard)
        yield await told("read_encounter_action", "heavy_swing", f"{yard}/actions/heavy_swing")
        yield await told("read_encounter_clause", "own", f"{yard}/rules/HR-101")
        yield await told("read_encounter_schema", "heavy_hands", f"{yard}/schema")
        yard = yard.removesuffix("/ruleset")
        for copy in (fork, *self.copies):
            gone = await seats.send("DELETE", copy)
            assert gone.status_code == 204, gone.text
        gone = await seats.send("DELETE", yard)
        assert gone.status_code == 204, gone.text
        deleted = await seats.send("DELETE", tavern)
        assert deleted.status_code == 204, deleted.text
        revoked = await seats.send("DELETE", token)
        assert revoked.status_code == 204, revoked.text

    async def _proposed(self, fight: str) -> str:
        """Ola proposes to charge, where the GM wants to be asked."""
        await self.seats.send("PATCH", fight, json={"approval": "actions"})
        charge = next(one["request"] for one in examples("submit_action") if one["name"] == "charge")
        proposed = await self.seats.made(f"{fight}/actions", charge, "ola")
        return f"{fight}/decisions/{proposed['waiting_for'][0]['id']}"

    async def refusals(self) -> AsyncIterator[tuple[str, httpx.Response]]:
        """Problems as a fight has them, each with its code: what is refused changes nothing."""
        seats, json_type = self.seats, {"content-type": "application/json"}
        made = await self.tell("create_encounter", "/v1/encounters", name="map")
        fight = f"/v1/encounters/{made.json()['id']}"
        await seats.made(f"{fight}/start")
        await self._initiative(fight)
        charge = next(one["request"] for one in examples("submit_action") if one["name"] == "charge")

        async def sent(code: str, path: str = f"{fight}/actions", **fields: Any) -> tuple[str, httpx.Response]:
            fields = fields if "content" in fields else {"json": charge, **fields}
            return code, await seats.send(fields.pop("method", "POST"), path, **fields)

        yield await sent("invalid_json", content=b'{"actor": ', headers=json_type)
        yield await sent("duplicate_key", content=b'{"actor": "a", "actor": "b"}', headers=json_type)
        yield await sent("invalid_header", headers={"if-match": "seven"})
        yield await sent("unsupported_media_type", content=b"actor=a", headers={"content-type": "text/plain"})
        yield await sent("body_too_large", content=b'{"note": "' + b"a" * 100_000 + b'"}', headers=json_type)
        yield await sent("token_missing", who=None)
        yield await sent("token_invalid", who=None, headers={"authorization": f"Bearer {SHOWN_TOKEN}"})
        yield await sent("not_permitted", who="watcher")
        yield await sent("not_found", "/v1/encounters/enc_none000000/actions")
        yield await sent("invalid_request", json={"actor": "ref:Token.a1", "facing": 400, "weapn": "sword"})
        yield await sent("stale_version", headers={"if-match": '"1"'})
        key = {"idempotency-key": "01kb9g7w5qx3v0m2n8c4r6t1zs"}
        _, waiting = await sent("", headers=key)
        decision = f"{fight}/decisions/{waiting.json()['waiting_for'][0]['id']}"
        yield await sent("idempotency_key_reused", json={**charge, "note": "again"}, headers=key)
        yield await sent("answer_awaited")
        yield await sent("bad_answer", decision, json={"dice": [7]})
        await seats.made(decision, {"option": "none"})
        yield await sent("already_answered", decision, json={"option": "none"})
        await self._settle(fight)
        yield await sent("illegal_action")
        await seats.made(f"{fight}/end")
        yield await sent("conflict", f"{fight}/end", json={})

    async def _initiative(self, fight: str) -> None:
        """Sable rolls a ten, everybody else a one."""
        sable = (await self.seats.get(f"{fight}/combatants/ref:Token.a1")).json()["id"]
        while waiting := (await self.seats.get(f"{fight}/decisions")).json()["items"]:
            asked = waiting[0]
            dice = [10 if asked["for"] == sable else 1]
            await self.seats.made(f"{fight}/decisions/{asked['id']}", {"dice": dice})

    async def _delivered(self, deliveries: str) -> None:
        """Wait until the newest message has arrived."""
        for _ in range(500):
            if (await self.seats.get(deliveries)).json()["items"][0]["status"] == "delivered":
                return
            await asyncio.sleep(0.02)
        raise AssertionError("nothing was delivered")

    async def _brought_in(self, fight: str) -> tuple[str, str, httpx.Response]:
        """The fight exported, and brought in again."""
        lines = (await self.seats.get(f"{fight}/export")).content
        response = await self.seats.send(
            "POST",
            f"/v1/encounters/import?campaign={self.seats.campaign}",
            content=lines,
            headers={"content-type": "application/x-ndjson"},
        )
        self.copies.append(f"/v1/encounters/{response.json()['id']}")
        return "import_encounter", "again", response

    async def _settle(self, fight: str) -> None:
        """Answer whatever is still open: with ones, or with the default."""
        while waiting := (await self.seats.get(f"{fight}/decisions")).json()["items"]:
            asked = waiting[0]
            count = int(asked.get("dice", "0d").split("d")[0])
            body = {"dice": [1] * count} if count else {"option": asked["default"]}
            await self.seats.made(f"{fight}/decisions/{asked['id']}", body)


CUT = {
    "read_ruleset",
    "read_ruleset_schema",
    "read_house_rules_schema",
    "read_house_rules_diff",
    "read_encounter_ruleset",
    "read_encounter_schema",
    "list_actions",
}


class Display:
    """Answers as the documentation shows them: no secret, no chance, long lists cut short where a summary says so."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}

    def __call__(self, operation: str, answer: Any) -> Any:
        """One answer."""
        text = _TOKEN.sub(SHOWN_TOKEN, json.dumps(answer, ensure_ascii=False))
        text = _SECRET.sub(SHOWN_SECRET, text)
        text = _ID.sub(self._named, _TIME.sub(SHOWN_TIME, text))
        text = _TICKET.sub(f"twt_{'x' * 43}", text)
        text = _CODE.sub(r'\g<1>K7Q2-9XMD"', text)
        told = json.loads(_COMMITMENT.sub(rf"\g<1>{'87ab' * 16}", text))
        return _cut(told) if operation in CUT else told

    def _named(self, found: re.Match[str]) -> str:
        made = hashlib.sha256(str(len(self._ids)).encode()).hexdigest()[:10]
        return self._ids.setdefault(found[0], f"{found[1]}_{made}")


def _cut(value: Any) -> Any:
    """Lists and maps at their first two. A reference is left out: tools would follow it out of the example."""
    if isinstance(value, list):
        return [_cut(one) for one in value[:2]]
    if isinstance(value, dict):
        keys = [key for key in value if key not in ("properties", "actions", "$defs") or isinstance(value[key], list)]
        cut = {key: _cut(value[key]) for key in keys}
        for key in ("properties", "actions", "$defs"):
            if isinstance(value.get(key), dict):
                shown = [(name, _cut(one)) for name, one in value[key].items() if "$ref" not in json.dumps(one)]
                cut[key] = dict(shown[:2])
        return cut
    return value


def without_chance(seats: Table) -> None:
    """From here on the same dice fall and ids are counted: what is played twice is the same twice."""
    service, count = seats.app.state.parts.service, itertools.count()
    service.new_seed = lambda: b"\x2a" * 32
    service.new_id = lambda prefix: f"{prefix}{next(count):010d}"


async def record() -> None:
    """Play the story and write the answers into the files."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/turnwright.sqlite3"
        migrate(url)
        told: dict[tuple[str, str], Any] = {}
        shown = Display()
        async with table(url, catalog=play.catalog()) as seats:
            without_chance(seats)
            async for operation, name, response in Story(seats).play():
                assert response.is_success, (operation, name, response.text)
                told[operation, name] = shown(operation, response.json())
            refused = {code: shown("", answer.json()) async for code, answer in Story(seats).refusals()}
    text = json.dumps(refused, indent=1, ensure_ascii=False) + "\n"
    REFUSALS.write_text(_REQUEST.sub(SHOWN_REQUEST, text), encoding="utf-8")
    for path in sorted(Path(FOLDER).glob("*.json")):
        listed = json.loads(path.read_text(encoding="utf-8"))
        for example in listed:
            if (path.stem, example["name"]) in told:
                example["response"] = told[path.stem, example["name"]]
        path.write_text(json.dumps(listed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(record())
