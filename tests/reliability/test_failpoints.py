"""Whatever a service does when it dies or breaks, and at whatever place: it is done as a whole, or not at all."""

import contextlib
import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, select

from app.demo.client import Client, Json, Refused
from app.demo.player import Player
from app.demo.scenario import scenario_for
from app.persistence.drivers import engine_over, is_sqlite, open_sqlite, sqlite_path
from app.persistence.tables import metadata
from app.persistence.verify import verify
from tests.reliability.mortal import Mortal
from tests.support.sizes import IS_LONG, not_everyday, sized

pytestmark = not_everyday

RULESETS = ("dark_heresy_2e", "gurps_4e", "manewry_ap", "shadowrun_5e", "wh40k_d100")
BEFORE, AFTER = ("after_state", "after_events", "before_commit"), ("after_commit", "before_notify")
OWN_TIME = {"outbox", "snapshot", "webhook_delivery", "rules_document"}
"""Tables that chores change as well, when they come to it; and the rules, kept by their hash before whoever names them
is."""
NO_EVENTS = {"campaigns", "tokens", "DELETE encounter"}
"""Commands that write neither a state nor events."""
ALL = [(kind, ruleset) for kind in ("sqlite", "postgres") for ruleset in RULESETS]
CASES = sized([], [ALL[0], ALL[1], ALL[5]], ALL)
THOROUGH = sized([], ALL[:1], ALL)
"""Where the service dies over each kind of command at each place; elsewhere at one before and one after the commit, and
an error is raised at the others."""
OF_A_FIGHT = ("actions", "decisions")
EACH = sized(1, 1, 6)
"""How many commands of a kind are tried: not every answer to a decision is like the first."""


class Enough(Exception):
    """Every kind of command of the fight itself has been tried."""


class Database:
    """What is stored, from outside."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def digests(self) -> dict[str, str]:
        """Of every table's rows; the same when nothing has changed."""
        with self._engine.connect() as connection:
            rows = {
                table.name: sorted(map(repr, connection.execute(select(table)).all()))
                for table in metadata.sorted_tables
                if table.name not in OWN_TIME
            }
        return {name: hashlib.sha256(repr(found).encode()).hexdigest() for name, found in rows.items()}


@contextlib.contextmanager
def looking_at(url: str) -> Iterator[Database]:
    """The database, while a service uses it."""
    raw = open_sqlite(sqlite_path(url), reader=True) if is_sqlite(url) else None
    engine = create_engine(url) if raw is None else engine_over(raw, begin="BEGIN")
    try:
        yield Database(engine)
    finally:
        engine.dispose()
        if raw is not None:
            raw.close()


class Trial:
    """Tries each kind of command at each place before it lets it pass."""

    def __init__(self, service: Mortal, database: Database, *, is_thorough: bool, answers_last: bool) -> None:
        self.service, self.database = service, database
        self._is_thorough, self._answers_last = is_thorough, answers_last
        self.tried: Counter[str] = Counter()
        self.deaths = self.breaks = 0

    def command(self, kind: str, request: Json) -> Json:
        """Send something that writes; at first so often that it fails everywhere."""
        self.tried[kind] += 1
        if self.tried[kind] > EACH:
            if kind == "actions" and min(self.tried[one] for one in OF_A_FIGHT) > EACH:
                raise Enough
            return self.service.ask(**request)
        before = self.database.digests()
        number = self.tried.total()
        points = BEFORE[2:] if kind in NO_EVENTS else BEFORE
        for place, point in enumerate(points):
            if self._is_thorough or place == number % len(points):
                self._dies(request, point)
                assert self.database.digests() == before, f"{kind} left something when it died at {point}"
            self._breaks(request, point)
            assert self.database.digests() == before, f"{kind} left something when it broke at {point}"
        # PostgreSQL's writer answers before it tells other processes: who dies then may have answered.
        point = AFTER[number % len(AFTER) if self._answers_last else 0]
        if number // len(AFTER) % 2:
            self._dies(request, point)
        else:
            self._breaks(request, point)
        done = self.database.digests()
        assert done != before, f"{kind} was not stored at {point}"
        again = self.service.ask(**request)
        assert again["status"] < 300, again
        assert again["headers"].get("idempotency-replayed") == "true", f"{kind} at {point}"
        assert self.database.digests() == done, f"{kind} was done twice after {point}"
        return again

    def _dies(self, request: Json, point: str) -> None:
        self.deaths += 1
        assert self.service.ask(at=point, how="exit", **request) == {"died": 137}, point

    def _breaks(self, request: Json, point: str) -> None:
        self.breaks += 1
        told = self.service.ask(at=point, how="raise", **request)
        # After the commit another process, or this one, may find that it was done after all, and say so.
        assert told["status"] >= 500 or (point in AFTER and told["status"] < 300), told


