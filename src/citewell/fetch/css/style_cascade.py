"""Applies a page's own style sheets and attributes to its elements; unstyled elements are absent."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from citewell.fetch.css import colours, media_queries, style_sheets
from citewell.fetch.css.declarations import (
    COLOUR_PROPERTIES,
    Declarations,
    parse_declarations,
    parse_style_attribute,
)
from citewell.fetch.css.hiding_techniques import may_hide
from citewell.fetch.css.selectors import (
    ElementIndex,
    Specificity,
    measure_specificity,
    split_selector_list,
)

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_RulePosition = tuple[bool, int]  # whether it is outside any layer, and the index of the rule
_RulePriority = tuple[bool, bool, Specificity, int]
DeclarationPriority = tuple[bool, bool, bool, Specificity, int]
_NO_SPECIFICITY = Specificity(0, 0, 0)
_VAR_CALL = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,\s*([^()]*(?:\([^()]*\)[^()]*)*))?\)")
_STYLING_ATTRIBUTES = (
    "[hidden], dialog, [popover], font[color], [bgcolor], body[text], svg [fill], svg [opacity],"
    " svg [display], svg [visibility], svg [font-size], svg [fill-opacity]"
)
_SVG_ATTRIBUTES = ("fill", "opacity", "display", "visibility", "font-size", "fill-opacity")


class ElementStyle:
    """The winning declarations of one element."""

    __slots__ = ("node", "ranks", "values")

    def __init__(self, node: LexborNode) -> None:
        self.node = node
        self.values: dict[str, str] = {}
        self.ranks: dict[str, DeclarationPriority] = {}

    def set_if_stronger(self, name: str, value: str, rank: DeclarationPriority) -> None:
        if name not in self.ranks or rank >= self.ranks[name]:
            self.ranks[name] = rank
            self.values[name] = value

    def find_value(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)


class PageStyles:
    """The elements whose visibility may depend on the page's own styles."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self.sheet = _read_page_sheets(tree)
        self._tree = tree
        self.outside = self.sheet.has_imports or bool(tree.css("link[rel~=stylesheet i][href]"))
        self.found: dict[int, ElementStyle] = {}
        self._properties: dict[str, str] = {}  # custom properties of the root element
        self._apply_attributes(tree)
        self._apply_rules(tree)

    @cached_property
    def element_index(self) -> ElementIndex:
        return ElementIndex(self._tree)

    def _ensure_style(self, node: LexborNode) -> ElementStyle:
        style = self.found.get(node.mem_id)
        if style is None:
            style = self.found[node.mem_id] = ElementStyle(node)
        return style

    def _apply_attributes(self, tree: LexborHTMLParser) -> None:
        """Apply the browser's defaults and presentational attributes, which any rule overrides."""
        rank: DeclarationPriority = (False, False, False, _NO_SPECIFICITY, -1)
        for node in tree.css(_STYLING_ATTRIBUTES):
            for name, value in _list_attribute_styles(node):
                self._ensure_style(node).set_if_stronger(name, value, rank)

    def _apply_rules(self, tree: LexborHTMLParser) -> None:
        written = [(node, node.attributes.get("style") or "") for node in tree.css("[style]")]
        read = {style: parse_style_attribute(style) for style in {style for _, style in written}}
        rules = self._collect_active_rules()
        self._collect_custom_properties(rules)
        for _, declared, _ in rules:
            self._resolve_declared_variables(declared)
        for declared in read.values():
            self._resolve_declared_variables(declared)
        kept = COLOUR_PROPERTIES | _find_inherited_hiding(
            [*read.values(), *(declared for _, declared, _ in rules)]
        )
        # First the declarations that can hide text or set colours; then, only for the elements found,
        # those that may undo them.
        for choose, among in (
            (_keep_hiding_declarations, None),
            (_keep_other_declarations, self.found),
        ):
            blocks = {id(declared): choose(declared, kept) for _, declared, _ in rules}
            self._apply_selected(rules, blocks, among)
            own = {style: choose(declared, kept) for style, declared in read.items()}
            for node, style in written:
                if own[style] and (among is None or node.mem_id in among):
                    self._add_declarations(node, own[style], (True, True, _NO_SPECIFICITY, 0))

    def _collect_active_rules(self) -> list[tuple[str, Declarations, _RulePosition]]:
        """The selectors whose classes and ids are all on the page, with their declarations."""
        found: list[tuple[str, Declarations, _RulePosition]] = []
        read: dict[str, Declarations] = {}
        for order, rule in enumerate(self.sheet.rules):
            for selector in split_selector_list(rule.selectors):
                if self.element_index.has_all_names(selector):
                    if rule.body not in read:
                        read[rule.body] = parse_declarations(rule.body)
                    if declared := read[rule.body]:
                        found.append((selector, declared, (not rule.layered, order)))
        return found

    def _collect_custom_properties(self, rules: Iterable[tuple[str, Declarations, object]]) -> None:
        for selector, declared, _ in rules:
            if selector.lower() in {":root", "html", "body", "*", ":host"}:
                names = (name for name in declared if name.startswith("--"))
                self._properties.update({name: declared[name][0] for name in names})

    def _apply_selected(
        self,
        rules: list[tuple[str, Declarations, _RulePosition]],
        blocks: Mapping[int, Declarations],
        among: Container[int] | None,
    ) -> None:
        for selector, whole, (unlayered, order) in rules:
            declared = blocks[id(whole)]
            rank: _RulePriority | None = None
            for node in self.element_index.select_elements(selector) if declared else ():
                if among is None or node.mem_id in among:
                    rank = rank or (unlayered, False, measure_specificity(selector), order)
                    self._add_declarations(node, declared, rank)

    def _add_declarations(
        self, node: LexborNode, declared: Declarations, rank: _RulePriority
    ) -> None:
        style = self._ensure_style(node)
        for name, (value, important) in declared.items():
            style.set_if_stronger(name, value, (important, *rank))

    def _resolve_declared_variables(self, declared: Declarations) -> None:
        """Replace `var(...)` in the declarations, in place."""
        if not any("var(" in value for value, _ in declared.values()):
            return
        own = {name: value for name, (value, _) in declared.items() if name.startswith("--")}
        known = {**self._properties, **own}
        for name, (value, important) in declared.items():
            declared[name] = (_resolve_variables(value, known), important)


