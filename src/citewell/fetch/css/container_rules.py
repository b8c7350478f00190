"""Decides whether the conditions of @container rules hold for an element."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from citewell.fetch.css.sheets.media_queries import matches_container_query
from citewell.fetch.css.values.lengths import VIEW_WIDTH_PIXELS, parse_pixels

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_STYLE_QUERY = re.compile(r"style\(\s*+(--[^\s:()]++)\s*+(?::\s*+([^()]*+))?\)", re.IGNORECASE)
_CONDITION_WORDS = frozenset({"not", "and", "or", "style", "scroll-state"})


class _StyledElement(Protocol):
    values: dict[str, str]


class ContainerRules:
    """The containers among a page's elements that were styled so far."""

    def __init__(self, found: Mapping[int, _StyledElement]) -> None:
        self._found = found

    def all_match(self, conditions: tuple[str, ...], node: LexborNode) -> bool:
        """Whether the nearest container above the element meets every condition."""
        return all(self._matches_container(condition, node) for condition in conditions)

    def _matches_container(self, condition: str, node: LexborNode) -> bool:
        first = condition.split("(", 1)[0].split()
        name = first[0] if first and first[0].lower() not in _CONDITION_WORDS else ""
        rest = condition[len(name) :].strip()
        if match := _STYLE_QUERY.search(rest):
            return self._matches_style(match[1], (match[2] or "").strip(), node)
        above = node.parent
        while above is not None:
            values = self._list_values(above)
            kind = values.get("container-type", "normal")
            if kind not in {"normal", ""} and name in {
                "",
                *values.get("container-name", "").split(),
            }:
                width = parse_pixels(values.get("width", ""), percent=VIEW_WIDTH_PIXELS / 100)
                wide = VIEW_WIDTH_PIXELS if width is None else width
                high = parse_pixels(values.get("height", ""))
                return matches_container_query(rest, width=wide, height=high) if rest else True
            above = above.parent
        return False

    def _matches_style(self, name: str, value: str, node: LexborNode) -> bool:
        above = node.parent
        while above is not None:
            values = self._list_values(above)
            if name in values:
                return not value or values[name].strip().lower() == value.lower()
            above = above.parent
        return False

    def _list_values(self, node: LexborNode) -> dict[str, str]:
        style = self._found.get(node.mem_id)
        return style.values if style is not None else {}
