"""Webhooks: what happens in a campaign, sent to whoever asked for it."""
