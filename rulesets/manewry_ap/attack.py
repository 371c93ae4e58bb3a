"""What an attack is: with what, in which manoeuvre, at what price, and every reason against it. Carrying it out stands
in `striking`.

Clauses MA-200, MA-210, MA-300 to MA-340, MA-360, MA-380, MA-490 to MA-580, MA-620.
"""

from collections.abc import Iterator
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from app.engine.commands import GivenModifier, Submission
from app.engine.events import Term
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.space.model import Unknown
from app.engine.table import Table
from rulesets.manewry_ap.charging import Charge, charge_of, why_not_charge
from rulesets.manewry_ap.figures import HIDDEN, UNIT, is_on_the_ground, tables_of
from rulesets.manewry_ap.holds import HOLDING, hold_of
from rulesets.manewry_ap.reach import are_foes, distance, in_sight, is_within, knows_of
from rulesets.manewry_ap.weapons import (
    BOTH,
    FISTS,
    HANDS,
    LEAP,
    MELEE,
    SHIELD,
    SHOT,
    THROW,
    Weapon,
    fists,
    has_both_hands_on,
    in_hand,
    is_ready,
    rounds,
    weapon_of,
)

Form = Literal["strike", "grab", "tighten"]
STRIKE: Final = "strike"
GRAB: Final = "grab"
TIGHTEN: Final = "tighten"
DOUBLE, TWO_HANDED, CHARGE = "double_attack", "two_handed_attack", "charge"
MANOEUVRES = (DOUBLE, TWO_HANDED, LEAP, CHARGE)
COMBINE, BARE_HANDS, KIND, SECOND_KIND = "combine", "bare_hands", "kind", "second_kind"
MELEE_ACTION = "melee_attack"
FAR_ACTIONS = ("ranged_attack", "throw_attack")


class AttackParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an action does with the basic attack: strike, grab or tighten, and by which manoeuvre of those that add to
    it. `kinds` are the kinds of attack that it can be, the usual one first.
    """

    form: Form = "strike"
    manoeuvre: Literal["", "double_attack", "two_handed_attack", "leaping_attack", "charge"] = ""
    kinds: Annotated[tuple[Literal["melee", "shot", "throw"], ...], Meta(min_length=1)] = ("melee",)
    to_hit: int = 0
    """Figures of an attack of one's own: on the test, on the ST, on the damage, and AP beside the usual price."""
    st: int = 0
    damage: int = 0
    ap: Annotated[int, Meta(ge=0, le=100)] = 0


PLAIN = AttackParams()
"""The basic attack, with nothing of its own."""


class Hand(msgspec.Struct, frozen=True):
    """One hand's part in an attack: with what, and as which kind of attack. What is no weapon counts as fists.

    `made_with` is the kind of the item, which may be taken away before the blow has landed.
    """

    item: ItemId | None
    weapon: Weapon
    kind: str
    made_with: str = FISTS
    is_weapon: bool = True


class Attack(msgspec.Struct, frozen=True):
    """One attack, whatever manoeuvres it is made of. `surprise` is judged when it is declared.

    Clauses: MA-060, MA-250, MA-560.
    """

    attacker: CombatantId
    target: CombatantId
    action: str
    form: Form
    manoeuvres: frozenset[str]
    hands: tuple[Hand, ...]
    surprise: bool
    charge: Charge | None = None
    given: tuple[GivenModifier, ...] = ()
    params: AttackParams = PLAIN
    clause: str = "MA-200"

    def own(self, value: int) -> tuple[Term, ...]:
        """A figure that the action itself adds."""
        return (Term(self.action, value, ClauseId(self.clause)),) if value else ()

    @property
    def kind(self) -> str:
        """Melee, shot or throw."""
        return self.hands[0].kind

    @property
    def is_double(self) -> bool:
        """Whether both hands attack. Clause: MA-500."""
        return DOUBLE in self.manoeuvres

    @property
    def units(self) -> int:
        """Units that a charge runs. Clause: MA-550."""
        return self.charge.units if self.charge is not None else 0

    @property
    def tags(self) -> frozenset[str]:
        """What is true of it, for modifiers in data."""
        qualities = {f"quality.{quality}" for hand in self.hands for quality in hand.weapon.qualities}
        return frozenset({self.kind, f"act.{self.action}", self.form, *self.manoeuvres, *qualities})


