"""Progress of a check is told every few seconds, whatever it waits for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import pairwise

import pytest

from citewell.core.errors import Blocked
from citewell.core.values.page import Page
from citewell.core.values.paper import PaperId
from citewell.drafts.draft_findings import DraftVerdict as V
from citewell.drafts.other_sources import FoundWork, OtherSourceFinder
from citewell.scholar.registry_records import WorkRecord
from tests.drafts.judged_drafts import FILLER, SOURCE, desk_with
from tests.drafts.manuscripts import OWNER, PAGE, checker, find, manuscript
from tests.fake_services import use_fake
from tests.jumping_time import run_in_jumping_time
from tests.requirements import requires
from tests.trust.desk import Desk, page
from tests.trust.test_audit import CLEAN

MAX_GAP_SECONDS = 5.0
KETTLE = "The kettle boiled in four minutes and then it was switched off by a thermostat. " * 40


@dataclass
class LateDesk(Desk):
    """Registries and pages answer, but late."""

    async def find_record(self, paper_id: PaperId, *, tenant: str | None = None) -> WorkRecord:
        await asyncio.sleep(70)
        return await super().find_record(paper_id, tenant=tenant)

    async def read_page(
        self, url: str, *, max_length: int = 50_000, tenant: str | None = None
    ) -> Page:
        await asyncio.sleep(25)
        return await super().read_page(url, max_length=max_length, tenant=tenant)


async def search_late(_words: str) -> tuple[str, ...]:
    await asyncio.sleep(15)
    return ()


@requires("check_draft.bounded")
def test_no_five_seconds_pass_without_a_report_of_progress() -> None:
    draft = manuscript(
        "The effect was seen [1].\nPenguins of southern islands moult in a warm season [2].",
        {"1": CLEAN[0].key, "2": PAGE},
    )
    desk = LateDesk(pages={PAGE: page(PAGE, KETTLE, title="Kettles")})
    heard: list[tuple[float, float, str]] = []

    async def run() -> tuple[float, float]:
        clock = asyncio.get_running_loop().time

        async def note(done: float, total: float | None, message: str | None) -> None:
            assert total is not None
            assert done <= total
            heard.append((clock(), done, message or ""))

        slow = checker(desk, others=OtherSourceFinder(use_fake(desk), search=search_late))
        begun = clock()
        await slow.check_draft(draft, owner=OWNER, progress=note, find_sources=True)
        return begun, clock()

    begun, ended = run_in_jumping_time(run())

    times = [begun, *(moment for moment, _, _ in heard), ended]
    assert ended - begun >= 70 + 15
    assert max(later - earlier for earlier, later in pairwise(times)) <= MAX_GAP_SECONDS
    numbers = [done for _, done, _ in heard]
    assert numbers == sorted(set(numbers))
    assert heard[-1][2] == "The draft is checked"


@requires("check_draft.find_sources")
def test_another_source_of_the_draft_is_offered_where_the_cited_one_is_silent() -> None:
    other = "https://reports.example.org/measles"
    text = "Vaccination campaigns halved measles outbreaks among toddlers in rural districts."
    desk = desk_with(SOURCE)
    desk.pages[other] = page(other, f"# Measles\n\n{text}\n\n{FILLER}")
    draft = manuscript(
        "Vaccination campaigns halved measles outbreaks among toddlers [1].\n"
        "Vaccination campaigns halved measles outbreaks among toddlers in rural districts [2].",
        {"1": PAGE, "2": other},
    )

    report = asyncio.run(
        checker(desk, others=OtherSourceFinder(use_fake(desk))).check_draft(draft, owner=OWNER)
    )

    [found] = [finding for finding in report.findings if finding.verdict is V.NOT_IN_SOURCE]
    [repair] = found.repairs or ()
    assert (repair.kind, repair.new, repair.is_certain) == ("other_source", other, False)
    assert repair.evidence is not None
    assert "measles" in repair.evidence.passage


@requires("check_draft.find_sources")
@pytest.mark.parametrize("where", ["abstract", "copy"])
def test_a_work_of_the_literature_is_offered_with_its_passage_before_the_web_is_asked(
    where: str,
) -> None:
    doi, copy = "https://doi.org/10.5555/measles", "https://repository.example.org/measles.pdf"
    text = "Vaccination campaigns halved measles outbreaks among toddlers."
    desk = desk_with(SOURCE)
    desk.pages[copy] = page(copy, f"# Measles\n\n{text} {FILLER}")
    searched: list[tuple[str, str]] = []

    async def search_works(words: str) -> list[FoundWork]:
        searched.append(("literature", words))
        abstract = f"We asked nurses. {text}" if where == "abstract" else "We asked nurses."
        return [FoundWork(url=doi, title="Measles", abstract=abstract, copy_url=copy)]

    async def search(words: str) -> list[str]:
        searched.append(("web", words))
        return []

    others = OtherSourceFinder(use_fake(desk), literature=search_works, search=search)
    draft = manuscript(text[:-1] + " [1].", {"1": PAGE})
    report = asyncio.run(
        checker(desk, others=others).check_draft(draft, owner=OWNER, find_sources=True)
    )

    [repair] = find(report).repairs or ()
    assert searched == [("literature", text)]
    assert (repair.kind, repair.new, repair.is_certain) == ("other_source", doi, False)
    assert repair.evidence is not None
    assert "halved measles" in repair.evidence.passage
    assert any("literature" in line for line in report.shared)


@requires("check_draft.find_sources")
def test_the_web_is_asked_where_the_literature_has_nothing_or_is_down() -> None:
    searched: list[str] = []

    async def fail(_words: str) -> list[FoundWork]:
        raise Blocked("Not today.")

    async def search(words: str) -> list[str]:
        searched.append(words)
        return []

    desk = desk_with(SOURCE)
    others = OtherSourceFinder(use_fake(desk), literature=fail, search=search)
    draft = manuscript("Penguins of southern islands moult in a warm season [1].", {"1": PAGE})

    asyncio.run(checker(desk, others=others).check_draft(draft, owner=OWNER, find_sources=True))

    assert len(searched) == 1


@requires("check_draft.find_sources")
@pytest.mark.parametrize("may_search", [True, False])
def test_search_providers_are_asked_only_if_the_caller_says_so(*, may_search: bool) -> None:
    found_at = "https://reports.example.org/found"
    text = "Vaccination campaigns halved measles outbreaks among toddlers."
    desk = desk_with(SOURCE)
    desk.pages[found_at] = page(found_at, f"{text} {FILLER}")
    searched: list[str] = []

    async def search(words: str) -> list[str]:
        searched.append(words)
        return [found_at]

    others = OtherSourceFinder(use_fake(desk), search=search)
    report = asyncio.run(
        checker(desk, others=others).check_draft(
            manuscript(text[:-1] + " [1].", {"1": PAGE}), owner=OWNER, find_sources=may_search
        )
    )

    assert bool(searched) is may_search
    assert any("search providers" in line for line in report.shared) is may_search
    offered = [repair.new for repair in find(report).repairs or ()]
    assert offered == ([found_at] if may_search else [])
