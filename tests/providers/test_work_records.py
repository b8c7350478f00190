"""Europe PMC's records: copies, preprints, dates and names."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.values.paper import NoticeKind, Paper, PaperQuery, WorkAuthor
from tests.providers.desk import Desk
from tests.providers.europepmc_answers import WORK, found


def the(**more: Any) -> Paper:
    desk = Desk("europepmc", {"/search": found(WORK | more)})
    return desk.ask("search_papers", PaperQuery(text="x")).papers[0]


def test_only_free_copies_count() -> None:
    texts = [
        {"availabilityCode": "S", "documentStyle": "doi", "site": "DOI", "url": "https://doi.org/10.1/x"},
        {"availabilityCode": "F", "documentStyle": "html", "site": "PubMedCentral", "url": "https://a.example/h"},
        {"availabilityCode": "OA", "documentStyle": "pdf", "site": "Europe_PMC", "url": "https://a.example/p"},
        {"availabilityCode": "OA", "documentStyle": "pdf", "url": "ftp://a.example/p"},
    ]  # fmt: skip

    paper = the(fullTextUrlList={"fullTextUrl": texts}, isOpenAccess="Y", license="cc by")

    assert [(copy.url, copy.pdf, copy.host) for copy in paper.copies] == [
        ("https://a.example/h", False, "repository"),
        ("https://a.example/p", True, "repository"),
    ]
    assert (paper.pdf_url, paper.open_access) == ("https://a.example/p", True)
    assert paper.copies[0].license == "cc by"


def test_not_in_the_open_subset_does_not_mean_closed() -> None:
    assert the(isOpenAccess="N").open_access is None


def test_a_preprint_says_what_it_became() -> None:
    link = {"type": "Preprint of", "reference": "J. 2023 Apr;1:1. doi: 10.1000/A"}

    paper = the(
        source="PPR",
        id="PPR1",
        pmid=None,
        bookOrReportDetails={"publisher": "bioRxiv"},
        commentCorrectionList={"commentCorrection": [link]},
        firstPublicationDate="2022-12-02",
        pubYear="2022",
    )

    assert (paper.kind, paper.venue, paper.preprint_of) == ("article", "bioRxiv", "10.1000/a")
    assert (paper.published, paper.url) == (
        "2022-12-02",
        "https://europepmc.org/article/PPR/PPR1",
    )


@pytest.mark.parametrize("label", ["withdrawal", "removal"])
def test_a_preprint_that_was_taken_back_is_an_event(label: str) -> None:
    paper = the(source="PPR", pubTypeList={"pubType": ["Preprint", f"preprint-{label}"]})

    assert [(event.kind, event.label) for event in paper.events] == [(NoticeKind.RETRACTION, label)]


def test_a_book_s_year_is_not_that_of_its_first_edition() -> None:
    book = {"publisher": "A press", "comprisingTitle": "A book"}

    paper = the(bookOrReportDetails=book, pubYear="1993", firstPublicationDate="2005-03-01")

    assert (paper.kind, paper.venue, paper.published) == ("chapter", "A book", "2005-03-01")


def test_an_issue_s_own_date_is_not_made_more_exact_than_it_is() -> None:
    issue = {"dateOfPublication": "1998 Feb", "journal": {"title": "Lancet (London, England)"}}

    paper = the(journalInfo=issue, firstPublicationDate="1998-02-01", pubYear="1998")

    assert (paper.published, paper.venue) == ("1998-02", "Lancet")


@pytest.mark.parametrize(
    ("given", "people"),
    [
        (
            {"authorList": {"author": [{"fullName": "Wakefield AJ", "firstName": "A J", "lastName": "Wakefield"}, {"collectiveName": "A group"}]}},
            (WorkAuthor(name="A J Wakefield", family="Wakefield", given="A J"), WorkAuthor(name="A group", organisation=True)),
        ),
        (
            {"authorString": "van der Berg AB, Some Consortium."},
            (WorkAuthor(name="A B van der Berg", family="van der Berg", given="A B"), WorkAuthor(name="Some Consortium")),
        ),
        ({}, ()),
    ],
)  # fmt: skip
def test_names_are_turned_the_right_way_round(given: Any, people: tuple[WorkAuthor, ...]) -> None:
    assert the(**given).authors == people


def test_an_abstract_keeps_its_headings() -> None:
    abstract = "<h4>Background</h4>We asked.<h4>Findings:</h4>p&lt;0.05 in <i>vitro</i>."

    assert the(abstractText=abstract).abstract == (
        "Background: We asked. Findings: p<0.05 in vitro."
    )
