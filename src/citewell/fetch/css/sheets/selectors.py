"""Finds the elements that a selector matches, with the engine of the HTML parser."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from citewell.fetch.css.sheets.declarations import unescape_css
from citewell.fetch.css.sheets.selector_states import NEVER_MATCHES, rewrite_states

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_MAX_SEARCHED_ELEMENTS = 12_000_000  # elements that the parser's engine may visit for one page
_MAX_SELECTOR_CHARS = 4000
_MIN_QUERY_ELEMENTS = 800  # what a query costs at least, in elements
_MAX_BRACKETS = 6
# Selectors for which the engine visits siblings or children of every element.
_EXPENSIVE_SELECTOR = re.compile(r":has\(|:nth-|-of-type|-child|~")
_EXPENSIVE_SELECTOR_FACTOR = 30
_CSS_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\.)++"
_SIGNED_NAME = re.compile(rf"[.#]{_CSS_NAME}")
_BRACKET_OR_COMMA = re.compile(r"[()\[\],]|\"[^\"]*+\"?|'[^']*+'?")
_LAST_PART = re.compile(r"[^\s>+~]++\Z")
_BRACKETED = re.compile(r"\[[^\[\]]*+\]|\([^()]*+\)")
_SPECIFICITY_PARTS = re.compile(
    rf"(#{_CSS_NAME})|(\.{_CSS_NAME}|\[[^\[\]]*+\]|(?<!:):(?!not|is|where|has)[\w-]++)|([\w-]++)"
)
_ROUND_BRACKET = re.compile(r"[()]")
_CHOICE_CALL = re.compile(r":(is|not|has|where|matches|-webkit-any)\(")


class Specificity(NamedTuple):
    ids: int
    classes: int
    types: int


class ElementIndex:
    """The classes and ids of a page's elements, and the elements that selectors match."""

    def __init__(self, tree: LexborHTMLParser, *, quirks: bool = False) -> None:
        self._tree = tree
        self._quirks = quirks  # the page has no doctype: classes and ids match in any case
        self._picked: dict[str, Sequence[LexborNode]] = {}
        self._spent = 0
        self.is_exhausted = False  # some selectors were left out, because they would take too long
        self._known = _list_page_names(tree, quirks=quirks)
        self._size = max(
            _MIN_QUERY_ELEMENTS, 2 * len(tree.css("[class]")), 4 * len(tree.css("div, p, td, li"))
        )

    def select_elements(self, selector: str) -> Sequence[LexborNode]:
        """The elements that match, in a page that nobody touches."""
        found = self._picked.get(selector)
        if found is None:
            found = self._picked[selector] = self._find_elements(selector)
        return found

    def _find_elements(self, selector: str) -> Sequence[LexborNode]:
        if ":" not in selector:
            return self.query_elements(selector)
        states = rewrite_states(selector)
        if states.pseudo_element or not states.is_valid or states.text.endswith(NEVER_MATCHES):
            return []
        return self.query_elements(states.text)

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

    def has_name(self, name: str) -> bool:
        """Whether an element has the class or id, which is written with its sign."""
        return name in self._known

    def list_unknown_names(self, selector: str) -> list[str]:
        """The classes and ids in the selector that no element of the page has, as written."""
        return [
            name
            for name in _SIGNED_NAME.findall(_drop_brackets(selector))
            if unescape_css(name) not in self._known
        ]

    def query_elements(self, selector: str) -> Sequence[LexborNode]:
        """The elements that match a selector without states, found by the parser's engine."""
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


def _list_page_names(tree: LexborHTMLParser, *, quirks: bool) -> set[str]:
    """The classes and ids on the page, each with the sign that selectors give it."""
    classes = {node.attrs.get("class") or "" for node in tree.css("[class]")}
    ids = {node.id or "" for node in tree.css("[id]")}
    if quirks:
        classes, ids = {each.lower() for each in classes}, {each.lower() for each in ids}
    return {f".{name}" for each in classes for name in each.split()} | {f"#{name}" for name in ids}


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


def may_match_names(selector: str, names: Container[str]) -> bool:
    """Whether the selector may match an element with these names: a fast check of its last part."""
    last = _LAST_PART.search(selector)
    if last is None or "(" in last[0] or "[" in last[0] or "\\" in last[0]:
        return True
    signed = _SIGNED_NAME.findall(last[0])
    if signed:
        return all(name in names for name in signed)
    tag = last[0].partition(":")[0].lower()
    return not tag or tag in names


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
