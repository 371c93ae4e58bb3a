"""Warhammer 40,000 d100: combat. The data stands beside this code; `CODE` is what the data cannot say."""

from app.engine.blocks.effects import GENERIC
from app.engine.moments import Passing
from app.engine.rules import RulesetCode
from rulesets.wh40k_d100.checks import chance_of
from rulesets.wh40k_d100.conditions import begin_by_ruling, begin_for_rounds, set_pool_by_ruling
from rulesets.wh40k_d100.moving import somebody_unseen
from rulesets.wh40k_d100.people import BUDGETS, POOLS, body_extra, harm_of, prepare
from rulesets.wh40k_d100.reach import vocabulary
from rulesets.wh40k_d100.resolvers import attacks, movement, preparing, treating
from rulesets.wh40k_d100.tables import Tables
from rulesets.wh40k_d100.tags import COMPUTED
from rulesets.wh40k_d100.turns import Wh40kTurns
from rulesets.wh40k_d100.weapons import Weapon, fits, misfits

CODE = RulesetCode(
    resolvers={
        **GENERIC,
        "aim": preparing.AIM,
        "attack": attacks.ATTACK,
        "charge": attacks.CHARGE,
        "command": preparing.COMMAND,
        "drop_prone": movement.DROP_PRONE,
        "end_turn": preparing.END_TURN,
        "drop_item": preparing.DROP_ITEM,
        "move": movement.MOVE,
        "reaction": preparing.REACTION_ALONE,
        "ready": preparing.READY,
        "reload": preparing.RELOAD,
        "stand_up": movement.STAND_UP,
        "treat": treating.TREAT,
        "two_weapon_attack": attacks.TWO_WEAPON_ATTACK,
    },
    turns=Wh40kTurns(),
    weapon=Weapon,
    tables=Tables,
    tags=COMPUTED,
    handlers={Passing: (somebody_unseen,)},
    body_extra=body_extra,
    pools=POOLS,
    harm=harm_of,
    prepare=prepare,
    budgets=BUDGETS,
    fits=fits,
    check_chance=chance_of,
    moments=frozenset({"turn_start", "turn_end", "attack", "move", "reaction"}),
    stages=frozenset({"hit", "evade"}),
    add_effect=begin_by_ruling,
    open=frozenset({*GENERIC, "attack", "charge", "move"}),
    ends_turn=frozenset({"end_turn"}),
    relied_on=frozenset({"weapons/unarmed"}),
    add_for_rounds=begin_for_rounds,
    set_pool=set_pool_by_ruling,
    misfits=misfits,
    vocabulary=vocabulary,
    questions={
        "area_caught": "gm",
        "defend": "combatant",
        "die_replacement": "combatant",
        "is_surprised": "gm",
        "is_unseen": "gm",
        "off_hand_applies": "gm",
        "second_target": "combatant",
        "who_noticed": "gm",
    },
)
