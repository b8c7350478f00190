from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import MalformedResponse, NetworkFailed, RateLimited, UpstreamUnavailable
from citewell.core.values.paper import BibliographicQuery, IdentifierScheme, PaperId
from citewell.routing.ports import ProviderPause
from citewell.routing.provider_panel import ProviderOutcome
from citewell.scholar.registry_records import ReferenceMatches, WorkRecord, WorkRecords
from citewell.store.cache.answer_sharing import AnswerSharing
from tests.core.doubles import DOI, LOOKUP, MATCH, REGISTRY, Registry, doi, mixed, paper, records
from tests.core.listing import Lister
from tests.reading.reading import Memory
from tests.requirements import requires

DOWN = UpstreamUnavailable("It is down.")


def find(found: WorkRecords, paper_id: PaperId | None = None) -> WorkRecord:
    return asyncio.run(found.find_record(paper_id or doi()))


def match(found: WorkRecords, title: str = "Of Water and Stone", **query: Any) -> ReferenceMatches:
    return asyncio.run(found.match_records(BibliographicQuery(title=title, **query)))


def test_two_registries_are_asked_and_merged() -> None:
    crossref = Registry({DOI: paper(volume="7")})
    openalex = Registry({DOI: paper(source="openalex", citation_count=9)})
    third = Registry({DOI: paper(source="europepmc")})
    stock = mixed(
        ("europepmc", LOOKUP, third), ("openalex", LOOKUP, openalex), ("crossref", LOOKUP, crossref)
    )

    record = find(records(stock, grace=5.0))

    assert record.state == "found"
    assert record.paper is not None
    assert (record.paper.volume, record.paper.citation_count) == ("7", 9)
    assert third.asked == []


def test_only_the_handle_registry_can_say_that_a_doi_does_not_exist() -> None:
    stock = mixed(
        ("crossref", LOOKUP, Registry()),
        ("openalex", LOOKUP, Registry()),
        ("doi", REGISTRY, Registry(handles=frozenset())),
    )

    record = find(records(stock))

    assert (record.state, record.paper) == ("not_registered", None)
    assert ProviderOutcome(provider="doi", outcome="absent") in record.asked


def test_a_doi_that_nobody_has_is_unchecked_while_the_handle_registry_is_down() -> None:
    stock = mixed(
        ("crossref", LOOKUP, Registry()),
        ("openalex", LOOKUP, Registry()),
        ("doi", REGISTRY, Registry(handles=DOWN)),
    )

    record = find(records(stock))

    assert record.state == "unchecked"
    assert (
        ProviderOutcome(provider="doi", outcome="failed", error_kind="upstream_unavailable")
        in record.asked
    )


def test_a_doi_is_unchecked_where_no_handle_registry_is_configured() -> None:
    assert find(records(mixed(("crossref", LOOKUP, Registry())))).state == "unchecked"


def test_a_registered_doi_without_a_description_is_found_without_a_paper() -> None:
    stock = mixed(
        ("crossref", LOOKUP, Registry()), ("doi", REGISTRY, Registry(handles=frozenset({DOI})))
    )

    record = find(records(stock))

    assert (record.state, record.paper) == ("found", None)


def test_the_other_agencies_are_asked_before_a_doi_is_given_up() -> None:
    stock = mixed(
        ("crossref", LOOKUP, Registry()),
        ("openalex", LOOKUP, Registry()),
        ("datacite", LOOKUP, Registry({DOI: paper(source="datacite")})),
        ("doi", REGISTRY, Registry(handles=DOWN)),
    )

    record = find(records(stock))

    assert record.state == "found"
    assert record.paper is not None
    assert record.paper.source == "datacite"


