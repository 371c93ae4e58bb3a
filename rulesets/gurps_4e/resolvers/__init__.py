"""The rules of each maneuver and free action, one file for what belongs together."""
