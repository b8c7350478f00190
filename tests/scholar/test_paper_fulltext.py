from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from citewell.core.errors import (
    Blocked,
    CitewellError,
    InvalidInput,
    NetworkFailed,
    NotFound,
    RateLimited,
    RefusedByPolicy,
    UpstreamUnavailable,
)
from citewell.core.values.page import Page
from citewell.core.values.paper import (
    IdentifierScheme,
    IntegrityNotice,
    NoticeKind,
    OpenCopy,
    Paper,
    PaperId,
)
from citewell.core.values.paper_results import FullTextAnswer
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.scrape_results import RetractionStatus, StructuredData
from citewell.routing.ports import Offer
from citewell.routing.provider_panel import ProviderPanel
from citewell.scholar.free_copies import CopyCandidates, OpenCopyFinder
from citewell.scholar.tools.paper_fulltext import FullTextReader, FullTextRequest
from citewell.scholar.work_resolution import WorkResolver
from citewell.trust.notice_weighing import weigh_notices
from tests.core.doubles import DOI, LOOKUP, MATCH, REGISTRY, Registry, mixed, paper, records
from tests.reading.reading import Memory, ScriptedReads, page
from tests.requirements import requires
from tests.search.doubles import Shop

COPIES = frozenset({Offer.COPIES})
TITLE = "Of Water and Stone"
PDF = "https://example.org/a.pdf"
LANDING = f"https://doi.org/{DOI}"
TEXT = f"# {TITLE}\n\nAda Stone\n\n" + "Water runs over the stone and the stone stays. " * 250


def whole(url: str = PDF, content: str = TEXT, **changes: Any) -> Page:
    return page(url, content, **({"title": TITLE} | changes))


def stub(url: str = LANDING, **changes: Any) -> Page:
    words = (
        f"{TITLE}. Abstract. Water runs over stone. Access through your institution. Buy article."
    )
    return page(url, words, **({"title": TITLE} | changes))


def read(
    stock: Shop,
    pages: Mapping[str, Any],
    identifier: str = DOI,
    *,
    trace: RoutingTrace | None = None,
    **changes: Any,
) -> FullTextAnswer:
    panel = ProviderPanel(stock.catalogue, timeout_seconds=30.0)
    request = FullTextRequest(identifier=identifier, max_length=changes.pop("max_length", 50_000))
    script = {LANDING: NotFound("Nothing here.")} | dict(pages)
    texts = FullTextReader(
        subjects=WorkResolver(records(stock)),
        candidates=CopyCandidates(panel, OpenCopyFinder(panel)),
        pages=Memory().reading(ScriptedReads(script)),
        weigh=weigh_notices,
        **changes,
    )
    return asyncio.run(texts.read_full_text(request, trace=trace or RoutingTrace()))


def error_of(stock: Shop, pages: Mapping[str, Any], *args: Any, **changes: Any) -> CitewellError:
    with pytest.raises(CitewellError) as caught:
        read(stock, pages, *args, **changes)
    return caught.value


def known(work: Paper, *copies: OpenCopy) -> Shop:
    return mixed(
        ("crossref", LOOKUP, Registry({DOI: work})),
        ("unpaywall", COPIES, Registry(free={DOI: copies})),
    )


def copy(url: str = PDF, **changes: Any) -> OpenCopy:
    given: dict[str, Any] = {"pdf": True, "source": "unpaywall"}
    return OpenCopy(url=url, **(given | changes))


def test_the_first_copy_that_reads_as_the_paper_is_the_text() -> None:
    trace = RoutingTrace()
    free = copy(version="acceptedVersion", license="cc-by", host="repository")

    answer = read(known(paper(venue="J. Stones"), free), {PDF: whole()}, trace=trace)

    assert answer.is_full_text
    assert answer.content.startswith("# Of Water and Stone")
    assert (answer.version, answer.license, answer.source) == (
        "acceptedVersion",
        "cc-by",
        "unpaywall",
    )
    assert (answer.url, answer.doi, answer.journal) == (PDF, DOI, "J. Stones")
    assert trace.used == ["unpaywall"]


