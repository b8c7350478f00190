"""Finds the elements that a selector matches: simple ones with an index, others with the HTML parser."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from citewell.fetch.css.declarations import unescape_css
from citewell.fetch.css.selector_states import NEVER_MATCHES, rewrite_states

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_MAX_CHECKED_CANDIDATES = 48  # candidates; with more the parser's selector engine is faster
_MAX_SEARCHED_ELEMENTS = 4_000_000  # elements that the parser's engine may visit for one page
_MAX_SELECTOR_CHARS = 4000
_MAX_BRACKETS = 6
# Selectors for which the engine visits siblings or children of every element.
_EXPENSIVE_SELECTOR = re.compile(r":has\(|:nth-|-of-type|-child|~")
_EXPENSIVE_SELECTOR_FACTOR = 30
_CSS_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\.)++"
_COMPOUND_PATTERN = re.compile(rf"(\*|[a-zA-Z][\w-]*+)?((?:[.#]{_CSS_NAME})*+)")
_CLASS_OR_ID = re.compile(rf"([.#])({_CSS_NAME})")
_SIGNED_NAME = re.compile(rf"[.#]{_CSS_NAME}")
_BRACKET_OR_COMMA = re.compile(r"[()\[\],]|\"[^\"]*+\"?|'[^']*+'?")
_COMBINATOR = re.compile(r"\s*+>\s*+|\s++")
_BRACKETED = re.compile(r"\[[^\]]*+\]|\([^()]*+\)")
_SPECIFICITY_PARTS = re.compile(
    rf"(#{_CSS_NAME})|(\.{_CSS_NAME}|\[[^\]]*+\]|(?<!:):(?!not|is|where|has)[\w-]++)|([\w-]++)"
)
_ROUND_BRACKET = re.compile(r"[()]")
_CHOICE_CALL = re.compile(r":(is|not|has|where|matches|-webkit-any)\(")
_NO_NAMES: tuple[str, list[str]] = ("", [])


class Specificity(NamedTuple):
    ids: int
    classes: int
    types: int


class _CompoundSelector(NamedTuple):
    tag: str
    ids: frozenset[str]
    classes: frozenset[str]


_SelectorChain = tuple[tuple[str, _CompoundSelector], ...]


class ElementIndex:
    """An index of a page's elements by class and id."""

    def __init__(self, tree: LexborHTMLParser, *, quirks: bool = False) -> None:
        self._tree = tree
        self._quirks = quirks  # the page has no doctype: classes and ids match in any case
        self._classes: dict[str, list[LexborNode]] = {}
        self._ids: dict[str, list[LexborNode]] = {}
        self._names: dict[int, tuple[str, list[str]]] = {}
        self._tags: dict[str, Sequence[LexborNode]] = {}
        self._picked: dict[str, Sequence[LexborNode]] = {}
        self._spent = 0
        self.is_exhausted = False  # some selectors were left out, because they would take too long
        named = tree.css("[class], [id]")
        self._size = max(100, len(named) * 2)
        for node in named:
            self._add_element(node)
        self._known = {f".{name}" for name in self._classes} | {f"#{name}" for name in self._ids}

    def _add_element(self, node: LexborNode) -> None:
        attributes = node.attributes
        name, classes = attributes.get("id") or "", attributes.get("class") or ""
        if self._quirks:
            name, classes = name.lower(), classes.lower()
        words = classes.split()
        for each in words:
            if each in self._classes:
                self._classes[each].append(node)
            else:
                self._classes[each] = [node]
        if name:
            self._ids.setdefault(name, []).append(node)
        self._names[node.mem_id] = (name, words)

    def select_elements(self, selector: str) -> Sequence[LexborNode]:
        """The elements that match, in a page that nobody touches."""
        found = self._picked.get(selector)
        if found is None:
            found = self._picked[selector] = self._find_elements(selector)
        return found

    def _find_elements(self, selector: str) -> Sequence[LexborNode]:
        chain = parse_selector_chain(selector.lower() if self._quirks else selector)
        if chain is not None:
            near = self._choose_candidates(chain[-1][1])
            if len(chain) == 1 or len(near) <= _MAX_CHECKED_CANDIDATES:
                return [node for node in near if self._matches_chain(node, chain)]
            return self._query_parser(selector)
        states = rewrite_states(selector)
        if states.pseudo_element or not states.is_valid or states.text.endswith(NEVER_MATCHES):
            return []
        return self._query_parser(states.text)

    def has_all_names(self, selector: str) -> bool:
        """Whether every class and id in the selector is on the page: a fast check before matching."""
        if "(" in selector or "[" in selector:
            selector = _drop_brackets(selector)
        if self._quirks:
            selector = selector.lower()
        names = _SIGNED_NAME.findall(selector)
        if "\\" in selector:
            names = [unescape_css(name) for name in names]
        return self._known.issuperset(names)

    def list_unknown_names(self, selector: str) -> list[str]:
        """The classes and ids in the selector that no element of the page has, as written."""
        return [
            name
            for name in _SIGNED_NAME.findall(_drop_brackets(selector))
            if unescape_css(name) not in self._known
        ]

    def query_elements(self, selector: str) -> Sequence[LexborNode]:
        """The elements that match a selector without states, found by the parser's engine."""
        return self._query_parser(selector)

    def _query_parser(self, selector: str) -> Sequence[LexborNode]:
        from selectolax.lexbor import SelectolaxError

        self._spent += self._size * (
            _EXPENSIVE_SELECTOR_FACTOR if _EXPENSIVE_SELECTOR.search(selector) else 1
        )
        if self._spent > _MAX_SEARCHED_ELEMENTS or len(selector) > _MAX_SELECTOR_CHARS:
            self.is_exhausted = True
            return []
        try:
            return self._tree.css(selector)
        except SelectolaxError:
            return []

    def _matches_chain(self, node: LexborNode, chain: _SelectorChain) -> bool:
        return self._matches_compound(node, chain[-1][1]) and (
            len(chain) == 1 or self._matches_ancestors(node, chain)
        )

    def _choose_candidates(self, last: _CompoundSelector) -> Sequence[LexborNode]:
        if last.ids:
            return self._ids.get(next(iter(last.ids)), [])
        if last.classes:
            lists = [self._classes.get(name, []) for name in last.classes]
            return min(lists, key=len)
        return self._list_by_tag(last.tag or "*")

    def _list_by_tag(self, tag: str) -> Sequence[LexborNode]:
        if tag not in self._tags:
            self._tags[tag] = self._query_parser(tag)
        return self._tags[tag]

    def _matches_compound(self, node: LexborNode, wanted: _CompoundSelector) -> bool:
        if wanted.tag not in {"", "*", node.tag}:
            return False
        if not wanted.ids and not wanted.classes:
            return True
        name, classes = self._names.get(node.mem_id, _NO_NAMES)
        return wanted.classes.issubset(classes) and all(name == each for each in wanted.ids)

    def _matches_ancestors(self, node: LexborNode, chain: _SelectorChain) -> bool:
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