@pytest.mark.parametrize(
    "error", [RateLimited("Slow down."), DOWN, MalformedResponse("Odd."), NetworkFailed("Nothing.")]
)
def test_registries_in_trouble_never_make_a_work_absent(error: Exception) -> None:
    down = Registry(fails=error)  # type: ignore[arg-type]  # every one of them is ours
    stock = mixed(("crossref", LOOKUP, down), ("openalex", LOOKUP, down), ("doi", REGISTRY, down))

    record = find(records(stock))

    assert record.state == "unchecked"
    assert {reply.outcome for reply in record.asked} == {"failed"}


def test_a_neighbour_in_place_of_the_work_asked_for_is_no_answer() -> None:
    stock = mixed(
        ("openalex", LOOKUP, Registry({DOI: paper(doi="10.1234/neighbour")})),
        ("doi", REGISTRY, Registry(handles=frozenset())),
    )

    assert find(records(stock)).state == "not_registered"


@pytest.mark.parametrize(
    ("scheme", "authority"),
    [
        (IdentifierScheme.ARXIV, "arxiv"),
        (IdentifierScheme.PMID, "pubmed"),
        (IdentifierScheme.S2, "semanticscholar"),
    ],
)
def test_an_identifiers_own_home_says_whether_it_exists(
    scheme: IdentifierScheme, authority: str
) -> None:
    home = Registry(schemes=frozenset({scheme}))
    other = Registry(schemes=frozenset({scheme}))
    stock = mixed((authority, LOOKUP, home), ("europepmc", LOOKUP, other))
    paper_id = PaperId(scheme=scheme, value="123")

    denied = find(records(stock), paper_id)
    home.fails = DOWN
    unheard = find(records(stock), paper_id)

    assert denied.state == "not_registered"
    assert unheard.state == "unchecked"


def test_a_provider_that_does_not_know_the_scheme_is_not_asked() -> None:
    only_dois = Registry()
    stock = mixed(("crossref", LOOKUP, only_dois))

    record = find(records(stock), PaperId(scheme=IdentifierScheme.PMID, value="1"))

    assert record == WorkRecord(paper=None, state="unchecked")
    assert only_dois.asked == []


def test_a_slow_registry_is_not_waited_for_once_another_has_answered() -> None:
    stock = mixed(
        ("crossref", LOOKUP, Registry({DOI: paper()})), ("openalex", LOOKUP, Registry(slow=True))
    )

    record = find(records(stock))

    assert record.state == "found"
    assert (
        ProviderOutcome(provider="openalex", outcome="failed", error_kind="network") in record.asked
    )


def test_a_resting_provider_is_left_alone() -> None:
    crossref = Registry({DOI: paper()})
    stock = mixed(("crossref", LOOKUP, crossref))
    resting = {"find_rest": lambda _name: ProviderPause(seconds=30, asked_by_provider=True)}

    record = find(records(stock, panel=resting))

    assert crossref.asked == []
    assert record.asked == (
        ProviderOutcome(
            provider="crossref", outcome="failed", error_kind="rate_limited", retry_after=30
        ),
    )


def test_the_same_question_is_asked_once_however_many_ask_it() -> None:
    crossref = Registry({DOI: paper("Ünïcode \ud800 title")})
    found = records(mixed(("crossref", LOOKUP, crossref)), loader=Memory().loader)

    async def many() -> list[WorkRecord]:
        first = await asyncio.gather(*(found.find_record(doi()) for _ in range(20)))
        return [*first, await found.find_record(doi())]

    answers = asyncio.run(many())

    assert crossref.asked == [f"doi:{DOI}"]
    assert len({answer.state for answer in answers}) == 1
    assert answers[-1].paper is not None
    assert answers[-1].paper.ids == {IdentifierScheme.DOI: DOI}


def test_a_failure_is_never_remembered_as_an_absence() -> None:
    registry = Registry(handles=DOWN)
    crossref = Registry(fails=DOWN)
    stock = mixed(("crossref", LOOKUP, crossref), ("doi", REGISTRY, registry))
    found = records(stock, loader=Memory().loader)

    async def again() -> tuple[WorkRecord, WorkRecord]:
        before = await found.find_record(doi())
        crossref.fails, crossref.holds = None, {DOI: paper()}
        return before, await found.find_record(doi())

    before, after = asyncio.run(again())

    assert (before.state, after.state) == ("unchecked", "found")


