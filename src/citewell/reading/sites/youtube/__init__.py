"""Reads YouTube: a video by its captions, else its description; playlists and channels as lists."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from citewell.core import errors
from citewell.core.values.page import Page
from citewell.reading.sites import site_markdown
from citewell.reading.sites.site_kit import (
    SiteAddress,
    SiteEndpoint,
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    parse_site_address,
    trim_to_date,
)
from citewell.reading.sites.youtube import transcripts, watch_pages, youtube_listings
from citewell.reading.sites.youtube.listed_videos import VIDEO_ID_PATTERN
from citewell.reading.sites.youtube.video_listings import CHANNEL_ID_PATTERN
from citewell.reading.sites.youtube.watch_pages import (
    InnerTubeClient as InnerTubeClient,
)
from citewell.reading.sites.youtube.watch_pages import (
    PageSession,
    PlayerAnswer,
    VideoDetails,
)
from citewell.text.addresses import is_within_domain
from citewell.text.safety.text_cleaning import clean_markup

CAPTION_LANGUAGE_PATTERN = re.compile(r"[a-z]{2,3}(?=$|-)")
_GATHER_TIMEOUT_SECONDS = 30.0
_GUESSED_LANGUAGES = ("en", "en-US", "en-GB")
_MACHINE_NOTE = "The captions were generated automatically."

ENDPOINTS = (watch_pages.YOUTUBE_WEB, watch_pages.YOUTUBE_MOBILE)

_YOUTUBE_HOSTS = {"youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com"}
_EMBED_HOSTS = {"youtube-nocookie.com", "www.youtube-nocookie.com"}
_VIDEO_PATH_WORDS = {"embed", "shorts", "live", "v", "e"}
_PLAYLIST_PATHS = {("playlist",), ("watch",), ("embed", "videoseries")}
_PLAYLIST_ID_PATTERN = re.compile(r"[A-Za-z0-9_-]{2,80}")
_HANDLE_PATTERN = re.compile(r"@[\w.\-·]{1,100}")
_CHANNEL_NAME_PATTERN = re.compile(r"[\w.\-·]{1,100}")
_CHANNEL_TABS = {"": "videos", "featured": "videos", "about": "videos", "videos": "videos", "streams": "streams", "shorts": "shorts"}  # fmt: skip


def find_route(url: str) -> SiteRoute | None:
    """The route: `name` is the wished language of a video's captions, or the tab of a channel."""
    at = parse_site_address(url)
    if at is None:
        return None
    return _find_video_route(url, at) or _find_playlist_route(url, at) or _find_channel_route(url, at)  # fmt: skip


def _find_video_route(url: str, at: SiteAddress) -> SiteRoute | None:
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
    if not VIDEO_ID_PATTERN.fullmatch(video):
        return None
    language = CAPTION_LANGUAGE_PATTERN.match(
        at.query.get("cc_lang_pref", at.query.get("hl", "")).lower()
    )
    return SiteRoute(url=url, kind="video", id=video, name=language[0] if language else "")


def _find_playlist_route(url: str, at: SiteAddress) -> SiteRoute | None:
    playlist = at.query.get("list", "")
    if at.host not in _YOUTUBE_HOSTS | _EMBED_HOSTS or at.parts not in _PLAYLIST_PATHS:
        return None
    if "v" in at.query or not _PLAYLIST_ID_PATTERN.fullmatch(playlist):
        return None
    return SiteRoute(url=url, kind="playlist", id=playlist)


def _find_channel_route(url: str, at: SiteAddress) -> SiteRoute | None:
    if at.host not in _YOUTUBE_HOSTS or not at.parts:
        return None
    first, second = at.find_part(0), at.find_part(1)
    channel = ""
    if _HANDLE_PATTERN.fullmatch(first):
        parts = at.parts[:1]
    elif first == "channel" and CHANNEL_ID_PATTERN.fullmatch(second):
        parts, channel = at.parts[:2], second
    elif first in {"c", "user"} and _CHANNEL_NAME_PATTERN.fullmatch(second):
        parts = at.parts[:2]
    else:
        return None
    rest = at.parts[len(parts) :]
    tab = _CHANNEL_TABS.get("/".join(rest))
    if tab is None:
        return None
    return SiteRoute(url=url, kind="channel", id=channel, name=tab, path=f"/{'/'.join(parts)}")


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    if route.kind == "video":
        return await read_video(route, kit)
    return await youtube_listings.read_video_listing(route, kit)


