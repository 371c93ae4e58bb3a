"""One module for each rule in code that an action of the data may name."""
