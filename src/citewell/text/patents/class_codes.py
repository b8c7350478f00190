"""Normalizes codes of the Cooperative Patent Classification, and says which codes are below another."""

from __future__ import annotations

import re
from collections.abc import Iterable

_CLASS_PATTERN = re.compile(r"[A-HY](?:\d\d(?:[A-Z](?:\d{1,4}(?:/\d{1,6})?)?)?)?")
_PADDING_PATTERN = re.compile(r"([A-HY]\d\d[A-Z])0{1,3}(?=\d)")


def normalize_class_code(text: str) -> str | None:
    """A code such as G06F or G06F16/9535, without spaces; None if the text is no code."""
    plain = _PADDING_PATTERN.sub(r"\1", "".join(text.upper().split()))
    return plain if _CLASS_PATTERN.fullmatch(plain) else None


def match_class_code(wanted: str, stated: Iterable[str]) -> bool:
    """Whether a stated code is the wanted one or below it; G06F1 does not cover G06F16/00."""
    return any(_is_below_code(wanted, "".join(code.upper().split())) for code in stated)


def _is_below_code(wanted: str, code: str) -> bool:
    if not code.startswith(wanted):
        return False
    ends_in_group = len(wanted) > 4 and "/" not in wanted
    following = code[len(wanted) : len(wanted) + 1]
    return not (ends_in_group and following.isdigit())
