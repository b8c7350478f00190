"""Checks cited cases against the registries of law, and offers the right citation for a near miss."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from citewell.core.values.court_case import CaseVerdict, CheckedCitation, CourtCase, LegalCitation
from citewell.domains.law import citation_comparison, near_misses
from citewell.domains.law.citation_forms import build_citation_key
from citewell.domains.law.citation_groups import CitedCase
from citewell.domains.law.citation_registry import CitationRegistry, RegistryAnswer

_ENTRY_YEARS = 1  # registries get the printed citations of a year late
_PENDING_YEARS = 5  # a case of the EU's courts may be undecided for so long
_FIRST_UKSC_YEAR = 2009

MAX_PARALLEL_LOOKUPS = 2  # further citations of a case that are tried if the first is not there
MAX_COURT_LOOKUPS = 20  # requests of one check for nothing but the court
ProgressStep = Callable[[], Awaitable[None]]


class CitationCheck:
    """One check of several cases; every citation is looked up once, and failures are not repeated."""

    def __init__(
        self,
        registry: CitationRegistry,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        deadline: float | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """After `deadline`, a time of `clock`, nothing more is asked."""
        self._registry = registry
        self._near = near_misses.NearMissSearch(registry)
        self._now = now
        self._deadline = deadline
        self._clock = clock
        self._court_budget = MAX_COURT_LOOKUPS
        self._lookups: dict[str, asyncio.Task[RegistryAnswer]] = {}

    async def check_cases(
        self, cases: Sequence[CitedCase], *, step: ProgressStep | None = None
    ) -> list[CheckedCitation]:
        """The verdicts in order. All lookups come first, because names of cases are searched only if requests are left."""

        async def look_up(case: CitedCase) -> tuple[RegistryAnswer, LegalCitation] | None:
            answer = await self._look_up_case(case)
            if step is not None:
                await step()
            return answer

        try:
            answers = await asyncio.gather(*map(look_up, cases))
        finally:
            for task in self._lookups.values():
                task.cancel()
        return list(await asyncio.gather(*map(self._judge_case, cases, answers)))

    async def _look_up_case(self, case: CitedCase) -> tuple[RegistryAnswer, LegalCitation] | None:
        """The registries' answer, and for which of the parallel citations; None if none can be asked for."""
        if case.is_orphan or case.main.form != "full":
            return None
        main = case.main.citation
        answer = await self._look_up_once(main)
        if answer.cases or not answer.is_answered:
            return answer, main
        others = (twin.citation for twin in case.parallels if twin.form == "full")
        for other in list(others)[:MAX_PARALLEL_LOOKUPS]:
            second = await self._look_up_once(other)
            if second.cases:
                return second, other
        return answer, main

    async def _look_up_once(self, citation: LegalCitation) -> RegistryAnswer:
        if self._is_time_over():
            return RegistryAnswer()
        key = f"{citation.kind}:{build_citation_key(citation.normalized)}"
        if key not in self._lookups:
            self._lookups[key] = asyncio.ensure_future(self._registry.look_up_anywhere(citation))
        return await self._lookups[key]

    def _is_time_over(self) -> bool:
        return (
            self._deadline is not None
            and self._clock is not None
            and self._clock() >= self._deadline
        )

    async def _judge_case(
        self, case: CitedCase, found: tuple[RegistryAnswer, LegalCitation] | None
    ) -> CheckedCitation:
        citation = case.main.citation
        if found is None:
            return await self._judge_without_lookup(case)
        answer, asked = found
        if not answer.is_answered:
            return self._judge_unanswered(citation, answer)
        if answer.cases:
            return await self._judge_found(case, answer, asked)
        return await self._judge_absent(case, answer)

    async def _judge_without_lookup(self, case: CitedCase) -> CheckedCitation:
        citation, form = case.main.citation, case.main.form
        if form == "pending":
            return await self._judge_pending(case)
        verdict = CaseVerdict.UNCHECKED
        if case.is_orphan:
            reason = citation_comparison.word_reason("orphan", citation=citation)
        elif form == "database":
            reason = citation_comparison.word_reason("database_number", citation=citation)
        elif form == "invented_series":
            verdict = CaseVerdict.IMPOSSIBLE
            reason = citation_comparison.word_reason("invented_series", citation=citation)
        else:
            reason = citation_comparison.word_reason("unknown_reporter", citation=citation)
        return CheckedCitation(
            citation=citation,
            verdict=verdict,
            reason=reason,
            provenance=("read from the citation itself; no registry was asked",),
        )

    def _judge_unanswered(self, citation: LegalCitation, answer: RegistryAnswer) -> CheckedCitation:
        fact = near_misses.find_impossible_fact(citation.volume, citation.reporter, citation.year)
        if fact:
            return CheckedCitation(
                citation=citation,
                verdict=CaseVerdict.IMPOSSIBLE,
                reason=citation_comparison.word_reason("impossible", citation=citation, fact=fact),
                provenance=(*answer.provenance, "the years and volumes of the reporter"),
            )
        if not answer.provenance and answer.is_covered:
            reason = citation_comparison.word_reason("time_over", citation=citation)
        else:
            reason = citation_comparison.explain_unasked(citation, is_covered=answer.is_covered)
        return CheckedCitation(
            citation=citation,
            verdict=CaseVerdict.UNCHECKED,
            reason=reason,
            provenance=answer.provenance or ("no registry could be asked",),
        )

    async def _judge_found(
        self, case: CitedCase, answer: RegistryAnswer, asked: LegalCitation
    ) -> CheckedCitation:
        citation = case.main.citation
        comparison = citation_comparison.choose_best_case(
            case, await self._complete_courts(asked, citation, answer)
        )
        made = CheckedCitation(
            citation=citation,
            verdict=CaseVerdict.CONFIRMED,
            reason=citation_comparison.explain_confirmed(asked, comparison, answer.registry),
            case=comparison.case,
            name_match=comparison.name,
            year_match=comparison.year,
            court_match=comparison.court,
            provenance=answer.provenance,
        )
        if not comparison.is_same_case:
            return await self._judge_other_case(case, made, comparison, answer, asked)
        mismatches = list(citation_comparison.list_detail_mismatches(citation, comparison))
        if asked is not citation:
            known = citation_comparison.list_same_reporter(comparison.case, citation.reporter)
            if known and not citation_comparison.has_citation(known, citation.normalized):
                mismatches.insert(
                    0, f"the citation says {citation.normalized}, the record {known[0]}"
                )
            else:
                note = citation_comparison.word_reason(
                    "parallel_only",
                    citation=citation,
                    found=asked.normalized,
                    registry=answer.registry,
                )
                made = replace(made, notes=(note,))
        if not mismatches:
            return made
        return replace(
            made,
            verdict=CaseVerdict.WRONG_DETAILS,
            mismatches=tuple(mismatches),
            reason=citation_comparison.word_reason(
                "wrong_details",
                citation=asked,
                known=citation_comparison.describe_case(comparison.case),
                mismatches="; ".join(mismatches),
            ),
        )

    async def _complete_courts(
        self, asked: LegalCitation, citation: LegalCitation, answer: RegistryAnswer
    ) -> tuple[CourtCase, ...]:
        """The found cases; their courts are asked for if the citation names one and they do not."""
        unknown = any(not (case.court or case.court_id) for case in answer.cases)
        if not (citation.court and unknown) or not self._court_budget or self._is_time_over():
            return answer.cases
        self._court_budget -= 1
        return await self._registry.complete_courts(asked, answer.cases)

    async def _judge_other_case(
        self,
        case: CitedCase,
        made: CheckedCitation,
        comparison: citation_comparison.CaseComparison,
        answer: RegistryAnswer,
        asked: LegalCitation,
    ) -> CheckedCitation:
        citation = case.main.citation
        near = await self._search_near(case)
        reason = citation_comparison.word_reason(
            "wrong_case",
            citation=asked,
            known=citation_comparison.describe_case(comparison.case),
            registry=answer.registry,
            name=citation.case_name,
        )
        if near.case is not None and near.right_citation:
            reason += (
                f" {citation_comparison.describe_case(near.case)} is at {near.right_citation}."
            )
        details = citation_comparison.list_detail_mismatches(citation, comparison)
        return replace(
            made,
            verdict=CaseVerdict.WRONG_CASE,
            reason=reason,
            mismatches=(
                f"the citation says {citation.case_name}, the record {comparison.case.name}",
                *details,
            ),
            suggested_case=near.case,
            suggested_citation=near.right_citation,
            provenance=(*made.provenance, *near.provenance),
        )

    async def _judge_absent(self, case: CitedCase, answer: RegistryAnswer) -> CheckedCitation:
        citation = case.main.citation
        near = await self._search_near(case)
        if near.case is not None and citation_comparison.has_citation(
            near.case.citations, citation.normalized
        ):
            # Found by its name with just this citation: the look-up by citation missed it.
            return await self._judge_found(case, replace(answer, cases=(near.case,)), citation)
        made = CheckedCitation(
            citation=citation,
            verdict=CaseVerdict.NOT_IN_REGISTRY,
            reason="",
            suggested_case=near.case,
            suggested_citation=near.right_citation,
            provenance=(*answer.provenance, *near.provenance),
        )
        fact = near_misses.find_impossible_fact(citation.volume, citation.reporter, citation.year)
        if near.case is not None and near.is_meant:
            reason = citation_comparison.word_reason(
                "misplaced" if near.right_citation else "misplaced_without_citation",
                citation=citation,
                known=citation_comparison.describe_case(near.case),
                right=near.right_citation,
                registry=answer.registry,
            )
            return replace(
                made,
                verdict=CaseVerdict.MISPLACED,
                reason=reason,
                mismatches=(
                    f"the citation says {citation.normalized}, the record {near.right_citation}",
                ),
            )
        if fact:
            reason = citation_comparison.word_reason("impossible", citation=citation, fact=fact)
            return replace(made, verdict=CaseVerdict.IMPOSSIBLE, reason=reason)
        telling = is_absence_telling(citation, this_year=self._now().year)
        if telling and answer.is_reporter_known and not near.is_unplaced:
            reason = citation_comparison.explain_no_such_case(
                citation, answer.registry, is_name_searched=near.is_searched, near=near.case
            )
            return replace(made, verdict=CaseVerdict.NO_SUCH_CASE, reason=reason)
        reason = citation_comparison.explain_not_in_registry(
            citation, answer.registry, near=near.case, is_name_searched=near.is_searched
        )
        return replace(made, reason=reason)

    async def _judge_pending(self, case: CitedCase) -> CheckedCitation:
        citation = case.main.citation
        near = await self._search_near(case)
        same_year = near.case is not None and near.is_year_right
        if near.case is not None and same_year:
            now = f" It is now {near.right_citation}." if near.right_citation else ""
            return CheckedCitation(
                citation=citation,
                verdict=CaseVerdict.CONFIRMED,
                reason=f"The case is {citation_comparison.describe_case(near.case)}.{now}",
                case=near.case,
                name_match="match",
                suggested_citation=near.right_citation,
                provenance=near.provenance,
            )
        return CheckedCitation(
            citation=citation,
            verdict=CaseVerdict.UNCHECKED,
            reason=citation_comparison.word_reason("no_page_yet", citation=citation),
            provenance=near.provenance or ("no registry could be asked",),
        )

    async def _search_near(self, case: CitedCase) -> near_misses.NearMiss:
        if self._is_time_over():
            return near_misses.NearMiss()
        return await self._near.find_near_miss(case)


# Says how much it means that a registry does not have a citation.


def is_absence_telling(citation: LegalCitation, *, this_year: int) -> bool:
    """Whether the registry of this kind is as good as complete for this citation."""
    if citation.kind == "us_case":
        recent = citation.year is not None and citation.year >= this_year - _ENTRY_YEARS
        return citation.reporter in near_misses.COMPLETE_REPORTERS and not recent
    if citation.kind == "uk_neutral":
        return citation.reporter == "UKSC" and _FIRST_UKSC_YEAR <= (citation.year or 0) < this_year
    if citation.kind == "eu_celex" and citation.normalized.startswith("6"):
        year = citation.normalized[1:5]
        return year.isdecimal() and int(year) < this_year - _PENDING_YEARS
    return False
