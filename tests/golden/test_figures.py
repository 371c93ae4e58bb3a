"""Figures of whole fights: what is counted from the log is what the log says, and in some it was counted by hand."""

from collections import Counter
from fractions import Fraction

import pytest

from app.engine import events as ev
from app.services.statistics import counted
from tests.golden.fights import Fight, all_fights, play

FIGHTS = all_fights()


def events_of(fight: Fight) -> list[ev.AnyEvent]:
    """Everything that happened, people's coming included."""
    told: list[ev.AnyEvent] = []
    for _, step in play(fight):
        told += [emitted.event for emitted in (step.outcome.events if step.outcome is not None else ())]
    return told


def named(name: str) -> list[ev.AnyEvent]:
    return events_of(next(fight for fight in FIGHTS if fight.name == name))


def test_borys_and_the_ogre_counted_by_hand() -> None:
    """The first steps of the file, read by a person: what `01_purse.yaml` of Manewry says line by line."""
    fight = next(fight for fight in FIGHTS if fight.name == "manewry_ap-01_purse-map")
    told: list[ev.AnyEvent] = []
    for _, (_, step) in zip(range(5), play(fight), strict=False):
        told += [emitted.event for emitted in (step.outcome.events if step.outcome is not None else ())]

    view = counted(told).view()
    borys, ogr = (next(one for one in view["combatants"] if one["combatant"] == who) for who in ("borys", "ogr"))

    # start, a miss with 45, a hit with 46 for 16 points, a refused one, end of turn
    assert view["rounds"] == 1
    assert (borys["turns"], ogr["turns"]) == (1, 1)
    assert (borys["attacks"], borys["attacks_hit"], borys["hits"], ogr["attacked"]) == (2, 1, 1, 2)
    assert (borys["checks"], borys["successes"]) == (2, 1)
    assert borys["checks_by_purpose"] == [{"purpose": "attack", "count": 2, "successes": 1}]
    assert (borys["damage_dealt"], ogr["damage_taken"], ogr["hits_taken"], borys["damage_taken"]) == (16, 16, 1, 0)
    assert (ogr["defences"], ogr["defences_made"]) == (2, 0)
    assert {"id": "melee_attack", "count": 2} in borys["actions"]
    assert borys["resources"] == []  # action points are a budget
    hp = next(one for one in ogr["resources"] if one["id"] == "hp")
    assert hp == {"id": "hp", "gained": 0, "lost": 16}
    # initiative 4 on a d10; 45 and 46 on d100; damage 6, all on the dice that the rules roll for each
    by_sides = {one["sides"]: one for one in borys["dice"]}
    assert by_sides[100] == {"sides": 100, "count": 2, "mean": 45.5}
    assert sum(one["count"] for one in borys["dice"]) == 4


@pytest.mark.parametrize("fight", FIGHTS, ids=lambda fight: fight.name)
def test_the_figures_of_a_fight_add_up(fight: Fight) -> None:
    """Sums over everybody, each taken from the events in another way than the figures are."""
    told = events_of(fight)
    view = counted(told).view()
    people = view["combatants"]
    kinds = Counter(type(happened) for happened in told)
    checks = [happened for happened in told if isinstance(happened, ev.CheckRolled)]
    harm = [happened for happened in told if isinstance(happened, ev.DamageDealt)]

    def total(name: str) -> int:
        return sum(one[name] for one in people)

    assert view["events"] == len(told)
    assert total("attacks") == total("attacked") == kinds[ev.AttackMade]
    assert total("checks") == sum(p["count"] for one in people for p in one["checks_by_purpose"]) == len(checks)
    assert total("successes") == sum(one.outcome == "success" for one in checks)
    assert total("damage_taken") == sum(one.through for one in harm)
    assert total("damage_dealt") == sum(one.through for one in harm if one.combatant is not None)
    assert total("defences") == kinds[ev.DefenceResolved]
    assert sum(action["count"] for one in people for action in one["actions"]) == kinds[ev.ActionTaken]
    assert view["rounds"] == max((one.round for one in told if isinstance(one, ev.RoundBegan)), default=0)
    dice = [
        die
        for happened in told
        for die in getattr(happened, "dice", ()) or ()
        if not (isinstance(happened, ev.DamageDealt) and happened.combatant is None)
        and not isinstance(happened, ev.EncounterSet)
    ]
    rolled = {(one["sides"], one["count"], one["mean"]) for person in people for one in person["dice"]}
    assert sum(count for _, count, _ in rolled) <= len(dice)
    means = sum(Fraction(str(d["mean"])) * d["count"] for one in people for d in one["dice"])
    assert abs(means - sum(die.value for die in dice)) <= Fraction(1, 100) * max(len(dice), 1)


def test_fights_of_every_ruleset_have_figures() -> None:
    rulesets = {fight.ruleset.id for fight in FIGHTS}

    assert len(rulesets) == 5
