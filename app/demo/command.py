"""What `turnwright demo` does: find or start a server, open a campaign, play the fight each way, tell it."""

import contextlib
from collections.abc import Callable, Iterator

from app.demo.client import Client, Refused
from app.demo.player import Lost, Player
from app.demo.scenario import LANGUAGES, SPACES, Scenario
from app.demo.server import answers, own_server
from app.demo.story import Story

BOTH, ALL = "both", "all"
Tell = Callable[[str], None]


def demo(scenario: Scenario, language: str, space: str, url: str, token: str | None, tell: Tell) -> bool:
    """Play the scenario and tell it. True if everything happened that had to.

    Raises `NoServer`, `Refused` before the fight begins.
    """
    languages = LANGUAGES if language == ALL else (language,)
    spaces = SPACES if space == BOTH else (space,)
    with _server(url.rstrip("/"), token, tell) as (address, key):
        campaign, gm = _campaign(address, key)
        with Client(address, gm, languages[0]) as client:
            stays = address == url.rstrip("/")
            return all([_play(client, scenario, campaign, one, languages, tell, stays) for one in spaces])


@contextlib.contextmanager
def _server(url: str, token: str | None, tell: Tell) -> Iterator[tuple[str, str]]:
    """The server that was named with a token, if one answers there; else one of our own."""
    if token is not None and answers(url):
        tell(f"Playing on {url}.")
        yield url, token
        return
    with own_server() as (address, admin):
        why = "no token was given" if token is None else f"nobody answers on {url}"
        tell(f"Playing on a server of our own, {address}: {why}.")
        yield address, admin


def _campaign(url: str, token: str) -> tuple[str, str]:
    """A campaign and its GM's token: a new one if the token is an admin's, else the token's own."""
    with Client(url, token) as client:
        try:
            made = client.post("/v1/campaigns", {"name": "Demo"})
        except Refused as refused:
            mine = client.get("/v1/campaigns")["items"]
            if not mine:
                raise refused from None
            return mine[0]["id"], token
        return made["id"], made["gm_token"]


def _play(
    client: Client, scenario: Scenario, campaign: str, space: str, languages: tuple[str, ...], tell: Tell, stays: bool
) -> bool:
    """One fight, told as it goes in the first language and afterwards in the others."""
    first = Story(languages[0], tell)
    player = Player(client, scenario, space, first.catch_up)
    first.begin(scenario.title.of(first.language), space)
    went_well = True
    try:
        player.play(campaign)
    except (Lost, Refused) as error:
        tell(f"\nThe fight went astray. {error}")
        went_well = False
    first.end(player)
    if stays:
        tell(f"\nIt can be seen at {client.url}/table/{player.encounter}, with a token of its campaign.")
    for language in languages[1:]:
        story = Story(language, tell)
        story.begin(scenario.title.of(language), space)
        story.catch_up(player)
        story.end(player)
    return not first.judge(player, scenario.expect) and went_well
