"""What is true of an attack or a defence, as the words that modifiers in data look at. Clauses SR-620, SR-640."""

RANGED, MELEE = "ranged", "melee"
COMPUTED = frozenset(
    {
        RANGED,
        MELEE,
        "actor_in_melee",
        "actor_running",
        "off_hand",
        "called_shot",
        "smart_gear",
        "smart_implanted",
        "covered_partial",
        "covered_good",
    }
)
"""Every tag computed by the code; effects, actions and options have theirs from the data."""