# Reads one video: its captions by the first way that works, or else its description.


@dataclass(slots=True, kw_only=True)
class _VideoFindings:
    """What has been found out about one video so far."""

    players: list[PlayerAnswer] = field(default_factory=list)
    session: PageSession = field(default_factory=PageSession)
    transcript: transcripts.VideoTranscript | None = None
    language: str | None = None
    automatic_captions: bool = False
    published: str | None = None
    consent_page_seen: bool = False
    failures: list[str] = field(default_factory=list)  # each way that gave no captions, and why

    def choose_details(self) -> VideoDetails:
        known = [player.videoDetails for player in self.players if player.videoDetails]
        described = (details for details in known if details.shortDescription)
        return next(described, (known or [VideoDetails()])[0])

    @property
    def is_missing(self) -> bool:
        """Every application says so; some applications do not know all videos."""
        statuses = {player.playability.status for player in self.players}
        return statuses == {"ERROR"}

    @property
    def is_settled(self) -> bool:
        problem = watch_pages.find_playback_problem(self.players[-1:])
        return bool(problem and problem.is_settled) or (self.is_missing and len(self.players) > 1)

    def describe_failures(self) -> str:
        return f"Asked in vain: {'; '.join(self.failures)}." if self.failures else ""


async def read_video(route: SiteRoute, kit: SiteKit) -> Page | None:
    found = _VideoFindings()
    try:
        async with asyncio.timeout(_GATHER_TIMEOUT_SECONDS):
            await _gather_captions(route, kit, found)
    except TimeoutError:
        found.failures.append("time ran out")  # use what was found before
    if found.transcript is not None:
        return _build_transcript_page(route, kit, found, found.transcript)
    if clean_markup(found.choose_details().shortDescription) and not found.is_missing:
        return _build_description_page(route, kit, found)
    attempts = found.describe_failures()
    if error := watch_pages.build_playback_error(route.url, found.players, attempts=attempts):
        raise error
    if found.consent_page_seen and not found.players:
        raise watch_pages.build_consent_page_error(route.url)
    return None


async def _gather_captions(route: SiteRoute, kit: SiteKit, found: _VideoFindings) -> None:
    """Ask one way after the other, until there are captions or an answer that settles it."""
    # The mobile page gives what the player API likes to be told; it often answers without.
    with suppress(errors.UpstreamError, errors.NotFound, errors.RefusedByPolicy):
        await _fetch_watch_page(route, kit, watch_pages.YOUTUBE_MOBILE, found)
    ways = (
        watch_pages.VR_CLIENT,  # its caption addresses need no extra token
        None,
        watch_pages.ANDROID_CLIENT,
        watch_pages.IOS_CLIENT,
    )
    for client in ways:
        try:
            if client is None:
                page = await _fetch_watch_page(route, kit, watch_pages.YOUTUBE_WEB, found)
                player = page.player
            else:
                body = {"videoId": route.id, "contentCheckOk": True, "racyCheckOk": True}
                response = await watch_pages.ask_innertube(
                    kit, client, "player", body, found.session
                )
                player = await kit.run_apart(watch_pages.parse_player_body, response.decode_text())
            outcome = await _fetch_captions(route, kit, found, player)
        except (errors.UpstreamError, errors.NotFound, errors.RefusedByPolicy) as error:
            outcome = _describe_failure(error)
        if found.transcript is not None or found.is_settled:
            return
        found.failures.append(f"{client.label if client else 'the watch page'} ({outcome})")
    if not found.is_missing:
        await _try_guessed_languages(route, kit, found)


def _describe_failure(error: errors.CitewellError) -> str:
    if error.http_status:
        return f"HTTP {error.http_status}"
    return (error.detail or error.message).rstrip(".")


async def _fetch_watch_page(
    route: SiteRoute, kit: SiteKit, endpoint: SiteEndpoint, found: _VideoFindings
) -> watch_pages.WatchPage:
    """The watch page, with its date and session noted; raises if a consent page came instead."""
    try:
        html = await watch_pages.fetch_youtube_page(kit, endpoint, "/watch", {"v": route.id})
        page = await kit.run_apart(watch_pages.read_watch_page, html)
        if page.is_consent_page:
            raise watch_pages.build_consent_report(endpoint)
    except errors.UpstreamError as error:
        if error.reason is errors.FailureReason.CONSENT_PAGE:
            found.consent_page_seen = True
        raise
    found.published = found.published or page.published
    if page.session.api_key:
        found.session = page.session
    return page


