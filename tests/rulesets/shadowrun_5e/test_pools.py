"""Pools, hits, limits, glitches, Edge. Clauses SR-200 to SR-230, SR-850 to SR-875."""

from fractions import Fraction
from itertools import product
from typing import Any

import msgspec
import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import ClauseId, CombatantId
from app.engine.preview import preview
from app.engine.reasons import Refused
from app.engine.state import Item
from rulesets.shadowrun_5e.odds import MOST_DICE, at_least, beats, chance_among, dice_of, exploding, hits_of
from rulesets.shadowrun_5e.weapons import Weapon
from tests.rulesets.shadowrun_5e.fights import done, fight, held, order, pool, rolls, score, terms_of
from tests.support.log_lines import logged
from tests.support.play import Played, PlayTable

LOOK = "observe_in_detail"


def looking(intuition: int, perception: int = 0, **more: Any) -> PlayTable:
    """Somebody about to look round, whose pool is these two."""
    return fight(a={"score": 20, "intuition": intuition, "skills": {"perception": perception}, **more}, b=10)


def look(table: PlayTable, dice: Any = None, threshold: int = 1, **answers: Any) -> Played:
    """He does."""
    given = {} if dice is None else {"observe__dice": dice}
    options = {"threshold": threshold, **({"push_the_limit": True} if answers.pop("push", False) else {})}
    return table.play(LOOK, "a", options=options, **given, **answers)


def faces(check: ev.CheckRolled) -> list[int]:
    """What its dice show."""
    return [die.value for die in check.dice]


# Hits


@pytest.mark.clause("SR-200", "SR-365")
@pytest.mark.parametrize(
    ("dice", "hits"), [((6, 5, 4, 4, 2, 1, 1), 2), ((4, 4, 4, 4, 4, 4, 4), 0), ((5, 5, 5, 3, 3, 3, 3), 3)]
)
def test_fives_and_sixes_are_hits(dice: tuple[int, ...], hits: int) -> None:
    table = looking(4, 3)

    assert look(table, dice, threshold=0).check.degrees == hits


@pytest.mark.clause("SR-200", "SR-230")
def test_a_pool_of_nothing_is_not_rolled() -> None:
    table = looking(3, 2, pools={"physical": 9, "stun": 9})

    looked = look(table)

    assert (looked.check.dice, looked.check.outcome, looked.check.grade) == ((), "failure", None)


@pytest.mark.clause("SR-205", "SR-365")
@pytest.mark.parametrize(
    ("hits", "threshold", "success", "net"), [(3, 3, True, 0), (2, 3, False, 1), (1, 1, True, 0), (0, 1, False, 1)]
)
def test_a_test_succeeds_when_it_reaches_its_threshold(hits: int, threshold: int, success: bool, net: int) -> None:
    looked = look(looking(4, 2, logic=6), rolls(6, hits), threshold)

    assert (looked.check.outcome == "success", looked.check.degrees) == (success, net)


@pytest.mark.clause("SR-205")
def test_without_a_threshold_one_hit_does() -> None:
    table = fight(apart=5, a={"score": 20, "body": 5, "willpower": 4, "pools": {"physical": 3}}, b=10)
    table.rule(cmd.AddEffect(CombatantId("a"), "prone"))

    assert table.play("stand_up", "a", stand_up__dice=rolls(8, 2)).check.target == 2


@pytest.mark.clause("SR-210", "SR-530")
@pytest.mark.parametrize(
    ("attack", "defense", "fact", "margin"), [(4, 3, None, 1), (3, 3, "grazed", 0), (0, 0, None, 0), (2, 4, None, 2)]
)
def test_the_higher_number_of_hits_wins_and_a_tie_is_the_defenders(
    attack: int, defense: int, fact: str | None, margin: int
) -> None:
    table = fight(apart=5, a=20, b=10)
    soak = {"soak__dice": rolls(12, 12)} if attack > defense else {}

    shot = table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(6, attack),
        defense__dice=rolls(6, defense),
        **soak,
    )

    settled = shot.one(ev.ContestSettled)
    assert (settled.winner, settled.margin) == ("a" if attack > defense else "b", margin)
    assert [one.fact for one in shot.of(ev.Noted)] == ([fact] if fact else [])
    assert bool(shot.of(ev.DamageDealt)) == (attack > defense)


