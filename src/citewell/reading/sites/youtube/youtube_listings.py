"""Reads playlists and channels: from the page, else from YouTube's API, else from the feed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from urllib.parse import quote

from citewell.core import errors
from citewell.core.values.counted_words import pluralize
from citewell.core.values.page import Page
from citewell.reading import page_errors
from citewell.reading.sites import site_markdown
from citewell.reading.sites.site_kit import SiteKit, SiteRoute
from citewell.reading.sites.youtube import video_listings as video_feeds
from citewell.reading.sites.youtube import watch_pages
from citewell.reading.sites.youtube.listed_videos import ListedVideo
from citewell.reading.sites.youtube.transcripts import build_watch_address
from citewell.reading.sites.youtube.video_listings import VideoListing, parse_video_feed
from citewell.text.safety.secret_masking import mask_secrets

_LISTING_TIMEOUT_SECONDS = 30.0
_MAX_PLAYLIST_VIDEOS = 500
_MAX_CHANNEL_VIDEOS = 60
_MAX_PORTIONS = 6  # that are asked for after the first
_PRIVATE_LISTS = frozenset({"WL", "LL", "HL"})  # watch later, liked, history: of the signed-in user
# What the API calls the tabs of a channel.
_TAB_PARAMS = {
    "videos": "EgZ2aWRlb3PyBgQKAjoA",
    "streams": "EgdzdHJlYW1z8gYECgJ6AA==",
    "shorts": "EgZzaG9ydHPyBgUKA5oBAA==",
}
_FEED_NOTE = "Read from the feed, which has only the 15 newest videos; neither the page nor the API could be read."


@dataclass(slots=True, kw_only=True)
class _ListingFindings:
    """What has been found out about one playlist or channel so far."""

    listing: VideoListing | None = None
    videos: dict[str, ListedVideo] = field(default_factory=dict)
    session: watch_pages.PageSession = field(default_factory=watch_pages.PageSession)
    channel_id: str = ""
    alert: str = ""
    consent_page_seen: bool = False
    has_more: bool = False  # YouTube has videos that were not listed
    not_found: errors.CitewellError | None = None
    notes: list[str] = field(default_factory=list)

    def take_listing(self, listing: VideoListing | None) -> None:
        if listing is None:
            return
        self.alert = self.alert or listing.alert
        self.channel_id = self.channel_id or listing.channel_id
        if listing.videos or (listing.title and not listing.alert):
            self.listing = listing
            self.videos = {video.id: video for video in listing.videos}


ListingFetch = Callable[[SiteRoute, SiteKit, _ListingFindings], Awaitable[None]]


async def read_video_listing(route: SiteRoute, kit: SiteKit) -> Page | None:
    """The page of a playlist or channel; None if the ladder should fetch it."""
    if route.kind == "playlist" and route.id in _PRIVATE_LISTS:
        raise page_errors.build_login_error(route.url, "a list of the signed-in user")
    found = _ListingFindings(channel_id=route.id if route.kind == "channel" else "")
    try:
        async with asyncio.timeout(_LISTING_TIMEOUT_SECONDS):
            await _gather_listing(route, kit, found)
    except TimeoutError:
        found.notes.append("Time ran out before all videos were listed.")
    if found.listing is None:
        _raise_listing_error(route, found)
        return None
    return _build_listing_page(route, kit, found, found.listing)


def _raise_listing_error(route: SiteRoute, found: _ListingFindings) -> None:
    """Raise what YouTube said about the playlist or channel, if it said anything."""
    if found.alert:
        statement = f"{mask_secrets(route.url)}: YouTube says: {found.alert}"
        if "private" in found.alert.lower():
            raise page_errors.build_login_error(route.url, found.alert)
        raise errors.NotFound(f"Not found: {statement}", detail=found.alert)
    if found.not_found is not None:
        raise page_errors.build_not_found_error(route.url, found.not_found.detail or "HTTP 404")
    if found.consent_page_seen:
        raise watch_pages.build_consent_page_error(route.url)


async def _gather_listing(route: SiteRoute, kit: SiteKit, found: _ListingFindings) -> None:
    ways: tuple[ListingFetch, ...] = (_try_listing_page, _try_browse_api, _try_feed)
    for way in ways:
        try:
            await way(route, kit, found)
        except errors.NotFound as error:
            found.not_found = error
        except (errors.UpstreamError, errors.RefusedByPolicy) as error:
            if error.reason is errors.FailureReason.CONSENT_PAGE:
                found.consent_page_seen = True
        if found.listing is not None or found.alert:
            break
    if found.listing is not None:
        await _add_more_videos(route, kit, found, found.listing.continuation)
        await _add_feed_dates(route, kit, found)


async def _try_listing_page(route: SiteRoute, kit: SiteKit, found: _ListingFindings) -> None:
    web = watch_pages.YOUTUBE_WEB
    if route.kind == "playlist":
        html = await watch_pages.fetch_youtube_page(kit, web, "/playlist", {"list": route.id})
    else:
        path = quote(f"{route.path}/{route.name}", safe="/@")
        html = await watch_pages.fetch_youtube_page(kit, web, path, {})
    page = await kit.run_apart(video_feeds.read_listing_page, html)
    found.session = page.session
    found.take_listing(page.listing)
    if page.is_consent_page and page.listing is None:
        raise watch_pages.build_consent_report(web)


async def _try_browse_api(route: SiteRoute, kit: SiteKit, found: _ListingFindings) -> None:
    if route.kind == "playlist":
        body = {"browseId": f"VL{route.id}"}
    else:
        if not found.channel_id:
            found.channel_id = await _resolve_channel(route, kit, found)
        if not found.channel_id:
            return
        body = {"browseId": found.channel_id, "params": _TAB_PARAMS[route.name]}
    found.take_listing(await _fetch_portion(kit, body, found.session))


async def _try_feed(route: SiteRoute, kit: SiteKit, found: _ListingFindings) -> None:
    listing = await _fetch_feed(route, kit, found)
    if listing is None or not listing.videos:
        return
    found.take_listing(replace(listing, owner=listing.owner if route.kind == "playlist" else ""))
    found.notes.append(_FEED_NOTE)


async def _resolve_channel(route: SiteRoute, kit: SiteKit, found: _ListingFindings) -> str:
    body = {"url": f"https://www.youtube.com{quote(route.path, safe='/@')}"}
    response = await watch_pages.ask_innertube(
        kit, watch_pages.WEB_CLIENT, "navigation/resolve_url", body, found.session
    )
    return await kit.run_apart(video_feeds.parse_resolved_channel, response.decode_text())


async def _fetch_portion(
    kit: SiteKit, body: dict[str, str], session: watch_pages.PageSession
) -> VideoListing | None:
    response = await watch_pages.ask_innertube(kit, watch_pages.WEB_CLIENT, "browse", body, session)
    return await kit.run_apart(video_feeds.parse_listing_body, response.decode_text())


async def _fetch_feed(
    route: SiteRoute, kit: SiteKit, found: _ListingFindings
) -> VideoListing | None:
    if route.kind == "playlist":
        params = {"playlist_id": route.id}
    elif found.channel_id:
        params = {"channel_id": found.channel_id}
    else:
        return None
    response = await kit.open_upstream(watch_pages.YOUTUBE_WEB).send_get(
        "/feeds/videos.xml", params=params
    )
    return await kit.run_apart(parse_video_feed, response.decode_text())


async def _add_more_videos(
    route: SiteRoute, kit: SiteKit, found: _ListingFindings, token: str
) -> None:
    """Ask for further portions until the list ends, the limit is reached, or nothing new comes."""
    limit = _MAX_PLAYLIST_VIDEOS if route.kind == "playlist" else _MAX_CHANNEL_VIDEOS
    found.has_more = bool(token)
    for _ in range(_MAX_PORTIONS):
        if not token or len(found.videos) >= limit:
            break
        try:
            more = await _fetch_portion(kit, {"continuation": token}, found.session)
        except (errors.UpstreamError, errors.NotFound, errors.RefusedByPolicy):
            more = None
        fresh = [video for video in (more.videos if more else ()) if video.id not in found.videos]
        if more is None or not fresh:
            found.notes.append("YouTube did not send the rest of the list.")
            return
        found.videos.update((video.id, video) for video in fresh)
        token = more.continuation
        found.has_more = bool(token)
    found.has_more = found.has_more or len(found.videos) > limit
    found.videos = dict(islice(found.videos.items(), limit))


async def _add_feed_dates(route: SiteRoute, kit: SiteKit, found: _ListingFindings) -> None:
    """Give the newest videos of a channel their dates; its page says only "3 days ago"."""
    if route.kind == "playlist" or _FEED_NOTE in found.notes:
        return
    try:
        feed = await _fetch_feed(route, kit, found)
    except (errors.UpstreamError, errors.NotFound, errors.RefusedByPolicy):
        return
    for video in feed.videos if feed else ():
        if video.published and video.id in found.videos:
            found.videos[video.id] = replace(found.videos[video.id], published=video.published)


def _build_listing_page(
    route: SiteRoute, kit: SiteKit, found: _ListingFindings, listing: VideoListing
) -> Page:
    is_playlist = route.kind == "playlist"
    listing = replace(listing, videos=tuple(found.videos.values()))
    by_feed = _FEED_NOTE in found.notes
    rest = found.has_more or (listing.total or 0) > len(listing.videos)
    notes = [*found.notes]
    if rest and not by_feed:
        count = len(listing.videos)
        part = f"{count:,} of {listing.total:,}" if listing.total else f"{count:,}"
        which = "first" if is_playlist else "newest"
        notes.append(
            f"Only the {which} {part} {pluralize(count, 'video is', 'videos are')} listed."
        )
    title = listing.title or ("YouTube playlist" if is_playlist else "YouTube channel")
    address = (
        f"https://www.youtube.com/playlist?list={route.id}"
        if is_playlist
        else f"https://www.youtube.com{quote(f'{route.path}/{route.name}', safe='/@')}"
    )
    return kit.build_page(
        route,
        content=render_video_listing(listing, title=title, notes=notes),
        content_type="youtube",
        title=title,
        final_url=address,
        kind="listing",
        author=(listing.owner if is_playlist else listing.title) or None,
        site="YouTube",
        truncated=found.has_more,
        quality="partial" if by_feed or not listing.videos else "complete",
        notes=tuple(notes),
    )


# A playlist or channel as markdown: what it says about itself, and its videos with their links.


def render_video_listing(listing: VideoListing, *, title: str, notes: Sequence[str] = ()) -> str:
    line = site_markdown.join_facts(
        site_markdown.format_inline_text(listing.owner or listing.handle),
        *map(site_markdown.format_inline_text, listing.facts),
    )
    videos = "\n".join(
        f"{place}. {_render_listed_video(video, owner=listing.owner or listing.title)}"
        for place, video in enumerate(listing.videos, 1)
    )
    return site_markdown.join_blocks([
        site_markdown.format_heading(title),
        line,
        site_markdown.convert_plain_text(listing.description),
        "## Videos",
        *(f"*{site_markdown.format_inline_text(note)}*" for note in notes),
        videos or "No videos are listed.",
    ])  # fmt: skip


def _render_listed_video(video: ListedVideo, *, owner: str) -> str:
    return site_markdown.join_facts(
        site_markdown.format_markdown_link(video.title, build_watch_address(video.id)),
        video.length,
        site_markdown.format_inline_text(video.published),
        site_markdown.format_inline_text(video.views),
        site_markdown.format_inline_text(video.channel) if video.channel != owner else "",
    )
