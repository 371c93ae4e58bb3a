"""A campaign on a server as a user starts it, over HTTP, with a fight in which something happens when told."""

from typing import Any

import httpx

from tests.support.served import Served

Json = dict[str, Any]
PEOPLE = [
    {"sample": "sable", "side": "acolytes", "external_ref": "sable"},
    {"sample": "brok", "side": "cult", "external_ref": "brok"},
]


class Club:
    """A GM with his campaign."""

    def __init__(self, url: str, admin: str) -> None:
        self.url, self.admin = url, admin
        self.client = httpx.Client(timeout=30)
        made = self.call("POST", "/v1/campaigns", {"name": "Thursday"}, admin)
        self.campaign, self.gm = made["id"], made["gm_token"]

    def __enter__(self) -> "Club":
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    @staticmethod
    def of(server: Served) -> "Club":
        """A club on a server that was started for the first time."""
        return Club(server.url, server.token)

    def call(self, method: str, path: str, body: Json | None = None, token: str | None = None) -> Json:
        """Send something, which must work."""
        headers = {"authorization": f"Bearer {token or self.gm}"}
        answer = self.client.request(method, f"{self.url}{path}", json=body, headers=headers)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        found: Json = answer.json() if answer.content else {}
        return found

    def token(self, role: str = "spectator", **fields: Any) -> Json:
        """A new token: its id and its text."""
        return self.call("POST", f"/v1/campaigns/{self.campaign}/tokens", {"role": role, "name": role, **fields})

    def revoke(self, token: Json) -> None:
        """That token is good no more."""
        self.call("DELETE", f"/v1/campaigns/{self.campaign}/tokens/{token['id']}")

    def encounter(self, **fields: Any) -> str:
        """The path of a new encounter in which nothing is hidden."""
        body = {"campaign": self.campaign, "name": "Gate", "ruleset": "dark_heresy_2e", "combatants": PEOPLE, **fields}
        return f"/v1/encounters/{self.call('POST', '/v1/encounters', body)['id']}"

    def happen(self, path: str, reason: str = "so be it", wounds: int = 1) -> Json:
        """Something happens: the GM says how Brok is."""
        change = {"combatant": "ref:brok", "resource": "wounds", "set": wounds}
        return self.call("POST", f"{path}/rulings", {"reason": reason, "changes": [change]})

    def get(self, path: str, token: str | None = None) -> Json:
        """Read."""
        return self.call("GET", path, None, token)

    def log(self, path: str, token: str | None = None) -> list[Json]:
        """Every event, as that reader sees it."""
        events: list[Json] = []
        while True:
            after = events[-1]["seq"] if events else 0
            page = self.get(f"{path}/log?after={after}&limit=200", token)
            events += page["items"]
            if not page["has_more"]:
                return events
