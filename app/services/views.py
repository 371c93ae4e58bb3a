"""An encounter and its combatants as a reader sees them, whatever the system: named lists of figures."""

from collections.abc import Mapping
from typing import Any

import msgspec

from app.catalog import Rulebook
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.state import Combatant, Effect, Item, Slot, State, Tick
from app.engine.table import Table
from app.engine.visibility import band, keeps_value, shown
from app.persistence.work import Audience, Head, Live, cursor, revision
from app.services import proposals, wire
from app.services.caller import Caller
from app.services.cut import eyes_of, known, without_figures
from app.services.service import Service
from app.services.settings import Settings
from app.services.units import in_units
from app.services.words import Words

View = dict[str, Any]


class Viewer:
    """One reader of one encounter: what he may see of it, and the words for it."""

    def __init__(self, service: Service, caller: Caller, book: Rulebook, live: Live) -> None:
        self.caller, self.book, self.live = caller, book, live
        self.audience: Audience = caller.audience
        self.words = Words(
            caller.language,
            book.texts,
            service.voice(book),
            live.state.combatants,
            sees_hidden=caller.is_gm,
            lacking=book.ruleset.to_fill_in,
        )
        self.eyes = eyes_of(caller, live.state)
        self.state: State = known(live.state, caller)
        self.table = Table(book.ruleset, self.state)

    def encounter(self) -> View:
        """The whole encounter."""
        head, state, book = self.live.head, self.state, self.book
        settings = Settings.of(head)
        words, audience, eyes = self.words, self.audience, self.eyes
        view: View = summary(head, self.caller) | {
            "cursor": cursor(head, audience),
            "pin": head.pin,
            "house_rules": None
            if settings.house_rules is None
            else {"name": settings.house_rules, "version": settings.house_version},
            "pass": state.clock.pass_,
            "round_text": self._when(),
            "turn": self._slot(self.live.state.clock.slot),
            "upcoming": [self._slot(slot) for slot in self._upcoming()],
            "unknown_slots": [{"id": eyes.slots[who]} for who in self._unknown()],
            "options": book.write_options(state.options),
            "dice": state.dice,
            "dice_commitment": settings.commitment,
            "dice_reveal": settings.dice_reveal,
            "dice_seed": head.seed.hex() if reveals(head, self.caller) else None,
            "dice_seeds": seeds(head, self.caller),
            "decision_timeout_s": settings.decision_timeout_s,
            "approval": settings.approval,
            "space": self._space(),
            "combatants": [self.combatant(body) for body in state.combatants.values() if body.status != "gone"],
            "status": state.status,
            "waiting": self.live.pending is not None,
            "waiting_for": proposals.waiting_for(self.caller, book, self.live, words, eyes),
        }
        if self.caller.is_gm:
            view |= {"values": state.values, "secret_rolls": state.secret_rolls, "notes": settings.notes}
        return view

    def _upcoming(self) -> tuple[Slot, ...]:
        if self.state.status != "running":
            return ()
        table = self.table
        if self.eyes.slots:
            table = Table(self.book.ruleset, known(self.live.state, self.caller, with_slots=True))
        return tuple(slot for slot in self.book.ruleset.turns.upcoming(table) if slot.owner in table.state.combatants)

    def _unknown(self) -> list[CombatantId]:
        """Those of whom he knows only that they are in the order, in an order that tells nothing."""
        present = [who for who in self.eyes.slots if self.live.state.combatants[who].status in ("up", "down")]
        return sorted(present, key=lambda who: self.eyes.slots[who])

    def _slot(self, slot: Slot | None) -> View | None:
        """A stretch of time, whose it is or under which id; None for that of somebody hidden."""
        if slot is None:
            return None
        owner = self.eyes.slots.get(slot.owner, slot.owner)
        return None if owner in self.eyes else {"combatant": owner, "kind": slot.kind}

    def _when(self) -> str:
        """Round and pass in the words of the game."""
        if self.state.status != "running":
            return ""
        number = self.state.clock.pass_
        begun: list[ev.AnyEvent] = [ev.RoundBegan(self.live.head.round), *([ev.PassBegan(number)] if number else [])]
        return " · ".join(self.words.event(one).rstrip(".") for one in begun)

    def _space(self) -> View:
        scenery = self.state.scenery
        if scenery.ground is None:
            facts = [
                {"from": first, "to": second} | _built(in_units(fact, self.audience))
                for key, fact in scenery.facts.items()
                for first, second in (key.split(">", 1),)
            ]
            return {"mode": "stated", "facts": facts}
        ground: View = _built(in_units(scenery.ground, self.audience))
        grid = ground.pop("grid")
        return {
            "mode": "map",
            "grid": grid["kind"],
            "cell": grid["cell"],
            "origin": grid["origin"],
            **ground,
            "worn": dict(scenery.worn),
        }

    def combatant(self, body: Combatant) -> View:
        """One combatant. What only his own player and the GM may set is shown to them alone; so are his figures, where
        the GM has veiled them.
        """
        rules, words = self.book.ruleset, self.words
        view: View = {
            "id": body.id,
            "name": body.name,
            "side": body.side,
            "status": body.status,
            "external_ref": body.external_ref,
            "sample": body.sample,
            "position": None if body.place is None else _built(in_units(body.place, self.audience)),
            "cover": body.cover,
            "initiative": list(body.standing),
            "initiative_text": words.standing(body.standing),
            "is_turn": self.table.can_act_now(body.id),
            "resources": [self._resource(name, pool(body)) for name, pool in rules.pools.items()],
            "budgets": [
                {
                    "id": name,
                    "name": words.name("budget", name),
                    "left": body.budget.get(name, 0),
                    "max": full(self.table, body.id),
                }
                for name, full in rules.budgets.items()
            ],
            "effects": [self._effect(effect, body) for effect in body.effects.values()],
            "engaged": list(body.engaged),
            "items": {name: self._item(item) for name, item in body.items.items()},
            "sheet": self.book.write_sheet(body.sheet),
        }
        if self.caller.controls(body):
            view |= {"policy": dict(body.policy), "dice": body.dice}
        if self.audience == "gm":
            view |= {
                "hidden": "slot" if body.hidden and body.slot is not None else body.hidden,
                "notes": body.notes,
                "values": body.values,
                "rolls": body.rolls,
            }
            if body.slot is not None:
                view["slot"] = body.slot
        if body.id not in self.eyes.veiled:
            return view | {"shown": "exact"}
        how = shown(self.live.state, body)
        view = without_figures(view) | {"shown": how}
        if how == "band":
            name = band(body, rules.harm(body))
            view["condition"] = {"id": name, "name": words.band(name)}
        return view

    def _item(self, item: Item) -> View:
        view: View = self.book.write_item(item) | {"name": self.words.choice("weapon", item.kind)}
        # The ways in which it can be used, where a form asks for one of them.
        profile = view["custom"] or self.book.document.get("weapons", {}).get(item.kind, {})
        modes = profile.get("modes")
        if isinstance(modes, Mapping):
            view["modes"] = [{"id": mode, "name": self.words.value("mode", mode)} for mode in modes]
        if item.lies is not None:
            view["lies"] = _built(in_units(item.lies, self.audience))
        return view

    def _resource(self, name: str, figures: tuple[int, int | None]) -> View:
        return {"id": name, "name": self.words.name("resource", name), "value": figures[0], "max": figures[1]}

    def _effect(self, effect: Effect, bearer: Combatant) -> View:
        view: View = {
            "id": effect.id,
            "kind": effect.kind,
            "name": self.words.name("effect", effect.kind),
            "value": effect.value,
            "ends": [_tick(chain[0], len(chain)) for chain in effect.until if chain],
            "active": not effect.active_after,
            "clause": effect.clause,
        }
        for field in ("source", "against", "item", "word"):
            held = getattr(effect, field)
            if held is not None:
                view[field] = held
        if keeps_value(effect, bearer.id, self.eyes.rolls) and not self.caller.controls(bearer):
            del view["value"]
        if effect.declared:
            view["declared"] = dict(effect.declared)
        if effect.area is not None:
            view["area"] = _built(in_units(effect.area, self.audience))
        return view


