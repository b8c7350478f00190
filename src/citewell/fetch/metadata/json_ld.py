"""Reads a page's JSON-LD: the blocks as written, and the things they describe, by type and id."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MAX_JSON_LD_BLOCKS = 16
MAX_JSON_LD_BLOCK_BYTES = 32 * 1024  # bytes, as is the next
MAX_JSON_LD_TOTAL_BYTES = 64 * 1024
_MAX_PARSED_CHARS = (
    512 * 1024
)  # characters; longer blocks than are returned, to find title and date
_MAX_THING_DEPTH = 6
_MAX_THINGS = 400
_SCRIPT_WRAPPING = re.compile(
    r"^\s*(?:<!--|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[|//\s*<!\[CDATA\[)|(?:-->|/\*\s*\]\]>\s*\*/|\]\]>|//\s*\]\]>|;)\s*$"
)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_NESTING_KEYS = ("@graph", "mainEntity", "mainEntityOfPage", "itemReviewed")

JsonLdThing = dict[str, Any]


class JsonLd:
    """All JSON-LD blocks of one page."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self.blocks: list[Any] = []
        self.things: list[JsonLdThing] = []
        room = MAX_JSON_LD_TOTAL_BYTES
        for node in tree.css('script[type*="ld+json" i]')[:MAX_JSON_LD_BLOCKS]:
            text = node.text(deep=True)
            if len(text) > _MAX_PARSED_CHARS:
                continue
            value, sound = _parse_json_ld(text)
            size = len(text.encode("utf-8", "replace"))
            if sound and size <= min(MAX_JSON_LD_BLOCK_BYTES, room) and _is_shallow(value):
                self.blocks.append(value)
                room -= size
            self.things.extend(_walk_things(value, depth=0))
        del self.things[_MAX_THINGS:]
        self._types = [frozenset(list_thing_types(thing)) for thing in self.things]
        self._by_id = {
            thing["@id"]: thing for thing in self.things if isinstance(thing.get("@id"), str)
        }

    def resolve_reference(self, value: object) -> object:
        """The thing that an object with only an `@id` refers to; any other value as it is."""
        if (
            isinstance(value, dict)
            and set(value) <= {"@id", "@type"}
            and isinstance(value.get("@id"), str)
        ):
            return self._by_id.get(value["@id"], value)
        return value

    def find_things(self, types: frozenset[str]) -> Iterator[JsonLdThing]:
        found = zip(self.things, self._types, strict=True)
        return (thing for thing, own in found if not types.isdisjoint(own))


def list_thing_types(thing: JsonLdThing) -> list[str]:
    """The names of the thing's types, without the address of the vocabulary."""
    return [
        each.rpartition("/")[2].rpartition(":")[2]
        for each in wrap_in_list(thing.get("@type"))
        if isinstance(each, str)
    ]


def wrap_in_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def read_text_value(value: object) -> str:
    """The text of a value that may be wrapped in an object or a list; empty if there is none."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = value.get("@value") or value.get("name")
    return value if isinstance(value, str) else ""


def _parse_json_ld(raw: str) -> tuple[Any, bool]:
    """The value, or None if it is beyond repair, and whether it was valid JSON without repair."""
    bare = raw.strip()
    if bare.startswith(("<", "/")) or bare.endswith((">", "/", ";")):
        bare = _SCRIPT_WRAPPING.sub("", _SCRIPT_WRAPPING.sub("", raw)).strip()
    try:
        return json.loads(bare, strict=False), True
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(_TRAILING_COMMA.sub(r"\1", bare), strict=False), False
    except (ValueError, RecursionError):
        return None, False


def _is_shallow(value: object, left: int = 48) -> bool:
    """Whether the value is nested at most `left` deep: deeper ones break other JSON readers."""
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return True
    return left > 0 and all(_is_shallow(each, left - 1) for each in value)


def _walk_things(value: object, *, depth: int) -> Iterator[JsonLdThing]:
    if depth > _MAX_THING_DEPTH:
        return
    if isinstance(value, list):
        for item in value[:_MAX_THINGS]:
            yield from _walk_things(item, depth=depth + 1)
    elif isinstance(value, dict):
        yield value
        for name in _NESTING_KEYS:
            yield from _walk_things(value.get(name), depth=depth + 1)
