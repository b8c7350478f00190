"""YouTube's player response: a video's playability, details and caption tracks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from citewell.dialects.json_responses import OptionalField, ResponsePart, TolerantItems
from citewell.errors import AuthRequired, Blocked, CitewellError, ContentEmpty, NotFound
from citewell.fetch.sites.site_kit import format_epoch_time
from citewell.fetch.sites.youtube.embedded_json import parse_json_object
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.safety.secret_masking import mask_secrets

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
        return format_epoch_time(shown.scheduledStartTime) if shown else None


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
    spoken = [one.base_language for one in player.caption_tracks if one.is_automatic]
    own = [default.base_language] if default else []
    for language in (*wanted, *own, *spoken):
        same = [one for one in player.caption_tracks if one.base_language == language]
        if same:
            return min(same, key=lambda one: (one.is_automatic, one.language != language))
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
    found = [_describe_playability(one.playability) for one in players]
    known = [one for one in found if one is not None]
    if not known or len(known) < len(players):
        return None
    return next((one for one in reversed(known) if not one.is_bot_check), known[-1])


def _describe_playability(state: _PlayabilityStatus) -> PlaybackProblem | None:
    status = state.status or ""
    if status in {"", "OK"}:
        return None
    said = clean_markup(state.reason or state.reasonTitle).rstrip(".")
    gated = state.desktopLegacyAgeGateReason or status.startswith("AGE_")
    if gated or (status == "LOGIN_REQUIRED" and _AGE_LIMIT_PATTERN.search(said)):
        return PlaybackProblem(
            status=status,
            description=f"age-restricted: {said or 'viewers must sign in'}",
            youtube_reason=said,
            is_age_restricted=True,
        )
    told = said or clean_markup(status).lower().replace("_", " ")
    if status == "LIVE_STREAM_OFFLINE" and state.scheduled_start:
        told += f" (scheduled for {state.scheduled_start})"
    return PlaybackProblem(status=status, description=told, youtube_reason=told)


def build_playback_error(
    url: str, players: Sequence[PlayerAnswer], *, asked: str = ""
) -> CitewellError | None:
    """The error for a video that cannot be played; None if no reason is known.

    `asked` is a sentence about the ways that were tried, for a refusal that was not about the video.
    """
    problem = find_playback_problem(players)
    if problem is None:
        return None
    reason = problem.description
    said = f"{mask_secrets(url)}: YouTube's reason for not playing it: {reason}."
    if problem.is_not_started:
        message = f"No content extracted from {mask_secrets(url)}: it has not started: {reason}."
        return ContentEmpty(message, detail=reason)
    if problem.status == "ERROR":
        return NotFound(f"Not found: {said}", detail=reason)
    login = problem.status == "LOGIN_REQUIRED" and not problem.is_bot_check
    if problem.is_age_restricted or login or problem.is_private:
        return AuthRequired(f"Auth required: {said}", detail=reason, action="inform_user")
    return Blocked(f"Blocked: {said} {asked}".rstrip(), detail=reason)


def build_consent_page_error(url: str) -> Blocked:
    said = f"Blocked: {mask_secrets(url)} shows YouTube's consent page instead of its content."
    return Blocked(said, detail="consent page")
