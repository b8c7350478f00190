"""Parses video captions in WebVTT or YouTube's XML, without the repeats of rolling captions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from citewell.fetch.sites import markdown_parts

_CUE_TIMING_PATTERN = re.compile(
    r"^[ \t]*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})[ \t]+-->[ \t]+"
    r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})[^\n]*$"
)
_CAPTION_TAG_PATTERN = re.compile(r"<[^<>]*>")
_WORD_TIME_PATTERN = re.compile(r"<\d{1,3}:\d{2}(?::\d{2})?\.\d{1,3}>|<c[.>]")
_XML_CUE_PATTERN = re.compile(r"<(text|p)\b([^<>]*)>")
_XML_TIME_PATTERN = re.compile(r'\b(start|t|dur|d)="(-?\d{1,12}(?:\.\d{1,6})?)"')
_PARAGRAPH_SECONDS = 45.0  # seconds of speech under one time mark
_PAUSE_SECONDS = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionCue:
    start: float
    end: float
    text: str


def parse_captions(body: str) -> tuple[CaptionCue, ...]:
    """The cues ordered by time; empty if the body is neither WebVTT nor timed XML."""
    start = body.lstrip("\ufeff \t\r\n")
    found = (
        tuple(_parse_xml_captions(start)) if start.startswith("<") else tuple(_parse_webvtt(start))
    )
    return tuple(sorted(found, key=lambda cue: cue.start))


def _parse_webvtt(body: str) -> Iterator[CaptionCue]:
    if not body.startswith("WEBVTT"):
        return
    # Live captions show every line twice: while it is spoken, and once more above the next one.
    rolling = bool(_WORD_TIME_PATTERN.search(body))
    shown: tuple[str, ...] = ()
    for start, end, lines in _split_webvtt_blocks(body):
        fresh = [line for line in lines if not rolling or line not in shown]
        if rolling and not lines:
            continue
        shown = tuple(lines)
        if fresh:
            yield CaptionCue(start=start, end=end, text=" ".join(fresh))


def _split_webvtt_blocks(body: str) -> Iterator[tuple[float, float, list[str]]]:
    for block in re.split(r"\n{2,}", body.replace("\r\n", "\n")):
        lines = block.split("\n")
        place = next((at for at, line in enumerate(lines[:3]) if "-->" in line), None)
        match = _CUE_TIMING_PATTERN.match(lines[place]) if place is not None else None
        if match is not None and place is not None:
            said = [_clean_caption_line(line) for line in lines[place + 1 :]]
            yield (*_parse_cue_times(match), [line for line in said if line])


def _parse_cue_times(match: re.Match[str]) -> tuple[float, float]:
    numbers = [int(group or 0) for group in match.groups()]
    mills = [int(match[place].ljust(3, "0")) for place in (4, 8)]
    start = numbers[0] * 3600 + numbers[1] * 60 + numbers[2] + mills[0] / 1000
    return start, numbers[4] * 3600 + numbers[5] * 60 + numbers[6] + mills[1] / 1000


def _parse_xml_captions(body: str) -> Iterator[CaptionCue]:
    """Both dialects: `<text start dur>` in seconds, `<p t d>` in milliseconds."""
    pieces = iter(_XML_CUE_PATTERN.split(body)[1:])
    for tag, attributes, rest in zip(pieces, pieces, pieces, strict=False):
        inner = rest.partition(f"</{tag}>")[0]
        times = {name: float(value) for name, value in _XML_TIME_PATTERN.findall(attributes)}
        unit = 1.0 if tag == "text" else 1000.0
        start = times.get("start" if tag == "text" else "t")
        text = _clean_caption_line(unescape(inner) if tag == "text" else inner)
        if start is not None and start >= 0 and text:
            lasts = times.get("dur" if tag == "text" else "d", 0.0)
            yield CaptionCue(start=start / unit, end=(start + lasts) / unit, text=text)


def _clean_caption_line(markup: str) -> str:
    return " ".join(unescape(_CAPTION_TAG_PATTERN.sub("", markup)).split())


def format_video_time(seconds: float) -> str:
    """Seconds as `4:05` or `1:02:03`."""
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def group_caption_paragraphs(cues: Sequence[CaptionCue]) -> list[tuple[float, str]]:
    """The captions in paragraphs of under a minute, each with its start time in seconds."""
    found: list[tuple[float, list[str]]] = []
    last = 0.0
    for cue in cues:
        if (
            not found
            or cue.start - found[-1][0] >= _PARAGRAPH_SECONDS
            or cue.start - last > _PAUSE_SECONDS
        ):
            found.append((cue.start, []))
        found[-1][1].append(cue.text)
        last = max(cue.end, cue.start)
    return [(start, " ".join(said)) for start, said in found]


def render_transcript(cues: Sequence[CaptionCue], at: Callable[[int], str]) -> str:
    """Markdown with a time link before each paragraph; `at` returns the address for a second."""
    return markdown_parts.join_blocks(
        f"{markdown_parts.format_markdown_link(format_video_time(start), at(int(start)))} {markdown_parts.escape_around_addresses(text)}"
        for start, text in group_caption_paragraphs(cues)
    )
