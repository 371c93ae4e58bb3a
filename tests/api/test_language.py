"""The reader's language: weights, fallbacks, and that only words change."""

import pytest

from app.api.language import negotiate
from app.api.problem_texts import FAULTS, KINDS, PROBLEMS, Code, fault_message
from tests.api.table import Table


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("pl", "pl"),
        ("ru-RU, en;q=0.5", "ru"),
        ("en;q=0.5, pl;q=0.9", "pl"),
        ("de, fr;q=0.9", "en"),
        ("de, pl;q=0.1", "pl"),
        ("pl;q=0", "en"),
        ("*", "en"),
        ("PL-pl", "pl"),
        ("pl;q=2, ru;q=0.3", "ru"),
        ("pl;q=abc, ru", "ru"),
        (",,;;q=,", "en"),
        ("x" * 10_000, "en"),
    ],
)
def test_the_best_of_ours_by_weight_is_taken(header: str, language: str) -> None:
    assert negotiate(header, "en") == language


def test_whoever_asks_for_none_of_ours_gets_the_tables_own() -> None:
    assert negotiate("de", "pl") == "pl"
    assert negotiate("*", "ru") == "ru"


async def test_only_words_change_with_the_language(duel: Table) -> None:
    seen = {}
    for language in ("en", "ru", "pl"):
        refused = await duel.post(
            f"{duel.encounter}/actions",
            {"actor": "ref:orc", "action": "watch"},
            headers={"accept-language": language},
        )
        assert refused.headers["content-language"] == language
        seen[language] = refused.json()

    assert len({one["title"] for one in seen.values()}) == 3
    assert len({one["reasons"][0]["message"] for one in seen.values()}) == 3
    for one in seen.values():
        assert (one["code"], one["reasons"][0]["code"]) == ("illegal_action", "not_your_turn")


async def test_events_are_told_in_the_readers_language(duel: Table) -> None:
    told = [
        (await duel.get(f"{duel.encounter}/log", headers={"accept-language": language})).json()["items"]
        for language in ("en", "ru", "pl")
    ]

    bare = [[{k: v for k, v in event.items() if k != "text"} for event in items] for items in told]
    assert bare[0] == bare[1] == bare[2]
    began = [next(event["text"] for event in items if event["type"] == "round_began") for items in told]
    assert len(set(began)) == 3


def test_every_problem_and_every_fault_has_three_languages() -> None:
    assert set(PROBLEMS) == set(Code)
    for entry in PROBLEMS.values():
        words = [entry.words(language) for language in ("en", "ru", "pl")]
        assert len({one.title for one in words}) == len({one.detail for one in words}) == 3
    for code, messages in FAULTS.items():
        assert len(messages) == 3
        assert all(messages), code
    assert fault_message("wrong_type", "pl", "whole") == f"Tutaj oczekiwane: {KINDS['whole'][2]}."
    assert fault_message("never heard of", "ru") == FAULTS["bad_value"][1]
    assert fault_message("die_out_of_range", "ru", "1 to 10") == "На этой кости может выпасть от 1 до 10."
    assert fault_message("die_out_of_range", "pl", "1 to 10") == "Na tej kości może wypaść od 1 do 10."
    assert fault_message("die_out_of_range", "en", "1 to 10") == "This die shows 1 to 10."


@pytest.mark.parametrize(("language", "names"), [("en", ["Axeman", "Spearman 1"]), ("pl", ["Topornik", "Włócznik 1"])])
async def test_a_sample_enters_under_its_name_in_the_language_of_whoever_lets_him_in(
    real: Table, language: str, names: list[str]
) -> None:
    spears = {"sample": "sample_spearman", "side": "red", "count": 2}
    people = [{"sample": "sample_axeman", "side": "blue"}, spears, spears | {"name": "Rob"}]
    body = {"campaign": real.campaign, "name": "Yard", "ruleset": "gurps_4e", "combatants": people}
    headers = {"accept-language": language}
    made = await real.post("/v1/encounters", body, headers=headers)
    home = f"/v1/encounters/{made.json()['id']}/combatants"
    assert (await real.post(home, {"combatants": people[:1]}, headers=headers)).is_success

    seen = [one["name"] for one in (await real.get(home)).json()["items"]]
    assert seen == [*names, f"{names[1][:-1]}2", "Rob 1", "Rob 2", names[0]]


@pytest.mark.parametrize(
    ("language", "when"),
    [
        ("en", "Combat Turn 1 · Initiative Pass 1"),
        ("ru", "Боевой Ход 1 · Оборот Инициативы 1"),
        ("pl", "Tura Walki 1 · Przebieg Inicjatywy 1"),
    ],
)
async def test_round_and_pass_have_the_games_own_words(real: Table, language: str, when: str) -> None:
    people = [{"sample": "razor", "side": "blue"}, {"sample": "wren", "side": "red"}]
    body = {"campaign": real.campaign, "name": "Yard", "ruleset": "shadowrun_5e", "combatants": people}
    home = f"/v1/encounters/{(await real.made('/v1/encounters', body))['id']}"
    assert (await real.get(home)).json()["round_text"] == ""
    await real.made(f"{home}/start", {})
    view = (await real.get(home, headers={"accept-language": language})).json()
    assert (view["round_text"], view["round"], view["pass"]) == (when, 1, 1)
