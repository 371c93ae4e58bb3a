"""From the outbox to messages: each command once, rendered where the log is, cut as the log is."""

import structlog

from app.persistence import webhooks as rows
from app.persistence.webhooks import Listener, Message, News
from app.persistence.work import NotFound, PersistenceError
from app.services.caller import Caller
from app.services.log import told
from app.services.service import Service
from app.services.webhooks.shapes import events_body

BATCH = 200
log = structlog.get_logger("webhooks")


class Fanout:
    """Looks through the outbox. Several processes may do so side by side."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._stuck: set[int] = set()
        """Encounters whose news could not be told; the others go on."""

    def try_all_again(self) -> None:
        """Give those another chance whose news could not be told."""
        self._stuck.clear()

    async def step(self) -> bool:
        """Look through the oldest news. Tells whether there may be more."""
        store = self._service.store
        stuck = tuple(self._stuck)
        news = await store.read(lambda connection: rows.oldest_news(connection, stuck, BATCH))
        if not news:
            return False
        campaigns = {one.campaign for one in news}
        known = await store.read(lambda connection: rows.listeners(connection, campaigns))
        told_of: list[News] = []
        messages: list[tuple[int, Message]] = []
        for one in news:
            if one.encounter_id in self._stuck:
                continue  # what comes after it has to wait, too
            made = await self._messages(one, [each for each in known if _hears(each, one)])
            if made is None:
                self._stuck.add(one.encounter_id)
            else:
                told_of.append(one)
                messages += ((one.id, message) for message in made)
        if told_of:
            now = self._service.clock()
            # An encounter may have gone meanwhile, and hooks of its campaign with it count all the same.
            await self._service.writer.execute(
                lambda connection: rows.fan_out(connection, told_of, _of(known, told_of), messages, now)
            )
        return len(news) == BATCH

    async def _messages(self, news: News, listeners: list[Listener]) -> list[Message] | None:
        """What is to be sent of one command; None where it cannot be told now."""
        made: list[Message] = []
        seen: dict[tuple[str, str], tuple[tuple[str, bytes], ...]] = {}
        for one in listeners:
            kind = (one.audience, one.language)
            if kind not in seen:
                try:
                    found = await told(self._service, _reader(one), news.encounter, news.seq_from, news.seq_to)
                except NotFound:
                    return None  # its rows in the outbox have gone with it
                except PersistenceError:
                    raise
                except Exception as error:
                    log.error("an event cannot be told", encounter=news.encounter, exc_info=error)
                    return None
                if found is None:
                    return None
                seen[kind] = found
            events = [event for name, event in seen[kind] if not one.events or name in one.events]
            if events:
                body = events_body(news.campaign, news.encounter, news.at, events)
                made.append(Message(self._service.new_id("msg_"), one.id, news.encounter, body))
        return made


def _of(listeners: list[Listener], news: list[News]) -> list[Listener]:
    campaigns = {one.campaign for one in news}
    return [one for one in listeners if one.campaign in campaigns]


def _hears(listener: Listener, news: News) -> bool:
    return (
        listener.campaign == news.campaign
        and listener.encounter in (None, news.encounter)
        and news.at >= listener.since
    )


def _reader(listener: Listener) -> Caller:
    """Whose log it gets: a spectator's, or the GM's."""
    return Caller(
        token="",
        role="gm" if listener.audience == "gm" else "spectator",
        campaign=listener.campaign,
        language=listener.language,
    )
