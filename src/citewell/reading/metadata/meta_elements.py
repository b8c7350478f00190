"""Collects a page's meta elements, JSON-LD and microdata within size limits, and a Reddit post's votes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from citewell.core.values.scrape_results import ForumSignals, StructuredData
from citewell.reading.page_nodes import iterate_upwards
from citewell.text import addresses
from citewell.text.safety.text_cleaning import clean_markup, extract_visible_text

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_JSON_LD_BLOCKS = 16
MAX_JSON_LD_BLOCK_BYTES = 32 * 1024  # bytes, as is the next
MAX_JSON_LD_TOTAL_BYTES = 64 * 1024
_MAX_PARSED_CHARS = (
    512 * 1024
)  # characters; longer blocks than are returned, to find title and date
_MAX_THING_DEPTH = 6
_MAX_THINGS = 400
_SCRIPT_WRAPPING = re.compile(
    r"^\s*(?:<!--|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[|//\s*<!\[CDATA\[)|(?:-->|/\*\s*\]\]>\s*\*/|\]\]>|//\s*\]\]>|;)\s*$"
)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_NESTING_KEYS = ("@graph", "mainEntity", "mainEntityOfPage", "itemReviewed")

JsonLdThing = dict[str, Any]

MAX_MICRODATA_PROPERTIES = 100
_MAX_TOTAL_CHARS = 8000  # of all values together
_MAX_ITEMS = 24
_MAX_VALUE_CHARS = 300
_MAX_ANCESTORS = 40
_VALUE_ATTRIBUTES = ("content", "datetime", "href", "src", "data", "value")

Microdata = dict[str, Any]

MAX_META_PROPERTIES = 64
MAX_META_VALUE_BYTES = 2048  # bytes
_MIN_TELLING_VOTES = 20
_FEW_VOTES_NOTE = "Fewer than 20 votes: the score says little and is easily manipulated."
_POST_TYPES = frozenset({"DiscussionForumPosting", "SocialMediaPosting", "QAPage", "Question"})


class MetaElements:
    """The meta elements of a page by lower-case name, each with all its values in order."""

    def __init__(self, values: Mapping[str, list[str]]) -> None:
        self._values = values

    def find_meta_value(self, name: str) -> str | None:
        found = self._values.get(name)
        return found[0] if found else None

    def find_first_value(self, names: Iterable[str]) -> str:
        return next((found[0] for name in names if (found := self._values.get(name))), "")

    def collect_values(self, names: Iterable[str]) -> list[str]:
        return [value for name in names for value in self._values.get(name, ())]

    def collect_prefixed(self, *prefixes: str) -> dict[str, str]:
        """Elements whose name has one of the prefixes; several values are joined by semicolons."""
        found: dict[str, str] = {}
        for name, values in self._values.items():
            if name.startswith(prefixes) and len(found) < MAX_META_PROPERTIES:
                found[name] = (
                    "; ".join(dict.fromkeys(values))
                    .encode("utf-8", "ignore")[:MAX_META_VALUE_BYTES]
                    .decode("utf-8", "ignore")
                )
        return found


def collect_meta_elements(tree: LexborHTMLParser) -> MetaElements:
    found: dict[str, list[str]] = {}
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        name = (
            attributes.get("property")
            or attributes.get("name")
            or attributes.get("itemprop")
            or attributes.get("http-equiv")
        )
        value = clean_markup(attributes.get("content"))
        if name and value:
            found.setdefault(name.strip().lower(), []).append(value)
    return MetaElements(found)


def build_structured_data(
    meta: MetaElements, linked: JsonLd, items: tuple[Microdata, ...] = ()
) -> StructuredData | None:
    """JSON-LD, Open Graph, citation elements and microdata; None if the page has none of them."""
    blocks = tuple(_clean_json_strings(block) for block in linked.blocks)
    graph, citation = meta.collect_prefixed("og:", "article:"), meta.collect_prefixed("citation_")
    if not (blocks or graph or citation or items):
        return None
    return StructuredData(
        json_ld=blocks or None,
        open_graph=graph or None,
        citation=citation or None,
        microdata=items or None,
    )


def read_forum_signals(linked: JsonLd, url: str) -> ForumSignals | None:
    """The votes and comments of a Reddit post, from its JSON-LD; None for other pages."""
    if not addresses.is_within_domain(addresses.extract_host(url), "reddit.com"):
        return None
    for post in linked.find_things(_POST_TYPES):
        counts = _count_interactions(post)
        if counts:
            votes = counts.get(
                "LikeAction", counts.get("UpvoteAction", counts.get("VoteAction", 0))
            )
            author = linked.resolve_reference(post.get("author"))
            return ForumSignals(
                platform="reddit",
                upvotes=votes,
                comments=counts.get("CommentAction", _parse_count(post.get("commentCount"))),
                date_published=read_text_value(post.get("datePublished")) or None,
                author_name=clean_markup(read_text_value(author)) or None,
                credibility_note=_FEW_VOTES_NOTE if votes < _MIN_TELLING_VOTES else None,
            )
    return None


def _count_interactions(post: JsonLdThing) -> dict[str, int]:
    found: dict[str, int] = {}
    for counter in wrap_in_list(post.get("interactionStatistic")):
        if isinstance(counter, dict):
            kind = counter.get("interactionType")
            names = (
                list_thing_types(kind) if isinstance(kind, dict) else [str(kind).rpartition("/")[2]]
            )
            found[names[0] if names else ""] = _parse_count(counter.get("userInteractionCount"))
    for key, action in (("upvoteCount", "UpvoteAction"), ("commentCount", "CommentAction")):
        if key in post:
            found.setdefault(action, _parse_count(post[key]))
    return found


def _parse_count(value: object) -> int:
    if isinstance(value, bool):
        return 0
    if isinstance(value, int | float) and abs(value) < 1e12:
        return int(value)
    digits = value.replace(",", "").strip() if isinstance(value, str) else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 13 else 0


def _clean_json_strings(value: Any) -> Any:
    """The value with invisible characters removed from all its strings."""
    if isinstance(value, str):
        return value if value.isascii() else extract_visible_text(value)
    if isinstance(value, list):
        return [_clean_json_strings(each) for each in value]
    if isinstance(value, dict):
        return {
            extract_visible_text(name): _clean_json_strings(each) for name, each in value.items()
        }
    return value


# Reads a page's microdata: the items that its elements describe, as objects like those of JSON-LD.


def collect_microdata(tree: LexborHTMLParser) -> tuple[Microdata, ...]:
    """The items that are no property of another item, each with its properties and inner items."""
    items: dict[int, Microdata] = {}
    roots: list[Microdata] = []
    for node in tree.css("[itemscope]")[:_MAX_ITEMS]:
        kind = (node.attributes.get("itemtype") or "").split()
        item: Microdata = {"@type": kind[0].rpartition("/")[2]} if kind else {}
        items[node.mem_id] = item
        if "itemprop" not in node.attributes:
            roots.append(item)
    if not items:
        return ()
    room = _MAX_TOTAL_CHARS
    for node in tree.css("[itemprop]")[:MAX_MICRODATA_PROPERTIES]:
        holder = _find_item_around(node, items)
        attributes = node.attributes
        value: Any = items.get(node.mem_id)
        if not value:
            stated = (attributes[name] for name in _VALUE_ATTRIBUTES if attributes.get(name))
            text = next(stated, None) or node.text(deep=True, separator=" ")
            value = clean_markup(text)[:_MAX_VALUE_CHARS]
        room -= len(value) if isinstance(value, str) else 0
        if holder is None or not value or room < 0:
            continue
        for name in (attributes.get("itemprop") or "").split():
            _add_property(holder, name, value)
    return tuple(item for item in roots if set(item) - {"@type"})


def _find_item_around(node: LexborNode, items: dict[int, Microdata]) -> Microdata | None:
    """The item around an element; None if there is none, or if the element is not shown."""
    if _is_hidden_element(node):
        return None
    for above in islice(iterate_upwards(node.parent), _MAX_ANCESTORS):
        if _is_hidden_element(above):
            return None
        if (item := items.get(above.mem_id)) is not None:
            return item
    return None


def _is_hidden_element(node: LexborNode) -> bool:
    attributes = node.attributes
    style = (attributes.get("style") or "").replace(" ", "").lower()
    return "hidden" in attributes or "display:none" in style or "visibility:hidden" in style


def _add_property(holder: Microdata, name: str, value: Any) -> None:
    known = holder.get(name)
    if known is None:
        holder[name] = value
    elif isinstance(known, list):
        known.append(value)
    else:
        holder[name] = [known, value]


# Reads a page's JSON-LD: the blocks as written, and the things they describe, by type and id.


class JsonLd:
    """All JSON-LD blocks of one page."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self.blocks: list[Any] = []
        self.things: list[JsonLdThing] = []
        room = MAX_JSON_LD_TOTAL_BYTES
        for node in tree.css('script[type*="ld+json" i]')[:MAX_JSON_LD_BLOCKS]:
            text = node.text(deep=True)
            if len(text) > _MAX_PARSED_CHARS:
                continue
            value, sound = _parse_json_ld(text)
            size = len(text.encode("utf-8", "replace"))
            if sound and size <= min(MAX_JSON_LD_BLOCK_BYTES, room) and _is_shallow(value):
                self.blocks.append(value)
                room -= size
            self.things.extend(_walk_things(value, depth=0))
        del self.things[_MAX_THINGS:]
        self._types = [frozenset(list_thing_types(thing)) for thing in self.things]
        self._by_id = {
            thing["@id"]: thing for thing in self.things if isinstance(thing.get("@id"), str)
        }

    def resolve_reference(self, value: object) -> object:
        """The thing that an object with only an `@id` refers to; any other value as it is."""
        if (
            isinstance(value, dict)
            and set(value) <= {"@id", "@type"}
            and isinstance(value.get("@id"), str)
        ):
            return self._by_id.get(value["@id"], value)
        return value

    def find_things(self, types: frozenset[str]) -> Iterator[JsonLdThing]:
        found = zip(self.things, self._types, strict=True)
        return (thing for thing, own in found if not types.isdisjoint(own))


