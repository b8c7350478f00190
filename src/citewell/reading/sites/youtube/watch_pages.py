"""Reads a watch page and YouTube's player response: playability, details, caption tracks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from pydantic import ValidationError

from citewell.core import errors
from citewell.net.http.messages import HttpResponse, RedirectPolicy
from citewell.net.upstream.json_responses import OptionalField, ResponsePart, TolerantItems
from citewell.reading.sites import site_kit
from citewell.reading.sites.youtube.listed_videos import find_embedded_object, parse_json_object
from citewell.text.safety.secret_masking import mask_secrets
from citewell.text.safety.text_cleaning import clean_markup

_AGE_LIMIT_PATTERN = re.compile(r"\bage\b|inappropriate|mature", re.IGNORECASE)
_BOT_CHECK_PATTERN = re.compile(r"not a bot|unusual traffic", re.IGNORECASE)
_PRIVATE_VIDEO_PATTERN = re.compile(r"\bprivate\b|members[- ]only|join this channel", re.IGNORECASE)


class CaptionTrack(ResponsePart):
    baseUrl: str  # noqa: N815 - the upstream's word
    languageCode: OptionalField[str] = None  # noqa: N815 - the upstream's word
    kind: OptionalField[str] = None  # "asr" for automatic captions

    @property
    def language(self) -> str:
        return (self.languageCode or "").lower()

    @property
    def base_language(self) -> str:
        return self.language.split("-")[0]

    @property
    def is_automatic(self) -> bool:
        return self.kind == "asr"


class _AudioTrack(ResponsePart):
    defaultCaptionTrackIndex: OptionalField[int] = None  # noqa: N815 - the upstream's word


class _CaptionTrackList(ResponsePart):
    captionTracks: TolerantItems[CaptionTrack] = ()  # noqa: N815 - the upstream's word
    audioTracks: TolerantItems[_AudioTrack] = ()  # noqa: N815 - the upstream's word


class _PlayerCaptions(ResponsePart):
    playerCaptionsTracklistRenderer: OptionalField[_CaptionTrackList] = None  # noqa: N815 - the upstream's word


class VideoDetails(ResponsePart):
    videoId: OptionalField[str] = None  # noqa: N815 - the upstream's word
    title: OptionalField[str] = None
    author: OptionalField[str] = None
    shortDescription: OptionalField[str] = None  # noqa: N815 - the upstream's word
    lengthSeconds: OptionalField[int] = None  # noqa: N815 - the upstream's word
    viewCount: OptionalField[int] = None  # noqa: N815 - the upstream's word
    isLive: OptionalField[bool] = None  # noqa: N815 - the upstream's word


class _OfflineSlateRenderer(ResponsePart):
    scheduledStartTime: OptionalField[float] = None  # noqa: N815 - the upstream's word


class _OfflineSlate(ResponsePart):
    liveStreamOfflineSlateRenderer: OptionalField[_OfflineSlateRenderer] = None  # noqa: N815 - the upstream's word


class _LiveStreamabilityRenderer(ResponsePart):
    offlineSlate: OptionalField[_OfflineSlate] = None  # noqa: N815 - the upstream's word


class _LiveStreamability(ResponsePart):
    liveStreamabilityRenderer: OptionalField[_LiveStreamabilityRenderer] = None  # noqa: N815 - the upstream's word


class _PlayabilityStatus(ResponsePart):
    status: OptionalField[str] = None
    reason: OptionalField[str] = None
    reasonTitle: OptionalField[str] = None  # noqa: N815 - the upstream's word
    desktopLegacyAgeGateReason: OptionalField[int] = None  # noqa: N815 - the upstream's word
    liveStreamability: OptionalField[_LiveStreamability] = None  # noqa: N815 - the upstream's word

    @property
    def scheduled_start(self) -> str | None:
        """When a stream or premiere is to begin, as an ISO time."""
        stream = self.liveStreamability and self.liveStreamability.liveStreamabilityRenderer
        slate = stream.offlineSlate if stream else None
        shown = slate.liveStreamOfflineSlateRenderer if slate else None
        return site_kit.format_epoch_time(shown.scheduledStartTime) if shown else None


class PlayerAnswer(ResponsePart):
    playabilityStatus: OptionalField[_PlayabilityStatus] = None  # noqa: N815 - the upstream's word
    captions: OptionalField[_PlayerCaptions] = None
    videoDetails: OptionalField[VideoDetails] = None  # noqa: N815 - the upstream's word

    @property
    def playability(self) -> _PlayabilityStatus:
        return self.playabilityStatus or _PlayabilityStatus()

    @property
    def caption_tracks(self) -> tuple[CaptionTrack, ...]:
        found = self.captions and self.captions.playerCaptionsTracklistRenderer
        return found.captionTracks if found else ()

    @property
    def default_track(self) -> CaptionTrack | None:
        """The caption track of the video's default audio, or None."""
        found = self.captions and self.captions.playerCaptionsTracklistRenderer
        places = [audio.defaultCaptionTrackIndex for audio in found.audioTracks] if found else []
        place = places[0] if places else None
        return (
            self.caption_tracks[place]
            if place is not None and 0 <= place < len(self.caption_tracks)
            else None
        )


def parse_player_answer(value: object) -> PlayerAnswer | None:
    """The player response; None if the value is not one."""
    try:
        player = PlayerAnswer.model_validate(value)
    except ValidationError:
        return None
    return player if player.model_fields_set else None


