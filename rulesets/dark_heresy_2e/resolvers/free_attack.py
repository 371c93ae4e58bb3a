"""The free attack of those whom somebody leaves in melee. Clauses DH-3320 to DH-3350."""

from collections.abc import Iterator
from functools import partial

from app.engine.asks import Answer, Barred, Option, Question
from app.engine.forms import Field
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId
from app.engine.moments import Leaving
from app.engine.reasons import Reason, in_order
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.table import Table
from app.engine.triggers import Cue
from rulesets.dark_heresy_2e.attack import Attack, AttackParams, hit_chance, why_not_fire
from rulesets.dark_heresy_2e.conditions import IN_A_GRAPPLE, OUT
from rulesets.dark_heresy_2e.grappling import GRAPPLE, why_not_seize
from rulesets.dark_heresy_2e.resolvers.grapple import bare_handed, is_allowed, seize
from rulesets.dark_heresy_2e.striking import make_attack
from rulesets.dark_heresy_2e.two_weapons import why_not_pair, with_second
from rulesets.dark_heresy_2e.watching import end_if_spent
from rulesets.dark_heresy_2e.weapons import UNARMED, Weapon, readied, weapon_of

FREE_ATTACK = ActionId("free_attack")
STANDARD_ATTACK = ActionId("standard_attack")
TAKE, PASS = "take", "pass"


def leaving_melee(scene: Scene, moment: Leaving) -> Iterator[Cue]:
    """All whom he leaves may strike at once: asked side by side, resolved in initiative order.

    Clauses: DH-3320, DH-3330.
    """
    if moment.provokes:
        chosen: dict[CombatantId, Answer] = {}
        yield Cue(
            0,
            (),
            FREE_ATTACK,
            partial(_ask_all, scene, moment, chosen),
            partial(_strike_all, scene, moment.mover, chosen),
        )


def why_no_free_attack(table: Table, who: CombatantId, mover: CombatantId) -> Iterator[Reason]:
    """Why somebody who is left cannot strike: unable to act, in a grapple, on the defensive, or blind to the mover.

    Clause: DH-3340.
    """
    defensive = table.has(who, "defensive_stance") and table.flag("stance_bars_free_attacks")
    sees = table.space.sees(who, mover)
    blind = table.who(mover).hidden or (not isinstance(sees, Unknown) and not sees)
    if table.who(who).status != "up" or table.has(who, *OUT, *IN_A_GRAPPLE) or defensive or blind:
        yield table.rules.reason("cannot_act", "DH-3340", names=(who,))


def _ask_all(scene: Scene, moment: Leaving, chosen: dict[CombatantId, Answer]) -> Answer | None:
    """Everybody who can is asked; None if nobody strikes."""
    able = [who for who in moment.leaves if not any(True for _ in why_no_free_attack(scene, who, moment.mover))]
    answers = scene.gather({who: partial(_ask, scene, who, moment.mover) for who in able})
    chosen.update({CombatantId(who): answer for who, answer in answers.items() if answer.option != PASS})
    return Answer(TAKE) if chosen else None


def _ask(scene: Scene, who: CombatantId, mover: CombatantId) -> Answer:
    def judge(answer: Answer) -> Iterator[Reason]:
        second = answer.word("second_weapon")
        if second:
            first = answer.word("weapon", next(_at_hand(scene, who))[0])
            pair = with_second(scene, _attack(scene, who, mover, first), ItemId(second))
            yield from (one for one in why_not_pair(scene, *pair) if one.code != "not_engaged")

    return scene.ask(_question(scene, who, mover), judge)


def _question(scene: Scene, who: CombatantId, mover: CombatantId) -> Question:
    """Take or pass, and with what. Clauses: DH-3320, DH-3340."""
    choices = tuple(key for key, _ in _at_hand(scene, who))
    chance = hit_chance(scene, _attack(scene, who, mover, choices[0]))
    fields = [Field("weapon", "item", choices=choices)]
    if seconds := tuple(second for second in choices if any(_pairs(scene, who, mover, one, second) for one in choices)):
        fields.append(Field("second_weapon", "item", choices=seconds, clause=ClauseId("DH-4570")))
    options = [Option(TAKE, chance, form=tuple(fields))]
    against = in_order(why_not_seize(scene, who, mover))
    if not against:
        seizing = bare_handed(scene, _attack(scene, who, mover, UNARMED))
        options.append(Option(GRAPPLE, hit_chance(scene, seizing)))
    return Question(
        key="",
        name=FREE_ATTACK,
        kind=FREE_ATTACK,
        to=who,
        options=(*options, Option(PASS, declines=True)),
        default=PASS,
        best=TAKE,
        about=mover,
        barred=(Barred(GRAPPLE, against),) if against else (),
        clause=ClauseId("DH-3320"),
    )