@pytest.mark.clause("SR-215")
@pytest.mark.parametrize(("smartlink", "limit"), [(0, 5), (1, 7), (2, 7)])
def test_hits_beyond_the_accuracy_are_dropped_and_a_smartlink_helps(smartlink: int, limit: int) -> None:
    table = fight(apart=5, a={"score": 20, "sample": "razor", "smartlink": smartlink}, b={"score": 10, "reaction": 1})
    dice = 12 + smartlink

    shot = table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ares_alpha",
        defend="plain",
        attack__dice=rolls(dice, 6),
        defense__dice=rolls(4, 0),
        soak__dice=rolls(12, 12),
    )

    assert shot.check.limit == limit
    assert shot.one(ev.ContestSettled).margin == min(6, limit)


@pytest.mark.clause("SR-215")
def test_limits_of_the_body_and_of_the_mind_and_none_on_defence_and_soak() -> None:
    table = fight(apart=1, razor={"score": 20, "items": held(katana="both")}, boulder=10)

    blow = table.play(
        "melee_attack",
        "razor",
        "boulder",
        defend="plain",
        attack__dice=rolls(11, 9),
        defense__dice=rolls(8, 0),
        soak__dice=rolls(22, 17),
    )

    found = {one.purpose: one.limit for one in blow.of(ev.CheckRolled)}
    assert found == {"attack": 8, "defend": None, "soak": None}
    assert look(looking(3, 1, logic=2, willpower=3), rolls(4, 0)).check.limit == 4


@pytest.mark.clause("SR-220")
@pytest.mark.parametrize(
    ("dice", "grade"),
    [
        ((1, 1, 1, 5, 4, 2), None),
        ((1, 1, 1, 5, 2), "glitch"),
        ((1, 1, 1, 4, 2), "critical_glitch"),
        ((1, 1, 1, 1, 6, 6), "glitch"),
    ],
)
def test_more_than_half_ones_is_a_glitch_and_without_a_hit_a_critical_one(
    dice: tuple[int, ...], grade: str | None
) -> None:
    table = looking(3, len(dice) - 3, logic=6)
    asked: dict[str, Any] = {"glitch_effect": "none"} if grade else {}

    looked = look(table, dice, **asked)

    assert looked.check.grade == grade
    assert looked.check.outcome == ("success" if set(dice) & {5, 6} else "failure")
    assert [one.fact for one in looked.of(ev.Noted)] == ([grade] if grade else [])


@pytest.mark.clause("SR-220")
@pytest.mark.parametrize("effect", ["weapon_jam", "drop_item", "stumble_prone"])
def test_the_gm_says_what_a_glitch_does(effect: str) -> None:
    table = fight(apart=5, a=20, b=10)

    table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ak_97",
        defend="plain",
        attack__dice=(1, 1, 1, 1, 5, 3),
        glitch_effect=effect,
        defense__dice=rolls(6, 1),
    )

    gun = table.who("a").items["ak_97"]
    assert (gun.marks.get("jammed", 0), gun.on_ground, table.has("a", "prone")) == {
        "weapon_jam": (1, False, False),
        "drop_item": (0, True, False),
        "stumble_prone": (0, False, True),
    }[effect]


@pytest.mark.clause("SR-220")
def test_or_anything_else_in_his_own_words() -> None:
    table = looking(3, 2, logic=6)

    looked = look(table, (1, 1, 1, 5, 2), glitch_effect=("other", {"text": "dust in the eyes"}))

    assert looked.one(ev.Noted).words == ("dust in the eyes",)


@pytest.mark.clause("SR-225")
def test_without_the_skill_the_pool_is_the_attribute_less_one() -> None:
    table = fight(apart=5, a={"score": 20, "agility": 4, "items": held(defiance_t250="both")}, b=10)

    shot = table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="defiance_t250",
        defend="plain",
        attack__dice=rolls(3, 0),
        defense__dice=rolls(6, 0),
    )

    assert terms_of(shot, "attack") == {"agility": 4, "defaulting": -1}


