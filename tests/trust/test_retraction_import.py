"""The Retraction Watch file is read as it is: damaged bytes, made-up DOIs, broken rows and all."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.core.errors import InvalidInput
from citewell.core.values.paper import NoticeKind
from citewell.trust.retraction_import import (
    ImportTally,
    convert_table_date,
    parse_paper_doi,
    read_retraction_entries,
)
from citewell.trust.retraction_table import RetractionEntry
from tests import retractions as file

TODAY = date(2026, 11, 15)


def read(content: bytes) -> tuple[list[RetractionEntry], ImportTally]:
    tally = ImportTally()
    return list(
        read_retraction_entries(content.splitlines(keepends=True), tally, today=TODAY)
    ), tally


def test_every_oddity_of_the_real_file_is_read() -> None:
    found, tally = read(file.sample())

    assert [(entry.record_id, entry.doi, entry.kind.value) for entry in found] == [
        ("10", file.RETRACTED, "retraction"),
        ("11", file.REINSTATED, "retraction"),
        ("12", file.REINSTATED, "reinstatement"),
        ("13", file.DOUBTED, "expression_of_concern"),
        ("14", file.CORRECTED, "correction"),
        ("15", "", "retraction"),
        ("17", "10.5555/two", "retraction"),
        ("18", "10.5555/later", "retraction"),
        ("19", "10.5555/latin", "retraction"),
    ]
    assert (tally.rows, tally.without_identifier, tally.malformed, tally.broken_line) == (
        9,
        1,
        0,
        None,
    )


def test_reasons_lose_their_marks_and_the_empty_last_one() -> None:
    (first, *_), _ = read(file.sample())

    assert first.reasons == ("Falsification/Fabrication of Data", "Misconduct")
    assert (first.notice_date, first.notice_doi) == ("2024-01-15", "10.5555/notice")


def test_a_made_up_notice_doi_is_no_notice_doi() -> None:
    found, _ = read(file.sample())

    assert {
        entry.record_id: entry.notice_doi for entry in found if entry.record_id in {"13", "15"}
    } == {
        "13": "",
        "15": "",
    }


def test_a_work_without_a_doi_is_known_by_its_pubmed_number() -> None:
    found, _ = read(file.sample())

    assert [entry.record_id for entry in found if entry.pmid == file.BY_NUMBER] == ["15"]


def test_a_date_in_the_future_does_not_make_the_table_look_new() -> None:
    assert read(file.sample())[1].newest_date == "2024-01-15"


@pytest.mark.parametrize(
    "cell",
    [
        "10.1000/abcconcern",
        "10.1000/ABC concern",
        "10.1000/abc.concern",
        "10.1000/abc-Expression of Concern",
        "https://doi.org/10.1000/abc",
        " 10.1000/abc ",
        "doi:10.1000/ABC",
    ],
)
def test_one_paper_has_one_doi_however_the_file_writes_it(cell: str) -> None:
    assert parse_paper_doi(cell) == "10.1000/abc"


@pytest.mark.parametrize("cell", ["", "0", "unavailable", "Unavailable", "none", "10.1000", "n/a"])
def test_what_is_no_doi_is_none(cell: str) -> None:
    assert parse_paper_doi(cell) == ""


@pytest.mark.parametrize(
    ("cell", "day"),
    [
        ("1/15/2024 0:00", "2024-01-15"),
        ("12/31/1999", "1999-12-31"),
        ("2024-02-29T00:00:00", "2024-02-29"),
        ("2/30/2024 0:00", ""),
        ("15/1/2024 0:00", ""),
        ("soon", ""),
        ("", ""),
    ],
)
def test_dates_are_month_first_and_what_is_none_is_left_out(cell: str, day: str) -> None:
    assert convert_table_date(cell) == day


def test_malformed_rows_are_counted_and_named_by_line() -> None:
    rows = [
        file.row(1),
        file.row("x1"),
        file.row(2, nature="Withdrawal by Ghost"),
        file.row(3, nature=""),
        '4,"open" quote,b,c\r\n',
        file.row(5, title="two\nlines"),
        file.row("six"),
    ]

    found, tally = read(file.document(rows))

    assert [entry.record_id for entry in found] == ["1", "5"]
    assert [(fault.line, fault.reason) for fault in tally.faults] == [
        (3, "the record number is missing"),
        (4, "unknown nature 'Withdrawal by Ghost'"),
        (5, "no nature"),
        (6, "the quotes of the row do not match"),
        (9, "the record number is missing"),
    ]


def test_only_the_first_faults_are_named() -> None:
    _, tally = read(file.document([file.row("x")] * 50 + [file.row(1)]))

    assert (tally.malformed, len(tally.faults)) == (50, 10)


@pytest.mark.parametrize(
    "content", [b"", b"<!DOCTYPE html>\n<title>Sign in</title>", b"a,b,c\n1,2,3\n"]
)
def test_another_file_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidInput, match="not the Retraction Watch file"):
        read(content)


@pytest.mark.parametrize("cut", [20, 80, 150])
def test_a_file_that_was_cut_shows_it(cut: int) -> None:
    whole = file.document([file.row(1), file.row(2, title='with "quotes", and commas')])

    assert read(whole[:-cut])[1].broken_line == 3


def test_a_file_without_the_trailing_column_is_whole() -> None:
    text = file.document([file.row(1)]).decode().replace(",\r\n", "\r\n")

    found, tally = read(text.encode())

    assert (len(found), tally.broken_line) == (1, None)


def test_blank_lines_are_nothing() -> None:
    found, tally = read(file.document([file.row(1), "\r\n", "," * 20 + "\r\n"]))

    assert (len(found), tally.malformed, tally.broken_line) == (1, 0, None)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400), st.integers(0, 400))
def test_no_bytes_make_it_fail(noise: bytes, at: int) -> None:
    whole = file.document([file.row(1), file.row(2, file.DOUBTED, "Correction")])
    start = len(file.HEADING) + 2

    found, tally = read(whole[: start + at] + noise + whole[start + at :])

    assert all(entry.kind in NoticeKind and (entry.doi or entry.pmid) for entry in found)
    assert tally.rows == len(found)
