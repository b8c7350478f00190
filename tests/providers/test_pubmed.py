"""What is PubMed's own: two steps to a record, errors in good answers, dates and notices in XML."""

from __future__ import annotations

from typing import Any

import pytest

from citewell import providers
from citewell.core.errors import (
    InvalidInput,
    MalformedResponse,
    RateLimited,
    RejectedRequest,
    UpstreamUnavailable,
)
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    PaperQuery,
)
from tests.providers.desk import Desk, Reply, paper_id
from tests.providers.pubmed_answers import record, records

KEY = "a-key-that-nobody-may-see"


def numbers(*ids: str) -> dict[str, Any]:
    return {"esearchresult": {"count": str(len(ids)), "idlist": list(ids)}}


def test_records_come_in_the_order_of_the_search() -> None:
    replies = {
        "/esearch.fcgi": numbers("2", "1"),
        "/efetch.fcgi": records(record(pmid="1"), record(pmid="2")),
    }

    found = Desk("pubmed", replies).ask("search_papers", PaperQuery(text="x"))

    assert [paper.ids[IdentifierScheme.PMID] for paper in found.papers] == ["2", "1"]
    assert found.total == 2


def test_a_search_without_results_fetches_nothing() -> None:
    desk = Desk("pubmed", {"/esearch.fcgi": numbers()})

    assert desk.ask("search_papers", PaperQuery(text="x")).papers == ()
    assert len(desk.sent) == 1


def test_filters_become_terms_and_bounds() -> None:
    desk = Desk("pubmed", {"/esearch.fcgi": numbers()}, {"PUBMED_EMAIL": "reader@example.org"})
    query = PaperQuery(text="a b", year_from=2010, sort="date", full_text=True, source="pubmed")

    found = desk.ask("search_papers", query)

    assert desk.params == {
        "db": "pubmed",
        "retmode": "json",
        "term": '(a b) AND "pubmed pmc"[sb]',
        "retmax": "5",
        "sort": "pub_date",
        "datetype": "pdat",
        "mindate": "2010",
        "maxdate": "3000",
        "tool": "citewell",
        "email": "reader@example.org",
    }
    assert found.applied == {"year", "sort", "source"}


def test_the_key_goes_into_a_form_and_no_address() -> None:
    desk = Desk("pubmed", {"/esearch.fcgi": numbers()}, {"PUBMED_API_KEY": KEY})

    desk.ask("search_papers", PaperQuery(text="x"))

    (request,) = desk.sent
    assert (request.method, dict(request.params)) == ("POST", {})
    assert desk.params["api_key"] == KEY
    assert KEY not in repr(request)


