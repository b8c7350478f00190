"""Finds the elements that a selector matches, with the engine of the HTML parser."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from citewell.reading.css.declarations import unescape_css
from citewell.reading.css.value_parts import find_closing_bracket, load_css_words
from citewell.reading.page_nodes import iterate_upwards
from citewell.text.data_tables import load_table

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_MAX_SEARCHED_ELEMENTS = 12_000_000  # elements that the parser's engine may visit for one page
_MAX_SELECTOR_CHARS = 4000
_MIN_QUERY_ELEMENTS = 800  # what a query costs at least, in elements
_MAX_BRACKETS = 6
# Selectors for which the engine visits siblings or children of every element.
_EXPENSIVE_SELECTOR = re.compile(r":has\(|:nth-|-of-type|-child|~")
_EXPENSIVE_SELECTOR_FACTOR = 30
_SIBLING_COUNT = re.compile(r":nth-|~(?!=)")  # for each element the engine walks along its siblings
_SIBLINGS_PER_VISIT = 40  # siblings that are passed in the time of one visited element
_CSS_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\.)++"
_SIGNED_NAME = re.compile(rf"[.#]{_CSS_NAME}")
_BRACKET_OR_COMMA = re.compile(r"[()\[\],]|\"[^\"]*+\"?|'[^']*+'?")
_LAST_PART = re.compile(r"[^\s>+~]++\Z")
_BRACKETED = re.compile(r"\[[^\[\]]*+\]|\([^()]*+\)")
_SPECIFICITY_PARTS = re.compile(
    rf"(#{_CSS_NAME})|(\.{_CSS_NAME}|\[[^\[\]]*+\]|(?<!:):(?!not|is|where|has)[\w-]++)|([\w-]++)"
)
_PLAIN_SELECTOR = re.compile(r"[\w*.#>\s-]+")
_MAX_CHAIN_CHARS = 200
_MAX_CHECKED_CANDIDATES = 8  # with more, the engine is faster
_CHOICE_CALL = re.compile(r":(is|not|has|where|matches|-webkit-any)\(")
NEVER_MATCHES = ":not(*)"
ALWAYS_MATCHES = ":is(*)"
_CERTAIN_STATES = frozenset({"defined", "paused"})
_OLD_PSEUDO_ELEMENTS = frozenset({"before", "after", "first-line", "first-letter"})
# Classes and attributes that a page has only until its scripts run, and those that it gets then.
_UNTIL_SCRIPTS = re.compile(
    r"[.\[](?:no-?js|no-?script|js-(?:off|disabled)|wf-(?:loading|inactive)|fonts?-(?:loading|pending)"
    r"|[\w-]*cloak|async-hide|anti-?flicker|fouc|no-fouc|js-fouc|preload(?:-state)?|unresolved"
    r"|not-(?:loaded|ready|hydrated)|un(?:loaded|hydrated))(?![\w-])",
    re.IGNORECASE,
)
_BEFORE_SCRIPTS = re.compile(
    r":not\(\s*+[.\[](?:js|has-js|js-(?:enabled|on|ready|loaded)|(?:is-|page-|dom-|all-)?(?:loaded|ready"
    r"|hydrated|initiali[sz]ed|mounted|upgraded)|wf-active|fonts?-(?:loaded|active)|enhanced)[\]\s]*+\)",
    re.IGNORECASE,
)
# Classes that scripts put on an element to show it.
STATE_CLASS = re.compile(
    r"\.(?:is-|js-|has-)?(?:active|open|opened|show|shown|visible|current|selected|expanded|in|on"
    r"|animated?|aos-animate|loaded|revealed|in-?view|entered|ready)(?![\w-])",
    re.IGNORECASE,
)
STATE_ATTRIBUTE = re.compile(
    r"\[(?:aria-(?:expanded|hidden|selected|current)|data-(?:state|open|visible|active|show|shown"
    r"|loaded|expanded|in-?view|status|selected)|open|opened|active|expanded)\b[^\[\]]*+\]",
    re.IGNORECASE,
)
_PSEUDO = re.compile(r"(?<!\\)(::?)(-?[a-zA-Z][\w-]*)(\()?|\"[^\"]*\"|'[^']*'")
_ARGUMENT = re.compile(r"[^()]*+\)")


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
        self._by_name: defaultdict[str, list[LexborNode]] = defaultdict(list)
        self._index_elements()
        self._size = max(_MIN_QUERY_ELEMENTS, len(tree.css("*")))

    def _index_elements(self) -> None:
        """List the elements by each of their classes and ids, written with the sign of selectors."""
        by_name = self._by_name
        for node in self._tree.css("[class]"):
            classes = node.attrs.get("class") or ""
            for name in (classes.lower() if self._quirks else classes).split():
                by_name["." + name].append(node)
        for node in self._tree.css("[id]"):
            name = node.id or ""
            by_name[f"#{name.lower() if self._quirks else name}"].append(node)

    def select_elements(self, selector: str) -> Sequence[LexborNode]:
        """The elements that match, in a page that nobody touches."""
        if selector not in self._picked:
            self._picked[selector] = self._find_elements(selector)
        return self._picked[selector]

    def _find_elements(self, selector: str) -> Sequence[LexborNode]:
        chain = None if self._quirks else parse_selector_chain(selector)
        if chain is not None:
            near = min((self._by_name.get(name, []) for name in chain[-1].names), key=len)
            if len(chain) == 1 or len(near) <= _MAX_CHECKED_CANDIDATES:
                return [node for node in near if _matches_chain(node, chain)]
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
        return self._by_name.keys() >= set(names)

    def has_name(self, name: str) -> bool:
        """Whether an element has the class or id, which is written with its sign."""
        return name in self._by_name

    def list_unknown_names(self, selector: str) -> list[str]:
        """The classes and ids in the selector that no element of the page has, as written."""
        return [
            name
            for name in _SIGNED_NAME.findall(_drop_brackets(selector))
            if unescape_css(name) not in self._by_name
        ]

    def query_elements(self, selector: str) -> Sequence[LexborNode]:
        """The elements that match a selector without states, found by the parser's engine."""
        from selectolax.lexbor import SelectolaxError

        self._spent += self._estimate_visits(selector)
        if self._spent > _MAX_SEARCHED_ELEMENTS or len(selector) > _MAX_SELECTOR_CHARS:
            self.is_exhausted = True
            return []
        try:
            return self._tree.css(selector)
        except SelectolaxError:
            return []

    def _estimate_visits(self, selector: str) -> int:
        """What the selector costs the engine, in visited elements."""
        if not _EXPENSIVE_SELECTOR.search(selector):
            return self._size
        walks = len(_SIBLING_COUNT.findall(selector))
        passed = walks * self._sibling_pairs // _SIBLINGS_PER_VISIT if walks else 0
        return max(self._size * _EXPENSIVE_SELECTOR_FACTOR, passed)

    @cached_property
    def _sibling_pairs(self) -> int:
        """How many siblings all elements of the page have together."""
        families = Counter(
            node.parent.mem_id for node in self._tree.css("*") if node.parent is not None
        )
        return sum(count * count for count in families.values())


