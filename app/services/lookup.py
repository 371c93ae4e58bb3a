"""Finding what a caller names: encounters he may see, and combatants by id or `ref:TOKEN`.

Whatever he may not know of answers exactly like what does not exist.
"""

from app.engine.ids import CombatantId
from app.engine.rules import Ruleset
from app.engine.state import Combatant, State
from app.persistence.work import Head, Live, Stale, Store, revision
from app.persistence.work import NotFound as NoRow
from app.services.caller import Attempt, Caller
from app.services.errors import NotFound, NotPermitted

GM_ONLY = "gm_only"
REF = "ref:"
ABSENT = "?"
"""Put in front of a name that names nobody (here), so that the engine finds nobody either, hidden or not."""


async def encounter(store: Store, caller: Caller, name: str) -> Live:
    """The encounter as it stands, if the caller may know of it."""
    try:
        live = await store.live(name)
    except NoRow:
        raise NotFound("encounter", name) from None
    admit(caller, live.head)
    return live


def admit(caller: Caller, head: Head) -> None:
    """Whether this encounter is any of his business. Raises `NotFound`."""
    if caller.role != "admin" and caller.campaign != head.campaign_id:
        raise NotFound("encounter", head.public_id)
    if caller.encounter is not None and caller.encounter != head.public_id:
        raise NotFound("encounter", head.public_id)


def admit_change(caller: Caller, head: Head, attempt: Attempt) -> None:
    """The same for a change, with what the caller believes to be the present version. Raises `NotFound`, `Stale`."""
    admit(caller, head)
    if attempt.if_match is not None and attempt.if_match != (now := revision(head, caller.audience)):
        raise Stale(now)


def need_gm(caller: Caller) -> None:
    """Raises `NotPermitted` for whoever is not GM."""
    if not caller.is_gm:
        raise NotPermitted("gm")


def need_manager(caller: Caller) -> None:
    """Raises `NotPermitted` for whoever does not run the table."""
    if not caller.manages:
        raise NotPermitted("gm of the campaign")


def gm_alone(rules: Ruleset) -> NotPermitted:
    """What a player gets who tries what is the GM's alone in a fight, in the ruleset's words where it has any."""
    return NotPermitted("gm", (rules.reason(GM_ONLY),) if GM_ONLY in rules.general else ())


def sees(caller: Caller, body: Combatant) -> bool:
    """Whether the caller may know of this combatant."""
    return body.status != "gone" and (caller.is_gm or not body.hidden)


def find(state: State, caller: Caller, name: str) -> Combatant | None:
    """The combatant that is meant by an id or `ref:TOKEN`, if the caller may know of him."""
    if name.startswith(REF):
        reference = name[len(REF) :]
        for body in state.combatants.values():
            if body.external_ref == reference and sees(caller, body):
                return body
        return None
    found = state.combatants.get(CombatantId(name))
    return found if found is not None and sees(caller, found) else None


def combatant(state: State, caller: Caller, name: str) -> Combatant:
    """The same. Raises `NotFound`."""
    found = find(state, caller, name)
    if found is None:
        raise NotFound("combatant", name)
    return found


def id_of(state: State, caller: Caller, name: str) -> CombatantId:
    """The id that is meant, or one that nobody has."""
    found = find(state, caller, name)
    return CombatantId(ABSENT + name) if found is None else found.id
