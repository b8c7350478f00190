"""The scholarly providers against their doubles in the loopback web, over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from citewell import providers
from citewell.citations import record_fields
from citewell.core import config
from citewell.core.errors import MalformedResponse, Misconfigured, RateLimited, UpstreamError
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    NoticeKind,
    Paper,
    PaperId,
    PaperQuery,
)
from citewell.net.network import Network
from tests.contract.recordings import connect_kit
from tests.internet import papers
from tests.internet.faults import Fault
from tests.internet.papers import Work
from tests.internet.serve import Internet

OPTIONS = {"UNPAYWALL_EMAIL": "someone@example.org"}
ODD = "10.50505/example.(odd)[doi];v=1<2>#3?4%25"
WAKEFIELD = "10.1016/s0140-6736(97)11096-0"
AGENCIES = {"crossref": ("crossref", "doi", "unpaywall"), "datacite": ("datacite", "doi")}

Use = Callable[[Any], Awaitable[Any]]


@pytest.fixture(scope="module")
def web() -> Iterator[Internet]:
    with Internet() as internet:
        yield internet
        internet.world.reset()


@pytest.fixture(autouse=True)
def afresh(web: Internet) -> None:
    web.world.reset()


def ask(web: Internet, name: str, use: Use, *, options: dict[str, str] = OPTIONS) -> Any:
    async def run() -> Any:
        env = web.env() | {"CITEWELL_CONFIG": "/nonexistent"}
        network = Network(config.load_settings(env))
        address = env[providers.load(name).SPEC.base_url_env]
        try:
            kit = connect_kit(network, name, base_url=address, options=options)
            return await use(providers.load(name).Provider(kit))
        finally:
            await network.aclose()

    return asyncio.run(run())


def by_doi(doi: str) -> PaperId:
    return PaperId(scheme=IdentifierScheme.DOI, value=doi.lower())


def agrees(paper: Paper, work: Work) -> bool:
    title = record_fields.clean_markup_line(work.marked_title) if work.marked_title else work.title
    return (
        title.rstrip(".") in paper.title
        and paper.doi == work.key
        and [person.name for person in paper.authors] == list(work.names)
        and paper.year == work.year
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["openalex", "crossref", "datacite", "doi", "unpaywall"])
def test_every_work_of_the_register_is_known_to_its_agency_and_to_no_other(
    web: Internet, name: str
) -> None:
    works = papers.register().works

    async def use(provider: Any) -> list[Paper | None]:
        return [await provider.look_up_paper(by_doi(work.doi)) for work in works]

    found = ask(web, name, use)

    for work, paper in zip(works, found, strict=True):
        known = name == "openalex" or name in AGENCIES[work.agency]
        assert (paper is not None) == known, work.doi
        assert paper is None or agrees(paper, work), (paper, work)


@pytest.mark.parametrize("name", ["openalex", "crossref", "datacite", "doi", "unpaywall"])
@pytest.mark.parametrize(
    "doi", ["10.50505/nobody.has.this", "10.1000/../../works", "10.50505/нет такого", "10.1/%2e%2e"]
)
def test_a_doi_that_nobody_registered_is_absent(web: Internet, name: str, doi: str) -> None:
    assert ask(web, name, lambda provider: provider.look_up_paper(by_doi(doi))) is None


@pytest.mark.parametrize(
    ("doi", "registered"),
    [(WAKEFIELD, True), (ODD, True), ("10.50505/example.notice.1", True), ("10.9/none", False)],
)
def test_the_handle_registry_says_what_is_registered(
    web: Internet, doi: str, *, registered: bool
) -> None:
    assert ask(web, "doi", lambda provider: provider.is_registered(doi)) is registered


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=404, body="not found"),
        Fault(status=404, body={"message": "no such route"}),
        Fault(status=404, body={"responseCode": 1}),
        Fault(status=200, body="<html>Welcome</html>"),
        Fault(status=200, body={"responseCode": 2}),
        Fault(status=403, body="blocked"),
        Fault(status=429, headers={"Retry-After": "9"}),
        Fault(status=500),
    ],
    ids=lambda fault: f"{fault.status}-{fault.body}",
)
def test_a_registry_that_cannot_say_says_nothing(web: Internet, fault: Fault) -> None:
    web.world.fail("doi", fault, times=9)

    with pytest.raises(UpstreamError):
        ask(web, "doi", lambda provider: provider.is_registered(WAKEFIELD))


def test_html_in_place_of_csl_is_an_error(web: Internet) -> None:
    web.world.fail("crossref", Fault(status=200, body="<html>A landing page</html>"))

    with pytest.raises(MalformedResponse):
        ask(web, "doi", lambda provider: provider.look_up_paper(by_doi(WAKEFIELD)))


def test_crossref_keeps_every_notice(web: Internet) -> None:
    events = ask(web, "crossref", lambda provider: provider.list_notices(by_doi(WAKEFIELD)))

    assert [event.kind for event in events] == [
        NoticeKind.CORRECTION,
        NoticeKind.RETRACTION,
        NoticeKind.RETRACTION,
    ]
    assert (events[1].date, events[1].notice_doi) == ("2010-02-06", "10.1016/s0140-6736(10)60175-4")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["crossref", "openalex"])
def test_the_integrity_of_every_work_is_as_the_register_has_it(web: Internet, name: str) -> None:
    works = [work for work in papers.register().works if work.agency == "crossref"]

    async def use(provider: Any) -> list[Any]:
        return [await provider.list_notices(by_doi(work.doi)) for work in works]

    found = ask(web, name, use)

    for work, events in zip(works, found, strict=True):
        kinds = [event.kind for event in events]
        if name == "crossref":
            assert kinds == [event.kind for event in work.events]
        else:
            assert kinds == ([NoticeKind.RETRACTION] if work.retracted else [])


@pytest.mark.parametrize("name", ["openalex", "crossref", "datacite"])
def test_a_title_brings_its_work_first(web: Internet, name: str) -> None:
    works = [
        work
        for work in papers.register().works
        if name in {"openalex", work.agency} and len(work.title.split()) > 5
    ][::7]

    async def use(provider: Any) -> list[tuple[Paper, ...]]:
        return [
            await provider.match_reference(BibliographicQuery(title=work.title, count=5))
            for work in works
        ]

    found = ask(web, name, use)

    for work, matches in zip(works, found, strict=True):
        assert any(paper.doi == work.key for paper in matches), work.title


@pytest.mark.parametrize("name", ["openalex", "crossref", "datacite"])
def test_a_search_obeys_its_years(web: Internet, name: str) -> None:
    query = PaperQuery(text="testing algorithms", count=20, year_from=2005, year_to=2012)

    found = ask(web, name, lambda provider: provider.search_papers(query))

    assert found.papers or name == "crossref"
    assert "year" in found.applied
    assert all(2005 <= (paper.year or 0) <= 2012 for paper in found.papers)


def test_newest_first_is_the_index_own_order(web: Internet) -> None:
    query = PaperQuery(text="testing", count=10, sort="date")

    found = ask(web, "openalex", lambda provider: provider.search_papers(query))

    years = [paper.year for paper in found.papers]
    assert years == sorted(years, reverse=True)
    assert found.applied == {"sort"}


def test_the_graph_goes_both_ways(web: Internet) -> None:
    register = papers.register()
    work = max(
        register.works,
        key=lambda work: (
            len(register.list_citing_papers(work)) + len(register.list_cited_papers(work))
        ),
    )

    async def use(provider: Any) -> tuple[Any, Any]:
        paper_id = by_doi(work.doi)
        return await provider.list_citing_papers(
            paper_id, count=9
        ), await provider.list_cited_papers(paper_id, count=9)

    citing, cited = ask(web, "openalex", use)

    assert {paper.doi for paper in citing} == {
        citing_work.key for citing_work in register.list_citing_papers(work)
    }
    assert {paper.doi for paper in cited} == {
        cited_work.key for cited_work in register.list_cited_papers(work)
    }


@pytest.mark.parametrize("method", ["list_citing_papers", "list_cited_papers", "list_notices"])
def test_the_graph_of_an_unknown_work_is_absent(web: Internet, method: str) -> None:
    more = {} if method == "list_notices" else {"count": 5}

    async def use(provider: Any) -> Any:
        return await getattr(provider, method)(by_doi("10.50505/nobody.has.this"), **more)

    assert ask(web, "openalex", use) is None


@pytest.mark.parametrize(
    ("scheme", "name"),
    [
        (IdentifierScheme.PMID, "openalex"),
        (IdentifierScheme.ARXIV, "openalex"),
        (IdentifierScheme.ARXIV, "datacite"),
    ],
)
def test_works_are_found_by_other_numbers(
    web: Internet, scheme: IdentifierScheme, name: str
) -> None:
    works = [work for work in papers.register().works if scheme in work.ids][:5]

    async def use(provider: Any) -> list[Paper | None]:
        return [
            await provider.look_up_paper(PaperId(scheme=scheme, value=work.ids[scheme]))
            for work in works
        ]

    for work, paper in zip(works, ask(web, name, use), strict=True):
        assert paper is not None
        assert agrees(paper, work)


def test_open_copies_are_named_and_closed_works_have_none(web: Internet) -> None:
    works = [work for work in papers.register().works if work.agency == "crossref"][:30]

    async def use(provider: Any) -> list[Any]:
        return [await provider.list_open_copies(work.doi) for work in works]

    for work, copies in zip(works, ask(web, "unpaywall", use), strict=True):
        assert [copy.url for copy in copies] == (
            [papers.address(web.world, work)] if work.open != "closed" else []
        )


def test_an_address_that_unpaywall_does_not_believe_is_a_setting_to_change(web: Internet) -> None:
    with pytest.raises(Misconfigured, match="UNPAYWALL_EMAIL"):
        ask(web, "unpaywall", lambda provider: provider.list_open_copies(WAKEFIELD), options={})


def test_the_mail_address_travels_with_every_question(web: Internet) -> None:
    mail = {"OPENALEX_EMAIL": "someone@example.org", "CROSSREF_EMAIL": "someone@example.org"}

    for name in ("openalex", "crossref"):
        ask(web, name, lambda provider: provider.look_up_paper(by_doi(WAKEFIELD)), options=mail)

        assert web.world.requests[name][-1].params["mailto"] == "someone@example.org"


def test_openalex_says_403_when_it_means_slower(web: Internet) -> None:
    web.world.fail("openalex", Fault(status=403, headers={"Retry-After": "4"}, body={}))

    with pytest.raises(RateLimited) as caught:
        ask(web, "openalex", lambda provider: provider.look_up_paper(by_doi(WAKEFIELD)))

    assert caught.value.retry_after == 4


def test_the_register_holds_every_kind_of_work_that_the_trust_suite_judges() -> None:
    works = papers.register().works
    last = [work.events[-1].kind for work in works if work.events]
    plain = [work for work in works if not work.events]

    assert len(works) >= 150
    assert len({work.key for work in works}) == len(works)
    assert {"retraction", "expression_of_concern", "correction", "reinstatement"} <= set(last)
    assert len(plain) >= 150
    assert {work.agency for work in works} == {"crossref", "datacite"}
    assert {"book", "chapter", "article", "paper-conference"} <= {work.kind for work in works}
    assert any(work.year is None for work in works)
    assert any(isinstance(author, str) for work in works for author in work.authors)
    assert any(not "".join(work.names).isascii() for work in works)
