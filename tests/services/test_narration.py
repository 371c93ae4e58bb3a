"""Events as sentences: every class tells something or is silent on purpose, in each language and with any ruleset."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

import pytest

from app.catalog.findings import Findings
from app.catalog.registry import read_folder
from app.engine import events as ev
from app.engine.ids import ActionId, ClauseId, CombatantId, EffectId, ItemId
from app.engine.space.model import Cover, CoverPiece, Ground, PairFact
from app.engine.state import Combatant, Effect, Item, Sheet, Status, Tick
from app.services.narration import Book, Context, Names, narrate
from app.services.narration.catalogue import catalogue, split_forms
from app.services.narration.numbers import CATEGORIES, LANGUAGES
from app.services.narration.templates import SILENCE, Value, compiled
from app.services.narration.voice import LINE_LIMIT, Voice
from tests.support.repository import ROOT

ANN, BROK, WATCHER = CombatantId("cmb_a1"), CombatantId("cmb_b2"), CombatantId("cmb_w3")
GUN = ItemId("autogun")
CLAUSE = ClauseId("XX-1")
STUNNED = Effect(EffectId("cmb_b2.1"), "stunned", CLAUSE, value=2)
LATER = Effect(EffectId("cmb_b2.2"), "weakened", CLAUSE, active_after=(Tick("turn_start"),))
RULESETS = sorted(home for home in (ROOT / "rulesets").iterdir() if (home / "locale").is_dir())


def body(who: CombatantId, name: str, *, hidden: bool = False) -> Combatant:
    items: dict[str, Item] = {GUN: Item("autogun", held="main", marks={"ammo": 30})}
    return Combatant(who, name, "cult", Sheet({}), hidden=hidden, items=items)


BODIES = {ANN: body(ANN, "Ann"), BROK: body(BROK, "Brok"), WATCHER: body(WATCHER, "Watcher", hidden=True)}


def dice(*faces: int, sides: int = 100) -> tuple[ev.Die, ...]:
    return tuple(ev.Die(sides, face) for face in faces)


def check(outcome: Literal["success", "failure"] = "success", *faces: int, degrees: int = 4) -> ev.CheckRolled:
    return ev.CheckRolled(ANN, "bs", "attack", 72, dice(*(faces or (41,))), outcome, degrees, against=BROK)


def hits(*places: str | None, targets: tuple[CombatantId, ...] = ()) -> tuple[ev.Hit, ...]:
    whom = targets or (BROK,) * len(places)
    return tuple(ev.Hit(number, whom[number - 1], place) for number, place in enumerate(places, 1))


SAMPLES: Mapping[type[ev.Event], tuple[ev.AnyEvent, ...]] = {
    ev.EncounterStarted: (ev.EncounterStarted(),),
    ev.EncounterEnded: (ev.EncounterEnded(), ev.EncounterEnded("The cult flees")),
    ev.EncounterSet: (
        ev.EncounterSet({"delay_cost": "half", "point_blank_m": 2, "parry_multi": True}, "client"),
        ev.EncounterSet({f"option_{place}": ("a", "b") for place in range(9)}, "server"),
        ev.EncounterSet({"limit": None, "causes": ()}),
    ),
    ev.RoundBegan: (ev.RoundBegan(3),),
    ev.PassBegan: (ev.PassBegan(2),),
    ev.TurnBegan: (ev.TurnBegan(ANN), ev.TurnBegan(ANN, "late", False), ev.TurnBegan(ANN, "phase")),
    ev.TurnEnded: (ev.TurnEnded(ANN), ev.TurnEnded(ANN, "late")),
    ev.SlotQueued: (ev.SlotQueued(ANN, "late", front=True),),
    ev.SlotDropped: (ev.SlotDropped(ANN, "late"),),
    ev.Joined: (ev.Joined(BODIES[ANN]), ev.Joined(body(CombatantId("cmb_z9"), "Zed"))),
    ev.Left: (ev.Left(ANN),),
    ev.Edited: (ev.Edited(BODIES[ANN], ("notes",)),),
    ev.PoolChanged: (
        ev.PoolChanged(ANN, "wounds", -3, 7),
        ev.PoolChanged(ANN, "wounds", -3, 7, CLAUSE),
        ev.PoolChanged(ANN, "fatigue", 1, 1, CLAUSE),
    ),
    ev.BudgetChanged: (ev.BudgetChanged(ANN, "half_action", -1, 1),),
    ev.StandingSet: (ev.StandingSet(ANN, (11, 4), dice(7, sides=10)), ev.StandingSet(ANN, ())),
    ev.ActionTaken: (
        ev.ActionTaken(ANN, ActionId("charge"), "full", ("attack",), ItemId("sword_2"), (BROK,)),
        ev.ActionTaken(ANN, ActionId("standard_attack"), "half", ("attack",), GUN, (BROK,), note="For the Emperor!"),
        ev.ActionTaken(ANN, ActionId("aim"), "half", note="Steady"),
        ev.ActionTaken(ANN, ActionId("suppressing_fire"), "full", ("attack",), GUN, (BROK, ANN)),
    ),
    ev.Moved: (
        ev.Moved(ANN, 750),
        ev.Moved(ANN, 800, beside=BROK),
        ev.Moved(ANN, 200, forced=True),
        ev.Moved(ANN, 0, forced=True),
    ),
    ev.Turned: (ev.Turned(ANN, 90),),
    ev.EngagementBegan: (ev.EngagementBegan(ANN, BROK),),
    ev.EngagementEnded: (ev.EngagementEnded(ANN, BROK),),
    ev.EffectBegan: (ev.EffectBegan(BROK, STUNNED), ev.EffectBegan(BROK, LATER)),
    ev.EffectCounted: (ev.EffectCounted(BROK, EffectId("cmb_b2.1"), ()),),
    ev.EffectEnded: (
        ev.EffectEnded(BROK, EffectId("cmb_b2.1"), "stunned"),
        ev.EffectEnded(BROK, EffectId("cmb_b2.1"), "stunned", "replaced"),
    ),
    ev.ItemMarked: (
        ev.ItemMarked(ANN, GUN, "ammo", -3, 27),
        ev.ItemMarked(ANN, GUN, "ammo", 3, 30),
        ev.ItemMarked(ANN, GUN, "jammed", 1, 1),
        ev.ItemMarked(ANN, GUN, "jammed", -1, 0),
        ev.ItemMarked(ANN, GUN, "braced", 1, 1),
        ev.ItemMarked(ANN, GUN, "braced", -1, 0),
        ev.ItemMarked(ANN, GUN, "heat", 1, 2),
    ),
    ev.ItemMoved: (
        ev.ItemMoved(ANN, GUN, "main"),
        ev.ItemMoved(ANN, GUN),
        ev.ItemMoved(ANN, GUN, on_ground=True),
    ),
    ev.ItemChanged: (
        ev.ItemChanged(ANN, ItemId("frag_grenade"), Item("frag_grenade", count=2)),
        ev.ItemChanged(ANN, ItemId("knife"), Item("knife", on_ground=True)),
        ev.ItemChanged(ANN, ItemId("frag_grenade_2"), None),
    ),
    ev.CoverChanged: (
        ev.CoverChanged(ANN, Cover(50, (CoverPiece("sandbags", 8),))),
        ev.CoverChanged(ANN, Cover(50)),
        ev.CoverChanged(ANN, None),
        ev.CoverChanged(ANN, Cover()),
    ),
    ev.CoverWorn: (ev.CoverWorn("wood", 1),),
    ev.StatusChanged: tuple(ev.StatusChanged(ANN, status) for status in get_args(Status)),
    ev.FactStated: (ev.FactStated(ANN, BROK, PairFact(distance=1250)), ev.FactStated(ANN, BROK, PairFact(sees=False))),
    ev.MapChanged: (ev.MapChanged(Ground()), ev.MapChanged(None)),
    ev.CheckRolled: (check(), check("failure"), check("success", 6, 5, 1), check("success", *range(1, 25))),
    ev.ContestSettled: (
        ev.ContestSettled(ANN, BROK, "grapple", ANN, 2),
        ev.ContestSettled(ANN, BROK, "grapple", ANN),
        ev.ContestSettled(ANN, BROK, "grapple", None),
    ),
    ev.AttackMade: (
        ev.AttackMade(ANN, BROK, ActionId("semi_auto_burst"), GUN, "autogun"),
        ev.AttackMade(ANN, BROK, ActionId("headbutt"), GUN),
        ev.AttackMade(ANN, BROK, ActionId("headbutt")),
    ),
    ev.HitsScored: (
        ev.HitsScored(ANN, hits("body", "body", "head")),
        ev.HitsScored(ANN, hits("body", "head", targets=(BROK, ANN))),
        ev.HitsScored(ANN, hits(None, None, targets=(BROK, ANN))),
        ev.HitsScored(ANN, hits(None)),
        ev.HitsScored(ANN, ()),
    ),
    ev.DefenceResolved: (
        ev.DefenceResolved(BROK, ANN, "dodge", (1, 2), ()),
        ev.DefenceResolved(BROK, ANN, "dodge", (1, 2), (3,)),
        ev.DefenceResolved(BROK, ANN, "parry", (), (1,)),
        ev.DefenceResolved(BROK, ANN, "none", (), (1,)),
    ),
    ev.DamageDealt: (
        ev.DamageDealt(ANN, BROK, 7, 12, dice(8, sides=10), location="right_arm", damage_type="impact"),
        ev.DamageDealt(None, BROK, 4, 4),
        ev.DamageDealt(ANN, BROK, 0, 3, location="head"),
    ),
    ev.CriticalSuffered: (
        ev.CriticalSuffered(BROK, 4, "left_leg"),
        ev.CriticalSuffered(BROK, 4, cause="righteous_fury"),
    ),
    ev.ActionStopped: (
        ev.ActionStopped(ANN, ActionId("charge"), "prone"),
        ev.ActionStopped(ANN, ActionId("charge"), "who_knows"),
    ),
    ev.Noted: (
        ev.Noted(ANN, "something_odd", BROK, (ev.Figure("rounds", 2), ev.Figure("oddity", 5)), ("head",), dice(3)),
        ev.Noted(ANN, "righteous_fury", BROK),
        ev.Noted(ANN, "gm_refused", words=("third_eye", BROK, GUN)),
        ev.Noted(ANN, "extended_progress", figures=(ev.Figure("progress", 1), ev.Figure("needed", 3))),
        ev.Noted(ANN, "blood_loss", dice=dice(4, sides=10)),
    ),
    ev.Appeared: (ev.Appeared(BODIES[ANN]),),
    ev.Ruled: (ev.Ruled("the floor gives way", (ANN, BROK)), ev.Ruled("x" * 1000)),
    ev.DecisionOpened: (
        ev.DecisionOpened("dec_1", BROK, "defend"),
        ev.DecisionOpened("dec_1", BROK, "roll"),
        ev.DecisionOpened("dec_1", CombatantId("gm"), "ruling"),
        ev.DecisionOpened("dec_1", BROK, "never_heard_of"),
    ),
    ev.DecisionAnswered: (
        ev.DecisionAnswered("dec_1", BROK, "engage", "engage"),
        ev.DecisionAnswered("dec_1", BROK, "engage", BROK, "timeout"),
        ev.DecisionAnswered("dec_1", BROK, "engage", "engage", "gm"),
        ev.DecisionAnswered("dec_1", BROK, "roll"),
    ),
    ev.ProposalSettled: (
        ev.ProposalSettled(ANN, "confirmed", "gm", ActionId("charge")),
        ev.ProposalSettled(ANN, "refused", "gm", ActionId("charge"), "not through the wall"),
        ev.ProposalSettled(ANN, "refused", "timeout", ActionId("charge")),
        ev.ProposalSettled(ANN, "withdrawn", "player", ActionId("charge")),
    ),
    ev.CommandCancelled: (ev.CommandCancelled("cmd_1", "wrong target"),),
    ev.Rewound: (ev.Rewound(7, "wrong target"),),
    ev.Forked: (ev.Forked("enc_0001", 7),),
    ev.Imported: (ev.Imported("enc_0001"),),
}
SILENT = {ev.TurnEnded, ev.SlotQueued, ev.SlotDropped, ev.BudgetChanged, ev.Turned, ev.EffectCounted}
"""Bookkeeping that nobody wants to read."""
EVERY_CLASS = (*ev.CHANGES, *ev.FACTS, *ev.TABLE_FACTS)
EVERY_EVENT = [event for samples in SAMPLES.values() for event in samples]


def no_names(kind: str, key: str, language: str) -> str | None:
    return None


def names_of(home: Path) -> Names:
    return read_folder(home, Findings())[1].find


def context(names: Names = no_names, *, unit: str = "m", sees_hidden: bool = False) -> Context:
    return Context(Book(names, unit), BODIES, sees_hidden=sees_hidden)


DARK_HERESY = context(names_of(ROOT / "rulesets" / "dark_heresy_2e"))


def test_every_class_of_the_vocabulary_has_a_sample() -> None:
    assert set(SAMPLES) == set(EVERY_CLASS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", EVERY_CLASS)
def test_every_class_tells_something_or_is_silent_on_purpose(kind: type[ev.Event], language: str) -> None:
    ctx = context()

    texts = [narrate(event, ctx, language) for event in SAMPLES[kind]]

    if kind in SILENT:
        assert not any(texts)
    else:
        assert texts[0]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ctx", [context(), DARK_HERESY], ids=["no ruleset", "dark_heresy_2e"])
def test_a_sentence_leaks_no_placeholder_and_is_short(ctx: Context, language: str) -> None:
    for event in EVERY_EVENT:
        text = narrate(event, ctx, language)

        assert not set("{}") & set(text), text
        assert "None" not in text
        assert "cmb_" not in text
        assert "()" not in text
        assert "  " not in text
        assert text == text.strip()
        assert len(text) <= LINE_LIMIT


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_begins_with_a_capital_and_ends_as_one(language: str) -> None:
    for event in EVERY_EVENT:
        text = narrate(event, DARK_HERESY, language)

        assert not text or (text[0].isupper() and text[-1] in ".!?…”»"), text


def test_a_russian_log_of_dark_heresy_holds_no_english_but_what_was_typed_or_never_named() -> None:
    typed = (
        "For the Emperor",
        "Steady",
        "The cult flees",
        "Wrong target",
        "Not through the wall",
        "Ann",
        "Brok",
        "Zed",
        "cult",
    )
    unnamed = ("something odd", "oddity", "third eye", "heat", "headbutt")
    for event in EVERY_EVENT:
        if isinstance(event, ev.EncounterSet | ev.Ruled):
            continue
        text = narrate(event, DARK_HERESY, "ru")
        for word in (*typed, *unnamed):
            text = text.replace(word, "")

        assert not any("a" <= letter.lower() <= "z" for letter in text), text


def test_a_fight_reads_as_a_story() -> None:
    fight: tuple[ev.AnyEvent, ...] = (
        ev.RoundBegan(1),
        ev.TurnBegan(ANN),
        ev.ActionTaken(ANN, ActionId("semi_auto_burst"), "half", ("attack",), GUN, (BROK,)),
        ev.AttackMade(ANN, BROK, ActionId("semi_auto_burst"), GUN, "autogun"),
        ev.ItemMarked(ANN, GUN, "ammo", -3, 27, CLAUSE),
        check(),
        ev.HitsScored(ANN, hits("body", "body")),
        ev.CheckRolled(BROK, "dodge", "evade", 28, dice(41), "failure", 2),
        ev.DefenceResolved(BROK, ANN, "dodge", (), (1, 2)),
        ev.DamageDealt(ANN, BROK, 7, 12, dice(8, sides=10), location="body"),
        ev.PoolChanged(BROK, "wounds", -7, 3, CLAUSE),
        ev.Noted(ANN, "righteous_fury", BROK),
        ev.EffectBegan(BROK, STUNNED),
        ev.TurnEnded(ANN),
    )

    told = {
        language: [text for event in fight if (text := narrate(event, DARK_HERESY, language))]
        for language in ("en", "ru", "pl")
    }

    assert told["en"] == [
        "Round 1.",
        "Ann's turn.",
        "Ann fires a short burst at Brok (autogun).",
        "Ann: autogun, 27 shots left.",
        "Ann, attack: Ballistic Skill 72, rolled 41 — success, 4 degrees.",
        "Ann scores 2 hits: body ×2.",
        "Brok, evasion: Dodge 28, rolled 41 — failure, 2 degrees.",
        "Brok takes 7 damage, body (12 in all, 5 absorbed).",
        "Righteous Fury! Ann strikes true: Brok.",
        "Brok is stunned for 2 turns.",
    ]
    assert told["ru"] == [
        "Раунд 1.",
        "Ходит Ann.",
        "Ann даёт короткую очередь, цель — Brok (автоган).",
        "Ann: автоган, в запасе 27 выстрелов.",
        "Ann, атака: Навык Стрельбы 72, выпадает 41 — успех, 4 степени.",
        "Ann попадает в цель, 2 попадания: корпус ×2.",
        "Brok, избегание: Уклонение 28, выпадает 41 — провал, 2 степени.",
        "Brok получает урон 7, корпус (всего 12, поглощено 5).",
        "Праведная ярость! Ann бьёт без промаха, цель — Brok.",
        "Brok: оглушение на 2 хода.",
    ]
    assert told["pl"] == [
        "Runda 1.",
        "Tura: Ann.",
        "Ann puszcza krótką serię, cel: Brok (autogun).",
        "Ann: autogun, w zapasie 27 strzałów.",
        "Ann, atak: Umiejętności Strzeleckie 72, wypada 41 — sukces, 4 stopnie.",
        "Ann trafia, 2 trafienia: korpus ×2.",
        "Brok, unikanie: Unik 28, wypada 41 — porażka, 2 stopnie.",
        "Brok otrzymuje obrażenia 7, korpus (łącznie 12, pochłonięte 5).",
        "Słuszny gniew! Ann trafia bezbłędnie, cel: Brok.",
        "Brok: ogłuszenie (2 tury).",
    ]


def test_a_length_stands_in_the_unit_of_the_ruleset_and_the_decimal_sign_of_the_language() -> None:
    moved = ev.Moved(ANN, 750)

    assert narrate(moved, context(unit="m"), "en") == "Ann moves 7.5 m."
    assert narrate(moved, context(unit="m"), "ru") == "Ann перемещается на 7,5 м."
    assert narrate(moved, context(unit="yd"), "pl") == "Ann przemieszcza się o 7,5 jarda."
    assert narrate(ev.Moved(ANN, 500), context(unit="yard"), "ru") == "Ann перемещается на 5 ярдов."
    assert narrate(ev.Moved(ANN, 100), context(unit="parsec"), "en") == "Ann moves 1 parsec."


def test_whom_the_reader_may_not_know_is_someone() -> None:
    attack = ev.AttackMade(ANN, WATCHER, ActionId("shot"))
    blanked = ev.AttackMade(CombatantId("unknown"), BROK, ActionId("shot"))

    assert narrate(attack, context(), "en") == "Ann attacks someone (shot)."
    assert narrate(attack, context(sees_hidden=True), "en") == "Ann attacks Watcher (shot)."
    assert narrate(blanked, context(), "en") == "Someone attacks Brok (shot)."
    assert narrate(blanked, context(), "ru").startswith("Кто-то атакует, цель — Brok")


def test_a_players_name_comes_out_harmless_and_unbent() -> None:
    rogue = body(ANN, "<b>@everyone</b> *Bob*_[x](https://evil.example)")
    ctx = Context(Book(no_names, "m"), {ANN: rogue}, sees_hidden=False)

    text = narrate(ev.Left(ANN), ctx, "en")

    assert text == r"‹b›＠everyone‹/b› \*Bob\*\_\[x\](https:\//evil… leaves the fight."


def test_a_ruleset_words_what_it_alone_knows_and_a_slip_in_its_text_closes_no_log() -> None:
    texts = {"noted__oath": "{who} swears {times:oath}[ against {target}].", "left": "{who", "moved": "-"}
    nouns = {"oath": "oath | oaths"}

    def find(kind: str, key: str, language: str) -> str | None:
        return {"narration": texts, "counted": nouns}.get(kind, {}).get(key)

    ctx = context(find)

    oath = ev.Noted(ANN, "oath", figures=(ev.Figure("times", 2),))
    assert narrate(oath, ctx, "en") == "Ann swears 2 oaths."
    assert narrate(ev.Left(ANN), ctx, "en") == "Ann leaves the fight."
    assert narrate(ev.Moved(ANN, 100), ctx, "en") == ""


def test_a_change_by_the_gm_is_told_where_the_rules_own_change_would_repeat_another_line() -> None:
    by_rule, by_gm = ev.PoolChanged(ANN, "wounds", -3, 7, CLAUSE), ev.PoolChanged(ANN, "wounds", -3, 7)

    assert narrate(by_rule, DARK_HERESY, "en") == ""
    assert narrate(by_gm, DARK_HERESY, "en") == "Ann: wounds 7 (-3)."


def test_a_word_of_a_player_stands_beside_a_silent_action() -> None:
    attack = ev.ActionTaken(ANN, ActionId("standard_attack"), "half", targets=(BROK,), note="Die!")
    aim = ev.ActionTaken(ANN, ActionId("aim"), "half", note="Steady")

    assert narrate(attack, DARK_HERESY, "en") == "Ann: “Die!”"
    assert narrate(aim, DARK_HERESY, "en") == "Ann takes aim (half action). “Steady”"


# The catalogues


def test_the_three_catalogues_have_equal_keys() -> None:
    english = {name: set(section) for name, section in catalogue("en").sections.items()}

    for language in LANGUAGES:
        assert {name: set(section) for name, section in catalogue(language).sections.items()} == english


def test_every_counted_noun_has_a_form_for_each_plural_category() -> None:
    for language in LANGUAGES:
        for noun, text in catalogue(language).sections["counted"].items():
            forms = split_forms(text)
            assert len(forms) == len(CATEGORIES[language]), (language, noun)
            assert all(forms)


@pytest.mark.parametrize("section", ["message", "prompt", "fault"])
def test_a_template_shows_the_same_values_in_every_language(section: str) -> None:
    for key in catalogue("en").sections[section]:
        shown = set()
        for language in LANGUAGES:
            ours = catalogue(language)
            template = compiled(ours.sections[section][key], language, ours.forms)
            shown.add(None if template is None else template.names)
        assert len(shown) == 1, key


@pytest.mark.parametrize("home", RULESETS, ids=lambda home: home.name)
def test_a_ruleset_words_the_same_things_in_every_language(home: Path) -> None:
    texts = read_folder(home, Findings())[1]
    told = {language: texts.locale[language].get("narration", {}) for language in LANGUAGES}

    assert set(told["en"]) == set(told["ru"]) == set(told["pl"])
    for key in told["en"]:
        shown = set()
        for language in LANGUAGES:
            voice = Voice(language, texts.find, "m")
            template = compiled(told[language][key], language, voice._forms)
            shown.add(None if template is None else template.names)
        assert len(shown) == 1, key


@pytest.mark.parametrize("home", RULESETS, ids=lambda home: home.name)
def test_a_template_asks_only_for_values_that_its_event_gives(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, set[str]] = {}

    def remember(self: Voice, key: str, values: Mapping[str, Value], *variants: str) -> str:
        given.setdefault(key, set()).update(values)
        return ""

    monkeypatch.setattr(Voice, "say", remember)
    ctx = context()
    for event in EVERY_EVENT:
        narrate(event, ctx, "en")
    texts = read_folder(home, Findings())[1]
    voice = Voice("en", texts.find, "m")

    both = {**catalogue("en").sections["message"], **texts.locale["en"].get("narration", {})}
    for key, text in both.items():
        kind = key.partition("__")[0]
        if kind in ("prompt", "noted"):  # their figures are the ruleset's own
            continue
        assert kind in given, f"no event is called {kind}"
        template = compiled(text, "en", voice._forms)
        assert template is None or template.names <= given[kind], key


def test_a_silence_is_written_as_one() -> None:
    for language in LANGUAGES:
        for kind in SILENT:
            tag = str(kind.__struct_config__.tag)
            assert catalogue(language).text("message", tag) == SILENCE


def test_dice_that_break_a_tie_are_not_added_up() -> None:
    tied = ev.StandingSet(ANN, (11, 4, 9), dice(7, 9, sides=10))

    assert narrate(tied, context(), "en") == "Ann: initiative 11 (rolled 7, 9)."


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pool_of_dice_whose_hits_are_counted_is_not_added_up(language: str) -> None:
    thrown = ev.CheckRolled(ANN, "reaction", "defence", 0, dice(6, 1, 2, 5, sides=6), "success", 2)

    told = narrate(thrown, context(names_of(ROOT / "rulesets" / "shadowrun_5e")), language)

    assert "6, 1, 2, 5" in told
    assert "=" not in told


def test_a_name_keeps_its_capital_wherever_it_stands() -> None:
    answered = ev.DecisionAnswered("dec_1", ANN, "engage", BROK)

    assert narrate(answered, context(), "en") == "Ann chooses: Brok."
    assert narrate(ev.DecisionAnswered("dec_1", ANN, "x", "engage"), DARK_HERESY, "en") == "Ann chooses: engage."
