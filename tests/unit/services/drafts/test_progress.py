"""Progress of a check is told every few seconds, whatever it waits for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import pairwise

from citewell.model.page import Page
from citewell.model.paper import PaperId
from citewell.services.drafts.other_sources import OtherSourceFinder
from citewell.services.scholar.registry_records import WorkRecord
from tests.jumping_time import run_in_jumping_time
from tests.requirements import requires
from tests.unit.services.drafts.manuscripts import OWNER, PAGE, checker, manuscript
from tests.unit.services.trust.desk import Desk, page
from tests.unit.services.trust.test_audit import CLEAN

MAX_GAP_SECONDS = 5.0
SOURCE = "The kettle boiled in four minutes and then it was switched off by a thermostat. " * 40


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
    desk = LateDesk(pages={PAGE: page(PAGE, SOURCE, title="Kettles")})
    heard: list[tuple[float, float, str]] = []

    async def run() -> tuple[float, float]:
        clock = asyncio.get_running_loop().time

        async def note(done: float, total: float | None, message: str | None) -> None:
            assert total is not None
            assert done <= total
            heard.append((clock(), done, message or ""))

        slow = checker(desk, others=OtherSourceFinder(desk, search=search_late))
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
