"""What a player may only propose: the game master says yes or no before anything of it happens."""

from app.engine import events as ev
from app.engine.asks import GM, Option, Question
from app.engine.commands import Submission
from app.engine.forms import TEXT_LIMIT, Field
from app.engine.scene import Scene

APPROVE = "approve"
"""The kind of the question."""
CONFIRM, REFUSE, WITHDRAW = "confirm", "refuse", "withdraw"
"""The answers; the last is never offered to the GM: it is the proposer's."""
_NOTE = (Field("note", "text", maximum=TEXT_LIMIT),)
_OPTIONS = (Option(CONFIRM, form=_NOTE), Option(REFUSE, declines=True, form=_NOTE))
_VERDICTS: dict[str, ev.Verdict] = {CONFIRM: "confirmed", REFUSE: "refused", WITHDRAW: "withdrawn"}


def is_allowed(scene: Scene, proposed: Submission) -> bool:
    """Whether the game master lets it happen. Asked before it is judged: a ruling may come before the answer.

    Without a yes nothing happens, so that is what is taken when time runs out.
    """
    with scene.within("proposal"):
        answer = scene.ask(Question("", APPROVE, APPROVE, GM, _OPTIONS, default=REFUSE, about=proposed.actor))
    note = answer.word("note") or None
    scene.emit(ev.ProposalSettled(proposed.actor, _VERDICTS[answer.option], answer.by, proposed.action, note))
    return answer.option == CONFIRM
