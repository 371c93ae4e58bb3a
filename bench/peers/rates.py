"""Run by the peers' own Python: how many of each a second, in processor time, as JSON. Imports nothing of ours.

`rates.py SECONDS` measures each for about so long.
"""

import itertools
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import chess
import d20

# Six moves of each side, played over and over from the first position.
GAME = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f6e4", "d2d4", "b7b5")
DICE = ("1d100", "4d6kh3", "12d6")


def moves() -> Callable[[], Any]:
    """One move: parsed, judged by every rule, made."""
    board, place = chess.Board(), itertools.cycle(range(len(GAME)))

    def move() -> None:
        number = next(place)
        if number == 0:
            board.reset()
        made = chess.Move.from_uci(GAME[number])
        if not board.is_legal(made):
            raise ValueError(f"{made} is not legal in {board.fen()}")
        board.push(made)

    return move


def rate(work: Callable[[], Any], seconds: float) -> float:
    """So many a second of this process."""
    done, begun = 0, time.process_time()
    while True:
        for _ in range(20):
            work()
        done += 20
        passed = time.process_time() - begun
        if passed >= seconds:
            return done / passed


def main() -> None:
    """Everything, one after the other."""
    seconds = float(sys.argv[1])
    found = {"chess": rate(moves(), seconds)}
    found |= {text: rate(partial(d20.roll, text), seconds) for text in DICE}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