def parse_player_body(body: str) -> PlayerAnswer | None:
    """The player response in an answer of the API; None if the body is something else."""
    return parse_player_answer(parse_json_object(body))


def choose_caption_track(player: PlayerAnswer, wanted: Sequence[str]) -> CaptionTrack | None:
    """A track in a wanted language, else in the video's own, manual before automatic; else any."""
    default = player.default_track
    # Automatic captions are in the language that is spoken.
    spoken = [track.base_language for track in player.caption_tracks if track.is_automatic]
    own = [default.base_language] if default else []
    for language in (*wanted, *own, *spoken):
        same = [track for track in player.caption_tracks if track.base_language == language]
        if same:
            return min(same, key=lambda track: (track.is_automatic, track.language != language))
    return default or next(iter(player.caption_tracks), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybackProblem:
    """Why a video cannot be played."""

    status: str
    description: str  # a few words
    youtube_reason: str  # as YouTube says it; empty if it says nothing
    is_age_restricted: bool = False

    @property
    def is_bot_check(self) -> bool:
        return bool(_BOT_CHECK_PATTERN.search(self.youtube_reason))

    @property
    def is_private(self) -> bool:
        return bool(_PRIVATE_VIDEO_PATTERN.search(self.youtube_reason))

    @property
    def is_not_started(self) -> bool:
        return self.status == "LIVE_STREAM_OFFLINE"

    @property
    def is_settled(self) -> bool:
        """No other application would be told otherwise."""
        return self.is_age_restricted or self.is_private or self.is_not_started


def find_playback_problem(players: Sequence[PlayerAnswer]) -> PlaybackProblem | None:
    """Why a video cannot be played; None if some player allows it or none answered.

    What is said about the video counts more than a bot check, which is about us.
    """
    found = [_describe_playability(player.playability) for player in players]
    known = [problem for problem in found if problem is not None]
    if not known or len(known) < len(players):
        return None
    return next((problem for problem in reversed(known) if not problem.is_bot_check), known[-1])


def _describe_playability(state: _PlayabilityStatus) -> PlaybackProblem | None:
    status = state.status or ""
    if status in {"", "OK"}:
        return None
    reason = clean_markup(state.reason or state.reasonTitle).rstrip(".")
    gated = state.desktopLegacyAgeGateReason or status.startswith("AGE_")
    if gated or (status == "LOGIN_REQUIRED" and _AGE_LIMIT_PATTERN.search(reason)):
        return PlaybackProblem(
            status=status,
            description=f"age-restricted: {reason or 'viewers must sign in'}",
            youtube_reason=reason,
            is_age_restricted=True,
        )
    description = reason or clean_markup(status).lower().replace("_", " ")
    if status == "LIVE_STREAM_OFFLINE" and state.scheduled_start:
        description += f" (scheduled for {state.scheduled_start})"
    return PlaybackProblem(status=status, description=description, youtube_reason=description)


def build_playback_error(
    url: str, players: Sequence[PlayerAnswer], *, attempts: str = ""
) -> errors.CitewellError | None:
    """The error for a video that cannot be played; None if no reason is known.

    `attempts` is a sentence about the ways that were tried, for a refusal that was not about the video.
    """
    problem = find_playback_problem(players)
    if problem is None:
        return None
    reason = problem.description
    statement = f"{mask_secrets(url)}: YouTube's reason for not playing it: {reason}."
    if problem.is_not_started:
        message = f"No content extracted from {mask_secrets(url)}: it has not started: {reason}."
        return errors.ContentEmpty(message, detail=reason)
    if problem.status == "ERROR":
        return errors.NotFound(f"Not found: {statement}", detail=reason)
    login = problem.status == "LOGIN_REQUIRED" and not problem.is_bot_check
    if problem.is_age_restricted or login or problem.is_private:
        return errors.AuthRequired(
            f"Auth required: {statement}", detail=reason, action="inform_user"
        )
    return errors.Blocked(f"Blocked: {statement} {attempts}".rstrip(), detail=reason)


def build_consent_page_error(url: str) -> errors.Blocked:
    message = f"Blocked: {mask_secrets(url)} shows YouTube's consent page instead of its content."
    return errors.Blocked(message, detail="consent page")


YOUTUBE_WEB = site_kit.SiteEndpoint(name="site_youtube", base_url="https://www.youtube.com")
YOUTUBE_MOBILE = site_kit.SiteEndpoint(name="site_youtube_mobile", base_url="https://m.youtube.com")

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
    endpoint: site_kit.SiteEndpoint = YOUTUBE_WEB
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
    kit: site_kit.SiteKit,
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
    kit: site_kit.SiteKit, endpoint: site_kit.SiteEndpoint, path: str, params: Mapping[str, str]
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
        goal = site_kit.parse_site_address(address)
        if goal is not None and goal.host in _CONSENT_HOSTS:
            raise build_consent_report(endpoint)
        if goal is None or goal.host not in _PAGE_HOSTS:
            break
        split = urlsplit(address)
        path, pairs = split.path, tuple(parse_qsl(split.query))
    raise errors.MalformedResponse("YouTube redirects to another page.", provider=endpoint.name)


def build_consent_report(endpoint: site_kit.SiteEndpoint) -> errors.MalformedResponse:
    message = "YouTube shows its consent page."
    return errors.MalformedResponse(
        message,
        provider=endpoint.name,
        detail="consent page",
        reason=errors.FailureReason.CONSENT_PAGE,
    )


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