def whole(service: Service, caller: Caller, book: Rulebook, live: Live) -> bytes:
    """The whole encounter as it stands, as JSON: made once for all readers of a kind."""
    return service.renderings.of(live, caller, "whole", lambda: Viewer(service, caller, book, live).encounter())


def _tick(tick: Tick, steps: int) -> View:
    """What an effect waits for next; `then` tells how many more moments must follow."""
    view: View = {"at": tick.at}
    if tick.who is not None:
        view["who"] = tick.who
    if tick.against is not None:
        view["against"] = tick.against
    if tick.times > 1:
        view["times"] = tick.times
    if steps > 1:
        view["then"] = steps - 1
    return view


def _built(value: Any) -> Any:
    return msgspec.to_builtins(value)


def reveals(head: Head, caller: Caller) -> bool:
    """Whether this reader is shown the seed now: the fight is over, and the table says so."""
    return head.status == "ended" and (caller.is_gm or Settings.of(head).dice_reveal == "everybody")


def seeds(head: Head, caller: Caller) -> list[View]:
    """Every seed that dice were drawn from, with the rewind since which it is in force; oldest first."""
    settings = Settings.of(head)
    may_know = caller.is_gm or settings.dice_reveal == "everybody"
    past: list[View] = [
        {"since": one.epoch, "commitment": one.commitment, "seed": one.seed if may_know else None}
        for one in settings.past_seeds
    ]
    present = head.seed.hex() if reveals(head, caller) else None
    return [*past, {"since": settings.seed_epoch, "commitment": settings.commitment, "seed": present}]


def summary(head: Head, caller: Caller) -> View:
    """One line of a list of encounters."""
    return {
        "id": head.public_id,
        "campaign": head.campaign_id,
        "name": head.name,
        "ruleset": head.ruleset,
        "status": head.status,
        "round": head.round,
        "version": revision(head, caller.audience),
        "created_at": wire.times(head.created_at),
    }
