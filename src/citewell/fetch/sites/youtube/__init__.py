"""Reads YouTube videos as text: the captions by the first way that works, or the description."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from citewell.errors import NotFound, RefusedByPolicy, UpstreamError
from citewell.fetch.sites import markdown_parts, video_captions
from citewell.fetch.sites.site_kit import (
    SiteEndpoint,
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    parse_site_address,
    trim_to_date,
)
from citewell.fetch.sites.transcript_highlights import choose_transcript_highlights
from citewell.fetch.sites.video_captions import CaptionCue
from citewell.fetch.sites.youtube_player import (
    PlayerAnswer,
    VideoDetails,
    build_playback_error,
    choose_caption_track,
    find_initial_player,
    find_playback_problem,
    parse_player_answer,
)
from citewell.model.page import Page
from citewell.net.http.messages import HttpResponse, RedirectPolicy
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.truncation import truncate_text
from citewell.text.web.addresses import is_within_domain

YOUTUBE_WEB = SiteEndpoint(name="site_youtube", base_url="https://www.youtube.com")
YOUTUBE_MOBILE = SiteEndpoint(name="site_youtube_mobile", base_url="https://m.youtube.com")
ENDPOINTS = (YOUTUBE_WEB, YOUTUBE_MOBILE)

_YOUTUBE_HOSTS = {"youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com"}
_EMBED_HOSTS = {"youtube-nocookie.com", "www.youtube-nocookie.com"}
_VIDEO_PATH_WORDS = {"embed", "shorts", "live", "v", "e"}
_VIDEO_ID_PATTERN = re.compile(r"(?!videoseries|live_stream)[A-Za-z0-9_-]{11}")
_CAPTION_LANGUAGE_PATTERN = re.compile(r"[a-z]{2,3}(?=$|-)")
_API_KEY_PATTERN = re.compile(r'"INNERTUBE_API_KEY"\s*:\s*"([A-Za-z0-9_-]{10,80})"')
_VISITOR_DATA_PATTERN = re.compile(r'"(?:VISITOR_DATA|visitorData)"\s*:\s*"([^"\\<>]{5,400})"')
_PUBLISH_DATE_PATTERN = re.compile(
    r'(?:"(?:publishDate|uploadDate)"\s*:\s*|itemprop="datePublished"\s+content=)"(\d{4}-\d\d-\d\d)'
)
_CONSENT_FORM_PATTERN = re.compile(r'action="https://consent\.(?:youtube|google)\.com/')
_PLAYER_CLIENT = {"clientName": "ANDROID_VR", "clientVersion": "1.65.10", "hl": "en", "gl": "US"}
_REDIRECT_STATUSES = (301, 302, 303, 307, 308)
_GATHER_TIMEOUT_SECONDS = 30.0
_MAX_TRANSCRIPT_BYTES = 100 * 1024
_GUESSED_LANGUAGES = ("en", "en-US", "en-GB")


@dataclass(slots=True, kw_only=True)
class _VideoFindings:
    """What has been found out about one video so far."""

    players: list[PlayerAnswer] = field(default_factory=list)
    cues: tuple[CaptionCue, ...] = ()
    language: str | None = None
    automatic_captions: bool = False
    published: str | None = None
    consent_page_seen: bool = False

    def choose_details(self) -> VideoDetails:
        known = [one.videoDetails for one in self.players if one.videoDetails]
        return next((one for one in known if one.shortDescription), (known or [VideoDetails()])[0])


def find_route(url: str) -> SiteRoute | None:
    at = parse_site_address(url)
    if at is None:
        return None
    video = ""
    if at.host in {"youtu.be", "www.youtu.be"} and len(at.parts) == 1:
        video = at.find_part(0)
    elif at.host in _YOUTUBE_HOSTS and at.parts == ("watch",):
        video = at.query.get("v", "")
    elif (
        at.host in _YOUTUBE_HOSTS | _EMBED_HOSTS
        and len(at.parts) == 2
        and at.find_part(0) in _VIDEO_PATH_WORDS
    ):
        video = at.find_part(1)
    if not _VIDEO_ID_PATTERN.fullmatch(video):
        return None
    wish = _CAPTION_LANGUAGE_PATTERN.match(
        at.query.get("cc_lang_pref", at.query.get("hl", "")).lower()
    )
    return SiteRoute(url=url, kind="video", id=video, name=wish[0] if wish else "")


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    found = _VideoFindings()
    try:
        async with asyncio.timeout(_GATHER_TIMEOUT_SECONDS):
            await _gather_captions(route, kit, found)
    except TimeoutError:
        pass  # use what was found before the timeout
    if found.cues:
        return _build_transcript_page(route, kit, found)
    if clean_markup(found.choose_details().shortDescription) and not _is_missing_video(found):
        return _build_description_page(route, kit, found)
    if error := build_playback_error(route.url, found.players, consent=found.consent_page_seen):
        raise error
    return None


async def _gather_captions(route: SiteRoute, kit: SiteKit, found: _VideoFindings) -> None:
    for strategy in (_try_mobile_player, _try_watch_page):
        try:
            await strategy(route, kit, found)
        except (UpstreamError, NotFound, RefusedByPolicy):
            continue
        if found.cues:
            return
    if not _is_missing_video(found):
        await _try_guessed_languages(route, kit, found)


async def _try_mobile_player(route: SiteRoute, kit: SiteKit, found: _VideoFindings) -> None:
    """Ask the player API as the mobile app does; its caption addresses need no extra token."""
    try:
        html = await _fetch_watch_page(route, kit, YOUTUBE_MOBILE, found)
    except (UpstreamError, NotFound, RefusedByPolicy):
        html = ""  # the player often answers without the page's key
    key, visitor = _API_KEY_PATTERN.search(html), _VISITOR_DATA_PATTERN.search(html)
    client = _PLAYER_CLIENT | ({"visitorData": visitor[1]} if visitor else {})
    response = await kit.open_upstream(YOUTUBE_MOBILE).send_post(
        "/youtubei/v1/player",
        params={"key": key[1], "prettyPrint": "false"} if key else {"prettyPrint": "false"},
        headers={"x-youtube-client-name": "28", "x-youtube-client-version": "1.65.10"},
        json={
            "context": {"client": client},
            "videoId": route.id,
            "contentCheckOk": True,
            "racyCheckOk": True,
        },
    )
    await _fetch_captions(route, kit, found, parse_player_answer(response.parse_json()))


async def _try_watch_page(route: SiteRoute, kit: SiteKit, found: _VideoFindings) -> None:
    html = await _fetch_watch_page(route, kit, YOUTUBE_WEB, found)
    await _fetch_captions(route, kit, found, find_initial_player(html))


async def _try_guessed_languages(route: SiteRoute, kit: SiteKit, found: _VideoFindings) -> None:
    """Try the caption address directly, in the languages that most videos have."""
    own = (route.name,) if route.name and route.name not in _GUESSED_LANGUAGES else ()
    for language in (*own, *_GUESSED_LANGUAGES):
        params = {"v": route.id, "lang": language, "fmt": "vtt"}
        try:
            response = await kit.open_upstream(YOUTUBE_WEB).send_get(
                "/api/timedtext", params=params
            )
        except (UpstreamError, NotFound, RefusedByPolicy):
            return
        if cues := video_captions.parse_captions(response.decode_text()):
            found.cues, found.language = cues, language[:2]
            return


async def _fetch_watch_page(
    route: SiteRoute, kit: SiteKit, endpoint: SiteEndpoint, found: _VideoFindings
) -> str:
    """The watch page's HTML; "" if a consent page or a redirect came instead."""
    response = await kit.fetch_site_page(
        endpoint,
        "/watch",
        params={"v": route.id, "hl": "en"},
        redirects=RedirectPolicy.NONE,
        accept=_REDIRECT_STATUSES,
    )
    html = response.decode_text() if response.status not in _REDIRECT_STATUSES else ""
    if _is_consent_page(response, html):
        found.consent_page_seen = True
        return ""
    date = _PUBLISH_DATE_PATTERN.search(html)
    found.published = found.published or (date[1] if date else None)
    return html


