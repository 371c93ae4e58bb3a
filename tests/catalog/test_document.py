"""Bad data stops the start, with file and place, and everything that is wrong is told at once."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.catalog import Catalog, Rulebook
from app.catalog.document import KindWord
from app.catalog.findings import MOST, Findings, pointer
from app.catalog.pinning import canonical, pin
from app.engine.reasons import KINDS, BadRuleset
from tests.catalog.conftest import HOME, PACKAGE, Copy, Judge

Change = Callable[[dict[str, Any]], object]


def at(*path: str | int, value: Any) -> Change:
    """A change that puts a value at a place of the document."""

    def change(document: dict[str, Any]) -> None:
        inside: Any = document
        for step in path[:-1]:
            inside = inside[step]
        inside[path[-1]] = value

    return change


def without(*path: str | int) -> Change:
    """A change that takes away what stands at a place."""

    def change(document: dict[str, Any]) -> None:
        inside: Any = document
        for step in path[:-1]:
            inside = inside[step]
        del inside[path[-1]]

    return change


HIT, PARAMS = ("actions", "hit"), ("actions", "hit", "params")

BAD: list[tuple[Change, list[str]]] = [
    # the head
    (at("ruleset", "version", value="1"), ["/ruleset/version bad_text"]),
    (at("ruleset", "version", value=1), ["/ruleset/version wrong_type"]),
    (at("ruleset", "metric", value="miles"), ["/ruleset/metric unknown_word"]),
    (at("ruleset", "title", value={"en": "Toy"}), ["/ruleset/title/pl missing", "/ruleset/title/ru missing"]),
    (at("ruleset", "titel", value=1), ["/ruleset/titel unknown_field"]),
    (at("ruleset", "kinds", "out_of_range", value="space"), ["/ruleset/kinds/out_of_range unknown_word"]),
    (without("ruleset", "kinds", "unknown_effect"),
     ["/ruleset/general/unknown_effect unknown_name", "/ruleset/kinds/unknown_effect missing"]),
    (without("ruleset", "general", "decision_pending"), ["/ruleset/general/decision_pending missing"]),
    (without("ruleset", "kinds", "roll_pending"),
     ["/ruleset/general/roll_pending unknown_name", "/ruleset/kinds/roll_pending missing"]),
    (at("ruleset", "general", "roll_pending", value="TY-99"), ["/ruleset/general/roll_pending unknown_name"]),
    (at("ruleset", "alone", value=["unknown_actoin"]), ["/ruleset/alone/0 unknown_name"]),
    (at("ruleset", "planned", value={"hit": "TY-20"}), ["/ruleset/planned/hit given_and_planned"]),
    # the sheet
    (at("stats", "figures", "might", "kind", value="attribute"), ["/stats/figures/might/kind unknown_kind",
                                                                  "/stats/skills/block/stat unknown_name"]),
    (without("stats", "figures", "might", "kind"), ["/stats/figures/might/kind missing",
                                                   "/stats/skills/block/stat unknown_name"]),
    (at("stats", "figures", "wits", "default", value=21), ["/stats/figures/wits/default out_of_bounds"]),
    (at("stats", "figures", "life", "max", value=0), ["/samples/gnarl/sheet/life out_of_bounds",
                                                     "/stats/figures/life/max contradiction"]),
    (at("stats", "skills", "block", "stat", value="life"), ["/stats/skills/block/stat unknown_name"]),
    (at("stats", "ranks", value={}), ["/samples/gnarl/sheet/skills/block unknown_word", "/stats/ranks missing"]),
    (at("stats", "armour", "default", value="plate"), ["/stats/armour/default unknown_name"]),
    (at("stats", "armour", "max", value=3), ["/armour/mail/bottom out_of_bounds"]),
    (at("stats", "resources", "hurt", "max", value="lief"), ["/stats/resources/hurt/max unknown_name"]),
    (at("stats", "resources", "hurt", "max", value=True), ["/stats/resources/hurt/max wrong_type"]),
    (at("stats", "traits", "brute", value={}), ["/stats/traits/brute/clause missing"]),
    # actions
    (at(*HIT, "cost", value={}), ["/actions/hit/cost too_few", "/actions/hit/default_type unknown_word"]),
    (at(*HIT, "cost", "half", value={"points": 1}), ["/actions/hit/cost/half/points unknown_name"]),
    (at(*HIT, "cost", "half", "point", value=-1), ["/actions/hit/cost/half/point out_of_bounds"]),
    (at(*HIT, "default_type", value="quarter"), ["/actions/hit/default_type unknown_word"]),
    (without(*HIT, "default_type"), ["/actions/hit/default_type no_default_type"]),
    (at(*HIT, "tags", value="attack"), ["/actions/hit/tags wrong_type"]),
    (at(*HIT, "tags", value=["attack", "attack"]), ["/actions/hit/tags choices_repeat"]),
    (at(*HIT, "tags", value=["Attack"]), ["/actions/hit/tags/0 bad_text", *(
        f"/locale/{language}/subtype/Attack missing_name" for language in ("en", "pl", "ru"))]),
    (at(*HIT, "targets", "who", value="foe"), ["/actions/hit/targets/who unknown_word"]),
    (at(*HIT, "targets", "max", value=0), ["/actions/hit/targets/max contradiction"]),
    (at(*HIT, "targets", value={"who": "none"}), ["/actions/hit/targets/max contradiction"]),
    (at(*HIT, "needs", value=["loction"]), ["/actions/hit/needs/0 unknown_word"]),
    (at(*HIT, "form", "sure", "type", value="boolean"), ["/actions/hit/form/sure/type unknown_kind"]),
    (at(*HIT, "form", "sure", "min", value=1), ["/actions/hit/form/sure/min unknown_field"]),
    (at(*HIT, "form", "swings", "max", value=0), ["/actions/hit/form/swings/max contradiction"]),
    (at(*HIT, "form", "swings", "max", value="3"), ["/actions/hit/form/swings/max wrong_type"]),
    (at("actions", "step", "form", "far", "min", value=0.125), ["/actions/step/form/far/min not_hundredths"]),
    (at(*HIT, "resolver", value="strik"), ["/actions/hit/resolver unknown_kind"]),
    (without(*HIT, "resolver"), ["/actions/hit/resolver missing"]),
    (at(*HIT, "clauses", value=[]), ["/actions/hit/clauses too_few"]),
    (at(*HIT, "clauses", value=["TY-20", "TY-99"]), ["/actions/hit/clauses/1 unknown_name"]),
    (at(*HIT, "listed", value="yes"), ["/actions/hit/listed wrong_type"]),
    (at(*HIT, "rezolver", value=1), ["/actions/hit/rezolver unknown_field"]),
    (at("actions", value=[]), ["/actions wrong_type"]),
    (at("actions", "hit", value=None), ["/actions/hit wrong_type"]),
    # parameters of the code
    (at(*PARAMS, "to_hit", value="10"), ["/actions/hit/params/to_hit wrong_type"]),
    (at(*PARAMS, "to_hit", value=True), ["/actions/hit/params/to_hit wrong_type"]),
    (at(*PARAMS, "reach", value=1.005), ["/actions/hit/params/reach not_hundredths"]),
    (at(*PARAMS, "reach", value="far"), ["/actions/hit/params/reach wrong_type"]),
    (at(*PARAMS, "harm", value="1d6+"), ["/actions/hit/params/harm bad_dice"]),
    (at(*PARAMS, "harm", value="9999d6"), ["/actions/hit/params/harm bad_dice"]),
    (at(*PARAMS, "cap", value="many"), ["/actions/hit/params/cap unknown_word"]),
    (at(*PARAMS, "cap", value=1.5), ["/actions/hit/params/cap wrong_type"]),
    (at(*PARAMS, "cites", value={"to_hit": "TY-99"}), ["/actions/hit/params/cites/to_hit unknown_name"]),
    (at(*PARAMS, "after", "down", value={"do": "begin", "effect": "prune"}),
     ["/actions/hit/params/after/down/effect unknown_name"]),
    (at(*PARAMS, "after", "down", value={"do": "bgin"}), ["/actions/hit/params/after/down/do unknown_kind"]),
    (at(*PARAMS, "after", "down", value={}), ["/actions/hit/params/after/down/do missing"]),
    (at(*PARAMS, "after", "down", value={"do": "begin", "effect": "prone", "by": 1}),
     ["/actions/hit/params/after/down/by unknown_field"]),
    (without(*PARAMS, "reach"), ["/actions/hit/params/reach missing"]),
    (at(*PARAMS, "rech", value=1), ["/actions/hit/params/rech unknown_field"]),
    (at(*PARAMS, "to_hit", value=10**30), ["/actions/hit/params/to_hit out_of_bounds"]),
    (at("actions", "step", "params", "steps", value=[1, "2"]), ["/actions/step/params/steps/1 wrong_type"]),
    # effects and modifiers
    (at("effects", "prone", "clause", value="TY-99"), ["/effects/prone/clause unknown_name"]),
    (at("effects", "prone", "clause", value="ty-1"), ["/effects/prone/clause bad_text",
                                                     "/effects/prone/clause unknown_name"]),
    (at("effects", "hasty", "until", 0, 0, "at", value="turn_begin"), ["/effects/hasty/until/0/0/at unknown_name"]),
    (at("effects", "hasty", "until", 0, 0, "who", value="me"), ["/effects/hasty/until/0/0/who unknown_word"]),
    (at("effects", "prone", "value", value={"min": 3, "max": 1}), ["/effects/prone/value/max contradiction"]),
    (at("effects", "prone", "value", value={"min": 1, "max": 3, "default": 4}),
     ["/effects/prone/value/default out_of_bounds"]),
    (at("effects", "prone", "against", value="maybe"), ["/effects/prone/against unknown_word"]),
    (at("effects", "hasty", "until", 0, value=[]), ["/effects/hasty/until/0 too_few"]),
    (at("effects", "hasty", "active_after", 0, "times", value=0),
     ["/effects/hasty/active_after/0/times out_of_bounds"]),
    (at("modifiers", "z_prone", "when", "all", 1, value="target.proen"),
     ["/modifiers/z_prone/when/all/1 unknown_tag"]),
    (at("modifiers", "z_prone", "when", "nor", value=[]), ["/modifiers/z_prone/when/nor unknown_field"]),
    (at("modifiers", "z_prone", "stage", value="hti"), ["/modifiers/z_prone/stage unknown_name"]),
    (at("modifiers", "z_prone", "value", value=1.5), ["/modifiers/z_prone/value wrong_type"]),
    (at("modifiers", "a_dark", "when", "any", 0, value="given.drak"), [
        f"/locale/{language}/modifier/drak missing_name" for language in ("en", "pl", "ru")]),
    # options
    (at("options", "cap", "default", value="middle"), ["/options/cap/default default_not_offered"]),
    (at("options", "stops", "default", value=["high", "middle"]), ["/options/stops/default/1 default_not_offered"]),
    (at("options", "bonus", "default", value=10), ["/options/bonus/default out_of_bounds"]),
    (at("options", "limit", "default", value="never"), ["/options/limit/default wrong_type"]),
    (at("options", "near_m", "default", value=0.333), ["/options/near_m/default not_hundredths"]),
    (at("options", "fall", "default", value="much"), ["/options/fall/default bad_dice"]),
    (at("options", "brutal", "default", value=0), ["/options/brutal/default wrong_type"]),
    (at("options", "brutal", "choices", value=[]), ["/options/brutal/choices unknown_field"]),
    # things
    (at("weapons", "bow", "class", value="bow"), ["/weapons/bow/class unknown_word"]),
    (at("weapons", "bow", "qualities", value={"pierceing": 1}), ["/weapons/bow/qualities/pierceing unknown_name"]),
    (at("weapons", "bow", "qualities", value={"piercing": True}), ["/weapons/bow/qualities/piercing quality_figure"]),
    (at("weapons", "bow", "qualities", value={"heavy": 1}), ["/weapons/bow/qualities/heavy quality_figure"]),
    (at("armour", "mail", "middle", value=1), ["/armour/mail/middle unknown_name"]),
    (at("tables", "speed", 0, "pace", value="2 m"), ["/tables/speed/0/pace wrong_type"]),
    (at("tables", "sped", value=[]), ["/tables/sped unknown_field"]),
    (without("tables", "speed"), ["/tables/speed missing"]),
    (at("samples", "gnarl", "sheet", "migth", value=3), ["/samples/gnarl/sheet/migth unknown_field"]),
    (without("samples", "gnarl", "sheet", "might"), ["/samples/gnarl/sheet/might missing"]),
    (at("samples", "gnarl", "items", "club", "kind", value="clbu"), ["/samples/gnarl/items/club/kind unknown_name"]),
    # whole sections
    (without("effects"), ["/actions/hit/params/after/down/effect unknown_name", "/effects missing",
                          "/modifiers/z_prone/when/all/1 unknown_tag"]),
]  # fmt: skip


@pytest.mark.parametrize(("change", "expected"), BAD, ids=[f"{n}-{one[1][0]}" for n, one in enumerate(BAD)])
def test_each_kind_of_bad_data_has_its_place_and_code(judge: Judge, change: Change, expected: list[str]) -> None:
    found = [f"{one.place} {one.code}" for one in judge(change)]

    assert found == expected


def test_a_game_may_have_no_word_of_its_own_for_an_awaited_roll(judge: Judge) -> None:
    def lacks(document: dict[str, Any]) -> None:
        without("ruleset", "general", "roll_pending")(document)
        without("ruleset", "kinds", "roll_pending")(document)

    assert [finding.place for finding in judge(lacks)] == []


def places(value: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """The path of everything in a document."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inside in steps:
        yield (*path, step)
        yield from places(inside, *path, step)


