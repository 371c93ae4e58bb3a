"""What a ruling gives an effect that it begins, held against what the effect takes."""

from collections.abc import Iterator

from app.engine.ids import CombatantId
from app.engine.rules import EffectKind
from app.engine.soundness import bounds_told
from app.services.bodies import EffectIn
from app.services.errors import Finding


def effect_fits(
    kind: EffectKind, bearer: CombatantId, given: EffectIn, against: str | None, at: str
) -> Iterator[Finding]:
    """Whether a ruling that begins it gives what the effect takes, and nothing else."""
    if not kind.ruled:
        yield Finding("only_by_the_rules", f"{at}/id")
        return
    if kind.value is None:
        if given.value is not None:
            yield Finding("not_taken", f"{at}/value")
    elif given.value is None:
        if kind.value.default is None:
            yield Finding("missing_input", f"{at}/value", bounds_told(kind.value.least, kind.value.most))
    elif not kind.value.least <= given.value <= kind.value.most:
        yield Finding("out_of_bounds", f"{at}/value", bounds_told(kind.value.least, kind.value.most))
    if given.rounds is not None and not kind.rounds:
        yield Finding("not_taken", f"{at}/rounds")
    if against is None:
        if kind.against == "required":
            yield Finding("missing_input", f"{at}/against")
    elif kind.against == "none":
        yield Finding("not_taken", f"{at}/against")
    elif against == bearer:
        yield Finding("named_twice", f"{at}/against")
