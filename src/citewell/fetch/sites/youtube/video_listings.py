"""Reads the data of a playlist or channel: what it says about itself, its videos, and where more are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from citewell.fetch.sites.youtube.embedded_json import (
    find_embedded_object,
    find_nested_object,
    get_nested,
    list_nested,
    parse_json_object,
    read_text_value,
    walk_objects,
)
from citewell.fetch.sites.youtube.listed_videos import (
    VIDEO_DATA_NAMES,
    ListedVideo,
    read_listed_video,
    read_metadata_rows,
)
from citewell.fetch.sites.youtube.watch_pages import find_page_session, is_consent_page
from citewell.fetch.sites.youtube.youtube_clients import PageSession
from citewell.text.safety.markup_cleaning import clean_markup

CHANNEL_ID_PATTERN = re.compile(r"UC[A-Za-z0-9_-]{22}")
_VIDEO_COUNT_PATTERN = re.compile(r"([\d,]{1,12}) videos?")
_HANDLE_PATTERN = re.compile(r"@[\w.\-·]{1,100}")
_CONTINUATION_NAMES = ("continuationItemRenderer", "continuationItemViewModel")
_MAX_VIDEOS = 1_000  # in one answer; YouTube sends 100 at most
_MAX_TOKEN_CHARACTERS = 20_000
_MAX_NODES = 300_000


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoListing:
    """A playlist or channel, or one more portion of its videos."""

    title: str = ""
    owner: str = ""  # of a playlist
    description: str = ""
    channel_id: str = ""  # of a channel
    handle: str = ""
    facts: tuple[str, ...] = ()  # such as "1.2M subscribers" and "42 videos"
    total: int | None = None
    videos: tuple[ListedVideo, ...] = ()
    continuation: str = ""  # names the next portion; "" if there is none
    alert: str = ""  # why YouTube does not show it


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingPage:
    session: PageSession
    is_consent_page: bool = False
    listing: VideoListing | None = None


def read_listing_page(html: str) -> ListingPage:
    """What the HTML page of a playlist or channel holds."""
    data = find_embedded_object(html, "ytInitialData")
    return ListingPage(
        session=find_page_session(html),
        is_consent_page=is_consent_page(html),
        listing=_read_listing(data) if data else None,
    )


def parse_listing_body(body: str) -> VideoListing | None:
    """The listing in an answer of the API; None if the body is something else."""
    data = parse_json_object(body)
    return _read_listing(data) if data else None


def parse_resolved_channel(body: str) -> str:
    """The id of the channel that an address leads to, in an answer of the API; "" if none."""
    found = get_nested(parse_json_object(body), "endpoint", "browseEndpoint", "browseId")
    return found if isinstance(found, str) and CHANNEL_ID_PATTERN.fullmatch(found) else ""


def _read_listing(data: dict[str, Any]) -> VideoListing | None:
    channel = get_nested(data, "metadata", "channelMetadataRenderer") or {}
    playlist = get_nested(data, "metadata", "playlistMetadataRenderer") or {}
    videos, continuation = _collect_videos(data, with_shelves=bool(channel))
    header = get_nested(data, "header") or {}
    facts = _read_header_facts(data, header)
    handle = next((one for one in facts if _HANDLE_PATTERN.fullmatch(one)), "")
    counts = (_VIDEO_COUNT_PATTERN.fullmatch(one) for one in facts)
    digits = next((match[1].replace(",", "") for match in counts if match), "")
    channel_id = get_nested(channel, "externalId")
    listing = VideoListing(
        title=_find_title(data, header, get_nested(channel, "title") or get_nested(playlist, "title")),
        owner=_find_owner(data, header, facts) if not channel else "",
        description=_find_description(header, get_nested(channel, "description") or get_nested(playlist, "description")),
        channel_id=channel_id if isinstance(channel_id, str) and CHANNEL_ID_PATTERN.fullmatch(channel_id) else "",
        handle=handle,
        facts=tuple(one for one in facts if one != handle and any(letter.isdigit() for letter in one)),
        total=int(digits) if digits else None,
        videos=videos,
        continuation=continuation,
        alert=_find_alert(data),
    )  # fmt: skip
    return listing if listing != VideoListing() else None


def _find_title(data: object, header: object, named: object) -> str:
    model = find_nested_object(header, "pageHeaderViewModel")
    heads = (named, get_nested(header, "playlistHeaderRenderer", "title"),
             get_nested(header, "c4TabbedHeaderRenderer", "title"),
             get_nested(model, "title", "dynamicTextViewModel", "text"),
             get_nested(header, "pageHeaderRenderer", "pageTitle"),
             get_nested(data, "microformat", "microformatDataRenderer", "title"))  # fmt: skip
    return next((words for one in heads if (words := clean_markup(read_text_value(one)))), "")


def _find_description(header: object, named: object) -> str:
    preview = find_nested_object(header, "descriptionPreviewViewModel").get("description")
    old = get_nested(header, "playlistHeaderRenderer", "descriptionText")
    return next(
        (text for one in (named, old, preview) if (text := read_text_value(one).strip())), ""
    )


def _find_owner(data: object, header: object, facts: list[str]) -> str:
    sidebar = find_nested_object(get_nested(data, "sidebar"), "videoOwnerRenderer").get("title")
    for one in (get_nested(header, "playlistHeaderRenderer", "ownerText"), sidebar):
        if words := clean_markup(read_text_value(one)):
            return words
    return next((one[3:] for one in facts if one.startswith("by ")), "")


def _read_header_facts(data: object, header: object) -> list[str]:
    """The short facts beside the title: handle, subscribers, number of videos and views."""
    model = find_nested_object(header, "pageHeaderViewModel")
    found = list(read_metadata_rows(get_nested(model, "metadata")))
    channel = get_nested(header, "c4TabbedHeaderRenderer")
    channel_names = ("channelHandleText", "subscriberCountText", "videosCountText")
    found += [read_text_value(get_nested(channel, name)) for name in channel_names]
    playlist = get_nested(header, "playlistHeaderRenderer")
    playlist_names = ("numVideosText", "viewCountText")
    found += [read_text_value(get_nested(playlist, name)) for name in playlist_names]
    info = find_nested_object(get_nested(data, "sidebar"), "playlistSidebarPrimaryInfoRenderer")
    found += [read_text_value(one) for one in list_nested(info, "stats")]
    return list(dict.fromkeys(words[:200] for one in found if (words := clean_markup(one))))


def _find_alert(data: object) -> str:
    for alert in list_nested(data, "alerts"):
        for name in ("alertRenderer", "alertWithButtonRenderer"):
            if get_nested(alert, name, "type") == "ERROR":
                text = clean_markup(read_text_value(get_nested(alert, name, "text")))
                return text[:300] or "YouTube shows an error instead of it."
    return ""


def _collect_videos(data: object, *, with_shelves: bool) -> tuple[tuple[ListedVideo, ...], str]:
    """The videos in order, each once, and the token of the next portion."""
    found: dict[str, ListedVideo] = {}
    token = ""
    for items in _walk_item_lists(_find_main_part(data), with_shelves=with_shelves):
        videos = [video for item in items if (video := read_listed_video(item)) is not None]
        # A token beside videos leads to more of them; one elsewhere leads to recommendations.
        if videos:
            token = token or next((one for item in items if (one := _find_token(item))), "")
        for video in videos:
            found.setdefault(video.id, video)
        if len(found) >= _MAX_VIDEOS:
            break
    return tuple(found.values())[:_MAX_VIDEOS], token


def _find_main_part(data: object) -> list[Any]:
    """The tab that is shown, or the items that were asked for."""
    parts = [
        get_nested(action, name, "continuationItems")
        for action in (*list_nested(data, "onResponseReceivedActions"), *list_nested(data, "onResponseReceivedEndpoints"))
        for name in ("appendContinuationItemsAction", "reloadContinuationItemsCommand")
    ]  # fmt: skip
    for name in ("twoColumnBrowseResultsRenderer", "singleColumnBrowseResultsRenderer"):
        tabs = list_nested(data, "contents", name, "tabs")
        parts += [get_nested(tab, "tabRenderer", "content") for tab in tabs]
    return [part for part in parts if part]


def _walk_item_lists(parts: list[Any], *, with_shelves: bool) -> Iterator[list[Any]]:
    """Every list within the parts, in order; shelves of a playlist are recommendations."""
    skipped = VIDEO_DATA_NAMES | (frozenset() if with_shelves else {"horizontalShelfViewModel"})
    waiting: list[Any] = list(reversed(parts))
    seen = 0
    while waiting and seen < _MAX_NODES:
        node = waiting.pop()
        seen += 1
        if isinstance(node, list):
            yield node
            waiting.extend(reversed(node))
        elif isinstance(node, dict):
            values = (value for name, value in reversed(node.items()) if name not in skipped)
            waiting.extend(values)


def _find_token(item: object) -> str:
    for name in _CONTINUATION_NAMES:
        for node in walk_objects(get_nested(item, name)):
            token = get_nested(node, "continuationCommand", "token")
            if isinstance(token, str) and 0 < len(token) <= _MAX_TOKEN_CHARACTERS:
                return token
    return ""
