"""Where clauses meet: what one rule does in the middle of another, and what ends at exactly which moment.

Waits that stop, wound or precede somebody, and Waits inside them; feints, defences and retreats that add up or bar each
other; what a blow, a fall or a stun ends; zones, mounts and several maneuvers.
"""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Question
from app.engine.ids import CombatantId
from app.engine.reasons import Reason
from app.engine.state import Effect
from app.engine.visibility import Secrets, stamp
from app.services.cut import body_known
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.harming import HIT, SWING, SWORD, beat, both_ways, duel, hp, hurt, posture, put, terms
from tests.rulesets.gurps_4e.shooting import RIFLE, SAFE, gun, scored
from tests.rulesets.gurps_4e.shooting import apart as shooting
from tests.rulesets.gurps_4e.walking import apart, gone
from tests.support.play import Played, PlayTable, blanked

AXE, SPEAR, KNIFE, GREAT = "axe", "spear", "large_knife", "great_axe"
MISS, FUMBLE = (6, 6, 4), (6, 6, 6)
DOUBLE: dict[str, Any] = {"option": "double", "mode": "swing"}


def attackers(done: Played) -> list[str]:
    """Who attacked, in order."""
    return [made.combatant for made in done.of(ev.AttackMade)]


def rolled(done: Played, *purposes: str) -> list[ev.CheckRolled]:
    """The tests for these purposes, in order."""
    return [check for check in done.of(ev.CheckRolled) if check.purpose in purposes]


def targets(done: Played, purpose: str) -> list[int]:
    """The numbers that were rolled against."""
    return [check.target for check in rolled(done, purpose)]


def against(done: Played, option: str) -> list[tuple[str, str]]:
    """What the first question of a defence says against one of its options."""
    barred = {one.id: one.reasons for one in done.questions("defend")[0].barred}
    return _told(barred.get(option, ()))


def against_retreat(done: Played, at: int = 0, option: str = "dodge") -> list[tuple[str, str]]:
    """What a question of a defence says against stepping back."""
    question: Question = done.questions("defend")[at]
    form = next(one.form for one in question.options if one.id == option)
    return _told(next(field.barred for field in form if field.name == "retreat"))


def _told(reasons: tuple[Reason, ...]) -> list[tuple[str, str]]:
    return [(reason.code, str(reason.clause)) for reason in reasons]


def maneuver(table: PlayTable, who: str) -> str:
    """The last maneuver that he chose."""
    found: Effect | None = table.table.effect(CombatantId(who), "maneuver")
    assert found is not None
    return str(found.word)


def pass_to(table: PlayTable, who: str) -> None:
    """Whoever's slot it is ends it, and so do all until that one's next."""
    table.end_turn()
    table.until_turn_of(who)


def toward(table: PlayTable, whom: str, yards: float, end: float, **options: Any) -> dict[str, Any]:
    """The fields of a way to that point of the axis, or straight at somebody without a map."""
    if table.table.has_map:
        return {"path": [(end, 0)], "options": options}
    return {"said": {"length": yards}, "options": {"toward": whom, **options}}


# A Wait on somebody's way


def run_at_spear(on_map: bool, response: str = "attack", option: str | None = None, **changes: Any) -> PlayTable:
    """P waits with his spear for X, who is 5 yards off and whose slot it is."""
    table = duel(on_map=on_map, far=5, p={}, x=changes)
    more = {} if option is None else {"response_option": option}
    table.play("wait", "p", weapon=SPEAR, options={"trigger": "enters_reach", "response": response, **more})
    table.end_turn()
    return table


def comes(table: PlayTable, **given: Any) -> Played:
    """X runs 4 yards at him and strikes."""
    return table.play("move_and_attack", "x", "p", weapon=AXE, **toward(table, "p", 4, 1), **given)


@both_ways
@pytest.mark.clause("GU-100", "GU-110", "GU-1420", "GU-2170")
def test_killed_on_his_way_he_stays_there_and_the_next_slot_begins(on_map: bool) -> None:
    table = run_at_spear(on_map, hp_max=1)

    done = comes(table, use_wait="act", to_hit=HIT, defend="none", damage=6)

    assert table.who("x").status == "dead"
    assert attackers(done) == ["p"]
    assert gone(done, "x") == (2.51 if on_map else 3)
    assert table.turn == "p"


