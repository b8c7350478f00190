"""Reads YouTube's Atom feeds: the fifteen newest videos of a channel or of a playlist."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from citewell.fetch.sites.site_kit import normalize_iso_time, trim_to_date
from citewell.fetch.sites.youtube.listed_videos import VIDEO_ID_PATTERN, ListedVideo
from citewell.fetch.sites.youtube.video_listings import CHANNEL_ID_PATTERN, VideoListing
from citewell.model.counted_words import pluralize
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.safety.xml_trees import UnusableXml, parse_xml_tree

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
