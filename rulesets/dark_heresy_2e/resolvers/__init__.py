"""One module a rule: its check, its steps, and the line that registers both."""
