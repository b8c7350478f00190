"""GitHub's two doors, its API and its raw files, and where their texts' links lead."""

from __future__ import annotations

import re
from urllib.parse import quote

from citewell.errors import AuthRequired, BadShape, RateLimited
from citewell.fetch.sites.kit import Endpoint, Route, SiteKit
from citewell.fetch.sites.readme import Home
from citewell.net.limits import read_delay
from citewell.net.message import Response

API = Endpoint(
    name="site_github",
    base_url="https://api.github.com",
    headers={"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"},
    token_env="GITHUB_TOKEN",  # noqa: S106 - the name of a setting, not a token
)
RAW = Endpoint(name="site_github_raw", base_url="https://raw.githubusercontent.com")
OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
MARKDOWN = ("md", "markdown", "mdown", "mkd")


async def ask(kit: SiteKit, path: str, params: dict[str, str]) -> Response:
    """An answer of the API; a 403 without calls left is a limit, not a locked door."""
    upstream = kit.upstream(API)
    response = await upstream.get(path, params=params, accept=(403,))
    if response.status != 403:
        return response
    spent = response.headers.get("x-ratelimit-remaining") == "0"
    if spent or "retry-after" in response.headers or b"rate limit" in response.body:
        delay = read_delay(response.headers, now=kit.now().timestamp) or 60.0
        upstream.rest(delay)
        raise RateLimited(
            "GitHub's hourly calls are used up.", provider=API.name, retry_after=delay
        )
    raise AuthRequired("GitHub does not let us in.", provider=API.name)


async def raw_file(kit: SiteKit, path: str) -> Response:
    """A file as it is; the raw host sends no HTML, so that would be somebody else's page."""
    response = await kit.upstream(RAW).get(quote(f"/{path}"))
    if response.content_type == "text/html":
        raise BadShape("Expected a file and got a web page.", provider=RAW.name)
    return response


def home_of(route: Route, path: str) -> Home:
    slug = f"{route.owner}/{route.name}"
    return Home(
        pages=f"https://github.com/{slug}/blob/{path}",
        pictures=f"https://raw.githubusercontent.com/{slug}/{path}",
    )
