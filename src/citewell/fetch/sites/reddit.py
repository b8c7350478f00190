"""Reads Reddit threads: the post and its top comments, from JSON or else from the HTML page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from citewell.dialects.json_responses import HttpLink, OptionalField, ResponsePart
from citewell.errors import MalformedResponse, NotFound, UpstreamError
from citewell.fetch import page_errors
from citewell.fetch.sites import markdown_parts, reddit_page
from citewell.fetch.sites.reddit_page import RedditComment, RedditPost
from citewell.fetch.sites.site_kit import (
    SiteEndpoint,
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    format_epoch_time,
    parse_site_address,
    trim_to_date,
)
from citewell.model.page import Page
from citewell.model.page_signals import ForumComment, ForumSignals
from citewell.text.safety.markup_cleaning import clean_markup

REDDIT_API = SiteEndpoint(
    name="site_reddit", base_url="https://www.reddit.com", per_second=1.0, burst=5
)
REDDIT_PAGES = SiteEndpoint(
    name="site_reddit_page", base_url="https://www.reddit.com", page=True, timeout=15
)
ENDPOINTS = (REDDIT_API, REDDIT_PAGES)

_REDDIT_HOSTS = {"reddit.com", "www.reddit.com", "old.reddit.com", "new.reddit.com", "np.reddit.com", "m.reddit.com", "i.reddit.com", "sh.reddit.com"}  # fmt: skip
_THREAD_ID_PATTERN = re.compile(r"[a-z0-9]{4,10}", re.IGNORECASE)
_COMMUNITY_NAME_PATTERN = re.compile(r"[A-Za-z0-9_-]{2,32}")
_REMOVED_BODIES = frozenset({"", "[deleted]", "[removed]", "[ Removed by Reddit ]"})
_MAX_SHOWN_COMMENTS = 40
_MAX_REPLY_DEPTH = 2
_MAX_TOP_COMMENTS = 5
_TOP_COMMENT_BYTES = 500  # bytes of a top comment
_FEW_UPVOTES = 20
_FEW_UPVOTES_NOTE = (
    "Fewer than 20 upvotes: such a small count is easily faked by vote manipulation and says"
    " little about what the community thinks."
)


class _RedditPostData(ResponsePart):
    id: OptionalField[str] = None
    title: str
    author: OptionalField[str] = None
    selftext_html: OptionalField[str] = None
    selftext: OptionalField[str] = None
    score: OptionalField[int] = None
    num_comments: OptionalField[int] = None
    created_utc: OptionalField[float] = None
    subreddit: OptionalField[str] = None
    permalink: OptionalField[str] = None
    url: OptionalField[HttpLink] = None
    is_self: OptionalField[bool] = None


class _RedditCommentData(ResponsePart):
    author: OptionalField[str] = None
    body: OptionalField[str] = None
    body_html: OptionalField[str] = None
    score: OptionalField[int] = None
    created_utc: OptionalField[float] = None
    permalink: OptionalField[str] = None
    stickied: OptionalField[bool] = None
    replies: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _RedditThread:
    post: RedditPost
    comments: tuple[RedditComment, ...]


def find_route(url: str) -> SiteRoute | None:
    at = parse_site_address(url)
    if at is None:
        return None
    if at.host in {"redd.it", "www.redd.it"}:
        fits = len(at.parts) == 1 and _THREAD_ID_PATTERN.fullmatch(at.find_part(0))
        return SiteRoute(url=url, kind="thread", id=at.find_part(0).lower()) if fits else None
    if at.host not in _REDDIT_HOSTS:
        return None
    parts = at.parts
    owner = ""
    if (
        len(parts) >= 4
        and parts[0] in {"r", "user", "u"}
        and _COMMUNITY_NAME_PATTERN.fullmatch(parts[1])
    ):
        owner, parts = parts[1] if parts[0] == "r" else f"u_{parts[1]}", parts[2:]
    if len(parts) >= 2 and parts[0] == "comments" and _THREAD_ID_PATTERN.fullmatch(parts[1]):
        return SiteRoute(url=url, kind="thread", id=parts[1].lower(), owner=owner)
    return None


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    try:
        thread: _RedditThread | None = await _fetch_thread_json(route, kit)
    except UpstreamError as error:
        if error.provider is None:
            raise
        thread = await _fetch_thread_page(route, kit)
    return _build_thread_page(route, kit, thread) if thread is not None else None


async def _fetch_thread_json(route: SiteRoute, kit: SiteKit) -> _RedditThread:
    response = await kit.open_upstream(REDDIT_API).send_get(
        f"/comments/{route.id}.json",
        params={"raw_json": "1", "sort": "top", "limit": "60", "depth": "3"},
        accept=(403, 404),
    )
    if response.status in {403, 404}:
        _raise_refusal(route, response.status, _parse_refusal_body(response.body))
    answer = response.parse_json()
    posts = (
        list(_iterate_listing_children(answer[0], "t3"))
        if isinstance(answer, list) and answer
        else []
    )
    try:
        post = _RedditPostData.model_validate(posts[0] if posts else None)
    except ValidationError:
        raise MalformedResponse("The response holds no post.", provider=REDDIT_API.name) from None
    comments = _read_comment_tree(answer[1] if len(answer) > 1 else None, depth=0)
    return _RedditThread(post=_build_reddit_post(post), comments=tuple(comments))


def _parse_refusal_body(body: bytes) -> Any:
    import json

    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _raise_refusal(route: SiteRoute, status: int, body: Any) -> None:
    """Raise the error for a refusal: private or banned community, or access refused to us."""
    reason = body.get("reason") if isinstance(body, dict) else None
    if reason in {"private", "gold_only", "quarantined"}:
        raise page_errors.build_login_error(route.url, f"the community is {reason}")
    if status == 404:
        raise page_errors.build_not_found_error(
            route.url, "banned" if reason == "banned" else "HTTP 404"
        )
    raise UpstreamError("Reddit refused access.", provider=REDDIT_API.name)


def _iterate_listing_children(listing: Any, kind: str) -> Iterator[Any]:
    data = listing.get("data") if isinstance(listing, dict) else None
    children = data.get("children") if isinstance(data, dict) else None
    for child in children if isinstance(children, list) else ():
        if isinstance(child, dict) and child.get("kind") == kind:
            yield child.get("data")


def _read_comment_tree(listing: Any, *, depth: int) -> Iterator[RedditComment]:
    for value in _iterate_listing_children(listing, "t1"):
        try:
            data = _RedditCommentData.model_validate(value)
        except ValidationError:
            continue
        if (data.body or "").strip() not in _REMOVED_BODIES or data.body_html:
            yield _build_comment(data, depth)
        if depth < _MAX_REPLY_DEPTH:
            yield from _read_comment_tree(data.replies, depth=depth + 1)


def _build_comment(data: _RedditCommentData, depth: int) -> RedditComment:
    return RedditComment(
        author=clean_markup(data.author) or "[deleted]",
        markdown=markdown_parts.convert_html_text(data.body_html, base="https://www.reddit.com")
        or markdown_parts.convert_plain_text(data.body),
        plain_text=clean_markup(data.body),
        score=data.score or 0,
        created=format_epoch_time(data.created_utc),
        permalink=_build_permalink(data.permalink),
        depth=depth,
        pinned=bool(data.stickied),
    )


def _build_reddit_post(data: _RedditPostData) -> RedditPost:
    text = (data.selftext or "").strip()
    body = (
        markdown_parts.convert_html_text(data.selftext_html, base="https://www.reddit.com")
        if text
        else ""
    )
    return RedditPost(
        title=clean_markup(data.title),
        author=clean_markup(data.author),
        markdown=body or markdown_parts.convert_plain_text(text),
        score=data.score or 0,
        comments=data.num_comments or 0,
        created=format_epoch_time(data.created_utc),
        community=clean_markup(data.subreddit),
        link=None if data.is_self else data.url,
        permalink=_build_permalink(data.permalink),
    )


async def _fetch_thread_page(route: SiteRoute, kit: SiteKit) -> _RedditThread | None:
    """The thread from its HTML page, with the comments from the part that the page loads later."""
    place = f"/r/{route.owner}/comments/{route.id}/" if route.owner else f"/comments/{route.id}/"
    try:
        html = (await kit.fetch_site_page(REDDIT_PAGES, place)).decode_text()
    except NotFound:
        raise page_errors.build_not_found_error(route.url, "HTTP 404") from None
    post = reddit_page.find_reddit_post(html)
    if post is None:
        return None
    found = reddit_page.read_reddit_comments(html)
    community = route.owner or post.community
    if _COMMUNITY_NAME_PATTERN.fullmatch(community):
        found = await _fetch_late_comments(route, kit, community) or found
    return _RedditThread(post=post, comments=found)


async def _fetch_late_comments(
    route: SiteRoute, kit: SiteKit, community: str
) -> tuple[RedditComment, ...]:
    path = f"/svc/shreddit/comments/r/{community}/t3_{route.id}"
    try:
        response = await kit.fetch_site_page(REDDIT_PAGES, path, params={"sort": "top"})
    except (UpstreamError, NotFound):
        return ()
    return reddit_page.read_reddit_comments(response.decode_text())


def _build_thread_page(route: SiteRoute, kit: SiteKit, thread: _RedditThread) -> Page:
    post = thread.post
    gone = (
        post.markdown in _REMOVED_BODIES - {""}
        or markdown_parts.convert_plain_text("[removed]") == post.markdown
    )
    if post.author == "[deleted]" and gone and not thread.comments:
        raise page_errors.build_soft_404_error(route.url, "deleted")
    shown = thread.comments[:_MAX_SHOWN_COMMENTS]
    community = f"r/{post.community}" if post.community else "Reddit"
    content = markdown_parts.join_blocks(
        [
            markdown_parts.format_heading(post.title),
            _format_post_line(post),
            markdown_parts.format_markdown_link(post.link, post.link) if post.link else "",
            post.markdown,
            f"## Comments ({len(shown)} of {max(post.comments, len(shown))})" if shown else "",
            *map(_render_reddit_comment, shown),
        ]
    )
    return kit.build_page(
        route,
        content=content,
        content_type="reddit",
        title=post.title,
        final_url=post.permalink or route.url,
        kind="forum",
        author=post.author or None,
        site=community,
        published=post.created,
        truncated=post.comments > len(shown),
        forum_signals=build_forum_signals(post, thread.comments),
    )


def build_forum_signals(post: RedditPost, comments: Sequence[RedditComment]) -> ForumSignals:
    """Votes, comment count and top comments, with a note if the votes are few."""
    ranked = sorted(
        (one for one in comments if not one.pinned and one.plain_text not in _REMOVED_BODIES),
        key=lambda one: -one.score,
    )
    top = tuple(
        ForumComment(
            author=one.author,
            score=one.score,
            body=markdown_parts.trim_excerpt(one.plain_text, _TOP_COMMENT_BYTES),
            permalink=one.permalink,
            created=one.created,
        )
        for one in ranked[:_MAX_TOP_COMMENTS]
    )
    return ForumSignals(
        platform="reddit",
        upvotes=post.score,
        comments=post.comments,
        date_published=post.created,
        author_name=post.author or None,
        credibility_note=_FEW_UPVOTES_NOTE if post.score < _FEW_UPVOTES else None,
        top_comments=top or None,
    )


def _format_post_line(post: RedditPost) -> str:
    name = post.community
    return markdown_parts.join_facts(
        markdown_parts.format_markdown_link(f"r/{name}", f"https://www.reddit.com/r/{name}")
        if _COMMUNITY_NAME_PATTERN.fullmatch(name)
        else "",
        f"by u/{markdown_parts.format_inline_text(post.author)}" if post.author else "",
        trim_to_date(post.created),
        markdown_parts.format_count(post.score, "point"),
        markdown_parts.format_count(post.comments, "comment"),
    )


def _render_reddit_comment(comment: RedditComment) -> str:
    head = markdown_parts.join_facts(
        f"**u/{markdown_parts.format_inline_text(comment.author)}**",
        markdown_parts.format_count(comment.score, "point"),
        markdown_parts.format_markdown_link(trim_to_date(comment.created), comment.permalink),
    )
    text = markdown_parts.join_blocks([head, comment.markdown])
    for _ in range(comment.depth):
        text = markdown_parts.quote_markdown(text)
    return text


def _build_permalink(permalink: str | None) -> str | None:
    path = clean_markup(permalink)
    return f"https://www.reddit.com{path}" if path.startswith(("/r/", "/user/")) else None