def _drop_brackets(selector: str) -> str:
    """The selector without attributes and arguments, whose names need not be on the page."""
    for _ in range(_MAX_BRACKETS):
        if "(" not in selector and "[" not in selector:
            break
        selector = _BRACKETED.sub("", selector)
    return selector


def split_selector_list(selectors: str) -> list[str]:
    """Split a selector list at the commas outside brackets and strings."""
    if "," not in selectors:
        return [selectors.strip()]
    if "(" not in selectors and "[" not in selectors:
        return [part.strip() for part in selectors.split(",")]
    parts, depth, start = list[str](), 0, 0
    for match in _BRACKET_OR_COMMA.finditer(selectors):
        if match[0] == "," and depth == 0:
            parts.append(selectors[start : match.start()].strip())
            start = match.end()
        elif match[0] in "([":
            depth += 1
        elif match[0] in ")]":
            depth = max(0, depth - 1)
    return [*parts, selectors[start:].strip()]


def is_valid_list(selectors: Iterable[str]) -> bool:
    """Whether a browser would accept the list: one unknown state or element invalidates all of it."""
    return all(":" not in part or rewrite_states(part).is_valid for part in selectors)


@lru_cache(maxsize=4096)
def measure_specificity(selector: str, *, depth: int = 0) -> Specificity:
    """The weight of a selector; `:is()`, `:not()` and `:has()` count as their heaviest argument."""
    ids = classes = types = 0
    match = _CHOICE_CALL.search(selector) if depth < _MAX_BRACKETS else None
    while match is not None:
        end = _find_closing(selector, match.end())
        if match[1] != "where":
            inner = split_selector_list(selector[match.end() : end])
            heaviest = max(measure_specificity(part, depth=depth + 1) for part in inner)
            ids, classes, types = ids + heaviest[0], classes + heaviest[1], types + heaviest[2]
        selector = selector[: match.start()] + selector[end + 1 :]
        match = _CHOICE_CALL.search(selector, match.start())
    for one, two, three in _SPECIFICITY_PARTS.findall(selector):
        ids += bool(one)
        classes += bool(two)
        types += bool(three)
    return Specificity(ids, classes, types)


def _find_closing(text: str, start: int) -> int:
    depth = 1
    for match in _ROUND_BRACKET.finditer(text, start):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.start()
    return len(text)


@lru_cache(maxsize=8192)
def parse_selector_chain(selector: str) -> _SelectorChain | None:
    """Compound selectors, each with its combinator; None if the selector needs the parser's engine."""
    if ":" in selector.replace("\\:", "") or "[" in selector:
        return None
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
            return tuple(found) if len(steps) < 2 or len(found) == 2 else None
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
