from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from citewell.core.errors import (
    CitewellError,
    InvalidInput,
    Misconfigured,
    NetworkFailed,
    RateLimited,
    UpstreamUnavailable,
)
from citewell.core.values.paper import (
    IdentifierScheme,
    IntegrityNotice,
    NoticeKind,
    OpenCopy,
    PaperHits,
    WorkAuthor,
)
from citewell.core.values.paper_results import PapersAnswer
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import SearchQuery
from citewell.routing.ports import Offer, ProviderPause
from citewell.routing.provider_panel import ProviderPanel
from citewell.scholar.free_copies import OpenCopyFinder
from citewell.scholar.literature_search import SCHOLARLY_SITES, LiteratureSearch, PaperSearchRequest
from citewell.scholar.paper_search_ladder import PaperSearchLadder
from citewell.trust.paper_statuses import PaperStatusFinder
from citewell.trust.retraction_checks import RetractionChecker
from tests.core.doubles import PAPERS, Registry, mixed, paper
from tests.requirements import requires
from tests.search.doubles import Scripted, Shop, hit, keyed, spec

WEB = frozenset({Offer.WEB})
COPIES = frozenset({Offer.COPIES})
DOWN = UpstreamUnavailable("It is down.")


def literature(stock: Shop, **changes: Any) -> LiteratureSearch:
    resting = changes.get("resting", lambda _name: None)
    panel = ProviderPanel(
        stock.catalogue, find_rest=resting, timeout_seconds=changes.get("patience", 5.0)
    )
    return LiteratureSearch(
        catalogue=stock.catalogue,
        ladder=PaperSearchLadder(stock.catalogue, panel, OpenCopyFinder(panel), thin_count=1),
        web=stock.web,
        resting=resting,
        retractions=PaperStatusFinder(RetractionChecker(stock.catalogue)),
    )


def search(
    stock: Shop, query: str = "water stone", trace: RoutingTrace | None = None, **request: Any
) -> PapersAnswer:
    options = {name: request.pop(name) for name in ("resting", "patience") if name in request}
    found = literature(stock, **options)
    return asyncio.run(
        found.search_literature(
            PaperSearchRequest(query=query, **request), trace=trace or RoutingTrace()
        )
    )


def error_of(stock: Shop, **request: Any) -> CitewellError:
    with pytest.raises(CitewellError) as caught:
        search(stock, **request)
    return caught.value


def several(count: int = 5, **changes: Any) -> list[Any]:
    return [
        paper(f"Of water and stone number {number}", doi=f"10.1234/{number}", **changes)
        for number in range(count)
    ]


@requires("academic_search.ladder")
def test_openalex_answers_first_and_nobody_else_is_asked() -> None:
    openalex, crossref = Registry(found=several()), Registry(found=several())
    stock = mixed(("crossref", PAPERS, crossref), ("openalex", PAPERS, openalex))

    answer = search(stock)

    assert (answer.source, answer.result_count, answer.hints) == ("openalex", 5, None)
    assert crossref.asked == []
    assert answer.trust == "untrusted-external-content"


@requires("academic_search.paper", "academic_search.tldr")
def test_every_field_of_the_spec_is_there() -> None:
    whole = paper(
        abstract="It is wet. " * 100,
        venue="Journal of Stones",
        citation_count=3,
        open_access=True,
        pdf_url="https://example.org/a.pdf",
        tldr="Wet.",
        influential=True,
        intents=("background",),
        in_doaj=True,
        kind="article-journal",
        ids={IdentifierScheme.PMID: "77"},
    )

    [found] = search(mixed(("openalex", PAPERS, Registry(found=[whole])))).to_wire()["papers"]

    assert found.pop("abstract").endswith("wet.")
    assert found == {
        "title": "Of Water and Stone",
        "url": "https://doi.org/10.1234/first",
        "source": "crossref",
        "doi": "10.1234/first",
        "authors": ["Ada Stone"],
        "journal": "Journal of Stones",
        "year": 2020,
        "citationCount": 3,
        "openAccess": True,
        "pdfUrl": "https://example.org/a.pdf",
        "tldr": "Wet.",
        "isInfluential": True,
        "citationIntents": ["background"],
        "isInDoaj": True,
        "hasText": True,
        "hasPdf": True,
        "kind": "article-journal",
        "ids": {"pmid": "77"},
    }


