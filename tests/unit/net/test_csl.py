"""CSL-JSON and Crossref's form of it, with the oddities of both."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.dialects import csl_works
from citewell.model.paper import IdentifierScheme, Paper, WorkAuthor


def read(**record: Any) -> Paper:
    return csl_works.build_csl_paper(csl_works.CslWork.model_validate(record), source="test")


@pytest.mark.parametrize(
    ("parts", "date"),
    [
        ([[2017, 5, 3]], "2017-05-03"),
        ([[2017, 5]], "2017-05"),
        ([[2017]], "2017"),
        ([["2017", "5"]], "2017-05"),
        ([["2017", "05", "03"]], "2017-05-03"),
        ([[2017, None, None]], "2017"),
        ([[2017, 13, 1]], "2017"),
        ([[2017, 2, 31]], "2017-02"),
        ([[2017, 0, 0]], "2017"),
        ([[2017, 21]], "2017"),
        ([[2020, 1, 1], [2020, 2, 1]], "2020-01-01"),
        ([[None]], None),
        ([[0]], None),
        ([[True]], None),
        ([[]], None),
        ([], None),
        ([["in press"]], None),
        ([[10**40]], None),
        ("2017", None),
        (None, None),
    ],
)
def test_date_parts(parts: Any, date: str | None) -> None:
    paper = read(title="x", issued={"date-parts": parts})

    assert (paper.published, paper.year) == (date, int(date[:4]) if date else None)


def test_a_date_in_words_serves_where_there_are_no_parts() -> None:
    assert read(title="x", issued={"raw": "2014-07-02"}).published == "2014-07-02"


def test_the_first_date_that_is_one_counts() -> None:
    unknown = {"date-parts": [[None]]}

    paper = read(title="x", published=unknown, issued=unknown, posted={"date-parts": [[2020, 5]]})

    assert paper.published == "2020-05"


@pytest.mark.parametrize(
    ("name", "person"),
    [
        ({"given": "A. B.", "family": "Curie"}, WorkAuthor(name="A. B. Curie", given="A. B.", family="Curie")),
        ({"name": "Example Group"}, WorkAuthor(name="Example Group", organisation=True)),
        ({"literal": "Example Group"}, WorkAuthor(name="Example Group", organisation=True)),
        ({"family": "夏目", "given": "漱石"}, WorkAuthor(name="漱石 夏目", given="漱石", family="夏目")),
        ({"family": "Plato"}, WorkAuthor(name="Plato", family="Plato")),
        ({"given": "Plato"}, WorkAuthor(name="Plato")),
        (
            {"given": "Ludwig", "family": "Beethoven", "non-dropping-particle": "van"},
            WorkAuthor(name="Ludwig van Beethoven", given="Ludwig", family="van Beethoven"),
        ),
        (
            {"given": "Donald", "family": "Hora", "suffix": "Jr."},
            WorkAuthor(name="Donald Hora Jr.", given="Donald", family="Hora", suffix="Jr."),
        ),
        ({"given": "J&ouml;rg", "family": "<b>M</b>"}, WorkAuthor(name="Jörg M", given="Jörg", family="M")),
    ],
)  # fmt: skip
def test_names(name: dict[str, str], person: WorkAuthor) -> None:
    assert read(title="x", author=[name]).authors == (person,)


@pytest.mark.parametrize("nobody", [{}, {"given": " "}, {"name": ""}, {"family": None}])
def test_a_name_that_says_nothing_is_nobody(nobody: dict[str, Any]) -> None:
    assert read(title="x", author=[nobody]).authors == ()


def test_editors_stand_in_for_missing_authors() -> None:
    paper = read(title="x", type="edited-book", editor=[{"given": "E.", "family": "Editor"}])

    assert [person.name for person in paper.authors] == ["E. Editor"]


@pytest.mark.parametrize(
    ("title", "subtitle", "whole"),
    [
        (["Learning"], ["Data Mining"], "Learning: Data Mining"),
        (["Learning: Data Mining"], ["Data mining"], "Learning: Data Mining"),
        (["Why learn?"], ["An answer"], "Why learn? An answer"),
        ("Learning.", [], "Learning"),
        (["", "Second"], [], "Second"),
        ([], [], ""),
    ],
)
def test_titles(title: Any, subtitle: list[str], whole: str) -> None:
    assert read(title=title, subtitle=subtitle).title == whole


def test_a_chapter_stands_in_its_book_and_not_in_the_series() -> None:
    paper = read(title="x", type="book-chapter", **{"container-title": ["The Series", "The Book"]})

    assert (paper.kind, paper.venue) == ("chapter", "The Book")


def test_a_preprint_stands_on_its_server() -> None:
    paper = read(title="x", type="posted-content", institution=[{"name": "exampleRxiv"}])

    assert (paper.kind, paper.venue) == ("article", "exampleRxiv")


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("journal-article", "article-journal"),
        ("article-journal", "article-journal"),
        ("dissertation", "thesis"),
        ("dataset", "dataset"),
        ("motion_picture", "motion_picture"),
        ("<b>x", "x"),
        ("two words", None),
        ("", None),
        (None, None),
    ],
)
def test_kinds(word: str | None, kind: str | None) -> None:
    assert csl_works.choose_csl_kind(word) == kind


def test_an_isbn_belongs_to_a_book_only() -> None:
    isbn = ["http://id.crossref.org/isbn/978-3-476-05791-4"]

    assert read(title="x", type="book", ISBN=isbn).ids == {IdentifierScheme.ISBN: "9783476057914"}
    assert read(title="x", type="book-chapter", ISBN=isbn).ids == {}


def test_an_article_number_serves_for_pages() -> None:
    assert read(title="x", **{"article-number": "e124"}).pages == "e124"


@pytest.mark.parametrize(
    ("doi", "path"),
    [
        ("10.1000/182", "10.1000%2F182"),
        ("10.1/../../x", "10.1%2F..%2F..%2Fx"),
        ("10.1/a<b>#c?d%e", "10.1%2Fa%3Cb%3E%23c%3Fd%25e"),
        ("10.1/é\ud800", "10.1%2F%C3%A9%3F"),
    ],
)
def test_a_doi_is_one_part_of_a_path(doi: str, path: str) -> None:
    assert csl_works.encode_doi_segment(doi) == path
    assert "<" not in csl_works.build_doi_url(doi)
