"""Reads YouTube: a video by its captions, else its description; playlists and channels as lists."""

from __future__ import annotations

import re

from citewell.fetch.sites.site_kit import (
    SiteAddress,
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    parse_site_address,
)
from citewell.fetch.sites.youtube import youtube_clients, youtube_listings, youtube_videos
from citewell.fetch.sites.youtube.listed_videos import VIDEO_ID_PATTERN
from citewell.fetch.sites.youtube.video_listings import CHANNEL_ID_PATTERN
from citewell.model.page import Page

ENDPOINTS = (youtube_clients.YOUTUBE_WEB, youtube_clients.YOUTUBE_MOBILE)

_YOUTUBE_HOSTS = {"youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com"}
_EMBED_HOSTS = {"youtube-nocookie.com", "www.youtube-nocookie.com"}
_VIDEO_PATH_WORDS = {"embed", "shorts", "live", "v", "e"}
_PLAYLIST_PATHS = {("playlist",), ("watch",), ("embed", "videoseries")}
_PLAYLIST_ID_PATTERN = re.compile(r"[A-Za-z0-9_-]{2,80}")
_HANDLE_PATTERN = re.compile(r"@[\w.\-·]{1,100}")
_CHANNEL_NAME_PATTERN = re.compile(r"[\w.\-·]{1,100}")
_CHANNEL_TABS = {"": "videos", "featured": "videos", "about": "videos", "videos": "videos", "streams": "streams", "shorts": "shorts"}  # fmt: skip


def find_route(url: str) -> SiteRoute | None:
    """The route: `name` is the wished language of a video's captions, or the tab of a channel."""
    at = parse_site_address(url)
    if at is None:
        return None
    return _find_video_route(url, at) or _find_playlist_route(url, at) or _find_channel_route(url, at)  # fmt: skip


def _find_video_route(url: str, at: SiteAddress) -> SiteRoute | None:
    video = ""
    if at.host in {"youtu.be", "www.youtu.be"} and len(at.parts) == 1:
        video = at.find_part(0)
    elif at.host in _YOUTUBE_HOSTS and at.parts == ("watch",):
        video = at.query.get("v", "")
    elif (
        at.host in _YOUTUBE_HOSTS | _EMBED_HOSTS
        and len(at.parts) == 2
        and at.find_part(0) in _VIDEO_PATH_WORDS
    ):
        video = at.find_part(1)
    if not VIDEO_ID_PATTERN.fullmatch(video):
        return None
    wish = youtube_videos.CAPTION_LANGUAGE_PATTERN.match(
        at.query.get("cc_lang_pref", at.query.get("hl", "")).lower()
    )
    return SiteRoute(url=url, kind="video", id=video, name=wish[0] if wish else "")


def _find_playlist_route(url: str, at: SiteAddress) -> SiteRoute | None:
    playlist = at.query.get("list", "")
    if at.host not in _YOUTUBE_HOSTS | _EMBED_HOSTS or at.parts not in _PLAYLIST_PATHS:
        return None
    if "v" in at.query or not _PLAYLIST_ID_PATTERN.fullmatch(playlist):
        return None
    return SiteRoute(url=url, kind="playlist", id=playlist)


def _find_channel_route(url: str, at: SiteAddress) -> SiteRoute | None:
    if at.host not in _YOUTUBE_HOSTS or not at.parts:
        return None
    first, second = at.find_part(0), at.find_part(1)
    channel = ""
    if _HANDLE_PATTERN.fullmatch(first):
        parts = at.parts[:1]
    elif first == "channel" and CHANNEL_ID_PATTERN.fullmatch(second):
        parts, channel = at.parts[:2], second
    elif first in {"c", "user"} and _CHANNEL_NAME_PATTERN.fullmatch(second):
        parts = at.parts[:2]
    else:
        return None
    rest = at.parts[len(parts) :]
    tab = _CHANNEL_TABS.get("/".join(rest))
    if tab is None:
        return None
    return SiteRoute(url=url, kind="channel", id=channel, name=tab, path=f"/{'/'.join(parts)}")


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    if route.kind == "video":
        return await youtube_videos.read_video(route, kit)
    return await youtube_listings.read_video_listing(route, kit)
