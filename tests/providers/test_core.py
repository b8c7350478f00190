"""What is CORE's own: files first, names turned round, blanks that mean nothing."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import InvalidInput
from citewell.core.values.paper import Paper, PaperQuery, WorkAuthor
from tests.providers.desk import Desk, paper_id

WORK: dict[str, Any] = {"id": 2, "title": "A title"}


def found(*works: dict[str, Any]) -> dict[str, Any]:
    return {"totalHits": len(works), "results": list(works)}


def the(**more: Any) -> Paper:
    desk = Desk("core", {"/search/works": found(WORK | more)})
    return desk.ask("search_papers", PaperQuery(text="x")).papers[0]


def test_filters_are_part_of_the_question() -> None:
    desk = Desk("core", {"/search/works": found()})

    answer = desk.ask("search_papers", PaperQuery(text="a: b", year_from=2010, full_text=True))

    assert desk.params["q"] == "(a b) AND yearPublished>=2010 AND _exists_:fullText"
    assert answer.applied == {"year", "sort"}


def test_a_key_is_a_bearer_s_and_may_be_missing() -> None:
    keyless = Desk("core", {"/search/works": found()})
    keyed = Desk("core", {"/search/works": found()}, {"CORE_API_KEY": "a-key"})

    for desk in (keyless, keyed):
        desk.ask("search_papers", PaperQuery(text="x"))

    assert keyless.sent[0].secret_headers == {}
    assert keyed.sent[0].secret_headers == {"Authorization": "Bearer a-key"}


def test_only_the_record_with_the_very_doi_counts() -> None:
    desk = Desk("core", {"/search/works": found(WORK, WORK | {"doi": "10.1000/A", "id": 3})})

    assert desk.ask("look_up_paper", paper_id("doi", "10.1000/a")).doi == "10.1000/a"
    assert desk.ask("look_up_paper", paper_id("doi", "10.1000/b")) is None
    assert desk.ask("list_open_copies", "10.1000/b") is None
    with pytest.raises(InvalidInput):
        desk.ask("look_up_paper", paper_id("pmid", "7"))


def test_core_s_own_file_comes_before_the_repository_s() -> None:
    paper = the(
        downloadUrl="https://core.ac.uk/download/1.pdf",
        links=[{"type": "download", "url": "https://core.ac.uk/download/1.pdf"}, {"type": "display", "url": "https://core.ac.uk/works/2"}],
        sourceFulltextUrls=["https://a.example/1", "nonsense"],
    )  # fmt: skip

    assert [(copy.url, copy.pdf) for copy in paper.copies] == [
        ("https://core.ac.uk/download/1.pdf", True),
        ("https://a.example/1", False),
    ]
    assert (paper.pdf_url, paper.url) == (
        "https://core.ac.uk/download/1.pdf",
        "https://core.ac.uk/works/2",
    )
    assert paper.open_access is True


def test_an_empty_address_is_no_copy() -> None:
    paper = the(downloadUrl="", sourceFulltextUrls=[], links=[])

    assert (paper.copies, paper.pdf_url, paper.open_access) == ((), None, None)
    assert paper.url == "https://core.ac.uk/works/2"


def test_names_are_turned_the_right_way_round() -> None:
    names = [{"name": "White, Andrew D."}, {"name": "Example University"}, {"name": "A, B, C"}, {"name": " "}]  # fmt: skip

    assert the(authors=names).authors == (
        WorkAuthor(name="Andrew D. White", family="White", given="Andrew D."),
        WorkAuthor(name="Example University"),
        WorkAuthor(name="A, B, C"),
    )


@pytest.mark.parametrize(
    ("year", "date", "published"),
    [
        (2023, "2023-03-27T00:00:00", "2023-03-27"),
        (2023, "2021-01-01T00:00:00", "2023"),
        (None, "2021-01-01T00:00:00", "2021-01-01"),
        (None, None, None),
    ],
)
def test_the_date_fits_the_year(year: int | None, date: str | None, published: str | None) -> None:
    assert the(yearPublished=year, publishedDate=date).published == published


def test_a_publisher_in_quotes_and_a_journal_without_a_title_are_read_past() -> None:
    paper = the(publisher="'A press'", journals=[{"title": None}, {"title": "A journal"}])

    assert (paper.publisher, paper.venue) == ("A press", "A journal")
