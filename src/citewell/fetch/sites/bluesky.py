"""Reads Bluesky posts with their most liked replies, and profiles, through the public API."""

from __future__ import annotations

import re
from typing import Any

from citewell.errors import AuthRequired, MalformedResponse
from citewell.fetch import page_errors
from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.bluesky_records import (
    BlueskyAuthor,
    BlueskyPost,
    BlueskyProfile,
    BlueskyThread,
    ExternalCard,
    PostEmbed,
    PostRecord,
    QuotedRecord,
    ThreadAnswer,
    ThreadReply,
)
from citewell.fetch.sites.site_kit import (
    SiteEndpoint,
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    normalize_iso_time,
    parse_site_address,
    trim_to_date,
)
from citewell.model.counted_words import pluralize
from citewell.model.page import Page
from citewell.model.page_signals import ForumSignals
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.text.safety.markup_cleaning import clean_markup

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
        found = parse_json_response(
            BlueskyProfile,
            await _fetch_bluesky_method(route, kit, "getProfile", {"actor": route.owner}),
        )
        return _build_bluesky_profile_page(route, kit, found)
    uri = f"at://{route.owner}/app.bsky.feed.post/{route.id}"
    params = {"uri": uri, "depth": "1", "parentHeight": "1"}
    thread = parse_json_response(
        ThreadAnswer, await _fetch_bluesky_method(route, kit, "getPostThread", params)
    ).thread
    if (thread.kind or "").endswith(("#notFoundPost", "#blockedPost")):
        raise page_errors.build_soft_404_error(route.url, "deleted or blocked")
    if thread.post is None:
        return None
    return _build_bluesky_post_page(route, kit, thread, thread.post)


async def _fetch_bluesky_method(
    route: SiteRoute, kit: SiteKit, method: str, params: dict[str, str]
) -> HttpResponse:
    group = "actor" if method == "getProfile" else "feed"
    path = f"/app.bsky.{group}.{method}"
    upstream = kit.open_upstream(BLUESKY_API)
    try:
        response = await upstream.send_get(path, params=params, accept=(400,))
    except AuthRequired:
        response = await upstream.send_get(
            path,
            params=params,
            accept=(400,),
            base_url=kit.choose_base_url(BLUESKY_API, _FALLBACK_BASE_URL),
        )
    if response.status != 400:
        return response
    body = response.parse_json()
    said = (
        (str(body.get("error")), str(body.get("message"))) if isinstance(body, dict) else ("", "")
    )
    if said[0] in _GONE_ERROR_NAMES or _NOT_FOUND_PATTERN.search(said[1]):
        raise page_errors.build_soft_404_error(
            route.url, markdown_parts.trim_excerpt(said[1], 100) or "not found"
        )
    raise MalformedResponse("The upstream refused this request.", provider=BLUESKY_API.name)


