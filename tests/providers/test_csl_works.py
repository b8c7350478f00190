"""CSL-JSON and Crossref's form of it, with the oddities of both."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.values.paper import IdentifierScheme, Paper, PaperId, WorkAuthor
from citewell.providers.dialects import csl_works


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


def doi(value: str) -> PaperId:
    return PaperId(scheme=IdentifierScheme.DOI, value=value)


def work(value: str | None, title: str = "A work") -> Paper:
    return Paper(title=title, source="crossref", ids={IdentifierScheme.DOI: value} if value else {})


IDS = [doi("10.1234/a"), doi("10.1234/b"), doi("10.1234/c")]


def test_works_stand_under_the_identifiers_they_name_whatever_their_case() -> None:
    found = csl_works.assign_papers(IDS, [work("10.1234/C"), work("10.1234/a")], is_complete=False)

    assert found == {IDS[0]: work("10.1234/a"), IDS[2]: work("10.1234/C")}


def test_what_a_whole_answer_lacks_is_absent() -> None:
    assert csl_works.assign_papers(IDS, [work("10.1234/b")], is_complete=True) == {
        IDS[0]: None,
        IDS[1]: work("10.1234/b"),
        IDS[2]: None,
    }


@pytest.mark.parametrize("stray", ["10.1234/neighbour", None])
def test_a_work_without_its_place_settles_nothing_of_the_others(stray: str | None) -> None:
    assert csl_works.assign_papers(IDS, [work("10.1234/b"), work(stray)], is_complete=True) == {
        IDS[1]: work("10.1234/b")
    }


def test_the_first_of_two_records_counts() -> None:
    found = csl_works.assign_papers(
        IDS, [work("10.1234/a", "One"), work("10.1234/a", "Two")], is_complete=True
    )

    assert found[IDS[0]] == work("10.1234/a", "One")


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("10.1038/171737a0", True),
        ("10.1016/S0140-6736(97)11096-0", True),
        ("10.48550/arxiv.1706.03762", True),
        ("10.1001/jama.251.19.2504,2509", False),
        ("10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o", False),
        ("10.1234/a|b", False),
        ("10.1234/a b", False),
        ("10.1234/ü", False),
        ("11.1234/a", False),
    ],
)
def test_only_a_doi_without_anybodys_syntax_can_be_listed(value: str, *, plain: bool) -> None:
    assert csl_works.keep_plain_dois([doi(value)]) == ([doi(value)] if plain else [])


def test_other_identifiers_are_no_dois() -> None:
    assert csl_works.keep_plain_dois([PaperId(scheme=IdentifierScheme.PMID, value="1")]) == []
