"""What the GM brings about by ruling, and what the rules do beside it. Clauses GU-080, GU-130, GU-1020, GU-2170,
GU-2230.
"""

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine.ids import CombatantId, EffectId
from app.engine.space.model import PairFact, Place
from rulesets.gurps_4e.figures import figure
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import PlayTable

S, X = CombatantId("s"), CombatantId("x")


def close() -> PlayTable:
    """Both at distance 0 on a map, s holding x."""
    table = fight(s={"at": (0, 0, 90)}, x={"at": (0.3, 0, 270)})
    table.rule(cmd.AddEffect(S, "grappling", 2, against=X))
    assert table.has("x", "grappled")
    return table


@pytest.mark.clause("GU-2230")
@pytest.mark.parametrize(
    "change",
    [
        cmd.SetStatus(S, "dead"),
        cmd.SetStatus(S, "down"),
        cmd.AddEffect(S, "unconscious"),
        cmd.Reposition(S, Place(2000, 2000)),
        cmd.Reposition(X, Place(2000, 2000)),
        cmd.SetPool(S, "hp", -60),
    ],
    ids=["dead", "down", "unconscious", "holder moved", "held moved", "hp"],
)
def test_nobody_is_held_by_who_can_hold_him_no_longer(change: cmd.Change) -> None:
    table = close()

    table.rule(change)

    assert not table.has("x", "grappled")
    assert not table.has("s", "grappling")


@pytest.mark.clause("GU-2230")
def test_nor_by_somebody_who_is_edited_away_or_leaves() -> None:
    table = close()
    table.command(cmd.Edit(replace(table.who("s"), place=Place(2000, 2000)), ("position",)))
    assert not table.has("x", "grappled")

    table = close()
    table.command(cmd.Leave((S,)))
    assert not table.has("x", "grappled")


@pytest.mark.clause("GU-2230")
def test_without_a_map_a_stated_distance_ends_a_hold() -> None:
    table = fight(s={}, x={}, apart={"sx": 0})
    table.rule(cmd.AddEffect(S, "grappling", 2, against=X))

    table.rule(cmd.SetFact(S, X, PairFact(distance=300)))

    assert not table.has("x", "grappled")


@pytest.mark.clause("GU-1020")
def test_whose_mount_is_gone_or_dead_goes_on_foot() -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (0, 0, 90)})
    table.rule(cmd.AddEffect(S, "mounted", against=X))
    assert table.why_not("move", "s", path=[(0, 0), (2, 0)]) == ["mount_moves_instead"]
    table.rule(cmd.SetStatus(X, "dead"))
    assert table.why_not("move", "s", path=[(0, 0), (2, 0)]) == []

    table = fight(s={"at": (0, 0, 90)}, x={"at": (0, 0, 90)})
    table.rule(cmd.AddEffect(S, "mounted", against=X))
    table.command(cmd.Leave((X,)))
    assert not table.has("s", "mounted")


@pytest.mark.clause("GU-080")
def test_a_status_by_ruling_brings_what_the_rules_bring() -> None:
    table = fight(s={}, x={}, apart={"sx": 3})
    options = {"trigger": "comes_within", "distance": 1, "response": "attack"}
    table.play("wait", "s", weapon="thrusting_broadsword", options=options)

    table.rule(cmd.SetStatus(S, "down"))
    assert table.has("s", "unconscious")
    assert not table.has("s", "waiting")

    table.rule(cmd.SetStatus(S, "dead"))
    assert table.has("s", "dead")

    table.rule(cmd.SetStatus(S, "down"))
    assert table.who("s").status == "down"
    assert not table.has("s", "dead")

    table.rule(cmd.SetStatus(S, "up"))
    assert table.who("s").status == "up"
    assert not table.has("s", "dead", "unconscious", "mortally_wounded")


@pytest.mark.clause("GU-080")
def test_with_the_last_of_what_kept_him_down_he_is_up_again() -> None:
    table = fight(s={}, x={}, apart={"sx": 3})
    table.rule(cmd.AddEffect(X, "unconscious"), cmd.AddEffect(X, "dead"))

    table.rule(cmd.RemoveEffect(X, EffectId("dead")))
    assert table.who("x").status == "down"

    table.rule(cmd.RemoveEffect(X, EffectId("unconscious")))
    assert table.who("x").status == "up"


@pytest.mark.clause("GU-2170")
def test_hit_points_by_ruling_kill_at_five_times_below() -> None:
    table = fight(s={}, x={}, apart={"sx": 3})
    most = figure(table.who("x"), "hp_max")

    table.rule(cmd.SetPool(X, "hp", -5 * most + 1))
    assert table.who("x").status == "up"

    table.rule(cmd.SetPool(X, "hp", -5 * most))
    assert table.who("x").status == "dead"


@pytest.mark.clause("GU-2120")
def test_damage_never_raises_hit_points() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    table.rule(cmd.SetPool(X, "hp", -1000), cmd.SetStatus(X, "up"))

    done = table.play("attack", "s", "x", weapon="thrusting_broadsword", to_hit=(4, 3, 4), defend="none", damage=4)

    assert done.outcome.state.combatants[X].pools["hp"] == -1000
