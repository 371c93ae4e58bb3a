"""A home system of AP and EP: modifiers, basic manoeuvres, movement. `CODE` is what the data cannot say."""

from app.engine.blocks.effects import GENERIC
from app.engine.rules import RulesetCode
from rulesets.manewry_ap.checks import chance_of
from rulesets.manewry_ap.classes import STAGES, TURN_END
from rulesets.manewry_ap.hiding import DETECT, PERCEPTION
from rulesets.manewry_ap.people import BUDGETS, POOLS, body_extra, harm_of, prepare
from rulesets.manewry_ap.reach import vocabulary
from rulesets.manewry_ap.resolvers import attacks, gear, movement, plain
from rulesets.manewry_ap.responding import DEFEND, IMMEDIATE
from rulesets.manewry_ap.rulings_by_gm import begin_by_ruling, set_pool_by_ruling
from rulesets.manewry_ap.tables import Tables
from rulesets.manewry_ap.tags import COMPUTED
from rulesets.manewry_ap.turns import ManewryTurns
from rulesets.manewry_ap.weapons import Weapon, fits, misfits

CODE = RulesetCode(
    resolvers={
        **GENERIC,
        "attack": attacks.ATTACK,
        "break_free": plain.BREAK_FREE,
        "drop_prone": plain.DROP_PRONE,
        "end_turn": plain.END_TURN,
        "face": plain.FACE,
        "move": movement.MOVE,
        "ready_item": gear.READY_ITEM,
        "release_hold": plain.RELEASE_HOLD,
        "reload": gear.RELOAD,
        "rest": plain.REST,
        "stand_up": plain.STAND_UP,
    },
    turns=ManewryTurns(),
    weapon=Weapon,
    tables=Tables,
    tags=COMPUTED,
    handlers={},
    body_extra=body_extra,
    pools=POOLS,
    harm=harm_of,
    prepare=prepare,
    budgets=BUDGETS,
    fits=fits,
    check_chance=chance_of,
    moments=frozenset({TURN_END}),
    stages=STAGES,
    questions={DEFEND: "combatant", DETECT: "combatant", IMMEDIATE: "combatant", PERCEPTION: "gm"},
    misfits=misfits,
    vocabulary=vocabulary,
    add_effect=begin_by_ruling,
    open=frozenset({*GENERIC, "attack", "move"}),
    ends_turn=frozenset({"end_turn"}),
    sums_hold_others=True,
    relied_on=frozenset({"weapons/fists"}),
    set_pool=set_pool_by_ruling,
)
