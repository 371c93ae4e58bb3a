"""The picture itself, as SVG. What somebody else has written is escaped; nothing in it runs or is fetched."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal
from xml.sax.saxutils import escape, quoteattr

from app.services.picture.ground import Box, Lay, Spot, box_of, hexes, lines, slice_of, standing

Theme = Literal["light", "dark"]
View = dict[str, Any]

_LIGHT = {
    **{"ground": "#f4f2ec", "floor": "#fbfaf6", "grid": "#dedace", "ink": "#1d2327", "dim": "#56606a"},
    **{
        "wall": "#33393e",
        "air": "#6b7785",
        "soil": "#8a6d3b",
        "edge": "#a3211b",
        "zone": "#7a4a00",
        "letters": "#ffffff",
    },
}
_DARK = {
    **{"ground": "#12161a", "floor": "#171c21", "grid": "#29323a", "ink": "#e8eaec", "dim": "#a7b1ba"},
    **{
        "wall": "#c7ced5",
        "air": "#8f9caa",
        "soil": "#b99a62",
        "edge": "#ff8f86",
        "zone": "#f2c063",
        "letters": "#12161a",
    },
}
COLOURS: Mapping[Theme, Mapping[str, str]] = {"light": _LIGHT, "dark": _DARK}
SIDES: Mapping[Theme, tuple[str, ...]] = {
    "light": ("#0b5c8a", "#a3211b", "#1d6b35", "#6a3aa0", "#8a5200", "#44505a"),
    "dark": ("#7cc0ee", "#ff9a92", "#7fd398", "#c6a4f2", "#f0b862", "#b8c2cb"),
}
HEAD = 34
"""Height of the line above, in pixels."""
ROW = 24
LETTER, LINE = 6.6, 12
"""About how wide and high a name's letter is."""
TALLEST = 2000
MOST_LINES = 300
MOST_HEXES = 4000
MOST_ROWS = 60
LONGEST_NAME = 24
_COUNTED = re.compile(r"(.*?)\s*(\d{1,2})")
_UNFIT = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML may hold, escaped or not."""
_ILLEGIBLE = re.compile("[^\u0020-\u007e\u00a0-\u017f\u0218-\u021b\u0370-\u045f\u0490\u0491]")
"""What the font of the PNG has no letter for."""


class Drawing:
    """One look of one picture."""

    def __init__(self, theme: Theme, width: int, unit: str, air: frozenset[str], names: Mapping[str, str]) -> None:
        self.colours, self.sides = COLOURS[theme], SIDES[theme]
        self.width, self.unit, self.air, self.names = width, unit, air, names
        self.parts: list[str] = []

    def of(self, view: View, moment: str) -> str:
        """The whole picture. `moment` is when it is, in the reader's words."""
        self.parts = []
        self._order = list(dict.fromkeys(body["side"] for body in view["combatants"]))
        self._known = {body["id"]: legible(body["name"], place) for place, body in enumerate(view["combatants"], 1)}
        height = self._map(view) if view["space"]["mode"] == "map" else self._list(view)
        turn = self._on_turn(view)
        self._text((12, 23), view["name"][:60], 16, "ink", anchor="start", bold=True)
        self._text((self.width - 12, 23), " · ".join(part for part in (moment, turn) if part), 13, "dim", anchor="end")
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height:.0f}" '
            f'viewBox="0 0 {self.width} {height:.0f}" font-family="DejaVu Sans, sans-serif" role="img" '
            f"aria-label={quoteattr(_fit(view['name']))}>"
        )
        ground = f'<rect width="100%" height="100%" fill="{self.colours["ground"]}"/>'
        return f"{head}{ground}{''.join(self.parts)}</svg>"

    def _on_turn(self, view: View) -> str:
        who = next((body["name"] for body in view["combatants"] if body["is_turn"]), None)
        return "" if who is None else f"▶ {_cut(who)}"

    # With a map

    def _map(self, view: View) -> float:
        space = view["space"]
        self.lay = Lay(space)
        self.box = box = box_of(view, self.lay)
        self.scale = min(self.width / box.width, (TALLEST - HEAD) / box.height)
        self.left = (self.width - box.width * self.scale) / 2
        self._floor(space, box)
        for region in space["regions"]:
            self._region(region)
        for wall in space["walls"]:
            self._wall(wall)
        for body in view["combatants"]:
            for effect in body["effects"]:
                if effect.get("area"):
                    self._area(effect["area"])
        # The fallen below those who stand, and all names above all bodies.
        placed = [(body, at) for body in view["combatants"] if (at := standing(body, self.lay)) is not None]
        for body, at in sorted(placed, key=lambda one: one[0]["status"] == "up"):
            self._person(body, self._at(at))
        self._names([(self._at(at), _cut(body["name"])) for body, at in placed])
        return HEAD + box.height * self.scale

    def _names(self, named: list[tuple[Spot, str]]) -> None:
        """Each name below its bearer, or above where another stands already."""
        taken: list[tuple[float, float, float]] = []
        for (x, y), name in named:
            half = LETTER * len(name) / 2
            below, above = y + self._radius + 12, y - self._radius - 5
            free = [
                at for at in (below, above) if all(abs(a - x) > half + far or abs(b - at) > LINE for a, b, far in taken)
            ]
            at = (free or [below])[0]
            taken.append((x, at, half))
            self._text((x, at), name, 11, "ink", halo=True)

    def _at(self, spot: Spot) -> Spot:
        return self.left + (spot[0] - self.box.left) * self.scale, HEAD + (spot[1] - self.box.top) * self.scale

    @property
    def _radius(self) -> float:
        return max(0.42 * min(self.lay.cell, 1) * self.scale, 10)

    def _floor(self, space: View, box: Box) -> None:
        sized = space["size"]
        x, y, wide, high = (0, 0, *sized) if sized else box
        (left, top), (right, bottom) = self._at((x, y)), self._at((x + wide, y + high))
        size = f'width="{right - left:.1f}" height="{bottom - top:.1f}"'
        floor, grid = self.colours["floor"], self.colours["grid"]
        self.parts.append(f'<rect x="{left:.1f}" y="{top:.1f}" {size} fill="{floor}" stroke="{grid}"/>')
        if space["grid"] == "hex":
            drawn = "".join(f"M{self._points(one, 'L')}Z" for one in hexes(box, self.lay, MOST_HEXES))
        else:
            step = self.lay.cell if space["grid"] == "square" else 5
            start = [one + step / 2 for one in space["origin"]] if space["grid"] == "square" else [0, 0]
            across = (self._at((at, 0))[0] for at in lines(x, wide, start[0], step, MOST_LINES))
            down = (self._at((0, at))[1] for at in lines(y, high, start[1], step, MOST_LINES))
            drawn = "".join(f"M{at:.1f} {top:.1f}V{bottom:.1f}" for at in across)
            drawn += "".join(f"M{left:.1f} {at:.1f}H{right:.1f}" for at in down)
        self.parts.append(f'<path d="{drawn}" fill="none" stroke="{grid}"/>')

    def _points(self, spots: Iterable[Spot], between: str = " ") -> str:
        return between.join(f"{x:.1f} {y:.1f}" for x, y in map(self._at, spots))

    def _region(self, region: View) -> None:
        shape = [self.lay.shape(point) for point in region["shape"]]
        colour = self.colours["air" if region["kind"] in self.air else "soil"]
        style = f'fill="{colour}" fill-opacity="0.25" stroke="{colour}" stroke-dasharray="4 3"'
        self.parts.append(f'<polygon points="{self._points(shape)}" {style}/>')
        middle = tuple(sum(point[n] for point in shape) / len(shape) for n in (0, 1))
        self._text(
            self._at((middle[0], middle[1])), self.names.get(region["kind"], region["kind"]), 11, "dim", halo=True
        )

    def _wall(self, wall: View) -> None:
        (x, y), (a, b) = (self._at(self.lay.shape(wall[end])) for end in ("a", "b"))
        colour, style = "wall", 'stroke-width="4"'
        if wall["open"]:
            style = 'stroke-width="2" stroke-dasharray="3 5"'
        elif wall["drop"] is not None and not wall["move"]:
            colour, style = "edge", 'stroke-width="2" stroke-dasharray="6 4"'
        elif not wall["sight"]:
            colour, style = ("wall", 'stroke-width="3" stroke-dasharray="9 4"') if wall["move"] else ("soil", style)
        ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{a:.1f}" y2="{b:.1f}"'
        self.parts.append(f'<line {ends} stroke="{self.colours[colour]}" stroke-linecap="round" {style}/>')

    def _area(self, area: View) -> None:
        colour = self.colours["zone"]
        style = f'fill="{colour}" fill-opacity="0.15" stroke="{colour}"'
        if area["kind"] == "polygon":
            shape = [self.lay.shape(point) for point in area["points"]]
            self.parts.append(f'<polygon points="{self._points(shape)}" {style}/>')
        elif area.get("arc", 360) >= 360:
            x, y = self._at(self.lay.place(area["centre"]))
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{area["reach"] * self.scale:.1f}" {style}/>')
        else:
            self.parts.append(f'<path d="{slice_of(area, self.lay, self._at, self.scale)}" {style}/>')

    def _person(self, body: View, at: Spot) -> None:
        (x, y), r = at, self._radius
        tint = self._tint(body)
        faded = "" if body["status"] == "up" else ' opacity="0.6"'
        self.parts.append(f"<g{faded}>")
        facing = body["position"]["facing"]
        if facing is not None:
            nose = f"M{x:.1f} {y - r * 1.55:.1f}l{r * 0.5:.1f} {r * 0.75:.1f}h{-r:.1f}Z"
            self.parts.append(f'<path d="{nose}" fill="{tint}" transform="rotate({facing} {x:.1f} {y:.1f})"/>')
        rim, wide = (self.colours["ink"], 3) if body["is_turn"] else (self.colours["letters"], 1.5)
        rim = f'stroke="{rim}" stroke-width="{wide}"'
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" fill="{tint}" {rim}/>')
        self._text((x, y + r * 0.34), initials(self._known[body["id"]]), r * 0.95, "letters", bold=True)
        if body["status"] != "up":
            arm = r * 1.6
            cross = f"M{x - arm / 2:.1f} {y - arm / 2:.1f}l{arm:.1f} {arm:.1f}m0 {-arm:.1f}l{-arm:.1f} {arm:.1f}"
            self.parts.append(f'<path d="{cross}" stroke="{self.colours["ink"]}" stroke-width="2"/>')
        self.parts.append("</g>")

    def _tint(self, body: View) -> str:
        return self.sides[self._order.index(body["side"]) % len(self.sides)]

    # Without a map: who is there in turn order, and what was stated

    def _list(self, view: View) -> float:
        people = sorted(
            view["combatants"], key=lambda one: (one["status"] != "up", [-part for part in one["initiative"]])
        )
        y = HEAD + 20.0
        for body in people[:MOST_ROWS]:
            mark = f'<circle cx="22" cy="{y - 5:.1f}" r="7" fill="{self._tint(body)}"/>'
            self.parts.append(mark)
            pool = next((one for one in body["resources"] if one["max"]), None)
            figures = "" if pool is None else f"{pool['name']} {pool['value']}/{pool['max']}"
            colour = "ink" if body["status"] == "up" else "dim"
            turn = "▶ " if body["is_turn"] else ""
            fallen = "" if body["status"] == "up" else " ×"
            self._text((38, y), f"{turn}{_cut(body['name'])}{fallen}", 13, colour, "start", bold=body["is_turn"])
            self._text((self.width - 12, y), figures, 12, "dim", "end")
            y += ROW
        named = {body["id"]: _cut(body["name"]) for body in view["combatants"]}
        for fact in view["space"]["facts"][:MOST_ROWS]:
            far = (
                f"{fact['distance']:g} {self.unit}" if "distance" in fact else self.names.get(fact.get("band", ""), "")
            )
            if far and fact["from"] in named and fact["to"] in named:
                self._text((38, y), f"{named[fact['from']]} → {named[fact['to']]}", 12, "dim", "start")
                self._text((self.width - 12, y), far, 12, "dim", "end")
                y += ROW
        return y

    def _text(
        self,
        at: Spot,
        text: str,
        size: float,
        colour: str,
        anchor: str = "middle",
        *,
        bold: bool = False,
        halo: bool = False,
    ) -> None:
        style = ' font-weight="bold"' if bold else ""
        if halo:
            floor = self.colours["floor"]
            style += f' stroke="{floor}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"'
        where = f'x="{at[0]:.1f}" y="{at[1]:.1f}" font-size="{size:.1f}" text-anchor="{anchor}"'
        self.parts.append(f'<text {where} fill="{self.colours[colour]}"{style}>{escape(_fit(text))}</text>')


def legible(name: str, place: int) -> str:
    """What the picture can show of a name; of one whose letters the font lacks, its place among all."""
    return _ILLEGIBLE.sub("", name).strip() or str(place)


def initials(name: str) -> str:
    """Two letters by which somebody is found again: `Brok 2` is B2."""
    counted = _COUNTED.fullmatch(name)
    return f"{counted[1][:1]}{counted[2]}" if counted else name[:2]


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1].rstrip()}…"


def _fit(text: str) -> str:
    return _UNFIT.sub("", text)