class _CompoundSelector(NamedTuple):
    """A tag with classes and ids, and whether it must be the parent's child of the one before."""

    tag: str
    names: tuple[str, ...]  # with their signs
    is_child: bool


def _matches_chain(node: LexborNode, chain: Sequence[_CompoundSelector]) -> bool:
    """Whether the node and the elements around it match; all combinators of the chain are the same."""
    if not _matches_compound(node, chain[-1]):
        return False
    place = len(chain) - 1
    for above in iterate_upwards(node.parent):
        if not place or not above.is_element_node:
            break
        if _matches_compound(above, chain[place - 1]):
            place -= 1
        elif chain[place].is_child:
            return False
    return place == 0


def _matches_compound(node: LexborNode, wanted: _CompoundSelector) -> bool:
    if wanted.tag and wanted.tag != node.tag:
        return False
    if not wanted.names:
        return True
    classes = (node.attrs.get("class") or "").split()
    return all(
        (name[1:] in classes) if name[0] == "." else (name[1:] == node.id) for name in wanted.names
    )


@lru_cache(maxsize=4096)
def parse_selector_chain(selector: str) -> tuple[_CompoundSelector, ...] | None:
    """The compounds of a plain selector whose last one has a name; None if the engine is needed."""
    if len(selector) > _MAX_CHAIN_CHARS or not _PLAIN_SELECTOR.fullmatch(selector):
        return None
    found: list[_CompoundSelector] = []
    is_child = False
    for word in selector.replace(">", " > ").split():
        if word == ">":
            is_child = True
            continue
        names = tuple(_SIGNED_NAME.findall(word))
        tag = word[: word.index(names[0])] if names else word
        found.append(_CompoundSelector("" if tag == "*" else tag.lower(), names, is_child))
        is_child = False
    steps = {compound.is_child for compound in found[1:]}
    is_even = len(steps) < 2 or len(found) == 2
    return tuple(found) if found and found[-1].names and is_even else None


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


def may_match_names(selector: str, names: AbstractSet[str]) -> bool:
    """Whether the selector may match an element with these names: a fast check of its last part."""
    return _list_last_names(selector) <= names


@lru_cache(maxsize=4096)
def _list_last_names(selector: str) -> frozenset[str]:
    """The classes and ids in the last part of a selector, or its tag; none if that is hard to tell."""
    last = _LAST_PART.search(selector)
    if last is None or "(" in last[0] or "[" in last[0] or "\\" in last[0]:
        return frozenset()
    signed = _SIGNED_NAME.findall(last[0])
    tag = last[0].partition(":")[0].lower()
    return frozenset(signed or ([tag] if tag else []))


