"""House rules of a campaign: put, read, compared, taken away, and played by.

Every change is a version of its own. An encounter keeps the merged document that it began with; what becomes of the
house rules afterwards is no matter of its.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, func, insert, select, update

from app.catalog import Rulebook
from app.catalog.findings import MOST, child
from app.catalog.findings import Finding as Found
from app.catalog.house import (
    BadHouseRules,
    differences,
    each_alone,
    in_words,
    judge,
    message,
    name_of,
    overlay_schema,
    unfit_samples,
)
from app.catalog.house.bounds import LONGEST_TEXT, MOST_BYTES, MOST_ENTRIES
from app.catalog.house.trial import Odds, odds, samples_of
from app.persistence.tables import campaign as campaigns
from app.persistence.tables import house_rules as stored
from app.persistence.work import Reply, Stale
from app.services.caller import Attempt, Caller, Result
from app.services.errors import BadInput, Finding, LimitReached, NotFound, NotPermitted
from app.services.owned import need_campaign
from app.services.results import result
from app.services.rulesets import Catalog, View, book_of
from app.services.service import Service, keep_document
from app.services.tokens import once_or_not, times

__all__ = [
    "LONGEST_TEXT",
    "MOST_BYTES",
    "MOST_ENTRIES",
    "chosen",
    "delete",
    "diff",
    "page",
    "put",
    "read",
    "schema",
]
NAMES_PER_CAMPAIGN = 50
VERSIONS_PER_CAMPAIGN = 1000
"""Every version is kept, for whoever asks what was played by; a campaign needs fewer in a lifetime."""
MOST_TRIED = 20
"""Entries that are tried alone to see which of them cannot be played."""
EXTENDS = "extends"
MILLION = 1_000_000
logger = logging.getLogger("turnwright.house_rules")
_encode = msgspec.json.Encoder().encode


def may_read(caller: Caller, campaign: str) -> None:
    """Whoever sits at the table reads its rules. Raises `NotFound`."""
    if caller.role != "admin" and caller.campaign != campaign:
        raise NotFound("campaign", campaign)


def may_write(caller: Caller, campaign: str) -> None:
    """The GM of the whole campaign makes them."""
    may_read(caller, campaign)
    if not caller.manages:
        raise NotPermitted("gm")


async def put(
    service: Service,
    caller: Caller,
    campaign: str,
    name: str,
    given: Any,
    flaws: tuple[Finding, ...],
    attempt: Attempt,
) -> Result:
    """Store a document under that name. The same as before changes nothing. GM of the campaign.

    Raises `BadInput` with everything that is wrong with it, `Stale`, `LimitReached`.
    """
    may_write(caller, campaign)
    base, merged = await _judged(service, caller, given, flaws)
    now, body = service.clock(), msgspec.json.encode(given).decode()

    def work(connection: Connection) -> Reply:
        _lock(connection, campaign)
        newest = _newest(connection, campaign, name)
        current = newest if newest is not None and newest.removed_at is None else None
        _expected(attempt, current)
        same = current is not None and (current.body, current.pin) == (body, merged.ruleset.pin)
        if current is not None and same and current.base_pin == base.ruleset.pin:
            return Reply(0, {"version": str(current.version)}, _encode(_shown(current, caller)))
        _room(connection, campaign, is_new=current is None)
        keep_document(connection, base, now)
        keep_document(connection, merged, now)
        version = 1 if newest is None else newest.version + 1
        values = {
            "campaign_id": campaign,
            "name": name,
            "version": version,
            "ruleset": base.id,
            "base_pin": base.ruleset.pin,
            "pin": merged.ruleset.pin,
            "body": body,
            "created_at": now,
        }
        connection.execute(insert(stored).values(**values))
        row = _newest(connection, campaign, name)
        headers = {"version": str(version)} | ({"created": name} if current is None else {})
        return Reply(0, headers, _encode(_shown(row, caller)))

    reply = await once_or_not(service, caller, attempt, work)
    service.hold(merged)
    return result(reply)


async def _judged(
    service: Service, caller: Caller, given: Any, flaws: tuple[Finding, ...]
) -> tuple[Rulebook, Rulebook]:
    """The base and the ruleset under these house rules."""
    extends = given.get("extends") if isinstance(given, Mapping) else None
    base = service.catalog.get(extends) if isinstance(extends, str) else None
    if base is None:
        raise BadInput((*flaws, _no_base(service, given)))
    try:
        merged = await asyncio.to_thread(_judge, base, given)
    except BadHouseRules as bad:
        raise BadInput((*flaws, *told(bad, caller.language))) from None
    if flaws:
        raise BadInput(flaws)
    return base, merged


def _no_base(service: Service, given: Any) -> Finding:
    """Why nobody can tell which ruleset is meant."""
    if not isinstance(given, Mapping):
        return Finding("wrong_type", "", "object")
    known = ", ".join(service.catalog.ids)
    if EXTENDS not in given:
        return Finding("extends_missing", child("", EXTENDS), known)
    if not isinstance(given[EXTENDS], str):
        return Finding("wrong_type", child("", EXTENDS), "text")
    return Finding("unknown_ruleset", child("", EXTENDS), known)


def _judge(base: Rulebook, given: Any) -> Rulebook:
    merged = judge(base, given)
    try:
        unfit = unfit_samples(base, merged, given)
        _try(merged)
    except Exception:
        logger.warning("house rules that fit and cannot be reckoned with", exc_info=True)
        raise BadHouseRules((Found(_culprit(base, given), "not_playable"),)) from None
    if unfit:
        raise BadHouseRules(unfit)
    return merged


def _try(merged: Rulebook) -> None:
    for _ in odds(merged, samples_of(merged)):
        pass


def _culprit(base: Rulebook, given: Mapping[str, Any]) -> str:
    """The first entry with which alone the rules cannot be played; the whole document where it takes several."""
    for place, part in each_alone(given)[:MOST_TRIED]:
        try:
            _try(judge(base, {EXTENDS: base.id, **part}))
        except BadHouseRules:
            continue
        except Exception:
            return place
    return ""


def told(bad: BadHouseRules, language: str) -> list[Finding]:
    """Every finding in the reader's language; of very many the rest is counted."""
    found = [Finding(one.code, one.place, message=message(one, language)) for one in bad.findings[:MOST]]
    more = len(bad.findings) - MOST
    return [*found, Finding("more_findings", "", str(more))] if more > 0 else found


