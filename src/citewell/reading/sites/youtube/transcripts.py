"""Turns a caption file into the markdown of a transcript, with its highlights."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from citewell.core.values.scrape_results import TalkHighlight
from citewell.reading.sites import site_markdown
from citewell.text.language import word_forms
from citewell.text.safety.text_cleaning import extract_visible_text
from citewell.text.truncation import truncate_text

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

_MAX_HIGHLIGHTS = 5
_MIN_CAPTION_CUES = 5  # a shorter transcript gets no highlights
_PASSAGE_WORDS = 22  # a passage ends here even without a full stop
_MIN_PASSAGE_WORDS = 6
_MAX_TERM_OVERLAP = 0.5  # share of common terms above which two passages are too similar
_DIGIT_PATTERN = re.compile(r"\d")
_SENTENCE_END_PATTERN = re.compile(r"[.!?…。！？][\"'”’)\]]*$")

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
    cues = parse_captions(body)
    if not cues:
        return None
    lines: list[str] = []
    for start, text in group_caption_paragraphs(cues):
        address = build_watch_address(video, int(start))
        time = site_markdown.format_markdown_link(format_video_time(start), address)
        lines.append(f"{time} {site_markdown.escape_around_addresses(text)}")
    cut = truncate_text(site_markdown.join_blocks(lines), _MAX_TRANSCRIPT_BYTES)
    return VideoTranscript(
        markdown=cut.text,
        truncated=cut.truncated,
        highlights=choose_transcript_highlights(cues, language=language),
    )


# Chooses the most representative passages of a transcript, with their times.


def choose_transcript_highlights(
    cues: Sequence[CaptionCue], *, language: str | None = None
) -> tuple[TalkHighlight, ...]:
    """Up to five highlights, best first; none for a very short transcript."""
    if len(cues) < _MIN_CAPTION_CUES:
        return ()
    passages = _split_transcript_passages(cues)
    bags = [word_forms.extract_terms(text, language=language) for _, text in passages]
    scores = _score_transcript_passages([text for _, text in passages], bags)
    chosen = _choose_distinct_passages(scores, bags)
    if not chosen:
        return ()
    best = scores[chosen[0]]
    return tuple(
        TalkHighlight(
            text=passages[place][1],
            score=round(scores[place] / best, 3),
            start_time=format_video_time(passages[place][0]),
        )
        for place in chosen
    )


def _split_transcript_passages(cues: Sequence[CaptionCue]) -> list[tuple[float, str]]:
    """(start, text) of each passage: cues joined until a sentence ends or is long enough."""
    found: list[tuple[float, str]] = []
    start = 0.0
    words: list[str] = []
    for cue in cues:
        start = start if words else cue.start
        words += extract_visible_text(cue.text).split()
        if len(words) >= _PASSAGE_WORDS or (
            len(words) >= _MIN_PASSAGE_WORDS and _SENTENCE_END_PATTERN.search(cue.text)
        ):
            found.append((start, " ".join(words)))
            words = []
    if words:
        found.append((start, " ".join(words)))
    return found


def _score_transcript_passages(texts: Sequence[str], bags: Sequence[frozenset[str]]) -> list[float]:
    """Each passage's score by the transcript's recurring terms in it; numbers add a little."""
    spread = Counter(term for bag in bags for term in bag)
    most = math.log(1 + len(bags))
    weight = {term: math.log(1 + times) / most for term, times in spread.items() if times > 1}
    return [
        sum(weight.get(term, 0.1) for term in bag) / math.sqrt(len(bag) + 4)
        + (0.15 if _DIGIT_PATTERN.search(text) else 0.0)
        for text, bag in zip(texts, bags, strict=True)
    ]


def _choose_distinct_passages(scores: Sequence[float], bags: Sequence[frozenset[str]]) -> list[int]:
    chosen: list[int] = []
    for place in sorted(range(len(scores)), key=lambda at: (-scores[at], at)):
        if len(chosen) == _MAX_HIGHLIGHTS:
            break
        bag = bags[place]
        shares = (len(bag & bags[other]) / min(len(bag), len(bags[other])) for other in chosen)
        if len(bag) >= 3 and all(share <= _MAX_TERM_OVERLAP for share in shares):
            chosen.append(place)
    return chosen


# Parses video captions in WebVTT or YouTube's XML, without the repeats of rolling captions.


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
            spoken = [_clean_caption_line(line) for line in lines[place + 1 :]]
            numbers = [int(group or 0) for group in match.groups()]
            mills = [int(match[place].ljust(3, "0")) for place in (4, 8)]
            start = numbers[0] * 3600 + numbers[1] * 60 + numbers[2] + mills[0] / 1000
            end = numbers[4] * 3600 + numbers[5] * 60 + numbers[6] + mills[1] / 1000
            yield start, end, [line for line in spoken if line]


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
    return [(start, " ".join(texts)) for start, texts in found]
