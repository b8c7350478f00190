"""Keeps the audit log: records events, seals them, removes old ones and sends them to a webhook."""
