"""What games with a percentile die have in common."""

DOUBLE_NOUGHT = 100


def reversed_die(die: int) -> int:
    """The two digits exchanged: 05 -> 50, 10 -> 01, and 00 stays 100. Clauses: DH-5210, WH-250."""
    return DOUBLE_NOUGHT if die == DOUBLE_NOUGHT else die % 10 * 10 + die // 10
