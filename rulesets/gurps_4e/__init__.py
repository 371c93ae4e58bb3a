"""GURPS, fourth edition: combat. The data stands beside this code; `CODE` is what the data cannot say."""

from app.engine.blocks.effects import GENERIC
from app.engine.moments import ActionDone, Declaring, Passing
from app.engine.rules import RulesetCode
from rulesets.gurps_4e.called_rolls import begin_by_ruling
from rulesets.gurps_4e.checks import chance_of
from rulesets.gurps_4e.figures import HP
from rulesets.gurps_4e.flying import IN_THE_WAY
from rulesets.gurps_4e.injuries import set_pool_by_ruling
from rulesets.gurps_4e.interrupting import wait_after, wait_declaring, wait_passing, wait_shifted
from rulesets.gurps_4e.moving_events import Shifted, after_moving
from rulesets.gurps_4e.people import BUDGETS, POOLS, body_extra, harm_of, prepare
from rulesets.gurps_4e.reach import vocabulary
from rulesets.gurps_4e.resolvers import aim, attacks, concentrate, feint, free, plain, ready, wait
from rulesets.gurps_4e.ruled import effect_ended, least_hp, leave, status_by_ruling
from rulesets.gurps_4e.suppressing import ENTERS, fire_passing, fire_shifted
from rulesets.gurps_4e.tables import Tables
from rulesets.gurps_4e.tags import COMPUTED
from rulesets.gurps_4e.turns import GurpsTurns, seconds_of_a_slot
from rulesets.gurps_4e.weapons import Weapon, fits, misfits

CODE = RulesetCode(
    resolvers={
        **GENERIC,
        "aim": aim.AIM,
        "attack": attacks.ATTACK,
        "all_out_defense": plain.ALL_OUT_DEFENSE,
        "change_posture": plain.CHANGE_POSTURE,
        "concentrate": concentrate.CONCENTRATE,
        "crouch": free.CROUCH,
        "do_nothing": plain.DO_NOTHING,
        "drop_item": free.DROP_ITEM,
        "end_turn": free.END_TURN,
        "evaluate": plain.EVALUATE,
        "feint": feint.FEINT,
        "maintain_effect": free.MAINTAIN_EFFECT,
        "move": plain.MOVE,
        "ready": ready.READY,
        "release": free.RELEASE,
        "resist_feints": feint.RESIST_FEINTS,
        "rise_from_crouch": free.RISE_FROM_CROUCH,
        "talk": free.TALK,
        "wait": wait.WAIT,
        "wait_event": wait.WAIT_EVENT,
    },
    turns=GurpsTurns(),
    weapon=Weapon,
    tables=Tables,
    tags=COMPUTED,
    handlers={
        Declaring: (wait_declaring,),
        Passing: (wait_passing, fire_passing),
        ActionDone: (wait_after,),
        Shifted: (wait_shifted, fire_shifted),
    },
    body_extra=body_extra,
    open=frozenset({*GENERIC, "attack", "move"}),
    ends_turn=frozenset({"end_turn"}),
    relied_on=frozenset({"weapons/unarmed"}),
    pools=POOLS,
    harm=harm_of,
    prepare=prepare,
    budgets=BUDGETS,
    fits=fits,
    check_chance=chance_of,
    moments=frozenset({"slot_start"}),
    stages=frozenset({"hit", "defend"}),
    turn_limit=seconds_of_a_slot,
    add_effect=begin_by_ruling,
    set_pool=set_pool_by_ruling,
    end_effect=effect_ended,
    leaving=leave,
    set_status=status_by_ruling,
    moved=after_moving,
    least={HP: least_hp},
    misfits=misfits,
    vocabulary=vocabulary,
    questions={
        "called_roll": "gm",
        "defend": "combatant",
        ENTERS: "gm",
        "let_pass": "combatant",
        "resume_turn": "combatant",
        "second_defense": "combatant",
        "single_motion": "gm",
        "use_wait": "combatant",
        "wait_event": "gm",
        IN_THE_WAY: "gm",
    },
)
