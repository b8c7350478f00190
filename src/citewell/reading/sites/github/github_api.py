"""Asks GitHub's API and its host of raw files, and names users and links as all GitHub pages do."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import ValidationError

from citewell.core.errors import AuthRequired, MalformedResponse, RateLimited
from citewell.core.values.page import Page
from citewell.net.http.messages import HttpResponse
from citewell.net.http.rate_limit_headers import read_retry_delay
from citewell.net.upstream.json_responses import OptionalField, ResponsePart
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.reading.sites import site_kit, site_markdown
from citewell.reading.sites.github.repository_markdown import LinkBase, clean_repository_markdown
from citewell.text.safety.text_cleaning import clean_markup

GITHUB_API = site_kit.SiteEndpoint(
    name="site_github",
    base_url="https://api.github.com",
    headers={"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"},
    token_env="GITHUB_TOKEN",  # noqa: S106 - the name of a setting, not a token
)
GITHUB_RAW = site_kit.SiteEndpoint(
    name="site_github_raw", base_url="https://raw.githubusercontent.com"
)
GITHUB_OWNER_PATTERN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
MARKDOWN_SUFFIXES = ("md", "markdown", "mdown", "mkd")

T = TypeVar("T", bound=ResponsePart)


class GithubUser(ResponsePart):
    login: OptionalField[str] = None


async def fetch_github_api(kit: site_kit.SiteKit, path: str, **params: str) -> HttpResponse:
    """The API's response; a 403 raises RateLimited if the quota is used up, else AuthRequired."""
    upstream = kit.open_upstream(GITHUB_API)
    response = await upstream.send_get(path, params=params, accept=(403,))
    if response.status != 403:
        return response
    spent = response.headers.get("x-ratelimit-remaining") == "0"
    if spent or "retry-after" in response.headers or b"rate limit" in response.body:
        delay = read_retry_delay(response.headers, now=kit.now().timestamp) or 60.0
        upstream.pause_requests(delay)
        raise RateLimited(
            "GitHub's hourly request quota is used up.", provider=GITHUB_API.name, retry_after=delay
        )
    raise AuthRequired("GitHub refused access.", provider=GITHUB_API.name)


async def fetch_github_record(kit: site_kit.SiteKit, path: str, kind: type[T], **params: str) -> T:
    return parse_json_response(kind, await fetch_github_api(kit, path, **params))


async def fetch_github_list(
    kit: site_kit.SiteKit, path: str, kind: type[T], **params: str
) -> list[T]:
    """The items of an answer that is a list; those of another shape are left out."""
    values = (await fetch_github_api(kit, path, **params)).parse_json()
    if not isinstance(values, list):
        return []
    found: list[T] = []
    for value in values:
        with suppress(ValidationError):
            found.append(kind.model_validate(value))
    return found


async def fetch_raw_file(kit: site_kit.SiteKit, path: str) -> HttpResponse:
    """A raw file; raises BadShape for HTML, which the raw host never sends."""
    response = await kit.open_upstream(GITHUB_RAW).send_get(quote(f"/{path}"))
    if response.content_type == "text/html":
        raise MalformedResponse("Expected a file and got a web page.", provider=GITHUB_RAW.name)
    return response


def find_user_login(user: GithubUser | None) -> str | None:
    return clean_markup(user.login) or None if user else None


def format_user_link(user: GithubUser | None) -> str:
    name = find_user_login(user) or ""
    return site_markdown.format_markdown_link(
        name, f"https://github.com/{name}" if GITHUB_OWNER_PATTERN.fullmatch(name) else None
    )


def format_author(user: GithubUser | None) -> str:
    return f"by {format_user_link(user)}" if find_user_login(user) else ""


def format_day(stamp: str | None) -> str:
    return site_kit.trim_to_date(site_kit.normalize_iso_time(stamp))


def build_api_path(route: site_kit.SiteRoute, *parts: str) -> str:
    return "/".join(("/repos", route.owner, route.name, *parts))


async def render_github_text(kit: site_kit.SiteKit, markdown: str | None, home: LinkBase) -> str:
    return await kit.run_apart(clean_repository_markdown, markdown or "", home)


def build_github_page(
    route: site_kit.SiteRoute, kit: site_kit.SiteKit, title: str, *blocks: str | None, **more: Any
) -> Page:
    """A page about a repository; `more` as for `SiteKit.build_page`."""
    about = {"kind": "documentation", "extracted_by": "github:api", "site": "GitHub"}
    return kit.build_page(
        route, content=blocks, content_type="github", title=title, **(about | more)
    )


def build_link_base(route: site_kit.SiteRoute, path: str) -> LinkBase:
    slug = f"{route.owner}/{route.name}"
    return LinkBase(
        page_base=f"https://github.com/{slug}/blob/{path}",
        picture_base=f"https://raw.githubusercontent.com/{slug}/{path}",
    )
