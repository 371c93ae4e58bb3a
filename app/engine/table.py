"""Looking at a fight: everything a check, the action list and a preview may use. Asks nothing, changes nothing."""

from collections.abc import Container, Iterator, Mapping
from functools import cached_property, lru_cache

from msgspec.structs import replace

from app.engine.commands import Submission
from app.engine.ids import CombatantId, ItemId, Length
from app.engine.rules import Ruleset
from app.engine.space import MapSpace, Space, StatedSpace
from app.engine.space.model import Cover, Place, Said
from app.engine.state import Combatant, Effect, Item, State

Crowd = Mapping[CombatantId, Combatant]
_NOTHING: frozenset[str] = frozenset()


class Table:
    """A state under its ruleset, with what one submission states for itself."""

    def __init__(
        self, rules: Ruleset, state: State, said: Said | None = None, viewer: CombatantId | None = None
    ) -> None:
        self.rules = rules
        self.state = state
        self.said = said or Said()
        self.viewer = viewer
        """For whom it is judged: he knows nothing of hidden combatants. None sees everything."""
        self._ordered: tuple[Crowd | None, list[Combatant]] = (None, [])
        self._active: dict[CombatantId, tuple[Mapping[str, Effect], frozenset[str]]] = {}

    def who(self, combatant: CombatantId) -> Combatant:
        """The combatant of that id."""
        return self.state.combatants[combatant]

    def known(self, combatant: str | None) -> bool:
        """Whether there is such a combatant, and he has not left."""
        body = self.state.combatants.get(CombatantId(combatant or ""))
        return body is not None and body.status != "gone"

    def option(self, key: str) -> object:
        """The house-rule option in force: the encounter's own, else the ruleset's."""
        return self.state.options.get(key, self.rules.options[key])

    def flag(self, key: str) -> bool:
        """A house-rule option that is on or off."""
        return bool(self.option(key))

    def item(self, combatant: CombatantId, item: ItemId) -> Item:
        """An item that somebody carries."""
        return self.who(combatant).items[item]

    def carried(self, combatant: CombatantId, item: ItemId | None) -> Item | None:
        """The same, or None where he has it no longer: a ruling may have taken it in the midst of its use."""
        return self.who(combatant).items.get(item or "")

    def active(self, combatant: CombatantId) -> frozenset[str]:
        """The kinds of his effects that are active now."""
        effects = self.state.combatants[combatant].effects
        if not effects:
            return _NOTHING
        held = self._active.get(combatant)
        if held is None or held[0] is not effects:
            kinds = frozenset([effect.kind for effect in effects.values() if not effect.active_after])
            held = self._active[combatant] = (effects, kinds)
        return held[1]

    def effects(self, combatant: CombatantId, kind: str) -> Iterator[Effect]:
        """His effects of that kind that are active now."""
        for effect in self.state.combatants[combatant].effects.values():
            if effect.kind == kind and not effect.active_after:
                yield effect

    def effect(self, combatant: CombatantId, kind: str) -> Effect | None:
        """The first of them."""
        return next(self.effects(combatant, kind), None) if kind in self.active(combatant) else None

    def has(self, combatant: CombatantId, *kinds: str) -> bool:
        """Whether an effect of one of these kinds is active on him."""
        return not self.active(combatant).isdisjoint(kinds)

    def is_turn_of(self, combatant: CombatantId) -> bool:
        """Whether the stretch of time now running is his."""
        slot = self.state.clock.slot
        return slot is not None and (slot.owner == combatant or combatant in slot.others)

    def can_act_now(self, combatant: CombatantId) -> bool:
        """Whether he has still something of his turn: the dead have not, nor has who lies while others share it."""
        status, slot = self.who(combatant).status, self.state.clock.slot
        alone = slot is not None and not slot.others
        return self.is_turn_of(combatant) and (status == "up" or (status == "down" and alone))

    def engaged(self, one: CombatantId, other: CombatantId) -> bool:
        """Whether these two are locked in melee."""
        return other in self.who(one).engaged

    def in_order(self) -> list[Combatant]:
        """Everybody who takes part, highest initiative first, then by id."""
        crowd = self.state.combatants
        if self._ordered[0] is not crowd:
            present = [body for body in crowd.values() if body.status in ("up", "down")]
            self._ordered = (crowd, sorted(present, key=_place_in_order))
        return list(self._ordered[1])

    @property
    def has_map(self) -> bool:
        """Whether this fight is played on a map."""
        return self.state.scenery.ground is not None

    @cached_property
    def space(self) -> Space:
        """Distances, sight, cover and paths, from the map or from what was stated, as the viewer knows them."""
        unknown = self.unknown_to(self.viewer)
        return self.whole_space.known_to(unknown) if unknown else self.whole_space

    def unknown_to(self, viewer: CombatantId | None) -> frozenset[CombatantId]:
        """The hidden combatants, his own side's too: nobody but the GM may know of them.

        The hidden of one side know each other.
        """
        if viewer is None or not self.known(viewer):
            return frozenset()
        his = self.who(viewer)
        return frozenset(
            body.id
            for body in self.state.combatants.values()
            if body.hidden and body.id != viewer and not (his.hidden and body.side == his.side)
        )

    @cached_property
    def whole_space(self) -> Space:
        """The same with those of whom nobody may know: what really stands in the way. For resolving only."""
        ground = self.state.scenery.ground
        if ground is None:
            bodies = [body for body in self.state.combatants.values() if body.status != "gone"]
            engaged: dict[str, tuple[str, ...]] = {body.id: body.engaged for body in bodies}
            covers: dict[str, Cover | None] = {body.id: body.cover for body in bodies}
            return StatedSpace(
                self.state.scenery.facts,
                engaged,
                self.said,
                covers,
                everybody=[body.id for body in bodies],
                secret=[body.id for body in bodies if body.hidden],
            )
        combatants = self.state.combatants
        return MapSpace(
            ground,
            _Places(combatants),
            sizes=_Sizes(self.rules, combatants),
            up=_Standing(combatants),
            metric=self.rules.metric,
        )

    def extra(self, combatant: CombatantId) -> Length:
        """How far his body reaches beyond an ordinary one."""
        return self.rules.body_extra(self.who(combatant))


