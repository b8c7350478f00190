"""Checks legal citations: one by itself, or every case that a brief cites."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

from citewell.errors import CitewellError
from citewell.model.counted_words import pluralize
from citewell.model.domains.case_verdict import (
    BriefCheck,
    BriefFinding,
    CaseVerdict,
    CheckedCitation,
)
from citewell.model.domains.court_case import LegalCitation
from citewell.services.domains.law import citation_words
from citewell.services.domains.law.brief_reading import (
    BriefReader,
    find_line_number,
    list_line_starts,
)
from citewell.services.domains.law.citation_check import CitationCheck
from citewell.services.domains.law.citation_registry import CitationRegistry
from citewell.services.domains.law.near_misses import NearMissSearch
from citewell.text.law.citation_groups import CitedCase
from citewell.text.law.found_citation import FoundCitation
from citewell.tooling import ProgressCallback

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
            reason = citation_words.explain_name_only(name, near.case, near.registry)
        elif near.is_searched:
            verdict = CaseVerdict.NOT_IN_REGISTRY
            reason = citation_words.explain_no_name(name, near.registry)
        else:
            reason = citation_words.explain_name_unasked(name)
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
                _build_finding(case, one, starts) for case, one in zip(cases, checked, strict=True)
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
