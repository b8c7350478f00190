"""Limits on callers over HTTP: who is refused with 429, and the headers that say what is left."""