@lru_cache(maxsize=4096)
def _descending(standing: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(-figure for figure in standing)


def _place_in_order(body: Combatant) -> tuple[tuple[int, ...], CombatantId]:
    return _descending(body.standing), body.id


class _Places(Mapping[str, Place]):
    """Where everybody is on the map, looked up when asked: nothing is gathered from a crowd of which two matter."""

    __slots__ = ("_crowd",)

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd

    def __getitem__(self, who: str) -> Place:
        body = self._crowd[CombatantId(who)]
        if body.place is None or body.status == "gone":
            raise KeyError(who)
        return body.place

    def __contains__(self, who: object) -> bool:
        body = self._crowd.get(who)  # type: ignore[call-overload]
        return body is not None and body.place is not None and body.status != "gone"

    def __iter__(self) -> Iterator[str]:
        return (body.id for body in self._crowd.values() if body.place is not None and body.status != "gone")

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Sizes(Mapping[str, Length]):
    """How far everybody's body reaches beyond an ordinary one."""

    __slots__ = ("_crowd", "_found", "_rules")

    def __init__(self, rules: Ruleset, crowd: Crowd) -> None:
        self._rules, self._crowd = rules, crowd
        self._found: dict[str, Length] = {}

    def __getitem__(self, who: str) -> Length:
        found = self._found.get(who)
        if found is None:
            found = self._found[who] = self._rules.body_extra(self._crowd[CombatantId(who)])
        return found

    def __iter__(self) -> Iterator[str]:
        return (body.id for body in self._crowd.values() if body.status != "gone")

    def __len__(self) -> int:
        return len(self._crowd)


class _Standing(Container[str]):
    """Who stands in the way of others."""

    __slots__ = ("_crowd",)

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd

    def __contains__(self, who: object) -> bool:
        body = self._crowd.get(who)  # type: ignore[call-overload]
        return body is not None and body.status == "up"


def table_for(rules: Ruleset, state: State, sub: Submission) -> Table:
    """A table that sees what this submission states, and knows what its actor's side knows."""
    return Table(rules, state, replace(sub.said, by=sub.actor), sub.actor)