class Prober(Client):
    """A client of the demo whose commands go through a trial."""

    def __init__(self, trial: Trial, token: str) -> None:
        super().__init__("http://table", token)
        self._trial, self._token = trial, token

    def as_other(self, token: str) -> "Prober":
        """Somebody else."""
        return Prober(self._trial, token)

    def delete(self, path: str) -> Json:
        """Take something away."""
        return self._call("DELETE", path, headers={"Idempotency-Key": uuid.uuid4().hex})

    def _call(self, method: str, path: str, **request: Any) -> Json:
        headers = {"Authorization": f"Bearer {self._token}"} | request.pop("headers", {})
        asked = {"method": method, "url": path, "headers": headers} | request
        trial = self._trial
        told = trial.service.ask(**asked) if method == "GET" else trial.command(_kind(method, path), asked)
        found: Json = json.loads(told["body"] or "{}")
        if told["status"] >= 400:
            raise Refused(found)
        return found


def _kind(method: str, path: str) -> str:
    """What sort of command it is: where it goes, without the names of things."""
    words = [word for word in path.split("/")[2:] if "_" not in word and ":" not in word]
    return words[-1] if method == "POST" else f"{method} {words[-1].removesuffix('s')}"


@pytest.mark.crash
@pytest.mark.timeout(0 if IS_LONG else 600)
@pytest.mark.parametrize(("url", "ruleset"), CASES, indirect=["url"])
def test_every_command_of_a_fight_is_done_as_a_whole_or_not_at_all(url: str, ruleset: str, tmp_path: Path) -> None:
    """T6: the service dies by `os._exit`, or an error is raised, at each failpoint in turn, over each kind of command.

    The fight is that of the demo. Before the commit nothing is left; after it the retry finds what was done.
    """
    with Mortal(url, tmp_path / "said") as service, looking_at(url) as database:
        trial = Trial(
            service,
            database,
            is_thorough=("sqlite" if is_sqlite(url) else "postgres", ruleset) in THOROUGH,
            answers_last=is_sqlite(url),
        )
        with Prober(trial, service.ask(admin=True)["admin"]) as admin:
            made = admin.post("/v1/campaigns", {"name": "Thursday"})
            gm = admin.as_other(made["gm_token"])
            player = Player(gm, scenario_for(ruleset), "stated", lambda _: None)
            with contextlib.suppress(Enough):
                player.play(made["id"])
            _beside(gm, player)
        print(f"{trial.deaths} deaths and {trial.breaks} breaks over {dict(trial.tried)}")
    assert verify(url).findings == ()
    wanted = {"campaigns", "encounters", "facts", "tokens", "start", "decisions", "actions", "end", "rewind"}
    wanted |= {"rulings", "combatants", "PATCH combatant", "DELETE combatant", "PATCH encounter", "DELETE encounter"}
    assert wanted <= set(trial.tried)


def _beside(gm: Prober, player: Player) -> None:
    """What a fight may need and that of the demo does not: a ruling, somebody who comes and goes, a way back."""
    first = next(iter(player.ids))
    _settle(gm, player)
    gm.patch(player.path, {"name": "Another name"})
    gm.patch(f"{player.path}/combatants/ref:{first}", {"name": "Somebody"})
    gm.post(f"{player.path}/rulings", {"reason": "so be it", "changes": []})
    gm.post(f"{player.path}/combatants", {"combatants": [{**player.scenario.people[first], "external_ref": "late"}]})
    _settle(gm, player)
    gm.delete(f"{player.path}/combatants/ref:late")
    _settle(gm, player)
    gm.post(f"{player.path}/end")
    gm.post(f"{player.path}/rewind", {"to_version": 2, "reason": "once more"})
    gm.delete(player.path)


def _settle(gm: Prober, player: Player) -> None:
    """Answer what is still waiting: nobody is changed in the middle of a command."""
    while waiting := gm.get(f"{player.path}/decisions")["items"]:
        asked = waiting[0]
        count = int(asked.get("dice", "0d").split("d")[0])
        answer = {"dice": [1] * count} if count else {"option": asked["default"]}
        gm.post(f"{player.path}/decisions/{asked['id']}", answer)