@pytest.mark.clause("SR-230", "SR-620", "SR-655", "SR-665")
def test_all_modifiers_are_summed_once_and_only_the_sum_is_floored() -> None:
    table = fight(apart=5, razor={"score": 20, "pools": {"physical": 3, "recoil": 5}, "strength": 3}, b=10)

    shot = table.play(
        "fire_single_shot",
        "razor",
        "b",
        weapon="ares_alpha",
        modifiers=["light_dim"],
        defend="plain",
        attack__dice=rolls(8, 0),
        defense__dice=rolls(6, 0),
    )

    assert terms_of(shot, "attack") == {
        "agility": 7,
        "automatics": 5,
        "smartlink": 2,
        "environment": -3,
        "recoil": -2,
        "wounds": -1,
    }


# Edge


def edgy(points: int = 2, **changed: Any) -> PlayTable:
    """Somebody with Edge 2 who wants to be asked; his pool for looking round is four."""
    more: dict[str, Any] = {
        "edge": 2,
        "pools": {"edge_points": points},
        "policy": {"edge_offer": "ask"},
        "logic": 3,
    } | changed
    return looking(int(more.pop("intuition", 2)), 2, **more)


@pytest.mark.clause("SR-850")
def test_a_point_goes_from_the_points_not_from_the_rating() -> None:
    table = edgy()

    look(table, rolls(4, 1), edge_offer="second_chance", second_chance=rolls(3, 0))

    assert (pool(table, "a", "edge_points"), table.who("a").sheet.stats["edge"]) == (1, 2)


@pytest.mark.clause("SR-850")
def test_without_a_point_nothing_is_offered_and_nothing_can_be_spent() -> None:
    table = edgy(points=0)

    assert table.why_not(LOOK, "a", options={"push_the_limit": True}) == ["no_edge"]
    assert look(table, rolls(4, 1)).questions() == []


@pytest.mark.clause("SR-850")
def test_who_does_not_want_to_be_asked_is_not() -> None:
    table = edgy(policy={})

    assert look(table, rolls(4, 1)).questions() == []


@pytest.mark.clause("SR-855", "SR-215")
def test_pushed_before_the_roll_edge_dice_are_added_sixes_explode_and_no_limit_counts() -> None:
    table = edgy()

    looked = look(table, push=True, dice=(6, 6, 5, 3, 2, 1), threshold=0, observe__again1=(6, 4), observe__again2=(2,))

    assert (looked.check.degrees, looked.check.limit) == (4, None)
    assert faces(looked.check) == [6, 6, 5, 3, 2, 1, 6, 4, 2], "with all that sixes brought"
    assert terms_of(looked, "observe")["push_the_limit"] == 2
    assert pool(table, "a", "edge_points") == 1


@pytest.mark.clause("SR-855")
def test_pushed_after_the_roll_only_the_edge_dice_explode() -> None:
    table = edgy()

    looked = look(
        table,
        (6, 6, 3, 3),
        threshold=0,
        edge_offer="push_the_limit",
        edge_dice=(6, 3),
        again1=(5,),
    )

    before, after = looked.of(ev.CheckRolled)
    assert (faces(before), before.degrees) == ([6, 6, 3, 3], 2)
    assert (faces(after), after.degrees) == ([6, 6, 3, 3, 6, 3, 5], 4)


@pytest.mark.clause("SR-850", "SR-855")
def test_one_point_for_each_test() -> None:
    table = edgy()

    with pytest.raises(Refused) as refused:
        look(table, push=True, dice=(1, 1, 1, 1, 2, 5), edge_offer="close_call", glitch_effect="none")

    assert [one.code for one in refused.value.reasons] == ["edge_already_spent"]


@pytest.mark.clause("SR-860")
def test_a_second_chance_rolls_the_misses_again_under_the_same_limit() -> None:
    table = edgy(logic=1, willpower=1)

    looked = look(
        table,
        (6, 5, 3, 2),
        threshold=0,
        edge_offer="second_chance",
        second_chance=(5, 4),
    )

    assert looked.check.limit == 2
    assert looked.of(ev.CheckRolled)[-1].degrees == 2


