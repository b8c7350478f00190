"""Watches: bibliographies and searches that are checked again, and tell only what has changed."""
