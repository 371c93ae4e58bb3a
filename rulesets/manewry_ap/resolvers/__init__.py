"""The rules of the actions, by the names that `actions.yaml` uses."""
