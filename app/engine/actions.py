"""Taking an action: every reason against it at once, or the price, the rule, and what follows it."""

from collections.abc import Iterator

from msgspec.structs import replace

from app.engine.commands import Submission
from app.engine.forms import fill
from app.engine.ids import CombatantId, ItemId
from app.engine.moments import HALTED, ActionDone, Declaring
from app.engine.reasons import Reason, Refused, in_order
from app.engine.rules import Action, Ruleset
from app.engine.scene import Scene
from app.engine.table import Table


def why_not(table: Table, sub: Submission) -> tuple[Reason, ...]:
    """Every reason against this submission now, in the order they are told; empty if it is accepted.

    Raises `BadAnswer` where the submission cannot mean anything (an option the action does not know).
    """
    found = _action(table, sub)
    if isinstance(found, Reason):
        return (found,)
    return in_order(_all(table, *completed(table, sub, found)), table.rules.alone, table.rules.order)


class Aiming:
    """One submission against which each target in turn is held: what does not depend on him is judged only once."""

    def __init__(self, table: Table, sub: Submission) -> None:
        self._table, self._sub = table, sub
        self._found = _action(table, sub)
        self._whole: Submission | None = None
        self._judged: tuple[Submission, Action, _Aimless] | None = None

    def why_not(self, target: CombatantId) -> tuple[Reason, ...]:
        """The same reasons as `why_not` gives against the submission with that one target."""
        if isinstance(self._found, Reason):
            return (self._found,)
        sub, action = self._aimed(target, self._found)
        return in_order(
            _all(self._table, sub, action, self._aimless(sub, action)), self._table.rules.alone, self._table.rules.order
        )

    def _aimed(self, target: CombatantId, action: Action) -> tuple[Submission, Action]:
        """The whole submission with that target; only what is taken as something else must be looked at each time."""
        if action.type_for is not None or action.becomes is not None:
            return completed(self._table, replace(self._sub, targets=(target,)), action)
        if self._whole is None:
            self._whole, _ = completed(self._table, self._sub, action)
        return replace(self._whole, targets=(target,)), action

    def _aimless(self, sub: Submission, action: Action) -> "_Aimless":
        """What stands against it for all targets alike; judged again where the action is another for this one."""
        aimless = replace(sub, targets=())
        if self._judged is None or self._judged[1] is not action or self._judged[0] != aimless:
            self._judged = (aimless, action, _Aimless(self._table, sub, action))
        return self._judged[2]


def _action(table: Table, sub: Submission) -> Action | Reason:
    """The action it names, or the reason beside which nothing else can be judged."""
    rules = table.rules
    if table.state.status != "running":
        return rules.reason("encounter_not_running")
    if not table.known(sub.actor):
        return rules.reason("unknown_combatant", at="/actor", names=(sub.actor,))
    action = rules.actions.get(sub.action)
    if action is None and sub.action in rules.planned:
        return rules.reason("not_supported_yet", rules.planned[sub.action], at="/action", names=(sub.action,))
    if action is None:
        return rules.reason("unknown_action", at="/action", names=(sub.action,))
    forbidden = next(_forbidden(rules, sub, action), None)
    if forbidden is not None:
        return forbidden
    if sub.type is not None and sub.type not in action.costs:
        return rules.reason("wrong_action_type", at="/type", names=tuple(action.costs))
    return action


def _forbidden(rules: Ruleset, sub: Submission, action: Action) -> Iterator[Reason]:
    """House rules against the action, or against one that its options name (a charge that ends in a knock down)."""
    yield from rules.why_forbidden(action.id, "/action")
    for field in action.form:
        given = sub.options.get(field.name)
        if field.type == "word":
            yield from rules.why_forbidden(given, f"/options/{field.name}")
        elif field.type == "words" and isinstance(given, list | tuple):
            for place, one in enumerate(given):
                yield from rules.why_forbidden(one, f"/options/{field.name}/{place}")