@pytest.mark.parametrize(
    "useless",
    [
        Blocked("A bot wall."),
        RateLimited("Slow down."),
        UpstreamUnavailable("Down."),
        stub(PDF),
        page(PDF, "Something else entirely. " * 500, title="Another paper"),
        page(PDF, f"{TITLE}. " + "The abstract says little. " * 30, title=TITLE),
        page(PDF, "scan", title=TITLE, page_count=9),
    ],
)
def test_walls_stubs_and_other_papers_are_passed_over(useless: Page | CitewellError) -> None:
    second = "https://example.org/b.pdf"
    first = copy(version="publishedVersion")
    stock = known(paper(), first, copy(second, version="submittedVersion"))

    answer = read(stock, {PDF: useless, second: whole(second)})

    assert (answer.url, answer.version) == (second, "submittedVersion")
    assert answer.tried is not None
    assert len(answer.tried) == 1
    assert answer.tried[0].startswith("unpaywall (example.org): ")


def test_a_paper_that_cites_this_one_is_not_this_one() -> None:
    other = "# Rivers of the Plains\n\n" + "Rivers run. " * 3000 + f"References: {TITLE}."

    answer = read(
        known(paper(abstract="Water runs."), copy()), {PDF: page(PDF, other, title="Rivers")}
    )

    assert not answer.is_full_text


def test_without_a_readable_copy_the_abstract_is_given_as_what_it_is() -> None:
    answer = read(
        known(paper(abstract="Water runs over stone."), copy()), {PDF: Blocked("A wall.")}
    )

    assert not answer.is_full_text
    assert answer.content == "Water runs over stone."
    assert answer.version is None
    assert answer.notes == (
        "No free copy could be read: this is the abstract only, not the paper.",
    )


def test_without_copy_and_abstract_there_is_an_error_that_lists_what_was_tried() -> None:
    error = error_of(known(paper(), copy()), {PDF: stub(PDF)})

    assert isinstance(error, NotFound)
    assert "unpaywall (example.org)" in error.message


def test_a_failure_that_may_pass_is_told_as_such() -> None:
    error = error_of(known(paper(), copy()), {PDF: NetworkFailed("Nothing came.")})

    assert isinstance(error, NetworkFailed)
    assert error.retryable


def test_a_doi_that_is_not_registered_is_not_found() -> None:
    stock = mixed(("crossref", LOOKUP, Registry()), ("doi", REGISTRY, Registry()))

    error = error_of(stock, {})

    assert isinstance(error, NotFound)
    assert "not registered" in error.message


def test_a_doi_nobody_could_check_is_tried_at_its_landing_page() -> None:
    down = Registry(fails=UpstreamUnavailable("Down."), handles=UpstreamUnavailable("Down."))
    stock = mixed(("crossref", LOOKUP, down), ("doi", REGISTRY, down))

    answer = read(stock, {LANDING: whole(LANDING)})

    assert answer.is_full_text
    assert answer.version == "publishedVersion"
    assert answer.notes is not None
    assert any("could be asked" in note for note in answer.notes)


def test_the_pdf_that_a_landing_page_declares_is_followed() -> None:
    linked = "https://publisher.example.com/full.pdf"
    landing = stub(structured=StructuredData(citation={"citation_pdf_url": linked}))

    answer = read(known(paper()), {LANDING: landing, linked: whole(linked)})

    assert (answer.url, answer.version) == (linked, "publishedVersion")