@both_ways
@pytest.mark.clause("GU-110", "GU-120", "GU-950", "GU-2140")
def test_stunned_on_his_way_he_loses_the_rest_but_his_maneuver_rules_his_defence(on_map: bool) -> None:
    table = run_at_spear(on_map)

    done = comes(table, use_wait="act", to_hit=HIT, defend="none", damage=6, knockdown=(5, 5, 4))

    assert attackers(done) == ["p"]
    assert gone(done, "x") == (2.51 if on_map else 3)
    assert (table.turn, maneuver(table, "x")) == ("p", "move_and_attack")
    later = beat(table, "p", "x", 1, to_hit=HIT)
    assert against(later, "parry")[0] == ("parry_not_allowed", "GU-950")
    assert [code for code, _ in against_retreat(later)] == ["retreat_not_allowed"]


@both_ways
@pytest.mark.clause("GU-100", "GU-930", "GU-2130")
def test_only_wounded_on_his_way_he_goes_on_and_the_shock_is_for_his_next_turn(on_map: bool) -> None:
    table = run_at_spear(on_map)

    done = comes(table, use_wait="act", to_hit=[HIT, (3, 3, 3)], defend=["none", "none"], damage=[1, (1, 1)])

    assert attackers(done) == ["p", "x"]
    assert gone(done, "x") == 4
    assert hp(table, "x") == 14 - 2
    assert "shock" not in terms(rolled(done, "attack")[1])
    pass_to(table, "x")
    later = table.play("attack", "x", "p", weapon=AXE, to_hit=MISS)
    assert terms(later.check)["shock"] == -2


@both_ways
@pytest.mark.clause("GU-100", "GU-110", "GU-400", "GU-2150")
def test_a_runner_who_reels_goes_as_far_as_his_new_move_lets_him(on_map: bool) -> None:
    table = duel(on_map=on_map, far=4, p={}, x={})
    table.play("wait", "p", weapon=SPEAR, options={"trigger": "comes_within", "distance": 2, "response": "attack"})
    table.end_turn()
    hurt(table, "x", 6)

    done = table.play("move", "x", **toward(table, "p", 4, 0), use_wait="act", to_hit=HIT, defend="none", damage=1)

    assert hp(table, "x") == 4
    assert gone(done, "x") == 3, "Move 5 halved is 3, of which he has used some"


@both_ways
@pytest.mark.clause("GU-110", "GU-395", "GU-1720")
@pytest.mark.parametrize(("trigger", "walked"), [("starts_maneuver", 1), ("comes_within", None)])
def test_a_runner_who_falls_has_a_yard_less_what_he_has_gone(on_map: bool, trigger: str, walked: int | None) -> None:
    runs = trigger == "comes_within"
    table = duel(on_map=on_map, far=5 if runs else 2, p={}, x={})
    within = {"distance": 2} if runs else {}
    table.play("wait", "p", weapon=SPEAR, options={"trigger": trigger, "response": "attack", **within})
    table.end_turn()
    way = toward(table, "p", 4, 1)
    if not runs:
        way = {"path": [(5, 0)]} if on_map else {"said": {"length": 3}, "options": {"away_from": "p"}}

    done = table.play("move", "x", **way, use_wait="act", to_hit=HIT, defend="dodge", dodge=FUMBLE, damage=1)

    assert posture(table, "x") == "lying_prone"
    assert gone(done, "x") == (walked if walked is not None else 2.51 if on_map else 3)
    assert not table.has("x", "stunned_physical")


# A Wait before anything of a maneuver has happened


def declared(on_map: bool = True, **x: Any) -> PlayTable:
    """S waits for whatever X, beside him, is about to do; X has his slot."""
    table = duel(on_map=on_map, s={}, x=x)
    options = {"trigger": "starts_maneuver", "response": "attack", "mode": "swing"}
    table.play("wait", "s", weapon=SWORD, options=options)
    table.end_turn()
    return table


STUNNING: dict[str, Any] = {"use_wait": "act", "to_hit": HIT, "defend": "none", "damage": 6, "knockdown": (5, 5, 4)}
"""The blow of the Wait, which stuns: 9 less 2, cut 10 of 14."""


