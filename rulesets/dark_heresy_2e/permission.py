"""What the GM is asked to allow before anything is paid: free actions, stated distances. Clauses DH-1040, DH-5700."""

from collections.abc import Mapping

import msgspec

from app.engine.asks import GM, Option, Question
from app.engine.commands import Submission
from app.engine.events import Noted
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene

ALLOW, DENY = "allow", "deny"
REFUSED = "gm_refused"
CONFIRMS = "gm_confirms_distances"


def allowed(
    scene: Scene,
    who: CombatantId,
    kind: str,
    clause: str,
    *,
    words: tuple[str, ...] = (),
    lengths: dict[str, Length] | None = None,
) -> bool:
    """Whether the GM lets it happen; if not it is told and nothing is spent."""
    answer = scene.ask(
        Question(
            key="",
            name=kind,
            kind=kind,
            to=GM,
            options=(Option(ALLOW), Option(DENY, declines=True)),
            default=ALLOW,
            best=ALLOW,
            about=who,
            lengths=lengths or {},
            clause=ClauseId(clause),
        )
    )
    if answer.option == DENY:
        scene.emit(Noted(who, REFUSED, words=words, clause=ClauseId(clause)))
    return answer.option == ALLOW


def free_action_allowed(scene: Scene, sub: Submission, action: Action) -> Submission | None:
    """Where the table keeps free actions within bounds, the GM may refuse one. Clauses: DH-1040, DH-1050."""
    kept = scene.option("gm_free_action_limit") is not None
    return None if kept and not allowed(scene, sub.actor, "gm_free_action_limit", "DH-1040") else sub


def with_distances_confirmed(resolvers: Mapping[str, Resolver]) -> dict[str, Resolver]:
    """The same rules, but that the GM confirms what a submission states of distances, where the table plays it so.

    Clause: DH-5700.
    """
    return {name: _with_distances_confirmed(resolver) for name, resolver in resolvers.items()}


def _with_distances_confirmed(resolver: Resolver) -> Resolver:
    def before(scene: Scene, sub: Submission, action: Action) -> Submission | None:
        stated = _stated(scene, sub) if scene.flag(CONFIRMS) else {}
        said = stated or (scene.flag(CONFIRMS) and not scene.has_map and sub.said.bands)
        if said and not allowed(scene, sub.actor, CONFIRMS, "DH-5700", lengths=stated):
            return None
        return sub if resolver.before is None else resolver.before(scene, sub, action)

    return msgspec.structs.replace(resolver, before=before)


def _stated(scene: Scene, sub: Submission) -> dict[str, Length]:
    """The distances that it states: to whom, how far he goes, how far they are apart then."""
    if scene.has_map:
        return {}
    said = sub.said
    found = dict(said.distance or {})
    if said.length is not None:
        found["length"] = said.length
    found.update({f"{who}_after": length for who, length in (said.distance_after or {}).items()})
    return found