def completed(table: Table, sub: Submission, action: Action) -> tuple[Submission, Action]:
    """The submission with its options judged and brought to one shape, the type it is taken as and the only weapon it
    can be done with filled in, and the action that it then is.
    """
    options = fill(action.form, sub.options, "/options", whole=False)
    kind = sub.type
    if kind is None and action.type_for is not None and not any(True for _ in _items(table, sub)):
        kind = action.type_for(table, sub, action)
    sub = replace(sub, options=options, type=kind or action.default_type, weapon=_with(table, sub, action))
    return (sub, action) if action.becomes is None else action.becomes(table, sub, action)


def _with(table: Table, sub: Submission, action: Action) -> ItemId | None:
    """What it is done with: as named, else the only thing that fits, where it is nothing without one."""
    if sub.weapon is not None or sub.second_weapon is not None or not action.weapons.required:
        return sub.weapon
    fit = [ItemId(key) for key in table.who(sub.actor).items if table.rules.fits(table, sub.actor, ItemId(key), action)]
    return fit[0] if len(fit) == 1 else None


class _Aimless:
    """What stands against a submission whoever its targets are: the turn structure, what is lacking, what is unused."""

    __slots__ = ("lacking", "strangers", "told")

    def __init__(self, table: Table, sub: Submission, action: Action) -> None:
        self.lacking = tuple(_items(table, sub))
        self.strangers = tuple(_strangers(table, sub, action))
        self.told = (
            *table.rules.turns.may(table, sub, action),
            *self.lacking,
            *_unused(table, sub, action),
            *_unsaid(table, sub, action),
        )


def _all(table: Table, sub: Submission, action: Action, aimless: _Aimless | None = None) -> Iterator[Reason]:
    """`aimless` is what has nothing to do with the targets, where it is known already."""
    if aimless is None:
        aimless = _Aimless(table, sub, action)
    yield from aimless.told
    yield from _targets(table, sub, action)
    if not all([table.known(target) for target in sub.targets]):
        return
    yield from aimless.strangers
    if aimless.strangers:
        return
    if aimless.lacking:
        yield from _whatever_he_took(table, sub, action)
        return
    told = tuple(action.check(table, sub, action))
    yield from told
    if action.form:
        yield from (one for one in _things(table, sub, action) if all(one.at != other.at for other in told))


