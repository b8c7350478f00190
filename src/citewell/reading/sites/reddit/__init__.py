"""Reads Reddit threads: by the API if there are app credentials, else from the public pages."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any

from citewell import __version__
from citewell.core import errors
from citewell.core.values.page import Page
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.json_responses import ResponsePart
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.reading import page_errors
from citewell.reading.sites.reddit import reddit_listings, reddit_threads
from citewell.reading.sites.site_kit import (
    AccessToken,
    SiteEndpoint,
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    parse_site_address,
)

REDDIT_API = SiteEndpoint(
    name="site_reddit", base_url="https://oauth.reddit.com", per_second=1.0, burst=5
)
REDDIT_TOKENS = SiteEndpoint(name="site_reddit_token", base_url="https://www.reddit.com")
REDDIT_KEYLESS = SiteEndpoint(
    name="site_reddit_keyless", base_url="https://www.reddit.com", per_second=1.0, burst=5
)
CREDENTIALS_NOTE = (
    "Reddit's API did not accept the app credentials: check REDDIT_CLIENT_ID and"
    " REDDIT_CLIENT_SECRET."
)
_THREAD_PARAMS = {"raw_json": "1", "sort": "top", "limit": "500", "depth": "10"}
_CONTEXT_COMMENTS = "8"  # comments above a linked one; Reddit's maximum
_MIN_TOKEN_SECONDS = 60.0
_MAX_TOKEN_SECONDS = 86_400.0

REDDIT_OLD_PAGES = SiteEndpoint(
    name="site_reddit_old", base_url="https://old.reddit.com", page=True, timeout=15
)
REDDIT_PAGES = SiteEndpoint(
    name="site_reddit_page", base_url="https://www.reddit.com", page=True, timeout=15
)
ENDPOINTS = (
    REDDIT_API,
    REDDIT_TOKENS,
    REDDIT_KEYLESS,
    REDDIT_OLD_PAGES,
    REDDIT_PAGES,
)

_REDDIT_HOSTS = {"reddit.com", "www.reddit.com", "old.reddit.com", "new.reddit.com", "np.reddit.com", "m.reddit.com", "i.reddit.com", "sh.reddit.com"}  # fmt: skip
_THREAD_ID_PATTERN = re.compile(r"[a-z0-9]{4,10}", re.IGNORECASE)
_COMMENT_ID_PATTERN = re.compile(r"[a-z0-9]{2,10}", re.IGNORECASE)
_LINKED_NOTE = "Only the linked comment, those above it and its replies were read."
_LINK_LOST_NOTE = "The linked comment was not among the comments that could be read."

ThreadFetch = Callable[[SiteRoute, SiteKit], Awaitable[reddit_threads.RedditThread | None]]


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
        and reddit_threads.COMMUNITY_NAME_PATTERN.fullmatch(parts[1])
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
    thread: reddit_threads.RedditThread | None = None
    values = kit.setting_values
    if values.get("REDDIT_CLIENT_ID") and values.get("REDDIT_CLIENT_SECRET"):
        try:
            thread = await fetch_api_thread(route, kit)
        except errors.UpstreamError as error:
            if error.provider is None:
                raise
            refused = isinstance(error, errors.AuthRequired)
            notes = (CREDENTIALS_NOTE,) if refused else ()
    if thread is None:
        ways = (_fetch_old_thread, _fetch_thread_page, fetch_keyless_thread)
        thread = await _try_in_turn(route, kit, ways)
    return await _build_thread_page(route, kit, thread, notes) if thread is not None else None


async def _try_in_turn(
    route: SiteRoute, kit: SiteKit, ways: Sequence[ThreadFetch]
) -> reddit_threads.RedditThread | None:
    """The thread from the first way that gives it; None if the ladder should try.

    Raises what a way says about the thread itself: that it does not exist, or is not public.
    """
    missing: errors.CitewellError | None = None
    for fetch in ways:
        try:
            thread = await fetch(route, kit)
        except errors.AuthRequired as error:
            if error.provider is None:
                raise
        except errors.NotFound as error:
            missing = error
        except (errors.UpstreamError, errors.RefusedByPolicy):
            continue
        else:
            if thread is not None:
                return thread
    if missing is not None:
        raise page_errors.build_not_found_error(route.url, missing.detail or "HTTP 404")
    return None


async def _fetch_old_thread(route: SiteRoute, kit: SiteKit) -> reddit_threads.RedditThread | None:
    place = f"{_build_thread_path(route)}_/{route.path}/" if route.path else _build_thread_path(route)  # fmt: skip
    params = {"sort": "top", "limit": "500"} | ({"context": "8"} if route.path else {})
    response = await kit.fetch_site_page(REDDIT_OLD_PAGES, place, params=params)
    return await kit.run_apart(reddit_threads.parse_old_thread, response.decode_text())


async def _fetch_thread_page(route: SiteRoute, kit: SiteKit) -> reddit_threads.RedditThread | None:
    """The thread from its HTML page, with the comments from the part that the page loads later."""
    place = f"{_build_thread_path(route)}comment/{route.path}/" if route.path else _build_thread_path(route)  # fmt: skip
    html = (await kit.fetch_site_page(REDDIT_PAGES, place)).decode_text()
    post = await kit.run_apart(reddit_threads.find_reddit_post, html)
    if post is None:
        return None
    found = await kit.run_apart(reddit_threads.read_reddit_comments, html)
    community = route.owner or post.community
    is_complete = any(comment.id == route.path for comment in found) if route.path else False
    if reddit_threads.COMMUNITY_NAME_PATTERN.fullmatch(community) and not is_complete:
        found = await _fetch_late_comments(route, kit, community) or found
    return reddit_threads.RedditThread(post=post, comments=found)


async def _fetch_late_comments(
    route: SiteRoute, kit: SiteKit, community: str
) -> tuple[reddit_threads.RedditComment, ...]:
    path = f"/svc/shreddit/comments/r/{community}/t3_{route.id}"
    linked = [f"{path}/t1_{route.path}"] if route.path else []
    for place in (*linked, path):
        try:
            response = await kit.fetch_site_page(REDDIT_PAGES, place, params={"sort": "top"})
        except (errors.UpstreamError, errors.NotFound):
            continue
        if found := await kit.run_apart(
            reddit_threads.read_reddit_comments, response.decode_text()
        ):
            return found
    return ()


def _build_thread_path(route: SiteRoute) -> str:
    return f"/r/{route.owner}/comments/{route.id}/" if route.owner else f"/comments/{route.id}/"


async def _build_thread_page(
    route: SiteRoute, kit: SiteKit, thread: reddit_threads.RedditThread, notes: tuple[str, ...]
) -> Page:
    if thread.is_deleted:
        raise page_errors.build_soft_404_error(route.url, "deleted")
    post = thread.post
    rendered = await kit.run_apart(reddit_threads.render_reddit_thread, thread, linked=route.path)
    if route.path:
        is_read = any(comment.id == route.path for comment in thread.comments)
        notes = (*notes, _LINKED_NOTE if is_read else _LINK_LOST_NOTE)
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


# Asks Reddit's API, with the app credentials that the user gives.


class _TokenAnswer(ResponsePart):
    access_token: str
    expires_in: float = 3600.0


async def fetch_api_thread(route: SiteRoute, kit: SiteKit) -> reddit_threads.RedditThread:
    """The thread from the API. Raises AuthRequired of the token endpoint for wrong credentials."""
    response = await _send_api_request(route, kit, await _choose_token(kit))
    if response.status == 401:  # the token was revoked before its time
        kit.access_tokens.pop(REDDIT_TOKENS.name, None)
        response = await _send_api_request(route, kit, await _choose_token(kit))
    return await _read_thread_response(response, route, kit)


async def fetch_keyless_thread(route: SiteRoute, kit: SiteKit) -> reddit_threads.RedditThread:
    """The thread from the JSON without credentials, which Reddit has closed to most callers."""
    response = await kit.open_upstream(REDDIT_KEYLESS).send_get(
        f"/comments/{route.id}.json",
        params=_build_thread_params(route),
        accept=(401, 403, 404),
        retry=False,
    )
    return await _read_thread_response(response, route, kit)


async def _send_api_request(route: SiteRoute, kit: SiteKit, token: str) -> HttpResponse:
    return await kit.open_upstream(REDDIT_API).send_get(
        f"/comments/{route.id}",
        params=_build_thread_params(route),
        headers=_build_agent_header(kit),
        secret_headers={"authorization": f"Bearer {token}"},
        accept=(401, 403, 404),
    )


def _build_thread_params(route: SiteRoute) -> dict[str, str]:
    linked = {"comment": route.path, "context": _CONTEXT_COMMENTS} if route.path else {}
    return _THREAD_PARAMS | linked


def _build_agent_header(kit: SiteKit) -> dict[str, str]:
    """The User-Agent that Reddit's rules ask for, unless the operator set one."""
    if kit.setting_values.get("CITEWELL_USER_AGENT"):
        return {}
    owner = kit.setting_values.get("REDDIT_USERNAME", "").strip().removeprefix("u/")
    by = f" (by /u/{owner})" if owner.isascii() and owner.replace("-", "_").isidentifier() else ""
    return {"user-agent": f"python:citewell:v{__version__}{by}"}


