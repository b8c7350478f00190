"""The check of cited cases against a registry that has some, lacks others, or cannot be asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from citewell.core.errors import CitewellError, RateLimited, UpstreamUnavailable
from citewell.core.values.court_case import (
    BriefCheck,
    CaseHits,
    CaseQuery,
    CaseVerdict,
    CheckedCitation,
    CitationMatch,
    CourtCase,
    LegalCitation,
)
from citewell.domains.law.citation_forms import build_citation_key
from citewell.domains.law.citation_registry import CitationRegistry
from citewell.domains.law.citation_service import BriefReader, LegalCitationChecker
from citewell.routing.provider_panel import ProviderAnswer
from citewell.workers.worker_tasks import FailureCause, build_task_failure
from tests.requirements import requires
from tests.task_thread import ThreadTasks

ROE = CourtCase(
    name="Roe v. Wade",
    url="https://www.courtlistener.com/opinion/1/roe-v-wade/",
    source="courtlistener",
    citations=("410 U.S. 113", "93 S. Ct. 705"),
    court="Supreme Court of the United States",
    court_id="scotus",
    date_filed="1973-01-22",
)
MICROSOFT = CourtCase(
    name="United States v. Microsoft Corp.",
    url="https://www.courtlistener.com/opinion/2/united-states-v-microsoft/",
    source="courtlistener",
    citations=("253 F.3d 34",),
    court_label="D.C. Cir.",
    court_id="cadc",
    date_filed="2001-06-28",
)
UNPLACED = CourtCase(
    name="Abernathy v. Kilmarnow",
    url="https://www.courtlistener.com/opinion/3/abernathy/",
    source="courtlistener",
    date_filed="2003-05-02",
)
STATE = CourtCase(
    name="Katko v. Briney",
    url="https://www.courtlistener.com/opinion/4/katko/",
    source="courtlistener",
    citations=("183 N.W.2d 657",),
    court_id="iowa",
    date_filed="1971-02-09",
)


@dataclass
class FakeRegistry:
    """A provider of both offers that holds a few cases."""

    cases: tuple[CourtCase, ...] = (ROE, MICROSOFT, UNPLACED, STATE)
    error: CitewellError | None = None
    asked: list[object] = field(default_factory=list)
    citation_kinds: frozenset[str] = frozenset({"us_case"})

    async def look_up_citation(self, citation: LegalCitation) -> CitationMatch:
        self.asked.append(citation)
        if self.error is not None:
            raise self.error
        key = build_citation_key(citation.normalized)
        found = [case for case in self.cases if key in map(build_citation_key, case.citations)]
        return CitationMatch(provider="fake", cases=tuple(found))

    async def search_cases(self, query: CaseQuery) -> CaseHits:
        self.asked.append(query)
        if self.error is not None:
            raise self.error
        words = set(query.text.lower().replace("v.", "").split())
        found = [case for case in self.cases if words <= set(case.name.lower().split())]
        return CaseHits(cases=tuple(found))


@dataclass
class FakePanel:
    provider: FakeRegistry

    def list_able_providers(self, _offer: object, _order: object = ()) -> tuple[str, ...]:
        return ("fake",)

    def load_provider(self, _name: str) -> FakeRegistry:
        return self.provider

    def find_provider_spec(self, _name: str) -> Any:
        return type("Spec", (), {"title": "The registry"})

    async def ask_provider(self, name: str, question: Callable[[], Any]) -> ProviderAnswer[Any]:
        try:
            return ProviderAnswer(provider=name, value=await question())
        except CitewellError as error:
            return ProviderAnswer(provider=name, error=error)


def build_checker(provider: FakeRegistry, workers: Any = None, **more: Any) -> LegalCitationChecker:
    panel: Any = FakePanel(provider)
    return LegalCitationChecker(
        CitationRegistry(panel, pause=_no_pause),
        BriefReader(workers or ThreadTasks()),
        now=lambda: datetime(2026, 11, 16, tzinfo=UTC),
        **more,
    )


async def _no_pause(_seconds: float) -> None:
    """Nobody waits in a test."""


def check(text: str, provider: FakeRegistry | None = None) -> CheckedCitation:
    found = asyncio.run(build_checker(provider or FakeRegistry()).check_citation_text(text))
    assert found is not None
    return found


def read_brief(text: str, provider: FakeRegistry | None = None, **more: Any) -> BriefCheck:
    return asyncio.run(build_checker(provider or FakeRegistry(), **more).check_brief(text))


@requires("verify_citation.law_found")
@pytest.mark.parametrize(
    "text",
    [
        "Roe v. Wade, 410 U.S. 113 (1973)",
        "410 us 113",
        "See Roe v. Wade, 410 U.S. 113, 93 S. Ct. 705 (1973).",
        "United States v. Microsoft Corp., 253 F.3d 34, 45 (D.C. Cir. 2001)",
        "U.S. v. Microsoft, 253 F.3d 34",
    ],
)
def test_a_right_citation_is_confirmed(text: str) -> None:
    found = check(text)

    assert found.verdict is CaseVerdict.CONFIRMED
    assert found.case in (ROE, MICROSOFT)
    assert not found.mismatches


@requires("verify_citation.law_mismatch")
@pytest.mark.parametrize(
    ("text", "verdict", "sentence"),
    [
        ("Smith v. Jones, 410 U.S. 113 (1973)", CaseVerdict.WRONG_CASE, "Roe v. Wade"),
        ("Roe v. Walker, 410 U.S. 113 (1973)", CaseVerdict.WRONG_CASE, "Roe v. Wade"),
        ("Roe v. Wade, 410 U.S. 113 (1983)", CaseVerdict.WRONG_DETAILS, "1973"),
        ("United States v. Microsoft Corp., 253 F.3d 34 (9th Cir. 2001)", CaseVerdict.WRONG_DETAILS, "9th Cir."),
        ("Roe v. Wade, 410 U.S. 113, 94 S. Ct. 705 (1973)", CaseVerdict.WRONG_DETAILS, "93 S. Ct. 705"),
    ],
)  # fmt: skip
def test_what_differs_is_told(text: str, verdict: CaseVerdict, sentence: str) -> None:
    found = check(text)

    assert found.verdict is verdict
    assert found.mismatches
    assert sentence in found.reason


@requires("verify_citation.law_near_miss")
@pytest.mark.parametrize(
    "text",
    [
        "Roe v. Wade, 411 U.S. 113 (1973)",
        "Roe v. Wade, 410 U.S. 131 (1973)",
        "Roe v. Wade, 410 F.3d 113 (1973)",
    ],
)
def test_the_right_citation_is_offered_for_a_near_miss(text: str) -> None:
    found = check(text)

    assert found.verdict is CaseVerdict.MISPLACED
    assert found.suggested_citation == "410 U.S. 113"
    assert found.suggested_case == ROE


def test_the_named_case_is_offered_if_another_stands_at_the_citation() -> None:
    found = check("Roe v. Wade, 253 F.3d 34 (1973)")

    assert found.verdict is CaseVerdict.WRONG_CASE
    assert found.suggested_citation == "410 U.S. 113"


@requires("verify_citation.law_absent")
def test_a_case_that_a_complete_registry_lacks_was_probably_invented() -> None:
    found = check("Varghese v. China Southern Airlines Co., Ltd., 925 F.3d 1339 (11th Cir. 2019)")

    assert found.verdict is CaseVerdict.NO_SUCH_CASE
    assert "probably wrong or invented" in found.reason


@requires("verify_citation.law_weak_absence")
@pytest.mark.parametrize(
    "text",
    [
        "Doe v. Thornwick, 123 Ill. App. 3d 456 (1984)",
        "Doe v. Thornwick, 99 F.4th 12 (9th Cir. 2026)",
        "Abernathy v. Kilmarnow, 301 F. Supp. 2d 12 (S.D.N.Y. 2003)",
    ],
)
def test_a_case_that_the_registry_need_not_have_is_not_accused(text: str) -> None:
    found = check(text)

    assert found.verdict is CaseVerdict.NOT_IN_REGISTRY
    assert "does not show that the citation is wrong" in found.reason


def test_a_near_miss_is_told_in_reporters_of_weak_coverage_too() -> None:
    assert check("Katko v. Briney, 184 N.W.2d 657 (Iowa 1971)").verdict is CaseVerdict.MISPLACED


@requires("verify_citation.law_outage")
@pytest.mark.parametrize(
    "error",
    [
        RateLimited("slow down", retry_after=51_000),
        RateLimited("slow down", retry_after=1),
        UpstreamUnavailable("down"),
    ],
)
def test_a_registry_that_cannot_be_asked_says_nothing(error: CitewellError) -> None:
    found = check(
        "Varghese v. China Southern, 925 F.3d 1339 (11th Cir. 2019)", FakeRegistry(error=error)
    )

    assert found.verdict is CaseVerdict.UNCHECKED
    assert "says nothing about the citation" in found.reason


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Doe v. Thornwick, 925 F.3d 1339 (11th Cir. 1985)", CaseVerdict.IMPOSSIBLE),
        ("Doe v. Thornwick, 1200 F.2d 3 (1990)", CaseVerdict.IMPOSSIBLE),
        ("Doe v. Thornwick, 999 F.9th 1 (9th Cir. 2019)", CaseVerdict.IMPOSSIBLE),
        ("Doe v. Thornwick, 2023 WL 4114965 (S.D.N.Y. June 22, 2023)", CaseVerdict.UNCHECKED),
        ("Doe v. Thornwick, 12 Zork. 45 (2001)", CaseVerdict.UNCHECKED),
        ("Doe v. Thornwick, 603 U.S. ___ (2024)", CaseVerdict.UNCHECKED),
        ("[2019] UKSC 41", CaseVerdict.UNCHECKED),
        ("Mabo v Queensland (No 2) (1992) 175 CLR 1", CaseVerdict.UNCHECKED),
    ],
)
def test_what_needs_no_registry_or_has_none_is_said(text: str, verdict: CaseVerdict) -> None:
    assert check(text, FakeRegistry(error=UpstreamUnavailable("down"))).verdict is verdict


def test_a_pending_page_is_found_by_its_name() -> None:
    found = check("Roe v. Wade, 410 U.S. ___ (1973)")

    assert found.verdict is CaseVerdict.CONFIRMED
    assert found.suggested_citation == "410 U.S. 113"


@requires("audit_bibliography.brief")
def test_every_case_of_a_brief_is_one_finding_with_its_place() -> None:
    text = (
        "ARGUMENT\n\nSee Roe v. Wade, 410 U.S. 113 (1973). Id. at 150.\n\n"
        "But see Varghese v. China Southern Airlines, 925 F.3d 1339 (11th Cir. 2019). Roe, 410 U.S. at 155."
    )

    first, second = read_brief(text).findings

    assert (first.checked.verdict, first.line, first.mention_count) == (CaseVerdict.CONFIRMED, 3, 3)
    assert (second.checked.verdict, second.line) == (CaseVerdict.NO_SUCH_CASE, 5)
    assert "Varghese v. China Southern Airlines" in second.quote
    assert text[second.offset or 0 :].startswith("925 F.3d 1339")


def test_one_request_is_spent_on_each_distinct_case() -> None:
    provider = FakeRegistry()
    text = "Roe v. Wade, 410 U.S. 113 (1973). " * 30 + "In Roe, 410 U.S. 113 (1973), it was so."

    read_brief(text, provider)

    assert len(provider.asked) == 1


@requires("audit_bibliography.brief_private")
def test_nothing_of_a_draft_but_citations_and_names_is_handed_to_a_registry() -> None:
    provider = FakeRegistry()
    text = (
        "Our client secretly admits zanzibarmarker. See Roe v. Wade, 411 U.S. 113, 120 (1973)"
        " (zanzibarmarker). The zanzibarmarker in Doe v. Thornwick, 12 F.3d 99 (9th Cir. 1995), and"
        " Zanzibarmarker told Smith. Brown v. Board, 999 F.3d 1 (2d Cir. 2019)."
    )

    read_brief(text, provider)

    assert provider.asked
    sent = [
        (request.normalized, request.text, request.case_name, request.pin_cite)
        if isinstance(request, LegalCitation)
        else request
        for request in provider.asked
    ]
    assert "zanzibarmarker" not in repr(sent).lower()
    assert "120" not in repr([request for request in sent if isinstance(request, tuple)])


def test_a_piece_whose_worker_dies_is_counted_and_the_others_are_read() -> None:
    class DyingTasks(ThreadTasks):
        async def run_task(
            self, task: Any, *, limit_seconds: float | None = None, **arguments: Any
        ) -> Any:
            if "poison" in str(arguments["text"]):
                raise build_task_failure(FailureCause.CRASH)
            return await super().run_task(task, limit_seconds=limit_seconds, **arguments)

    filler = "Words of no interest at all. " * 800
    text = f"Roe v. Wade, 410 U.S. 113 (1973).\n\n{filler}\n\npoison\n\n{filler}\n\n{filler} Roe v. Wade, 410 U.S. 113 (1974)."

    found = read_brief(text, workers=DyingTasks())

    assert found.unread_count >= 1
    assert len(found.findings) == 2


def test_a_single_citation_whose_worker_dies_is_not_judged() -> None:
    class DeadTasks(ThreadTasks):
        async def run_task(
            self, task: Any, *, limit_seconds: float | None = None, **arguments: Any
        ) -> Any:
            raise build_task_failure(FailureCause.CRASH)

    checker = build_checker(FakeRegistry(), DeadTasks())

    assert asyncio.run(checker.check_citation_text("410 U.S. 113")) is None


def test_after_its_time_an_audit_asks_nothing_more() -> None:
    provider = FakeRegistry()
    ticks = iter(range(0, 100_000, 1000))
    checker = build_checker(provider, clock=lambda: float(next(ticks)))

    found = asyncio.run(checker.check_brief("Roe v. Wade, 410 U.S. 113 (1973).", seconds=5))

    assert not provider.asked
    assert found.findings[0].checked.verdict is CaseVerdict.UNCHECKED
    assert "time was over" in found.findings[0].checked.reason


def test_progress_is_told_for_each_case() -> None:
    reported: list[tuple[float, float | None]] = []

    async def progress(done: float, total: float | None, _message: str | None) -> None:
        reported.append((done, total))

    text = "Roe v. Wade, 410 U.S. 113 (1973). United States v. Microsoft Corp., 253 F.3d 34 (2001)."
    asyncio.run(build_checker(FakeRegistry()).check_brief(text, progress=progress))

    assert reported == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("Roe v. Wade", CaseVerdict.CONFIRMED), ("Varghese v. China", CaseVerdict.NOT_IN_REGISTRY)],
)
def test_a_name_without_a_citation_is_searched_for(name: str, verdict: CaseVerdict) -> None:
    found = asyncio.run(build_checker(FakeRegistry()).check_case_name(name))

    assert found.verdict is verdict


def test_cases_beyond_the_limit_are_counted() -> None:
    text = "Roe v. Wade, 410 U.S. 113 (1973). Katko v. Briney, 183 N.W.2d 657 (Iowa 1971)."

    found = asyncio.run(build_checker(FakeRegistry()).check_brief(text, max_cases=1))

    assert (len(found.findings), found.skipped_count) == (1, 1)


class BlindRegistry(FakeRegistry):
    """Finds cases by name, and none by its citation."""

    async def look_up_citation(self, citation: LegalCitation) -> CitationMatch:
        self.asked.append(citation)
        return CitationMatch(provider="fake")


def test_a_case_found_by_name_with_just_this_citation_is_confirmed() -> None:
    checked = check("Roe v. Wade, 410 U.S. 113 (1973)", BlindRegistry())

    assert checked.verdict is CaseVerdict.CONFIRMED
    assert checked.case == ROE
