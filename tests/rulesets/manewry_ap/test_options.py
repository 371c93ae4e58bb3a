"""What a table may set is obeyed: every option, and every other default of the ledger, changes what comes out.

Clauses MA-010 to MA-040, MA-100, MA-160, MA-170, MA-220 to MA-250, MA-360, MA-400, MA-470 to MA-490, MA-510, MA-535,
MA-660, MA-710, MA-740, MA-820.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from app.catalog.options import read_options
from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.rules import Ruleset
from app.engine.state import State
from tests.rulesets.manewry_ap.fights import NAME, WEST, asked, duel, fight, held, pool, put, set_ap, set_pool, st, wall
from tests.rulesets.manewry_ap.test_data import NONE, changed, changed_book, duel_under
from tests.support.play import PlayTable, book, combatant, ruleset

Options = dict[str, Any]
SINGLE = ("attack_order", "map_metric", "down_targets", "refusals", "reasons")
"""Options that name what is code: of these there is one way so far, and house rules can say so."""


@dataclass(frozen=True)
class Example:
    """What comes out by default, and what under another value."""

    outcome: Callable[[Options], Any]
    by_default: Any
    value: Any
    under_it: Any
    beside: Options | None = None
    """Options without which it does nothing."""


def initiative(options: Options) -> Any:
    """Borys rolls: agi 12 and whatever dice are asked for, each of them a 2."""
    rules = ruleset(NAME)
    bodies = {CombatantId("borys"): combatant(rules, "borys", "borys")}
    table = PlayTable(rules, State(rules.id, dice="client", options=options, combatants=bodies))
    dice = (2, 2) if options.get("initiative") == "2d6" else 2
    return table.command(cmd.Start(), borys__initiative=dice).one(ev.StandingSet).standing[0]


def points_of_the_second(options: Options) -> Any:
    """Halina has 2 AP left, and Borys ends his turn."""
    table = set_ap(fight(options=options, borys={}, halina={}), halina=2)
    table.end_turn()
    return table.who("halina").budget["ap"]


def stamina_of_the_second(options: Options) -> Any:
    """Halina has 20 EP, and Borys ends his turn."""
    table = set_pool(fight(options=options, borys={}, halina={}), "halina", "ep", 20)
    table.end_turn()
    return pool(table, "halina", "ep")


def second_drop(options: Options) -> Any:
    """Whether a second immediate action in one turn is refused as such."""
    table = duel(True, options=options, borys={}, jagna={})
    table.play("drop_prone", "borys")
    table.play("stand_up", "borys")
    return table.why_not("drop_prone", "borys")


def dice_of_a_blow(options: Options) -> Any:
    """How many dice Borys rolls for a blow, and what is missing to the ST or above it: Melee 18 and 32 in all."""
    table = duel(True, options=options, borys={}, jagna={})
    rolled = (20, 12) if options.get("test_dice") == "2d20" else 32
    check = table.play("melee_attack", "borys", "jagna", **NONE, to_hit=rolled, damage=1).check
    return len(check.dice), check.outcome, check.degrees


def undefended_st(options: Options) -> Any:
    """The ST of a blow without a defence."""
    return st(duel(True, options=options, borys={}, jagna={}).play("melee_attack", "borys", "jagna", **NONE, to_hit=1))


def blow(options: Options, *, strength: int = 18, modifier: int = 0) -> int:
    """Damage of Borys's sword on a 6."""
    table = duel(True, options=options, borys={"str": strength}, jagna={})
    if modifier:
        put(table, "borys", "str_modifier", modifier)
    raw: int = table.play("melee_attack", "borys", "jagna", **NONE, to_hit=60, damage=6).one(ev.DamageDealt).raw
    return raw


def points_after_a_dodge(options: Options) -> Any:
    """Of Jagna's 10 AP."""
    table = duel(True, options=options, borys={}, jagna={})
    table.play("melee_attack", "borys", "jagna", immediate_response="none", defend="dodge", to_hit=1)
    return table.who("jagna").budget["ap"]


