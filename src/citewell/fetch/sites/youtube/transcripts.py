"""Turns a caption file into the markdown of a transcript, with its highlights."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.fetch.sites.youtube import video_captions
from citewell.fetch.sites.youtube.transcript_highlights import choose_transcript_highlights
from citewell.model.page_signals import TalkHighlight
from citewell.text.truncation import truncate_text

_MAX_TRANSCRIPT_BYTES = 100 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoTranscript:
    markdown: str
    truncated: bool = False
    highlights: tuple[TalkHighlight, ...] = ()


def build_watch_address(video: str, at: int = 0) -> str:
    """The address of a video, or of the moment `at` seconds from its start."""
    moment = f"&t={at}s" if at else ""
    return f"https://www.youtube.com/watch?v={video}{moment}"


def read_transcript(body: str, *, video: str, language: str | None) -> VideoTranscript | None:
    """The transcript in a caption file; None if the file holds no captions."""
    cues = video_captions.parse_captions(body)
    if not cues:
        return None
    cut = truncate_text(
        video_captions.render_transcript(cues, lambda at: build_watch_address(video, at)),
        _MAX_TRANSCRIPT_BYTES,
    )
    return VideoTranscript(
        markdown=cut.text,
        truncated=cut.truncated,
        highlights=choose_transcript_highlights(cues, language=language),
    )
