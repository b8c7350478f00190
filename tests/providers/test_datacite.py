"""What is DataCite's own: its query language, preprints among data, creators of two kinds."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import InvalidInput
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    Paper,
    PaperId,
    PaperQuery,
    WorkAuthor,
)
from tests.providers.scholarly import DOI, Session

PREPRINT = {"types": {"resourceTypeGeneral": "Preprint", "citeproc": "article"}}


def paper(**more: Any) -> Paper:
    attributes = {"doi": DOI.value, "titles": [{"title": "A title"}], **more}
    return Session("datacite", {"data": {"attributes": attributes}}).ask("look_up_paper", DOI)


@pytest.mark.parametrize(
    ("creator", "person"),
    [
        (
            {"name": "Curie, Marie", "nameType": "Personal", "givenName": "Marie", "familyName": "Curie"},
            WorkAuthor(name="Marie Curie", given="Marie", family="Curie"),
        ),
        ({"name": "Curie, Marie"}, WorkAuthor(name="Marie Curie", given="Marie", family="Curie")),
        ({"name": "CERN", "nameType": "Organizational"}, WorkAuthor(name="CERN", organisation=True)),
        ({"name": "Marie Curie"}, WorkAuthor(name="Marie Curie")),
        (
            {"name": "Example, Inc., Group", "nameType": "Organizational"},
            WorkAuthor(name="Example, Inc., Group", organisation=True),
        ),
    ],
)  # fmt: skip
def test_creators(creator: dict[str, str], person: WorkAuthor) -> None:
    assert paper(creators=[creator]).authors == (person,)


def test_the_main_title_comes_first_whatever_the_order() -> None:
    titles = [
        {"title": "Ein Titel", "titleType": "TranslatedTitle"},
        {"title": "With an end", "titleType": "Subtitle"},
        {"title": "A title"},
    ]

    assert paper(titles=titles).title == "A title: With an end"


def test_an_arxiv_doi_is_an_arxiv_number_with_a_free_copy() -> None:
    found = paper(doi="10.48550/ARXIV.2101.00007", **PREPRINT)

    assert found.ids == {
        IdentifierScheme.DOI: "10.48550/arxiv.2101.00007",
        IdentifierScheme.ARXIV: "2101.00007",
    }
    assert found.pdf_url == "https://arxiv.org/pdf/2101.00007"
    assert found.open_access is True
    assert found.kind == "article"


@pytest.mark.parametrize(("kind", "linked"), [("Preprint", "10.50505/article"), ("Dataset", None)])
def test_only_a_preprint_is_a_version_of_an_article(kind: str, linked: str | None) -> None:
    related = {
        "relationType": "IsVersionOf",
        "relatedIdentifier": "https://doi.org/10.50505/Article",
        "relatedIdentifierType": "DOI",
    }

    found = paper(types={"resourceTypeGeneral": kind}, relatedIdentifiers=[related])

    assert found.preprint_of == linked


def test_the_date_is_one_of_the_year_of_publication() -> None:
    dates = [
        {"date": "2019-12-30", "dateType": "Submitted"},
        {"date": "2020-01-15T10:00:00Z", "dateType": "Available"},
        {"date": "2018", "dateType": "Issued"},
    ]

    assert paper(publicationYear=2020, dates=dates).published == "2020-01-15"
    assert paper(publicationYear="2021", dates=dates).published == "2021"
    assert paper(publicationYear=None, dates=dates).published == "2018"
    assert paper(publicationYear=0).published is None


@pytest.mark.parametrize("publisher", ["Zenodo", {"name": "Zenodo", "lang": "en"}])
def test_a_publisher_of_either_shape(publisher: Any) -> None:
    found = paper(publisher=publisher)

    assert (found.publisher, found.venue) == ("Zenodo", "Zenodo")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ('a "b" (c) d:e f/g -h +i', "a b c d e f g h i"),
        ("salt AND pepper OR NOT fish", "salt pepper fish"),
        ("???", "*"),
    ],
)
def test_operators_are_taken_out_of_a_query(text: str, query: str) -> None:
    session = Session("datacite", {"data": []})

    session.ask("search_papers", PaperQuery(text=text))

    assert session.params["query"] == query


def test_a_reference_without_a_title_is_searched_for_by_its_words() -> None:
    session = Session("datacite", {"data": []})

    session.ask("match_reference", BibliographicQuery(text="Author (2020). A title."))

    assert session.params["query"] == "Author 2020 . A title."


def test_a_pubmed_number_is_nothing_it_knows() -> None:
    with pytest.raises(InvalidInput):
        Session("datacite", {"data": []}).ask(
            "look_up_paper", PaperId(scheme=IdentifierScheme.PMID, value="1")
        )
