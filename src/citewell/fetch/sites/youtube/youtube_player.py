"""YouTube's player response: a video's playability, details and caption tracks."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from pydantic import ValidationError

from citewell.dialects.json_responses import OptionalField, ResponsePart, TolerantItems
from citewell.errors import AuthRequired, Blocked, CitewellError, NotFound
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.safety.secret_masking import mask_secrets

_INITIAL_PLAYER_PATTERN = re.compile(r"ytInitialPlayerResponse\s*=\s*(?=\{)")
_MAX_PLAYER_TRIES = 3
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
    title: OptionalField[str] = None
    author: OptionalField[str] = None
    shortDescription: OptionalField[str] = None  # noqa: N815 - the upstream's word
    lengthSeconds: OptionalField[int] = None  # noqa: N815 - the upstream's word
    viewCount: OptionalField[int] = None  # noqa: N815 - the upstream's word


class _PlayabilityStatus(ResponsePart):
    status: OptionalField[str] = None
    reason: OptionalField[str] = None
    reasonTitle: OptionalField[str] = None  # noqa: N815 - the upstream's word
    desktopLegacyAgeGateReason: OptionalField[int] = None  # noqa: N815 - the upstream's word


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


def find_initial_player(html: str) -> PlayerAnswer | None:
    """The player response in a watch page's script, or None."""
    for match in islice(_INITIAL_PLAYER_PATTERN.finditer(html), _MAX_PLAYER_TRIES):
        try:
            value, _ = json.JSONDecoder().raw_decode(html, match.end())
        except (ValueError, RecursionError):
            continue
        if player := parse_player_answer(value):
            return player
    return None


def choose_caption_track(player: PlayerAnswer, wanted: Sequence[str]) -> CaptionTrack | None:
    """A track in a wanted language, manual before automatic; else the default track, else any."""
    for language in wanted:
        same = [one for one in player.caption_tracks if one.language.split("-")[0] == language]
        if same:
            return min(same, key=lambda one: (one.is_automatic, one.language != language))
    by_people = [one for one in player.caption_tracks if not one.is_automatic]
    return player.default_track or next(iter([*by_people, *player.caption_tracks]), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybackProblem:
    """Why a video cannot be played."""

    description: str  # a few words
    youtube_reason: str  # as YouTube says it; empty if it says nothing
    is_age_restricted: bool = False


def find_playback_problem(players: Sequence[PlayerAnswer]) -> PlaybackProblem | None:
    """Why a video cannot be played; None if some player allows it or none answered."""
    troubled = [one.playability for one in players if one.playability.status not in {None, "OK"}]
    if not troubled or len(troubled) < len(players):
        return None
    state = troubled[-1]
    said = clean_markup(state.reason or state.reasonTitle).rstrip(".")
    gated = state.desktopLegacyAgeGateReason or (state.status or "").startswith("AGE_")
    if gated or (state.status == "LOGIN_REQUIRED" and _AGE_LIMIT_PATTERN.search(said)):
        return PlaybackProblem(
            description=f"age-restricted: {said or 'viewers must sign in'}",
            youtube_reason=said,
            is_age_restricted=True,
        )
    told = said or clean_markup(state.status).lower().replace("_", " ")
    return PlaybackProblem(description=told, youtube_reason=told)


def build_playback_error(
    url: str, players: Sequence[PlayerAnswer], *, consent: bool
) -> CitewellError | None:
    """The error for a video that cannot be played; None if no reason is known."""
    problem = find_playback_problem(players)
    if problem is None:
        if consent and not players:
            said = (
                f"Blocked: {mask_secrets(url)} shows YouTube's consent page instead of the video."
            )
            return Blocked(said, detail="consent page")
        return None
    reason, theirs = problem.description, problem.youtube_reason
    said = f"{mask_secrets(url)}: YouTube's reason for not playing it: {reason}."
    status = players[-1].playability.status
    if status == "ERROR":
        return NotFound(f"Not found: {said}", detail=reason)
    login = status == "LOGIN_REQUIRED" and not _BOT_CHECK_PATTERN.search(theirs)
    if problem.is_age_restricted or login or _PRIVATE_VIDEO_PATTERN.search(theirs):
        return AuthRequired(f"Auth required: {said}", detail=reason, action="inform_user")
    return Blocked(f"Blocked: {said}", detail=reason)
