"""A video's captions out of WebVTT or YouTube's XML: one cue a line said, rolling repeats once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from citewell.fetch.sites import prose

_TIMING = re.compile(
    r"^[ \t]*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})[ \t]+-->[ \t]+"
    r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})[^\n]*$"
)
_TAG = re.compile(r"<[^<>]*>")
_WORD_TIMES = re.compile(r"<\d{1,3}:\d{2}(?::\d{2})?\.\d{1,3}>|<c[.>]")
_XML_CUE = re.compile(r"<(text|p)\b([^<>]*)>")
_XML_TIME = re.compile(r'\b(start|t|dur|d)="(-?\d{1,12}(?:\.\d{1,6})?)"')
_PARAGRAPH = 45.0  # seconds of talk under one time mark
_PAUSE = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    start: float
    end: float
    text: str


def parse(body: str) -> tuple[Cue, ...]:
    """The cues in the order of time; none when the body is neither WebVTT nor timed XML."""
    start = body.lstrip("\ufeff \t\r\n")
    found = tuple(_xml(start)) if start.startswith("<") else tuple(_vtt(start))
    return tuple(sorted(found, key=lambda cue: cue.start))


def _vtt(body: str) -> Iterator[Cue]:
    if not body.startswith("WEBVTT"):
        return
    # Live captions show every line twice: while it is spoken, and once more above the next one.
    rolling = bool(_WORD_TIMES.search(body))
    shown: tuple[str, ...] = ()
    for start, end, lines in _blocks(body):
        fresh = [line for line in lines if not rolling or line not in shown]
        if rolling and not lines:
            continue
        shown = tuple(lines)
        if fresh:
            yield Cue(start=start, end=end, text=" ".join(fresh))


def _blocks(body: str) -> Iterator[tuple[float, float, list[str]]]:
    for block in re.split(r"\n{2,}", body.replace("\r\n", "\n")):
        lines = block.split("\n")
        place = next((at for at, line in enumerate(lines[:3]) if "-->" in line), None)
        match = _TIMING.match(lines[place]) if place is not None else None
        if match is not None and place is not None:
            said = [_said(line) for line in lines[place + 1 :]]
            yield (*_span(match), [line for line in said if line])


def _span(match: re.Match[str]) -> tuple[float, float]:
    numbers = [int(group or 0) for group in match.groups()]
    mills = [int(match[place].ljust(3, "0")) for place in (4, 8)]
    start = numbers[0] * 3600 + numbers[1] * 60 + numbers[2] + mills[0] / 1000
    return start, numbers[4] * 3600 + numbers[5] * 60 + numbers[6] + mills[1] / 1000


def _xml(body: str) -> Iterator[Cue]:
    """Both dialects: `<text start dur>` in seconds, `<p t d>` in milliseconds."""
    pieces = iter(_XML_CUE.split(body)[1:])
    for tag, attributes, rest in zip(pieces, pieces, pieces, strict=False):
        inner = rest.partition(f"</{tag}>")[0]
        times = {name: float(value) for name, value in _XML_TIME.findall(attributes)}
        unit = 1.0 if tag == "text" else 1000.0
        start = times.get("start" if tag == "text" else "t")
        text = _said(unescape(inner) if tag == "text" else inner)
        if start is not None and start >= 0 and text:
            lasts = times.get("dur" if tag == "text" else "d", 0.0)
            yield Cue(start=start / unit, end=(start + lasts) / unit, text=text)


def _said(markup: str) -> str:
    return " ".join(unescape(_TAG.sub("", markup)).split())


def clock(seconds: float) -> str:
    """`4:05`, `1:02:03`."""
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def paragraphs(cues: Sequence[Cue]) -> list[tuple[float, str]]:
    """The talk in paragraphs of under a minute, each with the time it starts at."""
    found: list[tuple[float, list[str]]] = []
    last = 0.0
    for cue in cues:
        if not found or cue.start - found[-1][0] >= _PARAGRAPH or cue.start - last > _PAUSE:
            found.append((cue.start, []))
        found[-1][1].append(cue.text)
        last = max(cue.end, cue.start)
    return [(start, " ".join(said)) for start, said in found]


def transcript(cues: Sequence[Cue], at: Callable[[int], str]) -> str:
    """Markdown with a link to the moment before each paragraph; `at` gives its address."""
    return prose.blocks(
        f"{prose.link(clock(start), at(int(start)))} {prose.escaped(text)}"
        for start, text in paragraphs(cues)
    )