def manoeuvres_of(sub: Submission, action: Action) -> frozenset[str]:
    """What the action is, with what it is combined with. Clause: MA-560."""
    params: AttackParams = action.params
    named = sub.options.get(COMBINE, ())
    added = named if isinstance(named, list | tuple) else ()
    return frozenset({*((params.manoeuvre,) if params.manoeuvre else ()), *(str(one) for one in added)})


def attack_of(table: Table, sub: Submission, action: Action, *, whole: bool = False) -> Attack:
    """The attack that a submission describes; what cannot be is left for `why_not_attack`.

    With `whole` a charge is the one that really comes of it, whoever stands unseen on its line.

    Clauses: MA-300, MA-540.
    """
    params: AttackParams = action.params
    manoeuvres = manoeuvres_of(sub, action)
    target = sub.targets[0] if sub.targets else None
    charge = None
    if CHARGE in manoeuvres:
        charge = charge_of(table, sub, whole=whole)
        target = charge.met or target
    if params.form == TIGHTEN and target is None:
        hold = hold_of(table, sub.actor)
        target = None if hold is None else hold.against
    return Attack(
        sub.actor,
        target or CombatantId(""),
        action.id,
        params.form,
        manoeuvres,
        _hands(table, sub, action, double=DOUBLE in manoeuvres),
        table.has(sub.actor, HIDDEN),
        charge,
        sub.modifiers,
        params,
        str(action.clauses[0]),
    )


# With what


def _hands(table: Table, sub: Submission, action: Action, *, double: bool) -> tuple[Hand, ...]:
    params: AttackParams = action.params
    first = _hand(table, sub.actor, _first_item(table, sub, params), params, sub.options.get(KIND))
    if not double:
        return (first,)
    other = sub.second_weapon if sub.second_weapon in table.who(sub.actor).items else None
    if sub.second_weapon is None:
        other = next((key for key, _, _ in in_hand(table, sub.actor) if key != first.item), None)
    return first, _hand(table, sub.actor, other, params, sub.options.get(SECOND_KIND))


def _hand(table: Table, who: CombatantId, item: ItemId | None, params: AttackParams, kind: object) -> Hand:
    """What an item is in an attack of the kinds the action can be: what is no melee weapon grabs as fists do.

    Clauses: MA-300, MA-500, MA-580.
    """
    weapon = weapon_of(table, who, item)
    made_with = FISTS if item is None else table.item(who, item).kind
    if weapon is None or (params.form != STRIKE and not weapon.is_melee):
        return Hand(item, fists(table), MELEE, made_with, is_weapon=False)
    usual = next((one for one in params.kinds if weapon.does(one)), weapon.kind)
    if len(params.kinds) > 1 and weapon.kind in params.kinds:
        usual = weapon.kind
    named = str(kind) if isinstance(kind, str) and weapon.does(str(kind)) else usual
    return Hand(item, weapon, named, made_with, is_weapon=item is not None and weapon.kind != SHIELD)


def _first_item(table: Table, sub: Submission, params: AttackParams) -> ItemId | None:
    """The item that is meant: as named, bare hands where it is said, else the usual one. Clauses: MA-300, MA-360."""
    who = sub.actor
    if params.form == TIGHTEN:
        hold = table.effect(who, HOLDING)
        return hold.item if hold is not None and hold.item in table.who(who).items else None
    if sub.weapon is not None:
        return sub.weapon if sub.weapon in table.who(who).items else None
    if sub.options.get(BARE_HANDS) is True:
        return None
    held = list(in_hand(table, who))
    for key, _, weapon in held:
        if weapon is not None and any(weapon.does(kind) for kind in params.kinds):
            return key
    if params.form == GRAB and held and not is_ready(table, who, None):
        return held[0][0]
    return None


def is_heavy(hand: Hand, manoeuvres: frozenset[str]) -> bool:
    """Whether the weapon counts as Heavy in this attack: once, for whatever reason. Clause: MA-520."""
    return hand.kind == MELEE and (hand.weapon.is_always_heavy or TWO_HANDED in manoeuvres)


# Price


def price_of(table: Table, attack: Attack) -> int | None:
    """Action points: the dearer weapon, and what each manoeuvre adds. None for a charge that goes nowhere.

    Clauses: MA-200, MA-300, MA-500, MA-520, MA-530, MA-540, MA-560.
    """
    core = tables_of(table).core
    if attack.charge is not None and not attack.charge.can_be_priced:
        return None
    heavy = [core.heavy.ap if is_heavy(hand, attack.manoeuvres) else 0 for hand in attack.hands]
    basic = max(hand.weapon.ap_cost + more for hand, more in zip(attack.hands, heavy, strict=True))
    double = core.double_ap if attack.is_double else 0
    leap = core.leap_ap if LEAP in attack.manoeuvres else 0
    return basic + double + leap + attack.units * core.charge.ap + attack.params.ap