def _lock(connection: Connection, campaign: str) -> None:
    """One change of a campaign's house rules at a time. Raises `NotFound`."""
    query = select(campaigns.c.id).where(campaigns.c.id == campaign).with_for_update()
    if connection.execute(query).one_or_none() is None:
        raise NotFound("campaign", campaign)


def _newest(connection: Connection, campaign: str, name: str) -> Row[Any] | None:
    """The newest version under that name, be it one that was taken away."""
    query = select(stored).where(stored.c.campaign_id == campaign, stored.c.name == name)
    return connection.execute(query.order_by(stored.c.version.desc()).limit(1)).one_or_none()


def _current(connection: Connection, campaign: str, name: str, version: int | None = None) -> Row[Any]:
    """The version that counts, or an older one. Raises `NotFound`."""
    found = _newest(connection, campaign, name)
    if found is None or found.removed_at is not None:
        raise NotFound("house rules", name)
    if version is None or version == found.version:
        return found
    query = select(stored).where(
        stored.c.campaign_id == campaign,
        stored.c.name == name,
        stored.c.version == version,
        stored.c.removed_at.is_(None),
    )
    older = connection.execute(query).one_or_none()
    if older is None:
        raise NotFound("house rules", f"{name} {version}")
    return older


def _expected(attempt: Attempt, current: Row[Any] | None) -> None:
    version = 0 if current is None else current.version
    if (attempt.if_match is not None and attempt.if_match != version) or (attempt.is_first and current is not None):
        raise Stale(version)


def _room(connection: Connection, campaign: str, *, is_new: bool) -> None:
    here = stored.c.campaign_id == campaign
    held = connection.execute(select(func.count()).select_from(stored).where(here)).scalar_one()
    if held >= VERSIONS_PER_CAMPAIGN:
        raise LimitReached("too_many_versions", VERSIONS_PER_CAMPAIGN)
    living = select(func.count(stored.c.name.distinct())).where(here, stored.c.removed_at.is_(None))
    if is_new and connection.execute(living).scalar_one() >= NAMES_PER_CAMPAIGN:
        raise LimitReached("too_many_house_rules", NAMES_PER_CAMPAIGN)


def _shown(row: Row[Any] | None, caller: Caller) -> dict[str, Any]:
    assert row is not None
    title = msgspec.json.decode(row.body).get("title") or {}
    return {
        "name": row.name,
        "title": title.get(caller.language) or title.get("en"),
        "ruleset": row.ruleset,
        "version": row.version,
        "pin": row.pin,
        "base_pin": row.base_pin,
        "created_at": times(row.created_at),
    }