@both_ways
@pytest.mark.clause("GU-100", "GU-110", "GU-1410")
def test_stunned_at_his_declaration_he_goes_nowhere(on_map: bool) -> None:
    table = declared(on_map)
    way: dict[str, Any] = {"path": [(4, 0)]} if on_map else {"said": {"length": 3}, "options": {"away_from": "s"}}

    done = table.play("move", "x", **way, **STUNNING)

    assert gone(done, "x") == 0
    assert not table.has("x", "ran_straight")
    assert (table.turn, maneuver(table, "x")) == ("s", "move")


@pytest.mark.clause("GU-110", "GU-1410", "GU-1455")
@pytest.mark.parametrize(
    ("action", "options", "undone"),
    [
        ("wait", {"trigger": "starts_maneuver", "response": "attack"}, "waiting"),
        ("change_posture", {"posture": "kneeling"}, "kneeling"),
        ("concentrate", {"task": "a spell", "seconds_needed": 2}, "concentrating"),
        ("ready", {"option": "task", "task": "a lock", "seconds_needed": 2}, "working"),
    ],
)
def test_stunned_at_his_declaration_he_does_none_of_it(action: str, options: dict[str, Any], undone: str) -> None:
    table = declared()

    table.play(action, "x", options=options, **STUNNING)

    assert not table.has("x", undone)
    assert (table.turn, maneuver(table, "x")) == ("s", action)


@both_ways
@pytest.mark.clause("GU-110", "GU-1410", "GU-2230")
def test_held_at_his_declaration_he_walks_no_yard(on_map: bool) -> None:
    table = duel(on_map=on_map, x={}, s={})
    options = {"trigger": "starts_maneuver", "response": "attack", "form": "grapple"}
    table.play("wait", "x", options=options)
    table.end_turn()
    step = {"path": [(100, 0)]} if on_map else {"length": 100}
    way: dict[str, Any] = {"path": [(4, 0)]} if on_map else {"said": {"length": 3}, "options": {"away_from": "x"}}

    done = table.play("move", "s", **way, use_wait=("act", step), to_hit=(3, 3, 3), defend="none")

    assert gone(done, "s") == 0
    assert apart(table, "s", "x") == 0
    assert table.has("s", "grappled")
    assert table.turn == "s", "he may still speak and drop things"


# Waits and what they turn into


@both_ways
@pytest.mark.clause("GU-060", "GU-790", "GU-1460", "GU-1470")
@pytest.mark.parametrize("defended", [False, True])
def test_a_wait_that_was_to_be_an_all_out_attack(on_map: bool, defended: bool) -> None:
    people: dict[str, Any] = {"p": {"side": "red"}, "r": {"side": "green"}, "x": {"side": "green"}}
    places: dict[str, Any] = {"p": (0, 0, 90), "r": (10, 3, 270), "x": (5, 0, 270)}
    if on_map:
        table = fight(**{who: {**people[who], "at": places[who]} for who in people})
    else:
        table = fight(**people, apart={"px": 5, "pr": 10})
    response = {"response": "all_out_attack", "response_option": "determined"}
    table.play("wait", "p", "x", weapon=SPEAR, options={"trigger": "enters_reach", **response})
    table.end_turn()
    if defended:
        table.play("attack", "r", "p", weapon=RIFLE, to_hit=(3, 3, 2), defend="dodge", dodge=(3, 3, 3))
    table.end_turn()
    defence: dict[str, Any] = {"defend": ["none", "none"] if defended else "none"}

    done = comes(table, use_wait="act", to_hit=[HIT, (3, 3, 3)], damage=[1, (1, 1)], **defence)

    assert attackers(done) == ["p", "x"]
    assert targets(done, "attack")[0] == (14 if defended else 18)
    assert maneuver(table, "p") == ("attack" if defended else "all_out_attack")
    assert [question.to for question in done.questions("defend")] == (["x", "p"] if defended else ["x"])


