"""Reddit threads: the post and its best comments, as JSON where Reddit lets us, else from its page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from citewell.errors import BadShape, NotFound, UpstreamError
from citewell.fetch import complaints
from citewell.fetch.sites import prose, shreddit
from citewell.fetch.sites.kit import Endpoint, Route, SiteKit, address, day, from_epoch, or_ladder
from citewell.fetch.sites.shreddit import Comment, Post
from citewell.model.page import Page
from citewell.model.signals import ForumComment, ForumSignals
from citewell.net.answer import Link, Maybe, Part
from citewell.text.markup import clean

API = Endpoint(name="site_reddit", base_url="https://www.reddit.com", per_second=1.0, burst=5)
WEB = Endpoint(name="site_reddit_page", base_url="https://www.reddit.com", page=True, timeout=15)
ENDPOINTS = (API, WEB)

_HOSTS = {"reddit.com", "www.reddit.com", "old.reddit.com", "new.reddit.com", "np.reddit.com", "m.reddit.com", "i.reddit.com", "sh.reddit.com"}  # fmt: skip
_ID = re.compile(r"[a-z0-9]{4,10}", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9_-]{2,32}")
_EMPTY = frozenset({"", "[deleted]", "[removed]", "[ Removed by Reddit ]"})
_SHOWN = 40
_DEPTH = 2
_TOP = 5
_BODY = 500  # bytes of a top comment
_DOUBTFUL = 20
_DOUBT = (
    "Fewer than 20 upvotes: so small a count is easily made up by vote manipulation and says"
    " little about what the community thinks."
)


class _PostData(Part):
    id: Maybe[str] = None
    title: str
    author: Maybe[str] = None
    selftext_html: Maybe[str] = None
    selftext: Maybe[str] = None
    score: Maybe[int] = None
    num_comments: Maybe[int] = None
    created_utc: Maybe[float] = None
    subreddit: Maybe[str] = None
    permalink: Maybe[str] = None
    url: Maybe[Link] = None
    is_self: Maybe[bool] = None


class _CommentData(Part):
    author: Maybe[str] = None
    body: Maybe[str] = None
    body_html: Maybe[str] = None
    score: Maybe[int] = None
    created_utc: Maybe[float] = None
    permalink: Maybe[str] = None
    stickied: Maybe[bool] = None
    replies: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thread:
    post: Post
    comments: tuple[Comment, ...]


def matches(url: str) -> Route | None:
    at = address(url)
    if at is None:
        return None
    if at.host in {"redd.it", "www.redd.it"}:
        fits = len(at.parts) == 1 and _ID.fullmatch(at.part(0))
        return Route(url=url, kind="thread", id=at.part(0).lower()) if fits else None
    if at.host not in _HOSTS:
        return None
    parts = at.parts
    owner = ""
    if len(parts) >= 4 and parts[0] in {"r", "user", "u"} and _NAME.fullmatch(parts[1]):
        owner, parts = parts[1] if parts[0] == "r" else f"u_{parts[1]}", parts[2:]
    if len(parts) >= 2 and parts[0] == "comments" and _ID.fullmatch(parts[1]):
        return Route(url=url, kind="thread", id=parts[1].lower(), owner=owner)
    return None


@or_ladder
async def read(route: Route, kit: SiteKit) -> Page | None:
    try:
        thread: _Thread | None = await _by_json(route, kit)
    except UpstreamError as error:
        if error.provider is None:
            raise
        thread = await _by_page(route, kit)
    return _page(route, kit, thread) if thread is not None else None


async def _by_json(route: Route, kit: SiteKit) -> _Thread:
    response = await kit.upstream(API).get(
        f"/comments/{route.id}.json",
        params={"raw_json": "1", "sort": "top", "limit": "60", "depth": "3"},
        accept=(403, 404),
    )
    if response.status in {403, 404}:
        _refused(route, response.status, _parsed(response.body))
    answer = response.parsed()
    posts = list(_children(answer[0], "t3")) if isinstance(answer, list) and answer else []
    try:
        post = _PostData.model_validate(posts[0] if posts else None)
    except ValidationError:
        raise BadShape("The answer holds no post.", provider=API.name) from None
    comments = _comments(answer[1] if len(answer) > 1 else None, depth=0)
    return _Thread(post=_post(post), comments=tuple(comments))


def _parsed(body: bytes) -> Any:
    import json

    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _refused(route: Route, status: int, body: Any) -> None:
    """Raise what a refusal means: private, banned, or only that we are not let in."""
    reason = body.get("reason") if isinstance(body, dict) else None
    if reason in {"private", "gold_only", "quarantined"}:
        raise complaints.login(route.url, f"the community is {reason}")
    if status == 404:
        raise complaints.missing(route.url, "banned" if reason == "banned" else "HTTP 404")
    raise UpstreamError("Reddit does not let us in.", provider=API.name)


def _children(listing: Any, kind: str) -> Iterator[Any]:
    data = listing.get("data") if isinstance(listing, dict) else None
    children = data.get("children") if isinstance(data, dict) else None
    for child in children if isinstance(children, list) else ():
        if isinstance(child, dict) and child.get("kind") == kind:
            yield child.get("data")


def _comments(listing: Any, *, depth: int) -> Iterator[Comment]:
    for value in _children(listing, "t1"):
        try:
            data = _CommentData.model_validate(value)
        except ValidationError:
            continue
        if (data.body or "").strip() not in _EMPTY or data.body_html:
            yield _comment(data, depth)
        if depth < _DEPTH:
            yield from _comments(data.replies, depth=depth + 1)


def _comment(data: _CommentData, depth: int) -> Comment:
    return Comment(
        author=clean(data.author) or "[deleted]",
        markdown=prose.from_html(data.body_html, base="https://www.reddit.com")
        or prose.from_text(data.body),
        plain=clean(data.body),
        score=data.score or 0,
        created=from_epoch(data.created_utc),
        permalink=_link(data.permalink),
        depth=depth,
        pinned=bool(data.stickied),
    )


def _post(data: _PostData) -> Post:
    text = (data.selftext or "").strip()
    body = prose.from_html(data.selftext_html, base="https://www.reddit.com") if text else ""
    return Post(
        title=clean(data.title),
        author=clean(data.author),
        markdown=body or prose.from_text(text),
        score=data.score or 0,
        comments=data.num_comments or 0,
        created=from_epoch(data.created_utc),
        community=clean(data.subreddit),
        link=None if data.is_self else data.url,
        permalink=_link(data.permalink),
    )


async def _by_page(route: Route, kit: SiteKit) -> _Thread | None:
    """The thread's HTML, and its comments from the part that the page loads later."""
    place = f"/r/{route.owner}/comments/{route.id}/" if route.owner else f"/comments/{route.id}/"
    try:
        html = (await kit.get_page(WEB, place)).text()
    except NotFound:
        raise complaints.missing(route.url, "HTTP 404") from None
    post = shreddit.read_post(html)
    if post is None:
        return None
    found = shreddit.read_comments(html)
    community = route.owner or post.community
    if _NAME.fullmatch(community):
        found = await _late_comments(route, kit, community) or found
    return _Thread(post=post, comments=found)


