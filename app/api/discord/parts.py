"""Pieces of Discord's messages within Discord's limits, and with nothing in them that Discord would act on."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from app.api.discord.shapes import DiscordAnswer

Json = dict[str, Any]
CONTENT, LABEL, CHOICE, TITLE, FIELD_LABEL, CUSTOM_ID = 2000, 80, 100, 45, 45, 100
MOST_OPTIONS, MOST_ROWS, A_ROW, MOST_FIELDS = 25, 5, 5, 5
MESSAGE, UPDATE, CHOICES, MODAL = 4, 7, 8, 9
_EPHEMERAL, _NO_PREVIEWS = 64, 4
_MARKS = re.compile(r"([\\*_~`|>#\[\]()<])")


class Option(NamedTuple):
    """One thing to choose: its id, what it is called, and a word on it."""

    id: str
    name: str
    note: str = ""


def plain(text: str) -> str:
    """A text in which Discord finds no Markdown, no link and nobody to call."""
    return _MARKS.sub(r"\\\1", text).replace("@", "@\u200b").replace("://", ":\u200b//")


def short(text: str, most: int) -> str:
    """At most so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def mark(name: str) -> str:
    """A short stand-in for an id of any length: looked up again among those that are possible then."""
    return hashlib.sha256(name.encode()).hexdigest()[:8]


def custom_id(*parts: str) -> str:
    """What a button carries. Raises `ValueError` where Discord would refuse it."""
    made = "|".join(parts)
    if len(made) > CUSTOM_ID:
        raise ValueError(made)
    return made


def message(lines: Sequence[str], rows: Sequence[Json] = (), *, private: bool = False, change: bool = False) -> Json:
    """A message of lines that are plain already: as many as fit, whole ones where possible."""
    content = ""
    for line in lines:
        if len(content) + len(line) + 3 > CONTENT:
            content += short(line, CONTENT)[: CONTENT - len(content) - 2].rstrip("\\") + "\n…" if not content else "…"
            break
        content += line + "\n"
    data: Json = {
        "content": content.rstrip("\n") or "…",
        "allowed_mentions": {"parse": []},
        "flags": _NO_PREVIEWS | (_EPHEMERAL if private else 0),
        "components": list(rows[:MOST_ROWS]),
    }
    return {"type": UPDATE if change else MESSAGE, "data": data}


def button(label: str, name: str, *, style: int = 2) -> Json:
    """A button; style 1 is the one to press."""
    return {"type": 2, "style": style, "label": short(label, LABEL), "custom_id": name}


def row(*parts: Json) -> Json:
    """Up to five buttons, or one menu."""
    return {"type": 1, "components": list(parts)}


def rows_of(buttons: Sequence[Json]) -> list[Json]:
    """Buttons in rows."""
    return [row(*buttons[at : at + A_ROW]) for at in range(0, len(buttons), A_ROW)][:MOST_ROWS]


def menu(name: str, options: Sequence[Option], page: int, words: tuple[str, str], *, most: int = 1) -> list[Json]:
    """A menu of one page of the options, with the way to the other pages."""
    pages = max(1, -(-len(options) // MOST_OPTIONS))
    page = min(max(page, 0), pages - 1)
    shown = options[page * MOST_OPTIONS : (page + 1) * MOST_OPTIONS]
    choices = []
    for one in shown:
        choice = {"label": short(one.name, CHOICE), "value": mark(one.id)}
        choices.append(choice | ({"description": short(one.note, CHOICE)} if one.note else {}))
    select = {"type": 3, "custom_id": name, "options": choices, "min_values": 1, "max_values": min(most, len(choices))}
    made = [row(select)]
    turns = [(words[0], page - 1)] if page else []
    turns += [(words[1], page + 1)] if page + 1 < pages else []
    if turns:
        made.append(row(*(button(label, custom_id(name, f"p{to}")) for label, to in turns)))
    return made


def chosen(options: Sequence[Option], marks: Sequence[str]) -> list[str] | None:
    """The ids that are meant; None where one of them is not possible any more."""
    found = {mark(one.id): one.id for one in options}
    return [found[one] for one in marks] if all(one in found for one in marks) else None


class Blank(NamedTuple):
    """One line of a form to fill in."""

    id: str
    label: str
    hint: str = ""
    required: bool = False


def form(name: str, title: str, blanks: Sequence[Blank]) -> Json:
    """A form of at most five lines."""
    made = []
    for one in blanks[:MOST_FIELDS]:
        line = {"type": 4, "custom_id": one.id, "style": 1, "label": short(one.label, FIELD_LABEL), "max_length": 400}
        made.append(row(line | {"required": one.required, "placeholder": short(one.hint, CHOICE)}))
    return {"type": MODAL, "data": {"custom_id": name, "title": short(title, TITLE), "components": made}}


def filled(data: Json) -> dict[str, str]:
    """What was filled in, by line; empty ones are left out."""
    found: dict[str, str] = {}
    for outer in data.get("components", ()):
        for line in outer.get("components", ()) if isinstance(outer, dict) else ():
            if isinstance(line, dict) and isinstance(line.get("value"), str) and line["value"].strip():
                found[str(line.get("custom_id"))] = line["value"].strip()
    return found


def choices(options: Sequence[Option], typed: str) -> Json:
    """Autocomplete: the first that have what was typed in their name or id."""
    wanted = typed.casefold()
    shown = [one for one in options if wanted in one.name.casefold() or wanted in one.id][:MOST_OPTIONS]
    return {
        "type": CHOICES,
        "data": {"choices": [{"name": short(one.name, CHOICE), "value": one.id[:CHOICE]} for one in shown]},
    }


def answer(made: Json) -> DiscordAnswer:
    """As it is sent."""
    return DiscordAnswer(**made)