@pytest.mark.clause("GU-100", "GU-1420")
@pytest.mark.parametrize("stunned", [False, True], ids=["wounded", "stunned"])
def test_waits_inside_waits_resolve_the_latest_first(stunned: bool) -> None:
    sides = {"p": "red", "y": "green", "s": "red", "x": "green"}
    samples = {"y": {"sample": "sample_axeman"}}
    table = fight(
        **{who: {"side": side, **samples.get(who, {})} for who, side in sides.items()},
        apart={"sx": 1, "sy": 1, "py": 2},
    )
    table.play("wait", "p", "y", weapon=SPEAR, options={"trigger": "starts_maneuver", "response": "attack"})
    table.end_turn()
    # what Y chooses now sets P off already, who holds
    table.play(
        "wait", "y", "s", weapon=AXE, options={"trigger": "attacks", "whom": "x", "response": "attack"}, use_wait="hold"
    )
    table.end_turn()
    table.play(
        "wait", "s", "x", weapon=SWORD, options={"trigger": "starts_maneuver", "response": "attack", "mode": "swing"}
    )
    table.end_turn()
    given: dict[str, Any] = {
        "to_hit": [HIT, HIT, *([] if stunned else [HIT]), MISS],
        "defend": ["none", "none", *([] if stunned else ["none"])],
        "damage": [1, (6, 6)] if stunned else [1, (1, 1), 1],
        **({"knockdown": (5, 5, 3)} if stunned else {}),
    }

    done = table.play("attack", "x", "s", weapon=AXE, use_wait=["act", "act", "act"], **given)

    assert attackers(done) == (["p", "y", "x"] if stunned else ["p", "y", "s", "x"])
    asked = [question.to for question in done.questions("use_wait")]
    assert asked == ["s", "y", "p"]
    assert not table.has("s", "waiting")


@pytest.mark.clause("GU-1400", "GU-1410", "GU-1540")
@pytest.mark.parametrize(
    "options",
    [
        {"trigger": "ally_acts", "ally": "p"},
        {"trigger": "attacks", "whom": "p"},
        {"trigger": "starts_maneuver", "group": ["x", "p"]},
    ],
)
def test_what_a_wait_declares_names_nobody_hidden(options: dict[str, Any]) -> None:
    table = fight(s={"side": "red"}, p={"side": "red"}, x={"side": "green"}, apart={"sx": 1})
    done = table.play("wait", "s", weapon=SWORD, options={"response": "attack", **options})
    began = next(event for event in done.of(ev.EffectBegan) if event.effect.kind == "waiting")
    hidden = frozenset({CombatantId("p")})

    told = blanked(stamp(table.state, began, Secrets(hidden)))
    seen = body_known(table.who("s"), hidden)

    assert isinstance(told, ev.EffectBegan)
    assert told.effect.declared == {}
    assert [effect.declared for effect in seen.effects.values() if effect.kind == "waiting"] == [{}]
    open_to_all = body_known(table.who("s"), frozenset({CombatantId("r")}))
    assert [effect.declared for effect in open_to_all.effects.values() if effect.kind == "waiting"] != [{}]


# Feints, Evaluate, defence


def feinted(margin: int, **x: Any) -> PlayTable:
    """S, beside X, has feinted him by so much; it is X's slot."""
    table = duel(s={}, x=x)
    dice = {3: (4, 4, 4), 5: (4, 3, 3)}[margin]
    table.play("feint", "s", "x", weapon=SWORD, s__feint=dice, x__feint=(6, 5, 5))
    table.end_turn()
    return table


@pytest.mark.clause("GU-370", "GU-850", "GU-860")
def test_a_feint_pending_counts_for_both_blows_and_so_does_one_retreat() -> None:
    table = feinted(3)
    table.end_turn()

    done = table.play(
        "all_out_attack",
        "s",
        "x",
        weapon=SWORD,
        options=DOUBLE,
        to_hit=[HIT, HIT],
        defend=[("dodge", {"retreat": True}), ("dodge", {"retreat": True})],
        dodge=[(3, 3, 2), (3, 3, 2)],
    )

    assert targets(done, "defend") == [8 - 3 + 3, 8 - 3 + 3]
    assert [event.combatant for event in done.of(ev.Moved)] == ["x"]
    assert apart(table, "s", "x") == 2
    assert not table.has("s", "feinted")


@pytest.mark.clause("GU-850", "GU-1110", "GU-1150")
def test_a_feint_is_taken_off_what_all_out_defense_adds() -> None:
    table = feinted(5)
    table.play("all_out_defense", "x", options={"option": "increased_dodge"})
    table.end_turn()

    done = table.play("attack", "s", "x", **SWING, to_hit=HIT, defend=("dodge", {"retreat": True}), dodge=(3, 3, 2))

    assert rolled(done, "defend")[0].target == 8 + 2 - 5 + 3