async def _choose_token(kit: SiteKit) -> str:
    """The token of an earlier call while it is valid, else a new one."""
    known = kit.access_tokens.get(REDDIT_TOKENS.name)
    if known is not None and known.expires_at > kit.now():
        return known.value
    values = kit.setting_values
    pair = f"{values.get('REDDIT_CLIENT_ID', '')}:{values.get('REDDIT_CLIENT_SECRET', '')}"
    response = await kit.open_upstream(REDDIT_TOKENS).send_post(
        "/api/v1/access_token",
        form={"grant_type": "client_credentials"},
        headers=_build_agent_header(kit),
        secret_headers={"authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"},
        accept=(400, 401, 403),
        idempotent=False,
    )
    if response.status != 200 or _find_json_field(response.body, "error"):
        raise errors.AuthRequired(CREDENTIALS_NOTE, provider=REDDIT_TOKENS.name)
    answer = parse_json_response(_TokenAnswer, response)
    seconds = min(max(answer.expires_in - _MIN_TOKEN_SECONDS, 0.0), _MAX_TOKEN_SECONDS)
    kit.access_tokens[REDDIT_TOKENS.name] = AccessToken(
        value=answer.access_token, expires_at=kit.now() + timedelta(seconds=seconds)
    )
    return answer.access_token


async def _read_thread_response(
    response: HttpResponse, route: SiteRoute, kit: SiteKit
) -> reddit_threads.RedditThread:
    if response.status in {401, 403, 404}:
        _raise_refusal(response, route)
    thread = await kit.run_apart(reddit_listings.parse_thread_listing, response.parse_json())
    if thread is None:
        raise errors.MalformedResponse("The response holds no post.", provider=response.provider)
    return thread


def _raise_refusal(response: HttpResponse, route: SiteRoute) -> None:
    """Raise the error for a refusal: private or banned community, no such thread, or no access."""
    reason = _find_json_field(response.body, "reason")
    if reason in {"private", "gold_only", "quarantined"}:
        raise page_errors.build_login_error(route.url, f"the community is {reason}")
    if response.status == 404:
        raise page_errors.build_not_found_error(
            route.url, "banned" if reason == "banned" else "HTTP 404"
        )
    raise errors.UpstreamError("Reddit refused access.", provider=response.provider)


def _find_json_field(body: bytes, name: str) -> Any:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return answer.get(name) if isinstance(answer, dict) else None
