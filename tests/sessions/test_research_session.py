"""What a session learns about a source from one call after another."""

from __future__ import annotations

import itertools
import time

import pytest

from citewell.core.values.research_session import (
    SOURCE_STAGES,
    ResearchSession,
    SessionSource,
    SourceStage,
)
from citewell.sessions import session_rows, session_views
from citewell.sessions import session_views as source_records
from tests.requirements import requires

URL = "https://news.example.org/cells"
LISTED = SessionSource(url=URL, title="Cells age — Exam…", tool="web_search", date="2024")
READ = SessionSource(
    url=URL,
    title="Why cells age",
    author="Ada Example",
    site="Example News",
    date="2024-03-01",
    stage="read",
    basis="page",
    tool="scrape_page",
)
RECORD = SessionSource(
    url="https://doi.org/10.1000/x", title="Ageing", author="B. Author", doi="10.1000/X", basis="record"
)  # fmt: skip


def session(*sources: SessionSource) -> ResearchSession:
    return ResearchSession(id="s", started="t", sources=sources)


def learnt(*reports: SessionSource) -> tuple[SessionSource, ...]:
    made = session()
    for report in reports:
        made = source_records.add_sources(made, [report])
    return made.sources


@requires("session.best_facts")
@pytest.mark.parametrize("reports", [(LISTED, READ), (READ, LISTED), (LISTED, READ, LISTED)])
def test_what_was_read_replaces_what_the_engine_said(reports: tuple[SessionSource, ...]) -> None:
    (source,) = learnt(*reports)

    shown = (source.title, source.author, source.site, source.date)
    assert shown == ("Why cells age", "Ada Example", "Example News", "2024-03-01")
    assert source.tool == reports[0].tool


@requires("session.best_facts")
def test_a_fact_that_the_page_does_not_state_is_kept() -> None:
    (source,) = learnt(LISTED, SessionSource(url=URL, stage="read", basis="page"))

    assert (source.title, source.date) == (LISTED.title, "2024")


@requires("session.best_facts")
def test_a_page_does_not_replace_the_record_of_a_registry() -> None:
    landing = SessionSource(
        url=RECORD.url, title="Ageing | Journal", stage="read", basis="page", doi="10.1000/other"
    )

    (source,) = learnt(RECORD, landing)

    assert (source.title, source.doi, source.stage) == ("Ageing", "10.1000/X", "read")


def test_a_copy_of_a_registered_work_is_the_same_source() -> None:
    copy = SessionSource(
        url="https://repo.example.org/x.pdf", doi="10.1000/x", stage="read", basis="record"
    )

    (source,) = learnt(RECORD, copy)

    assert (source.url, source.stage) == (RECORD.url, "read")


def test_a_page_that_shares_a_doi_with_a_record_stays_a_source_of_its_own() -> None:
    page = SessionSource(url=URL, doi="10.1000/x", stage="read", basis="page")

    assert len(learnt(RECORD, page)) == 2


@requires("session.stage")
@pytest.mark.parametrize(("first", "second"), [*itertools.product(SOURCE_STAGES, repeat=2)])
def test_a_stage_never_goes_back(first: SourceStage, second: SourceStage) -> None:
    (source,) = learnt(SessionSource(url=URL, stage=first), SessionSource(url=URL, stage=second))

    assert source.stage == max(first, second, key=SOURCE_STAGES.index)


@pytest.mark.parametrize(
    "other", ["http://news.example.org/cells/", URL + "?utm_source=x", URL + "#part"]
)
def test_two_addresses_of_one_page_are_one_source(other: str) -> None:
    assert len(learnt(LISTED, SessionSource(url=other))) == 1


@pytest.mark.parametrize("url", ["", "ftp://a.example/x", "library:7", "https://", "https://a b/"])
def test_what_is_no_web_address_is_no_source(url: str) -> None:
    assert learnt(SessionSource(url=url)) == ()


@requires("session.source_limit")
def test_ten_thousand_sources_stay_bounded_and_keep_what_was_read() -> None:
    many = tuple(
        SessionSource(
            url=f"https://a.example/{n}",
            title="T" * 100,
            stage="read" if n % 100 == 0 else "listed",
        )
        for n in range(10_000)
    )
    head = session_rows.encode_session_head(session(*many))
    started = time.perf_counter()

    opened = source_records.limit_sources(session_rows.decode_session("s", head, []))
    linked = source_records.add_sources(opened, [READ])
    shown = session_views.build_recovery_view(linked)

    assert time.perf_counter() - started < 2
    assert len(linked.sources) == source_records.MAX_SESSION_SOURCES
    assert sum(source.was_read for source in linked.sources) == 101
    assert linked.dropped_sources == 9_501
    assert len(shown["sources"]) == session_views.MAX_SHOWN_SOURCES
    assert all(source["stage"] == "read" for source in shown["sources"])
    assert "100 of 500" in shown["sourceNote"]


def test_a_list_of_three_thousand_authors_is_cut_at_a_name() -> None:
    names = [f"Author Number{n}" for n in range(3000)]

    (source,) = learnt(SessionSource(url=URL, author="; ".join(names), title="T" * 100_000))

    assert source.author
    assert source.author.split("; ") == names[: source.author.count(";") + 1]
    assert len(source.author) + len(source.title) <= 8000


def test_an_encoded_source_comes_back_as_it_was() -> None:
    odd = SessionSource(url=URL, title="\ud800 \n 電池", organisation=True, stage="cited")

    data = session_rows.encode_sources([READ, odd])

    assert b"\n" not in data
    assert session_rows.decode_sources(data) == (READ, odd)