def _is_consent_page(response: HttpResponse, html: str) -> bool:
    goal = parse_site_address(response.headers.get("location", ""))
    if goal is not None and goal.host in {"consent.youtube.com", "consent.google.com"}:
        return True
    return bool(_CONSENT_FORM_PATTERN.search(html))


async def _fetch_captions(
    route: SiteRoute, kit: SiteKit, found: _VideoFindings, player: PlayerAnswer | None
) -> None:
    if player is None:
        return
    found.players.append(player)
    wanted = dict.fromkeys(one for one in (route.name, "en") if one)
    track = choose_caption_track(player, tuple(wanted))
    params = _build_caption_params(track.baseUrl) if track else None
    if track is None or params is None:
        return
    response = await kit.open_upstream(YOUTUBE_WEB).send_get("/api/timedtext", params=params)
    if cues := video_captions.parse_captions(response.decode_text()):
        language = _CAPTION_LANGUAGE_PATTERN.match(track.language)
        found.cues, found.language = cues, language[0] if language else None
        found.automatic_captions = track.is_automatic


def _build_caption_params(base_url: str) -> tuple[tuple[str, str], ...] | None:
    """The query of a caption address; None if it does not lead to YouTube's captions."""
    try:
        parts = urlsplit(base_url)
        host = parts.hostname or "www.youtube.com"
    except ValueError:
        return None
    if parts.path != "/api/timedtext" or not is_within_domain(host, "youtube.com"):
        return None
    kept = [(name, value) for name, value in parse_qsl(parts.query) if name != "fmt"]
    return (*kept, ("fmt", "vtt"))


