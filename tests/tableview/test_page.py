"""The page itself: who gets in, in which words and colours, what it asks of whom, and what works without a mouse."""

import time

import pytest

from tests.support.browser import Browser, Page
from tests.support.served import Served
from tests.tableview.hall import Host, opened, reads_well

RULESET = "dark_heresy_2e"
SIZES = ((390, 844), (1280, 800))


@pytest.fixture
def table(server: Served) -> tuple[Host, str, dict[str, str]]:
    """A fight on a map that has not begun."""
    host = Host(server)
    return host, *host.fight(RULESET, "map")


def _sized(page: Page, width: int, height: int) -> None:
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)


def _keys(page: Page, *keys: str) -> None:
    for key in keys:
        for kind in ("keyDown", "keyUp"):
            more = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            page.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=_CODES[key], **more)


_CODES = {"Enter": 13, "ArrowRight": 39, "ArrowDown": 40, "Backspace": 8, "Escape": 27}


def test_a_token_is_typed_in_and_never_sent_in_an_address(
    server: Served, chromium: Browser, table: tuple[Host, str, dict[str, str]]
) -> None:
    _, encounter, tokens = table
    page = chromium.page(f"{server.url}/table/{encounter}")
    page.wait("Boolean(document.querySelector('#token'))")
    page.type("#token", "tw_aaaaaaaaaaaa_" + "a" * 43)
    page.click("[data-key='enter']")
    page.wait("Boolean(document.querySelector('.fault'))")
    page.type("#token", tokens["one"])
    page.click("[data-key='enter']")
    page.wait("document.documentElement.dataset.status === 'setup'")

    assert page.run("location.hash") == ""
    asked = page.run("performance.getEntriesByType('resource').map((one) => one.name)")
    assert len(asked) > 20
    assert not [one for one in asked if not one.startswith(server.url) or "token" in one or "tw_" in one]
    page.go(f"{server.url}/table/{encounter}")
    page.wait("document.documentElement.dataset.status === 'setup'")
    page.click("[data-key='leave']")
    page.wait("Boolean(document.querySelector('#token'))")
    assert page.run("sessionStorage.length") == 0


def test_it_reads_well_in_every_language_colour_and_size(
    server: Served, chromium: Browser, table: tuple[Host, str, dict[str, str]]
) -> None:
    host, encounter, tokens = table
    host.post(tokens["gm"], f"/v1/encounters/{encounter}/start", {})
    page = opened(chromium, server, encounter, tokens["gm"])
    title, titles = "", set()
    for language in ("en", "ru", "pl"):
        page.run(
            f"(() => {{ const one = document.querySelector('#language'); one.value = '{language}';"
            " one.dispatchEvent(new Event('change')); })()"
        )
        # English is what it began in: there is nothing to wait for.
        if language != "en":
            page.wait(f"document.querySelector('#people-title').innerText !== {title!r}")
        title = page.text("#people-title")
        titles.add(title)
        for width, height in SIZES:
            _sized(page, width, height)
            reads_well(page)
    grounds = set()
    for theme in ("light", "dark"):
        page.run(
            f"(() => {{ const one = document.querySelector('#theme'); one.value = '{theme}';"
            " one.dispatchEvent(new Event('change')); })()"
        )
        grounds.add(page.run("getComputedStyle(document.documentElement).backgroundColor"))

    assert len(titles) == 3
    assert len(grounds) == 2


def test_a_way_is_picked_and_gone_with_keys_alone(
    server: Served, chromium: Browser, table: tuple[Host, str, dict[str, str]]
) -> None:
    host, encounter, tokens = table
    path = f"/v1/encounters/{encounter}"
    asked = host.post(tokens["gm"], f"{path}/start", {})["waiting_for"]
    for one in asked:
        host.post(tokens["gm"], f"{path}/decisions/{one['id']}", {"dice": [10]})
    page = opened(chromium, server, encounter, tokens["one"])
    while not page.run("Boolean(document.querySelector(\"[data-action='move']\"))"):
        host.post(tokens["gm"], f"{path}/end-turn", {})
        page.wait("Boolean(document.querySelector('[data-key=end-turn]'))")

    page.run("document.querySelector(\"[data-action='move']\").focus()")
    _keys(page, "Enter")
    page.wait("Boolean(document.querySelector(\"[data-key='pick.path']\"))")
    page.run("document.querySelector(\"[data-key='pick.path']\").focus()")
    _keys(page, "Enter")
    page.wait("document.activeElement?.classList.contains('map')")
    _keys(page, "ArrowRight", "ArrowDown", "Enter")
    page.wait("Boolean(document.querySelector('.map .end'))")
    _keys(page, "Escape")
    page.wait("document.querySelector('.preview')?.dataset.state === 'legal'")
    page.run("document.querySelector(\"[data-key='submit']\").focus()")
    _keys(page, "Enter")

    page.wait("document.querySelectorAll(\".log li[data-type='moved']\").length === 1")
    assert not page.thrown