def test_isolated_tenants_share_no_record() -> None:
    crossref = Registry({DOI: paper()})
    stock = mixed(("crossref", LOOKUP, crossref))
    found = records(stock, loader=Memory().loader, sharing=AnswerSharing(is_split_by_tenant=True))

    async def two() -> None:
        await found.find_record(doi(), tenant="one")
        await found.find_record(doi(), tenant="one")
        await found.find_record(doi(), tenant="two")

    asyncio.run(two())

    assert len(crossref.asked) == 2


def test_many_lookups_run_side_by_side_but_not_all_at_once() -> None:
    dois = [f"10.1234/{number}" for number in range(200)]
    crossref = Registry({value: paper(doi=value) for value in dois})
    found = records(mixed(("crossref", LOOKUP, crossref)), at_once=16)

    async def every() -> list[WorkRecord]:
        return await asyncio.gather(*(found.find_record(doi(value)) for value in dois))

    states = {record.state for record in asyncio.run(every())}

    assert states == {"found"}
    assert 2 <= crossref.most_at_once <= 16


def test_matches_are_ranked_by_title_author_and_year() -> None:
    right = paper(year=2020)
    wrong_author = paper(doi="10.1234/b", authors=(), title="Of Water and Fire")
    stock = mixed(("crossref", MATCH, Registry(matching=[wrong_author, right])))

    found = match(records(stock), author="Stone", year=2020)

    assert [work.doi for work in found.papers] == [DOI, "10.1234/b"]
    assert found.is_answered


def test_a_sure_match_spares_the_other_registries() -> None:
    later = Registry(matching=[paper(source="pubmed")])
    stock = mixed(
        ("crossref", MATCH, Registry(matching=[paper()])),
        ("openalex", MATCH, Registry(matching=[paper(source="openalex")])),
        ("pubmed", MATCH, later),
    )

    found = match(records(stock, grace=5.0))

    assert len(found.papers) == 1
    assert later.asked == []


def test_everybody_is_asked_when_the_first_know_nothing_close() -> None:
    later = Registry(matching=[paper(source="pubmed")])
    stock = mixed(
        ("crossref", MATCH, Registry(matching=[paper("Something else", doi="10.1234/else")])),
        ("openalex", MATCH, Registry()),
        ("pubmed", MATCH, later),
    )

    found = match(records(stock, grace=5.0))

    assert found.papers[0].doi == DOI


def test_nobody_answering_is_told_from_nobody_knowing() -> None:
    down = match(records(mixed(("crossref", MATCH, Registry(fails=DOWN)))))
    empty = match(records(mixed(("crossref", MATCH, Registry()))))

    assert (down.papers, down.is_answered) == ((), False)
    assert (empty.papers, empty.is_answered) == ((), True)


def test_matching_by_the_whole_reference_prefers_the_title_it_holds() -> None:
    stock = mixed(
        (
            "crossref",
            MATCH,
            Registry(matching=[paper("Of rain", doi="10.1234/rain"), paper()]),
        )
    )

    found = match(
        records(stock), title="", text="Stone, A. (2020). Of water and stone. J. Stones, 7, 1-9."
    )

    assert found.papers[0].doi == DOI


def test_cancelling_a_lookup_leaves_no_request_behind() -> None:
    slow = Registry(slow=True)
    found = records(mixed(("crossref", LOOKUP, slow)))

    async def cancelled() -> None:
        task = asyncio.create_task(found.find_record(doi()))
        await slow.begun.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancelled())

    assert slow.at_once == 0


