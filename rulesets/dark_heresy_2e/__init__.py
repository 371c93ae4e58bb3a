"""Dark Heresy, second edition: combat. The data stands beside this code; `CODE` is what the data cannot say."""

from dataclasses import replace

from app.engine.blocks.effects import GENERIC
from app.engine.moments import ActionDone, Declaring, Leaving, Passing
from app.engine.rules import RulesetCode
from rulesets.dark_heresy_2e.checks import chance_of
from rulesets.dark_heresy_2e.conditions import begin_for_rounds
from rulesets.dark_heresy_2e.damage import set_pool_by_ruling
from rulesets.dark_heresy_2e.fear import begin_by_ruling
from rulesets.dark_heresy_2e.moving import somebody_unseen
from rulesets.dark_heresy_2e.people import BUDGETS, POOLS, body_extra, harm_of, prepare
from rulesets.dark_heresy_2e.permission import with_distances_confirmed
from rulesets.dark_heresy_2e.resolvers import (
    attacks,
    bracing,
    charge,
    contests,
    flight,
    free_attack,
    grapple,
    jumping,
    mounting,
    movement,
    overwatch,
    powers,
    preparing,
    skills,
    spend_fate,
    stances,
    stun,
    suppressing_fire,
    tactical_advance,
    turn,
)
from rulesets.dark_heresy_2e.tables import Tables
from rulesets.dark_heresy_2e.tags import COMPUTED
from rulesets.dark_heresy_2e.turns import DarkHeresyTurns
from rulesets.dark_heresy_2e.weapons import Weapon, fits, misfits
from rulesets.dark_heresy_2e.words import vocabulary

CODE = RulesetCode(
    resolvers={
        **GENERIC,
        "aim": preparing.AIM,
        "attack": attacks.ATTACK,
        "brace_heavy_weapon": bracing.BRACE_HEAVY_WEAPON,
        "called_shot": attacks.CALLED_SHOT,
        "cancel_extended": preparing.CANCEL_EXTENDED,
        "charge": charge.CHARGE,
        "clear_jam": preparing.CLEAR_JAM,
        "continue_extended": preparing.CONTINUE_EXTENDED,
        "defensive_stance": stances.DEFENSIVE_STANCE,
        "delay": turn.DELAY,
        "disengage": movement.DISENGAGE,
        "drop_item": preparing.DROP_ITEM,
        "end_turn": turn.END_TURN,
        "feint": contests.FEINT,
        "flee": flight.FLEE,
        "focus_power": powers.FOCUS_POWER,
        "free_action": turn.FREE_ACTION,
        "grapple": grapple.GRAPPLE_ACTION,
        "guarded_action": stances.GUARDED_ACTION,
        "jump": jumping.JUMP,
        "knock_down": contests.KNOCK_DOWN,
        "manoeuvre": contests.MANOEUVRE,
        "move": movement.MOVE,
        "overwatch": overwatch.OVERWATCH,
        "ready": preparing.READY,
        "reload": preparing.RELOAD,
        "run": movement.RUN,
        "spend_fate": spend_fate.SPEND_FATE,
        "stand": mounting.STAND_MOUNT_DISMOUNT,
        "stun": stun.STUN,
        "suppressing_fire": suppressing_fire.SUPPRESSING_FIRE,
        "tactical_advance": tactical_advance.TACTICAL_ADVANCE,
        "use_skill": skills.USE_SKILL,
    },
    turns=DarkHeresyTurns(),
    weapon=Weapon,
    tables=Tables,
    tags=COMPUTED,
    handlers={
        Declaring: (overwatch.overwatch_declaring,),
        Leaving: (free_attack.leaving_melee,),
        Passing: (overwatch.overwatch_passing, somebody_unseen),
        ActionDone: (overwatch.overwatch_after,),
    },
    body_extra=body_extra,
    pools=POOLS,
    harm=harm_of,
    prepare=prepare,
    budgets=BUDGETS,
    fits=fits,
    check_chance=chance_of,
    moments=frozenset(
        {
            "turn_start",
            "turn_end",
            "round_start",
            "attack",
            "reaction",
            "action",
            "other_action",
            "another_action",
            "standard_attack",
        }
    ),
    stages=frozenset({"hit", "evade", "recover", "test", "damage", "contest"}),
    add_effect=begin_by_ruling,
    add_for_rounds=begin_for_rounds,
    set_pool=set_pool_by_ruling,
    open=frozenset({*GENERIC, "attack", "move", "run"}),
    ends_turn=frozenset({"end_turn"}),
    relied_on=frozenset({"weapons/unarmed"}),
    misfits=misfits,
    vocabulary=vocabulary,
    questions={
        "allocate_hits": "combatant",
        "brace_arc": "gm",
        "defend": "combatant",
        "delay_use": "combatant",
        "die_replacement": "combatant",
        "fear_result": "gm",
        "free_attack": "combatant",
        "gm_called_shot_target": "gm",
        "gm_confirms_distances": "gm",
        "gm_free_action_limit": "gm",
        "gm_jump_test": "gm",
        "gm_power": "gm",
        "gm_random_targets": "gm",
        "gm_skill_parameters": "gm",
        "grapple_after_push": "combatant",
        "grapple_option": "combatant",
        "interrupt_extended_action": "gm",
        "knock_down_outcome": "combatant",
        "multi_hit_side": "gm",
        "negate_hits": "combatant",
        "overwatch_fire": "combatant",
        "power_effect": "gm",
        "psychic_phenomena": "gm",
        "ruling": "gm",
        "second_target": "combatant",
        "spend_fate": "combatant",
    },
)
CODE = replace(CODE, resolvers=with_distances_confirmed(CODE.resolvers))