async def _fetch_captions(
    route: SiteRoute, kit: SiteKit, found: _VideoFindings, player: PlayerAnswer | None
) -> str:
    """Fetch the captions that a player response lists; returns why there are none."""
    shown = player.videoDetails.videoId if player and player.videoDetails else None
    if player is None or (shown and shown != route.id):
        return "no usable answer"
    found.players.append(player)
    wanted = dict.fromkeys(filter(None, (route.name, "en")))
    track = watch_pages.choose_caption_track(player, tuple(wanted))
    params = _build_caption_params(track.baseUrl) if track else None
    if track is None or params is None:
        problem = watch_pages.find_playback_problem([player])
        return problem.description if problem else "no captions listed"
    response = await kit.open_upstream(watch_pages.YOUTUBE_WEB).send_get(
        "/api/timedtext", params=params
    )
    language = CAPTION_LANGUAGE_PATTERN.match(track.language)
    found.language = language[0] if language else None
    found.automatic_captions = track.is_automatic
    found.transcript = await kit.run_apart(
        transcripts.read_transcript, response.decode_text(), video=route.id, language=found.language
    )
    return "empty captions"


async def _try_guessed_languages(route: SiteRoute, kit: SiteKit, found: _VideoFindings) -> None:
    """Try the caption address directly, in the languages that most videos have."""
    own = (route.name,) if route.name and route.name not in _GUESSED_LANGUAGES else ()
    for language in (*own, *_GUESSED_LANGUAGES):
        params = {"v": route.id, "lang": language, "fmt": "vtt"}
        try:
            response = await kit.open_upstream(watch_pages.YOUTUBE_WEB).send_get(
                "/api/timedtext", params=params
            )
        except (errors.UpstreamError, errors.NotFound, errors.RefusedByPolicy) as error:
            found.failures.append(f"the caption address ({_describe_failure(error)})")
            return
        found.language, found.automatic_captions = language[:2], False
        found.transcript = await kit.run_apart(
            transcripts.read_transcript,
            response.decode_text(),
            video=route.id,
            language=found.language,
        )
        if found.transcript is not None:
            return
    found.failures.append("the caption address (empty captions)")


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


def _build_transcript_page(
    route: SiteRoute, kit: SiteKit, found: _VideoFindings, transcript: transcripts.VideoTranscript
) -> Page:
    return _build_video_page(
        route,
        kit,
        found,
        f"## Transcript\n\n{transcript.markdown}",
        language=found.language,
        truncated=transcript.truncated,
        highlights=transcript.highlights,
        notes=(_MACHINE_NOTE,) if found.automatic_captions else (),
    )


def _build_description_page(route: SiteRoute, kit: SiteKit, found: _VideoFindings) -> Page:
    problem = watch_pages.find_playback_problem(found.players)
    about = found.choose_details()
    live = "the stream is still running" if about.isLive else "no captions could be read"
    reason = problem.description if problem else live
    note = f"No transcript ({reason}). This is the video's description."
    text = site_markdown.convert_plain_text(about.shortDescription)
    body = f"*{site_markdown.format_inline_text(note)}*\n\n## Description\n\n{text}"
    notes = tuple(filter(None, (note, found.describe_failures())))
    return _build_video_page(route, kit, found, body, quality="partial", notes=notes)


def _build_video_page(
    route: SiteRoute, kit: SiteKit, found: _VideoFindings, body: str, **more: object
) -> Page:
    about = found.choose_details()
    title = clean_markup(about.title) or f"YouTube video {route.id}"
    length = about.lengthSeconds or 0
    line = site_markdown.join_facts(
        site_markdown.format_inline_text(about.author),
        trim_to_date(found.published),
        transcripts.format_video_time(length) if 0 < length < 10**7 else "",
        site_markdown.format_count(about.viewCount, "view"),
    )
    return kit.build_page(
        route,
        content=(site_markdown.format_heading(title), line, body),
        content_type="youtube",
        title=title,
        final_url=transcripts.build_watch_address(route.id),
        author=clean_markup(about.author) or None,
        site="YouTube",
        published=found.published,
        published_basis="meta",
        **more,
    )
