"""What is OpenAlex's own: abstracts turned inside out, merged works, its graph, its key."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import InvalidInput, MalformedResponse, RateLimited
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    NoticeKind,
    Paper,
    PaperId,
    PaperQuery,
)
from tests.contract.recordings import KEY
from tests.providers.asking import Reply
from tests.providers.scholarly import DOI, Session

WORK = {
    "id": "https://openalex.org/W2100000001",
    "doi": f"https://doi.org/{DOI.value}",
    "title": "A title",
}


def paper(**more: Any) -> Paper:
    return Session("openalex", WORK | more).ask("look_up_paper", DOI)


@pytest.mark.parametrize(
    ("index", "text"),
    [
        ({"b": [1], "a": [0, 2]}, "a b a"),
        ({"a": [0], "b": [7], "c": [3]}, "a c b"),
        ({"a": [0], "b": None, "c": "x", "d": [None, "1", True, -1, 2.5], "e": [1]}, "a e"),
        ({"a": [10**40], "b": [0]}, "b a"),
        ({"<jats:p>Abstract": [0], "The": [1], "rest</jats:p>": [2]}, "The rest"),
        ({}, None),
        (None, None),
        ([], None),
        ("text", None),
    ],
)
def test_an_abstract_is_put_in_order(index: Any, text: str | None) -> None:
    assert paper(abstract_inverted_index=index).abstract == text


@pytest.mark.parametrize(
    ("date", "published"),
    [
        ("2018-02-13", "2018-02-13"),
        ("2018-02-01", "2018-02"),
        ("2018-01-01", "2018"),
        ("soon", "2018"),
        (None, "2018"),
    ],
)
def test_a_date_is_as_exact_as_is_known(date: str | None, published: str) -> None:
    found = paper(publication_date=date, publication_year=2018)

    assert (found.published, found.year) == (published, 2018)


@pytest.mark.parametrize(
    ("fields", "source", "kind"),
    [
        ({"type": "article"}, "journal", "article-journal"),
        ({"type": "article"}, "conference", "paper-conference"),
        ({"type": "article"}, "repository", "article"),
        ({"type": "preprint"}, "repository", "article"),
        (
            {"type": "article", "type_crossref": "proceedings-article"},
            "journal",
            "paper-conference",
        ),
        ({"type": "dissertation"}, None, "thesis"),
        ({"type": "paratext"}, None, None),
        ({}, None, None),
    ],
)
def test_kinds(fields: dict[str, str], source: str | None, kind: str | None) -> None:
    assert paper(**fields, primary_location={"source": {"type": source}}).kind == kind


def test_a_work_of_many_numbers() -> None:
    ids = {
        "pmid": "https://pubmed.ncbi.nlm.nih.gov/25349395",
        "pmcid": "https://www.ncbi.nlm.nih.gov/pmc/articles/4234579",
    }
    found = paper(ids=ids, locations=[{"landing_page_url": "http://arxiv.org/abs/2007.14454v2"}])

    assert found.ids == {
        IdentifierScheme.DOI: DOI.value,
        IdentifierScheme.OPENALEX: "W2100000001",
        IdentifierScheme.PMID: "25349395",
        IdentifierScheme.PMCID: "PMC4234579",
        IdentifierScheme.ARXIV: "2007.14454",
    }


def test_an_author_without_a_record_keeps_the_printed_name() -> None:
    found = paper(authorships=[{"author": {"display_name": None}, "raw_author_name": "A. Author"}])

    assert [person.name for person in found.authors] == ["A. Author"]


def test_the_article_into_which_a_preprint_was_merged_is_another_work() -> None:
    merged = WORK | {"doi": "https://doi.org/10.50505/article"}
    session = Session("openalex", merged | {"is_retracted": True})

    assert session.ask("look_up_paper", DOI) is None
    assert session.ask("list_notices", DOI) is None


def test_a_retraction_is_an_event() -> None:
    session = Session("openalex", WORK | {"is_retracted": True})

    (event,) = session.ask("list_notices", DOI)

    assert (event.kind, event.source) == (NoticeKind.RETRACTION, "openalex")


def test_an_answer_that_does_not_say_is_not_a_clean_record() -> None:
    with pytest.raises(MalformedResponse):
        Session("openalex", WORK).ask("list_notices", DOI)


def test_references_are_asked_for_in_batches_and_the_most_cited_come_first() -> None:
    numbers = [f"https://openalex.org/W{2200000000 + place}" for place in range(120)]
    works = [WORK | {"doi": None, "cited_by_count": count} for count in (1, 9, 4)]
    session = Session("openalex", WORK | {"referenced_works": numbers}, {"results": works})

    found = session.ask("list_cited_papers", DOI, count=4)

    sizes = [dict(request.params)["filter"].count("|") + 1 for request in session.sent[1:]]
    assert sizes == [50, 50, 20]
    assert [paper.citation_count for paper in found] == [9, 9, 9, 4]


def test_a_work_that_cites_nothing_asks_nothing_more() -> None:
    session = Session("openalex", WORK | {"referenced_works": []})

    assert session.ask("list_cited_papers", DOI, count=4) == ()
    assert len(session.sent) == 1


@pytest.mark.parametrize("text", ["???", '""', "(*)"])
def test_a_query_of_operators_finds_nothing_and_asks_nobody(text: str) -> None:
    session = Session("openalex", {"results": []})

    assert session.ask("search_papers", PaperQuery(text=text)).papers == ()
    assert session.ask("match_reference", BibliographicQuery(title=text)) == ()
    assert session.sent == []


def test_a_title_cannot_add_filters() -> None:
    session = Session("openalex", {"results": []})

    session.ask(
        "match_reference", BibliographicQuery(title="Cats, dogs|mice: is_oa:true!", count=1)
    )

    assert session.params["filter"] == "title.search:Cats dogs mice is_oa true"


@pytest.mark.parametrize(
    ("scheme", "value", "path"),
    [
        (IdentifierScheme.PMID, "123", "pmid:123"),
        (IdentifierScheme.PMCID, "PMC123", "pmcid:PMC123"),
        (IdentifierScheme.OPENALEX, "W1", "W1"),
        (IdentifierScheme.ARXIV, "hep-th/9901001", "doi:10.48550%2Farxiv.hep-th%2F9901001"),
        (IdentifierScheme.DOI, "10.1/a/../b", "doi:10.1%2Fa%2F..%2Fb"),
    ],
)
def test_works_are_asked_for_by_number(scheme: IdentifierScheme, value: str, path: str) -> None:
    session = Session("openalex", Reply(body="", status=404))

    assert session.ask("look_up_paper", PaperId(scheme=scheme, value=value)) is None
    assert session.sent[0].url == f"https://api.openalex.org/works/{path}"


def test_a_book_number_is_nothing_it_knows() -> None:
    with pytest.raises(InvalidInput):
        Session("openalex", WORK).ask(
            "look_up_paper", PaperId(scheme=IdentifierScheme.ISBN, value="9783476057914")
        )


def test_the_key_goes_along_and_stays_out_of_errors() -> None:
    session = Session(
        "openalex", Reply(body=f"bad {KEY}", status=403), options={"OPENALEX_API_KEY": KEY}
    )

    with pytest.raises(RateLimited) as caught:
        session.ask("look_up_paper", DOI)

    assert session.params["api_key"] == KEY
    assert KEY not in f"{caught.value!r} {caught.value.build_error_block()} {session.sent[0]!r}"


@pytest.mark.parametrize(
    ("places", "preprint"),
    [
        (["https://doi.org/10.1101/2020.01.01.123456"], "10.1101/2020.01.01.123456"),
        (["http://arxiv.org/abs/1602.03837"], "10.48550/arxiv.1602.03837"),
        (["https://doi.org/10.1101/gr.123456.111", "https://doi.org/10.5281/zenodo.1"], None),
        (["https://example.org/10.1101/2020.01.01.123456", None], None),
    ],
)
def test_an_article_names_its_preprint(places: list[Any], preprint: str | None) -> None:
    locations = [{"landing_page_url": place} for place in places]

    assert paper(locations=locations).preprint_doi == preprint
