"""All-Out Defense: better defences, or two of them against each attack. Clauses GU-1100 to GU-1150."""

from typing import Any

import pytest

from app.engine import events as ev
from app.engine.reasons import Refused
from app.engine.state import Item
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import Played, PlayTable, length

SWORD = "thrusting_broadsword"
HIT = (3, 3, 3)
DODGE, PARRY, BLOCK, DOUBLE = "increased_dodge", "increased_parry", "increased_block", "double_defense"


def both(on_map: bool, one: str, other: str, far: float, **more: Any) -> PlayTable:
    """Two so far from each other, on a map or with that stated."""
    first, second = dict(more.pop(one, {})), dict(more.pop(other, {}))
    if not on_map:
        return fight(apart={one + other: far}, **{one: first, other: second}, **more)
    return fight(**{one: {"at": (0, 0, 90), **first}, other: {"at": (far, 0, 270), **second}}, **more)


def defending(option: str, **more: Any) -> PlayTable:
    """S on the defence, and X at arm's length in his slot."""
    table = fight(s=more.pop("s", {}), x=more.pop("x", {}), apart={"sx": 1}, **more)
    table.play("all_out_defense", "s", options={"option": option})
    table.end_turn()
    return table


def struck(table: PlayTable, defend: Any, **given: Any) -> Played:
    """X hits S, who answers so."""
    return table.play("attack", "x", "s", weapon="axe", to_hit=HIT, defend=defend, **given)


def defences(done: Played) -> list[tuple[str, int]]:
    """What was rolled in defence, and against what number."""
    return [(event.check, event.target) for event in done.of(ev.CheckRolled) if event.purpose == "defend"]


# Options


@pytest.mark.clause("GU-1100")
def test_exactly_one_option_is_chosen() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    refused = table.reasons("all_out_defense", "s")

    assert [(one.code, one.clause) for one in refused] == [("option_required", "GU-1100")]


@pytest.mark.clause("GU-1100")
@pytest.mark.parametrize("option", [DODGE, PARRY, BLOCK, DOUBLE])
def test_four_options_are_known(option: str) -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    table.play("all_out_defense", "s", options={"option": option})

    stance = next(one for one in table.who("s").effects.values() if one.kind == "all_out_defending")
    assert stance.word == option


# Increased


@pytest.mark.clause("GU-1110")
@pytest.mark.parametrize(
    ("option", "expected"),
    [
        (DODGE, {"dodge": 11, "parry": 12, "block": 12}),
        (PARRY, {"dodge": 9, "parry": 14, "block": 12}),
        (BLOCK, {"dodge": 9, "parry": 12, "block": 14}),
    ],
)
def test_the_named_defence_is_two_better_and_the_others_are_not(option: str, expected: dict[str, int]) -> None:
    found = {}
    for kind in expected:
        done = struck(defending(option), kind, **{kind: HIT})
        found.update(dict(defences(done)))

    assert found == expected


@pytest.mark.clause("GU-1110")
def test_the_bonus_is_a_term_of_its_own() -> None:
    done = struck(defending(BLOCK), "block", block=(4, 4, 4))

    terms = {term.id: (term.value, term.clause) for term in done.of(ev.CheckRolled)[1].terms}
    assert terms["increased_block"] == (2, "GU-1110")


@pytest.mark.clause("GU-1110")
def test_it_counts_against_every_attack_until_the_next_slot() -> None:
    table = fight(s={}, x={}, p={}, apart={"sx": 1, "ps": 2})
    table.play("all_out_defense", "s", options={"option": DODGE})
    table.end_turn()

    first = struck(table, "dodge", dodge=HIT)
    table.end_turn()
    second = table.play("attack", "p", "s", weapon="spear", to_hit=HIT, defend="dodge", dodge=HIT)
    table.end_turn()
    assert not table.has("s", "all_out_defending")
    table.play("do_nothing", "s")
    table.end_turn()
    third = struck(table, "dodge", dodge=HIT)

    assert [defences(done) for done in (first, second, third)] == [[("dodge", 11)], [("dodge", 11)], [("dodge", 9)]]


@pytest.mark.clause("GU-1110")
@pytest.mark.parametrize(("with_", "expected"), [("one", 10 + 2), ("two", 10 + 2 - 2)])
def test_increased_parry_covers_every_weapon(with_: str, expected: int) -> None:
    swords = {"one": Item("shortsword", held="main"), "two": Item("shortsword", held="off")}
    table = defending(PARRY, s={"items": swords, "skills": {"shortsword": 14}})

    assert defences(struck(table, ("parry", {"with": with_}), parry=HIT)) == [("parry", expected)]


