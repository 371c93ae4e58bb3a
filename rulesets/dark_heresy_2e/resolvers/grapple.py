"""Grapple: the blow that takes hold, and what either side may do in a grapple. Clauses DH-3450 to DH-3548."""

from collections.abc import Callable, Iterator

import msgspec
from msgspec.structs import replace

from app.engine.actions import type_of
from app.engine.asks import GM, Answer, Option, Question
from app.engine.blocks.walk import Walk, go
from app.engine.commands import Submission
from app.engine.events import ActionStopped, Hit, Noted, Term
from app.engine.forms import Field
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId, Length
from app.engine.names import SkillName
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import Landing, Run, Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.attack import Attack, AttackParams, why_not_attack
from rulesets.dark_heresy_2e.checks import Settled, Side, contest, take_test
from rulesets.dark_heresy_2e.conditions import CONTROLLER, GRAPPLED, fall_prone, fatigue, let_go
from rulesets.dark_heresy_2e.damage import Source, deal
from rulesets.dark_heresy_2e.figures import reach_of, size_of
from rulesets.dark_heresy_2e.grappling import BROKEN, GRAPPLE, RELEASED, held, held_by, swap, take_hold
from rulesets.dark_heresy_2e.melee import part, part_from_the_far, together
from rulesets.dark_heresy_2e.moving import PRONE, Column, halts
from rulesets.dark_heresy_2e.resolvers.contests import contest_terms, push
from rulesets.dark_heresy_2e.resolvers.preparing import check_ready, ready
from rulesets.dark_heresy_2e.striking import make_attack
from rulesets.dark_heresy_2e.tags import OVER_PRONE, given_terms, why_not_given
from rulesets.dark_heresy_2e.weapons import UNARMED, hands_taken, profile, weapon_of

STANDARD_ATTACK = ActionId("standard_attack")
ROLES = {CONTROLLER: "controller", GRAPPLED: "target"}
BODY, STOWED = "body", "stowed"
ONE_HAND = 1
FULL_CIRCLE = 360
FOLLOW, RELEASE, ALLOW, DENY = "follow", "release", "allow", "deny"
NONE, DAMAGE, PUSH, STAND, READY, USE_ITEM = "none", "damage", "push", "stand", "ready", "use_item"
AT_ARMS_LENGTH = ("melee", "pistol")
SAID_WITH_OPTION = ("direction",)


class OptionRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which side of a grapple has the option, whether it is one of the extra ones, and the clause that gives it."""

    by: tuple[str, ...]
    clause: ClauseId
    extra: bool = False


class Types(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The action that Grapple takes on either side. Clauses: DH-3470, DH-3515."""

    controller: str
    target: str

    def of(self, role: str) -> str:
        """That of one side."""
        return self.controller if role == ROLES[CONTROLLER] else self.target


class GrappleParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is tested, what either side may do, and its figures.

    `check` is what both sides test, `slip` what who slips free tests instead. By more than `size_limit` larger, and
    only the GM can say whether he can be seized; each point of Size is worth `size_degrees` in a test. `step` is how
    far a push goes at least and for each degree, `push_reach` a column of the movement table beyond which it does not.

    Clauses: DH-3450, DH-3470, DH-3480 to DH-3530.
    """

    check: str
    slip: SkillName
    size_limit: int
    size_degrees: int
    fatigue: int
    step: Length
    push_reach: Column
    types: Types
    options: dict[str, OptionRule]


def params_of(table: Table) -> GrappleParams:
    """The figures of the Grapple action, which the blow that begins one needs too."""
    found: GrappleParams = table.rules.actions[GRAPPLE].params
    return found


# Taking hold


def bare_handed(table: Table, attack: Attack) -> Attack:
    """The same attack as a grapple: with bare hands, and its hit takes hold instead of hurting. Clause: DH-3450."""
    return replace(attack, item=None, weapon=weapon_of(table, attack.attacker, None), mode="melee", effect=GRAPPLE)


def is_too_large(table: Table, who: CombatantId, target: CombatantId) -> bool:
    """Whether the target is so much larger that only the GM can say whether he can be seized. Clause: DH-3450."""
    return size_of(table.who(target)) - size_of(table.who(who)) > params_of(table).size_limit


def is_allowed(scene: Scene, who: CombatantId, target: CombatantId) -> bool:
    """The GM says whether somebody so much larger can be seized; nobody asks about others. Clause: DH-3450."""
    if not is_too_large(scene, who, target):
        return True
    answer = scene.ask(
        Question(
            key="",
            name="grapple_size",
            kind="ruling",
            to=GM,
            options=(Option(ALLOW), Option(DENY, declines=True)),
            default=DENY,
            about=target,
            clause=ClauseId("DH-3450"),
        )
    )
    if answer.option == DENY:
        scene.emit(Noted(who, "gm_refused", target, clause=ClauseId("DH-3450")))
    return answer.option == ALLOW


def ask_before_seizing(scene: Scene, sub: Submission, action: Action) -> Submission | None:
    """What only the GM can allow he says before anything is spent. Clause: DH-3450."""
    seizes = sub.options.get("mode") == GRAPPLE and sub.target is not None
    return None if seizes and not is_allowed(scene, sub.actor, sub.targets[0]) else sub


def seize(scene: Scene, attack: Attack) -> None:
    """A blow with bare hands that takes hold where it hits and is not evaded. Clauses: DH-3450, DH-3970, DH-4560."""
    if make_attack(scene, attack):
        take_hold(scene, attack.attacker, attack.target)


# Letting go


def check_release(table: Table, sub: Submission) -> Iterator[Reason]:
    """Only whoever has somebody in a grapple lets go of him, in his own turn. Clause: DH-3548."""
    if sub.options.get("option") != RELEASE:
        return
    reason = table.rules.reason
    if not table.is_turn_of(sub.actor):
        yield reason("not_your_turn", "DH-1190")
    if held(table, sub.actor) is None:
        if held_by(table, sub.actor) is None:
            yield reason("not_in_grapple", "DH-3460")
        else:
            yield reason("not_controller", "DH-3480", at="/options/option")


def release(scene: Scene, sub: Submission) -> None:
    """He lets go, which costs nothing. Clause: DH-3548."""
    target = held(scene, sub.actor)
    if sub.options.get("option") == RELEASE and target is not None:
        let_go(scene, sub.actor, RELEASED, other=target)


# The action


def place_in(table: Table, who: CombatantId) -> tuple[str, CombatantId] | None:
    """On which side of a grapple he is, and with whom. Who is held sees to that first. Clauses: DH-3470, DH-3515."""
    if (controller := held_by(table, who)) is not None:
        return ROLES[GRAPPLED], controller
    if (target := held(table, who)) is not None:
        return ROLES[CONTROLLER], target
    return None


def type_for(table: Table, sub: Submission, action: Action) -> str:
    """The controller takes a full action, the target a half one. Clauses: DH-3470, DH-3515."""
    found = place_in(table, sub.actor)
    return action.default_type if found is None else params_of(table).types.of(found[0])


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """In a grapple, as the action his side takes, with an option that his side has. Clauses: DH-3460 to DH-3520."""
    reason, params = table.rules.reason, params_of(table)
    yield from why_not_given(table, sub.modifiers)
    found = place_in(table, sub.actor)
    if found is None:
        yield reason("not_in_grapple", "DH-3460")
        return
    role, foe = found
    if type_of(sub, action) != (taken := params.types.of(role)):
        clause = "DH-3470" if role == ROLES[CONTROLLER] else "DH-3515"
        yield reason("wrong_action_type", clause, at="/type", names=(taken,))
    yield from why_not_option(table, sub, foe, role)


def why_not_option(table: Table, sub: Submission, foe: CombatantId, role: str) -> Iterator[Reason]:
    """Every reason why this side cannot do that now. Clauses: DH-3480, DH-3505, DH-3510, DH-3520."""
    reason, params = table.rules.reason, params_of(table)
    option = sub.options.get("option")
    if option is None:
        yield reason("missing_input", "DH-3480", at="/options/option", names=tuple(options_of(table, role)))
        return
    rule = params.options.get(option)
    if rule is None or not _is_played(table, option):
        yield reason("unknown_option", "DH-3480", at="/options/option", names=(option,))
    elif role not in rule.by and role == ROLES[CONTROLLER]:
        yield reason("not_grapple_target", "DH-3520", at="/options/option", names=(option,))
    elif role not in rule.by:
        yield reason("not_controller", "DH-3480", at="/options/option", names=(option,))
    elif option in CHECKS:
        yield from CHECKS[option](table, sub, foe, role)


def options_of(table: Table, role: str) -> Iterator[str]:
    """What that side of a grapple may do at this table. Clauses: DH-3480, DH-3510, DH-3520."""
    rules = params_of(table).options
    return (option for option in OPTIONS if _is_played(table, option) and role in rules[option].by)


def _is_played(table: Table, option: str) -> bool:
    rule = params_of(table).options.get(option)
    return option in OPTIONS and rule is not None and (not rule.extra or table.flag("grapple_extra_options"))


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """The option that was chosen; an aim is used up without any good. Clauses: DH-3480 to DH-3520, DH-4370."""
    found = place_in(scene, sub.actor)
    if found is None:
        scene.emit(ActionStopped(sub.actor, action.id, "not_in_grapple", ClauseId("DH-3548")))
        return
    carry_out(scene, sub, found[1], found[0])
    scene.tick("attack", sub.actor, found[1])


def carry_out(scene: Scene, sub: Submission, foe: CombatantId, role: str) -> None:
    """One option of one side."""
    option = str(sub.options["option"])
    fact = f"grapple_{option}" if option != NONE else f"grapple_{option}_{role}"
    scene.emit(Noted(sub.actor, fact, foe, clause=params_of(scene).options[option].clause))
    with scene.within(option):
        OPTIONS[option](scene, sub, foe, role)


def struggle(scene: Scene, sub: Submission, foe: CombatantId, option: str, tested: str | None = None) -> Settled:
    """The opposed test of an option: Strength on both sides, unless who tries it tests something else.

    Clauses: DH-3490 to DH-3530.
    """
    who, params = sub.actor, params_of(scene)
    terms = (*_terms(scene, who, foe), *given_terms(sub.modifiers))
    return contest(
        scene,
        Side(who, tested or params.check, terms, _larger(scene, who, foe)),
        Side(foe, params.check, _terms(scene, foe, who), _larger(scene, foe, who)),
        GRAPPLE,
        clause=params.options[option].clause,
    )


def _terms(table: Table, who: CombatantId, foe: CombatantId) -> tuple[Term, ...]:
    """Whoever has hold of somebody on the ground, and is not there himself, has it easier. Clause: DH-3500."""
    over = held(table, who) == foe and table.has(foe, PRONE) and not table.has(who, PRONE)
    return contest_terms(table, who, GRAPPLE, *((OVER_PRONE,) if over else ()))


def _larger(table: Table, who: CombatantId, foe: CombatantId) -> int:
    """Degrees that a success of the larger one gains. Clause: DH-3530."""
    return max(0, size_of(table.who(who)) - size_of(table.who(foe))) * params_of(table).size_degrees


# What the controller does


def _hold(scene: Scene, sub: Submission, foe: CombatantId, role: str) -> None:
    """That it was declared is all there is to it. Clauses: DH-3480, DH-3520."""


def _hurt(scene: Scene, sub: Submission, foe: CombatantId, role: str) -> None:
    """Damage of bare hands to the body and fatigue, whether anything gets through or not. Clause: DH-3490."""
    who = sub.actor
    if struggle(scene, sub, foe, DAMAGE).winner != who:
        return
    source = Source(who, weapon_of(scene, who, None), UNARMED, bruises=False)
    deal(scene, source, Hit(1, foe, BODY), first=False)
    fatigue(scene, foe, params_of(scene).fatigue, "DH-3490")


def _throw_down(scene: Scene, sub: Submission, foe: CombatantId, role: str) -> None:
    """The target falls and is still held; the controller stays up. Clause: DH-3500."""
    if struggle(scene, sub, foe, "throw_down").winner == sub.actor:
        fall_prone(scene, foe, "DH-3500")


def _why_not_push(table: Table, sub: Submission, foe: CombatantId, role: str) -> Iterator[Reason]:
    """A direction in which there is room for the target. Clauses: DH-3505, DH-3770."""
    reason = table.rules.reason
    if table.has_map and not isinstance(sub.options.get("direction"), int):
        yield reason("missing_input", "DH-3505", at="/options/direction")
    elif not table.has_map and table.said.destination_free is False:
        yield reason("destination_blocked", "DH-3770", at="/said/destination_free")
    elif _reach(table, sub.actor) and _room(table, sub, foe, params_of(table).step)[0] == 0:
        yield reason("destination_blocked", "DH-3770", at="/options/direction")


def _reach(table: Table, who: CombatantId) -> Length:
    return reach_of(table, who, params_of(table).push_reach)


def _room(table: Table, sub: Submission, foe: CombatantId, distance: Length) -> tuple[Length, Landing | Unknown]:
    """How far the target can be pushed that way, and where he ends: as far as his reach, or the nearest whole step.

    Clause: DH-3505.
    """
    step, direction = params_of(table).step, sub.options.get("direction")
    farthest = min(distance, _reach(table, sub.actor))
    shorter = range((farthest - 1) // step * step, 0, -step) if step else ()
    for length in (farthest, *shorter):
        landing = table.space.push(foe, direction if isinstance(direction, int) else 0, length)
        if isinstance(landing, Unknown) or landing.blocked_by is None:
            return length, landing
    return 0, Unknown("landing", (foe,))


def _push(scene: Scene, sub: Submission, foe: CombatantId, role: str) -> None:
    """A metre, and another for each degree: the controller goes along, or lets go. Clause: DH-3505."""
    who = sub.actor
    settled = struggle(scene, sub, foe, PUSH)
    if settled.winner != who:
        return
    distance, landing = _room(scene, sub, foe, params_of(scene).step * (1 + settled.degrees))
    if not distance:
        scene.emit(Noted(who, "cannot_push", foe, clause=ClauseId("DH-3505")))
        return
    there = _place_behind(scene, sub, foe, distance, landing)
    follows = scene.ask(_after_push(who, foe, distance, able=there is not None)).option == FOLLOW
    if follows and there is not None:
        scene.met[together(who, foe)] = 1
        push(scene, foe, landing, distance, GRAPPLE, "DH-3505")
        _go_along(scene, who, foe, distance, there)
        del scene.met[together(who, foe)]
    else:
        let_go(scene, who, RELEASED, "DH-3505", other=foe)
        push(scene, foe, landing, distance, GRAPPLE, "DH-3505")
        if not scene.has_map:
            part(scene, who, foe)
    said = tuple(CombatantId(other) for other in scene.said.leaves or () if other not in (who, foe))
    for one in (foe, who):
        part_from_the_far(scene, one, said)


def _place_behind(
    table: Table, sub: Submission, foe: CombatantId, distance: Length, landing: Landing | Unknown
) -> Landing | None:
    """Where the controller ends who goes along; None if he cannot, over an edge or through a wall. Clause: DH-3505."""
    if isinstance(landing, Unknown) or landing.where is None:
        over = not isinstance(landing, Unknown) and landing.over is not None
        return None if over else Landing(None)
    direction = sub.options.get("direction")
    pushed = table.space.after({foe: landing.where})
    there = pushed.push(sub.actor, direction if isinstance(direction, int) else 0, distance)
    if isinstance(there, Unknown) or there.blocked_by is not None or there.over is not None or landing.over is not None:
        return None
    return there


def _after_push(who: CombatantId, foe: CombatantId, distance: Length, *, able: bool) -> Question:
    return Question(
        key="",
        name="grapple_after_push",
        kind="grapple_after_push",
        to=who,
        options=(*((Option(FOLLOW),) if able else ()), Option(RELEASE)),
        default=FOLLOW if able else RELEASE,
        best=FOLLOW if able else RELEASE,
        about=foe,
        informed=True,
        lengths={"distance": distance},
        clause=ClauseId("DH-3505"),
    )


def _go_along(scene: Scene, who: CombatantId, foe: CombatantId, distance: Length, there: Landing) -> None:
    """He goes as far as the target, past whoever may be on Overwatch; no movement action, so nobody strikes at him.

    Clauses: DH-3480, DH-3505.
    """
    if not any(effect.against == foe for effect in scene.effects(who, CONTROLLER)):
        return
    run = Run(who, distance, distance, cost=distance, walked=distance)
    drawn = None if there.where is None else scene.space.run(who, (there.where.point,))
    if drawn is not None and not isinstance(drawn, Unknown):
        run = drawn
    with scene.within("follow"):
        go(scene, Walk(who, run, GRAPPLE, ClauseId("DH-3505"), lambda: not set(halts(scene, who)) - {PRONE}))


def _why_not_stand(table: Table, sub: Submission, foe: CombatantId, role: str) -> Iterator[Reason]:
    """He must lie on the ground. Clause: DH-3510."""
    if not table.has(sub.actor, PRONE):
        yield table.rules.reason("not_prone", "DH-3510")


def _stand(scene: Scene, sub: Submission, foe: CombatantId, role: str) -> None:
    """He rises; a target who lies there too is dragged up by a test won, or is out of his hold. Clause: DH-3510."""
    who, lies = sub.actor, scene.has(foe, PRONE)
    drags = lies and sub.options.get("drag") is not False and struggle(scene, sub, foe, STAND).winner == who
    scene.end(who, PRONE, why="stood_up", clause="DH-3510")
    if drags:
        scene.end(foe, PRONE, why="stood_up", clause="DH-3510")
    elif lies:
        let_go(scene, who, RELEASED, "DH-3510", other=foe)


# What both may do


def _why_not_ready(table: Table, sub: Submission, foe: CombatantId, role: str) -> Iterator[Reason]:
    """An item of his own, for one hand. Clauses: DH-3510, DH-3520, DH-4300."""
    yield from check_ready(table, sub, table.rules.actions[GRAPPLE])
    if sub.weapon is None or sub.options.get("hand") == STOWED:
        return
    needed = hands_taken(table.rules, table.item(sub.actor, sub.weapon))
    if needed > ONE_HAND:
        yield table.rules.reason("no_free_hand", "DH-3510", at="/weapon", need=needed, got=ONE_HAND)


def _ready(scene: Scene, sub: Submission, foe: CombatantId, role: str) -> None:
    """As the action of that name. Clause: DH-3510."""
    ready(scene, sub, scene.rules.actions[GRAPPLE])


def _why_not_use(table: Table, sub: Submission, foe: CombatantId, role: str) -> Iterator[Reason]:
    """An item in his hand, which may be a weapon to strike with. Clauses: DH-3510, DH-3520."""
    reason, item = table.rules.reason, sub.weapon
    if item is None:
        yield reason("missing_input", "DH-3510", at="/weapon")
        return
    body = table.item(sub.actor, item)
    if not body.held:
        yield reason("item_not_carried", "DH-4300", at="/weapon", names=(item,))
    elif role == ROLES[GRAPPLED] and (needed := hands_taken(table.rules, body)) > ONE_HAND:
        yield reason("no_free_hand", "DH-3520", at="/weapon", need=needed, got=ONE_HAND)
    elif (attack := _attack_with(table, sub, foe)) is not None:
        yield from why_not_attack(table, attack)


def _attack_with(table: Table, sub: Submission, foe: CombatantId) -> Attack | None:
    """A Standard Attack on the other with a weapon for one hand, where the table plays it so. Clause: DH-3510."""
    assert sub.weapon is not None
    item = table.item(sub.actor, sub.weapon)
    weapon = profile(table.rules, item)
    if weapon is None or not table.flag("grapple_item_attack"):
        return None
    if weapon.class_ not in AT_ARMS_LENGTH or hands_taken(table.rules, item) > ONE_HAND:
        return None
    params: AttackParams = table.rules.actions[STANDARD_ATTACK].params
    return Attack(
        attacker=sub.actor,
        target=foe,
        action=GRAPPLE,
        params=params,
        item=sub.weapon,
        weapon=weapon,
        mode="melee" if weapon.is_melee else "single",
        use_aim=params.aim,
        clause=ClauseId("DH-3510"),
    )


def _use_item(scene: Scene, sub: Submission, foe: CombatantId, role: str) -> None:
    """An attack with it, or whatever the GM says that it does. Clause: DH-3510."""
    attack = _attack_with(scene, sub, foe)
    if attack is not None:
        make_attack(scene, attack)
        return
    effect = Field("effect", "text", clause=ClauseId("DH-3510"))
    answer = scene.ask(
        Question(
            key="",
            name="grapple_item",
            kind="ruling",
            to=GM,
            options=(Option(ALLOW, form=(effect,)), Option(DENY, declines=True)),
            default=DENY,
            about=sub.actor,
            clause=ClauseId("DH-3510"),
        )
    )
    fact = "item_used" if answer.option == ALLOW else "gm_refused"
    words = (sub.weapon or "", *((answer.word("effect"),) if answer.word("effect") else ()))
    scene.emit(Noted(sub.actor, fact, foe, words=words, clause=ClauseId("DH-3510")))


# What the target does


def _break_free(scene: Scene, sub: Submission, foe: CombatantId, role: str) -> None:
    """Out of the grapple, and still locked in melee. Clauses: DH-3520, DH-3540."""
    if struggle(scene, sub, foe, "break_free").winner == sub.actor:
        let_go(scene, sub.actor, BROKEN, "DH-3520", other=foe)


def _slip_free(scene: Scene, sub: Submission, foe: CombatantId, role: str) -> None:
    """The same by Acrobatics, against Strength or by itself. Clause: DH-3520."""
    who, slip = sub.actor, params_of(scene).slip
    if scene.option("slip_free_test") == "challenging_acrobatics":
        free = take_test(scene, who, slip, GRAPPLE, given_terms(sub.modifiers), clause="DH-3520").success
    else:
        free = struggle(scene, sub, foe, "slip_free", slip).winner == who
    if free:
        let_go(scene, who, BROKEN, "DH-3520", other=foe)


def _take_control(scene: Scene, sub: Submission, foe: CombatantId, role: str) -> None:
    """The roles are swapped, and the new controller does something with it at once. Clause: DH-3520."""
    who = sub.actor
    if struggle(scene, sub, foe, "take_control").winner != who:
        return
    swap(scene, foe, who)
    if not scene.flag("take_control_free_option") or held(scene, who) != foe:
        return
    controller = ROLES[CONTROLLER]

    def chosen(answer: Answer) -> Submission:
        options = {
            "option": answer.option,
            **{name: answer.fields[name] for name in SAID_WITH_OPTION if name in answer.fields},
        }
        weapon = answer.word("weapon")
        return msgspec.structs.replace(sub, options=options, weapon=ItemId(weapon) if weapon else None, modifiers=())

    with scene.within("free_option"):
        question = _option_question(scene, who, foe)
        answer = scene.ask(question, lambda answer: why_not_option(scene, chosen(answer), foe, controller))
        carry_out(scene, chosen(answer), foe, controller)


def _option_question(table: Table, who: CombatantId, foe: CombatantId) -> Question:
    """What a controller may do, each with what has to be said for it. Clauses: DH-3480, DH-3520."""
    items = tuple(key for key, item in table.who(who).items.items() if not item.on_ground)
    item = Field("weapon", "item", True, items)
    direction = Field("direction", "integer", table.has_map, minimum=0, maximum=FULL_CIRCLE - 1)
    forms: dict[str, tuple[Field, ...]] = {PUSH: (direction,), READY: (item,), USE_ITEM: (item,)}
    open_now = []
    for option in options_of(table, ROLES[CONTROLLER]):
        idle = (option in (READY, USE_ITEM) and not items) or (option == STAND and not table.has(who, PRONE))
        if not idle and not any(table.rules.why_forbidden(option, "/option")):
            open_now.append(Option(option, form=forms.get(option, ()), declines=option == NONE))
    ids = [option.id for option in open_now]
    return Question(
        key="",
        name="grapple_option",
        kind="grapple_option",
        to=who,
        options=tuple(open_now),
        default=NONE if NONE in ids else ids[0],
        best=DAMAGE if DAMAGE in ids else ids[0],
        about=foe,
        clause=ClauseId("DH-3520"),
    )


Step = Callable[[Scene, Submission, CombatantId, str], None]
OPTIONS: dict[str, Step] = {
    DAMAGE: _hurt,
    "throw_down": _throw_down,
    PUSH: _push,
    STAND: _stand,
    READY: _ready,
    USE_ITEM: _use_item,
    "break_free": _break_free,
    "slip_free": _slip_free,
    "take_control": _take_control,
    NONE: _hold,
}
CHECKS: dict[str, Callable[[Table, Submission, CombatantId, str], Iterator[Reason]]] = {
    PUSH: _why_not_push,
    STAND: _why_not_stand,
    READY: _why_not_ready,
    USE_ITEM: _why_not_use,
}
GRAPPLE_ACTION = Resolver(GrappleParams, check, resolve, type_for=type_for)
