"""The papers of one answer have the same retraction status, whoever found them and whoever is down."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import CitewellError, RateLimited, UpstreamUnavailable
from citewell.core.values.paper import IdentifierScheme, IntegrityNotice, NoticeKind, Paper, PaperId
from citewell.scholar.work_resolution import PaperStatuses
from citewell.trust.paper_statuses import PaperStatusFinder
from citewell.trust.retraction_checks import RetractionChecker
from tests.internet.papers import register
from tests.requirements import requires
from tests.trust import desk
from tests.trust.test_retraction import EDITION, Registry, Shelf, Table

NOTICE = IntegrityNotice(
    kind=NoticeKind.RETRACTION,
    source="retraction-watch",
    date="2020-06-05",
    notice_doi="10.5555/notice",
)
FLAG = IntegrityNotice(kind=NoticeKind.RETRACTION, source="openalex", label="is_retracted")
ROW = IntegrityNotice(kind=NoticeKind.RETRACTION, source="offline-table", date="2020-06-05")
SOURCES = ("openalex", "semanticscholar", "pubmed", "europepmc", "core", "datacite", "arxiv", "exa", "dblp", "duckduckgo")  # fmt: skip


class Mute:
    """A registry that never answers."""

    def __init__(self) -> None:
        self.asked: list[PaperId] = []

    async def list_notices(self, paper_id: PaperId) -> None:
        self.asked.append(paper_id)
        await asyncio.Event().wait()


def paper(source: str = "semanticscholar", number: int = 1, **changes: Any) -> Paper:
    given: dict[str, Any] = {"ids": {IdentifierScheme.DOI: f"10.5555/Work.{number}"}}
    return Paper(title="A title", source=source, **(given | changes))


def find(*papers: Paper, table: Table | None = None, seconds: float = 5.0, **registries: Any) -> PaperStatuses:  # fmt: skip
    shelf: Any = Shelf(**registries)
    finder = PaperStatusFinder(RetractionChecker(shelf, table), seconds=seconds)
    return asyncio.run(finder.find_paper_statuses(papers))


@requires("academic_search.retraction")
@pytest.mark.parametrize("source", SOURCES)
def test_a_notice_of_the_best_registry_is_told_whoever_found_the_paper(source: str) -> None:
    found = find(paper(source), crossref=Registry((NOTICE,)), europepmc=Registry())

    [status] = found.statuses
    assert status is not None
    assert (status.retracted, status.source) == (True, "retraction-watch")
    assert found.notes == ()


@requires("academic_search.retraction")
@pytest.mark.parametrize("source", [*SOURCES, "crossref"])
def test_the_offline_table_is_asked_about_every_paper(source: str) -> None:
    found = find(paper(source), table=Table(ROW), crossref=Registry(()))

    [status] = found.statuses
    assert status is not None
    assert status.retracted is True


def test_the_registry_that_found_the_paper_is_not_asked_again() -> None:
    crossref = Registry((NOTICE,))

    found = find(paper("crossref", events=(NOTICE,)), crossref=crossref)

    assert crossref.asked == []
    assert found.statuses[0] is not None


def test_openalex_is_not_asked_for_its_bare_mark() -> None:
    openalex = Registry((FLAG,))

    found = find(paper("datacite"), crossref=Registry(None), openalex=openalex)

    assert openalex.asked == []
    assert found.statuses == (None,)


def test_a_mark_that_the_registry_does_not_confirm_is_false() -> None:
    [status] = find(paper("openalex", events=(FLAG,)), crossref=Registry(())).statuses

    assert status is not None
    assert (status.retracted, status.kind) == (False, "unconfirmed_retraction")


@requires("academic_search.retraction_unchecked")
@pytest.mark.parametrize("error", [RateLimited("Slow down."), UpstreamUnavailable("Down.")])
def test_a_registry_that_fails_leaves_the_status_open_and_says_so(error: CitewellError) -> None:
    papers = (paper("openalex", events=(FLAG,)), paper("semanticscholar", 2))

    found = find(*papers, crossref=Registry(error))

    marked, silent = found.statuses
    assert marked is not None
    assert marked.retracted is None
    assert silent is None
    assert found.notes == ("The retraction status of 2 of 2 papers could not be checked.",)


@requires("academic_search.retraction_unchecked")
def test_registries_that_never_answer_cost_no_more_than_the_time_set() -> None:
    mute = Mute()

    found = find(paper(), paper(number=2), crossref=mute, europepmc=Mute(), seconds=0.01)

    assert found.statuses == (None, None)
    assert found.notes == ("The retraction status of 2 of 2 papers could not be checked.",)
    assert len(mute.asked) == 2


def test_the_offline_table_alone_answers_with_its_date() -> None:
    down = Registry(UpstreamUnavailable("Down."))

    found = find(paper(), table=Table(edition=EDITION), crossref=down)

    assert found.statuses == (None,)
    [note] = found.notes
    assert note.endswith("is from the offline table of 2026-10-01 alone.")


def test_a_paper_with_a_pubmed_id_only_is_asked_about_where_that_is_known() -> None:
    crossref, pubmed = Registry((NOTICE,)), Registry((NOTICE,))
    by_pmid = paper(ids={IdentifierScheme.PMID: "9500320"})

    found = find(by_pmid, crossref=crossref, pubmed=pubmed)

    assert crossref.asked == []
    assert pubmed.asked == [PaperId(scheme=IdentifierScheme.PMID, value="9500320")]
    assert found.statuses[0] is not None


def test_a_paper_without_an_identifier_has_no_status_and_no_note() -> None:
    crossref = Registry((NOTICE,))

    found = find(paper(ids={}), crossref=crossref)

    assert (found.statuses, found.notes, crossref.asked) == ((None,), (), [])


class Register:
    """Answers from the loopback world's register of works."""

    async def list_notices(self, paper_id: PaperId) -> tuple[IntegrityNotice, ...] | None:
        known = register().by_doi(paper_id.value)
        return None if known is None else desk.paper(known).events


def search_results(source: str, *, marks_all: bool = False) -> list[Paper]:
    """Every work of the register as this provider would return it, OpenAlex with its bare marks."""
    return [
        Paper(
            title=work.title,
            source=source,
            ids={IdentifierScheme.DOI: work.key},
            events=(FLAG,) if source == "openalex" and (work.retracted or marks_all) else (),
        )
        for work in register().works
    ]


@requires("academic_search.retraction")
@pytest.mark.parametrize("marks_all", [False, True])
@pytest.mark.parametrize("source", SOURCES)
def test_every_retracted_work_of_the_register_is_told_and_no_other(
    source: str, *, marks_all: bool
) -> None:
    found = find(*search_results(source, marks_all=marks_all), crossref=Register())

    retracted = [bool(status and status.retracted) for status in found.statuses]
    assert retracted == [work.retracted for work in register().works]
    assert any(retracted)


@requires("academic_search.retraction_unchecked")
@pytest.mark.parametrize("source", SOURCES)
def test_in_an_outage_nobody_is_accused_and_nobody_is_cleared(source: str) -> None:
    down = Registry(UpstreamUnavailable("Down."))

    found = find(*search_results(source), crossref=down, europepmc=down, pubmed=down)

    assert all(status is None or status.retracted is None for status in found.statuses)
    has_notices = source in {"europepmc", "pubmed"}  # their own records list them
    assert bool(found.notes) is not has_notices
