"""What a page's own styles say of each element, after the cascade; elements without a say are absent."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from citewell.fetch.css import colour, media, sheet
from citewell.fetch.css.declaration import COLOURS, Declared, declarations, inline
from citewell.fetch.css.hiding import may_hide
from citewell.fetch.css.select import Index, Weight, split, weigh

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_Place = tuple[bool, int]  # outside any layer, and the how-manieth rule
_Rank = tuple[bool, bool, Weight, int]
Priority = tuple[bool, bool, bool, Weight, int]
_LIGHT = Weight(0, 0, 0)
_VAR = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,\s*([^()]*(?:\([^()]*\)[^()]*)*))?\)")
_ATTRIBUTES = (
    "[hidden], dialog, [popover], font[color], [bgcolor], body[text], svg [fill], svg [opacity],"
    " svg [display], svg [visibility], svg [font-size], svg [fill-opacity]"
)
_SVG = ("fill", "opacity", "display", "visibility", "font-size", "fill-opacity")


class Style:
    """The winning declarations of one element."""

    __slots__ = ("node", "ranks", "values")

    def __init__(self, node: LexborNode) -> None:
        self.node = node
        self.values: dict[str, str] = {}
        self.ranks: dict[str, Priority] = {}

    def put(self, name: str, value: str, rank: Priority) -> None:
        if name not in self.ranks or rank >= self.ranks[name]:
            self.ranks[name] = rank
            self.values[name] = value

    def get(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)


class Styles:
    """Every element that the page itself styles in a way that bears on being seen."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self.sheet = _in_page(tree)
        self._tree = tree
        self.outside = self.sheet.imports or bool(tree.css("link[rel~=stylesheet i][href]"))
        self.found: dict[int, Style] = {}
        self._properties: dict[str, str] = {}  # custom ones, of the root
        self._by_attribute(tree)
        self._by_rules(tree)

    @cached_property
    def index(self) -> Index:
        return Index(self._tree)

    def _of(self, node: LexborNode) -> Style:
        style = self.found.get(node.mem_id)
        if style is None:
            style = self.found[node.mem_id] = Style(node)
        return style

    def _by_attribute(self, tree: LexborHTMLParser) -> None:
        """What the browser does by itself and what old attributes ask; any rule overrides it."""
        rank: Priority = (False, False, False, _LIGHT, -1)
        for node in tree.css(_ATTRIBUTES):
            for name, value in _presented(node):
                self._of(node).put(name, value, rank)

    def _by_rules(self, tree: LexborHTMLParser) -> None:
        written = [(node, node.attributes.get("style") or "") for node in tree.css("[style]")]
        read = {style: inline(style) for style in {style for _, style in written}}
        rules = self._in_force()
        self._take_custom(rules)
        for _, declared, _ in rules:
            self._fill(declared)
        for declared in read.values():
            self._fill(declared)
        kept = COLOURS | _inherited([*read.values(), *(declared for _, declared, _ in rules)])
        # First what can hide, or colours; then, for the elements so found, what may undo it.
        for choose, among in ((_charged, None), (_companions, self.found)):
            blocks = {id(declared): choose(declared, kept) for _, declared, _ in rules}
            self._apply(rules, blocks, among)
            own = {style: choose(declared, kept) for style, declared in read.items()}
            for node, style in written:
                if own[style] and (among is None or node.mem_id in among):
                    self._put(node, own[style], (True, True, _LIGHT, 0))

    def _in_force(self) -> list[tuple[str, Declared, _Place]]:
        """Each selector that names only what is on the page, with what it declares."""
        found: list[tuple[str, Declared, _Place]] = []
        read: dict[str, Declared] = {}
        for order, rule in enumerate(self.sheet.rules):
            for selector in split(rule.selectors):
                if self.index.possible(selector):
                    if rule.body not in read:
                        read[rule.body] = declarations(rule.body)
                    if declared := read[rule.body]:
                        found.append((selector, declared, (not rule.layered, order)))
        return found

    def _take_custom(self, rules: Iterable[tuple[str, Declared, object]]) -> None:
        for selector, declared, _ in rules:
            if selector.lower() in {":root", "html", "body", "*", ":host"}:
                names = (name for name in declared if name.startswith("--"))
                self._properties.update({name: declared[name][0] for name in names})

    def _apply(
        self,
        rules: list[tuple[str, Declared, _Place]],
        blocks: Mapping[int, Declared],
        among: Container[int] | None,
    ) -> None:
        for selector, whole, (unlayered, order) in rules:
            declared = blocks[id(whole)]
            rank: _Rank | None = None
            for node in self.index.select(selector) if declared else ():
                if among is None or node.mem_id in among:
                    rank = rank or (unlayered, False, weigh(selector), order)
                    self._put(node, declared, rank)

    def _put(self, node: LexborNode, declared: Declared, rank: _Rank) -> None:
        style = self._of(node)
        for name, (value, important) in declared.items():
            style.put(name, value, (important, *rank))

    def _fill(self, declared: Declared) -> None:
        """Put custom properties in."""
        if not any("var(" in value for value, _ in declared.values()):
            return
        own = {name: value for name, (value, _) in declared.items() if name.startswith("--")}
        known = {**self._properties, **own}
        for name, (value, important) in declared.items():
            declared[name] = (_filled(value, known), important)


def _in_page(tree: LexborHTMLParser) -> sheet.Sheet:
    """All sheets as one; each is read by itself, for one that is left open ends with its element."""
    whole = sheet.Sheet()
    for node in tree.css("style"):
        kind, query = node.attributes.get("type") or "", node.attributes.get("media") or ""
        if kind.strip().lower() in {"", "text/css"} and media.applies(query):
            whole.add(sheet.read(node.text(deep=True)))
    return whole


def _presented(node: LexborNode) -> Iterable[tuple[str, str]]:
    attributes, tag = node.attributes, node.tag
    if (
        "hidden" in attributes
        or "popover" in attributes
        or (tag == "dialog" and "open" not in attributes)
    ):
        yield "display", "none"
    if attributes.get("bgcolor"):
        yield "background-color", _shade(attributes["bgcolor"])
    if tag == "font" and attributes.get("color"):
        yield "color", _shade(attributes["color"])
    if tag == "body" and attributes.get("text"):
        yield "color", _shade(attributes["text"])
    if tag not in {"font", "body"}:
        for name in _SVG:
            if attributes.get(name):
                yield name, str(attributes[name]).strip().lower()


def _shade(value: str | None) -> str:
    text = (value or "").strip().lower()
    return text if colour.read(text) is not None else "#" + text


def _inherited(every: Iterable[Declared]) -> frozenset[str]:
    """Properties that an element below may set back, if they hide anything at all on this page."""
    names = ("visibility", "font-size")
    return frozenset(
        name
        for declared in every
        for name in names
        if name in declared and may_hide(name, declared[name][0])
    )


def _charged(declared: Declared, kept: frozenset[str]) -> Declared:
    return {
        name: worth for name, worth in declared.items() if name in kept or may_hide(name, worth[0])
    }


def _companions(declared: Declared, kept: frozenset[str]) -> Declared:
    return {
        name: worth
        for name, worth in declared.items()
        if name not in kept and not name.startswith("--") and not may_hide(name, worth[0])
    }


def _filled(value: str, known: dict[str, str]) -> str:
    """Custom properties put in, three deep; one that is unknown gives way to its fall-back."""
    for _ in range(3):
        if "var(" not in value:
            break
        value = _VAR.sub(lambda match: known.get(match[1], (match[2] or "").strip()), value)[:500]
    return value.strip()