def test_nonsense_at_any_place_is_told_and_never_breaks_the_check(judge: Judge, book: Rulebook) -> None:
    nonsense: list[Any] = [None, [], {}, "", "x", "none", 0, -1, 1.5, True, 10**40, [[]], {"": None}, {"a": {"b": [1]}}]
    everywhere = list(places(book.document))

    assert len(everywhere) > 300
    for number, path in enumerate(everywhere):
        for value in (nonsense[number % len(nonsense)], nonsense[(number + 5) % len(nonsense)]):
            for finding in judge(at(*path, value=value)):
                assert finding.message


def test_all_mistakes_are_told_at_once_with_file_and_line(spoiled: Copy) -> None:
    spoiled.change("actions.yaml", "to_hit: 10", "to_hit: often")
    spoiled.change("actions.yaml", "swings: {type: integer, min: 1", "swings: {type: integer, min: no")
    spoiled.change("effects.yaml", "rank: 10", "rnak: 10")
    spoiled.change("modifiers.yaml", "target.prone", "target.proen")
    spoiled.change("options.yaml", "default: low", "default: middle")
    spoiled.change("tables/speed.yaml", "pace: 4.25", "pace: 4.255")
    spoiled.change("clauses.yaml", "TY-30:\n", "TY-31:\n")
    spoiled.change("locale/pl.yaml", '  hasty: "Hasty (pl)"\n', "")

    assert [line.partition(": ")[0] for line in spoiled.told()] == [
        "toy/actions.yaml:11 /actions/hit/form/swings/min",
        "toy/actions.yaml:14 /actions/hit/params/to_hit",
        "toy/actions.yaml:29 /actions/step/clauses/0",
        "toy/effects.yaml:3 /effects/hasty/clause",
        "toy/effects.yaml:4 /effects/hasty/rnak",
        "toy/effects.yaml:1 /effects/prone/clause",
        "toy/locale/pl.yaml:22 /locale/pl/effect/hasty",
        "toy/modifiers.yaml:2 /modifiers/a_dark/clause",
        "toy/modifiers.yaml:1 /modifiers/z_prone/clause",
        "toy/modifiers.yaml:1 /modifiers/z_prone/when/all/1",
        "toy/options.yaml:2 /options/cap/default",
        "toy/ruleset.yaml:53 /ruleset/planned/fly",
        "toy/tables/speed.yaml:2 /tables/speed/1/pace",
    ]


