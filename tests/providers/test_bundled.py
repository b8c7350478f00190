"""Many works in one request: the same answers as one by one, and no absence out of a damaged one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citewell import providers
from citewell.core import config
from citewell.core.errors import (
    MalformedResponse,
    RejectedRequest,
    UpstreamError,
    UpstreamUnavailable,
)
from citewell.core.values.paper import IdentifierScheme, Paper, PaperId
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.net.network import Network
from citewell.routing.ports import PaperLookupMany
from tests.contract.recordings import Canned, connect_kit, kit_over
from tests.exchanges import load_exchanges
from tests.internet import papers
from tests.internet.apis import crossref, datacite, europepmc, openalex, semanticscholar
from tests.internet.faults import Fault
from tests.internet.papers import Work, register
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.property.test_damaged_answers import REPLACEMENTS, damaged, places
from tests.providers.desk import Desk, Reply

LISTS = ("arxiv", "crossref", "datacite", "europepmc", "openalex", "pubmed", "semanticscholar")
PLAIN = [work for work in register().works if not set(work.doi) & set(',:<>[]#?%="')]
Found = Mapping[PaperId, Paper | None]


@pytest.fixture(scope="module")
def web() -> Iterator[Internet]:
    with Internet() as internet:
        yield internet


@pytest.fixture(autouse=True)
def afresh(web: Internet) -> None:
    web.world.reset()


def ids(works: Sequence[Work], scheme: IdentifierScheme = IdentifierScheme.DOI) -> list[PaperId]:
    values = (
        work.key if scheme is IdentifierScheme.DOI else work.ids.get(scheme.value) for work in works
    )
    return [PaperId(scheme=scheme, value=value) for value in values if value]


def asked(web: Internet, name: str, wanted: Sequence[PaperId], *, singly: bool = False) -> Found:
    """What a provider says of these over real sockets, in one list or one by one."""

    async def run() -> Found:
        env = web.env() | {"CITEWELL_CONFIG": "/nonexistent"}
        network = Network(config.load_settings(env))
        address = env[providers.load(name).SPEC.base_url_env]
        kit = connect_kit(network, name, base_url=address)
        provider: Any = providers.load(name).Provider(kit)
        try:
            if not singly:
                return dict(await provider.look_up_papers(wanted))
            return {paper_id: await provider.look_up_paper(paper_id) for paper_id in wanted}
        finally:
            await network.aclose()

    return asyncio.run(run())


@pytest.mark.parametrize("name", LISTS)
def test_a_provider_with_lists_says_how_long_they_may_be(name: str) -> None:
    provider = providers.load(name).Provider(kit_over(name, Canned(_unasked), {}))

    assert isinstance(provider, PaperLookupMany)
    assert set(provider.max_batch) <= provider.schemes
    assert all(2 <= most <= 200 for most in provider.max_batch.values())


def _unasked(_request: HttpRequest) -> HttpResponse:
    raise AssertionError("nothing was to be asked")


def test_nobody_else_offers_lists() -> None:
    others = set(providers.NAMES) - {*LISTS, "openlibrary"}  # which takes lists of ISBNs alone

    assert not [name for name in others if hasattr(providers.load(name).Provider, "look_up_papers")]


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("arxiv", IdentifierScheme.ARXIV),
        ("crossref", IdentifierScheme.DOI),
        ("datacite", IdentifierScheme.DOI),
        ("europepmc", IdentifierScheme.DOI),
        ("europepmc", IdentifierScheme.PMID),
        ("europepmc", IdentifierScheme.PMCID),
        ("openalex", IdentifierScheme.DOI),
        ("openalex", IdentifierScheme.ARXIV),
        ("pubmed", IdentifierScheme.DOI),
        ("pubmed", IdentifierScheme.PMID),
        ("semanticscholar", IdentifierScheme.DOI),
        ("semanticscholar", IdentifierScheme.ARXIV),
    ],
)
def test_a_list_answers_as_one_by_one_does(
    web: Internet, name: str, scheme: IdentifierScheme
) -> None:
    wanted = ids(PLAIN[::7], scheme)[::3][:12]

    together = asked(web, name, wanted)
    requests = web.world.calls[name]
    singly = asked(web, name, wanted, singly=True)

    assert len(wanted) > 2
    assert any(together.values())
    assert {paper_id: _plain(paper) for paper_id, paper in together.items()} == {
        paper_id: _plain(singly[paper_id]) for paper_id in together
    }
    assert set(together) == {
        paper_id for paper_id in wanted if singly[paper_id] or paper_id in together
    }
    assert requests <= 2


def _plain(paper: Paper | None) -> Paper | None:
    """Without what a list may leave out."""
    return paper.with_changes(language=None, venue=None) if paper else None


@pytest.mark.parametrize(
    "name", ["crossref", "datacite", "europepmc", "openalex", "semanticscholar"]
)
def test_what_a_registry_does_not_have_is_absent_in_a_whole_answer(
    web: Internet, name: str
) -> None:
    invented = PaperId(scheme=IdentifierScheme.DOI, value="10.1016/j.nowhere.2031.1")
    held = [work for work in PLAIN if name != "europepmc" or {"pmid", "pmcid"} & set(work.ids)]
    agency = name if name in {"crossref", "datacite"} else None
    known = [work for work in held if agency is None or work.agency == agency][:3]

    found = asked(web, name, [*ids(known), invented])

    assert found[invented] is None
    assert all(found[paper_id] is not None for paper_id in ids(known))


@pytest.mark.parametrize("name", ["crossref", "openalex", "datacite"])
def test_dois_with_somebodys_syntax_are_left_for_a_request_of_their_own(
    web: Internet, name: str
) -> None:
    odd = PaperId(scheme=IdentifierScheme.DOI, value="10.1001/jama.251.19.2504,2509")
    sici = PaperId(
        scheme=IdentifierScheme.DOI, value="10.1002/(sici)1(199806)49:8<693::aid-asi4>3.0.co;2-o"
    )

    alone = asked(web, name, [odd, sici])
    calls = web.world.calls[name]
    found = asked(web, name, [odd, *ids(PLAIN[:2])])

    assert (alone, calls) == ({}, 0)
    assert odd not in found


@pytest.mark.parametrize("name", LISTS)
def test_a_full_list_is_one_that_the_upstream_takes(web: Internet, name: str) -> None:
    for scheme, most in providers.load(name).Provider.max_batch.items():  # type: ignore[attr-defined]
        wanted = ids(PLAIN[::-1], scheme)[:most]

        found = asked(web, name, wanted)

        assert any(found.values()) or not wanted


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("status", [429, 500])
def test_a_refused_list_is_an_error_and_never_an_absence(
    web: Internet, name: str, status: int
) -> None:
    web.world.fail(name, Fault(status=status, body="no"), times=9)
    scheme = IdentifierScheme.ARXIV if name == "arxiv" else IdentifierScheme.DOI

    with pytest.raises(UpstreamError):
        asked(web, name, ids(PLAIN, scheme)[:3])


THREE = [work for work in PLAIN if work.agency == "crossref" and "pmid" in work.ids][:3]
ARCHIVED = [work for work in PLAIN if work.agency == "datacite"][:3]


def _answer(name: str) -> Any:
    world = World()
    register_ = papers.of(world)
    match name:
        case "crossref":
            items = [crossref.message(world, work) for work in THREE]
            message = {"total-results": 3, "items": items, "items-per-page": 4}
            return {"status": "ok", "message-type": "work-list", "message": message}
        case "openalex":
            return {
                "meta": {"count": 3},
                "results": [openalex.record(world, work) for work in THREE],
            }
        case "datacite":
            return {"data": [datacite.record(work) for work in ARCHIVED], "meta": {"total": 3}}
        case "europepmc":
            rows = [europepmc.result(work) for work in THREE]
            return {"version": "6.9", "hitCount": 3, "resultList": {"result": rows}}
        case _:
            return [semanticscholar.paper(work) for work in THREE if register_] + [None]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["crossref", "openalex", "datacite", "europepmc", "semanticscholar"]
)
@settings(
    max_examples=120,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_damage_never_makes_a_work_absent(name: str, data: st.DataObject) -> None:
    body = _answer(name)
    place = data.draw(st.sampled_from([place for place in places(body) if place]))
    value = data.draw(st.sampled_from(REPLACEMENTS))
    if name == "semanticscholar" and len(place) == 1 and value is None:
        return  # its own word for a paper it does not have
    works = ARCHIVED if name == "datacite" else THREE
    wanted = [*ids(works), PaperId(scheme=IdentifierScheme.DOI, value="10.1016/j.nowhere.2031.1")]

    try:
        found = Desk(name, {"": Reply(body=damaged(body, place, value))}).ask(
            "look_up_papers", wanted
        )
    except UpstreamError:
        return

    assert all(found.get(paper_id, "unsaid") is not None for paper_id in wanted[:3])


@pytest.mark.parametrize("count", [0, 2, 4])
def test_semantic_scholars_list_must_be_as_long_as_ours(count: int) -> None:
    with pytest.raises(MalformedResponse):
        Desk("semanticscholar", {"/paper/batch": Reply(body=[None] * count)}).ask(
            "look_up_papers", ids(THREE)
        )


def test_semantic_scholar_refuses_a_list_of_which_it_knows_none() -> None:
    refusal = Reply(body={"error": "No valid paper ids given"}, status=400)

    found = Desk("semanticscholar", {"/paper/batch": refusal}).ask("look_up_papers", ids(THREE))

    assert found == dict.fromkeys(ids(THREE))


@pytest.mark.parametrize("body", [{"error": "Unrecognized fields"}, "<h1>Bad Request</h1>"])
def test_another_refusal_of_semantic_scholar_settles_nothing(body: Any) -> None:
    with pytest.raises(RejectedRequest):
        Desk("semanticscholar", {"/paper/batch": Reply(body=body, status=400)}).ask(
            "look_up_papers", ids(THREE)
        )


def test_a_list_of_semantic_scholar_is_read_in_its_order() -> None:
    exchanges = load_exchanges("api.semanticscholar.org")
    [batch] = [exchange for exchange in exchanges if "/paper/batch" in exchange.url]
    rows, names = batch.body, batch.req_body["ids"]
    wanted = [PaperId(scheme=IdentifierScheme.S2, value=name) for name in names]

    found = Desk("semanticscholar", {"/paper/batch": Reply(body=rows)}).ask(
        "look_up_papers", wanted
    )

    assert [found[paper_id] is None for paper_id in wanted] == [row is None for row in rows]
    assert all(paper.title for paper in found.values() if paper)


def test_crossref_is_asked_for_the_fields_that_are_read() -> None:
    desk = Desk("crossref", {"/works": _answer("crossref")})

    desk.ask("look_up_papers", ids(THREE))

    assert desk.params["filter"] == ",".join(f"doi:{work.key}" for work in THREE)
    assert {"DOI", "title", "updated-by"} <= set(desk.params["select"].split(","))
    assert "reference" not in desk.params["select"].split(",")
    assert int(desk.params["rows"]) >= len(THREE)


def test_pubmed_denies_a_doi_by_its_search_alone() -> None:
    search = {"esearchresult": {"count": "0", "idlist": []}}

    found = Desk("pubmed", {"/esearch.fcgi": search}).ask("look_up_papers", ids(THREE))

    assert found == dict.fromkeys(ids(THREE))


def test_records_that_leave_a_number_out_have_not_denied_it() -> None:
    empty = '<?xml version="1.0"?><PubmedArticleSet></PubmedArticleSet>'

    found = Desk("pubmed", {"/efetch.fcgi": empty}).ask(
        "look_up_papers", ids(THREE, IdentifierScheme.PMID)
    )

    assert found == {}


def test_an_error_in_place_of_a_list_is_an_error() -> None:
    with pytest.raises(UpstreamUnavailable):
        Desk("openalex", {"/works": {"error": "Invalid query"}}).ask("look_up_papers", ids(THREE))


class Slow(Canned):
    """Counts how many requests are under way at the same time."""

    at_once = most = 0

    async def send_request(self, request: HttpRequest) -> HttpResponse:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        return await super().send_request(request)


@pytest.mark.parametrize(
    ("options", "stated", "most"),
    [({}, {}, 1), ({"CROSSREF_EMAIL": "someone@example.org"}, {}, 3), ({}, {"x-concurrency-limit": "5"}, 5)],
    ids=["nobody's", "with an address", "as its answers state"],
)  # fmt: skip
def test_crossref_is_asked_no_more_at_once_than_it_allows(
    options: dict[str, str], stated: dict[str, str], most: int
) -> None:
    body = json.dumps(_answer("crossref")).encode()
    sender = Slow(lambda asked: HttpResponse(status=200, url=asked.url, headers=stated, body=body))
    provider: Any = providers.load("crossref").Provider(kit_over("crossref", sender, options))

    async def every() -> None:
        await provider.look_up_papers(ids(THREE))
        await asyncio.gather(*(provider.look_up_papers(ids(THREE)) for _ in range(20)))

    asyncio.run(every())

    assert sender.most == most
