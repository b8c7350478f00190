"""Splits a provider's report into its statements, each with the pages that it cites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citewell.model.research import ProviderReport, ReportCitation
from citewell.text.language import sentences
from citewell.text.web.addresses import is_web_address

_LINK_PATTERN = re.compile(
    r"\(?\[([^\]\n]{0,300})\]\((https?://[^\s()]+(?:\([^\s()]*\)[^\s()]*)*)\)\)?"
)
_NUMBER_MARK_PATTERN = re.compile(r"\[(\d{1,3})\]")
_ONLY_MARK_PATTERN = re.compile(r"[\s(\[【]*+(?:[^\[\]\s【(][^\]\n]{0,300}\]?\(https?://[^\s)]+\)|\[?\d{1,3}\]?|https?://\S+|【[^】]*】)[\s)\]】]*")  # fmt: skip
_MARKUP_PATTERN = re.compile(
    r"^[^\S\n]*+(?:[-*+•]|\d{1,3}[.)])\s+|[*_`]{1,3}|^#{1,6}\s+|^>\s?", re.MULTILINE
)
_HEADING_LINE_PATTERN = re.compile(r"^\s*(?:#{1,6}\s|\|)")
_SPACE_BEFORE_STOP_PATTERN = re.compile(r"(?<!\s)\s++([.,;:!?])")
_SENTENCE_END_CHARS = frozenset((".", "!", "?", ")", "]", "\n", "", "。"))
# A new paragraph, item, heading or table row: a citation below it says nothing of what is above.
_BLOCK_BREAK_PATTERN = re.compile(r"\n[^\S\n]*(?:\n|[-*+•]\s|\d{1,3}[.)]\s|#{1,6}\s|[|>])")
_FULL_STOPS = frozenset((".", "!", "?", "。", "！", "？"))
_MIN_STATEMENT_WORDS = 4  # words; a shorter sentence says nothing that could be checked
_MAX_STATEMENTS = 500  # statements of one report
_MAX_MARK_GAP_CHARS = 8  # characters between a sentence and its citation
_MAX_BULLET_CHARS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportStatement:
    """One sentence of a report; `start` and `end` are its offsets in the report."""

    text: str
    start: int
    end: int
    urls: tuple[str, ...] = ()
    run_urls: tuple[
        str, ...
    ] = ()  # without own citations: those at the end of its run of sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class _CitationMark:
    start: int
    end: int
    url: str
    is_only_citation: bool  # the mark is only a citation, not part of the sentence


def extract_statements(report: ProviderReport) -> tuple[ReportStatement, ...]:
    """All statements of a report with the addresses they cite; without citations `urls` is empty.

    In "A. B. C. [1]" the citation is C's own and in the `run_urls` of A and B, which may rest on it.
    """
    text = report.text
    marks = sorted(
        _collect_citation_marks(report), key=lambda mark: (mark.start, mark.end, mark.url)
    )
    spoken = _mask_citations(text, marks)
    spans = [span for span in _split_statement_spans(spoken, marks) if _is_statement(spoken, span)]
    held: dict[int, list[str]] = {}
    for mark in marks:
        for place in _find_cited_spans(mark, spans, text):
            held.setdefault(place, []).append(mark.url)
    runs = _find_run_citations(text, spans, held)
    found = (
        ReportStatement(
            text=_strip_statement_markup(spoken[start:end]),
            start=start,
            end=end,
            urls=tuple(dict.fromkeys(held.get(place, ()))),
            run_urls=tuple(dict.fromkeys(runs.get(place, ()))),
        )
        for place, (start, end) in enumerate(spans)
    )
    return tuple(found)[:_MAX_STATEMENTS]


def _find_run_citations(
    text: str, spans: list[tuple[int, int]], held: dict[int, list[str]]
) -> dict[int, list[str]]:
    """For sentences without a citation, those of the next sentence that has one in their block."""
    found: dict[int, list[str]] = {}
    ahead: list[str] = []
    for place in range(len(spans) - 1, -1, -1):
        following = spans[place + 1][0] if place + 1 < len(spans) else len(text)
        # A bullet can stand at the beginning of the next sentence.
        if _BLOCK_BREAK_PATTERN.search(text, spans[place][1], following + _MAX_BULLET_CHARS):
            ahead = []
        if place in held:
            ahead = held[place]
        elif ahead:
            found[place] = ahead
    return found


def _split_statement_spans(
    spoken: str, marks: Iterable[_CitationMark]
) -> Iterator[tuple[int, int]]:
    """Spans of sentences; a citation after a full stop always ends a sentence."""
    stops = [
        (mark.start, mark.end)
        for mark in marks
        if mark.is_only_citation
        and spoken[max(0, mark.start - _MAX_MARK_GAP_CHARS) : mark.start].rstrip()[-1:]
        in _FULL_STOPS
    ]
    for start, end in sentences.find_sentence_spans(spoken):
        at = start
        for before, behind in stops:
            if at < before and behind < end:
                yield at, at + len(spoken[at:before].rstrip())
                at = end - len(spoken[behind:end].lstrip())
        yield at, end


def _collect_citation_marks(report: ProviderReport) -> Iterator[_CitationMark]:
    """Citations with offsets, links in the text, and numbers such as [3] of a citation list."""
    text = report.text
    placed = [cited for cited in report.citations if cited.start is not None]
    for cited in placed:
        start, end = cited.start or 0, cited.end or 0
        bare = bool(_ONLY_MARK_PATTERN.fullmatch(text[start:end]))
        yield _CitationMark(start=start, end=end, url=cited.url, is_only_citation=bare)
    yield from _collect_link_marks(text)
    if not placed:
        yield from _collect_number_marks(text, report.citations)


def _collect_link_marks(text: str) -> Iterator[_CitationMark]:
    """A link after a sentence or in brackets is a citation; the label of any other is kept as text."""
    for match in _LINK_PATTERN.finditer(text):
        if not is_web_address(match[2]):
            continue
        before = text[: match.start()].rstrip(" ")[-1:]
        if match[0].startswith("(") or before in _SENTENCE_END_CHARS:
            yield _CitationMark(
                start=match.start(), end=match.end(), url=match[2], is_only_citation=True
            )
            continue
        label, end = match.span(1)
        yield _CitationMark(start=match.start(), end=label, url=match[2], is_only_citation=True)
        yield _CitationMark(start=end, end=match.end(), url=match[2], is_only_citation=True)


def _collect_number_marks(text: str, listed: tuple[ReportCitation, ...]) -> Iterator[_CitationMark]:
    for match in _NUMBER_MARK_PATTERN.finditer(text):
        number = int(match[1])
        if 1 <= number <= len(listed):
            yield _CitationMark(
                start=match.start(),
                end=match.end(),
                url=listed[number - 1].url,
                is_only_citation=True,
            )


def _mask_citations(text: str, marks: Iterable[_CitationMark]) -> str:
    """The text with citations replaced by spaces, so that offsets do not change."""
    pieces = list(text)
    for mark in marks:
        if mark.is_only_citation:
            for place in range(mark.start, min(mark.end, len(pieces))):
                pieces[place] = " " if pieces[place] != "\n" else "\n"
    return "".join(pieces)


def _is_statement(text: str, span: tuple[int, int]) -> bool:
    line = text.rfind("\n", 0, span[0]) + 1
    if _HEADING_LINE_PATTERN.match(text[line : span[1]]):
        return False
    return len(_strip_statement_markup(text[span[0] : span[1]]).split()) >= _MIN_STATEMENT_WORDS


def _find_cited_spans(
    mark: _CitationMark, spans: list[tuple[int, int]], text: str
) -> Iterator[int]:
    """Indexes of the sentences a citation belongs to: those it covers, or the one it follows."""
    if not mark.is_only_citation:
        yield from (
            place
            for place, (start, end) in enumerate(spans)
            if start < mark.end and end > mark.start
        )
        return
    before = [place for place, (start, _) in enumerate(spans) if start <= mark.start]
    if before and "\n\n" not in text[spans[before[-1]][1] : mark.start]:
        yield before[-1]


def _strip_statement_markup(text: str) -> str:
    return _SPACE_BEFORE_STOP_PATTERN.sub(r"\1", " ".join(_MARKUP_PATTERN.sub("", text).split()))
