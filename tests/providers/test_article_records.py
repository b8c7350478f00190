"""PubMed's XML: dates, people, abstracts, titles and notices."""

from __future__ import annotations

import pytest

from citewell.core.values.paper import (
    NoticeKind,
    Paper,
    WorkAuthor,
)
from tests.providers.desk import Desk, paper_id
from tests.providers.pubmed_answers import record, records


def the(found: str) -> Paper:
    return Desk("pubmed", {"/efetch.fcgi": records(found)}).ask(
        "look_up_paper", paper_id("pmid", "7")
    )


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
    marks = "".join(f"<PublicationType>{kind}</PublicationType>" for kind in types)
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
