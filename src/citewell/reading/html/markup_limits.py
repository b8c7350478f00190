"""Limits a page's size, tags, attributes and nesting before parsing, because the parser does not."""

from __future__ import annotations

import re
from bisect import bisect
from dataclasses import dataclass
from itertools import islice

MAX_HTML_CHARS = 10_000_000
MAX_MARKUP_TAGS = 200_000  # start and end tags; reading takes some ten microseconds for each
MAX_TAG_ATTRIBUTES = 256  # the parser compares each attribute of a tag with all before it
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
# A tag's name and attributes; a quoted value may contain anything but its quote.
_WHOLE_TAG = re.compile(
    rb"""<(/?[a-zA-Z][a-zA-Z0-9]*)"""
    rb"""((?:[^"'>]*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)))*+[^"'>]*+)"""
)
_ATTRIBUTE = re.compile(
    rb"""[^\s"'>/=][^\s>/=]*+(?:\s*+=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s"'>][^\s>]*+))?"""
)
# Where text begins or ends in which what looks like a tag is none. A pattern is found much faster
# if it begins with a plain character, so the end of comments is searched for by itself.
_RAW_TEXT_TAG = re.compile(
    rb"<(?:!--|(/)?(?i:script|style|title|textarea|iframe|xmp|noembed|noframes)\b)"
)
_COMMENT_END = re.compile(rb"-->")
_MIN_CROWDED_TAG_BYTES = 3 * MAX_TAG_ATTRIBUTES  # no shorter tag has more attributes than allowed
# Tags of elements without content, and of those that are closed by the next of their kind.
_UNNESTED_TAG_NAMES = _VOID_TAGS | {"li", "p", "td", "th", "tr", "dt", "dd", "option"}
_UNNESTED_TAGS = frozenset(
    f"{slash}{name}".encode() for name in _UNNESTED_TAG_NAMES for slash in ("", "/")
)
_SLASH_BYTE = ord("/")
_CONTROL_BYTES = bytes([*range(9), 11, *range(14, 32)])


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedMarkup:
    """Markup within all limits, in UTF-8 because the parser is slower on a string."""

    data: bytes
    notes: tuple[str, ...] = ()  # one for each limit that something was left out for


def limit_markup(html: str) -> bytes:
    """The page without lone surrogates and control characters, cut to all limits."""
    return bound_markup(html).data


def bound_markup(html: str) -> LimitedMarkup:
    """The same, with notes on what was left out."""
    notes = []
    if len(html) > MAX_HTML_CHARS:
        notes.append(f"Only the first {MAX_HTML_CHARS:,} characters of the page were read.")
    data = html[:MAX_HTML_CHARS].encode(errors="ignore").translate(None, _CONTROL_BYTES)
    tags = _WHOLE_TAG.findall(data)
    if any(len(rest) >= _MIN_CROWDED_TAG_BYTES and _is_crowded(rest) for _, rest in tags):
        data, crowded = _drop_excess_attributes(data)
        if crowded:
            notes.append(f"Attributes after the first {MAX_TAG_ATTRIBUTES} of a tag were ignored.")
    if len(tags) > MAX_MARKUP_TAGS:
        first_cut = next(islice(_WHOLE_TAG.finditer(data), MAX_MARKUP_TAGS, None))
        data = data[: first_cut.start()]
        notes.append(f"Only the first {MAX_MARKUP_TAGS:,} tags of the page were read.")
    if _may_nest_deeply([name for name, _ in tags]):
        flattener = _MarkupFlattener()
        data = flattener.flatten_markup(data.decode()).encode()
        if flattener.has_dropped_tags:
            notes.append(f"Elements nested deeper than {MAX_ELEMENT_DEPTH} levels were merged.")
    return LimitedMarkup(data=data, notes=tuple(notes))


def _drop_excess_attributes(data: bytes) -> tuple[bytes, bool]:
    """The markup with the first attributes of each crowded tag, and whether there was one.

    What looks like a tag within a comment, a script or a style sheet is left alone.
    """
    edges = [(edge.start(), not edge[1]) for edge in _RAW_TEXT_TAG.finditer(data)]
    edges += [(edge.start(), False) for edge in _COMMENT_END.finditer(data)]
    edges.sort()
    kept: list[bytes] = []
    end = 0
    for tag in _WHOLE_TAG.finditer(data):
        if tag.end(2) - tag.start(2) < _MIN_CROWDED_TAG_BYTES:
            continue
        place = bisect(edges, (tag.start(), False)) - 1
        last = _find_last_attribute(tag) if place < 0 or not edges[place][1] else None
        if last is not None:
            kept.append(data[end:last])
            end = tag.end(2)
    kept.append(data[end:])
    return b"".join(kept), end > 0


def _is_crowded(attributes: bytes) -> bool:
    found = _ATTRIBUTE.finditer(attributes)
    return next(islice(found, MAX_TAG_ATTRIBUTES, None), None) is not None


def _find_last_attribute(tag: re.Match[bytes]) -> int | None:
    """Where the last allowed attribute of a tag ends; None if the tag has no more than that."""
    last = None
    for count, attribute in enumerate(_ATTRIBUTE.finditer(tag.string, *tag.span(2)), start=1):
        if count > MAX_TAG_ATTRIBUTES:
            return last
        last = attribute.end()
    return None


def _may_nest_deeply(names: list[bytes]) -> bool:
    """Whether an upper bound of open elements, matched by name only, exceeds the suspect depth."""
    depth = 0
    opened: dict[bytes, int] = {}
    for name in names:
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
        self.has_dropped_tags = False

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
            self.has_dropped_tags = True
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
                place = len(self._stack) - 1 - self._stack[::-1].index(name)
                del self._stack[place]
                self._formatting -= 1
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