@requires("academic_search.abstract")
@pytest.mark.parametrize(
    "abstract", ["Word " * 200, "One sentence here. " * 60, "水" * 900, "A" * 900]
)
def test_an_abstract_is_cut_at_500_characters_at_most(abstract: str) -> None:
    answer = search(mixed(("openalex", PAPERS, Registry(found=[paper(abstract=abstract)]))))

    text = answer.papers[0].abstract
    assert text is not None
    assert 250 <= len(text) <= 500


@pytest.mark.parametrize(
    "failure", [RateLimited("Slow down."), DOWN, NetworkFailed("Nothing came.")]
)
def test_a_provider_that_fails_is_followed_by_the_next(failure: CitewellError) -> None:
    stock = mixed(
        ("openalex", PAPERS, Registry(fails=failure)),
        ("crossref", PAPERS, Registry(found=several())),
    )
    trace = RoutingTrace()

    answer = search(stock, trace=trace)

    assert answer.source == "crossref"
    assert trace.to_wire()["fallback"] is True
    assert trace.to_wire()["provider_used"] == "crossref"


def test_a_silent_provider_is_given_up() -> None:
    stock = mixed(
        ("openalex", PAPERS, Registry(slow=True)), ("crossref", PAPERS, Registry(found=several()))
    )

    assert search(stock, patience=0.5).source == "crossref"


def test_a_resting_provider_is_passed_over_unasked() -> None:
    openalex = Registry(found=several())
    stock = mixed(("openalex", PAPERS, openalex), ("crossref", PAPERS, Registry(found=several())))

    answer = search(
        stock, resting=lambda name: ProviderPause(seconds=9) if name == "openalex" else None
    )

    assert answer.source == "crossref"
    assert openalex.asked == []


def test_a_thin_answer_is_joined_with_the_next_and_merged_on_the_doi() -> None:
    crossref = Registry(found=[paper(volume="7"), *several(3)])
    stock = mixed(
        ("openalex", PAPERS, Registry(found=[paper(source="openalex", citation_count=9)])),
        ("crossref", PAPERS, crossref),
    )

    answer = search(stock)

    assert answer.result_count == 4
    assert answer.papers[0].citation_count == 9
    assert answer.papers[0].provenance == {"crossref": "authors, title, year"}


def test_a_thin_answer_is_asked_for_again_without_the_small_words() -> None:
    def by_words(query: Any) -> list[Any]:
        return several() if query.text == "water stone" else []

    answer = search(
        mixed(("openalex", PAPERS, Registry(found=by_words))),
        query="what is the water of the stone",
    )

    assert answer.result_count == 5
    assert answer.notes == ("Little was found, so 'water stone' was searched as well.",)


@requires("academic_search.provider")
def test_a_named_provider_is_used_and_no_other() -> None:
    openalex = Registry(found=several())
    stock = mixed(("openalex", PAPERS, openalex), ("pubmed", PAPERS, Registry(fails=DOWN)))

    error = error_of(stock, provider="pubmed")

    assert isinstance(error, UpstreamUnavailable)
    assert error.provider == "pubmed"
    assert error.alternatives == ("openalex",)
    assert openalex.asked == []


def test_a_named_provider_without_results_gives_hints_and_no_substitute() -> None:
    openalex = Registry(found=several())
    stock = mixed(("openalex", PAPERS, openalex), ("pubmed", PAPERS, Registry()))

    answer = search(stock, provider="pubmed", year_from=2020)

    assert (answer.source, answer.result_count) == ("pubmed", 0)
    assert answer.hints is not None
    assert answer.hints.reason == "filters_too_restrictive"
    assert "remove-filter: year_from" in answer.hints.suggested_actions
    assert "try-different-provider: openalex" in answer.hints.suggested_actions
    assert openalex.asked == []