@requires("paper_fulltext.identifier")
def test_an_arxiv_id_is_read_at_arxiv_as_a_preprint() -> None:
    work = paper(doi=None, ids={IdentifierScheme.ARXIV: "1706.03762"}, source="arxiv")
    arxiv = Registry({"1706.03762": work}, schemes=frozenset({IdentifierScheme.ARXIV}))
    address = "https://arxiv.org/pdf/1706.03762"

    answer = read(
        mixed(("arxiv", LOOKUP, arxiv)),
        {address: whole(address, page_count=9)},
        "https://arxiv.org/abs/1706.03762v5",
    )

    assert (answer.version, answer.source) == ("preprint", "arxiv")
    assert answer.ids == {"arxiv": "1706.03762"}


def test_a_pmcid_is_read_at_pubmed_central() -> None:
    work = paper(ids={IdentifierScheme.PMCID: "PMC1234567"}, source="europepmc")
    registry = Registry({"PMC1234567": work}, schemes=frozenset({IdentifierScheme.PMCID}))
    address = "https://pmc.ncbi.nlm.nih.gov/articles/PMC1234567/"

    answer = read(mixed(("europepmc", LOOKUP, registry)), {address: whole(address)}, "PMC1234567")

    assert answer.url == address


def test_a_title_is_looked_up_and_the_answer_says_for_what_it_was_taken() -> None:
    stock = mixed(("crossref", MATCH, Registry(matching=[paper()])))

    answer = read(stock, {LANDING: whole(LANDING)}, "of water and stone")

    assert answer.doi == DOI
    assert answer.notes is not None
    assert LANDING in answer.notes[0]


def test_a_title_that_nobody_has_is_not_found_and_the_nearest_is_named() -> None:
    stock = mixed(("crossref", MATCH, Registry(matching=[paper()])))

    error = error_of(stock, {}, "An entirely invented paper")

    assert isinstance(error, NotFound)
    assert TITLE in error.message


def test_a_title_nobody_could_be_asked_for_is_a_failure_and_no_absence() -> None:
    stock = mixed(("crossref", MATCH, Registry(fails=UpstreamUnavailable("Down."))))

    assert isinstance(error_of(stock, {}, "of water and stone"), NetworkFailed)


def test_an_address_is_read_as_it_is() -> None:
    address = "https://example.org/papers/stone.pdf"

    answer = read(mixed(("crossref", LOOKUP, Registry())), {address: whole(address)}, address)

    assert (answer.url, answer.title, answer.source) == (address, TITLE, "given")
    assert answer.doi is None


def test_a_landing_page_leads_to_a_free_copy_of_its_paper() -> None:
    address = "https://journal.example.org/article/7"
    meta = StructuredData(citation={"citation_doi": DOI, "citation_title": TITLE})
    pages = {address: stub(address, structured=meta, declared_doi=DOI), PDF: whole()}

    answer = read(known(paper(), copy()), pages, address)

    assert (answer.url, answer.doi) == (PDF, DOI)


def test_an_address_that_our_policy_forbids_is_refused_outright() -> None:
    address = "http://192.168.0.1/paper.pdf"

    error = error_of(
        mixed(("crossref", LOOKUP, Registry())), {address: RefusedByPolicy("Private.")}, address
    )

    assert isinstance(error, RefusedByPolicy)


def test_a_forbidden_copy_does_not_spoil_the_others() -> None:
    bad = "http://192.168.0.1/a.pdf"
    stock = known(paper(), copy(bad, version="publishedVersion"), copy())

    assert read(stock, {bad: RefusedByPolicy("Private."), PDF: whole()}).url == PDF