@both_ways
@pytest.mark.clause("GU-620", "GU-650", "GU-1900", "GU-1910", "GU-1920")
def test_a_foe_evaluated_who_goes_out_of_reach_is_not_struck_but_may_be_evaluated_on(on_map: bool) -> None:
    def away(yards: float, end: float) -> dict[str, Any]:
        return {"path": [(end, 0)]} if on_map else {"said": {"length": yards}, "options": {"away_from": "s"}}

    table = duel(on_map=on_map, s={}, x={})
    table.play("evaluate", "s", "x")
    table.end_turn()
    table.play("move", "x", **away(4, 5))
    table.end_turn()
    assert table.why_not("attack", "s", "x", **SWING) == ["out_of_reach"]
    table.play("evaluate", "s", "x")
    assert table.table.effect(CombatantId("s"), "evaluating").value == 2  # type: ignore[union-attr]
    table.end_turn()
    table.play("move", "x", **away(1, 6))
    table.end_turn()
    reasons = table.reasons("evaluate", "s", "x")
    assert [(one.code, one.clause) for one in reasons] == [("target_too_far_to_evaluate", "GU-1900")]
    pass_to(table, "s")
    assert not table.has("s", "evaluating")


@pytest.mark.clause("GU-360", "GU-810", "GU-890", "GU-1320", "GU-330")
@pytest.mark.parametrize(
    ("weapon", "before", "says"),
    [
        (AXE, "attack", [("unbalanced_after_attack", "GU-360")]),
        (GREAT, "attack", [("weapon_not_ready", "GU-330"), ("unbalanced_after_attack", "GU-360")]),
        (AXE, "feint", []),
        (GREAT, "feint", []),
    ],
)
def test_parrying_with_a_heavy_weapon(weapon: str, before: str, says: list[tuple[str, str]]) -> None:
    skills = {"axe_mace": 13, "two_handed_axe_mace": 13}
    held = {GREAT: "both"} if weapon == GREAT else {AXE: "main", "medium_shield": "off"}
    table = duel(x={"held": held, "skills": skills}, s={})
    rolls = {"to_hit": MISS} if before == "attack" else {"x__feint": (4, 4, 2), "s__feint": (6, 6, 4)}
    table.play(before, "x", "s", weapon=weapon, **rolls)
    table.end_turn()
    answer: dict[str, Any] = {"defend": "none", "damage": 1}
    if not says:
        answer = {"defend": "parry", "parry": (3, 3, 3)}

    done = table.play("attack", "s", "x", **SWING, to_hit=HIT, **answer)

    assert against(done, "parry") == says
    if not says:
        pass_to(table, "x")
        assert table.why_not("attack", "x", "s", weapon=weapon) == ["unbalanced_after_parry"]
        assert "unbalanced_after_parry" not in table.why_not("feint", "x", "s", options={"mode": "kick"})


@pytest.mark.clause("GU-330", "GU-360")
def test_after_a_parry_the_axe_parries_on_at_4_less_and_does_not_strike() -> None:
    table = duel(s={}, x={})

    done = table.play(
        "all_out_attack",
        "s",
        "x",
        weapon=SWORD,
        options=DOUBLE,
        to_hit=[HIT, HIT],
        defend=[("parry", {"with": AXE}), ("parry", {"with": AXE})],
        parry=[(3, 3, 3), (2, 2, 1)],
    )

    assert targets(done, "defend") == [9, 9 - 4]
    table.end_turn()
    assert table.why_not("attack", "x", "s", weapon=AXE) == ["unbalanced_after_parry"]
    pass_to(table, "x")
    assert table.why_not("attack", "x", "s", weapon=AXE) == []


# Retreat