@pytest.mark.clause("GU-1110")
def test_increased_parry_covers_bare_hands() -> None:
    table = defending(PARRY, s={"items": {}})

    assert defences(struck(table, "parry", parry=(2, 2, 3))) == [("parry", 3 + 6 + 2 - 3)]


# Double


@pytest.mark.clause("GU-1120")
@pytest.mark.parametrize("on_map", [False, True])
def test_a_second_defence_may_save_who_failed_the_first(on_map: bool) -> None:
    table = both(on_map, "s", "x", 1)
    table.play("all_out_defense", "s", options={"option": DOUBLE})
    table.end_turn()

    done = struck(table, "block", block=(4, 4, 5), second_defense="parry", parry=(4, 3, 3))

    assert defences(done) == [("block", 12), ("parry", 12)]
    assert done.of(ev.DamageDealt) == []
    question = done.questions("second_defense")[0]
    assert (question.clause, question.to) == ("GU-1120", "s")


@pytest.mark.clause("GU-1120")
def test_who_succeeds_is_not_asked_again() -> None:
    done = struck(defending(DOUBLE), "block", block=(4, 4, 4))

    assert done.questions("second_defense") == []


@pytest.mark.clause("GU-1120")
def test_who_does_not_defend_at_first_has_no_second() -> None:
    done = struck(defending(DOUBLE), "none", damage=(1, 1))

    assert done.questions("second_defense") == []


@pytest.mark.clause("GU-1120")
@pytest.mark.parametrize(("kind", "faces"), [("dodge", (4, 4, 4)), ("block", (4, 4, 5)), ("parry", (4, 4, 5))])
def test_the_second_must_differ(kind: str, faces: tuple[int, ...]) -> None:
    table = defending(DOUBLE)

    with pytest.raises(Refused) as refused:
        struck(table, kind, **{kind: faces}, second_defense=kind)

    assert ("defense_must_differ", "GU-1120") in [(one.code, one.clause) for one in refused.value.reasons]


@pytest.mark.clause("GU-1120")
def test_a_parry_with_the_other_hand_differs() -> None:
    table = defending(DOUBLE, s={"items": {}}, x={"items": {}})

    done = table.play(
        "attack",
        "x",
        "s",
        options={"mode": "kick"},
        to_hit=HIT,
        defend=("parry", {"with": "hand_main"}),
        parry=[(4, 4, 4), (3, 2, 2)],
        second_defense=("parry", {"with": "hand_off"}),
    )

    assert defences(done) == [("parry", 9), ("parry", 9)]
    assert done.of(ev.DamageDealt) == []


@pytest.mark.clause("GU-1120")
def test_the_same_hand_does_not_differ() -> None:
    table = defending(DOUBLE, s={"items": {}}, x={"items": {}})

    with pytest.raises(Refused) as refused:
        table.play(
            "attack",
            "x",
            "s",
            options={"mode": "kick"},
            to_hit=HIT,
            defend=("parry", {"with": "hand_main"}),
            parry=(4, 4, 4),
            second_defense=("parry", {"with": "hand_main"}),
        )

    assert "defense_must_differ" in [one.code for one in refused.value.reasons]


@pytest.mark.clause("GU-1120", "GU-330", "GU-340")
def test_each_counts_for_its_limits() -> None:
    table = fight(s={}, x={}, p={}, apart={"sx": 1, "ps": 2})
    table.play("all_out_defense", "s", options={"option": DOUBLE})
    table.end_turn()
    struck(table, "block", block=(4, 4, 5), second_defense="parry", parry=(4, 3, 3))
    table.end_turn()

    done = table.play("attack", "p", "s", weapon="spear", to_hit=HIT, defend="parry", parry=(2, 2, 2))

    assert defences(done) == [("parry", 12 - 4)]
    assert "block" not in {option.id for option in done.questions("defend")[0].options}


@pytest.mark.clause("GU-1120")
def test_it_helps_against_each_attack() -> None:
    table = fight(s={}, x={}, p={}, apart={"sx": 1, "ps": 2})
    table.play("all_out_defense", "s", options={"option": DOUBLE})
    table.end_turn()

    first = struck(table, "dodge", dodge=(4, 4, 4), second_defense="parry", parry=(4, 3, 3))
    table.end_turn()
    second = table.play(
        "attack",
        "p",
        "s",
        weapon="spear",
        to_hit=HIT,
        defend="dodge",
        dodge=(4, 4, 4),
        second_defense="block",
        block=(4, 4, 4),
    )

    assert first.of(ev.DamageDealt) == second.of(ev.DamageDealt) == []


