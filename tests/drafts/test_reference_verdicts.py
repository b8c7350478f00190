"""References of a draft: what registries and links say of them, and what could be written instead."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import pytest

from citewell.citations.references.reference_fields import Reference
from citewell.core.errors import InvalidInput, RefusedByPolicy
from citewell.core.values.paper import PaperId
from citewell.drafts.commands.checking.checked_draft import CheckedDraft, print_findings
from citewell.drafts.draft import Draft
from citewell.drafts.draft_findings import DraftFinding
from citewell.drafts.draft_findings import DraftVerdict as V
from citewell.links.link_checks import LinkState
from citewell.scholar.registry_records import WorkRecord
from citewell.trust.reference_lookup import add_address_identifiers, find_checked_address
from tests.drafts.manuscripts import OWNER, PAGE, check, checker, find, manuscript, verdicts
from tests.internet.papers import Work, register
from tests.requirements import requires
from tests.trust.desk import Desk, page

WORKS = [
    work
    for work in register().works
    if len(work.title.split()) > 5 and work.year and work.authors and work.kind == "article-journal"
]
CLEAN = [work for work in WORKS if not work.events and not isinstance(work.authors[0], str)]
SAID = "The effect was seen in several groups [1]."


def entry(work: Work, *, doi: str | None = None, year: int | None = None, author: str = "") -> str:
    lead = author or f"{work.authors[0][1]}, {work.authors[0][0][:1]}."
    return (
        f"{lead} ({year or work.year}). {work.title}. {work.venue}, {work.volume}, {work.pages}."
        f" https://doi.org/{doi or work.key}"
    )


def judge(raw: str, desk: Desk | None = None, **options: str) -> DraftFinding:
    return find(check(manuscript(SAID, {"1": raw}), desk or Desk(), **options), "reference")


def test_a_sound_reference_is_found() -> None:
    assert judge(entry(CLEAN[0])).verdict is V.FOUND


def test_a_retracted_work_is_told_with_its_notice() -> None:
    bad = next(work for work in WORKS if work.retracted)

    found = judge(entry(bad))

    assert found.verdict is V.RETRACTED
    assert "retracted" in found.reason
    assert [repair.kind for repair in found.repairs or ()] == ["remove"]


@requires("check_draft.repairs")
def test_a_neighbours_doi_is_repaired_for_certain() -> None:
    raw = entry(CLEAN[2], doi=CLEAN[3].key)
    draft = manuscript(SAID, {"1": raw})

    found = find(check(draft, Desk()), "reference")

    assert found.verdict is V.WRONG_WORK
    [repair] = found.repairs or ()
    assert (repair.kind, repair.old, repair.new) == ("doi", CLEAN[3].key, CLEAN[2].key)
    assert repair.is_certain
    assert repair.place is not None
    assert draft.text[repair.place.start : repair.place.end] == CLEAN[3].key


def test_an_unregistered_doi_of_a_known_work_is_repaired() -> None:
    found = judge(entry(CLEAN[1], doi="10.1000/invented.7"))

    assert found.verdict is V.WRONG_DETAILS
    assert [repair.new for repair in found.repairs or ()] == [CLEAN[1].key]


def test_an_invented_doi_is_not_found() -> None:
    assert judge("10.1000/invented.8").verdict is V.REFERENCE_NOT_FOUND


def test_a_wrong_year_is_repaired_for_certain() -> None:
    work = CLEAN[0]
    wrong = (work.year or 0) - 7

    found = judge(entry(work, year=wrong))

    assert found.verdict is V.WRONG_DETAILS
    [repair] = [repair for repair in found.repairs or () if repair.kind == "year"]
    assert (repair.old, repair.new) == (str(wrong), str(work.year))
    assert repair.is_certain


def test_a_wrong_author_is_told_and_not_put_in() -> None:
    found = judge(entry(CLEAN[0], author="Zyxwvut, Q."))

    assert found.verdict is V.WRONG_DETAILS
    assert [(repair.kind, repair.is_certain) for repair in found.repairs or ()] == [
        ("authors", False)
    ]


@requires("check_draft.style")
def test_a_style_gives_the_whole_reference_of_the_record() -> None:
    found = judge(entry(CLEAN[0], year=1901), style="apa")

    [whole] = [repair for repair in found.repairs or () if repair.kind == "reference"]
    assert str(CLEAN[0].year) in (whole.new or "")


def test_a_dead_link_comes_with_its_archived_copy_and_a_moved_one_with_its_address() -> None:
    copy = "https://archive.example.org/copy"
    gone = LinkState(state="dead", status=404, reason="http_404", archived=copy)
    moved = LinkState(state="live", status=200, moved_to="https://new.example.org/page")

    dead = judge(PAGE, Desk(links={PAGE: gone}))
    away = judge(PAGE, Desk(links={PAGE: moved}))

    assert (dead.verdict, away.verdict) == (V.DEAD_LINK, V.MOVED)
    assert [(repair.kind, repair.new, repair.is_certain) for repair in dead.repairs or ()] == [
        ("archived_copy", copy, False)
    ]
    assert [(repair.kind, repair.new, repair.is_certain) for repair in away.repairs or ()] == [
        ("address", "https://new.example.org/page", True)
    ]


@pytest.mark.parametrize("is_down", [False, True])
def test_a_page_that_is_gone_is_not_said_to_await_registries(is_down: bool) -> None:
    gone = LinkState(state="dead", status=404, reason="http_404")

    report = check(manuscript(SAID, {"1": PAGE}), Desk(down=is_down, links={PAGE: gone}))

    assert find(report, "reference").also is None
    assert not any("registry" in finding.reason for finding in report.findings)


def test_a_statement_on_a_retracted_work_says_so_before_what_could_be_read() -> None:
    bad = next(work for work in WORKS if work.retracted)

    found = find(check(manuscript(SAID, {"1": entry(bad)}), Desk()))

    assert V.RETRACTED in (found.also or ())
    assert found.reason.startswith("The work was retracted")


@requires("check_draft.unaccused")
def test_with_nobody_to_ask_nothing_is_accused() -> None:
    desk = Desk(down=True, links={PAGE: LinkState(state="dead", reason="dns")})
    draft = manuscript(
        f"{SAID}\nAnother effect was seen [2].\nA third was seen [3].",
        {"1": entry(CLEAN[0]), "2": entry(CLEAN[1], doi="10.1000/invented.7"), "3": PAGE},
    )

    report = check(draft, desk)

    assert set(verdicts(report, "reference")) == {V.UNCHECKED}
    assert set(verdicts(report)) == {V.SOURCE_UNAVAILABLE, V.UNCHECKED}
    assert report.summary.is_clean


def test_a_reference_that_nothing_cites_is_told() -> None:
    draft = manuscript(SAID, {"1": entry(CLEAN[0]), "2": entry(CLEAN[1])})

    assert verdicts(check(draft, Desk()), "reference") == [V.UNUSED_REFERENCE, V.FOUND]


@requires("check_draft.focus")
@pytest.mark.parametrize(
    ("focus", "subjects"),
    [("existence", {"reference"}), ("links", {"reference"}), ("support", {"statement"})],
)
def test_the_focus_chooses_what_is_reported(focus: str, subjects: set[str]) -> None:
    desk = Desk(pages={PAGE: page(PAGE, "words " * 300)})
    draft = manuscript("Prices rose by 40 % within a year.\n" + SAID, {"1": PAGE})

    report = check(draft, desk, focus=focus)

    assert {finding.subject for finding in report.findings} == subjects
    assert bool(desk.read_) is (focus == "support")


def test_an_unknown_focus_is_refused_with_those_that_exist() -> None:
    with pytest.raises(InvalidInput, match="existence, support, links, all"):
        check(manuscript(SAID, {"1": PAGE}), Desk(), focus="everything")


@requires("check_draft.once")
def test_a_thousand_copies_of_one_citation_are_looked_up_and_read_once() -> None:
    doi = CLEAN[0].key
    desk = Desk()
    text = "\n".join(f"Finding {number} was confirmed [{number}]." for number in range(1, 1001))
    draft = manuscript(text, {str(number): doi for number in range(1, 1001)}, listed=False)

    report = check(draft, desk, max_statements=2000)

    assert desk.asked.count(f"doi:{doi}") == 1
    assert len(verdicts(report)) == 1000
    assert len(verdicts(report, "reference")) == 1


@dataclass
class PrivateDesk(Desk):
    """Everybody refuses the address of an intranet."""

    told: list[str] = field(default_factory=list)

    async def check_links(
        self, urls: Iterable[str], *, tenant: str | None = None
    ) -> Mapping[str, LinkState]:
        return {url: LinkState(state="unchecked", reason="refused") for url in urls}


@requires("check_draft.private")
def test_the_title_of_a_private_page_is_told_to_nobody() -> None:
    url = "http://10.1.2.3/plans"
    desk = PrivateDesk(pages={url: RefusedByPolicy("It is private.")})
    draft = manuscript(SAID, {"1": f"Project Falcon: secret plans of the board. 2024. {url}"})

    report = check(draft, desk)

    assert desk.asked == []
    assert verdicts(report, "reference") == [V.UNCHECKED]
    assert "not public" in find(report).reason
    assert report.shared == ("Nothing of the draft left this machine.",)


def test_the_table_says_that_an_address_is_private(capsys: pytest.CaptureFixture[str]) -> None:
    url = "http://10.1.2.3/plans"
    desk = PrivateDesk(pages={url: RefusedByPolicy("It is private.")})
    draft = manuscript(SAID, {"1": f"Plans of the board. 2024. {url}"})
    checked = CheckedDraft(name="plans.md", draft=draft, report=check(draft, desk))

    print_findings(checked, explained=False)

    words = " ".join(capsys.readouterr().out.split())
    assert words.count("private") == len(checked.report.findings) == 2


@pytest.mark.parametrize(
    "url",
    [
        "https://arxiv.org/abs/1706.03762",
        "https://arxiv.org/pdf/1706.03762v2",
        "https://pubmed.ncbi.nlm.nih.gov/12345678/",
        "https://doi.org/10.5555/12345",
    ],
)
def test_the_page_of_an_identifier_is_left_to_its_registry(url: str) -> None:
    known = add_address_identifiers(Reference(raw=url, url=url))

    assert known.ids
    assert find_checked_address(known) == ""


def test_the_words_of_a_link_in_the_text_are_told_to_nobody() -> None:
    raw = f"our confidential takeover of the rival https://doi.org/{CLEAN[0].key}"
    queries: list[str] = []

    class Listening(Desk):
        async def match_records(self, query, *, tenant=None):  # type: ignore[no-untyped-def]  # as it is
            queries.append(str(query))
            return await super().match_records(query, tenant=tenant)

    check(manuscript(SAID, {"1": raw}, listed=False), Listening())

    assert queries == []


@dataclass
class SlowDesk(Desk):
    """One identifier is never answered."""

    stuck: str = ""
    waiting: asyncio.Event = field(default_factory=asyncio.Event)

    async def find_record(self, paper_id: PaperId, *, tenant: str | None = None) -> WorkRecord:
        if paper_id.value == self.stuck:
            self.waiting.set()
            await asyncio.Event().wait()
        return await super().find_record(paper_id, tenant=tenant)


def two_references() -> Draft:
    return manuscript(
        f"{SAID}\nAnother effect was seen [2].", {"1": CLEAN[0].key, "2": CLEAN[1].key}
    )


@requires("check_draft.bounded")
def test_after_the_deadline_the_rest_is_unchecked_and_nothing_is_lost() -> None:
    report = check(two_references(), SlowDesk(stuck=CLEAN[1].key), seconds=0.2)

    assert verdicts(report, "reference") == [V.UNCHECKED, V.FOUND]
    assert V.UNCHECKED in verdicts(report)
    assert any("1 of 2 references" in note for note in report.notes or ())


def test_a_cancelled_check_stops_its_lookups() -> None:
    async def run() -> int:
        desk = SlowDesk(stuck=CLEAN[1].key)
        task = asyncio.create_task(checker(desk).check_draft(two_references(), owner=OWNER))
        await desk.waiting.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return len(asyncio.all_tasks()) - 1

    assert asyncio.run(run()) == 0


@requires("check_draft.bounded")
def test_progress_is_told_while_a_source_is_waited_for() -> None:
    heard: list[tuple[float, str | None]] = []

    async def run() -> None:
        desk = SlowDesk(stuck=CLEAN[1].key)
        enough = asyncio.Event()

        async def progress(done: float, _total: float | None, message: str | None) -> None:
            heard.append((done, message))
            if len(heard) >= 4 and message == "1 of 2 sources read":
                enough.set()

        slow = checker(desk, progress_seconds=0.01)
        task = asyncio.create_task(
            slow.check_draft(two_references(), owner=OWNER, progress=progress)
        )
        await asyncio.wait_for(enough.wait(), 5)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run())

    assert [done for done, _ in heard] == sorted({done for done, _ in heard})
    assert heard[-1][1] == "1 of 2 sources read"


@requires("check_draft.max_statements")
def test_statements_beyond_the_limit_are_counted_as_skipped() -> None:
    draft = manuscript(f"{SAID}\nAnother was seen [1].\nA third was seen [1].", {"1": PAGE})

    report = check(draft, Desk(), max_statements=1)

    assert report.skipped == 2
    assert len(verdicts(report)) == 1


def test_a_draft_without_citations_says_so() -> None:
    report = check(replace(manuscript("Nothing is cited here.", {}), references=()), Desk())

    assert report.findings == ()
    assert any("a citation is a link" in note for note in report.notes or ())
