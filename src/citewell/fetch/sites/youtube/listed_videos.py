"""The videos of a playlist or channel, as the many shapes of YouTube's data name them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from citewell.fetch.sites.youtube.embedded_json import (
    find_nested_object,
    get_nested,
    list_nested,
    read_text_value,
)
from citewell.fetch.sites.youtube.video_captions import format_video_time
from citewell.text.safety.markup_cleaning import clean_markup

VIDEO_ID_PATTERN = re.compile(r"(?!videoseries|live_stream)[A-Za-z0-9_-]{11}")
_CLOCK_PATTERN = re.compile(r"(?:\d{1,3}:)?\d{1,2}:\d\d")
_AGE_PATTERN = re.compile(r"\bago$|^scheduled |^premieres ", re.IGNORECASE)
_VIEWS_PATTERN = re.compile(r"\b(?:views?|watching|waiting)$", re.IGNORECASE)
_PLAIN_RENDERERS = ("playlistVideoRenderer", "videoRenderer", "gridVideoRenderer", "compactVideoRenderer", "videoWithContextRenderer", "reelItemRenderer")  # fmt: skip
# Names of the data of one video; nothing within it is another one.
VIDEO_DATA_NAMES = frozenset({*_PLAIN_RENDERERS, "lockupViewModel", "shortsLockupViewModel"})
_MAX_FACT_CHARACTERS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedVideo:
    id: str
    title: str
    length: str = ""  # such as 12:05, or LIVE
    published: str = ""  # a date, or an age such as "3 days ago"
    views: str = ""
    channel: str = ""


def read_listed_video(item: object) -> ListedVideo | None:
    """The video that an item of a list stands for; None if it stands for anything else."""
    content = get_nested(item, "richItemRenderer", "content") or item
    if not isinstance(content, dict):
        return None
    for name in _PLAIN_RENDERERS:
        if isinstance(content.get(name), dict):
            return _read_plain_renderer(content[name])
    if isinstance(content.get("lockupViewModel"), dict):
        return _read_lockup(content["lockupViewModel"])
    if isinstance(content.get("shortsLockupViewModel"), dict):
        return _read_short(content["shortsLockupViewModel"])
    return None


def _read_plain_renderer(data: Mapping[str, Any]) -> ListedVideo | None:
    facts = [get_nested(run, "text") for run in list_nested(data, "videoInfo", "runs")]
    facts += [read_text_value(data.get(one)) for one in ("viewCountText", "publishedTimeText")]
    overlay = find_nested_object(
        data.get("thumbnailOverlays"), "thumbnailOverlayTimeStatusRenderer"
    )
    length = read_text_value(data.get("lengthText")) or read_text_value(overlay.get("text"))
    seconds = data.get("lengthSeconds")
    if not length and isinstance(seconds, str) and seconds.isascii() and seconds.isdigit():
        length = format_video_time(int(seconds[:9]))
    return _build_video(
        data.get("videoId"),
        read_text_value(data.get("title")) or read_text_value(data.get("headline")),
        length=length,
        facts=facts,
        channel=read_text_value(data.get("shortBylineText")),
    )


def _read_lockup(data: Mapping[str, Any]) -> ListedVideo | None:
    kind = data.get("contentType")
    about = get_nested(data, "metadata", "lockupMetadataViewModel")
    if kind not in {None, "LOCKUP_CONTENT_TYPE_VIDEO", "LOCKUP_CONTENT_TYPE_SHORTS"} or not about:
        return None  # a playlist, a channel, or an advertisement
    facts = list(read_metadata_rows(get_nested(about, "metadata")))
    named = [
        one for one in facts if not _VIEWS_PATTERN.search(one) and not _AGE_PATTERN.search(one)
    ]
    return _build_video(
        data.get("contentId"),
        read_text_value(get_nested(about, "title")),
        length=_find_badge(get_nested(data, "contentImage", "thumbnailViewModel", "overlays")),
        facts=facts,
        channel=named[0] if named else "",
    )


def _read_short(data: Mapping[str, Any]) -> ListedVideo | None:
    entity = data.get("entityId")
    return _build_video(
        get_nested(data, "onTap", "innertubeCommand", "reelWatchEndpoint", "videoId")
        or (entity.removeprefix("shorts-shelf-item-") if isinstance(entity, str) else None),
        read_text_value(get_nested(data, "overlayMetadata", "primaryText")),
        facts=[read_text_value(get_nested(data, "overlayMetadata", "secondaryText"))],
    )


def read_metadata_rows(holder: object) -> Iterator[str]:
    """The facts in the rows under a title, in order."""
    for row in list_nested(holder, "contentMetadataViewModel", "metadataRows"):
        for part in list_nested(row, "metadataParts"):
            stack = get_nested(part, "avatarStack", "avatarStackViewModel", "text")
            if text := read_text_value(get_nested(part, "text")) or read_text_value(stack):
                yield clean_markup(text)


def _find_badge(overlays: object) -> str:
    """The length, or a word such as LIVE, in a corner of the picture."""
    for overlay in overlays if isinstance(overlays, list) else ():
        for badge in (
            *list_nested(overlay, "thumbnailBottomOverlayViewModel", "badges"),
            *list_nested(overlay, "thumbnailOverlayBadgeViewModel", "thumbnailBadges"),
        ):
            if text := read_text_value(get_nested(badge, "thumbnailBadgeViewModel", "text")):
                return text
    return ""


def _build_video(
    video: object, title: str, *, facts: list[Any], length: str = "", channel: str = ""
) -> ListedVideo | None:
    if not isinstance(video, str) or not VIDEO_ID_PATTERN.fullmatch(video):
        return None
    words = [clean_markup(one)[:_MAX_FACT_CHARACTERS] for one in facts if isinstance(one, str)]
    said = clean_markup(length)
    return ListedVideo(
        id=video,
        title=clean_markup(title) or f"YouTube video {video}",
        length=said if _CLOCK_PATTERN.fullmatch(said) or said.isalpha() else "",
        published=next((one for one in words if _AGE_PATTERN.search(one)), ""),
        views=next((one for one in words if _VIEWS_PATTERN.search(one)), ""),
        channel=clean_markup(channel)[:_MAX_FACT_CHARACTERS],
    )
