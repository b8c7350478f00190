"""Reads the citations of a whole brief piece by piece in worker processes."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from dataclasses import dataclass, replace

from citewell.errors import CitewellError
from citewell.text.law.brief_text import TextPiece, split_text_pieces
from citewell.text.law.citation_groups import CitedCase, group_citations
from citewell.text.law.found_citation import FoundCitation
from citewell.workers.worker_tasks import TaskRunner, WorkerTask

MAX_BRIEF_CHARS = 2_000_000  # characters; what comes after is told as unread
PIECE_SECONDS = 20.0  # of a worker's time for one piece
_MAX_CONCURRENT_PIECES = 4

_FIND_CITATIONS: WorkerTask[list[FoundCitation]] = WorkerTask(
    "citewell.services.domains.law.citation_finding:find_piece_citations", list[FoundCitation]
)


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
        found = [one for citations in read for one in citations or ()]
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
        return [_move_citation(one, piece.start) for one in found]


def _move_citation(one: FoundCitation, offset: int) -> FoundCitation:
    """The citation with offsets in the whole text."""
    cited = one.citation
    moved = replace(cited, start=(cited.start or 0) + offset, end=(cited.end or 0) + offset)
    return replace(one, citation=moved)


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
