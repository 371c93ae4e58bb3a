"""The API as any client sees it: JSON over HTTP, one call a line."""

import time
import uuid
from types import TracebackType
from typing import Any, Self

import httpx

TOO_MANY = 429
Json = dict[str, Any]


class Refused(Exception):
    """The server said no, with a problem document."""

    def __init__(self, problem: Json) -> None:
        reasons = "; ".join(str(reason["message"]) for reason in problem.get("reasons", ()))
        flaws = "; ".join(f"{flaw['at']}: {flaw['message']}" for flaw in problem.get("errors", ()))
        super().__init__(f"{problem['code']}: {reasons or flaws or problem.get('detail', '')}")
        self.code: str = problem["code"]


class Client:
    """One token at one server."""

    def __init__(self, url: str, token: str, language: str = "en") -> None:
        self.url, self._language = url, language
        headers = {"Authorization": f"Bearer {token}", "Accept-Language": language}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=30)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.close()

    def as_other(self, token: str) -> "Client":
        """Somebody else at the same server."""
        return Client(self.url, token, self._language)

    def get(self, path: str, language: str | None = None, **query: Any) -> Json:
        """Read something, in another language if one is named."""
        headers = {} if language is None else {"Accept-Language": language}
        return self._call("GET", path, headers=headers, params=query)

    def post(self, path: str, body: Json | None = None) -> Json:
        """Do something, once, however often the request has to be sent."""
        return self._call("POST", path, headers={"Idempotency-Key": uuid.uuid4().hex}, json=body)

    def patch(self, path: str, body: Json) -> Json:
        """Change something."""
        return self._call("PATCH", path, headers={"Idempotency-Key": uuid.uuid4().hex}, json=body)

    def _call(self, method: str, path: str, **request: Any) -> Json:
        while True:
            answer = self._http.request(method, path, **request)
            if answer.status_code != TOO_MANY:
                break
            time.sleep(int(answer.headers.get("Retry-After", "1")))
        found: Json = answer.json()
        if answer.is_error:
            raise Refused(found)
        return found
