"""Over all its golden fights a whole ruleset shows everything one can do by it, and some of them go to the very end."""

from functools import cache

import pytest

from app.engine import events as ev
from tests.golden.fights import Fight, Step, all_fights, play
from tests.support.play import ruleset

WHOLE = ("dark_heresy_2e", "gurps_4e", "manewry_ap", "wh40k_d100")
"""Rulesets of which every action is played."""
NEVER_SUBMITTED = {"dark_heresy_2e": {"free_attack", "recover_from_pinning", "evasion"}}
"""What the rules of each do by themselves or ask for: nobody submits it."""
FEWEST_TO_THE_END = 3


@cache
def _played(name: str) -> tuple[tuple[Fight, tuple[Step, ...]], ...]:
    return tuple((fight, tuple(step for _, step in play(fight))) for fight in all_fights() if fight.ruleset.id == name)


def _done(fight: Fight, steps: tuple[Step, ...]) -> set[str]:
    """Every action that was submitted and not refused, and what happened besides."""
    accepted = zip(fight.steps, steps, strict=True)
    words = [str(written["do"]).split() for written, step in accepted if step.outcome is not None]
    done = {one[1] for one in words if len(one) > 1}
    for step in steps:
        for emitted in () if step.outcome is None else step.outcome.events:
            match emitted.event:
                case ev.AttackMade(action="free_attack"):
                    done.add("free_attack")
                case ev.CheckRolled(purpose="recover_from_pinning"):
                    done.add("recover_from_pinning")
                case ev.DefenceResolved():
                    done.update({"evasion", emitted.event.option})
    return done


def _sides_left(steps: tuple[Step, ...]) -> set[str]:
    last = next(step.outcome for step in reversed(steps) if step.outcome is not None)
    return {body.side for body in last.state.combatants.values() if body.status == "up"}


@pytest.mark.parametrize("name", WHOLE)
def test_every_action_is_played_at_least_once(name: str) -> None:
    done = set().union(*(_done(fight, steps) for fight, steps in _played(name)))

    assert not ({*ruleset(name).actions} | NEVER_SUBMITTED.get(name, set())) - done


@pytest.mark.parametrize("name", WHOLE)
def test_some_fights_go_to_the_end(name: str) -> None:
    ended = {fight.path.stem for fight, steps in _played(name) if len(_sides_left(steps)) == 1}

    assert len(ended) >= FEWEST_TO_THE_END, ended
