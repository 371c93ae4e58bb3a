"""A whole fight played over HTTP, by a client that knows no rules: `turnwright demo`.

What somebody intends stands in a scenario; what is possible, what is asked and what comes of it, the server tells.
"""
