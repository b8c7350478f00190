"""A page's JSON-LD: the blocks as written, and the things they describe with references resolved."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MAX_BLOCKS = 16
MAX_BLOCK = 32 * 1024  # bytes, as is the next
MAX_TOTAL = 64 * 1024
_READ = 512 * 1024  # what is looked at for title and date, though it is too long to hand on
_DEPTH = 6
_OBJECTS = 400
_WRAPPING = re.compile(
    r"^\s*(?:<!--|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[|//\s*<!\[CDATA\[)|(?:-->|/\*\s*\]\]>\s*\*/|\]\]>|//\s*\]\]>|;)\s*$"
)
_COMMA = re.compile(r",(\s*[}\]])")
_INSIDE = ("@graph", "mainEntity", "mainEntityOfPage", "itemReviewed")

Thing = dict[str, Any]


class Linked:
    """All blocks of one page."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self.blocks: list[Any] = []
        self.things: list[Thing] = []
        room = MAX_TOTAL
        for node in tree.css('script[type*="ld+json" i]')[:MAX_BLOCKS]:
            text = node.text(deep=True)
            if len(text) > _READ:
                continue
            value, sound = _parse(text)
            size = len(text.encode("utf-8", "replace"))
            if sound and size <= min(MAX_BLOCK, room) and _shallow(value):
                self.blocks.append(value)
                room -= size
            self.things.extend(_things(value, depth=0))
        del self.things[_OBJECTS:]
        self._by_id = {
            thing["@id"]: thing for thing in self.things if isinstance(thing.get("@id"), str)
        }

    def resolve(self, value: object) -> object:
        """The thing itself where only its id is given."""
        if (
            isinstance(value, dict)
            and set(value) <= {"@id", "@type"}
            and isinstance(value.get("@id"), str)
        ):
            return self._by_id.get(value["@id"], value)
        return value

    def of(self, types: frozenset[str]) -> Iterator[Thing]:
        return (thing for thing in self.things if types.intersection(kinds(thing)))


def kinds(thing: Thing) -> list[str]:
    """The types, without the address of the vocabulary."""
    return [
        each.rpartition("/")[2].rpartition(":")[2]
        for each in listed(thing.get("@type"))
        if isinstance(each, str)
    ]


def listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def text(value: object) -> str:
    """A value that may be wrapped in an object or a list of one."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = value.get("@value") or value.get("name")
    return value if isinstance(value, str) else ""


def _parse(raw: str) -> tuple[Any, bool]:
    """The value, and whether it was sound JSON without our help; None for what is past repair."""
    bare = _WRAPPING.sub("", _WRAPPING.sub("", raw)).strip()
    for attempt, candidate in enumerate((bare, _COMMA.sub(r"\1", bare))):
        try:
            return json.loads(candidate, strict=False), attempt == 0
        except (ValueError, RecursionError):
            continue
    return None, False


def _shallow(value: object, left: int = 48) -> bool:
    """What is nested deeper than anybody means would only trip whoever reads it next."""
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return True
    return left > 0 and all(_shallow(each, left - 1) for each in value)


def _things(value: object, *, depth: int) -> Iterator[Thing]:
    if depth > _DEPTH:
        return
    if isinstance(value, list):
        for item in value[:_OBJECTS]:
            yield from _things(item, depth=depth + 1)
    elif isinstance(value, dict):
        yield value
        for name in _INSIDE:
            yield from _things(value.get(name), depth=depth + 1)
