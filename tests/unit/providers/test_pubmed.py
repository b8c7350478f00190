"""What is PubMed's own: two steps to a record, errors in good answers, dates and notices in XML."""

from __future__ import annotations

from typing import Any

import pytest

from citewell import providers
from citewell.errors import (
    InvalidInput,
    MalformedResponse,
    RateLimited,
    RejectedRequest,
    UpstreamUnavailable,
)
from citewell.model.paper import (
    BibliographicQuery,
    IdentifierScheme,
    NoticeKind,
    Paper,
    PaperQuery,
    WorkAuthor,
)
from tests.unit.providers.desk import Desk, Reply, paper_id

KEY = "a-key-that-nobody-may-see"


def record(
    *,
    pmid: str = "7",
    title: str = "A title.",
    date: str = "<Year>2020</Year>",
    article: str = "",
    citation: str = "",
    ids: str = "",
    types: str = "",
) -> str:
    return (
        f'<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article><Journal>'
        f"<JournalIssue><PubDate>{date}</PubDate></JournalIssue><Title>A journal</Title></Journal>"
        f"<ArticleTitle>{title}</ArticleTitle>{article}<PublicationTypeList>{types}</PublicationTypeList>"
        f"</Article>{citation}</MedlineCitation><PubmedData><ArticleIdList>{ids}</ArticleIdList>"
        "</PubmedData></PubmedArticle>"
    )


def records(*found: str) -> str:
    return f"<PubmedArticleSet>{''.join(found)}</PubmedArticleSet>"


def numbers(*ids: str) -> dict[str, Any]:
    return {"esearchresult": {"count": str(len(ids)), "idlist": list(ids)}}


def the(found: str) -> Paper:
    return Desk("pubmed", {"/efetch.fcgi": records(found)}).ask(
        "look_up_paper", paper_id("pmid", "7")
    )


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


@pytest.mark.parametrize(
    ("date", "online", "published"),
    [
        ("<Year>2013</Year><Season>Jan-Mar</Season>", "", "2013-01"),
        ("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", "", "1998-12"),
        ("<Year>2020</Year><Month>02</Month><Day>31</Day>", "", "2020-02"),
        ("<Year>2020</Year>", "<Year>2020</Year><Month>5</Month><Day>6</Day>", "2020-05-06"),
        ("<Year>2021</Year>", "<Year>2020</Year><Month>5</Month><Day>6</Day>", "2021"),
        ("", "<Year>2020</Year><Month>5</Month><Day>6</Day>", "2020-05-06"),
        ("<Year>soon</Year>", "", None),
    ],
)
def test_a_date_is_the_issue_s_as_exact_as_it_is(
    date: str, online: str, published: str | None
) -> None:
    article = f'<ArticleDate DateType="Electronic">{online}</ArticleDate>' if online else ""

    paper = the(record(date=date, article=article))

    assert paper.published == published
    assert paper.year == (int(published[:4]) if published else None)


def test_people_bodies_and_suffixes_are_told_apart() -> None:
    listed = (
        '<AuthorList><Author ValidYN="Y"><LastName>van der Berg</LastName><ForeName>A B</ForeName>'
        "<Suffix>Jr</Suffix></Author><Author><LastName>Solo</LastName><Initials>CD</Initials></Author>"
        "<Author><CollectiveName>A study group.</CollectiveName></Author>"
        '<Author ValidYN="N"><LastName>Misprint</LastName></Author><Author/></AuthorList>'
    )

    assert the(record(article=listed)).authors == (
        WorkAuthor(name="A B van der Berg Jr", family="van der Berg", given="A B", suffix="Jr"),
        WorkAuthor(name="C D Solo", family="Solo", given="C D"),
        WorkAuthor(name="A study group.", organisation=True),
    )