def test_an_unknown_provider_is_refused_with_the_list_of_those_there_are() -> None:
    stock = mixed(("openalex", PAPERS, Registry()), ("brave", WEB, Scripted()))

    error = error_of(stock, provider="scholar")

    assert isinstance(error, InvalidInput)
    assert "Supported: openalex, brave" in error.message


def test_a_provider_without_papers_or_web_is_refused() -> None:
    stock = mixed(
        ("openalex", PAPERS, Registry()), ("doi", frozenset({Offer.REGISTRY}), Registry())
    )

    assert isinstance(error_of(stock, provider="doi"), InvalidInput)


def test_the_users_own_documents_are_no_scholarly_web() -> None:
    own = Shop(
        (spec("library", offers=WEB, base_url=""), Scripted()),
        (spec("openalex", offers=PAPERS), Registry()),
    )

    error = error_of(own, provider="library")

    assert isinstance(error, InvalidInput)
    assert "Supported: openalex." in error.message


def test_an_unconfigured_provider_is_refused_with_what_it_lacks() -> None:
    stock = Shop(
        (spec("exa", offers=PAPERS, options=keyed("EXA_API_KEY")), Registry()),
        (spec("openalex", offers=PAPERS), Registry(found=several())),
    )

    error = error_of(stock, provider="exa")

    assert isinstance(error, Misconfigured)
    assert "EXA_API_KEY" in error.message


def test_a_named_web_provider_searches_the_scholarly_sites() -> None:
    seen: list[SearchQuery] = []

    def web(query: SearchQuery) -> list[Any]:
        seen.append(query)
        site = query.sites[0]
        return [hit("a", url=f"https://{site}/abs/1706.03762", title="[1706.03762] Attention")]

    brave = Scripted(web)
    stock = mixed(("openalex", PAPERS, Registry(found=several())), ("brave", WEB, brave))

    answer = search(stock, provider="brave")

    assert answer.source == "web_search"
    assert {site for query in seen for site in query.sites} == set(SCHOLARLY_SITES)
    assert answer.papers[0].title == "Attention"
    assert answer.papers[0].source == "brave"
    assert answer.papers[0].ids == {"arxiv": "1706.03762"}
    assert answer.papers[0].pdf_url == "https://arxiv.org/pdf/1706.03762"


def test_the_web_is_searched_when_no_scholarly_provider_finds_anything() -> None:
    brave = Scripted([hit("a", url="https://nature.com/articles/nature12373", title="Thermometry")])
    stock = mixed(("openalex", PAPERS, Registry(fails=DOWN)), ("brave", WEB, brave))

    answer = search(stock)

    assert answer.source == "web_search"
    assert answer.papers[0].doi == "10.1038/nature12373"
    assert answer.notes is not None


@requires("academic_search.source_applied")
def test_a_source_restricts_the_web_search_to_its_own_site() -> None:
    brave = Scripted([])
    stock = mixed(("brave", WEB, brave))

    search(stock, source="ieee")

    assert [query.sites for query in brave.asked] == [("ieeexplore.ieee.org",)]


@requires("academic_search.lens")
def test_a_lens_is_searched_on_the_web_alone() -> None:
    found = hit("a", url="https://www.courtlistener.com/opinion/1/x/")
    brave, registry = Scripted([found]), Registry(found=several())
    stock = mixed(("openalex", PAPERS, registry), ("brave", WEB, brave))

    answer = search(stock, lens="legal")

    assert (answer.source, answer.result_count, registry.asked) == ("web_search", 1, [])
    assert brave.asked
    assert not {site for query in brave.asked for site in query.sites} & set(SCHOLARLY_SITES)
    assert answer.notes is not None
    assert "the lens legal" in answer.notes[0]


