"""What many rules share: no parameters, nothing that speaks against it, nothing but that it was done."""

from collections.abc import Iterator

import msgspec

from app.engine.commands import Submission
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.table import Table


class NoParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule without figures of its own."""


def check_nothing(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Nothing speaks against it."""
    yield from ()


def nothing(scene: Scene, sub: Submission, action: Action) -> None:
    """That it was done is all there is to tell."""