def test_an_abstract_keeps_its_sections_and_its_signs() -> None:
    abstract = (
        '<Abstract><AbstractText Label="AIMS">A<sub>2</sub>.</AbstractText><AbstractText Label='
        '"UNLABELLED">If a&lt;b or c&gt;d.</AbstractText><CopyrightInformation>©</CopyrightInformation></Abstract>'
    )
    other = '<OtherAbstract Language="fre"><AbstractText>Autre.</AbstractText></OtherAbstract>'

    assert the(record(article=abstract)).abstract == "AIMS: A2. If a<b or c>d."
    assert the(record(citation=other)).abstract == "Autre."


def test_the_doi_is_the_article_s_own_and_not_one_it_cites() -> None:
    wrong = '<ELocationID EIdType="doi" ValidYN="N">10.1000/wrong</ELocationID>'
    right = '<ELocationID EIdType="doi" ValidYN="Y">10.1000/RIGHT</ELocationID>'

    assert the(record(article=wrong + right)).doi == "10.1000/right"
    assert the(record(article=wrong)).doi is None
    assert the(record(article=wrong)).url == "https://pubmed.ncbi.nlm.nih.gov/7/"


def test_a_title_in_another_language_is_better_than_none() -> None:
    article = "<VernacularTitle>Ein Titel.</VernacularTitle>"

    assert the(record(title="[Not Available].", article=article)).title == "Ein Titel"


def _linked(*relations: str) -> str:
    rows = "".join(
        f'<CommentsCorrections RefType="{relation}"><RefSource>J. 2021 May;1:1. doi: 10.1000/n'
        f"</RefSource><PMID>1</PMID></CommentsCorrections>"
        for relation in relations
    )
    return f"<CommentsCorrectionsList>{rows}</CommentsCorrectionsList>"


@pytest.mark.parametrize(
    ("relations", "types", "kinds"),
    [
        (("ErratumIn", "RetractionIn"), (), [NoticeKind.CORRECTION, NoticeKind.RETRACTION]),
        (("PartialRetractionIn",), (), [NoticeKind.RETRACTION]),
        (("ExpressionOfConcernIn", "CommentIn"), (), [NoticeKind.CONCERN]),
        (("RetractionOf",), ("Retraction of Publication",), []),
        (("ErratumFor",), ("Published Erratum",), []),
        ((), ("Retracted Publication",), [NoticeKind.RETRACTION]),
        (("RetractionIn",), ("Retracted Publication",), [NoticeKind.RETRACTION]),
        ((), (), []),
    ],
)
def test_only_what_happened_to_the_work_is_an_event(
    relations: tuple[str, ...], types: tuple[str, ...], kinds: list[NoticeKind]
) -> None:
    marks = "".join(f"<PublicationType>{one}</PublicationType>" for one in types)
    found = record(citation=_linked(*relations), types=marks)
    desk = Desk("pubmed", {"/efetch.fcgi": records(found)})

    events = desk.ask("list_notices", paper_id("pmid", "7"))

    assert [event.kind for event in events] == kinds
    assert all(event.date in {"2021-05", None} for event in events)


def test_a_chapter_of_the_bookshelf_is_read_too() -> None:
    chapter = (
        "<PubmedBookArticle><BookDocument><PMID>7</PMID><ArticleIdList>"
        '<ArticleId IdType="bookaccession">NBK1</ArticleId></ArticleIdList><Book><Publisher>'
        "<PublisherName>A press</PublisherName></Publisher><BookTitle>A book</BookTitle>"
        "<PubDate><Year>1993</Year></PubDate></Book><ArticleTitle>A chapter</ArticleTitle>"
        "<Language>eng</Language><ContributionDate><Year>2005</Year><Month>3</Month></ContributionDate>"
        "</BookDocument></PubmedBookArticle>"
    )

    paper = the(chapter)

    assert (paper.title, paper.venue, paper.kind) == ("A chapter", "A book", "chapter")
    assert (paper.published, paper.publisher) == ("2005-03", "A press")
