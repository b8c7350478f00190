"""Reads Reddit threads: by the API if there are app credentials, else from the public pages."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence

from citewell.errors import AuthRequired, CitewellError, NotFound, RefusedByPolicy, UpstreamError
from citewell.fetch import page_errors
from citewell.fetch.sites.reddit import reddit_api, reddit_old_page, reddit_page, reddit_threads
from citewell.fetch.sites.reddit.reddit_threads import (
    COMMUNITY_NAME_PATTERN,
    RedditComment,
    RedditThread,
)
from citewell.fetch.sites.site_kit import (
    SiteEndpoint,
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    parse_site_address,
)
from citewell.model.page import Page

REDDIT_OLD_PAGES = SiteEndpoint(
    name="site_reddit_old", base_url="https://old.reddit.com", page=True, timeout=15
)
REDDIT_PAGES = SiteEndpoint(
    name="site_reddit_page", base_url="https://www.reddit.com", page=True, timeout=15
)
ENDPOINTS = (
    reddit_api.REDDIT_API,
    reddit_api.REDDIT_TOKENS,
    reddit_api.REDDIT_KEYLESS,
    REDDIT_OLD_PAGES,
    REDDIT_PAGES,
)

_REDDIT_HOSTS = {"reddit.com", "www.reddit.com", "old.reddit.com", "new.reddit.com", "np.reddit.com", "m.reddit.com", "i.reddit.com", "sh.reddit.com"}  # fmt: skip
_THREAD_ID_PATTERN = re.compile(r"[a-z0-9]{4,10}", re.IGNORECASE)
_COMMENT_ID_PATTERN = re.compile(r"[a-z0-9]{2,10}", re.IGNORECASE)
_LINKED_NOTE = "Only the linked comment, those above it and its replies were read."
_LINK_LOST_NOTE = "The linked comment was not among the comments that could be read."

ThreadFetch = Callable[[SiteRoute, SiteKit], Awaitable[RedditThread | None]]


def find_route(url: str) -> SiteRoute | None:
    """The route: `id` is the thread, `path` the linked comment, `owner` the community."""
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
        and COMMUNITY_NAME_PATTERN.fullmatch(parts[1])
    ):
        owner, parts = parts[1] if parts[0] == "r" else f"u_{parts[1]}", parts[2:]
    if len(parts) < 2 or parts[0] not in {"comments", "gallery"}:
        return None
    if not _THREAD_ID_PATTERN.fullmatch(parts[1]):
        return None
    # The third part is the title in words, or `comment`; the fourth is a comment's id.
    linked = parts[3] if len(parts) > 3 and _COMMENT_ID_PATTERN.fullmatch(parts[3]) else ""
    return SiteRoute(url=url, kind="thread", id=parts[1].lower(), path=linked.lower(), owner=owner)


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    notes: tuple[str, ...] = ()
    thread: RedditThread | None = None
    if reddit_api.has_reddit_credentials(kit):
        try:
            thread = await reddit_api.fetch_api_thread(route, kit)
        except UpstreamError as error:
            if error.provider is None:
                raise
            refused = isinstance(error, AuthRequired)
            notes = (reddit_api.CREDENTIALS_NOTE,) if refused else ()
    if thread is None:
        ways = (_fetch_old_thread, _fetch_thread_page, reddit_api.fetch_keyless_thread)
        thread = await _try_in_turn(route, kit, ways)
    return await _build_thread_page(route, kit, thread, notes) if thread is not None else None


async def _try_in_turn(
    route: SiteRoute, kit: SiteKit, ways: Sequence[ThreadFetch]
) -> RedditThread | None:
    """The thread from the first way that gives it; None if the ladder should try.

    Raises what a way says about the thread itself: that it does not exist, or is not public.
    """
    said: CitewellError | None = None
    for fetch in ways:
        try:
            thread = await fetch(route, kit)
        except AuthRequired as error:
            if error.provider is None:
                raise
        except NotFound as error:
            said = error
        except (UpstreamError, RefusedByPolicy):
            continue
        else:
            if thread is not None:
                return thread
    if said is not None:
        raise page_errors.build_not_found_error(route.url, said.detail or "HTTP 404")
    return None


async def _fetch_old_thread(route: SiteRoute, kit: SiteKit) -> RedditThread | None:
    place = f"{_build_thread_path(route)}_/{route.path}/" if route.path else _build_thread_path(route)  # fmt: skip
    params = {"sort": "top", "limit": "500"} | ({"context": "8"} if route.path else {})
    response = await kit.fetch_site_page(REDDIT_OLD_PAGES, place, params=params)
    return await kit.run_apart(reddit_old_page.parse_old_thread, response.decode_text())


async def _fetch_thread_page(route: SiteRoute, kit: SiteKit) -> RedditThread | None:
    """The thread from its HTML page, with the comments from the part that the page loads later."""
    place = f"{_build_thread_path(route)}comment/{route.path}/" if route.path else _build_thread_path(route)  # fmt: skip
    html = (await kit.fetch_site_page(REDDIT_PAGES, place)).decode_text()
    post = await kit.run_apart(reddit_page.find_reddit_post, html)
    if post is None:
        return None
    found = await kit.run_apart(reddit_page.read_reddit_comments, html)
    community = route.owner or post.community
    is_complete = any(one.id == route.path for one in found) if route.path else False
    if COMMUNITY_NAME_PATTERN.fullmatch(community) and not is_complete:
        found = await _fetch_late_comments(route, kit, community) or found
    return RedditThread(post=post, comments=found)


async def _fetch_late_comments(
    route: SiteRoute, kit: SiteKit, community: str
) -> tuple[RedditComment, ...]:
    path = f"/svc/shreddit/comments/r/{community}/t3_{route.id}"
    linked = [f"{path}/t1_{route.path}"] if route.path else []
    for place in (*linked, path):
        try:
            response = await kit.fetch_site_page(REDDIT_PAGES, place, params={"sort": "top"})
        except (UpstreamError, NotFound):
            continue
        if found := await kit.run_apart(reddit_page.read_reddit_comments, response.decode_text()):
            return found
    return ()


def _build_thread_path(route: SiteRoute) -> str:
    return f"/r/{route.owner}/comments/{route.id}/" if route.owner else f"/comments/{route.id}/"


async def _build_thread_page(
    route: SiteRoute, kit: SiteKit, thread: RedditThread, notes: tuple[str, ...]
) -> Page:
    if reddit_threads.is_deleted_thread(thread):
        raise page_errors.build_soft_404_error(route.url, "deleted")
    post = thread.post
    rendered = await kit.run_apart(reddit_threads.render_reddit_thread, thread, linked=route.path)
    if route.path:
        found = thread.has_comment(route.path)
        notes = (*notes, _LINKED_NOTE if found else _LINK_LOST_NOTE)
    return kit.build_page(
        route,
        content=rendered.markdown,
        content_type="reddit",
        title=post.title,
        final_url=post.permalink or route.url,
        kind="forum",
        author=post.author or None,
        site=f"r/{post.community}" if post.community else "Reddit",
        published=post.created,
        notes=notes,
        truncated=rendered.total > rendered.shown,
        forum_signals=reddit_threads.build_forum_signals(post, thread.comments),
    )
