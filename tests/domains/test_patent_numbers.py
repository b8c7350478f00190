from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.domains.patents.patent_numbers import (
    PATENT_OFFICES,
    format_docdb_number,
    list_kind_candidates,
    parse_patent_number,
    require_patent_number,
)
from tests.domains.number_forms import DOCDB, FILINGS, NO_NUMBERS, PLAIN, WRITTEN

NUMBERS = {text: number for text, number in WRITTEN.items() if number}


def test_there_are_at_least_120_numbers_of_all_six_offices() -> None:
    forms = {*PLAIN, *DOCDB, *NUMBERS, *FILINGS}
    parsed = [parse_patent_number(text) for text in PLAIN]

    assert len(forms) >= 120
    for office in PATENT_OFFICES:
        assert sum(found is not None and found.office == office for found in parsed) >= 8


@pytest.mark.parametrize("number", PLAIN)
def test_a_publication_number_reads_as_itself(number: str) -> None:
    found = require_patent_number(number)

    assert found.normalized == number
    assert number == f"{found.office}{found.serial}{found.kind}"


@pytest.mark.parametrize(("written", "number"), [*DOCDB.items(), *NUMBERS.items()])
def test_a_written_form_becomes_the_one_form_and_stays_so(written: str, number: str) -> None:
    found = require_patent_number(written)

    assert found.normalized == number
    assert parse_patent_number(found.normalized) == found


@pytest.mark.parametrize("number", PLAIN)
@pytest.mark.parametrize(
    "change",
    [str.lower, lambda text: f"  {text[:2]} {text[2:]} ", lambda text: f"{text[:2]}-{text[2:]}"],
)
def test_case_and_space_make_no_difference(number: str, change: object) -> None:
    assert callable(change)

    assert parse_patent_number(change(number)) == parse_patent_number(number)


@pytest.mark.parametrize("docdb", DOCDB)
def test_the_form_of_the_epos_databases_comes_back(docdb: str) -> None:
    found = require_patent_number(docdb)

    assert f"{found.office}{format_docdb_number(found)}{found.kind}" == docdb


@pytest.mark.parametrize(("written", "number"), FILINGS.items())
def test_the_number_of_a_filing_is_told_apart(written: str, number: str) -> None:
    found = parse_patent_number(written)

    assert found is not None
    assert (found.normalized, found.is_filing) == (number, True)
    with pytest.raises(ValueError, match="not a publication"):
        require_patent_number(written)


@pytest.mark.parametrize(
    "text", [*NO_NUMBERS, *(text for text, number in WRITTEN.items() if not number)]
)
def test_anything_else_is_no_number(text: str) -> None:
    assert parse_patent_number(text) is None


def test_a_bare_number_belongs_to_the_office_that_is_asked() -> None:
    assert parse_patent_number("10,165,245", office="US") == parse_patent_number("US10165245")
    assert parse_patent_number("15/919,370", office="US") == parse_patent_number("US15/919,370")


@pytest.mark.parametrize(
    ("number", "kinds"),
    [
        ("US10165245", ["B2", "B1"]),
        ("US5000000", ["A"]),
        ("US20140131102", ["A1", "A2", "A9"]),
        ("USD456723", ["S1", "S"]),
        ("EP1000000", ["B1", "A1", "A2"]),
        ("WO2019123456", ["A1", "A2"]),
        ("JP4961043", ["B2", "B1"]),
        ("JP2018005099", ["A", "A1"]),
        ("CN101911042", ["B", "A"]),
        ("CN208667504", ["U", "Y"]),
        ("KR102661554", ["B1"]),
        ("KR20240056344", ["A", "U"]),
        ("EP1000000A1", ["A1"]),
    ],
)
def test_without_its_kind_the_likely_ones_are_tried(number: str, kinds: list[str]) -> None:
    found = list_kind_candidates(require_patent_number(number))

    assert [number.kind for number in found] == kinds


@given(st.text(max_size=80))
def test_no_text_breaks_the_parser_and_what_it_reads_is_stable(text: str) -> None:
    found = parse_patent_number(text)

    if found is not None and not found.is_filing:
        assert parse_patent_number(found.normalized) == found


@given(
    st.sampled_from(PATENT_OFFICES),
    st.from_regex(r"[0-9/.,\-HSRDXE ]{1,16}[A-Z]?[0-9]?", fullmatch=True),
)
def test_digits_after_an_office_are_read_stably(office: str, rest: str) -> None:
    found = parse_patent_number(office + rest)

    if found is not None and not found.is_filing:
        assert parse_patent_number(found.normalized) == found
        list_kind_candidates(found)
        format_docdb_number(found)