def test_a_finding_reads_as_a_sentence_and_offers_what_was_meant(spoiled: Copy) -> None:
    spoiled.change("modifiers.yaml", "target.prone", "target.proen")

    assert spoiled.told() == [
        "toy/modifiers.yaml:1 /modifiers/z_prone/when/all/1: unknown_tag: "
        "nothing ever sets the tag target.proen; did you mean target.prone?"
    ]


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lambda copy: (copy.home / "effects.yaml").unlink(), "/effects: missing_file"),
        (lambda copy: (copy.home / "locale" / "pl.yaml").unlink(), "/locale/pl: missing_file"),
        (lambda copy: copy.write("efects.yaml", b"a: 1"), "toy/efects.yaml"),
        (lambda copy: copy.write("locale/de.yaml", b"a: 1"), "toy/locale/de.yaml"),
        (lambda copy: copy.write("tables.yaml", b"a: 1"), "toy/tables.yaml"),
        (lambda copy: copy.write("actions.yaml", b"a: [1"), "toy/actions.yaml:2 /actions: bad_yaml"),
        (lambda copy: copy.write("actions.yaml", b""), "toy/actions.yaml:1 /actions: wrong_type"),
        (lambda copy: copy.write("actions.yaml", b"\xff\xfe"), "toy/actions.yaml:1 /actions: not_utf8"),
        (lambda copy: copy.change("ruleset.yaml", "id: toy", "id: tory"), "toy/ruleset.yaml:1 /ruleset/id"),
    ],
)
def test_files_that_are_missing_unknown_or_unreadable(
    spoiled: Copy, spoil: Callable[[Copy], object], expected: str
) -> None:
    spoil(spoiled)

    told = spoiled.told()

    assert any(expected in line for line in told), told


