"""Sizes of JSON values in bytes, counted only as far as a limit."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from citewell.server.answers.body_plans import BodyPlan

MIN_BODY_BYTES = 400  # what a long body keeps at least, even if items of a list must go for it
_CUT_ENTRY_BYTES = 110  # an entry in the list of cuts, besides its path


def estimate_entry_bytes(path: str) -> int:
    """The bytes that one entry in the list of cuts takes."""
    return _CUT_ENTRY_BYTES + count_json_bytes(path)


def join_pointer(path: str, key: str | int) -> str:
    """The JSON pointer of a member of the value at `path`."""
    return f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"


def dump_compact_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def count_json_bytes(value: Any) -> int:
    text = dump_compact_json(value)
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def count_text_bytes(text: str, most: int) -> int:
    """The bytes of a text in JSON; some number above `most` if there are more."""
    return count_json_bytes(text[: max(0, most) + 1])


def find_fitting_length(text: str, most: int) -> int:
    """How many characters of the beginning fit into `most` bytes of JSON, with the quotes."""
    low, high = 0, min(len(text), max(0, most))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_json_bytes(text[:middle]) <= most else (low, middle - 1)
    return low


def measure_least_bytes(value: Any, plan: BodyPlan, path: str, most: int) -> int:
    """The bytes of a value whose long bodies are cut as far as possible, with the entries for those cuts.

    Stops counting above `most`.
    """
    if isinstance(value, str):
        whole = count_text_bytes(value, most)
        return min(whole, MIN_BODY_BYTES + estimate_entry_bytes(path)) if plan.is_long else whole
    if not isinstance(value, dict | list):
        return count_json_bytes(value)
    total = 2
    for key, child in list_members(value):
        if total > most:
            break
        total += count_json_bytes(key) + 2 if isinstance(key, str) else 1
        below = join_pointer(path, key)
        total += measure_least_bytes(child, plan.find_member(key), below, most - total)
    return total


def list_members(value: dict[str, Any] | list[Any]) -> Iterable[tuple[str | int, Any]]:
    """Each member with its key, or with its place in a list."""
    return value.items() if isinstance(value, dict) else enumerate(value)
