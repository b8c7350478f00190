"""Which format a document is in, and that any document at all can be given."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.citations.references import parse_bibliography
from citewell.citations.references.reference_fields import BibliographyDocument
from citewell.core.errors import InvalidInput
from citewell.core.values.argument_types import BIBLIOGRAPHY_FORMATS

PIECES = st.sampled_from(
    ["@article{", "@string{", "@comment{", "}", "{", '"', "=", ",", "#", "\\", "\\'", "\n", " ", "TY  - ", "ER  - ",
     "AU  - ", "[", "]", ":", '{"title": "', "10.1000/x", "https://", "(2019)", "Smith, J., ", "& ", ". ", "1. ",
     "[1] ", "vol. 1", "pp. 1-2", "et al.", "“", "”", "title", "author", " and ", "--", "In ", "<!--", "&amp;", "é", "文",
     "\x00", "\u200b", "\ud800"]
)  # fmt: skip
LIMIT = 200_000


def whole(found: BibliographyDocument) -> bool:
    return all(each.line is None or each.line > 0 for each in found.references)


@pytest.mark.parametrize(
    ("document", "form"),
    [
        ("@book{k, title={T}}", "bibtex"), ("text before\n@book{k, title={T}}", "bibtex"),
        ("TY  - JOUR\nER  - \n", "ris"), ("junk\nTY  - JOUR\nER  - \n", "ris"),
        ('[{"title": "T"}]', "csl-json"), ("[]", "csl-json"),
        ("[1] J. Doe, “A title,” Journal, vol. 1, 2019.", "prose"), ("", "prose"),
        ("Write to me@example.org {today}.", "prose"),
    ],
)  # fmt: skip
def test_the_format_is_known_by_its_look(document: str, form: str) -> None:
    assert parse_bibliography(document).format == form


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(InvalidInput, match="endnote"):
        parse_bibliography("x", format="endnote")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(PIECES | st.text(max_size=8), max_size=60).map("".join),
    st.sampled_from(BIBLIOGRAPHY_FORMATS),
)
def test_nothing_written_breaks_a_reader(document: str, form: str) -> None:
    assert whole(parse_bibliography(document, format=form))
    assert whole(parse_bibliography(document))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_break_a_reader(document: bytes) -> None:
    assert whole(parse_bibliography(document))


@pytest.mark.slow
@pytest.mark.parametrize("form", BIBLIOGRAPHY_FORMATS)
@pytest.mark.parametrize(
    "piece",
    ["{", "}", "[", "(", "@a{", "\n@a{k,", "@comment{\n", "<!--", "TY  - X\n", '{"a":', '{"title":"', "a=", "a#", "\\'",
     "A. ", "Smith, J., ", "Smith J, ", "“a” ", "\n", " ", "-", "1. x\n", "x. Y ", "10.1000/", "http://", " and ", "(2019) "],
)  # fmt: skip
def test_time_does_not_grow_with_the_square(form: str, piece: str) -> None:
    started = time.process_time()
    parse_bibliography(piece * (LIMIT // len(piece)), format=form)

    assert (
        time.process_time() - started < 15
    )  # hundredths to a few tenths of a second; the square would take minutes
