"""Posts, people and embeds as Bluesky's public view sends them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from citewell.net.answer import Items, Link, Maybe, Part
from citewell.text.markup import clean

_MEMBERS_ONLY = "!no-unauthenticated"


class Label(Part):
    val: Maybe[str] = None


class Author(Part):
    handle: str
    displayName: Maybe[str] = None  # noqa: N815 - the upstream's word
    labels: Maybe[Items[Label]] = None

    @property
    def name(self) -> str:
        return clean(self.displayName) or clean(self.handle)

    @property
    def members_only(self) -> bool:
        return any(one.val == _MEMBERS_ONLY for one in self.labels or ())


class Span(Part):
    byteStart: int  # noqa: N815 - the upstream's word
    byteEnd: int  # noqa: N815 - the upstream's word


class Feature(Part):
    uri: Maybe[Link] = None


class Facet(Part):
    index: Span
    features: Items[Feature] = ()

    @property
    def goal(self) -> str | None:
        return next((one.uri for one in self.features if one.uri), None)


class Record(Part):
    text: Maybe[str] = None
    createdAt: Maybe[str] = None  # noqa: N815 - the upstream's word
    facets: Maybe[Items[Facet]] = None
    langs: Maybe[Items[str]] = None


class Post(Part):
    uri: Maybe[str] = None
    author: Author
    record: Record
    embed: Maybe[dict[str, Any]] = None
    replyCount: Maybe[int] = None  # noqa: N815 - the upstream's word
    repostCount: Maybe[int] = None  # noqa: N815 - the upstream's word
    likeCount: Maybe[int] = None  # noqa: N815 - the upstream's word
    quoteCount: Maybe[int] = None  # noqa: N815 - the upstream's word


class Reply(Part):
    post: Post


class Parent(Part):
    post: Maybe[Post] = None


class Thread(Part):
    kind: Maybe[str] = Field(default=None, alias="$type")
    post: Maybe[Post] = None
    parent: Maybe[Parent] = None
    replies: list[Any] | None = None


class ThreadAnswer(Part):
    thread: Thread


class Profile(Author):
    description: Maybe[str] = None
    followersCount: Maybe[int] = None  # noqa: N815 - the upstream's word
    followsCount: Maybe[int] = None  # noqa: N815 - the upstream's word
    postsCount: Maybe[int] = None  # noqa: N815 - the upstream's word
    createdAt: Maybe[str] = None  # noqa: N815 - the upstream's word


class External(Part):
    uri: Maybe[Link] = None
    title: Maybe[str] = None
    description: Maybe[str] = None


class Image(Part):
    alt: Maybe[str] = None
    fullsize: Maybe[Link] = None


class Quoted(Part):
    author: Maybe[Author] = None
    value: Maybe[Record] = None


class Embed(Part):
    external: Maybe[External] = None
    images: Maybe[Items[Image]] = None
    media: Maybe[dict[str, Any]] = None
    record: Maybe[dict[str, Any]] = None
    alt: Maybe[str] = None
    playlist: Maybe[Link] = None