def _at_hand(table: Table, who: CombatantId) -> Iterator[tuple[str, Weapon]]:
    """What he can strike with, the best first: a melee weapon in hand, a pistol that fires, his bare hands.

    Clauses: DH-3340, DH-5340.
    """
    held = [(key, weapon) for key, weapon in readied(table, who) if not weapon.natural]
    yield from ((key, weapon) for key, weapon in held if weapon.is_melee)
    for key, weapon in held:
        if weapon.class_ == "pistol" and not any(True for _ in why_not_fire(table, _attack(table, who, who, key))):
            yield key, weapon
    yield UNARMED, weapon_of(table, who, None)


def _attack(table: Table, who: CombatantId, mover: CombatantId, weapon: str) -> Attack:
    """A whole Standard Attack, with its own figures. Clause: DH-3320."""
    params: AttackParams = table.rules.actions[STANDARD_ATTACK].params
    item = None if weapon == UNARMED else ItemId(weapon)
    profile = weapon_of(table, who, item)
    return Attack(
        attacker=who,
        target=mover,
        action=FREE_ATTACK,
        params=params,
        item=item,
        weapon=profile,
        mode="melee" if profile.is_melee else "single",
        use_aim=params.aim,
        clause=ClauseId("DH-3320"),
    )


def _pairs(table: Table, who: CombatantId, mover: CombatantId, weapon: str, second: str) -> bool:
    """Whether these two weapons make a pair of attacks for him. Clause: DH-4570."""
    if second == UNARMED:
        return False
    pair = with_second(table, _attack(table, who, mover, weapon), ItemId(second))
    return not any(one.code != "not_engaged" for one in why_not_pair(table, *pair))


def _strike_all(scene: Scene, mover: CombatantId, chosen: dict[CombatantId, Answer], answer: Answer) -> None:
    """One after another in initiative order, each looked at again: only a dead mover, or being unable, stops one.

    They cost no reaction and are no action of one's own turn. Clauses: DH-3330, DH-3350.
    """
    for body in scene.in_order():
        who = body.id
        if who not in chosen or scene.who(mover).status == "dead":
            continue
        if any(True for _ in why_no_free_attack(scene, who, mover)):
            continue
        with scene.within(who):
            if chosen[who].option == GRAPPLE:
                _seize(scene, who, mover)
            else:
                _strike_with(scene, who, mover, chosen[who])
        end_if_spent(scene, who)


def _seize(scene: Scene, who: CombatantId, mover: CombatantId) -> None:
    """The attack takes hold, unless somebody else was first or the GM does not allow it. Clauses: DH-3320, DH-3450."""
    if not any(True for _ in why_not_seize(scene, who, mover)) and is_allowed(scene, who, mover):
        seize(scene, bare_handed(scene, _attack(scene, who, mover, UNARMED)))


def _strike_with(scene: Scene, who: CombatantId, mover: CombatantId, answer: Answer) -> None:
    """With what he chose, if he still has it."""
    choices = [key for key, _ in _at_hand(scene, who)]
    weapon = answer.word("weapon", choices[0])
    if weapon in choices:
        _strike(scene, _attack(scene, who, mover, weapon), answer.word("second_weapon"))


def _strike(scene: Scene, first: Attack, second: str) -> None:
    """The attack, or both of a pair; at nobody else when the first has killed the mover. Clauses: DH-3320, DH-4570."""
    if not second:
        make_attack(scene, first)
        return
    pair = with_second(scene, first, ItemId(second))
    with scene.within("first"):
        make_attack(scene, pair[0])
    if scene.who(first.target).status == "dead":
        scene.tick("attack", first.attacker, first.target)
        return
    with scene.within("second"):
        make_attack(scene, pair[1])
