"""Checks legal citations: one by itself, or every case that a brief cites."""

from __future__ import annotations

import asyncio
import re
import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Self

from citewell.core.errors import CitewellError
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import ProgressCallback
from citewell.core.values.counted_words import pluralize
from citewell.core.values.court_case import (
    BriefCheck,
    BriefFinding,
    CaseVerdict,
    CheckedCitation,
    LegalCitation,
)
from citewell.domains.law import citation_comparison
from citewell.domains.law.citation_check import CitationCheck
from citewell.domains.law.citation_groups import CitedCase, FoundCitation, group_citations
from citewell.domains.law.citation_registry import CitationRegistry
from citewell.domains.law.near_misses import NearMissSearch
from citewell.workers.worker_tasks import TaskRunner, WorkerTask

PARAGRAPH_MARK = "\n"  # all other white space of a prepared text is single spaces
MAX_PIECE_CHARS = 18_000  # characters of one piece: the finder of citations is superlinear
PIECE_MARGIN_CHARS = 700  # characters read on both sides of a piece, so that no citation is cut
_CUT_SEARCH_CHARS = 4000  # characters before the end of a piece in which a good cut is looked for

_SPACE_RUN_PATTERN = re.compile(r"\s++")
_BLANK_LINE_PATTERN = re.compile(r"\n[^\S\n]*+\n|[\f\u2029]")
# Marks of emphasis and invisible characters; three or more underscores stand for a page to come.
_NOISE_PATTERN = re.compile(
    r"\s++|[*\u00ad\u200b-\u200f\u2060\ufeff]++|(?<!_)_(?!_)|\\(?=[_*.\[\]])|</?(?:i|em|b|u|strong|span|p|sup)>"
)
_CHARACTER_TWINS = str.maketrans({
    "\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u2010": "-", "\u2011": "-",
    "\uff0e": ".", "\uff08": "(", "\uff09": ")", "\uff0c": ",",
})  # fmt: skip
_SENTENCE_END_PATTERN = re.compile(r"[.;!?][\"')\u201d]?\s")

MAX_BRIEF_CHARS = 2_000_000  # characters; what comes after is told as unread
PIECE_SECONDS = 20.0  # of a worker's time for one piece
_MAX_CONCURRENT_PIECES = 4

_FIND_CITATIONS: WorkerTask[list[FoundCitation]] = WorkerTask(
    "citewell.domains.law.citation_finding:find_piece_citations", list[FoundCitation]
)

MAX_BRIEF_CASES = 200  # cases in one call
MAX_SINGLE_CHARS = 4000


