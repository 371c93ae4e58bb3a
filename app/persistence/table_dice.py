"""Whether dice that were reported could be reported at all: by whose dice it was played then, and who was asked."""

from collections.abc import Iterator, Mapping

from app.engine.asks import GM
from app.engine.events import AnyEvent, CheckRolled, DecisionAnswered, DecisionOpened, Die, Forked, Rewound
from app.engine.ids import CombatantId
from app.engine.state import State
from app.persistence.work import Rolled

_NO_DICE = frozenset({"timeout", "ruling"})
"""Ways to close a roll without anybody's dice."""


class TableDice:
    """Takes the events of a log in order, with the state before each.

    Dice come along with a submission of somebody who rolls for himself. They answer a roll that was asked of somebody
    who did so when he was asked; what is asked once stays his, also after a rewind and in a fork.
    """

    def __init__(self, rolls: Mapping[int, tuple[Rolled, ...]]) -> None:
        reported = {
            version: tuple(one for one in made if one.source != "server" and not one.carried)
            for version, made in rolls.items()
        }
        self._reported = {version: made for version, made in reported.items() if made}
        self._asked: dict[str, CombatantId] = {}
        self._could: dict[str, frozenset[CombatantId]] = {}
        """Whose dice they can be, by name of the roll."""
        self._version = 0
        self._clients: set[CombatantId] = set()
        self._answered: list[CombatantId] = []
        self._is_again = False

    def take(self, version: int, before: State, happened: AnyEvent) -> Iterator[str]:
        """One more event. Tells of rolls of the version behind us that nobody could have reported."""
        if version != self._version:
            yield from self._closed()
            self._version, self._is_again = version, False
            self._clients.clear()
            self._answered.clear()
        if version in self._reported:
            self._clients.update(who for who in before.combatants if _rolls_himself(before, who))
        match happened:
            case Forked() | Rewound():
                self._is_again = True
            case DecisionOpened(kind="roll") if self._is_again or _rolls_himself(before, happened.combatant):
                self._asked[happened.decision] = happened.combatant
            case DecisionAnswered(kind="roll") if happened.by not in _NO_DICE:
                who = self._asked.pop(happened.decision, None)
                if who is not None:
                    self._answered.append(who)
            case _:
                pass

    def finish(self) -> Iterator[str]:
        """The same for the last version."""
        yield from self._closed()

    def _closed(self) -> Iterator[str]:
        for rolled in self._reported.get(self._version, ()):
            answers = rolled.source == "client"
            who = frozenset(self._answered if answers else self._clients)
            self._could[rolled.name] = who
            if not who:
                said = "nobody was asked for it" if answers else "nobody rolled for himself"
                yield f"roll {rolled.name} of version {self._version} was reported by the table, where {said}"

    def shown(self, seq: int, happened: AnyEvent, die: Die, name: str) -> Iterator[str]:
        """What is wrong with a reported die in a test of somebody."""
        if die.source == "server" or not isinstance(happened, CheckRolled):
            return
        could = self._could.get(name)
        if could is None and any(one.name == name for one in self._reported.get(self._version, ())):
            could = frozenset(self._answered if die.source == "client" else self._clients)
        if could is not None and happened.combatant not in could:
            yield f"event {seq} has a reported die of somebody whose dice the server rolled"


def _rolls_himself(state: State, who: CombatantId) -> bool:
    """Whether his dice are the table's own. Of somebody who has yet to join it is not known here."""
    body = state.combatants.get(who)
    if body is None:
        return who != GM or state.dice == "client"
    return (state.dice if body.dice is None else body.dice) == "client"
