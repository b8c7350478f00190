"""Which elements a selector picks: plain chains by an index of names, the rest by the parser."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from citewell.fetch.css.declaration import unescape

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_FEW = 24  # candidates that are worth looking at one by one
_BUDGET = 6_000_000  # elements that the parser's engine may look at for one page
# Selectors for which the engine looks at brothers or children of every element.
_DEAR = re.compile(r":has\(|:nth-|-of-type|-child|~", re.IGNORECASE)
_DEAR_TIMES = 30
_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\.)+"
_COMPOUND = re.compile(rf"(\*|[a-zA-Z][\w-]*)?((?:[.#]{_NAME})*)")
_PIECE = re.compile(rf"([.#])({_NAME})")
# One level of brackets inside brackets is as deep as pages go.
_COMMA = re.compile(r",(?![^()\[\]]*(?:\([^()]*\)[^()\[\]]*)*[)\]])")
_STEP = re.compile(r"\s*>\s*|\s+")
_ELSEWHERE = re.compile(
    r"::|:(?:before|after|first-line|first-letter|host|selection|placeholder|marker|backdrop)\b",
    re.IGNORECASE,
)
_DYNAMIC = (
    r":(?:hover|focus|focus-visible|focus-within|active|visited|target|target-within|invalid|valid"
    r"|placeholder-shown|autofill|-webkit-autofill|fullscreen|user-invalid|popover-open|modal|playing"
    r"|indeterminate|in-range|out-of-range|current|past|future)\b(?!\()"
)
_STIRRED = re.compile(_DYNAMIC, re.IGNORECASE)
_AT_REST = re.compile(rf":not\(\s*(?:[^()\s,]*{_DYNAMIC})\s*\)", re.IGNORECASE)
_STATES = re.compile(r":(checked|disabled|open|required)\b", re.IGNORECASE)
_LINKS = re.compile(r":(?:link|any-link|enabled|defined|read-write|read-only)\b", re.IGNORECASE)
_NOTS = re.compile(r":(?:not|is|where|has|nth-[a-z-]+)\([^()]*\)", re.IGNORECASE)
_WEIGHED = re.compile(
    rf"(#{_NAME})|(\.{_NAME}|\[[^\]]*\]|(?<!:):(?!not|is|where|has)[\w-]+)|([\w-]+)"
)


_NAMELESS: tuple[str, list[str]] = ("", [])


class Weight(NamedTuple):
    ids: int
    classes: int
    types: int


class _Compound(NamedTuple):
    tag: str
    ids: frozenset[str]
    classes: frozenset[str]


class Index:
    """A page's elements by class and id, made once."""

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

    def _of(self, node: LexborNode) -> tuple[str, list[str]]:
        """An element's id and classes."""
        return self._names.get(node.mem_id, _NAMELESS)

    def select(self, selector: str, among: set[int] | None = None) -> Iterable[LexborNode]:
        """The elements; only such as are in `among` where that is given."""
        found = self._picked.get(selector)
        if found is None:
            found = self._picked[selector] = self._pick(selector)
        return found if among is None else (node for node in found if node.mem_id in among)

    def _pick(self, selector: str) -> list[LexborNode]:
        if not self.possible(selector):
            return []
        chain = _chain(selector)
        if chain is not None:
            near = self._candidates(chain[-1][1])
            if len(chain) == 1 or len(near) <= _FEW:
                return [node for node in near if self._fits_all(node, chain)]
        plain = _at_rest(selector)
        return [] if plain is None else self._ask(plain)

    def possible(self, selector: str) -> bool:
        """Whether every class and id that it names is on the page; a quick look."""
        if "(" in selector:
            selector = _NOTS.sub("", selector)
        for sign, name in _PIECE.findall(selector):
            if unescape(name) not in (self._ids if sign == "#" else self._classes):
                return False
        return True

    def _ask(self, selector: str) -> list[LexborNode]:
        from selectolax.lexbor import SelectolaxError

        self._spent += self._size * (_DEAR_TIMES if _DEAR.search(selector) else 1)
        if self._spent > _BUDGET:
            return []
        try:
            return self._tree.css(selector)
        except SelectolaxError:
            return []

    def _fits_all(self, node: LexborNode, chain: list[tuple[str, _Compound]]) -> bool:
        return self._fits(node, chain[-1][1]) and (len(chain) == 1 or self._climbs(node, chain))

    def _candidates(self, last: _Compound) -> list[LexborNode]:
        if last.ids:
            return self._ids.get(next(iter(last.ids)), [])
        if last.classes:
            lists = [self._classes.get(name, []) for name in last.classes]
            return min(lists, key=len)
        return self._by_tag(last.tag or "*")

    def _by_tag(self, tag: str) -> list[LexborNode]:
        if tag not in self._tags:
            self._tags[tag] = self._ask(tag)
        return self._tags[tag]

    def _fits(self, node: LexborNode, wanted: _Compound) -> bool:
        if wanted.tag not in {"", "*", node.tag}:
            return False
        if not wanted.ids and not wanted.classes:
            return True
        name, classes = self._of(node)
        return wanted.classes.issubset(classes) and all(name == each for each in wanted.ids)

    def _climbs(self, node: LexborNode, chain: list[tuple[str, _Compound]]) -> bool:
        """Whether the ancestors fit the rest of the chain, whose steps are all of one kind."""
        at = len(chain) - 1
        above = node.parent
        while at and above is not None and above.tag:
            if self._fits(above, chain[at - 1][1]):
                at -= 1
            elif chain[at][0] == ">":
                return False
            above = above.parent
        return at == 0


def split(selectors: str) -> list[str]:
    """A selector list at its outer commas."""
    nested = "(" in selectors or "[" in selectors
    return [part.strip() for part in (_COMMA.split(selectors) if nested else selectors.split(","))]


def weigh(selector: str) -> Weight:
    ids = classes = types = 0
    for one, two, three in _WEIGHED.findall(selector):
        ids += bool(one)
        classes += bool(two)
        types += bool(three and three not in {"not", "is", "where", "has"})
    return Weight(ids, classes, types)


def _chain(selector: str) -> list[tuple[str, _Compound]] | None:
    """Compounds with the step that leads to each; None for what needs the parser's engine."""
    found: list[tuple[str, _Compound]] = []
    place = end = 0
    while True:
        match = _COMPOUND.match(selector, place)
        if match is None or match.end() == place:
            return None
        step = ">" if found and ">" in selector[end:place] else " "
        found.append((step, _compound(match)))
        end = place = match.end()
        if place == len(selector):
            steps = {step for step, _ in found[1:]}
            return found if len(steps) < 2 or len(found) == 2 else None
        gap = _STEP.match(selector, place)
        if gap is None:
            return None
        place = gap.end()


def _compound(match: re.Match[str]) -> _Compound:
    pieces = _PIECE.findall(match[2])
    return _Compound(
        tag=(match[1] or "").lower(),
        ids=frozenset(unescape(name) for sign, name in pieces if sign == "#"),
        classes=frozenset(unescape(name) for sign, name in pieces if sign == "."),
    )


def _at_rest(selector: str) -> str | None:
    """The selector as it stands before anybody moves a pointer; None when nothing then fits."""
    if _ELSEWHERE.search(selector):
        return None
    selector = _AT_REST.sub("", selector)
    if _STIRRED.search(selector):
        return None
    selector = _LINKS.sub("", selector)
    return _STATES.sub(r"[\1]", selector) or "*"
