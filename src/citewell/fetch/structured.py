"""A page's machine-readable facts, bounded for handing on, and what Reddit says of a post's votes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from citewell.fetch.linked import Linked, Thing, kinds, listed, text
from citewell.model.scrape import StructuredData
from citewell.model.signals import ForumSignals
from citewell.text import urls
from citewell.text.invisible import visible
from citewell.text.markup import clean

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MAX_PROPERTIES = 64
MAX_VALUE = 2048  # bytes
_FEW_VOTES = 20
_NOTE = "Fewer than 20 votes: the score says little and is easily manipulated."
_POSTS = frozenset({"DiscussionForumPosting", "SocialMediaPosting", "QAPage", "Question"})


class Meta:
    """The meta elements of a page by name in lower case, each with all its values in order."""

    def __init__(self, values: Mapping[str, list[str]]) -> None:
        self._values = values

    def get(self, name: str) -> str | None:
        found = self._values.get(name)
        return found[0] if found else None

    def first(self, names: Iterable[str]) -> str:
        return next((found[0] for name in names if (found := self._values.get(name))), "")

    def all(self, names: Iterable[str]) -> list[str]:
        return [value for name in names for value in self._values.get(name, ())]

    def under(self, *prefixes: str) -> dict[str, str]:
        """Names with one of the prefixes; several values of one name are parted by semicolons."""
        found: dict[str, str] = {}
        for name, values in self._values.items():
            if name.startswith(prefixes) and len(found) < MAX_PROPERTIES:
                found[name] = _cut("; ".join(dict.fromkeys(values)))
        return found


def collect(tree: LexborHTMLParser) -> Meta:
    found: dict[str, list[str]] = {}
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        name = (
            attributes.get("property")
            or attributes.get("name")
            or attributes.get("itemprop")
            or attributes.get("http-equiv")
        )
        value = clean(attributes.get("content"))
        if name and value:
            found.setdefault(name.strip().lower(), []).append(value)
    return Meta(found)


def structured(meta: Meta, linked: Linked) -> StructuredData | None:
    """None when the page has none of the three."""
    blocks = tuple(_seen(block) for block in linked.blocks)
    graph, citation = meta.under("og:", "article:"), meta.under("citation_")
    if not (blocks or graph or citation):
        return None
    return StructuredData(
        json_ld=blocks or None, open_graph=graph or None, citation=citation or None
    )


def forum(linked: Linked, url: str) -> ForumSignals | None:
    """The votes of a Reddit post as its JSON-LD gives them; None elsewhere."""
    if not urls.within(urls.host(url), "reddit.com"):
        return None
    for post in linked.of(_POSTS):
        counts = _counts(post)
        if counts:
            votes = counts.get(
                "LikeAction", counts.get("UpvoteAction", counts.get("VoteAction", 0))
            )
            author = linked.resolve(post.get("author"))
            return ForumSignals(
                platform="reddit",
                upvotes=votes,
                comments=counts.get("CommentAction", _number(post.get("commentCount"))),
                date_published=text(post.get("datePublished")) or None,
                author_name=clean(text(author)) or None,
                credibility_note=_NOTE if votes < _FEW_VOTES else None,
            )
    return None


def _counts(post: Thing) -> dict[str, int]:
    found: dict[str, int] = {}
    for counter in listed(post.get("interactionStatistic")):
        if isinstance(counter, dict):
            kind = counter.get("interactionType")
            names = kinds(kind) if isinstance(kind, dict) else [str(kind).rpartition("/")[2]]
            found[names[0] if names else ""] = _number(counter.get("userInteractionCount"))
    for key, action in (("upvoteCount", "UpvoteAction"), ("commentCount", "CommentAction")):
        if key in post:
            found.setdefault(action, _number(post[key]))
    return found


def _number(value: object) -> int:
    if isinstance(value, bool):
        return 0
    if isinstance(value, int | float) and abs(value) < 1e12:
        return int(value)
    digits = value.replace(",", "").strip() if isinstance(value, str) else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 13 else 0


def _cut(value: str) -> str:
    return value.encode("utf-8", "ignore")[:MAX_VALUE].decode("utf-8", "ignore")


def _seen(value: Any) -> Any:
    """As written, but for characters that nobody can see."""
    if isinstance(value, str):
        return value if value.isascii() else visible(value)
    if isinstance(value, list):
        return [_seen(each) for each in value]
    if isinstance(value, dict):
        return {visible(name): _seen(each) for name, each in value.items()}
    return value
