"""Reads one video: its captions by the first way that works, or else its description."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from citewell.errors import CitewellError, FailureReason, NotFound, RefusedByPolicy, UpstreamError
from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.site_kit import SiteEndpoint, SiteKit, SiteRoute, trim_to_date
from citewell.fetch.sites.youtube import watch_pages, youtube_clients, youtube_player
from citewell.fetch.sites.youtube.transcripts import (
    VideoTranscript,
    build_watch_address,
    read_transcript,
)
from citewell.fetch.sites.youtube.video_captions import format_video_time
from citewell.fetch.sites.youtube.youtube_clients import InnerTubeClient, PageSession
from citewell.fetch.sites.youtube.youtube_player import PlayerAnswer, VideoDetails
from citewell.model.page import Page
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.web.addresses import is_within_domain

CAPTION_LANGUAGE_PATTERN = re.compile(r"[a-z]{2,3}(?=$|-)")
_GATHER_TIMEOUT_SECONDS = 30.0
_GUESSED_LANGUAGES = ("en", "en-US", "en-GB")
_MACHINE_NOTE = "The captions were generated automatically."


@dataclass(slots=True, kw_only=True)
class _VideoFindings:
    """What has been found out about one video so far."""

    players: list[PlayerAnswer] = field(default_factory=list)
    session: PageSession = field(default_factory=PageSession)
    transcript: VideoTranscript | None = None
    language: str | None = None
    automatic_captions: bool = False
    published: str | None = None
    consent_page_seen: bool = False
    failures: list[str] = field(default_factory=list)  # each way that gave no captions, and why

    def choose_details(self) -> VideoDetails:
        known = [one.videoDetails for one in self.players if one.videoDetails]
        return next((one for one in known if one.shortDescription), (known or [VideoDetails()])[0])

    @property
    def is_missing(self) -> bool:
        """Every application says so; some applications do not know all videos."""
        return bool(self.players) and all(one.playability.status == "ERROR" for one in self.players)

    @property
    def is_settled(self) -> bool:
        problem = youtube_player.find_playback_problem(self.players[-1:])
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
    asked = found.describe_failures()
    if error := youtube_player.build_playback_error(route.url, found.players, asked=asked):
        raise error
    if found.consent_page_seen and not found.players:
        raise youtube_player.build_consent_page_error(route.url)
    return None


async def _gather_captions(route: SiteRoute, kit: SiteKit, found: _VideoFindings) -> None:
    """Ask one way after the other, until there are captions or an answer that settles it."""
    await _try_page_session(route, kit, found)
    ways = (
        youtube_clients.VR_CLIENT,  # its caption addresses need no extra token
        None,
        youtube_clients.ANDROID_CLIENT,
        youtube_clients.IOS_CLIENT,
    )
    for client in ways:
        try:
            if client is None:
                page = await _fetch_watch_page(route, kit, youtube_clients.YOUTUBE_WEB, found)
                player = page.player
            else:
                player = await _ask_player(route, kit, client, found.session)
            said = await _fetch_captions(route, kit, found, player)
        except (UpstreamError, NotFound, RefusedByPolicy) as error:
            said = _describe_failure(error)
        if found.transcript is not None or found.is_settled:
            return
        found.failures.append(f"{client.label if client else 'the watch page'} ({said})")
    if not found.is_missing:
        await _try_guessed_languages(route, kit, found)


def _describe_failure(error: CitewellError) -> str:
    if error.http_status:
        return f"HTTP {error.http_status}"
    return (error.detail or error.message).rstrip(".")


async def _try_page_session(route: SiteRoute, kit: SiteKit, found: _VideoFindings) -> None:
    """Get from the mobile page what the player API likes to be told; it often answers without."""
    try:
        await _fetch_watch_page(route, kit, youtube_clients.YOUTUBE_MOBILE, found)
    except (UpstreamError, NotFound, RefusedByPolicy):
        return


async def _ask_player(
    route: SiteRoute, kit: SiteKit, client: InnerTubeClient, session: PageSession
) -> PlayerAnswer | None:
    body = {"videoId": route.id, "contentCheckOk": True, "racyCheckOk": True}
    response = await youtube_clients.ask_innertube(kit, client, "player", body, session)
    return await kit.run_apart(youtube_player.parse_player_body, response.decode_text())


async def _fetch_watch_page(
    route: SiteRoute, kit: SiteKit, endpoint: SiteEndpoint, found: _VideoFindings
) -> watch_pages.WatchPage:
    """The watch page, with its date and session noted; raises if a consent page came instead."""
    try:
        html = await youtube_clients.fetch_youtube_page(kit, endpoint, "/watch", {"v": route.id})
        page = await kit.run_apart(watch_pages.read_watch_page, html)
        if page.is_consent_page:
            raise youtube_clients.build_consent_report(endpoint)
    except UpstreamError as error:
        if error.reason is FailureReason.CONSENT_PAGE:
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
    wanted = dict.fromkeys(one for one in (route.name, "en") if one)
    track = youtube_player.choose_caption_track(player, tuple(wanted))
    params = _build_caption_params(track.baseUrl) if track else None
    if track is None or params is None:
        problem = youtube_player.find_playback_problem([player])
        return problem.description if problem else "no captions listed"
    response = await kit.open_upstream(youtube_clients.YOUTUBE_WEB).send_get(
        "/api/timedtext", params=params
    )
    language = CAPTION_LANGUAGE_PATTERN.match(track.language)
    found.language = language[0] if language else None
    found.automatic_captions = track.is_automatic
    found.transcript = await kit.run_apart(
        read_transcript, response.decode_text(), video=route.id, language=found.language
    )
    return "empty captions"


async def _try_guessed_languages(route: SiteRoute, kit: SiteKit, found: _VideoFindings) -> None:
    """Try the caption address directly, in the languages that most videos have."""
    own = (route.name,) if route.name and route.name not in _GUESSED_LANGUAGES else ()
    for language in (*own, *_GUESSED_LANGUAGES):
        params = {"v": route.id, "lang": language, "fmt": "vtt"}
        try:
            response = await kit.open_upstream(youtube_clients.YOUTUBE_WEB).send_get(
                "/api/timedtext", params=params
            )
        except (UpstreamError, NotFound, RefusedByPolicy) as error:
            found.failures.append(f"the caption address ({_describe_failure(error)})")
            return
        found.language, found.automatic_captions = language[:2], False
        found.transcript = await kit.run_apart(
            read_transcript, response.decode_text(), video=route.id, language=found.language
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
    route: SiteRoute, kit: SiteKit, found: _VideoFindings, transcript: VideoTranscript
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
    problem = youtube_player.find_playback_problem(found.players)
    about = found.choose_details()
    live = "the stream is still running" if about.isLive else "no captions could be read"
    reason = problem.description if problem else live
    note = f"No transcript ({reason}). This is the video's description."
    text = markdown_parts.convert_plain_text(about.shortDescription)
    body = f"*{markdown_parts.format_inline_text(note)}*\n\n## Description\n\n{text}"
    notes = tuple(one for one in (note, found.describe_failures()) if one)
    return _build_video_page(route, kit, found, body, quality="partial", notes=notes)


def _build_video_page(
    route: SiteRoute, kit: SiteKit, found: _VideoFindings, body: str, **more: object
) -> Page:
    about = found.choose_details()
    title = clean_markup(about.title) or f"YouTube video {route.id}"
    length = about.lengthSeconds or 0
    line = markdown_parts.join_facts(
        markdown_parts.format_inline_text(about.author),
        trim_to_date(found.published),
        format_video_time(length) if 0 < length < 10**7 else "",
        markdown_parts.format_count(about.viewCount, "view"),
    )
    return kit.build_page(
        route,
        content=markdown_parts.join_blocks([markdown_parts.format_heading(title), line, body]),
        content_type="youtube",
        title=title,
        final_url=build_watch_address(route.id),
        author=clean_markup(about.author) or None,
        site="YouTube",
        published=found.published,
        published_basis="meta",
        **more,
    )