async def page(service: Service, caller: Caller, campaign: str, *, after: str | None, limit: int) -> Result:
    """The campaign's house rules by name, each in its newest version, without the documents."""
    may_read(caller, campaign)

    def work(connection: Connection) -> list[Row[Any]]:
        need_campaign(connection, campaign)
        here = (stored.c.campaign_id == campaign, stored.c.removed_at.is_(None))
        newest = select(func.max(stored.c.id)).where(*here).group_by(stored.c.name)
        query = select(stored).where(stored.c.id.in_(newest)).order_by(stored.c.name)
        if after is not None:
            query = query.where(stored.c.name > after)
        return list(connection.execute(query.limit(limit + 1)))

    rows = await service.store.read(work)
    more = rows[limit - 1].name if len(rows) > limit else None
    return Result(_encode({"items": [_shown(row, caller) for row in rows[:limit]], "next_cursor": more}))


async def read(service: Service, caller: Caller, campaign: str, name: str, version: int | None) -> Result:
    """One of them with its document, as it was sent."""
    may_read(caller, campaign)
    row = await service.store.read(lambda connection: _current(connection, campaign, name, version))
    return Result(_encode(_shown(row, caller) | {"document": msgspec.Raw(row.body.encode())}), row.version)


async def delete(service: Service, caller: Caller, campaign: str, name: str, attempt: Attempt) -> Result:
    """Take them away: no encounter is made with them any more, and those that were go on. GM of the campaign."""
    may_write(caller, campaign)
    now = service.clock()

    def work(connection: Connection) -> Reply:
        _lock(connection, campaign)
        row = _current(connection, campaign, name)
        _expected(attempt, row)
        mine = (stored.c.campaign_id == campaign, stored.c.name == name, stored.c.removed_at.is_(None))
        connection.execute(update(stored).where(*mine).values(removed_at=now))
        return Reply(0, {}, b"")

    return result(await once_or_not(service, caller, attempt, work))


async def chosen(service: Service, campaign: str, name: str, ruleset: str) -> tuple[Rulebook, int]:
    """The ruleset under these house rules and their version, for an encounter. Raises `BadInput`."""
    try:
        row = await service.store.read(lambda connection: _current(connection, campaign, name))
    except NotFound:
        raise BadInput((Finding("unknown_house_rules", "/house_rules"),)) from None
    if row.ruleset != ruleset:
        raise BadInput((Finding("other_ruleset", "/house_rules", row.ruleset),))
    return await service.fetch(row.pin), row.version


async def diff(service: Service, caller: Caller, campaign: str, name: str, version: int | None) -> Result:
    """What they change, in words and figures, and what that makes of some chances."""
    may_read(caller, campaign)
    row = await service.store.read(lambda connection: _current(connection, campaign, name, version))
    base, merged = await service.fetch(row.base_pin), await service.fetch(row.pin)
    items = await asyncio.to_thread(_items, base, merged, caller.language)
    shown = _shown(row, caller)
    return Result(_encode(shown | items), row.version)


def _items(base: Rulebook, merged: Rulebook, language: str) -> dict[str, Any]:
    items = [
        {
            "at": one.place,
            "change": one.change,
            "section": one.section,
            "id": one.id,
            "name": name_of(one, base.texts if one.change == "removed" else merged.texts, language),
            "field": one.field or None,
            "clause": one.clause,
            "before": one.before,
            "after": one.after,
            "text": in_words(one, base, merged, language),
        }
        for one in differences(base.document, merged.document)
    ]
    return {"items": items, "chances": _chances(base, merged, language)}


def _chances(base: Rulebook, merged: Rulebook, language: str) -> list[dict[str, Any]]:
    """Where the odds of an action are other than they were: the widest change of each action."""
    both = tuple(one for one in samples_of(base) if one in merged.document.get("samples", {}))
    before = {_key(one): one.chance for one in odds(base, both)}
    widest: dict[str, tuple[int, Odds]] = {}
    for one in odds(merged, both):
        change = abs(one.chance - before.get(_key(one), one.chance))
        if change > widest.get(one.action, (0, one))[0]:
            widest[one.action] = (change, one)
    return [
        {
            "action": one.action,
            "name": merged.name("action", one.action, language),
            "actor": merged.name("sample", one.actor, language),
            "target": merged.name("sample", one.target, language),
            "distance": one.distance / 100,
            "before": before[_key(one)] / MILLION,
            "after": one.chance / MILLION,
        }
        for _, one in widest.values()
    ]


def _key(one: Odds) -> tuple[str, str, str, int]:
    return one.action, one.actor, one.target, one.distance


def schema(catalog: Catalog, ruleset: str, language: str) -> View:
    """JSON Schema of house rules for a ruleset."""
    return overlay_schema(book_of(catalog, ruleset), language)
