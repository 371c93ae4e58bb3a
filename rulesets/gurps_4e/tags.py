"""What is true of an attack or a defence, as the words that modifiers in data look at. Clause: GU-130."""

COMPUTED = frozenset({"melee", "ranged", "dodge", "parry", "block"})
"""Every tag computed by the code; effects, actions and options have theirs from the data."""