class LegalCitationChecker:
    def __init__(
        self,
        registry: CitationRegistry,
        reader: BriefReader,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry = registry
        self._reader = reader
        self._now = now
        self._clock = clock

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        from citewell.routing.provider_panel import ProviderPanel

        registry = CitationRegistry(kit.require_service(ProviderPanel))
        return cls(registry, BriefReader(kit.workers))

    async def check_citation_text(self, text: str) -> CheckedCitation | None:
        """The check of the first citation in a short text; None if it has no form that can be checked."""
        try:
            cases = await self._reader.read_single(text[:MAX_SINGLE_CHARS])
        except CitewellError:
            return None
        if not cases:
            return None
        check = CitationCheck(self._registry, now=self._now)
        [checked] = await check.check_cases(cases[:1])
        return checked

    async def check_case_name(self, name: str) -> CheckedCitation:
        """The check of a name without a citation: whether a case of that name is known."""
        citation = LegalCitation(kind="us_case", normalized="", text=name, case_name=name)
        cited = CitedCase(main=FoundCitation(citation=citation, has_full_name=True))
        near = await NearMissSearch(self._registry).find_near_miss(cited)
        verdict = CaseVerdict.UNCHECKED
        if near.case is not None:
            verdict = CaseVerdict.CONFIRMED
            reason = citation_comparison.word_reason(
                "name_only",
                registry=near.registry,
                place=citation_comparison.describe_place(near.case),
                name=name,
            )
        elif near.is_searched:
            verdict = CaseVerdict.NOT_IN_REGISTRY
            reason = citation_comparison.word_reason("no_name", name=name, registry=near.registry)
        else:
            reason = citation_comparison.word_reason("name_unasked", name=name)
        return CheckedCitation(
            citation=citation,
            verdict=verdict,
            reason=reason,
            case=near.case,
            name_match="match" if near.case else None,
            suggested_citation=near.right_citation,
            provenance=near.provenance or ("no registry could be asked",),
        )

    async def check_brief(
        self,
        text: str,
        *,
        max_cases: int = MAX_BRIEF_CASES,
        progress: ProgressCallback | None = None,
        seconds: float | None = None,
    ) -> BriefCheck:
        """Every case that the text cites, checked; after `seconds` nothing more is asked.

        Only citations and names of cases are sent to registries, never other words of the text.
        """
        started = self._clock()
        read = await self._reader.read_citations(text)
        cases = read.cases[:max_cases]
        done = 0

        async def step() -> None:
            nonlocal done
            done += 1
            if progress is not None:
                await progress(
                    done,
                    len(cases),
                    f"{done} of {len(cases)} {pluralize(len(cases), 'citation')} looked up",
                )

        check = CitationCheck(
            self._registry,
            now=self._now,
            deadline=None if seconds is None else started + seconds,
            clock=self._clock,
        )
        checked = await check.check_cases(cases, step=step)
        starts = list_line_starts(text)
        return BriefCheck(
            findings=tuple(
                _build_finding(case, outcome, starts)
                for case, outcome in zip(cases, checked, strict=True)
            ),
            skipped_count=len(read.cases) - len(cases),
            unread_count=read.unread_count,
        )


def _build_finding(case: CitedCase, checked: CheckedCitation, starts: list[int]) -> BriefFinding:
    offset = case.main.citation.start or 0
    return BriefFinding(
        checked=checked,
        parallels=tuple(twin.citation.normalized for twin in case.parallels),
        mention_count=case.mention_count,
        quote=case.main.quote,
        line=find_line_number(starts, offset),
        offset=offset,
    )


# Reads the citations of a whole brief piece by piece in worker processes.


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefCitations:
    cases: tuple[CitedCase, ...]
    unread_count: int = 0  # pieces that no worker could read


class BriefReader:
    def __init__(self, workers: TaskRunner) -> None:
        self._workers = workers

    async def read_citations(self, text: str) -> BriefCitations:
        """Every case that the text cites; a piece whose worker dies is counted, and the others are read."""
        gate = asyncio.Semaphore(_MAX_CONCURRENT_PIECES)

        async def read_piece(piece: TextPiece) -> list[FoundCitation] | None:
            async with gate:
                return await self._read_piece(piece)

        pieces = split_text_pieces(text[:MAX_BRIEF_CHARS])
        read = await asyncio.gather(*map(read_piece, pieces))
        found = [citation for citations in read for citation in citations or ()]
        unread = sum(citations is None for citations in read) + (len(text) > MAX_BRIEF_CHARS)
        cases = await asyncio.to_thread(group_citations, found)
        return BriefCitations(cases=cases, unread_count=unread)

    async def read_single(self, text: str) -> tuple[CitedCase, ...]:
        """The cases in one citation; raises what the worker raises."""
        found = await self._workers.run_task(
            _FIND_CITATIONS,
            limit_seconds=PIECE_SECONDS,
            text=text,
            core_start=0,
            core_end=len(text),
            is_single=True,
        )
        return group_citations(found)

    async def _read_piece(self, piece: TextPiece) -> list[FoundCitation] | None:
        try:
            found = await self._workers.run_task(
                _FIND_CITATIONS,
                limit_seconds=PIECE_SECONDS,
                text=piece.text,
                core_start=piece.core_start,
                core_end=piece.core_end,
            )
        except CitewellError:
            return None
        return [  # with offsets in the whole text
            replace(
                citation,
                citation=replace(
                    citation.citation,
                    start=(citation.citation.start or 0) + piece.start,
                    end=(citation.citation.end or 0) + piece.start,
                ),
            )
            for citation in found
        ]


def list_line_starts(text: str) -> list[int]:
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    return starts


def find_line_number(starts: list[int], offset: int) -> int:
    """The line of an offset, from 1."""
    return bisect_right(starts, offset)


# Prepares the text of a brief for reading citations, and keeps where every character came from.


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedText:
    """A text with its white space in order; `find_origin` leads back to the original."""

    text: str
    starts: tuple[int, ...]  # where each run begins in `text`
    shifts: tuple[int, ...]  # what to add to an offset inside that run

    def find_origin(self, offset: int) -> int:
        """The offset in the original text."""
        return offset + self.shifts[bisect_right(self.starts, offset) - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPiece:
    """A part of a text with margins; citations that begin in the core belong to this piece."""

    text: str
    start: int  # of `text` in the whole
    core_start: int  # in `text`
    core_end: int


def prepare_brief_text(text: str) -> PreparedText:
    """White space becomes single spaces, an empty line PARAGRAPH_MARK; emphasis marks are dropped."""
    parts: list[str] = []
    starts, shifts = [0], [0]
    done = length = 0

    def begin_run(origin: int) -> None:
        if shifts[-1] != origin - length:
            starts.append(length)
            shifts.append(origin - length)

    for match in _NOISE_PATTERN.finditer(text):
        if match.start() > done:
            begin_run(done)
            parts.append(text[done : match.start()])
            length += match.start() - done
        if match[0][0].isspace():
            begin_run(match.start())
            parts.append(PARAGRAPH_MARK if _BLANK_LINE_PATTERN.search(match[0]) else " ")
            length += 1
        done = match.end()
    begin_run(done)
    parts.append(text[done:])
    made = "".join(parts).translate(_CHARACTER_TWINS)
    return PreparedText(text=made, starts=tuple(starts), shifts=tuple(shifts))


def split_text_pieces(
    text: str, *, size: int = MAX_PIECE_CHARS, margin: int = PIECE_MARGIN_CHARS
) -> tuple[TextPiece, ...]:
    """The text in pieces whose cores follow one another, cut at the end of a paragraph or sentence."""
    made: list[TextPiece] = []
    begin = 0
    while begin < len(text):
        end = _choose_cut(text, begin, size)
        first, last = max(0, begin - margin), min(len(text), end + margin)
        made.append(
            TextPiece(
                text=text[first:last], start=first, core_start=begin - first, core_end=end - first
            )
        )
        begin = end
    return tuple(made)


def _choose_cut(text: str, begin: int, size: int) -> int:
    limit = begin + size
    if limit >= len(text):
        return len(text)
    lowest = max(begin + 1, limit - _CUT_SEARCH_CHARS)
    paragraph = text.rfind("\n\n", lowest, limit)
    if paragraph > 0:
        return paragraph + 2
    sentence = max(
        (match.end() for match in _SENTENCE_END_PATTERN.finditer(text, lowest, limit)), default=0
    )
    return sentence or max(text.rfind(" ", lowest, limit) + 1, lowest)


def find_quoted_sentence(text: str, start: int, end: int, *, max_chars: int = 240) -> str:
    """The words around a citation of a prepared text, within its paragraph, as one line."""
    first = text.rfind(PARAGRAPH_MARK, 0, start) + 1
    last = text.find(PARAGRAPH_MARK, end)
    last = len(text) if last < 0 else last
    room = max(0, (max_chars - (end - start)) // 2)
    cut_first, cut_last = max(first, start - room), min(last, end + room // 2)
    if cut_first > first:
        cut_first = text.find(" ", cut_first, start) + 1 or cut_first
    if cut_last < last:
        cut_last = max(text.rfind(" ", end, cut_last), end)
    before = "…" if cut_first > first else ""
    after = "…" if cut_last < last else ""
    return f"{before}{_SPACE_RUN_PATTERN.sub(' ', text[cut_first:cut_last]).strip()}{after}"