@both_ways
@pytest.mark.clause("GU-370")
def test_one_retreat_a_turn_counts_on_against_the_same_attacker_only(on_map: bool) -> None:
    people: dict[str, Any] = {"s": {"side": "red"}, "p": {"side": "red"}, "x": {"side": "green"}}
    if on_map:
        places = {"s": (0, 0, 90), "p": (2, 2, 0), "x": (1, 0, 270)}
        table = fight(**{who: {**people[who], "at": places[who]} for who in people})
    else:
        table = fight(**people, apart={"sx": 1, "px": 3})
    again: dict[str, Any] = {"defend": ("dodge", {"retreat": True}), "dodge": (3, 3, 3)}
    first = table.play("attack", "s", "x", **SWING, to_hit=HIT, **again)
    table.end_turn()
    assert targets(first, "defend") == [8 + 3]
    said = {} if on_map else {"said": {"distance": {"x": 2}}}

    second = table.play("attack", "p", "x", weapon=SPEAR, **said, to_hit=HIT, defend="dodge", dodge=(2, 3, 3))

    assert against_retreat(second) == [("retreat_already_used", "GU-370")]
    assert targets(second, "defend") == [8]


@pytest.mark.clause("GU-370", "GU-950", "GU-1040", "GU-1740")
@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("kneels", [("retreat_not_allowed", "GU-370")]),
        ("sprints", [("retreat_not_allowed", "GU-370")]),
        ("held", [("retreat_not_allowed", "GU-370")]),
        ("attacked", [("retreat_not_allowed", "GU-950")]),
        ("lies", []),
        ("crouches", []),
    ],
)
def test_who_may_not_retreat(what: str, says: list[tuple[str, str]]) -> None:
    table = duel(x={}, s={})
    if what == "attacked":
        table.play("move_and_attack", "x", "s", weapon=AXE, said={"length": 0}, to_hit=(6, 5, 4))
    else:
        kinds = {"kneels": "kneeling", "sprints": "sprinting", "lies": "lying_prone", "crouches": "crouching"}
        put(table, "x", kinds.get(what, "grappled"), against="s" if what == "held" else None)
    table.end_turn()

    done = table.play("attack", "s", "x", **SWING, to_hit=(3, 3, 3), defend="dodge", dodge=(1, 2, 2))

    assert against_retreat(done) == says


# What a blow ends


@pytest.mark.clause("GU-120", "GU-1860", "GU-1870", "GU-2180")
def test_stunned_while_he_aims_he_loses_the_aim_without_a_roll_of_will() -> None:
    table = duel(r={"armour": 0}, s={})
    table.play("aim", "r", "s", weapon=RIFLE)
    table.end_turn()

    done = beat(table, "s", "r", 3, **SWING, knockdown=(5, 4, 4))

    assert table.has("r", "stunned_physical")
    assert not rolled(done, "keep_aim")
    ended = [event.why for event in done.of(ev.EffectEnded) if event.kind == "aiming"]
    assert ended == ["stunned_physical"]


def spell(**changes: Any) -> PlayTable:
    """R has begun a long task, and S beside him has his slot."""
    table = duel(r={"armour": 0, **changes}, s={})
    table.play("concentrate", "r", options={"task": "a spell", "seconds_needed": 3})
    table.end_turn()
    return table


@pytest.mark.clause("GU-1220", "GU-2180")
def test_a_defence_that_costs_the_concentration_leaves_nothing_to_ask_of_the_wound() -> None:
    table = spell()

    done = table.play(
        "attack",
        "s",
        "r",
        **SWING,
        to_hit=HIT,
        defend="dodge",
        dodge=FUMBLE,
        concentration=(4, 4, 2),
        damage=1,
        knockdown=(3, 3, 3),
    )

    assert targets(done, "concentration") == [12 - 3]
    order = [check.purpose for check in done.of(ev.CheckRolled)]
    assert order == ["attack", "defend", "concentration", "knockdown"]
    assert not table.has("r", "concentrating")


@pytest.mark.clause("GU-1220", "GU-395")
def test_a_defence_a_fall_and_a_wound_by_one_blow_are_three_events() -> None:
    table = spell(hp_max=20)
    well = (3, 3, 3)

    done = table.play(
        "attack",
        "s",
        "r",
        **SWING,
        to_hit=HIT,
        defend="dodge",
        dodge=FUMBLE,
        defended__concentration=well,
        knocked_down__concentration=well,
        injured__concentration=well,
        damage=1,
    )

    assert targets(done, "concentration") == [9, 9, 9]
    assert table.has("r", "concentrating")


@pytest.mark.clause("GU-1220", "GU-120")
def test_a_stun_takes_the_concentration_without_a_further_roll() -> None:
    table = spell()

    done = table.play("attack", "s", "r", **SWING, to_hit=HIT, defend="none", damage=1, knockdown=(6, 4, 3))

    assert not rolled(done, "concentration")
    assert not table.has("r", "concentrating")


