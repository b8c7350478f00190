"""Limits a page's size and nesting before parsing, because the parser does not."""

from __future__ import annotations

import re

MAX_HTML_CHARS = 10_000_000
MAX_ELEMENT_DEPTH = 120
# Scripts and unclosed tags count too, so the count is far above the real nesting of ordinary pages.
_SUSPECT_ELEMENT_DEPTH = 400
# The parser reopens every unclosed formatting element in every paragraph that follows.
MAX_OPEN_FORMATTING = 24

_VOID_TAG_NAMES = "area base br col embed hr img input link meta param source track wbr"
_VOID_TAGS = frozenset(_VOID_TAG_NAMES.split())
_FORMATTING_TAG_NAMES = "a b big code em font i nobr s small strike strong tt u"
_FORMATTING_TAGS = frozenset(_FORMATTING_TAG_NAMES.split())
_BLOCK_TAG_NAMES = (
    "address article aside blockquote body button center details dialog dd dir div dl dt "
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup html li main "
    "menu nav noscript ol p pre section select summary table tbody td template textarea tfoot "
    "th thead tr ul caption"
)
_BLOCK_TAGS = frozenset(_BLOCK_TAG_NAMES.split())
_TABLE_TAGS = frozenset(["table", "tbody", "thead", "tfoot", "tr", "td", "th", "caption"])
# An end tag does not close an element outside these.
_SCOPE_TAG_NAMES = "table td th caption template object applet marquee svg math"
_SCOPE_TAGS = frozenset(_SCOPE_TAG_NAMES.split())
_TABLE_SCOPE_TAGS = frozenset(("table", "template"))
_TRANSPARENT_TAGS = frozenset(("address", "div", "p"))
_DEFINITION_TAGS = frozenset(("dd", "dt"))
_CELL_TAGS = frozenset(("td", "th"))
_ROW_GROUP_TAGS = frozenset(("tbody", "thead", "tfoot"))
# A start tag (key) closes an open element of the first set, unless one of the second is in between.
_IMPLIED_ENDS = {
    "li": (frozenset(("li",)), _BLOCK_TAGS - _TRANSPARENT_TAGS - {"li"}),
    **dict.fromkeys(
        _DEFINITION_TAGS, (_DEFINITION_TAGS, _BLOCK_TAGS - _TRANSPARENT_TAGS - _DEFINITION_TAGS)
    ),
    **dict.fromkeys(_CELL_TAGS, (_CELL_TAGS, _TABLE_SCOPE_TAGS)),
    **dict.fromkeys(_ROW_GROUP_TAGS, (_ROW_GROUP_TAGS, _TABLE_SCOPE_TAGS)),
    "tr": (frozenset(("tr",)), _TABLE_SCOPE_TAGS),
}
_PARAGRAPH_TAGS = frozenset(("p",))
_OTHER_BLOCK_TAGS = _BLOCK_TAGS - _PARAGRAPH_TAGS
_PARAGRAPH_KEEPING_TAG_NAMES = (
    "body button caption head html noscript select tbody td template textarea tfoot th thead tr"
)
_PARAGRAPH_KEEPING_TAGS = frozenset(_PARAGRAPH_KEEPING_TAG_NAMES.split())
_SVG_SHAPE_NAMES = (
    "path circle rect use line polygon polyline ellipse stop image animate g fegaussianblur"
)
_SVG_SHAPES = frozenset(_SVG_SHAPE_NAMES.split())
_TAG_PATTERN = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*)([^<>]*)>?")
_TAG_NAME = re.compile(rb"<(/?[a-zA-Z][a-zA-Z0-9]*)")
# Tags of elements without content, and of those that are closed by the next of their kind.
_UNNESTED_TAG_NAMES = _VOID_TAGS | {"li", "p", "td", "th", "tr", "dt", "dd", "option"}
_UNNESTED_TAGS = frozenset(
    f"{slash}{name}".encode() for name in _UNNESTED_TAG_NAMES for slash in ("", "/")
)
_SLASH_BYTE = ord("/")
_CONTROL_BYTES = bytes([*range(9), 11, *range(14, 32)])


