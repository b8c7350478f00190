"""Five scholarly indexes against their doubles in the loopback web, over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from citewell import providers
from citewell.core import config
from citewell.core.errors import MalformedResponse, RateLimited
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

SEARCHED = ("semanticscholar", "pubmed", "arxiv", "europepmc", "core")
HELD: dict[str, Callable[[Work], object]] = {
    "semanticscholar": lambda work: True,
    "pubmed": lambda work: "pmid" in work.ids,
    "arxiv": lambda work: "arxiv" in work.ids,
    "europepmc": lambda work: {"pmid", "pmcid"} & set(work.ids),
    "core": lambda work: work.open != "closed",
}
LOOKUPS = [
    (name, scheme)
    for name in SEARCHED
    for scheme in sorted(providers.load(name).Provider.schemes)  # type: ignore[attr-defined]  # every lookup has them
]
NOTED = {NoticeKind.RETRACTION, NoticeKind.CONCERN, NoticeKind.CORRECTION}


@pytest.fixture(scope="module")
def web() -> Iterator[Internet]:
    with Internet() as internet:
        yield internet


@pytest.fixture(autouse=True)
def afresh(web: Internet) -> None:
    web.world.reset()


def ask(web: Internet, name: str, use: Callable[[Any], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        env = web.env() | {"CITEWELL_CONFIG": "/nonexistent"}
        network = Network(config.load_settings(env))
        address = env[providers.load(name).SPEC.base_url_env]
        try:
            kit = connect_kit(network, name, base_url=address)
            return await use(providers.load(name).Provider(kit))
        finally:
            await network.aclose()

    return asyncio.run(run())


def held(name: str, scheme: IdentifierScheme) -> list[Work]:
    known = [work for work in papers.register().works if HELD[name](work)]
    return [work for work in known if scheme is IdentifierScheme.DOI or number(work, scheme)]


def number(work: Work, scheme: IdentifierScheme) -> str:
    return work.s2 if scheme is IdentifierScheme.S2 else work.key if scheme is IdentifierScheme.DOI else work.ids.get(scheme, "")  # fmt: skip


def agrees(paper: Paper, work: Work) -> bool:
    same = paper.doi in {work.key, None}
    names = [person.name for person in paper.authors]
    return same and work.title.rstrip(".") in paper.title and names == list(work.names)


@pytest.mark.parametrize(("name", "scheme"), LOOKUPS)
def test_every_work_of_the_register_is_found_by_its_number(
    web: Internet, name: str, scheme: IdentifierScheme
) -> None:
    works = held(name, scheme)[::3]

    async def use(provider: Any) -> list[Paper | None]:
        return [
            await provider.look_up_paper(PaperId(scheme=scheme, value=number(work, scheme)))
            for work in works
        ]

    assert works
    for work, paper in zip(works, ask(web, name, use), strict=True):
        assert paper is not None, work.doi
        assert agrees(paper, work), (paper, work)
        assert paper.year == work.year or work.year is None


@pytest.mark.parametrize(("name", "scheme"), LOOKUPS)
def test_a_number_that_nobody_has_is_absent(
    web: Internet, name: str, scheme: IdentifierScheme
) -> None:
    values = {
        "doi": "10.50505/nobody.has.this",
        "arxiv": "0001.00001",
        "pmid": "1",
        "pmcid": "PMC1",
        "s2": "0" * 40,
    }

    async def use(provider: Any) -> Any:
        return await provider.look_up_paper(PaperId(scheme=scheme, value=values[scheme]))

    assert ask(web, name, use) is None


@pytest.mark.parametrize("name", SEARCHED)
def test_a_search_obeys_its_years_and_its_count(web: Internet, name: str) -> None:
    work = held(name, IdentifierScheme.DOI)[-1]
    query = PaperQuery(text=work.title, count=3, year_from=work.year, year_to=work.year)

    found = ask(web, name, lambda provider: provider.search_papers(query))

    assert "year" in found.applied
    assert 1 <= len(found.papers) <= 3
    assert any(agrees(paper, work) for paper in found.papers)
    assert all(paper.year == work.year for paper in found.papers)


@pytest.mark.parametrize("name", SEARCHED)
def test_words_that_nobody_wrote_are_found_nowhere(web: Internet, name: str) -> None:
    query = PaperQuery(text="zzqxv wvuqz")

    assert ask(web, name, lambda provider: provider.search_papers(query)).papers == ()


@pytest.mark.parametrize("name", [name for name in SEARCHED if name != "core"])
def test_a_reference_is_matched_by_its_title(web: Internet, name: str) -> None:
    works = [work for work in held(name, IdentifierScheme.DOI) if len(work.title.split()) > 5][::9]

    async def use(provider: Any) -> list[tuple[Paper, ...]]:
        return [
            await provider.match_reference(BibliographicQuery(title=work.title, year=work.year))
            for work in works
        ]

    assert works
    for work, found in zip(works, ask(web, name, use), strict=True):
        assert any(agrees(paper, work) for paper in found), work.title


@pytest.mark.parametrize("name", ["pubmed", "europepmc"])
def test_the_integrity_of_every_work_is_as_the_register_has_it(web: Internet, name: str) -> None:
    works = held(name, IdentifierScheme.PMID)

    async def use(provider: Any) -> list[Any]:
        return [
            await provider.list_notices(
                PaperId(scheme=IdentifierScheme.PMID, value=work.ids["pmid"])
            )
            for work in works
        ]

    assert any(work.events for work in works)
    for work, events in zip(works, ask(web, name, use), strict=True):
        wanted = [event.kind for event in work.events if event.kind in NOTED]
        assert [event.kind for event in events] == wanted
        assert all(event.source == name for event in events)


def test_the_graph_goes_both_ways(web: Internet) -> None:
    register = papers.register()
    work = max(
        register.works,
        key=lambda work: (
            len(register.list_citing_papers(work)) + len(register.list_cited_papers(work))
        ),
    )
    paper_id = PaperId(scheme=IdentifierScheme.DOI, value=work.key)

    async def use(provider: Any) -> tuple[Any, Any]:
        return await provider.list_citing_papers(
            paper_id, count=50
        ), await provider.list_cited_papers(paper_id, count=50)

    citing, cited = ask(web, "semanticscholar", use)

    assert [paper.doi for paper in citing] == [
        citing_work.key for citing_work in register.list_citing_papers(work)
    ]
    assert [paper.doi for paper in cited] == [
        cited_work.key for cited_work in register.list_cited_papers(work)
    ]
    assert {paper.influential for paper in (*citing, *cited)} <= {True, False}


@pytest.mark.parametrize("name", ["europepmc", "core"])
def test_open_copies_are_known_by_doi(web: Internet, name: str) -> None:
    work = next(
        work
        for work in held(name, IdentifierScheme.DOI)
        if "pmcid" in work.ids and work.open != "closed"
    )

    copies = ask(web, name, lambda provider: provider.list_open_copies(work.key))

    assert copies
    assert copies[-1].pdf


@pytest.mark.parametrize("name", SEARCHED)
def test_a_burst_of_429_is_told_and_html_is_a_bad_shape(web: Internet, name: str) -> None:
    web.world.fail(name, Fault(status=429, headers={"Retry-After": "9"}), times=9)

    with pytest.raises(RateLimited):
        ask(
            web,
            name,
            lambda provider: provider.search_papers(PaperQuery(text="testing algorithms")),
        )

    web.world.reset()
    web.world.fail(name, Fault(status=200, body="<html><body>Welcome</body></html>"), times=9)
    with pytest.raises(MalformedResponse):
        ask(
            web,
            name,
            lambda provider: provider.search_papers(PaperQuery(text="testing algorithms")),
        )