@requires("academic_search.lens")
@pytest.mark.parametrize(
    "conflict", [{"source": "arxiv"}, {"provider": "openalex"}, {"lens": "no such lens"}]
)
def test_a_lens_that_cannot_be_applied_is_refused(conflict: dict[str, Any]) -> None:
    stock = mixed(("openalex", PAPERS, Registry(found=several())), ("brave", WEB, Scripted([])))

    with pytest.raises(InvalidInput, match="lens"):
        search(stock, **{"lens": "legal"} | conflict)


def test_one_half_of_the_sites_failing_leaves_the_other() -> None:
    def web(query: SearchQuery) -> Any:
        if "mdpi.com" in query.sites:
            return DOWN
        return [hit("a", url="https://arxiv.org/abs/1706.03762")]

    assert search(mixed(("brave", WEB, Scripted(web)))).result_count == 1


def test_nobody_answering_is_one_error_that_names_them_all() -> None:
    stock = mixed(
        ("openalex", PAPERS, Registry(fails=DOWN)),
        ("crossref", PAPERS, Registry(fails=RateLimited("Slow down.", retry_after=30))),
        ("brave", WEB, Scripted(DOWN)),
    )

    error = error_of(stock)

    assert isinstance(error, RateLimited)
    assert "Openalex" in error.message
    assert "Crossref" in error.message


@requires("academic_search.hints")
def test_an_empty_answer_explains_itself() -> None:
    stock = mixed(("openalex", PAPERS, Registry()), ("brave", WEB, Scripted([])))

    answer = search(stock)

    assert answer.hints is not None
    assert answer.hints.reason == "no_match"
    assert answer.hints.providers_attempted == ("openalex", "web_search")


def test_an_empty_answer_after_failures_concludes_nothing() -> None:
    stock = mixed(
        ("openalex", PAPERS, Registry(fails=RateLimited("Slow down."))),
        ("crossref", PAPERS, Registry()),
    )

    answer = search(stock)

    assert answer.hints is not None
    assert answer.hints.reason in {"rate_limited", "engines_failed"}
    assert answer.hints.epistemic_warning is not None
    assert answer.hints.epistemic_warning.startswith("Nothing can be concluded")


def test_the_users_own_order_comes_before_ours() -> None:
    stock = mixed(
        ("openalex", PAPERS, Registry(found=several())),
        ("pubmed", PAPERS, Registry(found=several(source="pubmed"))),
        search_routing='{"academic": ["pubmed"]}',
    )

    answer = search(stock)

    assert answer.source == "router"
    assert {work.source for work in answer.papers} == {"pubmed"}


def test_an_order_of_the_users_that_finds_nothing_is_followed_by_ours() -> None:
    stock = mixed(
        ("openalex", PAPERS, Registry(found=several())),
        ("pubmed", PAPERS, Registry(fails=DOWN)),
        search_routing='{"academic": ["pubmed"]}',
    )

    assert search(stock).source == "openalex"


def test_an_order_that_names_nobody_is_refused() -> None:
    stock = mixed(
        ("openalex", PAPERS, Registry(found=several())), search_routing='{"academic": ["nobody"]}'
    )

    assert isinstance(error_of(stock), Misconfigured)


@requires("academic_search.years")
def test_what_a_provider_does_not_filter_is_filtered_afterwards_and_said() -> None:
    years = [
        paper(f"Of water in {year}", doi=f"10.1234/{year}", year=year) for year in (2010, 2020)
    ]
    undated = paper("Of water, no date", doi="10.1234/undated", year=None)
    openalex = Registry(found=[*years, undated])

    answer = search(mixed(("openalex", PAPERS, openalex)), year_from=2015, count=2)

    assert [work.doi for work in answer.papers] == ["10.1234/2020", "10.1234/undated"]
    assert openalex.queries[0].count == 4
    assert answer.filters is not None
    assert answer.filters[0].by == "afterwards"
    assert answer.filters[0].note is not None
    assert "1 without a year were kept" in answer.filters[0].note


def test_a_filter_the_provider_applies_is_its_own() -> None:
    found = PaperHits(papers=tuple(several()), applied=frozenset({"year", "open_access"}))

    answer = search(
        mixed(("openalex", PAPERS, Registry(found=found))), year_from=2024, open_access=True
    )

    assert answer.result_count == 5
    assert {row.by for row in answer.filters or ()} == {"openalex"}


