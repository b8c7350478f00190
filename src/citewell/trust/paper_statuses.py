"""Finds the retraction status of the papers of one answer, whichever provider found them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Self

from citewell.core.errors import CitewellError
from citewell.core.service_kit import ServiceKit
from citewell.core.values.counted_words import pluralize
from citewell.core.values.paper import IdentifierScheme, Paper
from citewell.scholar.work_resolution import PaperStatuses
from citewell.trust.notice_weighing import BARE_FLAG_SOURCE, weigh_notices
from citewell.trust.retraction_checks import RetractionCheck, RetractionChecker

logger = logging.getLogger(__name__)

STATUS_SECONDS = 5.0  # for all papers of an answer together; they share a few batched requests
_ASKABLE_SCHEMES = frozenset({IdentifierScheme.DOI, IdentifierScheme.PMID})


class PaperStatusFinder:
    def __init__(self, checker: RetractionChecker, *, seconds: float = STATUS_SECONDS) -> None:
        self._checker = checker
        self._seconds = seconds

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.require_service(RetractionChecker))

    async def find_paper_statuses(self, papers: Sequence[Paper]) -> PaperStatuses:
        """A status for each paper; one that cannot be checked keeps what its own record says."""
        checks = await asyncio.gather(*map(self._check_paper_status, papers))
        return PaperStatuses(
            statuses=tuple(
                weigh_notices(paper.events) if check is None else check.status
                for paper, check in zip(papers, checks, strict=True)
            ),
            notes=_describe_status_gaps(papers, checks),
        )

    async def _check_paper_status(self, paper: Paper) -> RetractionCheck | None:
        if not _has_askable_id(paper):
            return None
        try:
            return await self._checker.check_paper(paper, seconds=self._seconds)
        except CitewellError as error:
            logger.info("the retraction status of a paper could not be checked: %s", error.kind)
            return None


def _has_askable_id(paper: Paper) -> bool:
    return not _ASKABLE_SCHEMES.isdisjoint(paper.ids)


def _is_settled_status(check: RetractionCheck | None) -> bool:
    """Whether somebody who records notices answered, or nobody failed to."""
    if check is None:
        return False
    return not check.failed or bool(set(check.answered) - {BARE_FLAG_SOURCE})


def _describe_status_gaps(
    papers: Sequence[Paper], checks: Sequence[RetractionCheck | None]
) -> tuple[str, ...]:
    """Which papers nobody could be asked about, and which only the offline table."""
    unchecked = sum(
        _has_askable_id(paper) and not _is_settled_status(check)
        for paper, check in zip(papers, checks, strict=True)
    )
    dates = [check.as_of for check in checks if check is not None and check.as_of]
    notes = []
    if unchecked:
        notes.append(
            f"The retraction status of {unchecked} of {len(papers)} {pluralize(len(papers), 'paper')} could not be checked."
        )
    if dates:
        notes.append(
            f"The retraction status of {len(dates)} of {len(papers)} {pluralize(len(papers), 'paper')} is from the offline"
            f" table of {dates[0]} alone."
        )
    return tuple(notes)