@pytest.mark.clause("GU-2610", "GU-720", "GU-280")
def test_who_loses_his_balance_with_the_first_blow_of_double_has_no_second() -> None:
    table = duel(x={}, s={})

    done = table.play(
        "all_out_attack", "x", "s", weapon=AXE, options={"option": "double"}, to_hit=FUMBLE, critical_miss=(3, 2, 2)
    )

    assert attackers(done) == ["x"]
    assert done.one(ev.ActionStopped).why == "slot_lost"
    assert table.turn == "s"
    later = table.play("attack", "s", "x", **SWING, to_hit=HIT, damage=1)
    assert not later.questions("defend")
    pass_to(table, "x")
    assert not table.has("x", "off_balance")


@pytest.mark.clause("GU-1600", "GU-2160")
@pytest.mark.parametrize("awake", [True, False])
def test_after_do_nothing_it_is_the_first_defence_that_asks_whether_he_stays_conscious(awake: bool) -> None:
    table = duel(x={}, s={})
    hurt(table, "x", 0)
    assert not rolled(table.play("do_nothing", "x"), "consciousness")
    table.end_turn()
    given: dict[str, Any] = {"first__defend": "dodge", "consciousness": (4, 4, 4) if awake else (4, 4, 5)}
    if awake:
        back = ("dodge", {"retreat": True})
        given |= {"first__defend": back, "second__defend": back, "dodge": [(2, 2, 2), (2, 2, 3)], "to_hit": [HIT, HIT]}
    else:
        given |= {"to_hit": HIT, "damage": 1}

    done = table.play("all_out_attack", "s", "x", weapon=SWORD, options=DOUBLE, **given)

    order = [check.purpose for check in done.of(ev.CheckRolled) if check.combatant == "x"]
    assert order == (["consciousness", "defend", "defend"] if awake else ["consciousness"])
    assert table.who("x").status == ("up" if awake else "down")
    assert hp(table, "x") == (0 if awake else -3)


# Fire


@pytest.mark.clause("GU-2030", "GU-2040")
@pytest.mark.parametrize(
    ("rcl", "shots", "dice", "hits"),
    [
        (1, 3, (2, 2, 1), 3),
        (2, 3, (2, 2, 1), 3),
        (1, 5, (3, 2, 3), 5),
        (2, 5, (3, 2, 3), 3),
        (1, 5, (3, 3, 3), 4),
        (2, 4, (2, 2, 1), 4),
        (2, 4, (2, 2, 2), 3),
        (1, 1, (1, 2, 2), 1),
    ],
)
def test_hits_by_recoil_stop_at_the_shots_that_were_fired(
    rcl: int, shots: int, dice: tuple[int, int, int], hits: int
) -> None:
    # at 10 yards 11, and 12 for five shots
    table = shooting(10, on_map=False, r={"items": gun(rcl=rcl)}, x=SAFE)
    low = {f"hit{number}__damage": (1, 1, 1, 1, 1) for number in range(1, hits + 1)}

    done = table.play("attack", "r", "x", weapon=RIFLE, options={"shots": shots}, to_hit=dice, defend="none", **low)

    assert scored(done) == hits
    assert table.who("r").items[RIFLE].marks["ammo"] == 31 - shots


def zone() -> PlayTable:
    """R rakes a zone between X and P; X, 6 yards from P, has his slot. The zone begins 3 yards before him."""
    table = fight(
        r={"at": (3, 8, 0), "side": "red"}, p={"at": (0, 0, 90), "side": "red"}, x={"at": (6, 0, 270), "side": "green"}
    )
    options = {"option": "suppression_fire", "zones": (15,), "centres": ((200, 0),)}
    table.play("all_out_attack", "r", weapon=RIFLE, options=options)
    table.end_turn()
    table.end_turn()
    return table