async def _late_comments(route: Route, kit: SiteKit, community: str) -> tuple[Comment, ...]:
    path = f"/svc/shreddit/comments/r/{community}/t3_{route.id}"
    try:
        response = await kit.get_page(WEB, path, params={"sort": "top"})
    except (UpstreamError, NotFound):
        return ()
    return shreddit.read_comments(response.text())


def _page(route: Route, kit: SiteKit, thread: _Thread) -> Page:
    post = thread.post
    gone = post.markdown in _EMPTY - {""} or prose.from_text("[removed]") == post.markdown
    if post.author == "[deleted]" and gone and not thread.comments:
        raise complaints.gone(route.url, "deleted")
    shown = thread.comments[:_SHOWN]
    community = f"r/{post.community}" if post.community else "Reddit"
    content = prose.blocks(
        [
            prose.heading(post.title),
            _line(post),
            prose.link(post.link, post.link) if post.link else "",
            post.markdown,
            f"## Comments ({len(shown)} of {max(post.comments, len(shown))})" if shown else "",
            *map(_said, shown),
        ]
    )
    return kit.page(
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
        forum_signals=signals(post, thread.comments),
    )


def signals(post: Post, comments: Sequence[Comment]) -> ForumSignals:
    """Votes, comments and the best of them, with a warning where votes are few."""
    ranked = sorted(
        (one for one in comments if not one.pinned and one.plain not in _EMPTY),
        key=lambda one: -one.score,
    )
    top = tuple(
        ForumComment(
            author=one.author,
            score=one.score,
            body=prose.excerpt(one.plain, _BODY),
            permalink=one.permalink,
            created=one.created,
        )
        for one in ranked[:_TOP]
    )
    return ForumSignals(
        platform="reddit",
        upvotes=post.score,
        comments=post.comments,
        date_published=post.created,
        author_name=post.author or None,
        credibility_note=_DOUBT if post.score < _DOUBTFUL else None,
        top_comments=top or None,
    )


def _line(post: Post) -> str:
    name = post.community
    return prose.facts(
        prose.link(f"r/{name}", f"https://www.reddit.com/r/{name}")
        if _NAME.fullmatch(name)
        else "",
        f"by u/{prose.inline(post.author)}" if post.author else "",
        day(post.created),
        prose.count(post.score, "point"),
        prose.count(post.comments, "comment"),
    )


def _said(comment: Comment) -> str:
    head = prose.facts(
        f"**u/{prose.inline(comment.author)}**",
        prose.count(comment.score, "point"),
        prose.link(day(comment.created), comment.permalink),
    )
    text = prose.blocks([head, comment.markdown])
    for _ in range(comment.depth):
        text = prose.quoted(text)
    return text


def _link(permalink: str | None) -> str | None:
    path = clean(permalink)
    return f"https://www.reddit.com{path}" if path.startswith(("/r/", "/user/")) else None
