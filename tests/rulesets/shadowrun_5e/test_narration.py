"""What the log says where it once said something else, nothing, or too much."""

from typing import Any

import pytest

from app.engine.asks import Roll
from app.engine.state import Item
from tests.rulesets.shadowrun_5e.fights import done, fight, held, rolls
from tests.support.log_lines import logged
from tests.support.play import Played, PlayTable

LANGUAGES = ("en", "ru", "pl")


def lines(table: PlayTable, played: Played) -> str:
    """All of it in English; every line is told in each language."""
    told_in = {language: logged(table, played.events, language) for language in LANGUAGES}
    assert len({len(one) for one in told_in.values()}) == 1
    return "\n".join(told_in["en"])


def shot(attack: int, defense: int, **more: Any) -> tuple[PlayTable, Played]:
    """One shot with so many hits against so many."""
    table = fight(apart=5, a=20, b={"score": 10, **more})
    soak = {"soak__dice": rolls(12, 12)} if attack > defense else {}
    dice = {"attack__dice": rolls(6, attack), "defense__dice": rolls(6, defense)}
    return table, table.play("fire_single_shot", "a", "b", weapon="ak_97", defend="plain", **dice, **soak)


@pytest.mark.clause("SR-210", "SR-600")
@pytest.mark.parametrize(
    ("attack", "defense", "line"),
    [
        (4, 3, "a hits with 1 net hit."),
        (3, 3, "a only grazes b."),
        (2, 4, "The attack on b does no harm: 2 net hits short."),
        (0, 0, "The attack on b does no harm."),
    ],
)
def test_an_attack_has_one_outcome(attack: int, defense: int, line: str) -> None:
    table, played = shot(attack, defense)

    text = lines(table, played)

    assert line in text.split("\n")
    assert ("hits with" in text) == (attack > defense)
    assert ("does no harm" in text) == (attack <= defense)
    assert "evades" not in text


@pytest.mark.clause("SR-468")
@pytest.mark.parametrize(("net", "line"), [(1, "b is disarmed."), (3, "b is disarmed; the weapon flies 2 m.")])
def test_a_disarming_shot_names_who_and_how_far(net: int, line: str) -> None:
    table = fight(apart=5, a={"score": 20, "agility": 7}, b=10)
    table.play("call_shot", "a", options={"place": "disarm"})
    dice = {"attack__dice": rolls(6, net), "defense__dice": rolls(6, 0)}

    played = table.play("fire_single_shot", "a", "b", weapon="ak_97", defend="plain", **dice)

    assert line in lines(table, played).split("\n")


@pytest.mark.clause("SR-340")
def test_who_fails_to_stand_up_was_not_said_to_have_got_up() -> None:
    table = fight(a={"score": 20, "body": 5, "willpower": 3, "pools": {"physical": 3}}, b=10)
    table.play("drop_prone", "a")

    failed = lines(table, table.play("stand_up", "a", stand_up__dice=rolls(7, 1)))
    up = lines(table, table.play("stand_up", "a", stand_up__dice=rolls(7, 2)))

    assert "a tries to get up." in failed
    assert "on foot again" not in failed
    assert "a is on foot again." in up


@pytest.mark.clause("SR-545")
def test_an_intercept_is_told() -> None:
    guard = {"score": 8, "items": held(stun_baton="main")}
    table = fight(apart=1.5, a={"score": 20, "agility": 5}, okoye=guard)

    went = table.play(
        "walk",
        "a",
        said={"length": 6, "distance_after": {"okoye": 7}},
        intercept_choice="intercept",
        defend="plain",
        attack__dice=rolls(7, 0),
        defense__dice=rolls(5, 0),
    )

    assert "okoye intercepts a: stun baton." in lines(table, went).split("\n")


@pytest.mark.clause("SR-050")
def test_a_toss_is_no_initiative() -> None:
    same = {"edge": 2, "reaction": 4, "intuition": 3}
    table = fight(first={"score": 15}, one={"score": 13, **same}, other={"score": 13, **same})

    tossed = done(table, tie1__one__toss=2, tie1__other__toss=5)

    assert [ask.purpose for ask in tossed.asked if isinstance(ask, Roll)] == ["toss", "toss"]
    text = lines(table, tossed)
    assert "one: the tie is tossed for (rolled 2)." in text
    assert "initiative 13" not in text


@pytest.mark.clause("SR-345", "SR-350")
def test_magazines_are_told_in_words() -> None:
    items = {"ak_97": Item("ak_97", held="both", marks={"ammo": 4, "spare_1": 38})}
    table = fight(a={"score": 20, "items": items}, b=10)

    out = lines(table, table.play("remove_magazine", "a", weapon="ak_97"))
    in_again = lines(table, table.play("insert_magazine", "a", weapon="ak_97"))

    assert "a: AK-97 has no magazine in it." in out
    assert "a keeps a spare magazine: AK-97, 4 shots." in out
    assert "a: AK-97 loaded, 38 shots." in in_again
    assert "agazine 1" not in out + in_again


@pytest.mark.clause("SR-175")
def test_a_phase_carried_over_is_told_as_such() -> None:
    table = fight(a=22, b=13)
    table.play("delay_action", "a", delayed_intervention="wait")

    ended = done(table, delayed_end_of_pass="carry_over", carried_delay="act")

    assert "a carries the delayed phase over to the next pass." in lines(table, ended).split("\n")


@pytest.mark.clause("SR-870")
def test_a_blitz_is_told_by_its_name() -> None:
    edgy = {"score": 6, "reaction": 4, "policy": {"edge_offer": "ask"}, "edge": 2, "pools": {"edge_points": 2}}
    table = fight(a=edgy, b=5)
    done(table)

    blitzed = done(table, blitz="blitz", a__score=(6, 2, 3, 5, 4), b__score=1, seize_initiative="keep")

    assert "a spends a point of Edge on a Blitz." in lines(table, blitzed).split("\n")
    assert "a: blitz." not in lines(table, blitzed)
