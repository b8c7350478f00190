"""Asks Reddit's API, with the app credentials that the user gives."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from typing import Any

from citewell import __version__
from citewell.dialects.json_responses import ResponsePart
from citewell.errors import AuthRequired, MalformedResponse, UpstreamError
from citewell.fetch import page_errors
from citewell.fetch.sites.reddit import reddit_listings
from citewell.fetch.sites.reddit.reddit_threads import RedditThread
from citewell.fetch.sites.site_kit import AccessToken, SiteEndpoint, SiteKit, SiteRoute
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.upstream_client import parse_json_response

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


class _TokenAnswer(ResponsePart):
    access_token: str
    expires_in: float = 3600.0


def has_reddit_credentials(kit: SiteKit) -> bool:
    values = kit.setting_values
    return bool(values.get("REDDIT_CLIENT_ID") and values.get("REDDIT_CLIENT_SECRET"))


async def fetch_api_thread(route: SiteRoute, kit: SiteKit) -> RedditThread:
    """The thread from the API. Raises AuthRequired of the token endpoint for wrong credentials."""
    response = await _send_api_request(route, kit, await _choose_token(kit))
    if response.status == 401:  # the token was revoked before its time
        kit.access_tokens.pop(REDDIT_TOKENS.name, None)
        response = await _send_api_request(route, kit, await _choose_token(kit))
    return await _read_thread_response(response, route, kit)


async def fetch_keyless_thread(route: SiteRoute, kit: SiteKit) -> RedditThread:
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
        raise AuthRequired(CREDENTIALS_NOTE, provider=REDDIT_TOKENS.name)
    answer = parse_json_response(_TokenAnswer, response)
    seconds = min(max(answer.expires_in - _MIN_TOKEN_SECONDS, 0.0), _MAX_TOKEN_SECONDS)
    kit.access_tokens[REDDIT_TOKENS.name] = AccessToken(
        value=answer.access_token, expires_at=kit.now() + timedelta(seconds=seconds)
    )
    return answer.access_token


async def _read_thread_response(
    response: HttpResponse, route: SiteRoute, kit: SiteKit
) -> RedditThread:
    if response.status in {401, 403, 404}:
        _raise_refusal(response, route)
    thread = await kit.run_apart(reddit_listings.parse_thread_listing, response.parse_json())
    if thread is None:
        raise MalformedResponse("The response holds no post.", provider=response.provider)
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
    raise UpstreamError("Reddit refused access.", provider=response.provider)


def _find_json_field(body: bytes, name: str) -> Any:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return answer.get(name) if isinstance(answer, dict) else None
