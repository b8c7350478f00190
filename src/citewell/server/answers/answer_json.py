"""Writes a large answer as JSON without keeping other threads waiting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from citewell.server.answers.json_sizes import dump_compact_json

_CHUNKED_DEPTH = 3  # of objects in objects; what is further inside is written in one step
_PIECE_CHARS = 1 << 20  # of a long text that are written in one step


def dump_in_chunks(value: Any) -> str:
    """Compact JSON, written piece by piece, because the encoder holds the interpreter for a whole piece."""
    return "".join(_iterate_chunks(value, _CHUNKED_DEPTH))


def count_bytes_in_chunks(value: Any) -> int:
    """The bytes of the compact JSON."""
    chunks = _iterate_chunks(value, _CHUNKED_DEPTH)
    return sum(len(chunk.encode("utf-8", "replace")) for chunk in chunks)


def _iterate_chunks(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict) and depth:
        yield "{"
        for number, (key, child) in enumerate(value.items()):
            yield f"{',' if number else ''}{dump_compact_json(key)}:"
            yield from _iterate_chunks(child, depth - 1)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for number, child in enumerate(value):
            yield ("," if number else "") + dump_compact_json(child)
        yield "]"
    elif isinstance(value, str) and len(value) > _PIECE_CHARS:
        yield '"'
        for start in range(0, len(value), _PIECE_CHARS):
            yield dump_compact_json(value[start : start + _PIECE_CHARS])[1:-1]
        yield '"'
    else:
        yield dump_compact_json(value)