@requires("academic_search.source_applied")
@pytest.mark.parametrize(
    ("source", "doi", "ids", "venue"),
    [
        ("arxiv", "10.48550/arxiv.1", {}, None),
        ("arxiv", None, {IdentifierScheme.ARXIV: "1706.03762"}, None),
        ("pubmed", "10.1234/x", {IdentifierScheme.PMID: "1"}, None),
        ("ieee", "10.1109/5.1", {}, None),
        ("ieee", "10.1234/x", {}, "IEEE Transactions on Stones"),
        ("nature", "10.1038/n1", {}, None),
        ("springer", "10.1007/s1", {}, None),
    ],
)
def test_a_source_is_known_by_identifier_or_venue(
    source: str, doi: str | None, ids: dict[IdentifierScheme, str], venue: str | None
) -> None:
    right = paper("Of right stone", doi=doi, ids=ids, venue=venue)
    wrong = paper("Of wrong stone", doi="10.9999/wrong", venue="Human Nature and Springs")

    answer = search(mixed(("openalex", PAPERS, Registry(found=[right, wrong]))), source=source)

    assert [work.title for work in answer.papers] == ["Of right stone"]


@requires("academic_search.sort_by")
def test_newest_first_is_made_so_where_the_provider_does_not() -> None:
    found = [
        paper("Old", doi="10.1234/1", year=2001),
        paper("None", doi="10.1234/2", year=None),
        paper("New", doi="10.1234/3", year=2021, published="2021-05-01"),
    ]

    answer = search(mixed(("openalex", PAPERS, Registry(found=found))), sort="date")

    assert [work.title for work in answer.papers] == ["New", "Old", "None"]


def pdf_shop(unpaywall: Registry, *papers: Any) -> Shop:
    return mixed(
        ("openalex", PAPERS, Registry(found=list(papers))), ("unpaywall", COPIES, unpaywall)
    )


@requires("academic_search.pdf_only", "academic_search.unpaywall")
def test_a_missing_pdf_is_filled_before_pdf_only_is_applied() -> None:
    free = OpenCopy(url="https://example.org/free.pdf", pdf=True, version="acceptedVersion")
    unpaywall = Registry(free={"10.1234/first": (free,)})
    other = paper("Of closed stone", doi="10.1234/closed")

    answer = search(pdf_shop(unpaywall, paper(open_access=False), other), pdf_only=True)

    assert [work.pdf_url for work in answer.papers] == ["https://example.org/free.pdf"]
    assert answer.papers[0].open_access is True
    assert answer.papers[0].provenance == {"unpaywall": "pdfUrl"}


@requires("academic_search.unpaywall")
def test_a_pdf_that_is_there_is_never_overwritten() -> None:
    free = OpenCopy(url="https://example.org/free.pdf", pdf=True)
    unpaywall = Registry(free={"10.1234/first": (free,)})

    answer = search(pdf_shop(unpaywall, paper(pdf_url="https://example.org/own.pdf")))

    assert answer.papers[0].pdf_url == "https://example.org/own.pdf"
    assert unpaywall.asked == []


@requires("academic_search.enrichment_failure")
@pytest.mark.parametrize("unpaywall", [Registry(fails=DOWN), Registry(slow=True), Registry()])
def test_enrichment_never_fails_a_search(unpaywall: Registry) -> None:
    answer = search(pdf_shop(unpaywall, paper()), patience=0.01)

    assert answer.result_count == 1
    assert answer.papers[0].pdf_url is None


@requires("academic_search.full_text")
def test_full_text_keeps_what_can_be_read() -> None:
    texts = [
        paper("Of open stone", doi="10.1234/1", ids={IdentifierScheme.PMCID: "PMC1"}),
        paper("Of closed stone", doi="10.1234/2"),
    ]

    answer = search(mixed(("openalex", PAPERS, Registry(found=texts))), full_text=True)

    assert [work.title for work in answer.papers] == ["Of open stone"]