def is_valid_list(selectors: Iterable[str]) -> bool:
    """Whether a browser would accept the list: one unknown state or element invalidates all of it."""
    return all(":" not in part or rewrite_states(part).is_valid for part in selectors)


@lru_cache(maxsize=4096)
def measure_specificity(selector: str, *, depth: int = 0) -> Specificity:
    """The weight of a selector; `:is()`, `:not()` and `:has()` count as their heaviest argument."""
    ids = classes = types = 0
    match = _CHOICE_CALL.search(selector) if depth < _MAX_BRACKETS else None
    while match is not None:
        end = find_closing_bracket(selector, match.end())
        if match[1] != "where":
            inner = split_selector_list(selector[match.end() : end])
            heaviest = max(measure_specificity(part, depth=depth + 1) for part in inner)
            ids, classes, types = ids + heaviest[0], classes + heaviest[1], types + heaviest[2]
        selector = selector[: match.start()] + selector[end + 1 :]
        match = _CHOICE_CALL.search(selector, match.start())
    for by_id, by_class, by_type in _SPECIFICITY_PARTS.findall(selector):
        ids += bool(by_id)
        classes += bool(by_class)
        types += bool(by_type)
    return Specificity(ids, classes, types)


# Rewrites the states in a selector for a page at rest, so that the parser's engine can match it.


def has_script_state(selector: str) -> bool:
    """Whether the selector names a state that a script or a click brings about."""
    if ":" in selector and (":checked" in selector or ":target" in selector):
        return True
    return bool(STATE_CLASS.search(selector)) or (
        "[" in selector and bool(STATE_ATTRIBUTE.search(selector))
    )


@lru_cache(maxsize=4096)
def is_loading_state(selector: str) -> bool:
    """Whether the selector matches only while the page is loading, before its scripts have run."""
    return bool(_UNTIL_SCRIPTS.search(selector)) or (
        ":not(" in selector and bool(_BEFORE_SCRIPTS.search(selector))
    )


class SelectorStates(NamedTuple):
    """A selector with its states rewritten, and what its pseudo-classes and pseudo-elements say of it."""

    text: str
    pseudo_element: str = ""
    is_valid: bool = True


@lru_cache(maxsize=4096)
def rewrite_states(selector: str, *, opened: bool = False) -> SelectorStates:
    """The selector as it matches a page that nobody touches.

    With `opened`, boxes are ticked and targets chosen: what a reader can do with a click.
    """
    if ":" not in selector:
        return SelectorStates(selector)
    pieces: list[str] = []
    place, pseudo_element, is_valid = 0, "", True
    for match in _PSEUDO.finditer(selector):
        if match.start() < place or not match[1]:
            continue
        colons, name = match[1], match[2].lower()
        pieces.append(selector[place : match.start()])
        place = match.end() - bool(match[3])
        if colons == "::" or name in _OLD_PSEUDO_ELEMENTS:
            pseudo_element = name
            is_valid = is_valid and (
                name in load_css_words("pseudo_elements") or name.startswith("-webkit-")
            )
            continue
        written, place = _rewrite_state(selector, name, place, has_bracket=bool(match[3]))
        if opened and name in {"checked", "target"}:
            written = ALWAYS_MATCHES
        is_valid = is_valid and written is not None
        pieces.append(written or "")
    pieces.append(selector[place:])
    return SelectorStates("".join(pieces), pseudo_element, is_valid=is_valid)


def _rewrite_state(
    selector: str, name: str, place: int, *, has_bracket: bool
) -> tuple[str | None, int]:
    """What the engine is asked instead of a state, and where the rest of the selector begins."""
    if name in {"-webkit-any", "matches"}:
        return ":is", place
    if name in load_css_words("engine_states"):
        return f":{name}", place
    if has_bracket:
        match = _ARGUMENT.match(selector, place + 1)
        if match is None:
            return None, place
        return _rewrite_function(name, match[0][:-1].strip()), match.end()
    if name in _CERTAIN_STATES:
        return ALWAYS_MATCHES, place
    if name in load_css_words("resting_states") or name.startswith("-webkit-"):
        return NEVER_MATCHES, place
    return load_table(__package__, "css_words")["rewritten_states"].get(name), place


def _rewrite_function(name: str, argument: str) -> str | None:
    word = argument.strip("\"'").lower()
    if name == "lang" and re.fullmatch(r"[\w-]+", word):
        return f":is([lang|='{word}' i], [lang|='{word}' i] *)"
    if name == "dir":
        inside = ":is([dir=rtl i], [dir=rtl i] *)"
        return inside if word == "rtl" else f":not({inside})"
    if name in {"host", "host-context", "state", "active-view-transition-type", "current"}:
        return NEVER_MATCHES
    return None
