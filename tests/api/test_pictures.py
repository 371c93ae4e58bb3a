"""The place of a fight as a picture: what is in it, what is cut, and that it is one."""

import re
import struct
import zlib
from xml.etree import ElementTree

import pytest

from app.services.picture.drawing import COLOURS, SIDES, initials, legible
from app.services.picture.pixels import png
from tests.api.table import Table, fighter

SVG = "{http://www.w3.org/2000/svg}"
EVIL = "<script>alert(1)</script> & \"Żółć'"
MAP = {
    "mode": "map",
    "grid": "square",
    "cell": 1,
    "size": [12, 8],
    "walls": [{"a": [6.5, 0.5], "b": [6.5, 4.5], "id": "door", "open": True}],
    "regions": [{"kind": "smoke", "shape": [[8, 1], [10, 1], [10, 3]]}],
}


def texts(picture: str) -> list[str]:
    """What is written in a picture."""
    return [one.text or "" for one in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def size(body: bytes) -> tuple[int, int]:
    """Width and height of a PNG."""
    assert body.startswith(b"\x89PNG\r\n\x1a\n")
    wide, high = struct.unpack(">II", body[16:24])
    return wide, high


def pixels(body: bytes) -> bytes:
    """What is packed in a PNG."""
    found, at = b"", 8
    while at < len(body):
        (length,) = struct.unpack(">I", body[at : at + 4])
        if body[at + 4 : at + 8] == b"IDAT":
            found += body[at + 8 : at + 8 + length]
        at += length + 12
    return zlib.decompress(found)


@pytest.fixture
async def drawn(seats: Table) -> Table:
    """A map with Ann, somebody with an evil name, and one whom only the GM knows."""
    await seats.open_campaign()
    people = (
        fighter("ann", "blue", position=[2, 2]),
        fighter("orc", "red", position={"x": 4, "y": 2, "facing": 270}) | {"name": EVIL},
        fighter("lurker", "red", position=[9, 6], hidden=True) | {"name": "Lurker"},
    )
    await seats.create(*people, space=MAP)
    return seats


async def test_everybody_who_is_seen_is_in_it_and_nobody_else(drawn: Table) -> None:
    gms = (await drawn.get(f"{drawn.encounter}/map.svg")).text
    anns = (await drawn.get(f"{drawn.encounter}/map.svg", "ann")).text

    assert {"Ann", "Lurker", "Bridge"} <= set(texts(gms))
    assert "Ann" in texts(anns)
    assert "Lurker" not in anns
    assert "Lu" not in texts(anns)
    assert len(re.findall("<circle", gms)) == len(re.findall("<circle", anns)) + 1


async def test_what_somebody_has_written_stays_writing(drawn: Table) -> None:
    picture = (await drawn.get(f"{drawn.encounter}/map.svg")).text

    assert f"{EVIL[:23]}…" in texts(picture)
    assert "<script" not in picture
    root = ElementTree.fromstring(picture)
    drawn_with = {one.tag.removeprefix(SVG) for one in root.iter()}
    assert drawn_with <= {"svg", "g", "rect", "path", "line", "polygon", "circle", "text"}
    assert not [name for one in root.iter() for name in one.attrib if name.startswith("on") or "href" in name]


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_it_has_the_colours_and_the_width_that_were_asked_for(drawn: Table, theme: str) -> None:
    answer = await drawn.get(f"{drawn.encounter}/map.svg?theme={theme}&width=600")
    picture = await drawn.get(f"{drawn.encounter}/map.png?theme={theme}&width=600")

    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert COLOURS[theme]["ground"] in answer.text  # type: ignore[index]
    assert SIDES[theme][0] in answer.text  # type: ignore[index]
    root = ElementTree.fromstring(answer.text)
    assert picture.headers["content-type"] == "image/png"
    assert size(picture.content) == (600, int(root.attrib["height"]))


async def test_its_tag_is_the_readers_version(drawn: Table) -> None:
    path = f"{drawn.encounter}/map.png"
    first = await drawn.get(path, "ann")
    again = await drawn.get(path, "ann", headers={"if-none-match": first.headers["etag"]})
    other = await drawn.get(f"{path}?theme=dark", "ann", headers={"if-none-match": first.headers["etag"]})
    hidden = f"{drawn.encounter}/combatants/ref:lurker"
    await drawn.send("PATCH", hidden, json={"position": [8, 6]})
    unseen = await drawn.get(path, "ann", headers={"if-none-match": first.headers["etag"]})
    await drawn.send("PATCH", f"{drawn.encounter}/combatants/ref:ann", json={"position": [3, 2]})
    moved = await drawn.get(path, "ann", headers={"if-none-match": first.headers["etag"]})

    assert again.status_code == 304
    assert other.status_code == 200
    assert unseen.status_code == 304, "what nobody may see gives itself away by the tag"
    assert moved.status_code == 200
    assert moved.content != first.content


async def test_its_tag_is_its_readers_alone(drawn: Table) -> None:
    """The GM and whoever looks on come to the same number in their counts, and still hold pictures of their own."""
    path = f"{drawn.encounter}/map.svg"
    seen = int((await drawn.get(path, "watcher")).headers["etag"].strip('"').partition("-")[0])
    while int((tag := (await drawn.get(path)).headers["etag"]).strip('"').partition("-")[0]) < seen:
        await drawn.send("PATCH", f"{drawn.encounter}/combatants/ref:lurker", json={"notes": tag.strip('"')})
    own = (await drawn.get(path, "watcher")).headers["etag"]
    assert own.partition("-")[0] == tag.partition("-")[0]

    answers = [
        await drawn.get(path, "watcher", headers={"if-none-match": given}) for given in (tag, f'"x{own[1:]}', "*")
    ]
    mine = await drawn.get(path, "watcher", headers={"if-none-match": f'"1", W/{own}'})
    in_polish = await drawn.get(path, "watcher", headers={"if-none-match": own, "accept-language": "pl"})

    assert [answer.status_code for answer in answers] == [200, 200, 304]
    assert "Lurker" not in answers[0].text
    assert mine.status_code == 304
    assert in_polish.status_code == 200


async def test_without_a_map_it_is_a_list(seats: Table) -> None:
    await seats.open_campaign()
    fact = {"from": "ref:ann", "to": "ref:orc", "distance": 4.5}
    await seats.create(fighter("ann", "blue"), fighter("orc", "red"), space={"mode": "stated", "facts": [fact]})

    picture = (await seats.get(f"{seats.encounter}/map.svg", "watcher")).text

    assert {"Ann", "Orc", "Ann → Orc", "4.5 m"} <= set(texts(picture))
    assert size((await seats.get(f"{seats.encounter}/map.png", "watcher")).content)[0] == 800


@pytest.mark.parametrize("query", ["theme=blue", "width=10", "width=9000", "height=3"])
async def test_what_cannot_be_asked_for_is_refused(drawn: Table, query: str) -> None:
    answer = await drawn.get(f"{drawn.encounter}/map.svg?{query}")

    assert answer.status_code == 422


async def test_who_may_not_read_gets_no_picture(drawn: Table) -> None:
    assert (await drawn.get(f"{drawn.encounter}/map.png", None)).status_code == 401
    assert (await drawn.get(f"{drawn.encounter}/map.png", "stranger")).status_code == 404


@pytest.mark.parametrize("word", ["Żółć", "Борис", "Ann"])
def test_letters_are_drawn_without_fonts_of_the_system(word: str) -> None:
    """Each language's letters leave their own mark; nothing stands for a letter that is missing."""
    text = '<text x="5" y="30" font-size="24">{}</text>'
    frame = f'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40">{text}</svg>'

    whole, blank, less = (pixels(png(frame.format(one))) for one in (word, "", word[:-1]))

    assert whole != blank
    assert whole != less


def test_two_letters_tell_people_apart() -> None:
    assert [initials(name) for name in ("Brok 2", "Sable", "12", "Ł")] == ["B2", "Sa", "12", "Ł"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Brok", "Br"),
        ("Żubr", "Żu"),
        ("Орк 2", "О2"),
        ("\u05d3\u05d5\u05d3", "3"),
        ("\U0001f409", "3"),
        ("\U0001f409 Brok", "Br"),
    ],
)
def test_a_name_in_letters_that_the_font_lacks_is_told_by_its_place(name: str, told: str) -> None:
    assert initials(legible(name, 3)) == told
