from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import CitewellError, InvalidInput, Misconfigured, NotFound, RateLimited
from citewell.core.values.paper import IdentifierScheme
from citewell.core.values.paper_results import GraphAnswer
from citewell.core.values.routing_trace import RoutingTrace
from citewell.routing.ports import Offer
from citewell.routing.provider_panel import ProviderPanel
from citewell.scholar.tools.citation_graph import CitationGraphRequest, CitationGraphSearch
from citewell.trust.paper_statuses import PaperStatusFinder
from citewell.trust.retraction_checks import RetractionChecker
from tests.core.doubles import LOOKUP, Registry, mixed, paper, records
from tests.requirements import requires
from tests.search.doubles import Shop, keyed, spec

GRAPH = frozenset({Offer.GRAPH, Offer.LOOKUP, Offer.MATCH})
SEED = "10.1234/seed"


def around(
    stock: Shop,
    seed: str = SEED,
    trace: RoutingTrace | None = None,
    timeout_seconds: float = 30.0,
    **arguments: Any,
) -> GraphAnswer:
    citations = CitationGraphSearch(
        catalogue=stock.catalogue,
        panel=ProviderPanel(stock.catalogue, timeout_seconds=timeout_seconds),
        records=records(stock),
        retractions=PaperStatusFinder(RetractionChecker(stock.catalogue)),
    )
    return asyncio.run(
        citations.find_neighbours(
            CitationGraphRequest(paper=seed, **arguments), trace=trace or RoutingTrace()
        )
    )


def error_of(stock: Shop, seed: str = SEED, **arguments: Any) -> CitewellError:
    with pytest.raises(CitewellError) as caught:
        around(stock, seed, **arguments)
    return caught.value


def works(count: int, prefix: str, **changes: Any) -> list[Any]:
    return [
        paper(f"Work {prefix} {number}", doi=f"10.1234/{prefix}{number}", **changes)
        for number in range(count)
    ]


def s2(**changes: Any) -> Registry:
    given: dict[str, Any] = {
        "citing_": works(12, "c", influential=False, intents=("background",)),
        "cited_": works(3, "r", influential=True),
        "schemes": frozenset(
            {
                IdentifierScheme.DOI,
                IdentifierScheme.ARXIV,
                IdentifierScheme.PMID,
                IdentifierScheme.S2,
            }
        ),
    }
    return Registry(**(given | changes))


def openalex(**changes: Any) -> Registry:
    given: dict[str, Any] = {"citing_": works(2, "o"), "cited_": works(1, "p")}
    return Registry(**(given | changes))


def both(first: Registry, second: Registry) -> Shop:
    return mixed(("openalex", GRAPH, second), ("semanticscholar", GRAPH, first))


def test_semantic_scholar_answers_first_in_both_directions() -> None:
    other = openalex()

    answer = around(both(s2(), other))

    assert answer.provider == "semanticscholar"
    assert (answer.cited_by_count, answer.references_count) == (10, 3)
    assert answer.cited_by is not None
    assert answer.cited_by[0].citation_intents == ("background",)
    assert (answer.seed, answer.direction) == (SEED, "both")
    assert other.asked == []


@requires("citation_graph.direction", "citation_graph.cited_by", "citation_graph.references")
@pytest.mark.parametrize(
    ("direction", "absent"), [("cited_by", "references"), ("references", "citedBy")]
)
def test_a_direction_that_was_not_asked_for_is_absent(direction: str, absent: str) -> None:
    provider = s2()

    wire = around(both(provider, openalex()), direction=direction).to_wire()

    assert absent not in wire
    assert f"{absent}Count" not in wire
    assert len(provider.asked) == 1


def test_a_failing_first_provider_is_followed_by_openalex_and_the_trace_says_so() -> None:
    trace = RoutingTrace()

    answer = around(both(s2(fails=RateLimited("Slow down.")), openalex()), trace=trace)

    assert answer.provider == "openalex"
    assert trace.to_wire() == {
        "provider_used": "openalex",
        "providers_attempted": ["semanticscholar", "openalex"],
        "fallback": True,
        "fallback_reason": "primary_unavailable",
    }


def test_a_paper_that_only_openalex_knows_is_found_there() -> None:
    unknown = s2(citing_=None, cited_=None)

    assert around(both(unknown, openalex())).provider == "openalex"


def test_a_silent_provider_is_given_up() -> None:
    answer = around(both(s2(slow=True), openalex()), timeout_seconds=0.5)

    assert answer.provider == "openalex"


def test_a_paper_without_neighbours_is_an_answer() -> None:
    lonely: dict[str, Any] = {"citing_": [], "cited_": []}

    answer = around(both(s2(**lonely), openalex(**lonely)))

    assert answer.provider == "semanticscholar"
    assert (answer.cited_by, answer.references) == ((), ())


def test_an_unknown_paper_is_not_found() -> None:
    unknown = {"citing_": None, "cited_": None}

    error = error_of(both(s2(**unknown), openalex(**unknown)))

    assert isinstance(error, NotFound)
    assert "semanticscholar, openalex" in error.message


def test_nobody_answering_is_not_an_unknown_paper() -> None:
    down = RateLimited("Slow down.", retry_after=5)

    error = error_of(both(s2(fails=down), openalex(citing_=None, cited_=None)))

    assert isinstance(error, RateLimited)


