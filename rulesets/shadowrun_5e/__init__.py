"""Shadowrun, fifth edition: combat. The data stands beside this code; `CODE` is what the data cannot say."""

from app.engine.blocks.effects import GENERIC
from app.engine.moments import ActionDone, Passing
from app.engine.rules import RulesetCode
from rulesets.shadowrun_5e.harm import set_pool_by_ruling
from rulesets.shadowrun_5e.moving import interceptors, under_fire
from rulesets.shadowrun_5e.odds import chance_among, chance_of
from rulesets.shadowrun_5e.people import BUDGETS, POOLS, add_by_ruling, body_extra, harm_of, prepare
from rulesets.shadowrun_5e.resolvers import (
    devices,
    fire,
    free,
    hands,
    improvise,
    interrupts,
    medic,
    melee,
    movement,
    order,
    simple,
    throw,
)
from rulesets.shadowrun_5e.suppressing import act_under_fire
from rulesets.shadowrun_5e.tables import Tables
from rulesets.shadowrun_5e.tags import COMPUTED
from rulesets.shadowrun_5e.turns import ShadowrunTurns
from rulesets.shadowrun_5e.weapons import Weapon, fits, misfits

CODE = RulesetCode(
    resolvers={
        **GENERIC,
        "answer": interrupts.ANSWER,
        "before_the_turn": order.BEFORE_THE_TURN,
        "call_shot": free.CALL_SHOT,
        "change_mode": simple.CHANGE_MODE,
        "delay": order.DELAY,
        "drop": hands.DROP,
        "drop_prone": free.DROP_PRONE,
        "end": order.END,
        "fire": fire.FIRE,
        "first_aid": medic.FIRST_AID,
        "full_defense": interrupts.FULL_DEFENSE,
        "gesture": free.GESTURE,
        "hack": devices.HACK,
        "hit_the_dirt": interrupts.HIT_THE_DIRT,
        "improvise": improvise.IMPROVISE,
        "insert": hands.INSERT,
        "intercept": interrupts.INTERCEPT,
        "melee": melee.MELEE,
        "mental_command": free.MENTAL_COMMAND,
        "multiple_attacks": free.MULTIPLE_ATTACKS,
        "observe": simple.OBSERVE,
        "pick_up": hands.PICK_UP,
        "quick_draw": hands.QUICK_DRAW,
        "ready": hands.READY,
        "reload": hands.RELOAD,
        "remove": hands.REMOVE,
        "run": movement.RUN,
        "speak": free.SPEAK,
        "sprint": movement.SPRINT,
        "stabilize": medic.STABILIZE,
        "stand_up": simple.STAND_UP,
        "suppress": fire.SUPPRESS,
        "take_aim": simple.TAKE_AIM,
        "take_cover": simple.TAKE_COVER,
        "throw": throw.THROW,
        "use_device": devices.USE,
        "walk": movement.WALK,
    },
    turns=ShadowrunTurns(),
    weapon=Weapon,
    tables=Tables,
    tags=COMPUTED,
    handlers={Passing: (interceptors, under_fire), ActionDone: (act_under_fire,)},
    body_extra=body_extra,
    pools=POOLS,
    harm=harm_of,
    prepare=prepare,
    budgets=BUDGETS,
    fits=fits,
    check_chance=chance_of,
    moments=frozenset({"phase_start", "phase_end", "pass_start", "combat_turn_end", "turn_end"}),
    stages=frozenset({"attack", "defend", "action", "environment"}),
    add_effect=add_by_ruling,
    open=frozenset({*GENERIC, "fire", "melee", "walk"}),
    relied_on=frozenset(
        {
            "actions/end_phase",
            "actions/end_turn",
            "actions/hit_the_dirt",
            "actions/intercept",
            "actions/walk",
            "weapons/unarmed",
        }
    ),
    set_pool=set_pool_by_ruling,
    chance_among=chance_among,
    misfits=misfits,
    questions={
        "action_cost": "gm",
        "area_caught": "gm",
        "blast_distances": "gm",
        "carried_delay": "combatant",
        "cover_quality": "gm",
        "defend": "combatant",
        "delayed_end_of_pass": "combatant",
        "delayed_intervention": "combatant",
        "device_test": "gm",
        "edge_offer": "combatant",
        "file_protection": "gm",
        "glitch_effect": "gm",
        "intercept_choice": "combatant",
        "simultaneous_beat": "combatant",
        "suppression_response": "combatant",
        "surprise_readiness": "gm",
    },
)
