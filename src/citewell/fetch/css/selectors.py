"""Finds the elements that a selector matches: simple ones with an index, others with the HTML parser."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from citewell.fetch.css.declarations import unescape_css

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_MAX_CHECKED_CANDIDATES = 24  # candidates; with more the parser's selector engine is faster
_MAX_SEARCHED_ELEMENTS = 6_000_000  # elements that the parser's engine may visit for one page
# Selectors for which the engine visits siblings or children of every element.
_EXPENSIVE_SELECTOR = re.compile(r":has\(|:nth-|-of-type|-child|~", re.IGNORECASE)
_EXPENSIVE_SELECTOR_FACTOR = 30
_CSS_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\.)+"
_COMPOUND_PATTERN = re.compile(rf"(\*|[a-zA-Z][\w-]*)?((?:[.#]{_CSS_NAME})*)")
_CLASS_OR_ID = re.compile(rf"([.#])({_CSS_NAME})")
_BRACKET_OR_COMMA = re.compile(r"[()\[\],]")
_COMBINATOR = re.compile(r"\s*>\s*|\s+")
_PSEUDO_ELEMENT = re.compile(
    r"::|:(?:before|after|first-line|first-letter|host|selection|placeholder|marker|backdrop)\b",
    re.IGNORECASE,
)
_INTERACTIVE_STATES = (
    r":(?:hover|focus|focus-visible|focus-within|active|visited|target|target-within|invalid|valid"
    r"|placeholder-shown|autofill|-webkit-autofill|fullscreen|user-invalid|popover-open|modal|playing"
    r"|indeterminate|in-range|out-of-range|current|past|future)\b(?!\()"
)
_INTERACTIVE_SELECTOR = re.compile(_INTERACTIVE_STATES, re.IGNORECASE)
_NEGATED_INTERACTIVE = re.compile(
    rf":not\(\s*(?:[^()\s,]*{_INTERACTIVE_STATES})\s*\)", re.IGNORECASE
)
_ATTRIBUTE_STATES = re.compile(r":(checked|disabled|open|required)\b", re.IGNORECASE)
_ALWAYS_TRUE_STATES = re.compile(
    r":(?:link|any-link|enabled|defined|read-write|read-only)\b", re.IGNORECASE
)
_FUNCTIONAL_PSEUDO_CLASS = re.compile(r":(?:not|is|where|has|nth-[a-z-]+)\([^()]*\)", re.IGNORECASE)
_SPECIFICITY_PARTS = re.compile(
    rf"(#{_CSS_NAME})|(\.{_CSS_NAME}|\[[^\]]*\]|(?<!:):(?!not|is|where|has)[\w-]+)|([\w-]+)"
)


_NO_NAMES: tuple[str, list[str]] = ("", [])


class Specificity(NamedTuple):
    ids: int
    classes: int
    types: int


class _CompoundSelector(NamedTuple):
    tag: str
    ids: frozenset[str]
    classes: frozenset[str]


class ElementIndex:
    """An index of a page's elements by class and id."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self._classes: dict[str, list[LexborNode]] = {}
        self._ids: dict[str, list[LexborNode]] = {}
        self._names: dict[int, tuple[str, list[str]]] = {}
        self._tags: dict[str, list[LexborNode]] = {}
        self._picked: dict[str, list[LexborNode]] = {}
        self._spent = 0
        named = tree.css("[class], [id]")
        self._size = max(100, len(named) * 2)
        for node in named:
            attributes = node.attributes
            classes = (attributes.get("class") or "").split()
            name = attributes.get("id") or ""
            for each in classes:
                if each in self._classes:
                    self._classes[each].append(node)
                else:
                    self._classes[each] = [node]
            if name:
                self._ids.setdefault(name, []).append(node)
            self._names[node.mem_id] = (name, classes)

    def _look_up_names(self, node: LexborNode) -> tuple[str, list[str]]:
        """An element's id and classes."""
        return self._names.get(node.mem_id, _NO_NAMES)

    def select_elements(self, selector: str, among: set[int] | None = None) -> Iterable[LexborNode]:
        """The elements that match; if `among` is given, only those with a `mem_id` in it."""
        found = self._picked.get(selector)
        if found is None:
            found = self._picked[selector] = self._find_elements(selector)
        return found if among is None else (node for node in found if node.mem_id in among)

    def _find_elements(self, selector: str) -> list[LexborNode]:
        if not self.has_all_names(selector):
            return []
        chain = _parse_selector_chain(selector)
        if chain is not None:
            near = self._choose_candidates(chain[-1][1])
            if len(chain) == 1 or len(near) <= _MAX_CHECKED_CANDIDATES:
                return [node for node in near if self._matches_chain(node, chain)]
        plain = _strip_interactive_states(selector)
        return [] if plain is None else self._query_parser(plain)

    def has_all_names(self, selector: str) -> bool:
        """Whether every class and id in the selector is on the page: a fast check before matching."""
        if "(" in selector:
            selector = _FUNCTIONAL_PSEUDO_CLASS.sub("", selector)
        for sign, name in _CLASS_OR_ID.findall(selector):
            if unescape_css(name) not in (self._ids if sign == "#" else self._classes):
                return False
        return True

    def _query_parser(self, selector: str) -> list[LexborNode]:
        from selectolax.lexbor import SelectolaxError

        self._spent += self._size * (
            _EXPENSIVE_SELECTOR_FACTOR if _EXPENSIVE_SELECTOR.search(selector) else 1
        )
        if self._spent > _MAX_SEARCHED_ELEMENTS:
            return []
        try:
            return self._tree.css(selector)
        except SelectolaxError:
            return []

    def _matches_chain(self, node: LexborNode, chain: list[tuple[str, _CompoundSelector]]) -> bool:
        return self._matches_compound(node, chain[-1][1]) and (
            len(chain) == 1 or self._matches_ancestors(node, chain)
        )

    def _choose_candidates(self, last: _CompoundSelector) -> list[LexborNode]:
        if last.ids:
            return self._ids.get(next(iter(last.ids)), [])
        if last.classes:
            lists = [self._classes.get(name, []) for name in last.classes]
            return min(lists, key=len)
        return self._list_by_tag(last.tag or "*")

    def _list_by_tag(self, tag: str) -> list[LexborNode]:
        if tag not in self._tags:
            self._tags[tag] = self._query_parser(tag)
        return self._tags[tag]

    def _matches_compound(self, node: LexborNode, wanted: _CompoundSelector) -> bool:
        if wanted.tag not in {"", "*", node.tag}:
            return False
        if not wanted.ids and not wanted.classes:
            return True
        name, classes = self._look_up_names(node)
        return wanted.classes.issubset(classes) and all(name == each for each in wanted.ids)

    def _matches_ancestors(
        self, node: LexborNode, chain: list[tuple[str, _CompoundSelector]]
    ) -> bool:
        """Whether the ancestors match the rest of the chain; all its combinators are the same."""
        at = len(chain) - 1
        above = node.parent
        while at and above is not None and above.tag:
            if self._matches_compound(above, chain[at - 1][1]):
                at -= 1
            elif chain[at][0] == ">":
                return False
            above = above.parent
        return at == 0


