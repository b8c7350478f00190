"""Reads a playlist's or channel's data: what it says about itself, its videos, where more are; and feeds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from citewell.core.values.counted_words import pluralize
from citewell.reading.sites.site_kit import normalize_iso_time, trim_to_date
from citewell.reading.sites.youtube import watch_pages
from citewell.reading.sites.youtube.listed_videos import (
    VIDEO_DATA_NAMES,
    VIDEO_ID_PATTERN,
    ListedVideo,
    find_embedded_object,
    find_nested_object,
    get_nested,
    list_nested,
    parse_json_object,
    read_listed_video,
    read_metadata_rows,
    read_text_value,
    walk_objects,
)
from citewell.text.safety.text_cleaning import clean_markup
from citewell.text.safety.xml_trees import UnusableXml, parse_xml_tree

CHANNEL_ID_PATTERN = re.compile(r"UC[A-Za-z0-9_-]{22}")
_VIDEO_COUNT_PATTERN = re.compile(r"([\d,]{1,12}) videos?")
_HANDLE_PATTERN = re.compile(r"@[\w.\-·]{1,100}")
_CONTINUATION_NAMES = ("continuationItemRenderer", "continuationItemViewModel")
_MAX_VIDEOS = 1_000  # in one answer; YouTube sends 100 at most
_MAX_TOKEN_CHARACTERS = 20_000
_MAX_NODES = 300_000

_ATOM = "{http://www.w3.org/2005/Atom}"
_YOUTUBE = "{http://www.youtube.com/xml/schemas/2015}"
_MEDIA = "{http://search.yahoo.com/mrss/}"
_MAX_FEED_VIDEOS = 100
_MAX_FEED_ELEMENTS = 50_000


def parse_video_feed(body: str) -> VideoListing | None:
    """The listing in a feed; None if the body is something else."""
    try:
        feed = parse_xml_tree(
            body.encode("utf-8", "replace"), max_depth=50, max_elements=_MAX_FEED_ELEMENTS
        )
    except UnusableXml:
        return None
    if feed.tag != f"{_ATOM}feed":
        return None
    found = (_read_feed_entry(entry) for entry in feed.findall(f"{_ATOM}entry")[:_MAX_FEED_VIDEOS])
    channel = _read_feed_text(feed, f"{_YOUTUBE}channelId")
    channel = channel if channel.startswith("UC") else f"UC{channel}"  # the feed leaves it out
    return VideoListing(
        title=_read_feed_text(feed, f"{_ATOM}title"),
        owner=_read_feed_text(feed, f"{_ATOM}author/{_ATOM}name"),
        channel_id=channel if CHANNEL_ID_PATTERN.fullmatch(channel) else "",
        videos=tuple(video for video in found if video is not None),
    )


def _read_feed_entry(entry: Element) -> ListedVideo | None:
    video = _read_feed_text(entry, f"{_YOUTUBE}videoId")
    if not VIDEO_ID_PATTERN.fullmatch(video):
        return None
    counts = entry.find(f"{_MEDIA}group/{_MEDIA}community/{_MEDIA}statistics")
    views = (counts.get("views") or "") if counts is not None else ""
    known = views.isascii() and views.isdigit() and len(views) < 13
    return ListedVideo(
        id=video,
        title=_read_feed_text(entry, f"{_ATOM}title") or f"YouTube video {video}",
        published=trim_to_date(normalize_iso_time(_read_feed_text(entry, f"{_ATOM}published"))),
        views=f"{int(views):,} {pluralize(int(views), 'view')}" if known else "",
        channel=_read_feed_text(entry, f"{_ATOM}author/{_ATOM}name"),
    )


def _read_feed_text(element: Element, path: str) -> str:
    return clean_markup(element.findtext(path))


# Reads the data of a playlist or channel: what it says about itself, its videos, and where more are.


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
    session: watch_pages.PageSession
    is_consent_page: bool = False
    listing: VideoListing | None = None


def read_listing_page(html: str) -> ListingPage:
    """What the HTML page of a playlist or channel holds."""
    data = find_embedded_object(html, "ytInitialData")
    return ListingPage(
        session=watch_pages.find_page_session(html),
        is_consent_page=watch_pages.is_consent_page(html),
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
    handle = next((fact for fact in facts if _HANDLE_PATTERN.fullmatch(fact)), "")
    counts = (_VIDEO_COUNT_PATTERN.fullmatch(fact) for fact in facts)
    digits = next((match[1].replace(",", "") for match in counts if match), "")
    channel_id = get_nested(channel, "externalId")
    listing = VideoListing(
        title=_find_title(data, header, get_nested(channel, "title") or get_nested(playlist, "title")),
        owner=_find_owner(data, header, facts) if not channel else "",
        description=_find_description(header, get_nested(channel, "description") or get_nested(playlist, "description")),
        channel_id=channel_id if isinstance(channel_id, str) and CHANNEL_ID_PATTERN.fullmatch(channel_id) else "",
        handle=handle,
        facts=tuple(fact for fact in facts if fact != handle and any(letter.isdigit() for letter in fact)),
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
    return next((words for head in heads if (words := clean_markup(read_text_value(head)))), "")


def _find_description(header: object, named: object) -> str:
    preview = find_nested_object(header, "descriptionPreviewViewModel").get("description")
    old = get_nested(header, "playlistHeaderRenderer", "descriptionText")
    return next(
        (text for value in (named, old, preview) if (text := read_text_value(value).strip())), ""
    )


def _find_owner(data: object, header: object, facts: list[str]) -> str:
    sidebar = find_nested_object(get_nested(data, "sidebar"), "videoOwnerRenderer").get("title")
    for value in (get_nested(header, "playlistHeaderRenderer", "ownerText"), sidebar):
        if words := clean_markup(read_text_value(value)):
            return words
    return next((fact[3:] for fact in facts if fact.startswith("by ")), "")


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
    found += [read_text_value(fact) for fact in list_nested(info, "stats")]
    return list(dict.fromkeys(words[:200] for fact in found if (words := clean_markup(fact))))


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
            token = token or next((name for item in items if (name := _find_token(item))), "")
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