def test_a_key_buys_a_faster_pace() -> None:
    spec = providers.load("pubmed").SPEC

    assert (spec.choose_pace({}), spec.choose_pace({"PUBMED_API_KEY": KEY})) == (3.0, 10.0)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({"esearchresult": {"ERROR": "Search Backend failed: timeout"}}, UpstreamUnavailable),
        ({"error": "API rate limit exceeded", "count": "4", "limit": "3"}, RateLimited),
        ({"error": "API key invalid"}, UpstreamUnavailable),
        ({"esearchresult": {"count": "3"}}, MalformedResponse),
        ({"esearchresult": {"idlist": None}}, MalformedResponse),
        ({"header": {}}, MalformedResponse),
    ],
)
def test_an_error_inside_a_good_answer_is_an_error(answer: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Desk("pubmed", {"/esearch.fcgi": answer}).ask("search_papers", PaperQuery(text="x"))


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("<eFetchResult><ERROR>Backend failed</ERROR></eFetchResult>", UpstreamUnavailable),
        ({"error": "API rate limit exceeded"}, RateLimited),
        ("<html><body>Welcome</body></html>", MalformedResponse),
        (records("<PubmedArticle/>"), MalformedResponse),
        ("", MalformedResponse),
    ],
)
def test_a_record_that_cannot_be_had_is_an_error(body: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Desk("pubmed", {"/efetch.fcgi": body}).ask("look_up_paper", paper_id("pmid", "7"))


@pytest.mark.parametrize(
    "reply",
    [
        records(),
        records(record(pmid="8")),
        Reply(
            body="<eFetchResult><ERROR>ID list is empty! Possibly it has no correct IDs.</ERROR></eFetchResult>",
            status=400,
        ),
    ],
)
def test_a_number_that_no_record_has_is_absent(reply: Any) -> None:
    desk = Desk("pubmed", {"/efetch.fcgi": reply})

    assert desk.ask("look_up_paper", paper_id("pmid", "7")) is None
    assert desk.ask("list_notices", paper_id("pmid", "7")) is None


def test_another_400_is_a_refusal() -> None:
    with pytest.raises(RejectedRequest):
        Desk("pubmed", {"": Reply(body="no", status=400)}).ask(
            "look_up_paper", paper_id("pmid", "7")
        )


def test_a_number_that_cannot_be_one_is_not_asked_for() -> None:
    desk = Desk("pubmed", {})

    assert desk.ask("look_up_paper", paper_id("pmid", "not-a-number")) is None
    with pytest.raises(InvalidInput):
        desk.ask("look_up_paper", paper_id("arxiv", "2304.05376"))
    assert desk.sent == []


def test_a_doi_is_searched_and_only_its_own_record_counts() -> None:
    """The search falls back to other fields where it knows no such DOI."""
    own = '<ArticleId IdType="doi">10.1000/A</ArticleId>'
    replies = {
        "/esearch.fcgi": numbers("1", "7"),
        "/efetch.fcgi": records(record(pmid="1"), record(ids=own)),
    }
    desk = Desk("pubmed", replies)

    assert desk.ask("look_up_paper", paper_id("doi", "10.1000/a")).ids[IdentifierScheme.PMID] == "7"
    assert dict(desk.sent[0].params)["term"] == '"10.1000/a"[aid]'
    assert Desk("pubmed", replies).ask("look_up_paper", paper_id("doi", "10.1000/b")) is None


def test_the_archive_number_leads_to_the_record() -> None:
    summary = {"result": {"uids": ["9"], "9": {"articleids": [{"idtype": "pmid", "value": "7"}]}}}
    own = '<ArticleId IdType="pmc">PMC9</ArticleId>'
    desk = Desk("pubmed", {"/esummary.fcgi": summary, "/efetch.fcgi": records(record(ids=own))})

    paper = desk.ask("look_up_paper", paper_id("pmcid", "PMC9"))

    assert paper.ids[IdentifierScheme.PMCID] == "PMC9"
    assert [copy.url for copy in paper.copies] == ["https://pmc.ncbi.nlm.nih.gov/articles/PMC9/"]


@pytest.mark.parametrize(
    "summary",
    [
        {"result": {"uids": ["9"], "9": {"uid": "9", "error": "cannot get document summary"}}},
        {"result": {"uids": ["9"], "9": {"articleids": [{"idtype": "pmid", "value": "0"}]}}},
        {"esummaryresult": ["Invalid uid 9 at position= 0"]},
    ],
)
def test_an_archive_number_without_a_record_is_absent(summary: Any) -> None:
    desk = Desk("pubmed", {"/esummary.fcgi": summary})

    assert desk.ask("look_up_paper", paper_id("pmcid", "PMC9")) is None


def test_a_reference_is_matched_by_its_title_and_then_by_its_author() -> None:
    replies = {"/esearch.fcgi": [numbers(), numbers("7")], "/efetch.fcgi": records(record())}
    desk = Desk("pubmed", replies)
    query = BibliographicQuery(title="The effect of X on heat-pumps", author="Müller", year=2020)

    found = desk.ask("match_reference", query)

    terms = [dict(request.params).get("term") for request in desk.sent[:2]]
    assert terms == [
        "effect[ti] AND heat-pumps[ti]",
        "Müller[au] AND (effect[ti] OR heat-pumps[ti]) AND 2019:2021[dp]",
    ]
    assert [paper.title for paper in found] == ["A title"]


def test_a_reference_that_says_nothing_matches_nothing() -> None:
    desk = Desk("pubmed", {})

    assert desk.ask("match_reference", BibliographicQuery()) == ()
    assert desk.sent == []
