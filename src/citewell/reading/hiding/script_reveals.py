"""Recognizes hidden content that the page's scripts show: on scrolling, on loading, or on a click."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from citewell.reading.css import selectors
from citewell.reading.css.style_cascade import ElementStyle, PageStyles
from citewell.reading.page_nodes import find_element_before, iterate_upwards, read_class_and_id

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from citewell.reading.css.declarations import Declarations
    from citewell.reading.css.style_sheets import StyleRule

# Names of animation libraries, and what authors call elements that appear while one scrolls.
_APPEARING_NAMES = re.compile(
    r"(?<![a-z])(?:wow|aos|sal|reveal\w*|fade(?:-?(?:in|up|down|left|right)\w*)?|appear\w*|animate\w*"
    r"|in-?view\w*|on-?scroll\w*|scroll-?(?:reveal|anim|fade|in|trigger|magic)\w*|gsap|stagger\w*"
    r"|slide-?(?:in|up|left|right)\w*|zoom-?in\w*|bounce-?in\w*|flip-?in\w*|waypoint\w*"
    r"|(?:elementor|vc|et)[-_]invisible|entrance\w*)(?![a-z])",
    re.IGNORECASE,
)
_APPEARING_ATTRIBUTES = (
    "data-aos", "data-w-id", "data-framer", "data-anim", "data-scroll", "data-sal", "data-reveal",
    "data-motion", "data-staggered-item", "data-wow", "data-sr", "data-gsap", "data-in-view",
    "data-inview", "data-appear", "data-fade", "data-waypoint", "data-observe", "data-settings",
    "data-uk-scrollspy", "uk-scrollspy", "data-vc-", "data-transition", "data-entrance", "data-lax",
)  # fmt: skip
_REVEALING_VERBS = re.compile(
    r"classList|className|\.style\b|toggle|\.show\(|fadeIn|slideDown|slideToggle|removeAttribute"
    r"|removeClass|addClass|\.hidden\s*=|\.css\(|autoAlpha|opacity|animate|gsap|anime\(|observe"
    r"|\.open\s*=|setAttribute|\.attr\(|\.prop\(|display"
)
_NEIGHBOUR_WORDS = re.compile(
    r"nextElementSibling|\.next\(|nextSibling|parentElement|parentNode|closest\(|\.find\("
    r"|\.children|\.siblings\(|querySelector"
)
_MAX_SCRIPT_CHARS = 300_000
_MAX_REVEAL_RULES = 200  # tried for one element
_MAX_DORMANT_RULES = 20_000
_ATTACHED_ALWAYS = re.compile(r"(?<=[\w\]\)*-]):is\(\*\)")
_NAME_IN_SELECTOR = re.compile(r"[.#\[]([\w-]+)")
_MAX_ANCESTORS = 3
_MAX_MENTIONS = 20
_VERB_REACH_CHARS = 200
_NAME_STARTS = frozenset(".#'\"`")
_NAME_ENDS = frozenset("'\"` .>:[,)")


class _FreedRule(NamedTuple):
    """A rule with the states in its selector taken for granted."""

    selector: str
    rule: StyleRule
    needs_script: bool


class _DormantRules:
    """Rules out of force, with their places by the names of classes, ids and attributes in them."""

    def __init__(self, rules: list[tuple[str, StyleRule]]) -> None:
        self.rules = rules
        self.freed: dict[int, _FreedRule | None] = {}
        self.places: dict[str, list[int]] = {}
        for place, (selector, _) in enumerate(rules):
            for name in _NAME_IN_SELECTOR.findall(selector):
                self.places.setdefault(name, []).append(place)


class ScriptReveals:
    """What the scripts and dormant rules of a page say about its hidden elements."""

    def __init__(self, tree: LexborHTMLParser, styles: PageStyles) -> None:
        self._tree = tree
        self._styles = styles
        self._dormant: dict[frozenset[str], _DormantRules] = {}
        self._matched: dict[str, frozenset[int]] = {}
        self.has_scripts = tree.css_matches("script")

    def is_appearing(self, node: LexborNode) -> bool:
        """Whether the element is named or marked like those that appear while one scrolls."""
        if not self.has_scripts:
            return False
        for at in islice(iterate_upwards(node), _MAX_ANCESTORS):
            if at.tag in {"body", "html"}:
                return False
            if _APPEARING_NAMES.search(read_class_and_id(at)):
                return True
            if any(name.startswith(_APPEARING_ATTRIBUTES) for name in at.attributes):
                return True
        return False

    def is_mentioned(self, node: LexborNode) -> bool:
        """Whether a script of the page handles the element, or the one beside or around it."""
        if not self._script_code:
            return False
        if any(self._mentions_name(name, _REVEALING_VERBS) for name in _list_own_names(node)):
            return True
        return any(
            self._mentions_name(name, _NEIGHBOUR_WORDS)
            for near in _list_near_elements(node)
            for name in _list_own_names(near)
        )

    def find_revealing_rules(
        self, style: ElementStyle, properties: frozenset[str]
    ) -> Iterator[Declarations]:
        """The declarations of rules for these properties that a click or a script brings into force."""
        for freed in self._list_near_rules(style.node, properties):
            if freed.needs_script and not self.has_scripts:
                continue
            if properties.isdisjoint(freed.rule.all_declarations):
                continue
            if freed.selector not in self._matched:
                nodes = self._styles.element_index.query_elements(freed.selector)
                self._matched[freed.selector] = frozenset(node.mem_id for node in nodes)
            if style.node.mem_id in self._matched[freed.selector]:
                yield freed.rule.all_declarations

    def _list_near_rules(
        self, node: LexborNode, properties: frozenset[str]
    ) -> Iterator[_FreedRule]:
        """The dormant rules that name the element or one around it, each with its selector freed of states."""
        if properties not in self._dormant:
            rules = islice(self._styles.list_dormant_rules(properties), _MAX_DORMANT_RULES)
            self._dormant[properties] = _DormantRules(list(rules))
        dormant = self._dormant[properties]
        places: set[int] = set()
        own = node.attributes
        names = {"*", node.tag or "", f"#{own.get('id') or ''}"}
        names.update(f".{name}" for name in (own.get("class") or "").split())
        for at in islice(iterate_upwards(node), _MAX_ANCESTORS):
            for name in (*_list_own_names(at), *at.attributes):
                places.update(dormant.places.get(name, ()))
        for place in sorted(places)[:_MAX_REVEAL_RULES]:
            if place not in dormant.freed:
                dormant.freed[place] = self._free_selector(*dormant.rules[place])
            freed = dormant.freed[place]
            if freed is not None and selectors.may_match_names(freed.selector, names):
                yield freed

    @cached_property
    def _script_code(self) -> str:
        """The text of the page's own scripts and event attributes."""
        pieces: list[str] = []
        for node in self._tree.css("script:not([src])"):
            kind = (node.attributes.get("type") or "").lower()
            if "json" not in kind and "template" not in kind:
                pieces.append(node.text(deep=True))
        for node in self._tree.css("[onclick], [onload], [onchange], [ontoggle], [onmouseover]"):
            pieces += [value or "" for name, value in node.attributes.items() if name[:2] == "on"]
        code = "\n".join(pieces)[:_MAX_SCRIPT_CHARS]
        return code if _REVEALING_VERBS.search(code) else ""

    def _mentions_name(self, name: str, verbs: re.Pattern[str]) -> bool:
        """Whether the code names a class or id as a selector, with one of the verbs close by."""
        code, place = self._script_code, 0
        for _ in range(_MAX_MENTIONS):
            place = code.find(name, place)
            if place < 0:
                return False
            end = place + len(name)
            is_whole = code[place - 1 : place] in _NAME_STARTS and code[end : end + 1] in _NAME_ENDS
            if is_whole and verbs.search(code, max(0, place - 80), end + _VERB_REACH_CHARS):
                return True
            place = end
        return False

    def _free_selector(self, selector: str, rule: StyleRule) -> _FreedRule | None:
        """The selector without the names and states that a script or a click brings; None if useless."""
        unknown = self._styles.element_index.list_unknown_names(selector)
        if any(name.startswith("#") for name in unknown) or len(unknown) > 2:
            return None
        rest = selector
        for name in unknown:
            rest = rest.replace(name, selectors.ALWAYS_MATCHES)
        rest, states = selectors.STATE_ATTRIBUTE.subn(selectors.ALWAYS_MATCHES, rest)
        rest, classes = selectors.STATE_CLASS.subn(selectors.ALWAYS_MATCHES, rest)
        # The engine is quick with plain selectors, and slow with `:is()`.
        rest = _ATTACHED_ALWAYS.sub("", rest).replace(selectors.ALWAYS_MATCHES, "*")
        rewritten = selectors.rewrite_states(rest, opened=True)
        if not rewritten.is_valid or rewritten.pseudo_element:
            return None
        if not _NAME_IN_SELECTOR.search(rewritten.text):
            return None
        text = _ATTACHED_ALWAYS.sub("", rewritten.text)
        while text.startswith("* ") and text[2:3] not in ">+~":
            text = text[2:].lstrip()
        if text.endswith("*"):  # nothing is left of the element itself
            return None
        return _FreedRule(text, rule, bool(unknown or states or classes))


def _list_own_names(node: LexborNode) -> list[str]:
    attributes = node.attributes
    names = [attributes.get("id") or "", *(attributes.get("class") or "").split()]
    return [name for name in names if name]


def _list_near_elements(node: LexborNode) -> Iterator[LexborNode]:
    """The element before it, and the elements around it."""
    before = find_element_before(node)
    if before is not None:
        yield before
    around = islice(iterate_upwards(node.parent), _MAX_ANCESTORS - 1)
    yield from takewhile(lambda above: above.tag not in {"body", "html"}, around)
