"""Bluesky posts with their first replies, and profiles, through the public AT Protocol view."""

from __future__ import annotations

import re
from typing import Any

from citewell.errors import AuthRequired, BadShape
from citewell.fetch import complaints
from citewell.fetch.sites import prose
from citewell.fetch.sites.atproto import (
    Author,
    Embed,
    External,
    Post,
    Profile,
    Quoted,
    Record,
    Reply,
    Thread,
    ThreadAnswer,
)
from citewell.fetch.sites.kit import Endpoint, Route, SiteKit, address, day, from_iso, or_ladder
from citewell.model.page import Page
from citewell.model.signals import ForumSignals
from citewell.net.message import Response
from citewell.net.upstream import parse
from citewell.text.markup import clean

API = Endpoint(name="site_bluesky", base_url="https://public.api.bsky.app/xrpc")
ENDPOINTS = (API,)

_SECOND = "https://api.bsky.app/xrpc"  # answers where the first turns us away
_REPLIES = 5
_ACTOR = re.compile(r"did:[a-z]{1,10}:[A-Za-z0-9._:%-]{1,200}|[A-Za-z0-9.-]{1,253}")
_KEY = re.compile(r"[A-Za-z0-9._~:-]{1,512}")
_GONE = frozenset({"NotFound", "AccountTakedown", "AccountDeactivated", "RecordNotFound"})
_UNKNOWN = re.compile(r"not found|could not find|unable to resolve", re.IGNORECASE)


def matches(url: str) -> Route | None:
    at = address(url)
    if at is None or at.host not in {"bsky.app", "www.bsky.app"} or at.part(0) != "profile":
        return None
    actor = at.part(1)
    if not _ACTOR.fullmatch(actor):
        return None
    if len(at.parts) == 2:
        return Route(url=url, kind="profile", owner=actor)
    if len(at.parts) == 4 and at.part(2) == "post" and _KEY.fullmatch(at.part(3)):
        return Route(url=url, kind="post", owner=actor, id=at.part(3))
    return None


@or_ladder
async def read(route: Route, kit: SiteKit) -> Page | None:
    if route.kind == "profile":
        found = parse(Profile, await _ask(route, kit, "getProfile", {"actor": route.owner}))
        return _profile(route, kit, found)
    uri = f"at://{route.owner}/app.bsky.feed.post/{route.id}"
    params = {"uri": uri, "depth": "1", "parentHeight": "1"}
    thread = parse(ThreadAnswer, await _ask(route, kit, "getPostThread", params)).thread
    if (thread.kind or "").endswith(("#notFoundPost", "#blockedPost")):
        raise complaints.gone(route.url, "deleted or blocked")
    if thread.post is None:
        return None
    return _post(route, kit, thread, thread.post)


async def _ask(route: Route, kit: SiteKit, method: str, params: dict[str, str]) -> Response:
    group = "actor" if method == "getProfile" else "feed"
    path = f"/app.bsky.{group}.{method}"
    upstream = kit.upstream(API)
    try:
        response = await upstream.get(path, params=params, accept=(400,))
    except AuthRequired:
        response = await upstream.get(
            path, params=params, accept=(400,), base_url=kit.base(API, _SECOND)
        )
    if response.status != 400:
        return response
    body = response.parsed()
    said = (
        (str(body.get("error")), str(body.get("message"))) if isinstance(body, dict) else ("", "")
    )
    if said[0] in _GONE or _UNKNOWN.search(said[1]):
        raise complaints.gone(route.url, prose.excerpt(said[1], 100) or "no such thing")
    raise BadShape("The upstream refused this request.", provider=API.name)