def test_a_spectator_looks_on_and_the_game_master_rules(
    server: Served, chromium: Browser, table: tuple[Host, str, dict[str, str]]
) -> None:
    host, encounter, tokens = table
    campaign = host.get(tokens["gm"], f"/v1/encounters/{encounter}")["campaign"]
    watcher = host.post(tokens["gm"], f"/v1/campaigns/{campaign}/tokens", {"role": "spectator", "name": "Wanda"})
    looking = opened(chromium, server, encounter, watcher["token"], "pl")
    ruling = opened(chromium, server, encounter, tokens["gm"])

    ruling.click("[data-key='sum.ruling']")
    ruling.type("[data-key='rule.value']", "3")
    ruling.type("[data-key='rule.reason']", "the floor gives way")
    ruling.click("[data-key='rule.send']")
    looking.wait("document.querySelector('.card')?.innerText.includes('3/')")
    version = int(ruling.run("document.documentElement.dataset.version"))
    ruling.click("[data-key='sum.rewind']")
    ruling.type("[data-key='rewind.version']", str(version - 1))
    ruling.type("[data-key='rewind.reason']", "wrong one")
    ruling.click("[data-key='rewind.send']")

    looking.wait("!document.querySelector('.card').innerText.includes(' 3/')")
    shown = looking.run("['act', 'gm', 'asked'].filter((id) => !document.getElementById(id).hidden)")
    assert shown == []
    reads_well(looking)


@pytest.mark.parametrize("values", ["band", "none"])
def test_figures_and_people_that_are_kept_from_a_reader_leave_the_page_whole(
    server: Served, chromium: Browser, table: tuple[Host, str, dict[str, str]], values: str
) -> None:
    host, encounter, tokens = table
    path = f"/v1/encounters/{encounter}"
    lurker = {"sample": "brok", "name": "Lurker", "side": "cult", "hidden": "slot", "position": [20, 3]}
    host.post(tokens["gm"], f"{path}/combatants", {"combatants": [lurker]})
    host.patch(tokens["gm"], path, {"values": {"*": values}})
    host.post(tokens["gm"], f"{path}/start", {})

    page = opened(chromium, server, encounter, tokens["one"])
    page.wait("document.querySelectorAll('.card').length === 2")
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    text = page.run("document.querySelector('#people, main').innerText")

    assert ("unhurt" in text) == (values == "band")
    assert "Lurker" not in page.run("document.body.innerText")
    reads_well(page)


OVERLAPS = """(() => {
  const boxes = (what) => [...document.querySelectorAll(what)].map((one) => one.getBoundingClientRect());
  const [names, tokens] = [boxes(".map .name"), boxes(".map .person circle")];
  const cross = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  const found = names.flatMap((a, at) => [...names.slice(at + 1), ...tokens].filter((b) => cross(a, b)));
  return [names.length, found.length];
})()"""
"""How many names are on the map, and how often one stands over another or over somebody."""


def test_names_stand_apart_and_the_map_fits_its_frame(
    server: Served, chromium: Browser, table: tuple[Host, str, dict[str, str]]
) -> None:
    host, encounter, tokens = table
    near = [[4, 5], [5, 5], [6, 4], [6, 5], [5, 3]]
    crowd = [
        {"sample": "brok", "name": f"Cultist {at}", "side": "red", "position": spot} for at, spot in enumerate(near)
    ]
    host.post(tokens["gm"], f"/v1/encounters/{encounter}/combatants", {"combatants": crowd})
    campaign = host.get(tokens["gm"], f"/v1/encounters/{encounter}")["campaign"]
    watcher = host.post(tokens["gm"], f"/v1/campaigns/{campaign}/tokens", {"role": "spectator", "name": "Wanda"})

    page = opened(chromium, server, encounter, watcher["token"])
    for width, height in SIZES:
        _sized(page, width, height)
        page.wait(f"document.documentElement.clientWidth <= {width}")
        time.sleep(0.3)
        names, crossed = page.run(OVERLAPS)
        assert names >= 3
        assert crossed == 0
        assert page.run(
            "(() => { const frame = document.querySelector('.frame'); const map = frame.firstElementChild;"
            " return map.clientWidth <= frame.clientWidth + 1 && frame.scrollHeight <= frame.clientHeight + 1; })()"
        )
    # Whoever only looks on has the whole width: nothing stands empty where others act.
    assert page.run("document.querySelector('#place').getBoundingClientRect().left") < 30


def test_a_press_is_not_lost_to_news_that_come_before_it_ends(
    server: Served, chromium: Browser, table: tuple[Host, str, dict[str, str]]
) -> None:
    host, encounter, tokens = table
    page = opened(chromium, server, encounter, tokens["gm"])
    page.run("document.querySelector('#theme').focus()")  # which it loses to what is pressed
    x, y = page.run("""(() => {
        const box = document.querySelector("[data-key='start']").getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    })()""")
    page.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
    host.patch(tokens["gm"], f"/v1/encounters/{encounter}", {"name": "Moor"})
    time.sleep(1)
    assert page.text("h1") != "Moor", "nothing is drawn anew while a button is held down"
    page.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)

    page.wait("document.querySelector('h1').innerText === 'Moor'")
    page.wait("!document.getElementById('asked').hidden")  # it has begun, and initiative is asked for
