"""Reads X posts and profiles through FxTwitter's public API, else through xcancel's pages."""

from __future__ import annotations

import re

from citewell.errors import NotFound, RefusedByPolicy, UpstreamError
from citewell.fetch import page_errors
from citewell.fetch.sites import fxtwitter, xcancel
from citewell.fetch.sites.site_kit import (
    SiteEndpoint,
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    parse_site_address,
)
from citewell.model.page import Page
from citewell.net.upstream.upstream_client import parse_json_response

FXTWITTER_API = SiteEndpoint(
    name="site_fxtwitter", base_url="https://api.fxtwitter.com", timeout=5.0, is_of_others=True
)
XCANCEL_MIRROR = SiteEndpoint(
    name="site_xcancel", base_url="https://xcancel.com", timeout=5.0, page=True, is_of_others=True
)
ENDPOINTS = (FXTWITTER_API, XCANCEL_MIRROR)

_X_HOSTS = {"x.com", "twitter.com"}
_TWEET_ID_PATTERN = re.compile(r"\d{1,20}")
_RESERVED_X_NAMES = frozenset({
    "about", "account", "compose", "download", "explore", "hashtag", "help", "home", "i", "intent",
    "jobs", "login", "logout", "messages", "notifications", "privacy", "search", "settings",
    "share", "signup", "tos", "who_to_follow",
})  # fmt: skip


def find_route(url: str) -> SiteRoute | None:
    at = parse_site_address(url)
    bare = at.host.removeprefix("www.").removeprefix("mobile.") if at else ""
    if at is None or bare not in _X_HOSTS:
        return None
    parts = at.parts[1:] if at.parts[:2] == ("i", "web") else at.parts
    if len(parts) >= 3 and parts[1] in {"status", "statuses"}:
        user = parts[0] if parts[0] != "web" else "i"
        fits = fxtwitter.X_USER_PATTERN.fullmatch(user) and _TWEET_ID_PATTERN.fullmatch(parts[2])
        return SiteRoute(url=url, kind="post", id=parts[2], owner=user) if fits else None
    if (
        len(parts) == 1
        and fxtwitter.X_USER_PATTERN.fullmatch(parts[0])
        and parts[0].lower() not in _RESERVED_X_NAMES
    ):
        return SiteRoute(url=url, kind="profile", owner=parts[0])
    return None


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    missing = False
    try:
        if page := await _fetch_from_fxtwitter(route, kit):
            return page
    except NotFound:
        missing = True
    except UpstreamError as error:
        if error.provider is None:
            raise
    page = await _fetch_from_mirror(route, kit)
    if page is None and missing:
        raise page_errors.build_soft_404_error(route.url, "FxTwitter has no such post or profile")
    return page


async def _fetch_from_fxtwitter(route: SiteRoute, kit: SiteKit) -> Page | None:
    path = f"/{route.owner}/status/{route.id}" if route.kind == "post" else f"/{route.owner}"
    response = await kit.open_upstream(FXTWITTER_API).send_get(path, accept=(401,))
    answer = parse_json_response(fxtwitter.FxTwitterAnswer, response)
    if response.status == 401 or answer.code == 401:
        raise page_errors.build_login_error(route.url, "the account is private")
    if answer.code == 404:
        raise NotFound("The upstream has no such thing.", provider=FXTWITTER_API.name)
    if answer.tweet is not None and (answer.tweet.full_text or answer.tweet.article):
        return fxtwitter.build_tweet_page(route, kit, answer.tweet)
    if answer.user is not None and answer.user.screen_name:
        return fxtwitter.build_x_profile_page(route, kit, answer.user)
    return None


async def _fetch_from_mirror(route: SiteRoute, kit: SiteKit) -> Page | None:
    path = f"/{route.owner}/status/{route.id}" if route.kind == "post" else f"/{route.owner}"
    try:
        response = await kit.fetch_site_page(XCANCEL_MIRROR, path)
    except (UpstreamError, NotFound, RefusedByPolicy):
        return None
    parts = await kit.run_apart(xcancel.parse_mirror_page, route, response.body)
    return kit.build_parts_page(route, parts)
