"""Wire models of Bluesky's public API: posts, profiles and embeds."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from citewell.dialects.json_responses import HttpLink, OptionalField, ResponsePart, TolerantItems
from citewell.text.safety.markup_cleaning import clean_markup

_MEMBERS_ONLY_LABEL = "!no-unauthenticated"


class BlueskyLabel(ResponsePart):
    val: OptionalField[str] = None


class BlueskyAuthor(ResponsePart):
    handle: str
    displayName: OptionalField[str] = None  # noqa: N815 - the upstream's word
    labels: OptionalField[TolerantItems[BlueskyLabel]] = None

    @property
    def name(self) -> str:
        return clean_markup(self.displayName) or clean_markup(self.handle)

    @property
    def members_only(self) -> bool:
        return any(one.val == _MEMBERS_ONLY_LABEL for one in self.labels or ())


class ByteSpan(ResponsePart):
    byteStart: int  # noqa: N815 - the upstream's word
    byteEnd: int  # noqa: N815 - the upstream's word


class FacetFeature(ResponsePart):
    uri: OptionalField[HttpLink] = None


class TextFacet(ResponsePart):
    index: ByteSpan
    features: TolerantItems[FacetFeature] = ()

    @property
    def link_address(self) -> str | None:
        return next((one.uri for one in self.features if one.uri), None)


class PostRecord(ResponsePart):
    text: OptionalField[str] = None
    createdAt: OptionalField[str] = None  # noqa: N815 - the upstream's word
    facets: OptionalField[TolerantItems[TextFacet]] = None
    langs: OptionalField[TolerantItems[str]] = None


class BlueskyPost(ResponsePart):
    uri: OptionalField[str] = None
    author: BlueskyAuthor
    record: PostRecord
    embed: OptionalField[dict[str, Any]] = None
    replyCount: OptionalField[int] = None  # noqa: N815 - the upstream's word
    repostCount: OptionalField[int] = None  # noqa: N815 - the upstream's word
    likeCount: OptionalField[int] = None  # noqa: N815 - the upstream's word
    quoteCount: OptionalField[int] = None  # noqa: N815 - the upstream's word


class ThreadReply(ResponsePart):
    post: BlueskyPost


class ThreadParent(ResponsePart):
    post: OptionalField[BlueskyPost] = None


class BlueskyThread(ResponsePart):
    kind: OptionalField[str] = Field(default=None, alias="$type")
    post: OptionalField[BlueskyPost] = None
    parent: OptionalField[ThreadParent] = None
    replies: list[Any] | None = None


class ThreadAnswer(ResponsePart):
    thread: BlueskyThread


class BlueskyProfile(BlueskyAuthor):
    description: OptionalField[str] = None
    followersCount: OptionalField[int] = None  # noqa: N815 - the upstream's word
    followsCount: OptionalField[int] = None  # noqa: N815 - the upstream's word
    postsCount: OptionalField[int] = None  # noqa: N815 - the upstream's word
    createdAt: OptionalField[str] = None  # noqa: N815 - the upstream's word


class ExternalCard(ResponsePart):
    uri: OptionalField[HttpLink] = None
    title: OptionalField[str] = None
    description: OptionalField[str] = None


class EmbeddedImage(ResponsePart):
    alt: OptionalField[str] = None
    fullsize: OptionalField[HttpLink] = None


class QuotedRecord(ResponsePart):
    author: OptionalField[BlueskyAuthor] = None
    value: OptionalField[PostRecord] = None


class PostEmbed(ResponsePart):
    external: OptionalField[ExternalCard] = None
    images: OptionalField[TolerantItems[EmbeddedImage]] = None
    media: OptionalField[dict[str, Any]] = None
    record: OptionalField[dict[str, Any]] = None
    alt: OptionalField[str] = None
    playlist: OptionalField[HttpLink] = None
