"""Sizes of JSON values in bytes."""

from __future__ import annotations

import json
from typing import Any

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


def find_fitting_length(text: str, most: int) -> int:
    """How many characters of the beginning fit into `most` bytes of JSON, with the quotes."""
    low, high = 0, min(len(text), max(0, most))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_json_bytes(text[:middle]) <= most else (low, middle - 1)
    return low
