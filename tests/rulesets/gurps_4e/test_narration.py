"""The log of a fight in English, Russian and Polish: every effect, action and fact is told or silent on purpose."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import events as ev
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId
from app.services.narration import narrate, question_title
from app.services.narration.numbers import LANGUAGES
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.telling import context, story, words
from tests.support.play import RULESETS, Played, PlayTable, book

HOME = RULESETS / "gurps_4e"
BOOK = book("gurps_4e")
TEXTS = BOOK.texts.locale
SOURCES = sorted(HOME.rglob("*.py"))


def told(language: str, key: str) -> bool:
    """Whether the ruleset words that event, or is silent on purpose."""
    return bool(TEXTS[language]["narration"].get(key))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_action_is_told_or_silent_on_purpose(language: str) -> None:
    assert [name for name in BOOK.ruleset.actions if not told(language, f"action_taken__{name}")] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("when", ["began", "ended"])
def test_every_effect_is_told_or_silent_on_purpose(when: str, language: str) -> None:
    assert [kind for kind in BOOK.ruleset.effects if not told(language, f"effect_{when}__{kind}")] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_row_of_the_critical_tables_is_told(language: str) -> None:
    tables: Any = BOOK.ruleset.tables
    rows = [*tables.critical_hits, *tables.critical_misses]

    assert [row.effect for row in rows if not told(language, f"critical_suffered__{row.effect}")] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_has_a_title_and_its_answer_is_told_or_silent_on_purpose(language: str) -> None:
    unknown = question_title("never_heard_of", context({}), language)
    for kind in BOOK.ruleset.questions:
        assert question_title(kind, context({}), language) != unknown, kind
        assert told(language, f"decision_answered__{kind}"), kind


def constants() -> dict[str, str]:
    """Words that stand under a name anywhere in the ruleset, where all of one name mean the same."""
    found: dict[str, set[str]] = {}
    for path in SOURCES:
        for one in ast.parse(path.read_text()).body:
            if not isinstance(one, ast.Assign):
                continue
            for target in one.targets:
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                values = one.value.elts if isinstance(one.value, ast.Tuple) else [one.value]
                for name, value in zip(names, values, strict=False):
                    if isinstance(name, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, str):
                        found.setdefault(name.id, set()).add(value.value)
    return {name: values.pop() for name, values in found.items() if len(values) == 1}


def said(function: str, place: int) -> Iterator[tuple[Path, str]]:
    """Words with which that function is called anywhere in the ruleset."""
    named = constants()
    for path in SOURCES:
        for call in ast.walk(ast.parse(path.read_text())):
            if not isinstance(call, ast.Call) or ast.unparse(call.func).rsplit(".", 1)[-1] != function:
                continue
            value = call.args[place] if len(call.args) > place else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield path, value.value
            elif isinstance(value, ast.Name) and value.id in named:
                yield path, named[value.id]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_is_told_or_silent_on_purpose(language: str) -> None:
    facts = {fact for _, fact in said("Noted", 1)}

    assert {"shoved", "weapon_flies"} <= facts
    assert [fact for fact in sorted(facts) if not told(language, f"noted__{fact}")] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_term_of_a_sum_has_a_name(language: str) -> None:
    terms = {term for _, term in said("Term", 0)} | {row.term for row in BOOK.ruleset.modifiers}
    held = TEXTS[language]

    assert {"range", "evaluate", "retreat"} <= terms
    assert [term for term in sorted(terms) if not any(term in held[kind] for kind in ("modifier", "stat"))] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_purpose_of_a_roll_has_a_name(language: str) -> None:
    found = {
        word
        for name, place in (("take_test", 3), ("contest", 3), ("roll_contest", 3), ("roll", 4))
        for _, word in said(name, place)
    }
    held = TEXTS[language]

    assert {"feint", "knockdown", "initiative"} <= found
    assert [one for one in sorted(found) if one not in held["purpose"]] == []


def test_no_name_of_another_language_is_an_id_with_spaces() -> None:
    """What nobody has named yet stands there under its id."""
    for language in ("ru", "pl"):
        for kind, held in TEXTS[language].items():
            if kind != "narration":
                same = [key for key, text in held.items() if text == key.replace("_", " ") and "_" in key]
                assert same == [], (language, kind)


# A fight


def the_fight() -> tuple[PlayTable, list[Played]]:
    """Rob the rifleman aims, Sue the swordswoman strikes Xan with the axe down, Rob fires, Sue feints."""
    table = fight(rob={}, sue={}, xan={}, apart={"sue-xan": 1, "rob-xan": 10, "rob-sue": 10})
    named = {who: replace(body, name=body.name.capitalize()) for who, body in table.state.combatants.items()}
    table.state = replace(table.state, combatants=named)
    sword = {"weapon": "thrusting_broadsword"}
    done = [table.play("aim", "rob", "xan", weapon="assault_rifle"), table.end_turn()]
    done.append(
        table.play(
            "attack",
            "sue",
            "xan",
            **sword,
            options={"mode": "swing"},
            to_hit=(4, 3, 4),
            defend=("parry", {}),
            parry=(5, 5, 5),
            damage=5,
            knockdown=(5, 4, 4),
        )
    )
    done += [table.end_turn(), table.play("do_nothing", "xan"), table.end_turn(recover_from_stun=(3, 3, 4))]
    done.append(
        table.play(
            "attack",
            "rob",
            "xan",
            weapon="assault_rifle",
            options={"shots": 3},
            to_hit=(4, 4, 4),
            defend="dodge",
            dodge=(2, 2, 2),
            damage=[(1, 1, 1, 1, 2)] * 2,
        )
    )
    done += [table.end_turn(), table.play("feint", "sue", "xan", **sword, sue__feint=(3, 4, 4), xan__feint=(4, 4, 4))]
    return table, [*done, table.end_turn()]


ENGLISH = (
    "Rob aims (assault rifle, 5.56 mm), target: Xan, seconds: 1.",
    "Sue's turn.",
    "Sue attacks Xan (thrusting broadsword).",
    "Sue, attack: Broadsword 15, rolled 4+3+4=11 — success by 4.",
    "Sue hits.",
    "Xan, defence: Parry 9, rolled 5+5+5=15 — failure by 6.",
    "Xan loses 9 HP: 8 cutting, DR 2.",
    "Xan: shock, -4 on DX and IQ in the next turn.",
    "Xan, knockdown: Health 12, rolled 5+4+4=13 — failure by 1.",
    "Xan is stunned.",
    "Xan lies face down.",
    "Xan: axe falls to the ground.",
    "Xan's turn.",
    "Xan does nothing.",
    "Xan, shaking off the stun: Health 12, rolled 3+3+4=10 — success by 2.",
    "Xan shakes off the stun.",
    "Round 2.",
    "Rob's turn.",
    "Rob attacks Xan (assault rifle, 5.56 mm).",
    "Rob: assault rifle, 5.56 mm, 28 shots left.",
    "Rob, attack: Guns (Rifle) 14, rolled 4+4+4=12 — success by 2.",
    "Rob scores 2 hits.",
    "Xan, defence: Dodge 1, rolled 2+2+2=6 — failure by 5.",
    "Xan loses 4 HP: 6 piercing, DR 2.",
    "Xan: shock, -4 on DX and IQ in the next turn.",
    "Xan is reeling: Move and Dodge are halved.",
    "Xan loses 4 HP: 6 piercing, DR 2.",
    "Sue's turn.",
    "Sue feints (thrusting broadsword), target: Xan.",
    "Sue, feint: Broadsword 15, rolled 3+4+4=11 — success by 4.",
    "Xan, feint: Brawling 7, rolled 4+4+4=12 — failure by 5.",
    "Sue deceives Xan: 4 off the defences.",
    "Sue has feinted: Xan, 4 off the defences next turn.",
    "Xan's turn.",
)
RUSSIAN = (
    "Rob целится (штурмовая винтовка), цель — Xan, секунд: 1.",
    "Ходит Sue.",
    "Sue атакует, цель — Xan (колющий палаш).",
    "Sue, атака: Палаш 15, выпадает 4+3+4=11 — успех, запас 4.",
    "Sue попадает.",
    "Xan, защита: Парирование 9, выпадает 5+5+5=15 — провал, не хватило 6.",
    "Xan теряет 9 ЕЖ: повреждение 8 (режущее), СП 2.",
    "Xan: шок, -4 к Ловкости и Интеллекту в следующий ход.",
    "Xan, нокдаун: Здоровье 12, выпадает 5+4+4=13 — провал, не хватило 1.",
    "Xan: оглушение.",
    "Xan оказывается на земле ничком.",
    "Xan: предмет на земле (топор).",
    "Ходит Xan.",
    "Xan бездействует.",
    "Xan, выход из оглушения: Здоровье 12, выпадает 3+3+4=10 — успех, запас 2.",
    "Xan приходит в себя после оглушения.",
    "Раунд 2.",
    "Ходит Rob.",
    "Rob атакует, цель — Xan (штурмовая винтовка).",
    "Rob: штурмовая винтовка, в запасе 28 выстрелов.",
    "Rob, атака: Огнестрельное оружие (винтовки) 14, выпадает 4+4+4=12 — успех, запас 2.",
    "Rob попадает в цель, 2 попадания.",
    "Xan, защита: Уклонение 1, выпадает 2+2+2=6 — провал, не хватило 5.",
    "Xan теряет 4 ЕЖ: повреждение 6 (пробивающее), СП 2.",
    "Xan: шок, -4 к Ловкости и Интеллекту в следующий ход.",
    "Xan шатается: Движение и Уклонение вдвое меньше.",
    "Xan теряет 4 ЕЖ: повреждение 6 (пробивающее), СП 2.",
    "Ходит Sue.",
    "Sue делает финт (колющий палаш), цель — Xan.",
    "Sue, финт: Палаш 15, выпадает 3+4+4=11 — успех, запас 4.",
    "Xan, финт: Драка 7, выпадает 4+4+4=12 — провал, не хватило 5.",
    "Sue обманывает противника (Xan): защиты хуже на 4.",
    "Sue: удачный финт: Xan, на следующем ходу защиты хуже на 4.",
    "Ходит Xan.",
)
POLISH = (
    "Rob celuje (karabin szturmowy), cel: Xan, sekundy: 1.",
    "Tura: Sue.",
    "Sue atakuje, cel: Xan (szeroki miecz).",
    "Sue, atak: Szeroki miecz 15, wypada 4+3+4=11 — sukces o 4.",
    "Sue trafia.",
    "Xan, obrona: Parowanie 9, wypada 5+5+5=15 — porażka o 6.",
    "Xan traci 9 PŻ: obrażenia 8, cięte, OO 2.",
    "Xan: szok, -4 do Zręczności i Inteligencji w następnej turze.",
    "Xan, powalenie: Zdrowie 12, wypada 5+4+4=13 — porażka o 1.",
    "Xan: ogłuszenie.",
    "Xan leży twarzą do ziemi.",
    "Xan: przedmiot na ziemi (topór).",
    "Tura: Xan.",
    "Xan nic nie robi.",
    "Xan, otrząśnięcie się z ogłuszenia: Zdrowie 12, wypada 3+3+4=10 — sukces o 2.",
    "Xan otrząsa się z ogłuszenia.",
    "Runda 2.",
    "Tura: Rob.",
    "Rob atakuje, cel: Xan (karabin szturmowy).",
    "Rob: karabin szturmowy, w zapasie 28 strzałów.",
    "Rob, atak: Broń palna (karabiny) 14, wypada 4+4+4=12 — sukces o 2.",
    "Rob trafia, 2 trafienia.",
    "Xan, obrona: Unik 1, wypada 2+2+2=6 — porażka o 5.",
    "Xan traci 4 PŻ: obrażenia 6, przebijające, OO 2.",
    "Xan: szok, -4 do Zręczności i Inteligencji w następnej turze.",
    "Xan chwieje się: Ruch i Unik o połowę mniejsze.",
    "Xan traci 4 PŻ: obrażenia 6, przebijające, OO 2.",
    "Tura: Sue.",
    "Sue wykonuje fintę (szeroki miecz), cel: Xan.",
    "Sue, finta: Szeroki miecz 15, wypada 3+4+4=11 — sukces o 4.",
    "Xan, finta: Bijatyka 7, wypada 4+4+4=12 — porażka o 5.",
    "Sue zwodzi przeciwnika (Xan): obrony gorsze o 4.",
    "Sue: udana finta: Xan, w następnej turze obrony gorsze o 4.",
    "Tura: Xan.",
)


@pytest.mark.parametrize(("language", "lines"), [("en", ENGLISH), ("ru", RUSSIAN), ("pl", POLISH)])
def test_a_fight_reads_as_a_story(language: str, lines: tuple[str, ...]) -> None:
    table, done = the_fight()

    assert story(done, table.state.combatants, language) == list(lines)


# What other games do not tell so


def line(event: ev.AnyEvent, language: str = "en") -> str:
    bodies = fight(s={}, x={}, r={}).state.combatants
    return narrate(event, context(bodies), language)


S, X, R = CombatantId("s"), CombatantId("x"), CombatantId("r")


def test_the_order_is_told_by_basic_speed_in_quarters() -> None:
    settled = ev.StandingSet(S, (575, 12, 4), (ev.Die(6, 4),))

    assert [line(settled, language) for language in LANGUAGES] == [
        "s: Basic Speed 5.75, DX 12 (rolled 4).",
        "s: Базовая скорость 5,75, Ловкость 12 (кости: 4).",
        "s: Podstawowa szybkość 5,75, Zręczność 12 (kości: 4).",
    ]


@pytest.mark.parametrize(
    ("outcome", "target", "grade", "end"),
    [
        ("success", 12, None, "success by 3."),
        ("failure", 6, None, "failure by 3."),
        ("success", 6, None, "success: so low a roll always succeeds."),
        ("failure", 12, None, "failure: so high a roll always fails."),
        ("success", 12, "critical", "critical success!"),
        ("failure", 12, "critical", "critical failure!"),
    ],
)
def test_a_test_is_told_by_its_margin_or_as_critical(outcome: Any, target: int, grade: str | None, end: str) -> None:
    rolled = ev.CheckRolled(S, "dx", "attack", target, tuple(ev.Die(6, 3) for _ in range(3)), outcome, 3, grade=grade)

    assert line(rolled) == f"s, attack: Dexterity {target}, rolled 3+3+3=9 — {end}"


@pytest.mark.parametrize(
    ("clause", "told_as"),
    [
        ("GU-370", "s steps back: 1 yd."),
        ("GU-410", "s is carried 1 yd."),
        ("GU-2220", "s is pushed 1 yd."),
        ("GU-2230", "s is pulled close."),
    ],
)
def test_a_retreat_is_no_push(clause: str, told_as: str) -> None:
    assert line(ev.Moved(S, 100, forced=True, clause=ClauseId(clause))) == told_as


def test_one_hit_is_not_counted() -> None:
    assert line(ev.HitsScored(S, (ev.Hit(1, X),))) == "s hits."
    assert line(ev.HitsScored(R, (ev.Hit(1, X), ev.Hit(2, X)))) == "r scores 2 hits."


def test_what_armour_takes_off_is_told() -> None:
    soak = (ev.Term("dr", 4), ev.Term("wounding", -3))
    hit = ev.DamageDealt(S, X, 9, 10, soak=soak, damage_type="cut")

    assert line(hit) == "x loses 9 HP: 10 cutting, DR 4."
    assert line(replace(hit, through=0, raw=4)) == "x is hit, but nothing gets through: 4 cutting, DR 4."


@pytest.mark.parametrize(
    ("form", "action", "told"),
    [
        ("slam", "move_and_attack", "s runs into x: a slam."),
        ("shove", "attack", "s tries to shove x."),
        ("grapple", "attack", "s tries to grapple x."),
        ("grapple", "all_out_attack", "s goes all out to grapple x."),
        ("", "attack", "s attacks x (unarmed)."),
    ],
)
def test_an_attack_with_the_body_is_told_by_its_kind(form: str, action: str, told: str) -> None:
    attack = ev.AttackMade(S, X, ActionId(action), None, "unarmed", form=form)

    assert line(attack) == told
    assert all(line(attack, language) for language in LANGUAGES)


@pytest.mark.clause("GU-2220", "GU-2230")
@pytest.mark.parametrize("form", ["shove", "grapple"])
def test_the_kind_of_an_attack_is_in_its_event(form: str) -> None:
    table = fight(s={"at": (0, 0, 90), "items": {}}, x={"at": (0, 0, 270) if form == "grapple" else (1, 0, 270)})

    done = table.play("attack", "s", "x", options={"form": form}, to_hit=(5, 5, 5))

    assert done.one(ev.AttackMade).form == form


def test_the_state_of_a_weapon_is_told_in_words() -> None:
    def mark(name: str, delta: int) -> str:
        return line(ev.ItemMarked(X, ItemId("axe"), name, delta, max(0, delta)))

    assert mark("broken", 1) == "x: the weapon breaks (axe)!"
    assert mark("unready", 1) == "x: no longer ready: axe."
    assert mark("unready", -1) == "x has ready again: axe."
    assert mark("away", 100) == ""


def test_the_words_of_this_game_are_its_own() -> None:
    assert words().voice("ru").word(("talent",), "combat_reflexes") == "Боевые рефлексы"
    assert words().voice("pl").word(("effect",), "reeling") == "Chwieje się"
