"""Any action can be forbidden, and none by which a turn is ended; what the rules themselves do with it goes on."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from app.catalog import Rulebook
from app.catalog.house import differences, in_words, judge
from app.catalog.house.trial import PlainSource, running, samples_of
from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.actions import why_not
from app.engine.asks import Answer, Ask, Input, Question
from app.engine.commands import Submission
from app.engine.ids import ActionId
from app.engine.listing import listing
from app.engine.preview import preview
from app.engine.reasons import BadAnswer, Refused
from app.engine.run import run
from app.engine.space.model import Said
from app.engine.state import State
from app.engine.table import Table, table_for
from tests.house.documents import findings, merged
from tests.support.play import book, catalog

ACTIONS = [(one.id, action) for one in catalog() for action in one.document["actions"]]
TURNS = 6
CODE = "forbidden_by_house_rules"


def without(ruleset: str, *actions: str) -> Rulebook:
    """The ruleset where nobody may take these."""
    return merged({"extends": ruleset, "actions": dict.fromkeys(actions)})


def begun(made: Rulebook) -> State:
    samples = samples_of(made)
    return running(made, samples[0], samples[-1], 100)


def reasons(made: Rulebook, state: State, sub: Submission) -> list[tuple[str, str | None]]:
    return [(one.code, one.at) for one in why_not(table_for(made.ruleset, state, sub), sub)]


def ends(ruleset: str) -> frozenset[str]:
    return book(ruleset).code.ends_turn


@pytest.mark.parametrize(("ruleset", "action"), ACTIONS)
def test_every_action_can_be_forbidden_and_the_fight_goes_on(ruleset: str, action: str) -> None:
    if action in ends(ruleset):
        for given, place in ((None, ""), ({"forbidden": True}, "/forbidden")):
            document = {"extends": ruleset, "actions": {action: given}}
            assert findings(document, ruleset) == [(f"/actions/{action}{place}", "ends_turn")]
        return
    made = without(ruleset, action)
    state = begun(made)
    assert state.status == "running"
    clause = book(ruleset).document["actions"][action]["clauses"][0]
    for who in state.combatants:
        sub = Submission(who, ActionId(action))
        refused = why_not(table_for(made.ruleset, state, sub), sub)
        assert [(one.code, one.kind, one.at, one.clause) for one in refused] == [
            (CODE, "permission", "/action", clause)
        ]
        assert preview(made.ruleset, state, sub).reasons == refused
        with pytest.raises(Refused):
            run(made.ruleset, state, cmd.Act(sub), inputs={}, source=PlainSource())
        assert action not in {view.id for view in listing(Table(made.ruleset, state), who)}
    assert action not in {one["id"] for one in made.describe_ruleset("en")["actions"]}
    taken = list(played(made, state))
    assert len([one for one in taken if isinstance(one, ev.TurnEnded)]) >= TURNS


def played(made: Rulebook, state: State) -> Iterator[ev.AnyEvent]:
    """Turns in which everything is tried that the list offers, each at whom it can be aimed."""
    for _ in range(TURNS):
        slot = state.clock.slot
        if slot is None:
            return
        owner = slot.owner
        for view in listing(Table(made.ruleset, state), owner):
            sub = Submission(
                owner,
                view.id,
                targets=tuple(one.id for one in view.targets if one.available)[:1],
                weapon=view.weapons[0] if view.weapons else None,
            )
            if not view.available or view.id in made.code.ends_turn or state.clock.slot != slot:
                continue
            try:
                done = run(made.ruleset, state, cmd.Act(sub), inputs={}, source=PlainSource())
            except (Refused, BadAnswer):
                continue  # Something is yet to be filled in.
            state = done.state
            yield from (one.event for one in done.events)
        if state.clock.slot == slot:
            done = run(
                made.ruleset,
                state,
                cmd.Act(Submission(owner, ActionId("end_turn"))),
                inputs={},
                source=PlainSource(),
            )
            state = done.state
            yield from (one.event for one in done.events)


@pytest.mark.parametrize("ruleset", sorted(catalog().ids))
def test_all_of_them_at_once(ruleset: str) -> None:
    """A table on which a turn can only be ended."""
    mine = [action for name, action in ACTIONS if name == ruleset and action not in ends(ruleset)]
    made = without(ruleset, *mine)
    state = begun(made)
    slot = state.clock.slot
    assert slot is not None
    for who in state.combatants:
        assert {view.id for view in listing(Table(made.ruleset, state), who)} <= ends(ruleset)
    assert any(isinstance(one, ev.TurnEnded) for one in played(made, state))


@pytest.mark.parametrize("language", ["en", "ru", "pl"])
def test_it_is_told_in_words(language: str) -> None:
    base = book("dark_heresy_2e")
    made = without("dark_heresy_2e", "standard_attack")
    (found,) = differences(base.document, made.document)
    assert (found.place, found.change) == ("/actions/standard_attack", "forbidden")
    word = {"en": "forbidden", "ru": "запрещено", "pl": "zakazano"}[language]
    name = base.name("action", "standard_attack", language)
    assert in_words(found, base, made, language).endswith(f"{name} ({found.clause}): {word}")
    assert made.texts.message(CODE, language) not in (None, "")


def test_its_figures_can_still_be_set_for_what_the_rules_do_with_it() -> None:
    document = {
        "extends": "dark_heresy_2e",
        "actions": {"standard_attack": {"forbidden": True, "params": {"to_hit": 30}}},
    }
    made = judge(book("dark_heresy_2e"), document)
    assert [(one.change, one.field) for one in differences(book("dark_heresy_2e").document, made.document)] == [
        ("forbidden", ""),
        ("changed", "params.to_hit"),
    ]


def test_what_is_not_forbidden_is_as_it_was() -> None:
    base, made = book("gurps_4e"), merged({"extends": "gurps_4e", "actions": {"attack": {"forbidden": False}}})
    assert made.ruleset.pin == base.ruleset.pin
    assert differences(base.document, made.document) == []


@pytest.mark.parametrize(
    ("ruleset", "forbidden", "action", "options", "at"),
    [
        ("dark_heresy_2e", "knock_down", "charge", {"mode": "knock_down"}, "/options/mode"),
        ("dark_heresy_2e", "full_auto_burst", "overwatch", {"attack": "full_auto_burst"}, "/options/attack"),
        ("dark_heresy_2e", "run", "flee", {"by": "run"}, "/options/by"),
        ("gurps_4e", "attack", "wait", {"response": "attack"}, "/options/response"),
        ("gurps_4e", "feint", "wait", {"maneuvers": ("move", "feint")}, "/options/maneuvers/1"),
        ("manewry_ap", "charge", "double_attack", {"combine": ("charge",)}, "/options/combine/0"),
    ],
)
def test_nor_by_another_name(ruleset: str, forbidden: str, action: str, options: dict[str, object], at: str) -> None:
    """What is forbidden is forbidden where another action is made of it."""
    made = without(ruleset, forbidden)
    state = begun(made)
    slot = state.clock.slot
    assert slot is not None
    sub = Submission(slot.owner, ActionId(action), options=dict(options))
    assert reasons(made, state, sub) == [(CODE, at)]
    field = next(one for one in made.ruleset.actions[action].form if at.split("/")[2] == one.name)
    assert forbidden not in field.choices


def test_it_is_not_offered_where_somebody_is_asked() -> None:
    """Shadowrun's interrupts and the reactions of wh40k_d100: barred, with the reason."""
    asked: list[Question] = []

    class Source(PlainSource):
        def __call__(self, ask: Ask) -> Input | None:
            if isinstance(ask, Question):
                asked.append(ask)
                return Answer(ask.default)
            return super().__call__(ask)

    for ruleset, attack, barred in (
        ("shadowrun_5e", "melee_attack", {"full_defense", "full_defense_block", "block"}),
        ("wh40k_d100", "attack", {"dodge"}),
    ):
        asked.clear()
        made = without(ruleset, *barred & set(book(ruleset).document["actions"]))
        state = begun(made)
        slot = state.clock.slot
        assert slot is not None
        foe = next(one for one in state.combatants if one != slot.owner)
        view = next(one for one in listing(Table(made.ruleset, state), slot.owner) if one.id == attack)
        kinds = {weapon: state.combatants[slot.owner].items[weapon].kind for weapon in view.weapons}
        profiles = made.document["weapons"]
        weapon = next((one for one, kind in kinds.items() if "melee" in profiles[kind].values()), None)
        sub = Submission(slot.owner, ActionId(attack), targets=(foe,), weapon=weapon, said=Said())
        run(made.ruleset, state, cmd.Act(sub), inputs={}, source=Source())
        question = next((one for one in asked if one.kind == "defend"), None)
        assert question is not None
        found = {one.id for one in question.barred if any(why.code == CODE for why in one.reasons)}
        assert found >= barred
        assert not barred & {one.id for one in question.options}