def _build_bluesky_post_page(
    route: SiteRoute, kit: SiteKit, thread: BlueskyThread, post: BlueskyPost
) -> Page:
    _check_public_author(route, post.author)
    replies = _rank_replies(thread.replies)
    shown = replies[:_MAX_SHOWN_REPLIES]
    stamp = normalize_iso_time(post.record.createdAt)
    total = max(post.replyCount or 0, len(replies))
    above = thread.parent.post if thread.parent else None
    content = markdown_parts.join_blocks(
        [
            markdown_parts.quote_markdown(_render_bluesky_post(above))
            if above and not above.author.members_only
            else "",
            _render_bluesky_post(post),
            _format_bluesky_counts(post),
            f"## Replies ({len(shown)} of {total})" if shown else "",
            *(_render_bluesky_post(one) for one in shown),
        ]
    )
    language = re.match(r"[a-z]{2,3}", next(iter(post.record.langs or ()), ""))
    return kit.build_page(
        route,
        content=content,
        content_type="bluesky",
        title=f"{post.author.name} on Bluesky: {markdown_parts.trim_excerpt(post.record.text or '', 80)}",
        kind="forum",
        author=post.author.name or None,
        site="Bluesky",
        language=language[0] if language else None,
        published=stamp,
        truncated=total > len(shown),
        forum_signals=ForumSignals(
            platform="bluesky",
            upvotes=post.likeCount or 0,
            comments=post.replyCount or 0,
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
    return sorted(found, key=lambda one: -(one.likeCount or 0))


def _render_bluesky_post(post: BlueskyPost) -> str:
    author = post.author
    head = markdown_parts.join_facts(
        f"**{markdown_parts.format_inline_text(author.name)}**",
        markdown_parts.format_markdown_link(
            f"@{author.handle}", _build_profile_address(author.handle)
        ),
        trim_to_date(normalize_iso_time(post.record.createdAt)),
    )
    return markdown_parts.join_blocks(
        [head, _render_facets(post.record), *_render_embeds(post.embed)]
    )


def _render_facets(record: PostRecord) -> str:
    """The text with its links, whose positions are byte offsets, not character offsets."""
    data = (record.text or "").encode("utf-8", "replace")
    pieces: list[str] = []
    end = 0
    for facet in sorted(record.facets or (), key=lambda one: one.index.byteStart):
        start, stop = facet.index.byteStart, facet.index.byteEnd
        if facet.link_address and end <= start < stop <= len(data):
            words = data[start:stop].decode("utf-8", "replace")
            pieces += [
                _escape_utf8(data[end:start]),
                markdown_parts.format_markdown_link(words, facet.link_address),
            ]
            end = stop
    return markdown_parts.keep_line_breaks("".join([*pieces, _escape_utf8(data[end:])]))


def _escape_utf8(data: bytes) -> str:
    return markdown_parts.escape_around_addresses(data.decode("utf-8", "replace"))


def _render_embeds(value: dict[str, Any] | None) -> list[str]:
    embed = PostEmbed.model_validate(value or {})
    found = [_render_link_card(embed.external)] if embed.external else []
    found += [
        f"!{markdown_parts.format_markdown_link(one.alt or 'image', one.fullsize)}"
        for one in embed.images or ()
        if one.fullsize
    ]
    if embed.playlist:
        found.append(markdown_parts.format_markdown_link(embed.alt or "video", embed.playlist))
    if embed.media:
        found += _render_embeds(
            {key: value for key, value in embed.media.items() if key != "media"}
        )
    if embed.record:
        found.append(_render_quoted_record(embed.record))
    return found


def _render_link_card(card: ExternalCard) -> str:
    title = markdown_parts.format_markdown_link(card.title or card.uri, card.uri)
    return markdown_parts.join_blocks([title, markdown_parts.convert_plain_text(card.description)])


def _render_quoted_record(value: dict[str, Any]) -> str:
    inner = value.get("record")
    quoted = QuotedRecord.model_validate(inner if isinstance(inner, dict) else value)
    if quoted.author is None or quoted.value is None or quoted.author.members_only:
        return ""
    return markdown_parts.quote_markdown(
        _render_bluesky_post(BlueskyPost(author=quoted.author, record=quoted.value))
    )


def _format_bluesky_counts(post: BlueskyPost) -> str:
    replies = post.replyCount
    return markdown_parts.join_facts(
        markdown_parts.format_count(post.likeCount, "like"),
        markdown_parts.format_count(post.repostCount, "repost"),
        "" if replies is None else f"{replies:,} {pluralize(replies, 'reply', 'replies')}",
        markdown_parts.format_count(post.quoteCount, "quote"),
    )


def _build_bluesky_profile_page(route: SiteRoute, kit: SiteKit, found: BlueskyProfile) -> Page:
    _check_public_author(route, found)
    joined = normalize_iso_time(found.createdAt)
    content = markdown_parts.join_blocks(
        [
            f"# {markdown_parts.format_inline_text(found.name)} (@{markdown_parts.format_inline_text(found.handle)})",
            markdown_parts.convert_plain_text(found.description),
            markdown_parts.join_facts(
                markdown_parts.format_count(found.followersCount, "follower"),
                "" if found.followsCount is None else f"{found.followsCount:,} following",
                markdown_parts.format_count(found.postsCount, "post"),
                f"joined {trim_to_date(joined)}" if joined else "",
            ),
        ]
    )
    return kit.build_page(
        route,
        content=content,
        content_type="bluesky",
        title=f"{found.name} (@{clean_markup(found.handle)})",
        kind="forum",
        author=found.name or None,
        site="Bluesky",
    )


def _build_profile_address(handle: str) -> str | None:
    return f"https://bsky.app/profile/{handle}" if _ACTOR_PATTERN.fullmatch(handle) else None