def _is_missing_video(found: _VideoFindings) -> bool:
    return bool(found.players) and all(one.playability.status == "ERROR" for one in found.players)


def _build_transcript_page(route: SiteRoute, kit: SiteKit, found: _VideoFindings) -> Page:
    cut = truncate_text(
        video_captions.render_transcript(found.cues, lambda at: _build_watch_address(route, at)),
        _MAX_TRANSCRIPT_BYTES,
    )
    by_machine = "The captions were generated automatically."
    return _build_video_page(
        route,
        kit,
        found,
        f"## Transcript\n\n{cut.text}",
        language=found.language,
        truncated=cut.truncated,
        highlights=choose_transcript_highlights(found.cues, language=found.language),
        notes=(by_machine,) if found.automatic_captions else (),
    )


def _build_description_page(route: SiteRoute, kit: SiteKit, found: _VideoFindings) -> Page:
    problem = find_playback_problem(found.players)
    reason = problem.description if problem else "no captions could be read"
    note = f"No transcript ({reason}). This is the video's description."
    text = markdown_parts.convert_plain_text(found.choose_details().shortDescription)
    body = f"*{markdown_parts.format_inline_text(note)}*\n\n## Description\n\n{text}"
    return _build_video_page(route, kit, found, body, quality="partial", notes=(note,))


def _build_video_page(
    route: SiteRoute, kit: SiteKit, found: _VideoFindings, body: str, **more: object
) -> Page:
    about = found.choose_details()
    title = clean_markup(about.title) or f"YouTube video {route.id}"
    length = about.lengthSeconds or 0
    line = markdown_parts.join_facts(
        markdown_parts.format_inline_text(about.author),
        trim_to_date(found.published),
        video_captions.format_video_time(length) if 0 < length < 10**7 else "",
        markdown_parts.format_count(about.viewCount, "view"),
    )
    return kit.build_page(
        route,
        content=markdown_parts.join_blocks([markdown_parts.format_heading(title), line, body]),
        content_type="youtube",
        title=title,
        final_url=_build_watch_address(route),
        author=clean_markup(about.author) or None,
        site="YouTube",
        published=found.published,
        published_basis="meta",
        **more,
    )


def _build_watch_address(route: SiteRoute, at: int = 0) -> str:
    moment = f"&t={at}s" if at else ""
    return f"https://www.youtube.com/watch?v={route.id}{moment}"
