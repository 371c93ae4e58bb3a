"""Discord without a bot process: its interactions are answered here, as one more client of the use cases."""