@pytest.mark.clause("GU-100", "GU-110", "GU-950", "GU-2500", "GU-2510")
@pytest.mark.parametrize("stunned", [False, True], ids=["wounded", "stunned"])
def test_who_charges_through_a_zone_is_fired_at_there_and_then_strikes_if_he_can(stunned: bool) -> None:
    table = zone()
    given: dict[str, Any] = {"to_hit": [(3, 3, 2), (3, 3, 4)], "damage": (1, 1, 1, 1, 1)}
    if stunned:
        given = {"to_hit": (3, 3, 2), "damage": (3, 3, 2, 2, 2), "knockdown": (5, 4, 4)}

    done = table.play("move_and_attack", "x", "p", weapon=AXE, path=[(1, 0)], defend="none", **given)

    assert attackers(done) == (["r"] if stunned else ["r", "x"])
    assert gone(done, "x") == (3 if stunned else 5)
    question = done.questions("defend")[0]
    assert [option.id for option in question.options] == ["dodge", "none"]
    assert ("retreat_not_allowed", "GU-950") in against(done, "dodge_and_drop")
    counted = [event.value for event in done.of(ev.EffectCounted) if event.combatant == "r"]
    assert counted[0] == 15 - 1, "a hit comes off it"


# Mounts


def mounted(on_map: bool) -> PlayTable:
    """X waits for P, who rides at him on H from 8 yards off and has his slot."""
    people: dict[str, Any] = {
        "x": {"side": "green"},
        "p": {"side": "red"},
        "h": {"side": "red", "sample": "sample_axeman", "basic_move": 8, "held": {}},
    }
    if on_map:
        places = {"x": (0, 0, 90), "p": (8, 0, 270), "h": (8, 0, 270)}
        table = fight(**{who: {**people[who], "at": places[who]} for who in people})
    else:
        table = fight(**people, apart={"xp": 8, "xh": 8, "ph": 0})
    table.rule(cmd.AddEffect(CombatantId("p"), "mounted", against=CombatantId("h")))
    options = {"trigger": "enters_reach", "response": "attack"}
    table.play("wait", "x", "p", weapon=AXE, options=options)
    table.end_turn()
    return table


@both_ways
@pytest.mark.clause("GU-100", "GU-110", "GU-1020")
@pytest.mark.parametrize("stunned", [False, True], ids=["wounded", "stunned"])
def test_a_rider_struck_on_the_way_stops_his_mount_only_if_he_can_no_longer_lead_it(
    on_map: bool, stunned: bool
) -> None:
    table = mounted(on_map)
    way: dict[str, Any] = {"path": [(1, 0)]} if on_map else {"said": {"length": 7}}
    options: dict[str, Any] = {"control_mount": True} if on_map else {"control_mount": True, "toward": "x"}
    hurts: dict[str, Any] = {"damage": (3, 3), "knockdown": (5, 5, 3)} if stunned else {"damage": (1, 1)}

    done = table.play("move", "p", options=options, **way, use_wait="act", to_hit=HIT, defend="none", **hurts)

    assert attackers(done) == ["x"]
    assert gone(done, "h") == (6.51 if stunned and on_map else 7)
    assert apart(table, "h", "p") == 0
    assert table.turn == ("x" if stunned else "p"), "the mount was led, and has no slot of its own in this round"
    assert table.has("p", "stunned_physical") is stunned


# Several maneuvers


@pytest.mark.clause("GU-570", "GU-790", "GU-950", "GU-1120")
@pytest.mark.parametrize("first", ["all_out_attack", "move_and_attack"])
def test_a_ban_until_the_next_turn_outlasts_the_maneuver_that_follows(first: str) -> None:
    fast = {"trait_values": {"altered_time_rate": 1}}
    table = duel(x=fast, s={})
    options = {"option": "strong"} if first == "all_out_attack" else {}
    still = {} if first == "all_out_attack" else {"said": {"length": 0}}
    table.play(first, "x", "s", weapon=AXE, options=options, **still, to_hit=MISS)
    table.play("all_out_defense", "x", options={"option": "double_defense"})
    table.end_turn()
    ducks: dict[str, Any] = {"defend": "dodge", "dodge": (3, 3, 2)}

    done = table.play(
        "attack", "s", "x", **SWING, to_hit=HIT, **({"damage": 1} if first == "all_out_attack" else ducks)
    )

    if first == "all_out_attack":
        assert not done.questions("defend")
    else:
        assert ("parry_not_allowed", "GU-950") in against(done, "parry")
    pass_to(table, "x")
    assert not table.has("x", "no_active_defense", "moved_and_attacked", "all_out_defending")
