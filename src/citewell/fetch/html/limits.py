"""Bound a page's size and nesting before it is parsed, because the parser does not."""

from __future__ import annotations

import re

MAX_CHARACTERS = 10_000_000
MAX_DEPTH = 120
# Scripts and unclosed tags count towards it, so ordinary pages reach far more than they nest.
_SUSPECT_DEPTH = 400
# The parser reopens every unclosed formatting element in every paragraph that follows.
MAX_FORMATTING = 24

_VOID_NAMES = "area base br col embed hr img input link meta param source track wbr"
_VOID = frozenset(_VOID_NAMES.split())
_FORMATTING_NAMES = "a b big code em font i nobr s small strike strong tt u"
_FORMATTING = frozenset(_FORMATTING_NAMES.split())
_BLOCKS_NAMES = (
    "address article aside blockquote body button center details dialog dd dir div dl dt "
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup html li main "
    "menu nav noscript ol p pre section select summary table tbody td template textarea tfoot "
    "th thead tr ul caption"
)
_BLOCKS = frozenset(_BLOCKS_NAMES.split())
_TABLE_PARTS = frozenset(["table", "tbody", "thead", "tfoot", "tr", "td", "th", "caption"])
# An end tag does not reach past these to the element it names.
_WALLS_NAMES = "table td th caption template object applet marquee svg math"
_WALLS = frozenset(_WALLS_NAMES.split())
_TABLE_WALLS = frozenset(("table", "template"))
_LOOSE = frozenset(("address", "div", "p"))
_ENTRIES = frozenset(("dd", "dt"))
_CELLS = frozenset(("td", "th"))
_ROW_GROUPS = frozenset(("tbody", "thead", "tfoot"))
# A start tag on the left ends an open element of the middle set, unless one on the right is between.
_IMPLIED_ENDS = {
    "li": (frozenset(("li",)), _BLOCKS - _LOOSE - {"li"}),
    **dict.fromkeys(_ENTRIES, (_ENTRIES, _BLOCKS - _LOOSE - _ENTRIES)),
    **dict.fromkeys(_CELLS, (_CELLS, _TABLE_WALLS)),
    **dict.fromkeys(_ROW_GROUPS, (_ROW_GROUPS, _TABLE_WALLS)),
    "tr": (frozenset(("tr",)), _TABLE_WALLS),
}
_PARAGRAPH = frozenset(("p",))
_NOT_PARAGRAPH = _BLOCKS - _PARAGRAPH
_INSIDE_PARAGRAPH_NAMES = (
    "body button caption head html noscript select tbody td template textarea tfoot th thead tr"
)
_INSIDE_PARAGRAPH = frozenset(_INSIDE_PARAGRAPH_NAMES.split())
_SHAPES_NAMES = (
    "path circle rect use line polygon polyline ellipse stop image animate g fegaussianblur"
)
_SHAPES = frozenset(_SHAPES_NAMES.split())
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*)([^<>]*)>?")
_NAME = re.compile(rb"<(/?[a-zA-Z][a-zA-Z0-9]*)")
# Start and end tags of what cannot hold anything, and of what ends where it begins again.
_FLAT_NAMES = _VOID | {"li", "p", "td", "th", "tr", "dt", "dd", "option"}
_FLAT = frozenset(f"{slash}{name}".encode() for name in _FLAT_NAMES for slash in ("", "/"))
_SLASH = ord("/")
_CONTROLS = bytes([*range(9), 11, *range(14, 32)])


def tame(html: str) -> bytes:
    """The page without lone surrogates, no longer and no deeper than the limits allow.

    It comes as UTF-8 because the parser is slower on a string.
    """
    data = html[:MAX_CHARACTERS].encode(errors="ignore").translate(None, _CONTROLS)
    if _may_be_deep(data):
        return _Flattener().flatten(data.decode()).encode()
    return data


def _may_be_deep(html: bytes) -> bool:
    """A cheap upper bound: how many elements are ever open at once, matched by name only."""
    depth = 0
    opened: dict[bytes, int] = {}
    for name in _NAME.findall(html):
        if name in _FLAT:
            continue
        if name[0] == _SLASH:
            count = opened.get(name[1:], 0)
            if count:
                opened[name[1:]] = count - 1
                depth -= 1
        else:
            opened[name] = opened.get(name, 0) + 1
            depth += 1
            if depth > _SUSPECT_DEPTH:
                return True
    return False


class _Flattener:
    """Leaves out the tags, not the text, that would nest deeper than allowed.

    Tags inside scripts and comments are counted too: what ends those is easily faked, and
    counting too much only costs structure far down.
    """

    def __init__(self) -> None:
        self._stack: list[str] = []
        self._formatting = 0
        self._dropped: dict[str, int] = {}

    def flatten(self, html: str) -> str:
        kept: list[str] = []
        end = 0
        for tag in _TAG.finditer(html):
            name = tag.group(2).lower()
            if name in _VOID:
                continue
            stays = self._end(name) if tag.group(1) else self._start(name, tag.group(3))
            if not stays:
                kept.append(html[end : tag.start()])
                end = tag.end()
        kept.append(html[end:])
        return "".join(kept)

    def _start(self, name: str, rest: str) -> bool:
        stack = self._stack
        if name in _BLOCKS and "svg" in stack:
            self._pop_to("svg")
        elif name in _SHAPES and rest.endswith("/") and "svg" in stack:
            return True
        self._end_implied(name)
        formatting = name in _FORMATTING
        if len(stack) >= MAX_DEPTH or (formatting and self._formatting >= MAX_FORMATTING):
            self._dropped[name] = self._dropped.get(name, 0) + 1
            return False
        stack.append(name)
        self._formatting += formatting
        return True

    def _end_implied(self, name: str) -> None:
        ends = _IMPLIED_ENDS.get(name)
        if ends is not None:
            self._close_nearest(*ends)
        elif name in {"option", "optgroup"} and self._stack[-1:] == ["option"]:
            self._stack.pop()
        if name in _BLOCKS and name not in _INSIDE_PARAGRAPH:
            self._close_nearest(_PARAGRAPH, _NOT_PARAGRAPH)

    def _close_nearest(self, targets: frozenset[str], walls: frozenset[str]) -> None:
        for top in reversed(self._stack):
            if top in targets:
                self._pop_to(top)
                return
            if top in walls:
                return

    def _end(self, name: str) -> bool:
        if self._dropped.get(name):
            self._dropped[name] -= 1
            return False
        if name in self._stack:
            if name in _FORMATTING:
                self._remove_last(name)
            elif self._reaches(name):
                self._pop_to(name)
        return True

    def _reaches(self, name: str) -> bool:
        if name in _TABLE_PARTS:
            walls = _TABLE_WALLS
        elif name in _BLOCKS:
            walls = _WALLS
        else:
            walls = _BLOCKS
        for top in reversed(self._stack):
            if top == name:
                return True
            if top in walls:
                return False
        return False

    def _pop_to(self, name: str) -> None:
        while (top := self._stack.pop()) != name:
            if top in _FORMATTING:
                self._formatting -= 1

    def _remove_last(self, name: str) -> None:
        place = len(self._stack) - 1 - self._stack[::-1].index(name)
        del self._stack[place]
        self._formatting -= 1