def surprise_shot(options: Options) -> Any:
    """Hidden Halina shoots Borys, who is asked nothing, or asked and loses by the bonus: what is asked, total, ST."""
    table = duel(True, 5, options=options, halina={}, borys={})
    put(table, "halina", "hidden")
    open_to_answer = options.get("surprise") == "hit_bonus"
    answers: Any = NONE if open_to_answer else {}
    done = table.play("ranged_attack", "halina", "borys", **answers, to_hit=2)
    (check,) = done.of(ev.CheckRolled)
    return asked(done), sum(term.value for term in check.terms if term.id == "surprise"), check.target


def held_by_the_ogre(options: Options) -> Any:
    """What Borys, held, is asked when the ogre tightens."""
    table = duel(True, options=options, ogr={}, borys={})
    put(table, "borys", "grabbed", against="ogr")
    may = options.get("held_defends_against_holder", True)
    answers = NONE if may else {"immediate_response": "none"}
    return asked(table.play("tighten_hold", "ogr", **answers, to_hit=1))


def two_holders(options: Options) -> Any:
    """The ST set by 20 and STR 12 with 15 and STR 18."""
    table = fight(
        options=options,
        prey={"at": (0, 0), "sample": "ogr"},
        one={"at": (1, 0), "sample": "borys", "str": 12},
        two={"at": (0, 1), "sample": "borys", "str": 18},
    )
    put(table, "prey", "grabbed", against="one")
    put(table, "prey", "grabbed", against="two")
    return st(table.play("break_free", "prey", one__hold=20, two__hold=15, prey__break_free=1))


def shot_at_the_fallen(options: Options) -> Any:
    """The ST of a shot at somebody knocked down, who does nothing."""
    table = duel(True, 5, options=options, halina={}, borys={})
    put(table, "borys", "knocked_down")
    return st(table.play("ranged_attack", "halina", "borys", defend="none", to_hit=1))


def rolls_of_a_missed_double(options: Options) -> Any:
    """How many tests there are when the first hand has missed."""
    table = duel(True, options=options, jagna={}, borys={})
    dice = {"second_hand": 99} if options.get("roll_second_hand_always") else {}
    return len(table.play("double_attack", "jagna", "borys", **NONE, to_hit=1, **dice).of(ev.CheckRolled))


def leaping_shot(options: Options) -> Any:
    """What is against a shot in a leap."""
    table = duel(True, 9, options=options, halina={}, jagna={})
    return table.why_not("ranged_attack", "halina", "jagna", options={"combine": ["leaping_attack"]})


def rested(options: Options) -> Any:
    """EP after a rest with 6."""
    table = set_pool(fight(options=options, borys={}, jagna={}), "borys", "ep", 6)
    table.play("rest", "borys")
    return pool(table, "borys", "ep")


def rolls_out_of_sight(options: Options) -> Any:
    """How often Jagna rolls who sneaks six squares from Borys, behind a wall."""
    table = fight(
        options=options,
        walls=(wall((3.5, -99), (3.5, 99)),),
        jagna={"at": (0, 0)},
        borys={"at": (6, 0, WEST)},
    )
    rolls = options.get("earshot_units", 20) >= 6
    return len(table.play("sneak", "jagna", path=[(0, 1)], **({"hide": 99} if rolls else {})).of(ev.CheckRolled))


def asked_to_notice(options: Options) -> Any:
    """What an enemy in sight of a sneaker is asked."""
    table = fight(options=options, jagna={"at": (0, 0)}, borys={"at": (5, 0, WEST)})
    answers: Options = {"detect": "let_be"} if options.get("detection") == "ask" else {"hide": 1}
    return asked(table.play("sneak", "jagna", path=[(0, 1)], **answers)), table.has("jagna", "hidden")


def hidden_after_a_shot(options: Options) -> Any:
    """Whether Halina is hidden still, and spotted."""
    table = duel(True, 5, options=options, halina={}, borys={})
    put(table, "halina", "hidden")
    table.play("ranged_attack", "halina", "borys", to_hit=1)
    return table.has("halina", "hidden"), table.has("halina", "spotted")


