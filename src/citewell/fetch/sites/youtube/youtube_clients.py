"""The servers of YouTube, its pages, and the clients as which its InnerTube API can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from citewell.errors import FailureReason, MalformedResponse
from citewell.fetch.sites.site_kit import SiteEndpoint, SiteKit, parse_site_address
from citewell.net.http.messages import HttpResponse, RedirectPolicy

YOUTUBE_WEB = SiteEndpoint(name="site_youtube", base_url="https://www.youtube.com")
YOUTUBE_MOBILE = SiteEndpoint(name="site_youtube_mobile", base_url="https://m.youtube.com")

_REDIRECT_STATUSES = (301, 302, 303, 307, 308)
_CONSENT_HOSTS = frozenset({"consent.youtube.com", "consent.google.com"})
_PAGE_HOSTS = frozenset({"www.youtube.com", "youtube.com", "m.youtube.com"})
_MAX_PAGE_REDIRECTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerTubeClient:
    """One of YouTube's own applications, as its API knows it."""

    label: str  # for notes to the reader
    name: str
    number: str
    version: str
    endpoint: SiteEndpoint = YOUTUBE_WEB
    device: Mapping[str, str | int] = field(default_factory=dict)


VR_CLIENT = InnerTubeClient(
    label="the VR app", name="ANDROID_VR", number="28", version="1.65.10", endpoint=YOUTUBE_MOBILE
)
ANDROID_CLIENT = InnerTubeClient(
    label="the Android app",
    name="ANDROID",
    number="3",
    version="21.02.35",
    device={"androidSdkVersion": 30, "osName": "Android", "osVersion": "11"},
)
IOS_CLIENT = InnerTubeClient(
    label="the iOS app",
    name="IOS",
    number="5",
    version="21.02.3",
    device={"deviceMake": "Apple", "deviceModel": "iPhone16,2", "osName": "iPhone", "osVersion": "18.3.2.22D82"},
)  # fmt: skip
WEB_CLIENT = InnerTubeClient(
    label="the website", name="WEB", number="1", version="2.20260114.08.00"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSession:
    """What a page gives its scripts for asking the API."""

    api_key: str = ""
    visitor_data: str = ""
    web_version: str = ""


async def ask_innertube(
    kit: SiteKit,
    client: InnerTubeClient,
    action: str,
    body: Mapping[str, Any],
    session: PageSession,
) -> HttpResponse:
    """Send a request to the API, such as `player` or `browse`, as one of the applications."""
    version = (client is WEB_CLIENT and session.web_version) or client.version
    context = {"clientName": client.name, "clientVersion": version, "hl": "en", "gl": "US"}
    visitor = {"visitorData": session.visitor_data} if session.visitor_data else {}
    params = {"key": session.api_key} if session.api_key else {}
    return await kit.open_upstream(client.endpoint).send_post(
        f"/youtubei/v1/{action}",
        params={**params, "prettyPrint": "false"},
        headers={
            "x-youtube-client-name": client.number,
            "x-youtube-client-version": version,
        },
        json={"context": {"client": {**context, **client.device, **visitor}}, **body},
    )


async def fetch_youtube_page(
    kit: SiteKit, endpoint: SiteEndpoint, path: str, params: Mapping[str, str]
) -> str:
    """The HTML of a page; raises what `build_consent_report` builds if it leads to the consent page."""
    pairs: tuple[tuple[str, str], ...] = (*params.items(), ("hl", "en"))
    for _ in range(_MAX_PAGE_REDIRECTS + 1):
        response = await kit.fetch_site_page(
            endpoint,
            path,
            params=pairs,
            redirects=RedirectPolicy.NONE,
            accept=_REDIRECT_STATUSES,
        )
        if response.status not in _REDIRECT_STATUSES:
            return response.decode_text()
        address = urljoin("https://www.youtube.com", response.headers.get("location", ""))
        goal = parse_site_address(address)
        if goal is not None and goal.host in _CONSENT_HOSTS:
            raise build_consent_report(endpoint)
        if goal is None or goal.host not in _PAGE_HOSTS:
            break
        split = urlsplit(address)
        path, pairs = split.path, tuple(parse_qsl(split.query))
    raise MalformedResponse("YouTube redirects to another page.", provider=endpoint.name)


def build_consent_report(endpoint: SiteEndpoint) -> MalformedResponse:
    said = "YouTube shows its consent page."
    return MalformedResponse(
        said, provider=endpoint.name, detail="consent page", reason=FailureReason.CONSENT_PAGE
    )