@requires("citation_graph.provider")
def test_a_named_provider_is_used_and_no_other() -> None:
    other = openalex()

    error = error_of(both(s2(fails=RateLimited("Slow down.")), other), provider="semanticscholar")

    assert isinstance(error, RateLimited)
    assert other.asked == []


@requires("citation_graph.provider")
@pytest.mark.parametrize("name", ["nobody", "crossref", "\u200b"])
def test_a_provider_without_a_graph_is_refused_with_those_that_have_one(name: str) -> None:
    stock = mixed(
        ("semanticscholar", GRAPH, s2()),
        ("openalex", GRAPH, openalex()),
        ("crossref", LOOKUP, Registry()),
    )

    error = error_of(stock, provider=name)

    assert isinstance(error, InvalidInput)
    assert "Supported: semanticscholar, openalex" in error.message


def test_an_unconfigured_provider_is_refused() -> None:
    stock = Shop(
        (spec("semanticscholar", offers=GRAPH, options=keyed("S2_KEY")), s2()),
        (spec("openalex", offers=GRAPH), openalex()),
    )

    assert isinstance(error_of(stock, provider="semanticscholar"), Misconfigured)


@requires("citation_graph.influential_only")
def test_only_influential_works_are_kept_where_the_provider_tells() -> None:
    provider = s2(
        citing_=[*works(9, "c", influential=False), *works(3, "i", influential=True)], cited_=[]
    )

    answer = around(both(provider, openalex()), influential_only=True)

    assert answer.cited_by_count == 3
    assert answer.notes is None


@requires("citation_graph.influential_only")
@pytest.mark.parametrize("citing", [works(12, "c", influential=False), []])
def test_no_influential_work_is_an_answer_that_no_other_provider_replaces(citing: Any) -> None:
    trace, other = RoutingTrace(), openalex()
    stock = both(s2(citing_=citing, cited_=[]), other)

    answer = around(stock, trace=trace, influential_only=True)

    assert (answer.provider, answer.cited_by, answer.references) == ("semanticscholar", (), ())
    assert bool(answer.notes) == bool(citing)
    assert other.asked == []
    assert trace.to_wire() == {
        "provider_used": "semanticscholar",
        "providers_attempted": ["semanticscholar"],
        "fallback": False,
    }


@requires("routing.fallback_reason")
def test_a_provider_that_answered_with_nothing_was_not_unavailable() -> None:
    trace = RoutingTrace()

    around(both(s2(citing_=[], cited_=[]), openalex()), trace=trace)

    assert trace.to_wire()["fallback_reason"] == "primary_empty"


@requires("citation_graph.influential_only")
def test_influential_only_passes_everything_where_the_provider_tells_nothing() -> None:
    answer = around(both(s2(), openalex()), provider="openalex", influential_only=True)

    assert answer.cited_by_count == 2
    assert answer.notes is not None
    assert "influential" in answer.notes[0]


@requires("citation_graph.paper")
@pytest.mark.parametrize(
    ("seed", "asked"),
    [
        ("https://doi.org/10.1234/SEED", "doi:10.1234/seed"),
        ("arXiv:1706.03762v5", "arxiv:1706.03762"),
        ("PMID: 12345", "pmid:12345"),
    ],
)
def test_a_seed_may_be_any_identifier_the_provider_knows(seed: str, asked: str) -> None:
    provider = s2()

    around(both(provider, openalex()), seed, direction="cited_by")

    assert provider.asked == [f"citing {asked}"]


def test_an_identifier_that_a_provider_does_not_know_is_looked_up_first() -> None:
    known = paper(doi="10.1234/seed", ids={IdentifierScheme.ARXIV: "1706.03762"}, source="arxiv")
    provider = openalex()
    arxiv = Registry({"1706.03762": known}, schemes=frozenset({IdentifierScheme.ARXIV}))
    stock = mixed(("openalex", GRAPH, provider), ("arxiv", LOOKUP, arxiv))

    answer = around(stock, "arXiv:1706.03762", direction="cited_by")

    assert provider.asked == ["citing doi:10.1234/seed"]
    assert answer.seed_paper is not None


@requires("citation_graph.title_seed")
def test_a_title_is_the_providers_own_best_match() -> None:
    match = paper("Of Water and Stone", ids={IdentifierScheme.S2: "abc"})
    provider = s2(matching=[paper("Of fire", doi="10.1234/fire"), match])

    answer = around(both(provider, openalex()), "of water and stone", direction="cited_by")

    assert provider.asked == ["match of water and stone", "citing s2:abc"]
    assert answer.seed_paper is not None
    assert answer.seed_paper.title == "Of Water and Stone"


@requires("citation_graph.title_seed")
def test_another_title_is_no_match() -> None:
    nearest = [paper("Rivers of the northern plains")]

    error = error_of(
        both(s2(matching=nearest), openalex(matching=nearest)), "An invented title of a paper"
    )

    assert isinstance(error, NotFound)


def test_an_empty_seed_is_refused() -> None:
    assert isinstance(error_of(both(s2(), openalex()), " \u200b "), InvalidInput)


def test_without_any_graph_provider_the_error_says_which_there_are() -> None:
    error = error_of(mixed(("crossref", LOOKUP, Registry())))

    assert isinstance(error, InvalidInput)
    assert "semanticscholar, openalex" in error.message