BONUS = {"surprise": "hit_bonus"}
EXAMPLES: dict[str, Example] = {
    "initiative": Example(initiative, 14, "2d6", 16),
    "ap_refill": Example(points_of_the_second, 10, "full_at_round_start", 2),
    "ep_regen": Example(stamina_of_the_second, 25, 8, 28),
    "immediate_per_turn": Example(second_drop, ["immediate_already_used"], 2, []),
    "test_dice": Example(dice_of_a_blow, (1, "success", 0), "2d20", (2, "success", 0)),
    "base_st": Example(undefended_st, 50, 42, 42),
    "damage_uses_current": Example(lambda options: blow(options, modifier=-5), 6 + 3 + 6, False, 6 + 3 + 9),
    "rounding": Example(lambda options: blow(options, strength=15), 6 + 3 + 7, "up", 6 + 3 + 8),
    "defence_ap_cost": Example(points_after_a_dodge, 9, 4, 6),
    "surprise": Example(surprise_shot, ([], 0, 50), "hit_bonus", (["immediate_response", "defend"], 20, 50)),
    "surprise_hit_bonus": Example(
        surprise_shot, (["immediate_response", "defend"], 20, 50), 7, (["immediate_response", "defend"], 7, 50), BONUS
    ),
    "held_defends_against_holder": Example(
        held_by_the_ogre, ["immediate_response", "defend"], False, ["immediate_response"]
    ),
    "several_holders_st": Example(two_holders, 32 + 33, "highest_plus_str", 33 + 12),
    "knocked_down_counts_as_lying": Example(shot_at_the_fallen, 50, True, 55),
    "roll_second_hand_always": Example(rolls_of_a_missed_double, 1, True, 2),
    "leap_melee_only": Example(leaping_shot, ["melee_weapon_required"], False, []),
    "rest_ep": Example(rested, 26, 9, 15),
    "earshot_units": Example(rolls_out_of_sight, 1, 5, 0),
    "detection": Example(asked_to_notice, ([], False), "ask", (["detect"], True)),
    "attack_reveals": Example(hidden_after_a_shot, (False, True), False, (True, False)),
}


@pytest.mark.clause("MA-010", "MA-020", "MA-030", "MA-040", "MA-100", "MA-160", "MA-170", "MA-220", "MA-250", "MA-360")
@pytest.mark.clause("MA-400", "MA-480", "MA-510", "MA-535", "MA-660", "MA-710", "MA-740")
@pytest.mark.parametrize("key", [key for key in book(NAME).document["options"] if key not in SINGLE])
def test_every_option_is_obeyed(key: str) -> None:
    example = EXAMPLES[key]
    beside = example.beside or {}
    declared = book(NAME).document["options"][key]

    assert example.value != declared["default"]
    assert example.outcome({**beside}) == example.by_default
    assert example.outcome({**beside, key: declared["default"]}) == example.by_default, (
        "the default is what is declared"
    )
    assert example.outcome({**beside, key: example.value}) == example.under_it
    assert example.under_it != example.by_default


def test_the_options_of_one_value_are_known_and_no_example_is_of_nothing() -> None:
    declared = book(NAME).document["options"]

    assert set(EXAMPLES) | set(SINGLE) == set(declared)
    assert [key for key, one in declared.items() if len(one.get("choices", (1, 2))) < 2] == sorted(SINGLE)


# Defaults of the ledger that are figures of the data: where each stands, and what another one makes of an example


def in_data(*where: str, value: Any) -> Ruleset:
    """The rules with another figure there."""

    def change(document: dict[str, Any]) -> None:
        *way, last = where
        for step in way:
            document = document[step]
        assert last in document
        document[last] = value

    return changed(change)


def pools_of(rules: Ruleset) -> Any:
    body = duel_under(rules).who("borys")
    return body.budget["ap"], body.pools["ep"], body.pools["hp"]


def ap_of(action: str, *before: str) -> Callable[[Ruleset], Any]:
    """AP left of 10 after an action, and after those before it."""

    def outcome(rules: Ruleset) -> Any:
        table = duel_under(rules)
        for one in (*before, action):
            set_ap(table, borys=10)
            table.play(one, "borys")
        return table.who("borys").budget["ap"]

    return outcome


def struck(rules: Ruleset) -> Any:
    """Raw damage and what gets through of Borys's sword on a 6, in both hands, and the AP that are left."""
    table = duel_under(rules, one={"items": held(sword="main")})
    done = table.play("two_handed_attack", "borys", "jagna", **NONE, to_hit=60, damage=6).one(ev.DamageDealt)
    return done.raw, done.through, table.who("borys").budget["ap"]


