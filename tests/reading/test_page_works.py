"""Which work a page is, and which works it only mentions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from citewell.core.errors import UpstreamUnavailable
from citewell.core.values.page import Page
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.reading.fetch_tiers import HtmlTier, PageFetcher
from citewell.reading.page_tasks import PageTasks
from citewell.reading.page_works import MAX_LISTED_MENTIONS, PageWorkFinder, PageWorks
from citewell.reading.pages.page_reader import AddressReader
from citewell.reading.source_classification import cite_page
from citewell.trust.notice_weighing import weigh_notices
from citewell.trust.retraction_checks import NoticedWork, RetractionCheck, RetractionChecker
from tests.reading.identity_pages import HEART, PAGES, REGISTERED, TIDES, IdentityPage
from tests.reading.reading import page
from tests.requirements import requires
from tests.task_thread import ThreadTasks


class Registry(RetractionChecker):
    """Has the given works, or answers nobody."""

    def __init__(self, works: Mapping[str, NoticedWork] | None = None) -> None:
        self.works = works
        self.asked: list[str] = []

    async def check_retraction(
        self, doi: str, *, tenant: str | None = None, **_options: Any
    ) -> RetractionCheck:
        self.asked.append(doi)
        if self.works is None:
            raise UpstreamUnavailable("No registry answers.")
        work = self.works.get(doi)
        return RetractionCheck(
            status=weigh_notices(work.events) if work else None,
            answered=("crossref",) if work else (),
            work=work,
        )

    async def check_mention(
        self, doi: str, *, seconds: float, tenant: str | None = None
    ) -> RetractionCheck:
        return await self.check_retraction(doi)


def read(given: IdentityPage) -> Page:
    class Canned:
        async def send_request(self, request: HttpRequest) -> HttpResponse:
            headers = {"content-type": "text/html; charset=utf-8"}
            body = given.html.encode()
            return HttpResponse(status=200, url=request.url, headers=headers, body=body)

    tasks = PageTasks(ThreadTasks())
    tier = HtmlTier(PageFetcher(Canned(), tasks, max_bytes=10**6), tasks, timeout=5)
    return asyncio.run(AddressReader([tier], robots=None).read_page(given.url))


def find(shown: Page, registry: Registry | None = None) -> PageWorks:
    finder = PageWorkFinder(registry or Registry(REGISTERED))
    return asyncio.run(finder.find_page_works(shown))


@requires("scrape_page.detected_doi", "scrape_page.detected_doi_own", "scrape_page.mentioned_dois")
@pytest.mark.parametrize("given", PAGES, ids=lambda given: given.name)
def test_a_page_has_its_own_doi_and_mentions_the_others(given: IdentityPage) -> None:
    works = find(read(given))

    assert works.doi == given.own
    assert {one.doi for one in works.mentioned} == set(given.mentioned)
    retracted = bool(works.status and works.status.retracted)
    assert retracted is (given.own == HEART)
    assert (works.note is not None) is (HEART in given.mentioned)


@pytest.mark.parametrize("given", PAGES, ids=lambda given: given.name)
def test_the_citation_of_a_page_has_its_own_address_and_no_foreign_doi(given: IdentityPage) -> None:
    shown = read(given)
    formats = cite_page(shown, doi=find(shown).doi).formatted

    for text in (formats.apa, formats.mla, formats.bibtex):
        assert given.url.replace("_", r"\_") in text or given.url in text
    for doi in given.mentioned:
        assert f"doi = {{{doi}}}" not in formats.bibtex
        assert f"doi.org/{doi}" not in formats.apa


@requires("scrape_page.mentioned_dois")
def test_the_status_of_every_mentioned_paper_is_stated() -> None:
    text = f"See 10.5555/nobody.1, https://doi.org/{TIDES} and https://doi.org/{HEART}."

    works = find(page("https://example.org/a", text))

    stated = {one.doi: one.status for one in works.mentioned}
    assert stated == {HEART: "retracted", TIDES: "no_notice", "10.5555/nobody.1": "unknown"}
    assert works.mentioned[0].doi == HEART  # what matters comes first
    assert works.mentioned[0].title == REGISTERED[HEART].title
    assert works.note == f"This page mentions a retracted paper: {HEART}."


def test_without_an_answer_the_claim_counts_and_every_status_is_unknown() -> None:
    text = f"See https://doi.org/{HEART}."

    for finder in (PageWorkFinder(None), PageWorkFinder(Registry())):
        shown = page("https://example.org/a", text, declared_doi=TIDES, is_doi_described=True)
        works = asyncio.run(finder.find_page_works(shown))

        assert (works.doi, works.status, works.note) == (TIDES, None, None)
        assert [(one.doi, one.status) for one in works.mentioned] == [(HEART, "unknown")]


@pytest.mark.parametrize(
    "given",
    [given for given in PAGES if given.url.startswith("https://daily.example.com")],
    ids=lambda given: given.name,
)
def test_without_an_answer_no_page_takes_the_doi_of_the_paper_that_its_metadata_name(
    given: IdentityPage,
) -> None:
    shown = read(given)
    works = find(shown, Registry())

    assert works.doi is None
    assert {one.doi for one in works.mentioned} == set(given.mentioned)
    assert works.doubted == shown.declared_doi
    assert (f"name the DOI {works.doubted}" in (works.note or "")) is bool(works.doubted)


def test_without_an_answer_pages_that_describe_their_work_keep_its_doi() -> None:
    unsure = {"retraction notice with metadata of its own"}
    marked = [given for given in PAGES if given.own and given.name not in unsure]
    claimed = [given for given in marked if "without metadata" not in given.name]

    assert [find(read(given), Registry()).doi for given in claimed] == [
        given.own for given in claimed
    ]


@requires("scrape_page.mentioned_dois")
def test_of_two_hundred_dois_a_bounded_number_is_checked_and_the_rest_counted() -> None:
    registry = Registry(REGISTERED)
    text = " ".join(f"https://doi.org/10.5555/x.{number}" for number in range(200))

    works = find(page("https://example.org/a", text), registry)

    assert len(registry.asked) == len(works.mentioned) == MAX_LISTED_MENTIONS
    assert works.unlisted == 200 - MAX_LISTED_MENTIONS
    assert works.doi is None


def test_a_page_without_dois_asks_nobody() -> None:
    registry = Registry(REGISTERED)

    assert find(page("https://example.org/a"), registry) == PageWorks()
    assert not registry.asked


def test_a_resolver_that_led_to_the_page_tells_its_doi() -> None:
    shown = page(f"https://doi.org/{TIDES}", final_url="https://publisher.example.com/17")

    assert find(shown).doi == TIDES


def test_a_translated_title_does_not_refute_the_metadata() -> None:
    shown = page(
        "https://revista.example.org/4",
        title="Mareas vivas y la supervivencia de los mejillones intermareales",
        declared_doi=TIDES,
    )

    assert find(shown).doi == TIDES


def test_papers_of_which_a_registry_knows_no_authors_or_title_refute_nothing() -> None:
    bare = {TIDES: NoticedWork(events=(), title="", authors=())}
    shown = page("https://example.org/a", title="Quite another title than that", declared_doi=TIDES)

    assert find(shown, Registry(bare)).doi == TIDES