# Reasons


def why_not_attack(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason against it, but for those of the turn and of the price. Clause: MA-095."""
    attack = attack_of(table, sub, action)
    yield from _why_not_combined(table, attack)
    if attack.form != TIGHTEN or hold_of(table, attack.attacker) is not None:
        yield from _why_not_with(table, sub, attack)
    if attack.manoeuvres & {LEAP, CHARGE} and is_on_the_ground(table, attack.attacker):
        yield table.rules.reason("must_stand")
    if attack.form == TIGHTEN:
        yield from _why_not_tighten(table, sub, attack)
        return
    if attack.charge is not None:
        yield from why_not_charge(table, sub, attack.charge)
        return
    if not sub.targets:
        return
    if not knows_of(table, attack.attacker, attack.target):
        yield table.rules.reason("no_such_target", at="/targets/0", names=(attack.target,))
        return
    if attack.form == GRAB:
        yield from _why_not_grab(table, attack)
    else:
        yield from _why_not_reached(table, attack)


def _why_not_combined(table: Table, attack: Attack) -> Iterator[Reason]:
    """Two hands do one thing; leap and charge are manoeuvres of their own; a grab has no damage to raise.

    A table that plays without one of them cannot add it. Clause: MA-560.
    """
    several = attack.manoeuvres
    both = {DOUBLE, TWO_HANDED} <= several or {LEAP, CHARGE} <= several
    barred = any(one not in table.rules.actions for one in several)
    if both or barred or (attack.form != STRIKE and several):
        yield table.rules.reason("manoeuvres_do_not_combine", at=f"/options/{COMBINE}", names=tuple(sorted(several)))


def _why_not_with(table: Table, sub: Submission, attack: Attack) -> Iterator[Reason]:
    """Reasons that lie in what it is made with. Clauses: MA-200, MA-500 to MA-535, MA-540, MA-570, MA-580."""
    reason, who = table.rules.reason, attack.attacker
    first = attack.hands[0]
    if sub.weapon is not None and sub.options.get(BARE_HANDS) is True:
        yield reason("unused_input", at="/options/bare_hands", names=(BARE_HANDS,))
    yield from _why_not_ready(table, attack)
    if attack.is_double:
        yield from _why_not_double(table, attack)
    elif sub.second_weapon is not None:
        yield reason("unused_input", at="/second_weapon", names=("second_weapon",))
    if attack.form == STRIKE and _must_be_melee(table, attack):
        bare = TWO_HANDED in attack.manoeuvres and not first.is_weapon
        wrong = first.item is not None and (not first.is_weapon or first.kind != MELEE)
        if bare or wrong:
            yield reason("melee_weapon_required", at="/weapon")
        elif TWO_HANDED in attack.manoeuvres and _lacks_a_hand(table, who, first.item):
            yield reason("no_free_hand", at="/weapon")
    elif attack.form == STRIKE and not attack.is_double and first.item is not None and not first.is_weapon:
        yield reason("weapon_not_ready", at="/weapon", names=(first.item,))


def _lacks_a_hand(table: Table, who: CombatantId, item: ItemId | None) -> bool:
    """Whether he holds it well enough in one hand and has no other for it. Clause: MA-520."""
    return item is not None and is_ready(table, who, item) and not has_both_hands_on(table, who, item)


def _must_be_melee(table: Table, attack: Attack) -> bool:
    """Whether only a melee attack will do. Clauses: MA-200, MA-520, MA-535, MA-540."""
    if attack.manoeuvres & {TWO_HANDED, CHARGE} or attack.action == MELEE_ACTION:
        return True
    return LEAP in attack.manoeuvres and table.flag("leap_melee_only")


def _why_not_ready(table: Table, attack: Attack) -> Iterator[Reason]:
    """What is not in hand as it must be, and what does not shoot or fly. Clauses: MA-200, MA-210, MA-300."""
    for hand, at in zip(attack.hands, ("/weapon", "/second_weapon"), strict=False):
        if at == "/second_weapon" and hand.item is None:
            continue
        useless = attack.action in FAR_ACTIONS and hand.kind == MELEE and hand is attack.hands[0]
        if useless or not is_ready(table, attack.attacker, hand.item):
            names = () if hand.item is None else (hand.item,)
            yield table.rules.reason("weapon_not_ready", at=at, names=names)
        if hand.kind == SHOT and hand.item is not None and rounds(table, attack.attacker, hand.item) == 0:
            yield table.rules.reason("not_enough_ammo", at=at, need=1, got=0)


def _why_not_double(table: Table, attack: Attack) -> Iterator[Reason]:
    """A weapon in each hand, of one kind of attack; shots and throws with one hand each.

    Clauses: MA-500, MA-570, MA-580.
    """
    reason, who = table.rules.reason, attack.attacker
    first, second = attack.hands
    items = [hand.item for hand in attack.hands if hand.item is not None]
    grips = {table.item(who, item).held for item in items}
    apart = len(set(items)) == HANDS and BOTH not in grips and None not in grips and len(grips) == HANDS
    if not apart or not first.is_weapon or not second.is_weapon:
        yield reason("needs_two_weapons", at="/second_weapon")
    if any(hand.kind != MELEE and hand.weapon.hands == HANDS for hand in attack.hands if hand.item is not None):
        yield reason("one_handed_required", at="/weapon")
    if len(items) == HANDS and first.is_weapon and second.is_weapon and first.kind != second.kind:
        yield reason("mixed_attack_kinds", at="/second_weapon", names=(first.kind, second.kind))


def _why_not_reached(table: Table, attack: Attack) -> Iterator[Reason]:
    """Reach in melee; range and sight for shots and throws. Each weapon must get there; of what neither shoots nor
    flies nothing is judged for a shot or throw. Clauses: MA-095, MA-200, MA-210.
    """
    for hand in attack.hands:
        if hand.kind == MELEE and hand.weapon.is_melee and attack.action not in FAR_ACTIONS:
            yield from _why_not_in_reach(table, attack, hand)
        elif hand.kind in (SHOT, THROW) and attack.action != MELEE_ACTION:
            yield from _why_not_in_range(table, attack, hand)
    if attack.kind != MELEE and attack.action != MELEE_ACTION:
        seen = in_sight(table, attack.attacker, attack.target)
        if isinstance(seen, Unknown):
            yield table.rules.reason("missing_input", at="/said/sees", names=(attack.target,))
        elif not seen:
            yield table.rules.reason("no_line_of_sight", at="/targets/0", names=(attack.target,))


def _why_not_in_reach(table: Table, attack: Attack, hand: Hand) -> Iterator[Reason]:
    near = is_within(table, attack.attacker, attack.target, hand.weapon.reach)
    if isinstance(near, Unknown):
        yield table.rules.reason("missing_input", at="/said/distance", names=(attack.target,))
    elif not near:
        yield _too_far(table, attack, "out_of_reach", hand.weapon.reach)


def _why_not_in_range(table: Table, attack: Attack, hand: Hand) -> Iterator[Reason]:
    far = distance(table, attack.attacker, attack.target)
    if isinstance(far, Unknown):
        yield table.rules.reason("missing_input", at="/said/distance", names=(attack.target,))
    elif far > hand.weapon.range_units * UNIT:
        yield _too_far(table, attack, "out_of_range", hand.weapon.range_units)


def _too_far(table: Table, attack: Attack, code: str, units: int) -> Reason:
    far = distance(table, attack.attacker, attack.target)
    got = None if isinstance(far, Unknown) else far
    return table.rules.reason(code, at="/targets/0", need_length=units * UNIT, got_length=got)


def _why_not_grab(table: Table, attack: Attack) -> Iterator[Reason]:
    """An enemy next to him who is not too large. Clauses: MA-300, MA-380."""
    reason, who, target = table.rules.reason, attack.attacker, attack.target
    near = is_within(table, who, target, 1)
    if isinstance(near, Unknown):
        yield reason("missing_input", at="/said/distance", names=(target,))
    elif not near:
        yield _too_far(table, attack, "not_adjacent", 1)
    if not are_foes(table, who, target):
        yield reason("not_an_enemy", at="/targets/0", names=(target,))
    most = table.who(who).sheet.stats["size"] * tables_of(table).core.grab_size_percent
    size = table.who(target).sheet.stats["size"]
    if size * 100 > most:
        yield reason("target_too_large", at="/targets/0", need_length=most // 100, got_length=size)


def _why_not_tighten(table: Table, sub: Submission, attack: Attack) -> Iterator[Reason]:
    """Only of the one he holds. Clauses: MA-350, MA-360."""
    hold = hold_of(table, attack.attacker)
    if hold is None or (sub.targets and sub.targets[0] != hold.against):
        yield table.rules.reason("not_holding", at="/targets/0" if sub.targets else None)
