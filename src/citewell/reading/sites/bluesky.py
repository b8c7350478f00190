"""Reads Bluesky posts with their most liked replies, and profiles, through the public API."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from pydantic import AliasPath, Field

from citewell.core.errors import AuthRequired, MalformedResponse
from citewell.core.values.page import Page
from citewell.core.values.scrape_results import ForumSignals
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.json_responses import (
    CamelCasePart,
    HttpLink,
    OptionalField,
    ResponsePart,
    TolerantItems,
    nested_field,
)
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.reading import page_errors
from citewell.reading.sites import site_markdown
from citewell.reading.sites.site_kit import (
    SiteEndpoint,
    SiteKit,
    SiteRoute,
    build_profile_page,
    fall_back_to_ladder,
    format_reactions,
    normalize_iso_time,
    parse_site_address,
    trim_to_date,
)
from citewell.text.safety.text_cleaning import clean_markup

_MEMBERS_ONLY_LABEL = "!no-unauthenticated"

BLUESKY_API = SiteEndpoint(name="site_bluesky", base_url="https://public.api.bsky.app/xrpc")
ENDPOINTS = (BLUESKY_API,)

_FALLBACK_BASE_URL = "https://api.bsky.app/xrpc"  # used if the first host refuses access
_MAX_SHOWN_REPLIES = 5
_ACTOR_PATTERN = re.compile(r"did:[a-z]{1,10}:[A-Za-z0-9._:%-]{1,200}|[A-Za-z0-9.-]{1,253}")
_RECORD_KEY_PATTERN = re.compile(r"[A-Za-z0-9._~:-]{1,512}")
_GONE_ERROR_NAMES = frozenset(
    {"NotFound", "AccountTakedown", "AccountDeactivated", "RecordNotFound"}
)
_NOT_FOUND_PATTERN = re.compile(r"not found|could not find|unable to resolve", re.IGNORECASE)


def find_route(url: str) -> SiteRoute | None:
    at = parse_site_address(url)
    if at is None or at.host not in {"bsky.app", "www.bsky.app"} or at.find_part(0) != "profile":
        return None
    actor = at.find_part(1)
    if not _ACTOR_PATTERN.fullmatch(actor):
        return None
    if len(at.parts) == 2:
        return SiteRoute(url=url, kind="profile", owner=actor)
    if (
        len(at.parts) == 4
        and at.find_part(2) == "post"
        and _RECORD_KEY_PATTERN.fullmatch(at.find_part(3))
    ):
        return SiteRoute(url=url, kind="post", owner=actor, id=at.find_part(3))
    return None


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    if route.kind == "profile":
        response = await _fetch_bluesky_method(route, kit, "actor.getProfile", actor=route.owner)
        profile = parse_json_response(BlueskyProfile, response)
        _check_public_author(route, profile)
        return build_profile_page(
            route,
            kit,
            name=profile.name,
            handle=profile.handle,
            description=profile.description,
            followers=profile.followers_count,
            following=profile.follows_count,
            posts=profile.posts_count,
            joined=normalize_iso_time(profile.created_at),
            content_type="bluesky",
            site="Bluesky",
        )
    uri = f"at://{route.owner}/app.bsky.feed.post/{route.id}"
    response = await _fetch_bluesky_method(
        route, kit, "feed.getPostThread", uri=uri, depth="1", parentHeight="1"
    )
    thread = parse_json_response(ThreadAnswer, response).thread
    if (thread.kind or "").endswith(("#notFoundPost", "#blockedPost")):
        raise page_errors.build_soft_404_error(route.url, "deleted or blocked")
    if thread.post is None:
        return None
    return _build_bluesky_post_page(route, kit, thread, thread.post)


async def _fetch_bluesky_method(
    route: SiteRoute, kit: SiteKit, method: str, **params: str
) -> HttpResponse:
    fetch = partial(
        kit.open_upstream(BLUESKY_API).send_get,
        f"/app.bsky.{method}",
        params=params,
        accept=(400,),
    )
    try:
        response = await fetch()
    except AuthRequired:
        response = await fetch(base_url=kit.choose_base_url(BLUESKY_API, _FALLBACK_BASE_URL))
    if response.status != 400:
        return response
    body = response.parse_json()
    name, message = "", ""
    if isinstance(body, dict):
        name, message = str(body.get("error")), str(body.get("message"))
    if name in _GONE_ERROR_NAMES or _NOT_FOUND_PATTERN.search(message):
        detail = site_markdown.trim_excerpt(message, 100) or "not found"
        raise page_errors.build_soft_404_error(route.url, detail)
    raise MalformedResponse("The upstream refused this request.", provider=BLUESKY_API.name)


def _build_bluesky_post_page(
    route: SiteRoute, kit: SiteKit, thread: BlueskyThread, post: BlueskyPost
) -> Page:
    _check_public_author(route, post.author)
    replies = _rank_replies(thread.replies)
    shown = replies[:_MAX_SHOWN_REPLIES]
    stamp = normalize_iso_time(post.record.created_at)
    total = max(post.reply_count or 0, len(replies))
    above = thread.parent
    is_shown = above is not None and not above.author.members_only
    reactions = format_reactions(
        likes=post.like_count,
        reposts=post.repost_count,
        replies=post.reply_count,
        quotes=post.quote_count,
    )
    language = re.match(r"[a-z]{2,3}", next(iter(post.record.langs or ()), ""))
    return kit.build_page(
        route,
        content=(
            site_markdown.quote_markdown(_render_bluesky_post(above)) if above and is_shown else "",
            _render_bluesky_post(post),
            reactions,
            f"## Replies ({len(shown)} of {total})" if shown else "",
            *map(_render_bluesky_post, shown),
        ),
        content_type="bluesky",
        title=f"{post.author.name} on Bluesky: {site_markdown.trim_excerpt(post.record.text or '', 80)}",
        kind="forum",
        author=post.author.name or None,
        site="Bluesky",
        language=language[0] if language else None,
        published=stamp,
        truncated=total > len(shown),
        forum_signals=ForumSignals(
            platform="bluesky",
            upvotes=post.like_count or 0,
            comments=post.reply_count or 0,
            date_published=stamp,
            author_name=post.author.name or None,
        ),
    )


def _check_public_author(route: SiteRoute, author: BlueskyAuthor) -> None:
    """Raise if the author wants signed-in readers only, as bsky.app itself does."""
    if author.members_only:
        raise page_errors.build_login_error(
            route.url, "the author shows posts to signed-in readers only"
        )


def _rank_replies(values: list[Any] | None) -> list[BlueskyPost]:
    found: list[BlueskyPost] = []
    for value in values or []:
        try:
            reply = ThreadReply.model_validate(value).post
        except ValueError:
            continue
        if not reply.author.members_only:
            found.append(reply)
    return sorted(found, key=lambda post: -(post.like_count or 0))


def _render_bluesky_post(post: BlueskyPost) -> str:
    author = post.author
    is_known = _ACTOR_PATTERN.fullmatch(author.handle)
    address = f"https://bsky.app/profile/{author.handle}" if is_known else None
    head = site_markdown.join_facts(
        f"**{site_markdown.format_inline_text(author.name)}**",
        site_markdown.format_markdown_link(f"@{author.handle}", address),
        trim_to_date(normalize_iso_time(post.record.created_at)),
    )
    return site_markdown.join_blocks(
        [head, _render_facets(post.record), *_render_embeds(post.embed)]
    )


def _render_facets(record: PostRecord) -> str:
    """The text with its links, whose positions are byte offsets, not character offsets."""
    data = (record.text or "").encode("utf-8", "replace")
    pieces: list[str] = []
    end = 0
    for facet in sorted(record.facets or (), key=lambda facet: facet.start):
        start, stop = facet.start, facet.end
        if facet.link_address and end <= start < stop <= len(data):
            words = data[start:stop].decode("utf-8", "replace")
            pieces += [
                _escape_utf8(data[end:start]),
                site_markdown.format_markdown_link(words, facet.link_address),
            ]
            end = stop
    return site_markdown.keep_line_breaks("".join([*pieces, _escape_utf8(data[end:])]))


def _escape_utf8(data: bytes) -> str:
    return site_markdown.escape_around_addresses(data.decode("utf-8", "replace"))


def _render_embeds(value: dict[str, Any] | None) -> list[str]:
    embed = PostEmbed.model_validate(value or {})
    blocks = []
    if card := embed.external:
        title = site_markdown.format_markdown_link(card.title or card.uri, card.uri)
        about = site_markdown.convert_plain_text(card.description)
        blocks.append(site_markdown.join_blocks([title, about]))
    blocks += [
        f"!{site_markdown.format_markdown_link(image.alt or 'image', image.fullsize)}"
        for image in embed.images or ()
        if image.fullsize
    ]
    if embed.playlist:
        blocks.append(site_markdown.format_markdown_link(embed.alt or "video", embed.playlist))
    if embed.media:
        inner = {key: value for key, value in embed.media.items() if key != "media"}
        blocks += _render_embeds(inner)
    if embed.record:
        blocks.append(_render_quoted_record(embed.record))
    return blocks


def _render_quoted_record(value: dict[str, Any]) -> str:
    inner = value.get("record")
    quoted = QuotedRecord.model_validate(inner if isinstance(inner, dict) else value)
    if quoted.author is None or quoted.value is None or quoted.author.members_only:
        return ""
    return site_markdown.quote_markdown(
        _render_bluesky_post(BlueskyPost(author=quoted.author, record=quoted.value))
    )


# Wire models of Bluesky's public API: posts, profiles and embeds.


class BlueskyLabel(ResponsePart):
    val: OptionalField[str] = None


class BlueskyAuthor(CamelCasePart):
    handle: str
    display_name: OptionalField[str] = None
    labels: OptionalField[TolerantItems[BlueskyLabel]] = None

    @property
    def name(self) -> str:
        return clean_markup(self.display_name) or clean_markup(self.handle)

    @property
    def members_only(self) -> bool:
        return any(label.val == _MEMBERS_ONLY_LABEL for label in self.labels or ())


class FacetFeature(ResponsePart):
    uri: OptionalField[HttpLink] = None


class TextFacet(ResponsePart):
    start: int = Field(validation_alias=AliasPath("index", "byteStart"))
    end: int = Field(validation_alias=AliasPath("index", "byteEnd"))
    features: TolerantItems[FacetFeature] = ()

    @property
    def link_address(self) -> str | None:
        return next((feature.uri for feature in self.features if feature.uri), None)


class PostRecord(CamelCasePart):
    text: OptionalField[str] = None
    created_at: OptionalField[str] = None
    facets: OptionalField[TolerantItems[TextFacet]] = None
    langs: OptionalField[TolerantItems[str]] = None


class BlueskyPost(CamelCasePart):
    author: BlueskyAuthor
    record: PostRecord
    embed: OptionalField[dict[str, Any]] = None
    reply_count: OptionalField[int] = None
    repost_count: OptionalField[int] = None
    like_count: OptionalField[int] = None
    quote_count: OptionalField[int] = None


class ThreadReply(ResponsePart):
    post: BlueskyPost


class BlueskyThread(ResponsePart):
    kind: OptionalField[str] = Field(default=None, alias="$type")
    post: OptionalField[BlueskyPost] = None
    parent: OptionalField[BlueskyPost] = nested_field("parent.post")
    replies: list[Any] | None = None


class ThreadAnswer(ResponsePart):
    thread: BlueskyThread


class BlueskyProfile(BlueskyAuthor):
    description: OptionalField[str] = None
    followers_count: OptionalField[int] = None
    follows_count: OptionalField[int] = None
    posts_count: OptionalField[int] = None
    created_at: OptionalField[str] = None


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
