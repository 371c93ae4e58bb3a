"""What a client may ask, one use case a function. Knows persistence, catalog and engine; knows no HTTP."""
