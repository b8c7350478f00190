"""What YouTube's player answers: whether a video may be seen, what it is, and its caption tracks."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import islice

from pydantic import ValidationError

from citewell.errors import AuthRequired, Blocked, CitewellError, NotFound
from citewell.net.answer import Items, Maybe, Part
from citewell.text.markup import clean
from citewell.text.secrets import masked

_INITIAL = re.compile(r"ytInitialPlayerResponse\s*=\s*(?=\{)")
_TRIES = 3
_AGE = re.compile(r"\bage\b|inappropriate|mature", re.IGNORECASE)
_BOT = re.compile(r"not a bot|unusual traffic", re.IGNORECASE)
_PRIVATE = re.compile(r"\bprivate\b|members[- ]only|join this channel", re.IGNORECASE)


class Track(Part):
    baseUrl: str  # noqa: N815 - the upstream's word
    languageCode: Maybe[str] = None  # noqa: N815 - the upstream's word
    kind: Maybe[str] = None  # "asr" when a machine listened

    @property
    def language(self) -> str:
        return (self.languageCode or "").lower()

    @property
    def automatic(self) -> bool:
        return self.kind == "asr"


class _Audio(Part):
    defaultCaptionTrackIndex: Maybe[int] = None  # noqa: N815 - the upstream's word


class _Tracks(Part):
    captionTracks: Items[Track] = ()  # noqa: N815 - the upstream's word
    audioTracks: Items[_Audio] = ()  # noqa: N815 - the upstream's word


class _Captions(Part):
    playerCaptionsTracklistRenderer: Maybe[_Tracks] = None  # noqa: N815 - the upstream's word


class Details(Part):
    title: Maybe[str] = None
    author: Maybe[str] = None
    shortDescription: Maybe[str] = None  # noqa: N815 - the upstream's word
    lengthSeconds: Maybe[int] = None  # noqa: N815 - the upstream's word
    viewCount: Maybe[int] = None  # noqa: N815 - the upstream's word


class _Playability(Part):
    status: Maybe[str] = None
    reason: Maybe[str] = None
    reasonTitle: Maybe[str] = None  # noqa: N815 - the upstream's word
    desktopLegacyAgeGateReason: Maybe[int] = None  # noqa: N815 - the upstream's word


class Player(Part):
    playabilityStatus: Maybe[_Playability] = None  # noqa: N815 - the upstream's word
    captions: Maybe[_Captions] = None
    videoDetails: Maybe[Details] = None  # noqa: N815 - the upstream's word

    @property
    def state(self) -> _Playability:
        return self.playabilityStatus or _Playability()

    @property
    def tracks(self) -> tuple[Track, ...]:
        found = self.captions and self.captions.playerCaptionsTracklistRenderer
        return found.captionTracks if found else ()

    @property
    def usual(self) -> Track | None:
        """The track that belongs to the video's own sound."""
        found = self.captions and self.captions.playerCaptionsTracklistRenderer
        places = [audio.defaultCaptionTrackIndex for audio in found.audioTracks] if found else []
        place = places[0] if places else None
        return self.tracks[place] if place is not None and 0 <= place < len(self.tracks) else None


def read_player(value: object) -> Player | None:
    """None when the answer is nothing of the kind."""
    try:
        player = Player.model_validate(value)
    except ValidationError:
        return None
    return player if player.model_fields_set else None


def initial_player(html: str) -> Player | None:
    """The player answer that a watch page carries in a script."""
    for match in islice(_INITIAL.finditer(html), _TRIES):
        try:
            value, _ = json.JSONDecoder().raw_decode(html, match.end())
        except (ValueError, RecursionError):
            continue
        if player := read_player(value):
            return player
    return None


def choose(player: Player, wanted: Sequence[str]) -> Track | None:
    """A wanted language, people before machines; else the video's own, else any."""
    for language in wanted:
        same = [one for one in player.tracks if one.language.split("-")[0] == language]
        if same:
            return min(same, key=lambda one: (one.automatic, one.language != language))
    by_people = [one for one in player.tracks if not one.automatic]
    return player.usual or next(iter([*by_people, *player.tracks]), None)


def hindrance(players: Sequence[Player]) -> str | None:
    """Why a video cannot be played, in a few words; None when nothing was said against it."""
    troubled = [one.state for one in players if one.state.status not in {None, "OK"}]
    if not troubled or len(troubled) < len(players):
        return None
    state = troubled[-1]
    said = clean(state.reason or state.reasonTitle).rstrip(".")
    if state.desktopLegacyAgeGateReason or (state.status or "").startswith("AGE_"):
        return f"age-restricted: {said or 'viewers must sign in'}"
    if state.status == "LOGIN_REQUIRED" and _AGE.search(said):
        return f"age-restricted: {said}"
    return said or clean(state.status).lower().replace("_", " ")


def verdict(url: str, players: Sequence[Player], *, consent: bool) -> CitewellError | None:
    """The error that says what stands before the video; None when nobody said anything."""
    reason = hindrance(players)
    if reason is None:
        if consent and not players:
            said = f"Blocked: {masked(url)} shows YouTube's consent page in place of the video."
            return Blocked(said, detail="consent page")
        return None
    said = f"{masked(url)}: YouTube says of this video: {reason}."
    status = players[-1].state.status
    if status == "ERROR":
        return NotFound(f"Not found: {said}", detail=reason)
    if reason.startswith("age-restricted") or _PRIVATE.search(reason):
        return AuthRequired(f"Auth required: {said}", detail=reason, action="inform_user")
    if status == "LOGIN_REQUIRED" and not _BOT.search(reason):
        return AuthRequired(f"Auth required: {said}", detail=reason, action="inform_user")
    return Blocked(f"Blocked: {said}", detail=reason)