@pytest.mark.clause("SR-860")
def test_the_ledgers_second_chance() -> None:
    table = edgy(intuition=4, logic=6)

    looked = look(table, (6, 5, 3, 2, 2, 1), threshold=0, edge_offer="second_chance", second_chance=(5, 4, 2, 1))

    before, after = looked.of(ev.CheckRolled)
    assert (faces(before), before.degrees) == ([6, 5, 3, 2, 2, 1], 2)
    assert (faces(after), after.degrees) == ([6, 5, 5, 4, 2, 1], 3), "as they lie then"


@pytest.mark.clause("SR-855", "SR-860")
@pytest.mark.parametrize(
    ("choice", "more", "line"),
    [
        ("second_chance", {"second_chance": (5, 4, 2, 1)}, "6, 5, 5, 4, 2, 1 — 3 hits"),
        ("push_the_limit", {"edge_dice": (6, 3), "again1": (5,)}, "6, 5, 3, 2, 2, 1, 6, 3, 5 — 4 hits"),
    ],
)
def test_the_dice_that_count_are_told(choice: str, more: dict[str, Any], line: str) -> None:
    table = edgy(intuition=4, logic=6)

    looked = look(table, (6, 5, 3, 2, 2, 1), threshold=0, edge_offer=choice, **more)

    before, after = logged(table, looked.of(ev.CheckRolled))
    assert "6, 5, 3, 2, 2, 1 — 2 hits" in before
    assert line in after


@pytest.mark.clause("SR-860")
def test_it_cannot_undo_a_glitch() -> None:
    with pytest.raises(Refused) as refused:
        look(edgy(), (1, 1, 1, 5), edge_offer="second_chance")

    assert [one.code for one in refused.value.reasons] == ["glitch_stands"]


@pytest.mark.clause("SR-875", "SR-220")
@pytest.mark.parametrize(("dice", "told"), [((1, 1, 1, 4), ["edge_spent", "glitch"]), ((1, 1, 1, 5), ["edge_spent"])])
def test_a_close_call_takes_a_glitch_away_or_makes_a_critical_one_plain(dice: tuple[int, ...], told: list[str]) -> None:
    asked: dict[str, Any] = {"glitch_effect": "none"} if "glitch" in told else {}

    looked = look(edgy(), dice, edge_offer="close_call", **asked)

    assert [one.fact for one in looked.of(ev.Noted)] == told


@pytest.mark.clause("SR-855", "SR-730", "SR-850")
def test_a_soak_is_pushed_beforehand_by_who_wants_to_be_asked() -> None:
    edgy = {"score": 10, "edge": 2, "pools": {"edge_points": 2}, "policy": {"edge_offer": "ask"}}
    table = fight(apart=5, a=20, b=edgy)

    shot = table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(6, 3),
        defense__edge_offer="keep",
        defense__dice=rolls(6, 0),
        soak__edge_beforehand="push_the_limit",
        soak__dice=(6, 6, *(3,) * 12),
        soak__again1=(5, 6),
        soak__again2=(6,),
        soak__again3=(1,),
    )

    assert terms_of(shot, "soak") == {"body": 5, "armor": 9, "ap": -2, "push_the_limit": 2}
    assert shot.one(ev.DamageDealt).through == 13 - 5
    assert pool(table, "b", "edge_points") == 1


@pytest.mark.clause("SR-855", "SR-090")
@pytest.mark.parametrize(
    ("answer", "dice", "caught"), [("keep", rolls(6, 2), True), ("push_the_limit", (5,) * 8, False)]
)
def test_a_surprise_test_is_pushed_beforehand(answer: str, dice: tuple[int, ...], caught: bool) -> None:
    edgy = {"score": 14, "edge": 2, "pools": {"edge_points": 2}, "policy": {"edge_offer": "ask"}}
    table = fight(a=20, b=edgy)
    others: dict[str, Any] = {"edge_offer": "keep", "shake_off_surprise": "keep"} if caught else {}

    table.rule(
        cmd.AddEffect(CombatantId("b"), "ambushed", 0),
        surprised__edge_beforehand=answer,
        surprised__dice=dice,
        **others,
    )

    assert (table.has("b", "surprised"), score(table, "b")) == (caught, 4 if caught else 14)
    assert pool(table, "b", "edge_points") == (2 if caught else 1)


