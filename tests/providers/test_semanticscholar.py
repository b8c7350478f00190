"""What is Semantic Scholar's own: its identifiers, its silences, its graph."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import (
    AuthRequired,
    InvalidInput,
    MalformedResponse,
    RateLimited,
    RejectedRequest,
    UpstreamUnavailable,
)
from citewell.core.values.paper import BibliographicQuery, IdentifierScheme, PaperQuery
from tests.providers.desk import Desk, Reply, paper_id

TITLED: dict[str, Any] = {"paperId": "ab12", "title": "A title"}


def desk(body: Any, *, status: int = 200, **options: str) -> Desk:
    return Desk("semanticscholar", {"": Reply(body=body, status=status)}, options)


@pytest.mark.parametrize(
    ("scheme", "value", "path"),
    [
        ("doi", "10.1023/a:1007154515475", "/paper/DOI:10.1023/a:1007154515475"),
        ("doi", "10.1000/a#b?c%d <e>", "/paper/DOI:10.1000/a%23b%3Fc%25d%20%3Ce%3E"),
        ("s2", "ab12", "/paper/ab12"),
        ("arxiv", "quant-ph/0201082", "/paper/ARXIV:quant-ph/0201082"),
        ("pmid", "36972469", "/paper/PMID:36972469"),
        ("pmcid", "PMC10134429", "/paper/PMCID:10134429"),
    ],
)
def test_each_identifier_has_its_prefix(scheme: str, value: str, path: str) -> None:
    at = desk(TITLED)

    at.ask("look_up_paper", paper_id(scheme, value))

    assert at.sent[0].url.endswith(path)


@pytest.mark.parametrize("method", ["look_up_paper", "list_citing_papers"])
def test_identifiers_of_others_are_not_asked_for(method: str) -> None:
    more = {"count": 3} if method == "list_citing_papers" else {}

    with pytest.raises(InvalidInput):
        desk(TITLED).ask(method, paper_id("isbn", "9780000000002"), **more)


@pytest.mark.parametrize(
    ("method", "args", "none"),
    [
        ("look_up_paper", (paper_id("doi", "10.1/x"),), None),
        ("match_reference", (BibliographicQuery(title="x"),), ()),
    ],
)
def test_a_404_is_an_absence(method: str, args: tuple[Any, ...], none: Any) -> None:
    assert desk({"error": "Title match not found"}, status=404).ask(method, *args) == none


@pytest.mark.parametrize("body", ["not found", "<html>404</html>", {"message": "Not Found"}, ""])
def test_a_404_of_somebody_else_says_nothing_of_the_paper(body: Any) -> None:
    with pytest.raises(UpstreamUnavailable):
        desk(body, status=404).ask("look_up_paper", paper_id("doi", "10.1/x"))


def test_the_graph_of_an_unknown_paper_is_absent() -> None:
    at = desk({"error": "Paper with id x not found"}, status=404)

    assert at.ask("list_citing_papers", paper_id("doi", "10.1/x"), count=5) is None
    assert at.ask("list_cited_papers", paper_id("doi", "10.1/x"), count=5) is None


@pytest.mark.parametrize(
    ("status", "error"),
    [(400, RejectedRequest), (403, AuthRequired), (429, RateLimited), (500, UpstreamUnavailable)],
)
def test_other_statuses_are_errors(status: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        desk({"message": "no"}, status=status).ask("search_papers", PaperQuery(text="x"))


def test_nothing_found_is_told_without_a_list() -> None:
    found = desk({"total": 0, "offset": 0}).ask("search_papers", PaperQuery(text="x"))

    assert (found.papers, found.total) == ((), 0)


def test_papers_counted_and_not_listed_are_a_bad_shape() -> None:
    with pytest.raises(MalformedResponse):
        desk({"total": 3, "offset": 0}).ask("search_papers", PaperQuery(text="x"))


def test_a_record_without_a_title_is_no_description_of_a_paper() -> None:
    with pytest.raises(MalformedResponse):
        desk({"paperId": "ab12", "title": None}).ask("look_up_paper", paper_id("s2", "ab12"))


@pytest.mark.parametrize(
    ("first", "last", "years"), [(2015, 2020, "2015-2020"), (2015, None, "2015-"), (None, 2020, "-2020")]
)  # fmt: skip
def test_years_are_a_range(first: int | None, last: int | None, years: str) -> None:
    at = desk({"total": 0})

    found = at.ask(
        "search_papers", PaperQuery(text="self-driving cars", year_from=first, year_to=last)
    )

    assert at.params["year"] == years
    assert at.params["query"] == "self driving cars"
    assert found.applied == {"year"}


def test_a_key_travels_as_a_secret_header() -> None:
    at = desk({"total": 0}, SEMANTIC_SCHOLAR_API_KEY="a-key")

    at.ask("search_papers", PaperQuery(text="x"))

    assert at.sent[0].secret_headers == {"x-api-key": "a-key"}
    assert "a-key" not in str(at.sent[0].params)


@pytest.mark.parametrize(
    ("given", "copies", "pdf"),
    [
        ({"url": "", "status": None, "disclaimer": "Notice: …"}, 0, None),
        ({"url": "https://doi.org/10.1/x", "status": "HYBRID"}, 1, None),
        ({"url": "https://a.example/x.pdf", "status": "GREEN"}, 1, "https://a.example/x.pdf"),
        ({"disclaimer": "Notice: …"}, 0, None),
        (None, 0, None),
    ],
)
def test_an_open_copy_may_be_no_file_or_nothing(given: Any, copies: int, pdf: str | None) -> None:
    paper = desk(TITLED | {"openAccessPdf": given}).ask("look_up_paper", paper_id("s2", "ab12"))

    assert len(paper.copies) == copies
    assert paper.pdf_url == pdf


def test_what_arxiv_calls_a_volume_is_none() -> None:
    journal = {"name": "ArXiv", "volume": "abs/2304.05376"}

    paper = desk(TITLED | {"venue": "", "journal": journal}).ask(
        "look_up_paper", paper_id("s2", "ab12")
    )

    assert (paper.venue, paper.volume) == ("ArXiv", None)


@pytest.mark.parametrize(
    ("venue", "types", "kind"),
    [
        ("arXiv.org", ["JournalArticle"], "article"),
        ("Neural Information Processing Systems", ["JournalArticle", "Conference"], "paper-conference"),
        ("A journal", ["Review", "JournalArticle"], "article-journal"),
        ("", ["Review"], None),
        ("", None, None),
    ],
)  # fmt: skip
def test_a_preprint_is_no_journal_article(venue: str, types: Any, kind: str | None) -> None:
    paper = desk(TITLED | {"venue": venue, "publicationTypes": types}).ask(
        "look_up_paper", paper_id("s2", "ab12")
    )

    assert paper.kind == kind


def test_every_identifier_is_kept_in_its_bare_form() -> None:
    given = {"DOI": "10.1023/A:1", "ArXiv": "2304.05376v2", "PubMed": 7, "PubMedCentral": "9", "CorpusId": 1}  # fmt: skip

    paper = desk(TITLED | {"externalIds": given}).ask("look_up_paper", paper_id("s2", "ab12"))

    assert paper.ids == {
        IdentifierScheme.DOI: "10.1023/a:1",
        IdentifierScheme.ARXIV: "2304.05376",
        IdentifierScheme.PMID: "7",
        IdentifierScheme.PMCID: "PMC9",
        IdentifierScheme.S2: "ab12",
    }


def test_edges_say_how_a_paper_is_cited_and_those_that_lead_nowhere_are_skipped() -> None:
    edges = [
        {"isInfluential": True, "intents": ["methodology", "methodology"], "citedPaper": TITLED},
        {"isInfluential": False, "intents": None, "citedPaper": {"paperId": None, "title": "Only a title"}},
        {"citedPaper": None},
        {"citedPaper": {"paperId": None, "title": None}},
    ]  # fmt: skip

    found = desk({"offset": 0, "data": edges}).ask(
        "list_cited_papers", paper_id("doi", "10.1/x"), count=9
    )

    assert [(paper.title, paper.influential, paper.intents) for paper in found] == [
        ("A title", True, ("methodology",)),
        ("Only a title", False, ()),
    ]


def test_references_that_a_publisher_withholds_are_none() -> None:
    withheld = {"data": None, "citingPaperInfo": {"openAccessPdf": {"disclaimer": "elided"}}}

    assert desk(withheld).ask("list_cited_papers", paper_id("doi", "10.1/x"), count=9) == ()


def test_a_reference_without_a_title_is_matched_by_its_words() -> None:
    at = desk({"total": 1, "data": [TITLED]})

    found = at.ask("match_reference", BibliographicQuery(text="Someone, A title, 2020"))

    assert at.sent[0].url.endswith("/paper/search")
    assert [paper.title for paper in found] == ["A title"]