def hindered(rules: Ruleset) -> Any:
    """What is added to the dice of Borys, tired and on the ground."""
    table = duel_under(rules)
    set_pool(table, "borys", "fatigue", 1)
    table.play("drop_prone", "borys")
    check = table.play("melee_attack", "borys", "jagna", **NONE, to_hit=1).check
    return sum(term.value for term in check.terms if term.id != "base_st")


def handled(rules: Ruleset) -> Any:
    """AP left when the shield is put away."""
    table = duel_under(rules)
    table.play("ready_item", "borys", weapon="shield", options={"handling": "put_away"})
    return table.who("borys").budget["ap"]


FIGURES: dict[str, tuple[tuple[str, ...], Any, Callable[[Ruleset], Any], Any, Any]] = {
    "ap_max": (("tables", "core", "pools", "ap"), 12, pools_of, (10, 46, 46), (12, 46, 46)),
    "ep_max": (("tables", "core", "pools", "ep"), 20, pools_of, (10, 46, 46), (10, 36, 46)),
    "hp_max": (("tables", "core", "pools", "hp"), 25, pools_of, (10, 46, 46), (10, 46, 41)),
    "immediate_ap_cost": (("actions", "drop_prone", "cost", "immediate", "ap"), 2, ap_of("drop_prone"), 9, 8),
    "stand_up_ap": (("actions", "stand_up", "cost", "manoeuvre", "ap"), 5, ap_of("stand_up", "drop_prone"), 7, 5),
    "melee_str_share": (
        ("tables", "core", "melee_share"),
        {"numerator": 1, "denominator": 3},
        struck,
        (6 + 3 + 9 + 9, 25, 5),
        (6 + 3 + 6 + 9, 22, 5),
    ),
    "weapon ap_cost": (("weapons", "sword", "ap_cost"), 3, struck, (27, 25, 5), (27, 25, 6)),
    "weapon damage": (("weapons", "sword", "damage"), "1d10+1", struck, (27, 25, 5), (25, 23, 5)),
    "heavy_ap": (("tables", "core", "heavy", "ap"), 2, struck, (27, 25, 5), (27, 25, 4)),
    "ground_attack_modifier": (("modifiers", "ground_attack_modifier", "value"), -4, hindered, 18, 14),
    "fatigue_hit_modifier": (("modifiers", "fatigue_hit_modifier", "value"), -3, hindered, 18, 15),
    "ready_item": (("actions", "ready_item", "cost", "action", "ap"), 1, handled, 8, 9),
}


@pytest.mark.clause("MA-020", "MA-030", "MA-040", "MA-200", "MA-230", "MA-470", "MA-490", "MA-670", "MA-800")
@pytest.mark.clause("MA-820")
@pytest.mark.parametrize("key", FIGURES)
def test_every_other_default_is_a_figure_of_the_data(key: str) -> None:
    where, value, outcome, by_default, under_it = FIGURES[key]

    assert outcome(book(NAME).ruleset) == by_default
    assert outcome(in_data(*where, value=value)) == under_it
    assert under_it != by_default


@pytest.mark.clause("MA-240")
def test_soak_is_a_figure_of_the_armour() -> None:
    thicker = changed_book(lambda document: document["armour"]["leather"].update(body=5))

    worn = [made.sample("jagna", CombatantId("jagna"), "a", "Jagna") for made in (book(NAME), thicker)]

    assert [body.sheet.armour for body in worn if body is not None] == [{"body": 2}, {"body": 5}]


@pytest.mark.clause("MA-100")
@pytest.mark.parametrize("dice", ["1000d2", "11d100", "-100d100"])
def test_dice_of_a_test_that_cannot_be_counted_out_are_refused(dice: str) -> None:
    with pytest.raises(Refused) as refused:
        read_options(ruleset(NAME), {"test_dice": dice})

    assert [(one.code, one.at) for one in refused.value.reasons] == [("invalid_option_value", "/options/test_dice")]


@pytest.mark.clause("MA-100")
def test_ten_dice_of_a_hundred_can_be_counted_out() -> None:
    assert read_options(ruleset(NAME), {"test_dice": "10d100"}) == {"test_dice": "10d100"}
