"""What is true of an attack, as the words that modifiers in data look at. Clause MA-165."""

COMPUTED = frozenset(
    {
        "melee",
        "shot",
        "throw",
        "strike",
        "grab",
        "tighten",
        "dropped",
        "second_hand",
        "fatigued",
        "double_attack",
        "two_handed_attack",
        "leaping_attack",
        "charge",
    }
)
"""Tags computed by the code; actions, effects, options and qualities have theirs from the data."""