# Limits of the double defence


@pytest.mark.clause("GU-1130")
def test_there_is_never_a_third() -> None:
    done = struck(
        defending(DOUBLE),
        "block",
        block=(4, 4, 5),
        second_defense="parry",
        parry=(4, 4, 5),
        damage=(1, 1),
    )

    assert [question.kind for question in done.questions()] == ["defend", "second_defense"]
    assert len(done.of(ev.DamageDealt)) == 1


@pytest.mark.clause("GU-1130")
def test_against_a_critical_hit_nothing_helps() -> None:
    table = defending(DOUBLE)

    done = table.play("attack", "x", "s", weapon="axe", to_hit=(1, 1, 1), critical_hit=(3, 3, 4), damage=(1, 1))

    assert done.questions() == []


@pytest.mark.clause("GU-1130", "GU-395")
def test_a_fumbled_first_has_its_consequence_before_the_second() -> None:
    done = struck(defending(DOUBLE), "dodge", dodge=(6, 6, 6), second_defense="parry", parry=(3, 3, 3))

    assert defences(done) == [("dodge", 9), ("parry", 12 - 3)]
    kinds = [type(event) for event in done.events]
    prone = next(
        place
        for place, event in enumerate(done.events)
        if isinstance(event, ev.EffectBegan) and event.effect.kind == "lying_prone"
    )
    last = len(kinds) - 1 - kinds[::-1].index(ev.CheckRolled)
    assert prone < last
    assert done.of(ev.DamageDealt) == []


# Movement


@pytest.mark.clause("GU-1140")
@pytest.mark.parametrize("on_map", [False, True])
@pytest.mark.parametrize(
    ("option", "yards", "reasons"),
    [
        (DODGE, 3, []),
        (DODGE, 4, ["move_too_far"]),
        (PARRY, 1, []),
        (PARRY, 2, ["step_too_far"]),
        (BLOCK, 1, []),
        (BLOCK, 2, ["step_too_far"]),
        (DOUBLE, 1, []),
        (DOUBLE, 2, ["step_too_far"]),
    ],
)
def test_half_the_move_with_increased_dodge_and_a_step_else(
    on_map: bool, option: str, yards: int, reasons: list[str]
) -> None:
    table = both(on_map, "r", "x", 5)
    way: dict[str, Any] = (
        {"path": [(-yards, 0)], "options": {"option": option}}
        if on_map
        else {"said": {"length": yards}, "options": {"option": option, "away_from": "x"}}
    )

    found = table.reasons("all_out_defense", "r", **way)

    assert [(one.code, one.clause) for one in found] == [(code, "GU-1140") for code in reasons]


@pytest.mark.clause("GU-1140")
@pytest.mark.parametrize("on_map", [False, True])
@pytest.mark.parametrize("at", [None, 0])
def test_he_goes_where_he_said(on_map: bool, at: int | None) -> None:
    table = both(on_map, "r", "x", 5)
    options: dict[str, Any] = {"option": DODGE, **({} if at is None else {"act_at": at})}

    if on_map:
        done = table.play("all_out_defense", "r", path=[(-3, 0)], options=options)
    else:
        done = table.play("all_out_defense", "r", said={"length": 3}, options={**options, "away_from": "x"})

    moved = done.one(ev.Moved)
    assert (moved.distance, moved.clause) == (length(3), "GU-1140")
    assert table.has("r", "all_out_defending")


# And a retreat


@pytest.mark.clause("GU-1150")
@pytest.mark.parametrize("on_map", [False, True])
def test_a_retreat_adds_to_it(on_map: bool) -> None:
    table = both(on_map, "r", "x", 1)
    table.play("all_out_defense", "r", options={"option": DODGE})
    table.end_turn()

    done = table.play(
        "attack", "x", "r", weapon="axe", to_hit=HIT, defend=("dodge", {"retreat": True}), dodge=(5, 5, 4)
    )

    assert defences(done) == [("dodge", 9 + 2 + 3)]
    assert {option.id for option in done.questions("defend")[0].options} >= {"dodge", "none"}


@pytest.mark.clause("GU-1150", "GU-380")
def test_throwing_oneself_down_is_a_dodge_too() -> None:
    table = fight(x={}, r={}, apart={"rx": 10})
    table.play("all_out_defense", "x", options={"option": DODGE})
    table.end_turn()

    done = table.play("attack", "r", "x", weapon="assault_rifle", to_hit=HIT, defend="dodge_and_drop", dodge=(5, 5, 3))

    assert [target for _, target in defences(done)] == [8 + 2 + 3]
