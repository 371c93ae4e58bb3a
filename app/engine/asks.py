"""What resolution may have to ask: a roll of dice or a question. Found by key, never by order.

A key is the path of scopes in which something is asked, made of ids and settled ordinals
(`attack/gorm/hit2/damage`). It holds ids of hidden combatants too, so it stays inside: clients get an opaque
decision id.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from app.engine.forms import Form, fill
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.reasons import BadAnswer, Reason, Refused

Key = str
GM = CombatantId("gm")
"""Who is asked when the book leaves something to the game master."""


class Cost(msgspec.Struct, frozen=True, gc=False):
    """So much of a budget or pool."""

    budget: str
    amount: int


class Roll(msgspec.Struct, frozen=True, omit_defaults=True, tag="roll"):
    """A request for `count` dice of `sides` sides by somebody, for a purpose. Faces run from 1 to `sides`."""

    key: Key
    name: str
    count: int
    sides: int
    by: CombatantId
    purpose: str
    target: int | None = None
    """The number to roll at most or at least, where the rule has one, so that the roller can be told."""
    clause: ClauseId | None = None
    of: tuple[CombatantId, ...] = ()
    """Whose figures are in `target` besides his own."""


class Option(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer that may be given. `chance` is in millionths; `declines` marks the answer that does nothing.

    `own` says that its chances are made of nothing but the target number that whoever is asked would roll against; he
    is told it in any case, so that they betray nobody else's figures.
    """

    id: str
    chance: int | None = None
    cost: tuple[Cost, ...] = ()
    declines: bool = False
    form: Form = ()
    own: bool = False


class Barred(msgspec.Struct, frozen=True):
    """An answer that exists in the game and is not open now, with every reason."""

    id: str
    reasons: tuple[Reason, ...]


class Question(msgspec.Struct, frozen=True, omit_defaults=True, tag="question"):
    """A choice somebody must make before resolution can go on.

    `default` is taken when time runs out or the policy is `decline`, `best` when the policy is `best`. `informed` tells
    whether the one who is asked already knows the result he reacts to. `figures` are what the question shows.
    """

    key: Key
    name: str
    kind: str
    to: CombatantId
    options: tuple[Option, ...]
    default: str
    best: str | None = None
    about: CombatantId | None = None
    barred: tuple[Barred, ...] = ()
    informed: bool = False
    lengths: dict[str, Length] = {}
    figures: dict[str, int] = {}
    clause: ClauseId | None = None
    stranger: Reason | None = None
    """What refuses an answer that is none of these, where the game has a word for it."""
    strangers: tuple[str, ...] = ()
    """The answers for which the word stands, if not for every one."""


Ask = Roll | Question


class Faces(msgspec.Struct, frozen=True, tag="faces"):
    """Dice as they fell, and where they came from: `server`, `client` or `brought`."""

    faces: tuple[int, ...]
    source: str = "server"
    name: str | msgspec.UnsetType = msgspec.UNSET
    """Under which the roll is known outside: what server dice are drawn by."""
    by: str | msgspec.UnsetType = msgspec.UNSET
    """Public id of the token that reported dice rolled at the table."""
    sides: int | msgspec.UnsetType = msgspec.UNSET


class Answer(msgspec.Struct, frozen=True, omit_defaults=True, tag="answer"):
    """The chosen option with the fields of its form; `by` says who gave it (`player`, `gm`, `policy`, `timeout`)."""

    option: str
    fields: dict[str, Any] = {}
    by: str = "player"

    def whole(self, name: str, default: int = 0) -> int:
        """A field that holds a whole number."""
        value = self.fields.get(name, default)
        return value if isinstance(value, int) else default

    def word(self, name: str, default: str = "") -> str:
        """A field that holds a word or an id."""
        value = self.fields.get(name, default)
        return value if isinstance(value, str) else default

    def share(self, name: str) -> dict[str, int]:
        """A field that holds an allocation."""
        value = self.fields.get(name, {})
        return value if isinstance(value, dict) else {}


Input = Faces | Answer
Inputs = Mapping[Key, Input]


def judged_faces(roll: Roll, faces: object, source: str) -> Faces:
    """The dice somebody rolled himself, if they can be an answer to that roll.

    Raises `BadAnswer` with the clause of recorded dice for too many, too few, or a face that the die does not have.
    """
    if not isinstance(faces, list | tuple) or len(faces) != roll.count:
        raise BadAnswer("wrong_number_of_dice", "/dice", need=str(roll.count), clause=roll.clause or "")
    for place, face in enumerate(faces):
        if isinstance(face, bool) or not isinstance(face, int) or not 1 <= face <= roll.sides:
            raise BadAnswer("die_out_of_range", f"/dice/{place}", need=f"1 to {roll.sides}", clause=roll.clause or "")
    return Faces(tuple(faces), source, sides=roll.sides)


def judged_answer(question: Question, option: str, fields: Mapping[str, Any], by: str = "player") -> Answer:
    """The answer, if the question knows it and its form takes the fields.

    Raises `Refused` for an option that is barred with reasons, `BadAnswer` for one that nobody offered, unless the
    question says what refuses it.
    """
    for offered in question.options:
        if offered.id == option:
            return Answer(option, dict(fill(offered.form, fields, "/fields")), by)
    for barred in question.barred:
        if barred.id == option:
            raise Refused(barred.reasons)
    if question.stranger is not None and (not question.strangers or option in question.strangers):
        raise Refused((question.stranger,))
    raise BadAnswer("unknown_option", "/option", need=", ".join(o.id for o in question.options))