def _unsaid(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Fields of its form that it cannot do without."""
    for field in action.form:
        if field.required and field.name not in sub.options:
            at = f"/options/{field.name}"
            yield table.rules.reason("missing_input", field.clause, at=at, names=field.choices)


def _people(sub: Submission, action: Action) -> Iterator[tuple[str, CombatantId]]:
    """Combatants whom the fields of its form name, and where."""
    for field in action.form:
        given = sub.options.get(field.name)
        if field.type == "combatant" and isinstance(given, str):
            yield f"/options/{field.name}", CombatantId(given)
        elif field.type == "combatants" and isinstance(given, tuple):
            yield from ((f"/options/{field.name}/{place}", CombatantId(one)) for place, one in enumerate(given))


def _strangers(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Whom nobody knows here."""
    for at, who in _people(sub, action):
        if not table.known(who):
            yield table.rules.reason("unknown_combatant", at=at, names=(who,))


def _things(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Items that neither he nor anybody else named there has."""
    for field in action.form:
        given = sub.options.get(field.name)
        if field.type != "item" or not isinstance(given, str) or field.choices:
            continue
        owners = (sub.actor, *(who for _, who in _people(sub, action)))
        if all(given not in table.who(who).items for who in owners):
            yield table.rules.reason("item_not_carried", at=f"/options/{field.name}", names=(given,))


def _whatever_he_took(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """What stands against it with anything that he could take instead of what he does not carry.

    Reasons that differ from weapon to weapon are left out: which of them would count, nobody can know.
    """
    carried, named = table.who(sub.actor).items, table.rules.actions.get(sub.action, action)
    second = sub.second_weapon if sub.second_weapon in carried else None
    able: list[ItemId | None] = [sub.weapon if named.weapons.kinds else None]
    if named.weapons.kinds and sub.weapon is not None and sub.weapon not in carried:
        able = [ItemId(key) for key in carried if table.rules.fits(table, sub.actor, ItemId(key), named)]
    common: list[Reason] | None = None
    for weapon in able:
        whole, taken = completed(table, replace(sub, weapon=weapon, second_weapon=second), named)
        against = list(taken.check(table, whole, taken))
        common = [one for one in (against if common is None else common) if one in against]
        if not common:
            return
    yield from (one for one in common or () if one.at not in ("/weapon", "/second_weapon"))


def _unused(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Inputs that the action has no use for: nothing that was sent is silently ignored."""
    given = (
        ("path", bool(sub.path)),
        ("area", sub.area is not None),
        ("location", sub.location is not None),
        ("facing", sub.facing is not None),
    )
    for name, is_given in given:
        if is_given and name not in action.needs and name not in action.forbids:
            yield table.rules.reason("unused_input", at=f"/{name}", names=(name,))
    if sub.weapon is not None and not action.weapons.kinds:
        yield table.rules.reason("unused_input", at="/weapon", names=("weapon",))
    if sub.second_weapon is not None and not action.weapons.second:
        yield table.rules.reason("unused_input", at="/second_weapon", names=("second_weapon",))


def _targets(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    who, rules = action.targets, table.rules
    at_a_place = who.or_place and (sub.area is not None or bool(sub.path))
    if len(sub.targets) < who.minimum and not at_a_place:
        yield rules.reason("missing_input", at="/targets", need=who.minimum, got=len(sub.targets))
    if len(sub.targets) > who.maximum:
        yield rules.reason("too_many_targets", at="/targets", need=who.maximum, got=len(sub.targets))
    for place, target in enumerate(sub.targets):
        if not table.known(target):
            yield rules.reason(_own_word(rules, "unknown_combatant"), at=f"/targets/{place}", names=(target,))
        elif who.who in ("enemy", "other") and table.who(target).status == "dead" and target != sub.actor:
            yield rules.reason(_own_word(rules, "invalid_target"), at=f"/targets/{place}", names=(target,))
        elif who.who in ("enemy", "other") and target == sub.actor:
            yield rules.reason("invalid_target", at=f"/targets/{place}", names=(target,))


_OWN_WORDS = {"unknown_combatant": "no_such_target", "invalid_target": "target_is_dead"}
"""A ruleset that names these under `general` has its own words for a target who is not there, and one who is dead."""


def _own_word(rules: Ruleset, code: str) -> str:
    own = _OWN_WORDS[code]
    return own if own in rules.general else code


def _items(table: Table, sub: Submission) -> Iterator[Reason]:
    if sub.weapon is None and sub.second_weapon is None:
        return
    carried = table.who(sub.actor).items
    for at, item in (("/weapon", sub.weapon), ("/second_weapon", sub.second_weapon)):
        if item is not None and item not in carried:
            yield table.rules.reason("item_not_carried", at=at, names=(item,))


def perform(scene: Scene, sub: Submission, *, accepted: bool = False) -> None:
    """Take the action: pay, resolve, and let its consequences follow. Raises `Refused` with every reason against it.

    What was `accepted` before from the same base is not judged again.
    """
    found = _action(scene, sub)
    if isinstance(found, Reason):
        raise Refused((found,))
    sub, action = completed(scene, sub, found)
    if not accepted:
        reasons = in_order(_all(scene.as_known_to(sub.actor), sub, action), scene.rules.alone, scene.rules.order)
        if reasons:
            raise Refused(reasons)
    if action.before is not None:
        with scene.within("before"):
            allowed = action.before(scene, sub, action)
        if allowed is None:
            return
        sub = allowed
    scene.rules.turns.pay(scene, sub, action)
    with scene.within(action.id):
        scene.announce(Declaring(sub.actor, action.id, action.tags, sub))
        if HALTED not in scene.met:
            action.resolve(scene, sub, action)
    with scene.within("after"):
        scene.announce(ActionDone(sub.actor, action.id, action.tags, sub))
        scene.rules.turns.after(scene, sub, action)


def type_of(sub: Submission, action: Action) -> str:
    """The type this action is taken as: what the submission names, else the action's ordinary one."""
    return sub.type or action.default_type
