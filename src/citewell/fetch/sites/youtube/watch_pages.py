"""Reads a watch page: the video's player response, its date, and what the API wants to be told."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.fetch.sites.youtube.embedded_json import find_embedded_object
from citewell.fetch.sites.youtube.youtube_clients import PageSession
from citewell.fetch.sites.youtube.youtube_player import PlayerAnswer, parse_player_answer

_API_KEY_PATTERN = re.compile(r'"INNERTUBE_API_KEY"\s?:\s?"([A-Za-z0-9_-]{10,80})"')
_VISITOR_DATA_PATTERN = re.compile(r'"(?:VISITOR_DATA|visitorData)"\s?:\s?"([^"\\<>]{5,400})"')
_WEB_VERSION_PATTERN = re.compile(r'"INNERTUBE_CLIENT_VERSION"\s?:\s?"(2\.[0-9.]{5,30})"')
_PUBLISH_DATE_PATTERN = re.compile(
    r'(?:"(?:publishDate|uploadDate)"\s?:\s?|itemprop="datePublished"\s?content=)"(\d{4}-\d\d-\d\d)'
)
_CONSENT_FORM_PATTERN = re.compile(r'action="https://consent\.(?:youtube|google)\.com/')


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchPage:
    session: PageSession
    published: str | None = None
    is_consent_page: bool = False
    player: PlayerAnswer | None = None


def read_watch_page(html: str) -> WatchPage:
    """What a watch page holds; a page of another kind holds nothing."""
    date = _PUBLISH_DATE_PATTERN.search(html)
    return WatchPage(
        session=find_page_session(html),
        published=date[1] if date else None,
        is_consent_page=is_consent_page(html),
        player=parse_player_answer(find_embedded_object(html, "ytInitialPlayerResponse")),
    )


def find_page_session(html: str) -> PageSession:
    return PageSession(
        api_key=_find_first(_API_KEY_PATTERN, html),
        visitor_data=_find_first(_VISITOR_DATA_PATTERN, html),
        web_version=_find_first(_WEB_VERSION_PATTERN, html),
    )


def is_consent_page(html: str) -> bool:
    return bool(_CONSENT_FORM_PATTERN.search(html))


def _find_first(pattern: re.Pattern[str], html: str) -> str:
    match = pattern.search(html)
    return match[1] if match else ""
