"""Watches: bibliographies and searches that are checked again, and tell only what has changed."""

# What other rooms may import.
API = (
    "settings",
    "watch_schedule",
    "watch_store",
)
