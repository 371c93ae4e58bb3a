"""The table view: static files, sent as they stand. A client like any other, which happens to live here."""