def test_a_retraction_that_came_with_the_record_is_told() -> None:
    notice = IntegrityNotice(kind=NoticeKind.RETRACTION, source="publisher", date="2021-01-01")
    corrected = IntegrityNotice(kind=NoticeKind.CORRECTION, source="publisher", date="2021-01-01")
    papers = [
        paper("Gone", doi="10.1234/1", events=(notice,)),
        paper("Mended", doi="10.1234/2", events=(corrected,)),
        paper("Clean", doi="10.1234/3"),
    ]

    answer = search(mixed(("openalex", PAPERS, Registry(found=papers))))

    gone, mended, clean = (work.retraction_status for work in answer.papers)
    assert gone is not None
    assert gone.retracted
    assert mended is not None
    assert (mended.retracted, mended.kind) == (False, "correction")
    assert clean is None


def test_markup_and_odd_records_are_cleaned() -> None:
    odd = paper(
        "The <i>Stone</i> &amp; the <b>Water</b>\u200b",
        doi=None,
        url="",
        year=None,
        authors=(
            WorkAuthor(name="World <b>Health</b> Organization", organisation=True),
            WorkAuthor(name=""),
        ),
        abstract="<jats:p>It is wet.</jats:p>",
    )

    [work] = search(mixed(("openalex", PAPERS, Registry(found=[odd])))).papers

    assert work.title == "The Stone & the Water"
    assert work.authors == ("World Health Organization",)
    assert work.abstract == "It is wet."
    assert work.year is None


def test_a_paper_from_a_host_not_known_for_papers_is_marked() -> None:
    strange = paper("Of water", doi=None, url="https://blog.example.com/x")
    known = paper("Of stone", doi=None, url="https://arxiv.org/abs/x")

    answer = search(mixed(("exa", PAPERS, Registry(found=[strange, known]))))

    assert [work.low_confidence_domain for work in answer.papers] == [True, None]


def test_a_collaboration_of_hundreds_is_cut_and_says_so() -> None:
    many = paper(authors=tuple(WorkAuthor(name=f"Writer {n}") for n in range(300)))

    [work] = search(mixed(("openalex", PAPERS, Registry(found=[many])))).papers

    assert work.authors is not None
    assert len(work.authors) == 51
    assert work.authors[-1] == "and 250 others"


@pytest.mark.parametrize(
    "values",
    [
        {"query": " \u200b "},
        {"count": 0},
        {"count": 11},
        {"source": "elsevier"},
        {"sort": "cited"},
        {"year_from": 1899},
        {"year_to": 2031},
        {"year_from": 2021, "year_to": 2020},
    ],
)
def test_an_impossible_question_is_refused(values: dict[str, Any]) -> None:
    assert isinstance(error_of(mixed(("openalex", PAPERS, Registry())), **values), InvalidInput)


def test_a_dated_web_result_lends_its_year() -> None:
    when = datetime(2019, 4, 2, tzinfo=UTC)
    brave = Scripted([hit("a", url="https://arxiv.org/abs/1904.00001", published=when)])

    [work] = search(mixed(("brave", WEB, brave))).papers

    assert work.year == 2019


@pytest.mark.parametrize(
    ("ids", "address"),
    [
        ({IdentifierScheme.PMID: "77"}, "https://pubmed.ncbi.nlm.nih.gov/77"),
        ({IdentifierScheme.ARXIV: "1706.03762"}, "https://arxiv.org/abs/1706.03762"),
        (
            {IdentifierScheme.DOI: "10.1234/x", IdentifierScheme.PMID: "77"},
            "https://doi.org/10.1234/x",
        ),
    ],
)
def test_a_paper_without_an_address_has_that_of_its_identifier(
    ids: dict[IdentifierScheme, str], address: str
) -> None:
    bare = paper("Of water", doi=None, url="", ids=ids)

    [work] = search(mixed(("openalex", PAPERS, Registry(found=[bare])))).papers

    assert work.url == address
