"""A playlist or channel as markdown: what it says about itself, and its videos with their links."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.youtube.listed_videos import ListedVideo
from citewell.fetch.sites.youtube.transcripts import build_watch_address
from citewell.fetch.sites.youtube.video_listings import VideoListing
from citewell.model.counted_words import pluralize


def render_video_listing(listing: VideoListing, *, title: str, notes: Sequence[str] = ()) -> str:
    line = markdown_parts.join_facts(
        markdown_parts.format_inline_text(listing.owner or listing.handle),
        *(markdown_parts.format_inline_text(one) for one in listing.facts),
    )
    videos = "\n".join(
        f"{place}. {_render_listed_video(one, owner=listing.owner or listing.title)}"
        for place, one in enumerate(listing.videos, 1)
    )
    return markdown_parts.join_blocks([
        markdown_parts.format_heading(title),
        line,
        markdown_parts.convert_plain_text(listing.description),
        "## Videos",
        *(f"*{markdown_parts.format_inline_text(one)}*" for one in notes),
        videos or "No videos are listed.",
    ])  # fmt: skip


def _render_listed_video(video: ListedVideo, *, owner: str) -> str:
    return markdown_parts.join_facts(
        markdown_parts.format_markdown_link(video.title, build_watch_address(video.id)),
        video.length,
        markdown_parts.format_inline_text(video.published),
        markdown_parts.format_inline_text(video.views),
        markdown_parts.format_inline_text(video.channel) if video.channel != owner else "",
    )


def describe_shown_part(listing: VideoListing, *, is_playlist: bool) -> str:
    """A sentence that says how many of the videos are listed."""
    shown = f"{len(listing.videos):,}"
    of = f" of {listing.total:,}" if listing.total else ""
    return f"Only the {'first' if is_playlist else 'newest'} {shown}{of} {pluralize(len(listing.videos), 'video is', 'videos are')} listed."
