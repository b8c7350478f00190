"""The videos of a playlist or channel, as the many shapes of YouTube's data name them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from citewell.reading.sites.youtube.transcripts import format_video_time
from citewell.text.safety.text_cleaning import clean_markup

_MAX_TRIES = 4  # the name also stands in other scripts of a page
_MAX_NODES = 300_000

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
    facts += [read_text_value(data.get(name)) for name in ("viewCountText", "publishedTimeText")]
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
        fact for fact in facts if not _VIEWS_PATTERN.search(fact) and not _AGE_PATTERN.search(fact)
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
    words = [clean_markup(fact)[:_MAX_FACT_CHARACTERS] for fact in facts if isinstance(fact, str)]
    duration = clean_markup(length)
    return ListedVideo(
        id=video,
        title=clean_markup(title) or f"YouTube video {video}",
        length=duration if _CLOCK_PATTERN.fullmatch(duration) or duration.isalpha() else "",
        published=next((fact for fact in words if _AGE_PATTERN.search(fact)), ""),
        views=next((fact for fact in words if _VIEWS_PATTERN.search(fact)), ""),
        channel=clean_markup(channel)[:_MAX_FACT_CHARACTERS],
    )


# Finds the JSON that YouTube's pages carry in their scripts, and walks through it within limits.


def find_embedded_object(html: str, name: str) -> dict[str, Any] | None:
    """The first JSON object that a script gives to the variable `name`; None if there is none."""
    place = 0
    tries = 0
    while tries < _MAX_TRIES and (place := html.find(name, place)) >= 0:
        place += len(name)
        # Both `var name = {` and `window["name"] = {` are in use.
        rest = html[place : place + 20].lstrip("\"'] \t")
        if not rest.startswith("="):
            continue
        start = html.find("{", place, place + 20)
        tries += 1
        value = _decode_object(html, start) if start >= 0 else None
        if value:
            return value
    return None


def parse_json_object(body: str) -> dict[str, Any] | None:
    """The JSON object in a response; None if it is something else."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _decode_object(html: str, start: int) -> dict[str, Any] | None:
    try:
        value, _ = json.JSONDecoder().raw_decode(html, start)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def get_nested(value: object, *path: str) -> Any:
    """What stands at the path of keys; None if any of them is missing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def list_nested(value: object, *path: str) -> list[Any]:
    """The list at the path of keys; empty if there is none."""
    found = get_nested(value, *path)
    return found if isinstance(found, list) else []


def walk_objects(value: object) -> Iterator[dict[str, Any]]:
    """Every object within the value, in the order of the text."""
    waiting = [value]
    seen = 0
    while waiting and seen < _MAX_NODES:
        node = waiting.pop()
        seen += 1
        if isinstance(node, dict):
            yield node
            waiting.extend(reversed(node.values()))
        elif isinstance(node, list):
            waiting.extend(reversed(node))


def find_nested_object(value: object, name: str) -> dict[str, Any]:
    """The first object under the key `name`, however deep; empty if there is none."""
    found = (node[name] for node in walk_objects(value) if isinstance(node.get(name), dict))
    return next(found, {})


def read_text_value(value: object) -> str:
    """The words in any of the shapes that YouTube gives to a text; "" if there are none."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return ""
    for name in ("simpleText", "content"):
        if isinstance(value.get(name), str):
            return str(value[name])
    runs = (get_nested(run, "text") for run in list_nested(value, "runs"))
    return "".join(run for run in runs if isinstance(run, str))
