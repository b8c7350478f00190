"""Collects a page's structured data within size limits, and the votes of a Reddit post."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from citewell.fetch.metadata.json_ld import (
    JsonLd,
    JsonLdThing,
    list_thing_types,
    read_text_value,
    wrap_in_list,
)
from citewell.fetch.metadata.microdata import Microdata
from citewell.model.page_signals import ForumSignals
from citewell.model.scrape_results import StructuredData
from citewell.text.safety.invisible_characters import extract_visible_text
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.web import addresses

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

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
                found[name] = _trim_to_bytes("; ".join(dict.fromkeys(values)))
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


def _trim_to_bytes(value: str) -> str:
    return value.encode("utf-8", "ignore")[:MAX_META_VALUE_BYTES].decode("utf-8", "ignore")


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