def test_messages_may_only_ask_for_figures_that_a_refusal_has(spoiled: Copy) -> None:
    spoiled.change("locale/en.yaml", '"Too far: at most {need}, here {got}."', '"Too far: at most {most}."')
    spoiled.change("locale/ru.yaml", "out_of_range__plain", "out_of_range__short")

    assert [line.partition(" ")[2].rpartition(": ")[0] for line in spoiled.told()] == [
        "/locale/en/reason/out_of_range: placeholder",
        "/locale/ru/reason/out_of_range: plain_missing",
    ]


def test_a_ruleset_without_code_is_told_with_the_rest(tmp_path: Any, spoiled: Copy) -> None:
    spoiled.change("options.yaml", "default: low", "default: middle")
    spoiled.home.rename(tmp_path / "ghost")

    with pytest.raises(BadRuleset) as error:
        Catalog.load(tmp_path, PACKAGE)

    told = "\n".join(error.value.findings)
    assert "/code: code_missing" in told
    assert "ghost/options.yaml:2 /options/cap/default: default_not_offered" in told


def test_a_very_long_list_of_findings_is_cut_and_says_so() -> None:
    findings = Findings()
    for number in range(MOST + 7):
        findings.add(pointer("actions", number), "missing", got=number)

    assert len(findings.told()) == MOST + 1
    assert findings.told()[-1] == "and 7 more"