def test_the_rules_still_do_it_by_themselves() -> None:
    """Whoever leaves a melee is struck at with a Standard Attack, and who did nothing has taken Do Nothing."""
    made = without("dark_heresy_2e", "standard_attack")
    state = begun(made)
    slot = state.clock.slot
    assert slot is not None
    foe = next(one for one in state.combatants if one != slot.owner)
    other = {slot.owner: foe, foe: slot.owner}
    near = {who: replace(body, engaged=(other[who],)) for who, body in state.combatants.items()}
    state = replace(state, combatants=near)

    class Takes(PlainSource):
        def __call__(self, ask: Ask) -> Input | None:
            if isinstance(ask, Question) and ask.kind == "free_attack":
                return Answer("take")
            return super().__call__(ask)

    sub = Submission(slot.owner, ActionId("move"), type="half", said=Said(length=200, leaves=(foe,)))
    done = run(made.ruleset, state, cmd.Act(sub), inputs={}, source=Takes())
    struck = [one.event for one in done.events if isinstance(one.event, ev.CheckRolled)]
    assert [one.combatant for one in struck if one.purpose == "attack"] == [foe]

    made = without("gurps_4e", "do_nothing")
    state = begun(made)
    slot = state.clock.slot
    assert slot is not None
    over = cmd.Act(Submission(slot.owner, ActionId("end_turn")))
    idle = run(made.ruleset, state, over, inputs={}, source=PlainSource()).events
    assert "do_nothing" in {one.event.action for one in idle if isinstance(one.event, ev.ActionTaken)}