def _read_page_sheets(tree: LexborHTMLParser) -> style_sheets.StyleSheet:
    """All `style` elements as one sheet; parsed one by one, because an open rule ends with its element."""
    whole = style_sheets.StyleSheet()
    for node in tree.css("style"):
        kind, query = node.attributes.get("type") or "", node.attributes.get("media") or ""
        if kind.strip().lower() in {"", "text/css"} and media_queries.matches_media_query(query):
            whole.add_sheet(style_sheets.parse_style_sheet(node.text(deep=True)))
    return whole


def _list_attribute_styles(node: LexborNode) -> Iterable[tuple[str, str]]:
    attributes, tag = node.attributes, node.tag
    if (
        "hidden" in attributes
        or "popover" in attributes
        or (tag == "dialog" and "open" not in attributes)
    ):
        yield "display", "none"
    if attributes.get("bgcolor"):
        yield "background-color", _normalize_attribute_colour(attributes["bgcolor"])
    if tag == "font" and attributes.get("color"):
        yield "color", _normalize_attribute_colour(attributes["color"])
    if tag == "body" and attributes.get("text"):
        yield "color", _normalize_attribute_colour(attributes["text"])
    if tag not in {"font", "body"}:
        for name in _SVG_ATTRIBUTES:
            if attributes.get(name):
                yield name, str(attributes[name]).strip().lower()


def _normalize_attribute_colour(value: str | None) -> str:
    text = (value or "").strip().lower()
    return text if colours.parse_colour(text) is not None else "#" + text


def _find_inherited_hiding(every: Iterable[Declarations]) -> frozenset[str]:
    """The inherited properties that hide something on this page, and that a descendant may reset."""
    names = ("visibility", "font-size")
    return frozenset(
        name
        for declared in every
        for name in names
        if name in declared and may_hide(name, declared[name][0])
    )


def _keep_hiding_declarations(declared: Declarations, kept: frozenset[str]) -> Declarations:
    return {
        name: worth for name, worth in declared.items() if name in kept or may_hide(name, worth[0])
    }


def _keep_other_declarations(declared: Declarations, kept: frozenset[str]) -> Declarations:
    return {
        name: worth
        for name, worth in declared.items()
        if name not in kept and not name.startswith("--") and not may_hide(name, worth[0])
    }


def _resolve_variables(value: str, known: dict[str, str]) -> str:
    """The value with custom properties replaced, up to three deep; unknown ones by their fallback."""
    for _ in range(3):
        if "var(" not in value:
            break
        value = _VAR_CALL.sub(lambda match: known.get(match[1], (match[2] or "").strip()), value)[
            :500
        ]
    return value.strip()
