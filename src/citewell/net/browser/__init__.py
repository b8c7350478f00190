"""Clients that look like Chrome (Chromium, the stealth client) and the guarded proxy they connect through."""
