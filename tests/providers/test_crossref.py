"""What is Crossref's own: notices, trial records, preprints, two ways to match."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import InvalidInput
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    IntegrityNotice,
    NoticeKind,
    PaperId,
    PaperQuery,
)
from tests.providers.asking import Reply
from tests.providers.scholarly import DOI, Session


def one(**work: Any) -> dict[str, Any]:
    message = {"DOI": DOI.value, "title": ["A title"], **work}
    return {"status": "ok", "message-type": "work", "message": message}


def many(*works: dict[str, Any]) -> dict[str, Any]:
    return {
        "status": "ok",
        "message-type": "work-list",
        "message": {"total-results": len(works), "items": list(works)},
    }


def events(*updates: Any) -> tuple[IntegrityNotice, ...]:
    return tuple(Session("crossref", one(**{"updated-by": list(updates)})).ask("list_notices", DOI))


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("retraction", NoticeKind.RETRACTION),
        ("Retraction", NoticeKind.RETRACTION),
        ("partial_retraction", NoticeKind.RETRACTION),
        ("withdrawal", NoticeKind.RETRACTION),
        ("removal", NoticeKind.RETRACTION),
        ("expression_of_concern", NoticeKind.CONCERN),
        ("expression-of-concern", NoticeKind.CONCERN),
        ("Expression of Concern", NoticeKind.CONCERN),
        ("correction", NoticeKind.CORRECTION),
        ("corrigendum", NoticeKind.CORRECTION),
        ("erratum", NoticeKind.CORRECTION),
        ("addendum", NoticeKind.CORRECTION),
        ("clarification", NoticeKind.CORRECTION),
        ("reinstatement", NoticeKind.REINSTATEMENT),
    ],
)
def test_a_notice_by_its_word(word: str, kind: NoticeKind) -> None:
    (event,) = events({"type": word})

    assert (event.kind, event.source) == (kind, "publisher")


@pytest.mark.parametrize("word", ["new_version", "new_edition", "", None, 7])
def test_a_new_edition_is_no_notice(word: Any) -> None:
    assert events({"type": word}) == ()


def test_every_notice_is_kept_with_who_said_it_and_when() -> None:
    found = events(
        {"type": "erratum", "DOI": "10.50505/N.1", "updated": {"date-parts": [[2004, 3]]}},
        {"label": "Retraction", "source": "retraction-watch", "updated": {"date-time": "2010-02-06T00:00:00Z"}},
    )  # fmt: skip

    assert found == (
        IntegrityNotice(
            kind=NoticeKind.CORRECTION,
            source="publisher",
            label="erratum",
            date="2004-03",
            notice_doi="10.50505/n.1",
        ),
        IntegrityNotice(
            kind=NoticeKind.RETRACTION,
            source="retraction-watch",
            label="retraction",
            date="2010-02-06",
        ),
    )


def test_a_notice_that_updates_another_work_has_none_itself() -> None:
    record = one(**{"update-to": [{"type": "retraction", "DOI": "10.50505/other"}]})

    assert Session("crossref", record).ask("list_notices", DOI) == ()


@pytest.mark.parametrize("kind", ["application/json", "text/plain"])
def test_a_404_of_bare_text_is_an_absence(kind: str) -> None:
    session = Session("crossref", Reply(body="Resource not found.", status=404))

    assert session.ask("look_up_paper", DOI) is None
    assert session.ask("list_notices", DOI) is None


def test_trial_records_and_untitled_ones_are_no_results() -> None:
    found = Session(
        "crossref",
        many(
            {"DOI": "10.5555/12345678", "title": ["Toward a Unified Theory"]},
            {"DOI": "10.50505/untitled", "title": []},
            {"DOI": "10.50505/example.1", "title": ["A title"]},
        ),
    ).ask("search_papers", PaperQuery(text="x"))

    assert [paper.doi for paper in found.papers] == ["10.50505/example.1"]


def test_an_untitled_work_that_was_asked_for_exists_all_the_same() -> None:
    paper = Session("crossref", one(title=[], type="component")).ask("look_up_paper", DOI)

    assert (paper.title, paper.doi, paper.kind) == ("", DOI.value, "document")


def test_a_preprint_names_its_article() -> None:
    relation = {"is-preprint-of": [{"id-type": "doi", "id": "10.50505/ARTICLE"}]}

    paper = Session("crossref", one(type="posted-content", relation=relation)).ask(
        "look_up_paper", DOI
    )

    assert (paper.kind, paper.preprint_of) == ("article", "10.50505/article")


def test_a_creative_commons_licence_makes_it_open_and_no_other_settles_it() -> None:
    free = one(license=[{"URL": "http://creativecommons.org/licenses/by/4.0/"}])
    other = one(license=[{"URL": "https://www.example.org/tdm"}])

    assert Session("crossref", free).ask("look_up_paper", DOI).open_access is True
    assert Session("crossref", other).ask("look_up_paper", DOI).open_access is None


def test_only_a_link_to_a_pdf_is_one() -> None:
    links = [
        {"URL": "https://a.example/full", "content-type": "unspecified"},
        {"URL": "https://a.example/x.pdf", "content-type": "application/pdf"},
    ]

    assert (
        Session("crossref", one(link=links)).ask("look_up_paper", DOI).pdf_url
        == "https://a.example/x.pdf"
    )


def test_a_whole_reference_is_matched_as_it_stands() -> None:
    session = Session("crossref", many())

    session.ask("match_reference", BibliographicQuery(text="Author, A. (2020). A title.", count=2))

    assert session.params == {"query.bibliographic": "Author, A. (2020). A title.", "rows": "2"}


def test_it_does_not_sort_by_date_and_says_so() -> None:
    session = Session("crossref", many())

    found = session.ask("search_papers", PaperQuery(text="x", sort="date", source="arxiv"))

    assert "sort" not in session.params
    assert found.applied == frozenset()


def test_a_doi_is_written_into_the_path_whole() -> None:
    session = Session("crossref", Reply(body="", status=404))

    session.ask(
        "look_up_paper", PaperId(scheme=IdentifierScheme.DOI, value="10.1002/(sici)1#a?b<c>/../x")
    )

    assert session.sent[0].url == (
        "https://api.crossref.org/works/10.1002%2F%28sici%291%23a%3Fb%3Cc%3E%2F..%2Fx"
    )


def test_other_numbers_are_not_its_business() -> None:
    with pytest.raises(InvalidInput):
        Session("crossref", one()).ask(
            "look_up_paper", PaperId(scheme=IdentifierScheme.PMID, value="1")
        )


def test_angle_brackets_of_an_old_doi_are_no_markup() -> None:
    old = "10.50505/(sici)1521-3951(199911)216:1<r1::aid-pssb99991>3.0.co;2-1"
    asked = PaperId(scheme=IdentifierScheme.DOI, value=old)

    assert Session("crossref", one(DOI=old.upper())).ask("look_up_paper", asked).doi == old


@pytest.mark.parametrize(
    ("relation", "published", "preprint"),
    [
        ({"is-preprint-of": [{"id": "10.50505/ARTICLE", "id-type": "doi"}]}, "10.50505/article", None),
        ({"has-preprint": [{"id": "10.1101/2020.01.01.1", "id-type": "doi"}]}, None, "10.1101/2020.01.01.1"),
        ({"has-preprint": [{"id": None}, "odd"]}, None, None),
        ({"has-preprint": "odd"}, None, None),
    ],
)  # fmt: skip
def test_a_preprint_and_its_article_name_each_other(
    relation: Any, published: str | None, preprint: str | None
) -> None:
    found = Session("crossref", one(relation=relation)).ask("look_up_paper", DOI)

    assert (found.preprint_of, found.preprint_doi) == (published, preprint)


ISBN = PaperId(scheme=IdentifierScheme.ISBN, value="9780262033848")


def works(*items: dict[str, Any]) -> dict[str, Any]:
    return {
        "status": "ok",
        "message-type": "work-list",
        "message": {"total-results": len(items), "items": list(items)},
    }


def test_a_chapter_is_not_taken_for_the_book_with_its_isbn() -> None:
    chapter = {
        "DOI": "10.50505/book.ch1",
        "type": "book-chapter",
        "title": ["One"],
        "ISBN": [ISBN.value],
    }
    book = {
        "DOI": "10.50505/book",
        "type": "monograph",
        "title": ["Algorithms"],
        "ISBN": ["0-262-03384-4"],
    }
    session = Session("crossref", works(chapter, book))

    found = session.ask("look_up_paper", ISBN)

    assert session.params["filter"] == f"isbn:{ISBN.value}"
    assert (found.title, found.doi, found.ids[IdentifierScheme.ISBN]) == ("Algorithms", "10.50505/book", ISBN.value)  # fmt: skip


def test_a_book_is_known_by_its_chapters_alone() -> None:
    chapter = {
        "DOI": "10.50505/book.ch1",
        "type": "book-chapter",
        "title": ["One"],
        "author": [{"family": "Other", "given": "An"}],
        "container-title": ["A Series", "A Book of Chapters"],
        "ISBN": [f"http://id.crossref.org/isbn/{ISBN.value}"],
        "issued": {"date-parts": [[2009]]},
    }

    found = Session("crossref", works(chapter)).ask("look_up_paper", ISBN)

    assert (found.title, found.kind, found.authors, found.doi) == ("A Book of Chapters", "book", (), None)  # fmt: skip


def test_an_isbn_that_crossref_does_not_have_is_absent() -> None:
    assert Session("crossref", works()).ask("look_up_paper", ISBN) is None