@pytest.mark.parametrize(("asked_for", "state"), [(2.0, "found"), (60.0, "unchecked")])
def test_a_short_pause_that_a_registry_asks_for_is_taken_once(asked_for: float, state: str) -> None:
    crossref = Registry({DOI: paper()}, fails=RateLimited("Slow down.", retry_after=asked_for))
    slept: list[float] = []

    async def pause(seconds: float) -> None:
        slept.append(seconds)
        crossref.fails = None

    record = find(records(mixed(("crossref", LOOKUP, crossref)), pause=pause))

    assert record.state == state
    assert slept == ([2.0] if state == "found" else [])


def test_matching_takes_a_short_pause_too() -> None:
    crossref = Registry(matching=[paper()], fails=RateLimited("Slow down.", retry_after=1.0))

    async def pause(_seconds: float) -> None:
        crossref.fails = None

    assert match(records(mixed(("crossref", MATCH, crossref)), pause=pause)).papers


@requires("audit_bibliography.bursts")
def test_a_burst_of_refusals_is_waited_for() -> None:
    crossref = Registry({DOI: paper()}, fails=RateLimited("Slow down.", retry_after=1.0))
    slept: list[float] = []

    async def pause(seconds: float) -> None:
        slept.append(seconds)
        crossref.fails = None if len(slept) == 3 else crossref.fails

    record = find(records(mixed(("crossref", LOOKUP, crossref)), pause=pause))

    assert (record.state, slept) == ("found", [1.0, 1.0, 1.0])


@requires("audit_bibliography.bounded")
@pytest.mark.parametrize(("asked_for", "pauses"), [(0.5, 3), (1.0, 3), (7.0, 2), (9.0, 0)])
def test_a_registry_that_refuses_for_ever_is_waited_for_in_bounds(
    asked_for: float, pauses: int
) -> None:
    limited = RateLimited("Slow down.", retry_after=asked_for)
    slept: list[float] = []

    async def pause(seconds: float) -> None:
        slept.append(seconds)

    found = records(mixed(("crossref", LOOKUP | MATCH, Registry(fails=limited))), pause=pause)

    assert find(found).state == "unchecked"
    assert not match(found).is_answered
    assert slept == [asked_for] * 2 * pauses


@requires("audit_bibliography.bursts")
def test_a_match_is_tried_again_if_an_index_of_every_field_was_refused() -> None:
    crossref = Registry(matching=[paper()], fails=RateLimited("Slow down.", retry_after=1.0))
    medical = Registry(matching=[paper("Of quite another thing", doi="10.1234/other")])

    async def pause(_seconds: float) -> None:
        crossref.fails = None

    stock = mixed(("crossref", MATCH, crossref), ("europepmc", MATCH, medical))

    assert match(records(stock, pause=pause)).papers[0].doi == DOI


def test_an_unregistered_doi_does_not_wait_for_the_agencies() -> None:
    stock = mixed(
        ("crossref", LOOKUP, Registry()),
        ("openalex", LOOKUP, Registry()),
        ("datacite", LOOKUP, Registry(slow=True)),
        ("doi", REGISTRY, Registry()),
    )

    record = find(records(stock))

    assert record.state == "not_registered"
    assert "datacite" not in {reply.provider for reply in record.asked}


def test_slow_registries_are_not_waited_for_once_two_have_been_heard_of() -> None:
    nothing = Registry()
    stock = mixed(
        ("crossref", MATCH, nothing),
        ("openalex", MATCH, nothing),
        ("pubmed", MATCH, nothing),
        ("datacite", MATCH, nothing),
        ("semanticscholar", MATCH, Registry(slow=True)),
    )

    found = match(records(stock))

    assert found.papers == ()
    assert [reply.provider for reply in found.asked if reply.outcome == "failed"] == [
        "semanticscholar"
    ]


