"""Posts and profiles on X through FxTwitter's public API, else through xcancel's pages."""

from __future__ import annotations

import re

from citewell.errors import NotFound, Refused, UpstreamError
from citewell.fetch import complaints
from citewell.fetch.sites import fxtwitter, xcancel
from citewell.fetch.sites.kit import Endpoint, Route, SiteKit, address, or_ladder
from citewell.model.page import Page
from citewell.net.upstream import parse

API = Endpoint(name="site_fxtwitter", base_url="https://api.fxtwitter.com", timeout=5.0)
MIRROR = Endpoint(name="site_xcancel", base_url="https://xcancel.com", timeout=5.0, page=True)
ENDPOINTS = (API, MIRROR)

_HOSTS = {"x.com", "twitter.com"}
_ID = re.compile(r"\d{1,20}")
_RESERVED = frozenset({
    "about", "account", "compose", "download", "explore", "hashtag", "help", "home", "i", "intent",
    "jobs", "login", "logout", "messages", "notifications", "privacy", "search", "settings",
    "share", "signup", "tos", "who_to_follow",
})  # fmt: skip


def matches(url: str) -> Route | None:
    at = address(url)
    bare = at.host.removeprefix("www.").removeprefix("mobile.") if at else ""
    if at is None or bare not in _HOSTS:
        return None
    parts = at.parts[1:] if at.parts[:2] == ("i", "web") else at.parts
    if len(parts) >= 3 and parts[1] in {"status", "statuses"}:
        user = parts[0] if parts[0] != "web" else "i"
        fits = fxtwitter.USER.fullmatch(user) and _ID.fullmatch(parts[2])
        return Route(url=url, kind="post", id=parts[2], owner=user) if fits else None
    if len(parts) == 1 and fxtwitter.USER.fullmatch(parts[0]) and parts[0].lower() not in _RESERVED:
        return Route(url=url, kind="profile", owner=parts[0])
    return None


@or_ladder
async def read(route: Route, kit: SiteKit) -> Page | None:
    missing = False
    try:
        if page := await _by_api(route, kit):
            return page
    except NotFound:
        missing = True
    except UpstreamError as error:
        if error.provider is None:
            raise
    page = await _by_mirror(route, kit)
    if page is None and missing:
        raise complaints.gone(route.url, "FxTwitter knows no such post or profile")
    return page


async def _by_api(route: Route, kit: SiteKit) -> Page | None:
    path = f"/{route.owner}/status/{route.id}" if route.kind == "post" else f"/{route.owner}"
    response = await kit.upstream(API).get(path, accept=(401,))
    answer = parse(fxtwitter.Answer, response)
    if response.status == 401 or answer.code == 401:
        raise complaints.login(route.url, "the account is private")
    if answer.code == 404:
        raise NotFound("The upstream has no such thing.", provider=API.name)
    if answer.tweet is not None and (answer.tweet.words or answer.tweet.article):
        return fxtwitter.post(route, kit, answer.tweet)
    if answer.user is not None and answer.user.screen_name:
        return fxtwitter.profile(route, kit, answer.user)
    return None


async def _by_mirror(route: Route, kit: SiteKit) -> Page | None:
    path = f"/{route.owner}/status/{route.id}" if route.kind == "post" else f"/{route.owner}"
    try:
        response = await kit.get_page(MIRROR, path)
    except (UpstreamError, NotFound, Refused):
        return None
    return xcancel.read_page(route, kit, response.text())