def limit_markup(html: str) -> bytes:
    """The page without lone surrogates and control characters, cut to the limits of length and depth.

    It is returned as UTF-8 because the parser is slower on a string.
    """
    data = html[:MAX_HTML_CHARS].encode(errors="ignore").translate(None, _CONTROL_BYTES)
    if _may_nest_deeply(data):
        return _MarkupFlattener().flatten_markup(data.decode()).encode()
    return data


def _may_nest_deeply(html: bytes) -> bool:
    """Whether an upper bound of open elements, matched by name only, exceeds the suspect depth."""
    depth = 0
    opened: dict[bytes, int] = {}
    for name in _TAG_NAME.findall(html):
        if name in _UNNESTED_TAGS:
            continue
        if name[0] == _SLASH_BYTE:
            count = opened.get(name[1:], 0)
            if count:
                opened[name[1:]] = count - 1
                depth -= 1
        else:
            opened[name] = opened.get(name, 0) + 1
            depth += 1
            if depth > _SUSPECT_ELEMENT_DEPTH:
                return True
    return False


class _MarkupFlattener:
    """Drops tags that would nest too deeply; the text stays.

    Tags inside scripts and comments are counted too, because the end of those is easily faked.
    Counting too many only loses structure at great depth.
    """

    def __init__(self) -> None:
        self._stack: list[str] = []
        self._formatting = 0
        self._dropped: dict[str, int] = {}

    def flatten_markup(self, html: str) -> str:
        kept: list[str] = []
        end = 0
        for tag in _TAG_PATTERN.finditer(html):
            name = tag.group(2).lower()
            if name in _VOID_TAGS:
                continue
            stays = (
                self._keep_end_tag(name)
                if tag.group(1)
                else self._keep_start_tag(name, tag.group(3))
            )
            if not stays:
                kept.append(html[end : tag.start()])
                end = tag.end()
        kept.append(html[end:])
        return "".join(kept)

    def _keep_start_tag(self, name: str, rest: str) -> bool:
        stack = self._stack
        if name in _BLOCK_TAGS and "svg" in stack:
            self._pop_to("svg")
        elif name in _SVG_SHAPES and rest.endswith("/") and "svg" in stack:
            return True
        self._close_implied(name)
        formatting = name in _FORMATTING_TAGS
        if len(stack) >= MAX_ELEMENT_DEPTH or (
            formatting and self._formatting >= MAX_OPEN_FORMATTING
        ):
            self._dropped[name] = self._dropped.get(name, 0) + 1
            return False
        stack.append(name)
        self._formatting += formatting
        return True

    def _close_implied(self, name: str) -> None:
        ends = _IMPLIED_ENDS.get(name)
        if ends is not None:
            self._close_nearest(*ends)
        elif name in {"option", "optgroup"} and self._stack[-1:] == ["option"]:
            self._stack.pop()
        if name in _BLOCK_TAGS and name not in _PARAGRAPH_KEEPING_TAGS:
            self._close_nearest(_PARAGRAPH_TAGS, _OTHER_BLOCK_TAGS)

    def _close_nearest(self, targets: frozenset[str], walls: frozenset[str]) -> None:
        for top in reversed(self._stack):
            if top in targets:
                self._pop_to(top)
                return
            if top in walls:
                return

    def _keep_end_tag(self, name: str) -> bool:
        if self._dropped.get(name):
            self._dropped[name] -= 1
            return False
        if name in self._stack:
            if name in _FORMATTING_TAGS:
                self._remove_last_open(name)
            elif self._reaches_open_tag(name):
                self._pop_to(name)
        return True

    def _reaches_open_tag(self, name: str) -> bool:
        if name in _TABLE_TAGS:
            walls = _TABLE_SCOPE_TAGS
        elif name in _BLOCK_TAGS:
            walls = _SCOPE_TAGS
        else:
            walls = _BLOCK_TAGS
        for top in reversed(self._stack):
            if top == name:
                return True
            if top in walls:
                return False
        return False

    def _pop_to(self, name: str) -> None:
        while (top := self._stack.pop()) != name:
            if top in _FORMATTING_TAGS:
                self._formatting -= 1

    def _remove_last_open(self, name: str) -> None:
        place = len(self._stack) - 1 - self._stack[::-1].index(name)
        del self._stack[place]
        self._formatting -= 1