def _post(route: Route, kit: SiteKit, thread: Thread, post: Post) -> Page:
    _open_to_all(route, post.author)
    replies = _replies(thread.replies)
    shown = replies[:_REPLIES]
    stamp = from_iso(post.record.createdAt)
    total = max(post.replyCount or 0, len(replies))
    above = thread.parent.post if thread.parent else None
    content = prose.blocks(
        [
            prose.quoted(_said(above)) if above and not above.author.members_only else "",
            _said(post),
            _counts(post),
            f"## Replies ({len(shown)} of {total})" if shown else "",
            *(_said(one) for one in shown),
        ]
    )
    language = re.match(r"[a-z]{2,3}", next(iter(post.record.langs or ()), ""))
    return kit.page(
        route,
        content=content,
        content_type="bluesky",
        title=f"{post.author.name} on Bluesky: {prose.excerpt(post.record.text or '', 80)}",
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


def _open_to_all(route: Route, author: Author) -> None:
    """Some ask that their posts be shown to signed-in readers only; the site itself obeys."""
    if author.members_only:
        raise complaints.login(route.url, "the author shows posts to signed-in readers only")


def _replies(values: list[Any] | None) -> list[Post]:
    found: list[Post] = []
    for value in values or []:
        try:
            reply = Reply.model_validate(value).post
        except ValueError:
            continue
        if not reply.author.members_only:
            found.append(reply)
    return sorted(found, key=lambda one: -(one.likeCount or 0))


def _said(post: Post) -> str:
    author = post.author
    head = prose.facts(
        f"**{prose.inline(author.name)}**",
        prose.link(f"@{author.handle}", _home(author.handle)),
        day(from_iso(post.record.createdAt)),
    )
    return prose.blocks([head, _rich(post.record), *_embedded(post.embed)])


def _rich(record: Record) -> str:
    """The text with its links, which are given by byte and not by character."""
    data = (record.text or "").encode("utf-8", "replace")
    pieces: list[str] = []
    end = 0
    for facet in sorted(record.facets or (), key=lambda one: one.index.byteStart):
        start, stop = facet.index.byteStart, facet.index.byteEnd
        if facet.goal and end <= start < stop <= len(data):
            words = data[start:stop].decode("utf-8", "replace")
            pieces += [_escaped(data[end:start]), prose.link(words, facet.goal)]
            end = stop
    return prose.broken("".join([*pieces, _escaped(data[end:])]))


def _escaped(data: bytes) -> str:
    return prose.escaped(data.decode("utf-8", "replace"))


def _embedded(value: dict[str, Any] | None) -> list[str]:
    embed = Embed.model_validate(value or {})
    found = [_card(embed.external)] if embed.external else []
    found += [
        f"!{prose.link(one.alt or 'image', one.fullsize)}"
        for one in embed.images or ()
        if one.fullsize
    ]
    if embed.playlist:
        found.append(prose.link(embed.alt or "video", embed.playlist))
    if embed.media:
        found += _embedded({key: value for key, value in embed.media.items() if key != "media"})
    if embed.record:
        found.append(_quote(embed.record))
    return found


def _card(card: External) -> str:
    title = prose.link(card.title or card.uri, card.uri)
    return prose.blocks([title, prose.from_text(card.description)])


def _quote(value: dict[str, Any]) -> str:
    inner = value.get("record")
    quoted = Quoted.model_validate(inner if isinstance(inner, dict) else value)
    if quoted.author is None or quoted.value is None or quoted.author.members_only:
        return ""
    return prose.quoted(_said(Post(author=quoted.author, record=quoted.value)))


def _counts(post: Post) -> str:
    replies = post.replyCount
    return prose.facts(
        prose.count(post.likeCount, "like"),
        prose.count(post.repostCount, "repost"),
        "" if replies is None else f"{replies:,} replies",
        prose.count(post.quoteCount, "quote"),
    )


def _profile(route: Route, kit: SiteKit, found: Profile) -> Page:
    _open_to_all(route, found)
    joined = from_iso(found.createdAt)
    content = prose.blocks(
        [
            f"# {prose.inline(found.name)} (@{prose.inline(found.handle)})",
            prose.from_text(found.description),
            prose.facts(
                prose.count(found.followersCount, "follower"),
                "" if found.followsCount is None else f"{found.followsCount:,} following",
                prose.count(found.postsCount, "post"),
                f"joined {day(joined)}" if joined else "",
            ),
        ]
    )
    return kit.page(
        route,
        content=content,
        content_type="bluesky",
        title=f"{found.name} (@{clean(found.handle)})",
        kind="forum",
        author=found.name or None,
        site="Bluesky",
    )


def _home(handle: str) -> str | None:
    return f"https://bsky.app/profile/{handle}" if _ACTOR.fullmatch(handle) else None