def test_an_empty_match_that_lacks_somebody_is_not_remembered() -> None:
    down = Registry(fails=DOWN)
    stock = mixed(("crossref", MATCH, Registry()), ("openalex", MATCH, down))
    found = records(stock, loader=Memory().loader)

    async def again() -> tuple[ReferenceMatches, ReferenceMatches]:
        before = await found.match_records(BibliographicQuery(title="Of Water and Stone"))
        down.fails, down.matching = None, [paper()]
        return before, await found.match_records(BibliographicQuery(title="Of Water and Stone"))

    before, after = asyncio.run(again())

    assert before.papers == ()
    assert len(after.papers) == 1


def test_many_lookups_share_requests_where_a_registry_takes_lists() -> None:
    dois = [f"10.1234/{number}" for number in range(200)]
    held = {value: paper(doi=value) for value in dois[:-1]}
    crossref, openalex = Lister(held), Lister(held)
    for registry in (crossref, openalex):
        registry.max_batch = {IdentifierScheme.DOI: 50}
    stock = mixed(
        ("crossref", LOOKUP, crossref),
        ("openalex", LOOKUP, openalex),
        ("doi", REGISTRY, Registry(handles=frozenset())),
    )
    found = records(stock, grace=5.0, loader=Memory().loader)

    async def every() -> list[WorkRecord]:
        return await asyncio.gather(*(found.find_record(doi(value)) for value in dois))

    answers = asyncio.run(every())

    assert [answer.paper.doi for answer in answers if answer.paper] == dois[:-1]
    assert answers[-1].state == "not_registered"
    assert max(len(crossref.lists), len(openalex.lists)) <= 8


def test_a_list_that_fails_makes_no_work_absent() -> None:
    dois = [f"10.1234/{number}" for number in range(20)]
    down = Lister(fails=RateLimited("Slow down.", retry_after=60))
    stock = mixed(
        ("crossref", LOOKUP, down),
        ("openalex", LOOKUP, Lister()),
        ("doi", REGISTRY, Registry(handles=DOWN)),
    )
    found = records(stock)

    async def every() -> list[WorkRecord]:
        return await asyncio.gather(*(found.find_record(doi(value)) for value in dois))

    answers = asyncio.run(every())

    assert {answer.state for answer in answers} == {"unchecked"}
    assert len(down.lists) + len(down.singles) <= 4


@requires("verify_citation.isbn")
def test_that_no_catalogue_has_an_isbn_is_no_verdict() -> None:
    books = frozenset({IdentifierScheme.ISBN})
    stock = mixed(
        ("crossref", LOOKUP, Registry(schemes=books)),
        ("openlibrary", LOOKUP, Registry(schemes=books)),
    )

    record = find(records(stock), PaperId(scheme=IdentifierScheme.ISBN, value="9780262033848"))

    assert record.state == "unchecked"
    assert {reply.outcome for reply in record.asked} == {"absent"}


@requires("verify_citation.isbn")
def test_both_catalogues_describe_a_book_together() -> None:
    books, isbn = frozenset({IdentifierScheme.ISBN}), "9780262033848"
    ids = {IdentifierScheme.ISBN: isbn}
    library = Registry({isbn: paper(source="openlibrary", doi=None, ids=ids)}, schemes=books)
    crossref = Registry({isbn: paper(ids=ids)}, schemes=books)
    stock = mixed(("openlibrary", LOOKUP, library), ("crossref", LOOKUP, crossref))

    record = find(records(stock, grace=5.0), PaperId(scheme=IdentifierScheme.ISBN, value=isbn))

    assert record.paper is not None
    assert record.paper.doi == DOI


@requires("verify_citation.rfc")
@pytest.mark.parametrize(
    ("answers", "state"), [({}, "not_registered"), ({"99999": DOWN}, "unchecked")]
)
def test_only_the_rfc_editor_can_say_that_an_rfc_does_not_exist(answers: Any, state: str) -> None:
    editor = Registry(answers, schemes=frozenset({IdentifierScheme.RFC}))

    record = find(
        records(mixed(("rfceditor", LOOKUP, editor))),
        PaperId(scheme=IdentifierScheme.RFC, value="99999"),
    )

    assert record.state == state
