"""Tells whether a hidden text instructs a machine."""

from __future__ import annotations

from functools import lru_cache

from citewell.text.safety.injection_signals import has_injection_signal
from citewell.text.safety.invisible_characters import extract_visible_text

_MIN_COMMAND_CHARS = 20  # characters; shorter text is not checked for instructions


def has_hidden_commands(text: str) -> bool:
    """Whether the text instructs a machine, also with invisible characters between its letters."""
    return len(text) >= _MIN_COMMAND_CHARS and _has_commands(text)


@lru_cache(maxsize=64)
def _has_commands(text: str) -> bool:
    return has_injection_signal(extract_visible_text(text))