def test_the_kinds_of_refusals_are_the_engines() -> None:
    assert set(KINDS) == set(KindWord.__args__)  # type: ignore[attr-defined]


def reversed_maps(value: Any) -> Any:
    """The same document with every map written the other way round."""
    if isinstance(value, dict):
        return {key: reversed_maps(value[key]) for key in reversed(value)}
    return [reversed_maps(one) for one in value] if isinstance(value, list) else value


def test_the_pin_tells_rules_and_not_how_they_were_written(book: Rulebook) -> None:
    document = dict(book.document)

    assert pin(reversed_maps(document)) == book.ruleset.pin
    assert pin({**document, "options": {}}) != book.ruleset.pin
    assert canonical({"b": 2.0, "a": [1.5, True, None, "ё"]}) == '{"a":[1.5,true,null,"ё"],"b":2}'


def test_two_documents_with_one_pin_play_alike(book: Rulebook) -> None:
    catalog = Catalog.load(HOME.parent, PACKAGE)
    other = catalog.restore(reversed_maps(dict(book.document))).ruleset

    assert other.pin == book.ruleset.pin
    assert list(other.actions) == list(book.ruleset.actions)
    assert other.actions["hit"].form == book.ruleset.actions["hit"].form
    assert list(other.actions["hit"].costs) == list(book.ruleset.actions["hit"].costs)
    assert other.modifiers == book.ruleset.modifiers
    assert catalog.by_pin(other.pin) is catalog.get("toy")


def test_a_stored_document_that_the_code_no_longer_knows_is_refused(book: Rulebook) -> None:
    catalog = Catalog.load(HOME.parent, PACKAGE)
    old: dict[str, Any] = reversed_maps(dict(book.document))
    old["actions"]["hit"]["resolver"] = "smite"

    with pytest.raises(BadRuleset, match="/actions/hit/resolver"):
        catalog.restore(old)
    with pytest.raises(BadRuleset, match="no ruleset"):
        catalog.restore({"ruleset": {"id": "chess"}})
