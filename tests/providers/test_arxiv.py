"""What is arXiv's own: errors among the entries, withdrawals in comments, a thrifty search."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import (
    InvalidInput,
    MalformedResponse,
    RejectedRequest,
    UpstreamUnavailable,
)
from citewell.core.values.paper import BibliographicQuery, NoticeKind, Paper, PaperQuery
from tests.providers.desk import Desk, Reply, paper_id


def entry(number: str = "2304.05376v2", *, title: str = "A title", more: str = "") -> str:
    return (
        f"<entry><id>http://arxiv.org/abs/{number}</id><title>{title}</title>"
        "<updated>2024-05-06T07:08:09Z</updated><published>2023-04-11T17:41:13Z</published>"
        f"<author><name>An Author</name></author>{more}</entry>"
    )


def feed(*entries: str) -> str:
    return (
        '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"'
        ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><opensearch:totalResults>'
        f"{len(entries)}</opensearch:totalResults>{''.join(entries)}</feed>"
    )


def error(what: str) -> str:
    return (
        f"<entry><id>https://arxiv.org/api/errors#{what}</id><title>Error</title>"
        f"<summary>{what}</summary><author><name>arXiv api core</name></author></entry>"
    )


def the(found: str, number: str = "2304.05376") -> Paper:
    return Desk("arxiv", {"/query": feed(found)}).ask("look_up_paper", paper_id("arxiv", number))


def test_a_paper_is_known_without_its_version_and_linked_with_it() -> None:
    link = '<link title="pdf" href="https://arxiv.org/pdf/2304.05376v2" rel="related"/>'

    paper = the(entry(more=link))

    assert paper.ids == {"arxiv": "2304.05376"}
    assert (paper.url, paper.pdf_url) == (
        "https://arxiv.org/abs/2304.05376",
        "https://arxiv.org/pdf/2304.05376v2",
    )
    assert (paper.year, paper.published, paper.venue) == (2023, "2023-04-11", "arXiv")


def test_the_journal_and_its_doi_are_those_of_the_article_it_became() -> None:
    more = (
        "<arxiv:journal_ref>J. Ex. 1 (2024) 2</arxiv:journal_ref><arxiv:doi>10.1000/A</arxiv:doi>"
    )

    paper = the(entry(more=more))

    assert (paper.venue, paper.preprint_of, paper.doi) == ("J. Ex. 1 (2024) 2", "10.1000/a", None)


def test_a_paper_called_0_has_no_title_in_the_feed() -> None:
    whole = entry().replace("<title>A title</title>", "")

    assert the(whole).title == "0"


def test_an_old_number_may_name_its_subject() -> None:
    assert the(entry("math/0309136v1"), "math.GT/0309136").ids == {"arxiv": "math/0309136"}


@pytest.mark.parametrize(
    "reply",
    [
        feed(),
        feed(entry("9999.00001v1")),
        Reply(body=feed(error("incorrect_id_format_for_abc")), status=400),
        feed(error("incorrect_id_format_for_abc")),
    ],
)
def test_a_number_that_no_paper_has_is_absent(reply: Any) -> None:
    assert (
        Desk("arxiv", {"/query": reply}).ask("look_up_paper", paper_id("arxiv", "2304.05376"))
        is None
    )


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (Reply(body=feed(error("internal_error")), status=400), RejectedRequest),
        (Reply(body="Rate exceeded.", status=400), RejectedRequest),
        (feed(error("internal_error")), UpstreamUnavailable),
        (feed("<entry><id>http://arxiv.org/abs/2304.05376v1</id></entry>"), MalformedResponse),
        ("<rss/>", MalformedResponse),
        ("Rate exceeded.", MalformedResponse),
    ],
)
def test_an_error_is_no_absence(reply: Any, wanted: type[Exception]) -> None:
    with pytest.raises(wanted):
        Desk("arxiv", {"/query": reply}).ask("look_up_paper", paper_id("arxiv", "2304.05376"))


def test_an_error_entry_is_not_a_result() -> None:
    with pytest.raises(UpstreamUnavailable):
        Desk("arxiv", {"/query": feed(error("max_results"))}).ask(
            "search_papers", PaperQuery(text="x y")
        )


def test_only_its_own_numbers_are_asked_for() -> None:
    with pytest.raises(InvalidInput):
        Desk("arxiv", {}).ask("look_up_paper", paper_id("doi", "10.48550/arxiv.2304.05376"))


@pytest.mark.parametrize(
    ("comment", "withdrawn"),
    [
        ("This paper has been withdrawn by the author due to a crucial error", True),
        ("Withdrawn", True),
        ("12 pages. This submission has been withdrawn by arXiv administrators", True),
        ("12 pages, withdrawn because of a bug", True),
        ("We have withdrawn this article", True),
        ("A corrected version of the withdrawn arXiv:1234.5678", False),
        ("Previous version withdrawn due to an error", False),
        ("On drugs that were withdrawn from the market", False),
        ("32 pages", False),
    ],
)
def test_a_withdrawal_is_told_in_the_comment(comment: str, *, withdrawn: bool) -> None:
    events = the(entry(more=f"<arxiv:comment>{comment}</arxiv:comment>")).events

    assert [(event.kind, event.label, event.date) for event in events] == (
        [(NoticeKind.RETRACTION, "withdrawal", "2024-05-06")] if withdrawn else []
    )


@pytest.mark.parametrize(
    ("summary", "withdrawn"),
    [
        ("This paper has been withdrawn.", True),
        ("Patients were withdrawn due to side effects of the work. The drug was withdrawn.", False),
    ],
)
def test_a_withdrawal_may_stand_in_place_of_the_abstract(summary: str, *, withdrawn: bool) -> None:
    assert bool(the(entry(more=f"<summary>{summary}</summary>")).events) is withdrawn


def test_years_and_order_are_part_of_the_question() -> None:
    desk = Desk("arxiv", {"/query": feed(entry())})
    query = PaperQuery(text="the theory of knots", year_from=2001, sort="date", source="arxiv")

    found = desk.ask("search_papers", query)

    assert desk.params["search_query"] == (
        "all:theory AND all:knots AND submittedDate:[200101010000 TO 299912312359]"
    )
    assert desk.params["sortBy"] == "submittedDate"
    assert found.applied == {"year", "sort", "source"}


def test_where_not_all_words_are_found_some_will_do() -> None:
    desk = Desk("arxiv", {"/query": [feed(), feed(entry())]})

    found = desk.ask("search_papers", PaperQuery(text="braids knots links"))

    assert desk.params["search_query"] == "(all:braids OR all:knots OR all:links)"
    assert len(found.papers) == 1


def test_a_reference_is_matched_by_its_title_and_then_by_its_author() -> None:
    desk = Desk("arxiv", {"/query": [feed(), feed(entry())]})

    found = desk.ask(
        "match_reference", BibliographicQuery(title='On "knots": a survey', author="O'Example")
    )

    assert [dict(request.params)["search_query"] for request in desk.sent] == [
        "ti:knots AND ti:survey",
        'au:"O Example" AND (ti:knots OR ti:survey)',
    ]
    assert len(found) == 1


def test_a_question_without_words_is_not_asked() -> None:
    desk = Desk("arxiv", {})

    assert desk.ask("search_papers", PaperQuery(text="???")).papers == ()
    assert desk.ask("match_reference", BibliographicQuery()) == ()
    assert desk.sent == []