@pytest.mark.clause("SR-850", "SR-855")
def test_who_has_no_point_left_is_not_asked_beforehand() -> None:
    table = fight(apart=5, a=20, b={"score": 10, "pools": {"edge_points": 0}, "policy": {"edge_offer": "ask"}})

    shot = table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(6, 3),
        defense__dice=rolls(6, 0),
        soak__dice=rolls(12, 12),
    )

    assert [one.name for one in shot.questions()] == ["defend"]


@pytest.mark.clause("SR-865", "SR-950")
def test_who_seizes_the_initiative_is_first_in_every_pass_in_which_he_has_a_score() -> None:
    table = fight(z={"score": 6, "policy": {"edge_offer": "ask"}}, a=5, b=4)
    order(table, 2)
    done(table, blitz="keep", z__score=1, a__score=6, b__score=5, seize_initiative="seize_initiative")
    table.rule(cmd.SetPool(CombatantId("a"), "initiative", 22), cmd.SetPool(CombatantId("b"), "initiative", 13))
    table.rule(cmd.SetPool(CombatantId("z"), "initiative", 6))

    assert order(table, 3) == ["z", "a", "b"]
    assert order(table, 2) == ["a", "b"]
    assert score(table, "z") == -14
    assert table.why_not("seize_initiative", "a") == ["too_late"]


@pytest.mark.clause("SR-870")
def test_blitz_is_five_dice_for_this_combat_turn() -> None:
    table = fight(
        a={"score": 6, "reaction": 4, "policy": {"edge_offer": "ask"}, "edge": 2, "pools": {"edge_points": 2}}, b=5
    )
    done(table)

    done(table, blitz="blitz", a__score=(6, 2, 3, 5, 4), b__score=1, seize_initiative="keep")

    assert table.who("a").pools["initiative"] == 27
    assert pool(table, "a", "edge_points") == 1
    assert table.has("a", "blitz")
    (reason,) = table.reasons("blitz", "a")
    assert (reason.code, reason.clause) == ("too_late", "SR-870")


# Odds


@pytest.mark.clause("SR-200", "SR-215")
def test_odds_of_a_pool_are_those_of_every_way_the_dice_can_fall() -> None:
    every = list(product(range(1, 7), repeat=4))
    for hits in range(5):
        ways = sum(sum(face >= 5 for face in faces) >= hits for faces in every)
        assert at_least(hits_of(4), hits) == int(1_000_000 * Fraction(ways, len(every)))
    assert hits_of(4, 2) == (*hits_of(4)[:2], sum(hits_of(4)[2:], Fraction(0)))
    assert sum(hits_of(9, 3), Fraction(0)) == 1


@pytest.mark.clause("SR-210")
def test_odds_of_an_attack_are_those_against_this_defence() -> None:
    one, other = list(product(range(1, 7), repeat=3)), list(product(range(1, 7), repeat=2))
    ways = sum(
        sum(face >= 5 for face in attack) > sum(face >= 5 for face in defense) for attack in one for defense in other
    )

    assert beats(hits_of(3), hits_of(2)) == int(1_000_000 * Fraction(ways, len(one) * len(other)))


@pytest.mark.clause("SR-855")
def test_odds_of_exploding_dice_have_the_mean_that_a_sum_gives() -> None:
    odds = exploding(3)

    mean = sum((hits * chance for hits, chance in enumerate(odds)), Fraction(0))

    assert sum(odds, Fraction(0)) == 1
    assert abs(mean - 3 * Fraction(2, 5)) < Fraction(1, 10**9)


@pytest.mark.clause("SR-200", "SR-210", "SR-215")
def test_the_preview_tells_exact_odds_of_both_tests() -> None:
    table = fight(apart=5, a=20, b=10)
    sub = table.submission("fire_single_shot", "a", "b", weapon="ak_97")

    found = preview(table.rules, table.state, sub)

    chances = {one.purpose: one.chance for one in found.checks}
    assert chances["attack"] == beats(hits_of(6, 5), hits_of(6))
    assert chances["defend"] == 1_000_000 - chances["attack"]
    assert found.defence[0].chance == chances["defend"]


