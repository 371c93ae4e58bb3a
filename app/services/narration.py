"""Texts of events. The protocol, and plain names until a language has sentences of its own."""