def test_copies_are_tried_in_the_order_of_who_knows_them() -> None:
    s2 = paper(
        source="semanticscholar",
        copies=(copy("https://s2.example/a.pdf", source="semanticscholar"),),
    )
    europe = paper(
        source="europepmc", copies=(copy("https://epmc.example/a.pdf", source="europepmc"),)
    )
    stock = mixed(
        ("crossref", LOOKUP, Registry({DOI: paper()})),
        ("europepmc", LOOKUP, Registry({DOI: europe})),
        ("semanticscholar", LOOKUP, Registry({DOI: s2})),
        ("unpaywall", COPIES, Registry(free={DOI: (copy(),)})),
    )
    panel = ProviderPanel(stock.catalogue, timeout_seconds=1.0)

    located = asyncio.run(
        CopyCandidates(panel, OpenCopyFinder(panel)).locate_copies(
            paper(), (PaperId(scheme=IdentifierScheme.DOI, value=DOI),)
        )
    )

    assert [copy.url for copy in located.copies] == [
        "https://s2.example/a.pdf",
        PDF,
        "https://epmc.example/a.pdf",
        LANDING,
    ]


def test_the_text_is_cut_at_max_length_and_says_so() -> None:
    answer = read(known(paper(), copy()), {PDF: whole()}, max_length=1000)

    assert answer.truncated
    assert answer.content_length <= 1000
    assert answer.original_length == len(TEXT.encode())


@pytest.mark.parametrize("length", [999, 200_001])
def test_a_length_out_of_bounds_is_refused(length: int) -> None:
    assert isinstance(error_of(known(paper()), {}, max_length=length), InvalidInput)


def test_an_empty_identifier_is_refused() -> None:
    assert isinstance(error_of(known(paper()), {}, " \u200b "), InvalidInput)


def test_a_retraction_known_from_the_record_is_told() -> None:
    gone = paper(
        events=(IntegrityNotice(kind=NoticeKind.RETRACTION, source="publisher", date="2021"),)
    )

    answer = read(known(gone, copy()), {PDF: whole()})

    assert answer.retraction_status is not None
    assert answer.retraction_status.retracted


class Lookup:
    def __init__(self, answer: RetractionStatus | CitewellError) -> None:
        self._answer = answer

    async def find_retraction_status(
        self, doi: str, *, paper: Paper | None = None
    ) -> RetractionStatus | None:
        if isinstance(self._answer, CitewellError):
            raise self._answer
        return self._answer


def test_a_retraction_that_the_record_does_not_tell_is_looked_up() -> None:
    lookup = Lookup(RetractionStatus(retracted=True, kind="retraction"))

    answer = read(known(paper(), copy()), {PDF: whole()}, retractions=lookup)

    assert answer.retraction_status is not None


def test_a_failing_look_up_of_retractions_costs_no_text() -> None:
    answer = read(
        known(paper(), copy()), {PDF: whole()}, retractions=Lookup(UpstreamUnavailable("Down."))
    )

    assert answer.is_full_text
    assert answer.retraction_status is None


def test_copies_that_never_answer_end_in_an_error_in_time() -> None:
    error = error_of(known(paper(), copy()), {PDF: 60.0}, deadline=0.05)

    assert isinstance(error, NetworkFailed)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("深度学习综述", "# 深度学习综述\n\n" + "本文回顾深度学习的方法。" * 400),
        ("О воде и камне", "# О воде и камне\n\n" + "Вода течёт по камню весь день. " * 400),
    ],
)
def test_titles_in_other_scripts_are_recognised(title: str, text: str) -> None:
    count = {"word_count": 2000}

    answer = read(known(paper(title), copy()), {PDF: whole(PDF, text, title="", **count)})

    assert answer.is_full_text


def test_a_label_that_a_publisher_sets_before_a_retracted_title_does_not_hide_the_paper() -> None:
    gone = paper(f"RETRACTED ARTICLE: {TITLE}")

    assert read(known(gone, copy()), {PDF: whole()}).is_full_text


def test_a_registry_that_described_the_work_is_not_asked_again_for_its_copies() -> None:
    openalex = Registry({DOI: paper(source="openalex", copies=(copy(source="openalex"),))})
    stock = mixed(("openalex", LOOKUP, openalex))

    answer = read(stock, {PDF: whole()})

    assert answer.source == "openalex"
    assert openalex.asked == [f"doi:{DOI}"]