def _hits(pool: int, limit: int = 99) -> dict[int, Fraction]:
    """Chances of hits by every way that so many dice can fall."""
    found: dict[int, Fraction] = {}
    for faces in product(range(1, 7), repeat=pool):
        hits = min(limit, sum(face >= 5 for face in faces))
        found[hits] = found.get(hits, Fraction(0)) + Fraction(1, 6**pool)
    return found


@pytest.mark.clause("SR-210", "SR-215", "SR-700", "SR-730")
@pytest.mark.parametrize("limit", [1, 4])
def test_the_damage_in_a_preview_is_that_of_every_way_all_three_pools_can_fall(limit: int) -> None:
    """Four dice with a limit against three, and six that soak: counted face by face."""
    rifle = Weapon("firearm", "automatics", limit, dv=3, modes=("SA",), range_table="assault_rifle", capacity=10)
    gun = Item("gun", held="both", custom=msgspec.json.encode(rifle).decode())
    shooter = {"score": 20, "items": {"gun": gun}, "agility": 3, "skills": {"automatics": 1}}
    table = fight(apart=5, a=shooter, b={"score": 10, "reaction": 2, "intuition": 1, "body": 6, "armour": {}})

    found = preview(table.rules, table.state, table.submission("fire_single_shot", "a", "b", weapon="gun"))

    through: dict[int, Fraction] = {}
    for (hits, one), (against, two), (soaked, three) in product(
        _hits(4, limit).items(), _hits(3).items(), _hits(6).items()
    ):
        points = max(0, 3 + hits - against - soaked) if hits > against else 0
        through[points] = through.get(points, Fraction(0)) + one * two * three
    odds = found.odds
    assert odds is not None
    assert (odds.method, odds.error, odds.hits_error) == ("exact", 0, 0)
    assert odds.hits[1] == beats(hits_of(4, limit), hits_of(3))
    assert odds.damage_at_least == {
        points: int(1_000_000 * sum(share for at, share in through.items() if at >= points))
        for points in range(1, max(through) + 1)
    }
    assert odds.damage_mean == int(1000 * sum(points * share for points, share in through.items()))


@pytest.mark.clause("SR-210", "SR-780")
def test_the_preview_of_great_pools_is_exact_too_and_says_how_likely_he_goes_down() -> None:
    table = fight(apart=5, razor=20, b={"score": 10, "sample": "boulder"})

    odds = preview(
        table.rules, table.state, table.submission("fire_single_shot", "razor", "b", weapon="ares_alpha")
    ).odds

    assert odds is not None
    assert odds.hits_error == 0
    assert odds.hits[1] == beats(hits_of(14, 7), hits_of(5))
    assert (odds.method, odds.error) == ("exact", 0)


@pytest.mark.clause("SR-470", "SR-210")
def test_where_two_attacks_are_too_much_the_damage_is_sampled() -> None:
    two = {"one": Item("colt_america_l36", held="main"), "two": Item("colt_america_l36", held="off")}
    table = fight(apart=5, a={"score": 20, "items": two, "agility": 6, "skills": {"pistols": 4}}, b=9, c=2)
    table.play("multiple_attacks", "a")
    sub = table.submission("fire_single_shot", "a", "b", "c", weapon="one", second_weapon="two")

    odds = preview(table.rules, table.state, sub).odds

    assert odds is not None
    assert (odds.method, odds.error > 0) == ("sampled", True)


def test_a_test_without_an_answer_has_odds_by_itself() -> None:
    rolled = ev.CheckRolled(
        CombatantId("a"), "logic", "hack", 2, (), "success", 0, (ev.Term("logic", 4, ClauseId("SR-200")),)
    )

    assert chance_among(rolled, (rolled,)) == at_least(hits_of(4), 2)


@pytest.mark.clause("SR-230")
@pytest.mark.parametrize(("total", "dice"), [(-3, 0), (0, 0), (12, 12), (200, 200), (201, 200), (1_000_000, 200)])
def test_a_pool_is_floored_at_none_and_has_no_more_dice_than_can_be_counted(total: int, dice: int) -> None:
    assert dice_of((ev.Term("body", 5, ClauseId("SR-200")), ev.Term("gm", total - 5, ClauseId("SR-230")))) == dice
    assert dice <= MOST_DICE