def list_thing_types(thing: JsonLdThing) -> list[str]:
    """The names of the thing's types, without the address of the vocabulary."""
    return [
        each.rpartition("/")[2].rpartition(":")[2]
        for each in wrap_in_list(thing.get("@type"))
        if isinstance(each, str)
    ]


def wrap_in_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def read_text_value(value: object) -> str:
    """The text of a value that may be wrapped in an object or a list; empty if there is none."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = value.get("@value") or value.get("name")
    return value if isinstance(value, str) else ""


def _parse_json_ld(raw: str) -> tuple[Any, bool]:
    """The value, or None if it is beyond repair, and whether it was valid JSON without repair."""
    bare = raw.strip()
    if bare.startswith(("<", "/")) or bare.endswith((">", "/", ";")):
        bare = _SCRIPT_WRAPPING.sub("", _SCRIPT_WRAPPING.sub("", raw)).strip()
    try:
        return json.loads(bare, strict=False), True
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(_TRAILING_COMMA.sub(r"\1", bare), strict=False), False
    except (ValueError, RecursionError):
        return None, False


def _is_shallow(value: object, left: int = 48) -> bool:
    """Whether the value is nested at most `left` deep: deeper ones break other JSON readers."""
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return True
    return left > 0 and all(_is_shallow(each, left - 1) for each in value)


def _walk_things(value: object, *, depth: int) -> Iterator[JsonLdThing]:
    if depth > _MAX_THING_DEPTH:
        return
    if isinstance(value, list):
        for item in value[:_MAX_THINGS]:
            yield from _walk_things(item, depth=depth + 1)
    elif isinstance(value, dict):
        yield value
        for name in _NESTING_KEYS:
            yield from _walk_things(value.get(name), depth=depth + 1)
