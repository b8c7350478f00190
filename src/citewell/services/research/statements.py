"""A provider's report taken apart: its sentences, and the pages that each is said to rest on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citewell.model.research import Cited, ProviderReport
from citewell.text import sentences
from citewell.text.urls import readable

_LINK = re.compile(r"\(?\[([^\]\n]{0,300})\]\((https?://[^\s()]+(?:\([^\s()]*\)[^\s()]*)*)\)\)?")
_NUMBER = re.compile(r"\[(\d{1,3})\]")
_ONLY_MARK = re.compile(r"[\s(\[【]*(?:\[?[^\]\n]{0,300}\]?\(https?://[^\s)]+\)|\[?\d{1,3}\]?|https?://\S+|【[^】]*】)[\s)\]】]*")  # fmt: skip
_MARKUP = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+|[*_`]{1,3}|^#{1,6}\s+|^>\s?", re.MULTILINE)
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|\|)")
_BEFORE_STOP = re.compile(r"\s+([.,;:!?])")
_ENDS = frozenset((".", "!", "?", ")", "]", "\n", "", "。"))
_STOPS = frozenset((".", "!", "?", "。", "！", "？"))
_SHORTEST = 4  # words: less says nothing that could be checked
_MOST = 500  # statements of one report
_GAP = 8  # characters between a sentence and its citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """One sentence of a report; `start` and `end` are its place in the report."""

    text: str
    start: int
    end: int
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    start: int
    end: int
    url: str
    bare: bool  # nothing but a citation, no part of what is said


def stated(report: ProviderReport) -> tuple[Stated, ...]:
    """Every sentence that says something, with its citations; those without any have no urls."""
    text = report.text
    marks = sorted(_marks(report), key=lambda mark: (mark.start, mark.end, mark.url))
    spoken = _masked(text, marks)
    spans = [span for span in _spans(spoken, marks) if _says(spoken, span)]
    held: dict[int, list[str]] = {}
    for mark in marks:
        for place in _behind(mark, spans, text):
            held.setdefault(place, []).append(mark.url)
    found = (
        Stated(
            text=_plain(spoken[start:end]),
            start=start,
            end=end,
            urls=tuple(dict.fromkeys(held.get(place, ()))),
        )
        for place, (start, end) in enumerate(spans)
    )
    return tuple(found)[:_MOST]


def _spans(spoken: str, marks: Iterable[_Mark]) -> Iterator[tuple[int, int]]:
    """Sentences; a citation behind a full stop ends one, even where the stop may be an initial's."""
    stops = [
        (mark.start, mark.end)
        for mark in marks
        if mark.bare and spoken[max(0, mark.start - _GAP) : mark.start].rstrip()[-1:] in _STOPS
    ]
    for start, end in sentences.spans(spoken):
        at = start
        for before, behind in stops:
            if at < before and behind < end:
                yield at, at + len(spoken[at:before].rstrip())
                at = end - len(spoken[behind:end].lstrip())
        yield at, end


def _marks(report: ProviderReport) -> Iterator[_Mark]:
    """Citations with a place, links in the text, and numbers of a list that came beside it."""
    text = report.text
    placed = [cited for cited in report.citations if cited.start is not None]
    for cited in placed:
        start, end = cited.start or 0, cited.end or 0
        bare = bool(_ONLY_MARK.fullmatch(text[start:end]))
        yield _Mark(start=start, end=end, url=cited.url, bare=bare)
    yield from _links(text)
    if not placed:
        yield from _numbers(text, report.citations)


def _links(text: str) -> Iterator[_Mark]:
    """A link after a sentence or in brackets is a citation; the words of any other are spoken."""
    for match in _LINK.finditer(text):
        if not readable(match[2]):
            continue
        before = text[: match.start()].rstrip(" ")[-1:]
        if match[0].startswith("(") or before in _ENDS:
            yield _Mark(start=match.start(), end=match.end(), url=match[2], bare=True)
            continue
        label, end = match.span(1)
        yield _Mark(start=match.start(), end=label, url=match[2], bare=True)
        yield _Mark(start=end, end=match.end(), url=match[2], bare=True)


def _numbers(text: str, listed: tuple[Cited, ...]) -> Iterator[_Mark]:
    for match in _NUMBER.finditer(text):
        number = int(match[1])
        if 1 <= number <= len(listed):
            yield _Mark(start=match.start(), end=match.end(), url=listed[number - 1].url, bare=True)


def _masked(text: str, marks: Iterable[_Mark]) -> str:
    """The text with blanks where citations stand, so that places stay what they were."""
    pieces = list(text)
    for mark in marks:
        if mark.bare:
            for place in range(mark.start, min(mark.end, len(pieces))):
                pieces[place] = " " if pieces[place] != "\n" else "\n"
    return "".join(pieces)


def _says(text: str, span: tuple[int, int]) -> bool:
    line = text.rfind("\n", 0, span[0]) + 1
    if _HEADING.match(text[line : span[1]]):
        return False
    return len(_plain(text[span[0] : span[1]]).split()) >= _SHORTEST


def _behind(mark: _Mark, spans: list[tuple[int, int]], text: str) -> Iterator[int]:
    """The sentences a citation stands behind: those it covers, or the one it follows."""
    if not mark.bare:
        yield from (
            place
            for place, (start, end) in enumerate(spans)
            if start < mark.end and end > mark.start
        )
        return
    before = [place for place, (start, _) in enumerate(spans) if start <= mark.start]
    if before and "\n\n" not in text[spans[before[-1]][1] : mark.start]:
        yield before[-1]


def _plain(text: str) -> str:
    return _BEFORE_STOP.sub(r"\1", " ".join(_MARKUP.sub("", text).split()))