def split_selector_list(selectors: str) -> list[str]:
    """Split a selector list at the commas outside brackets."""
    parts, depth, start = list[str](), 0, 0
    for match in _BRACKET_OR_COMMA.finditer(selectors):
        if match[0] == "," and depth == 0:
            parts.append(selectors[start : match.start()].strip())
            start = match.end()
        elif match[0] in "([":
            depth += 1
        elif match[0] != ",":
            depth = max(0, depth - 1)
    return [*parts, selectors[start:].strip()]


def measure_specificity(selector: str) -> Specificity:
    ids = classes = types = 0
    for one, two, three in _SPECIFICITY_PARTS.findall(selector):
        ids += bool(one)
        classes += bool(two)
        types += bool(three and three not in {"not", "is", "where", "has"})
    return Specificity(ids, classes, types)


def _parse_selector_chain(selector: str) -> list[tuple[str, _CompoundSelector]] | None:
    """Compound selectors, each with its combinator; None if the selector needs the parser's engine."""
    found: list[tuple[str, _CompoundSelector]] = []
    place = end = 0
    while True:
        match = _COMPOUND_PATTERN.match(selector, place)
        if match is None or match.end() == place:
            return None
        step = ">" if found and ">" in selector[end:place] else " "
        found.append((step, _parse_compound(match)))
        end = place = match.end()
        if place == len(selector):
            steps = {step for step, _ in found[1:]}
            return found if len(steps) < 2 or len(found) == 2 else None
        gap = _COMBINATOR.match(selector, place)
        if gap is None:
            return None
        place = gap.end()


def _parse_compound(match: re.Match[str]) -> _CompoundSelector:
    pieces = _CLASS_OR_ID.findall(match[2])
    return _CompoundSelector(
        tag=(match[1] or "").lower(),
        ids=frozenset(unescape_css(name) for sign, name in pieces if sign == "#"),
        classes=frozenset(unescape_css(name) for sign, name in pieces if sign == "."),
    )


def _strip_interactive_states(selector: str) -> str | None:
    """The selector without states such as `:hover`; None if it matches only in such a state."""
    if _PSEUDO_ELEMENT.search(selector):
        return None
    selector = _NEGATED_INTERACTIVE.sub("", selector)
    if _INTERACTIVE_SELECTOR.search(selector):
        return None
    selector = _ALWAYS_TRUE_STATES.sub("", selector)
    return _ATTRIBUTE_STATES.sub(r"[\1]", selector) or "*"
