"""Where a cited title begins to differ from a record's: the cases just at an edge."""

from __future__ import annotations

import pytest

from citewell.core.values.paper import Paper, WorkAuthor
from citewell.trust.work_identity import (
    CitedWork,
    FieldAgreement,
    FieldVerdict,
    compare_with_record,
)

MATCH, MISMATCH, NOT_CHECKED = (
    FieldAgreement.MATCH,
    FieldAgreement.MISMATCH,
    FieldAgreement.NOT_CHECKED,
)
KUCSKO = WorkAuthor(name="G. Kucsko", family="Kucsko", given="G.")
SHORT = "Nanometre-scale thermometry in a living cell"
LONG = (
    "Street trees and the cooling of summer nights in dense quarters of nine European cities"
    " measured by satellites over twenty years"
)
OTHER = "Volcano geology surveys of northern Iceland glaciers"


def compare(
    title: str, record: str = SHORT, *, text: str = "", authors: tuple[WorkAuthor, ...] = ()
) -> FieldVerdict:
    """Compare a title that was guessed from the text of a reference."""
    cited = CitedWork(text=text or f"{title}. Nature 2013", title=title, authors=authors)
    paper = Paper(title=record, source="crossref", authors=(KUCSKO,), year=2013, venue="Nature")
    return compare_with_record(cited, paper).title


def test_a_guessed_title_that_begins_with_the_records_title_is_the_same() -> None:
    assert compare(f"{SHORT}: {OTHER}").state is MATCH


def test_a_text_without_a_guessed_title_that_has_the_records_title_is_the_same() -> None:
    assert compare("", text=f"Kucsko G. {SHORT}. Nature 2013").state is MATCH


def test_a_guessed_title_with_many_foreign_words_before_the_records_title_is_left_open() -> None:
    found = compare(f"{OTHER} with {SHORT}")

    assert (found.state, found.reason) == (
        NOT_CHECKED,
        "the cited title continues with other words",
    )


def test_a_few_foreign_words_in_a_long_title_leave_it_the_same() -> None:
    assert compare(f"Botanical volcano surveys: {LONG}", LONG).state is MATCH


def test_two_foreign_words_beside_a_short_title_leave_it_the_same() -> None:
    assert compare("Volcano surveys: living cell", "Living cell").state is MATCH


def test_a_guessed_title_of_another_work_is_a_mismatch() -> None:
    assert compare(OTHER).state is MISMATCH


def test_a_guessed_title_that_holds_the_first_author_is_probably_none() -> None:
    assert compare(f"Kucsko {OTHER}").state is NOT_CHECKED
    assert compare(f"Kucsko {OTHER}", authors=(KUCSKO,)).state is MISMATCH


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("nanometre scale thermometry living", "the cited title continues with other words"),
        ("nanometre scale thermometry", "the title could not be identified with certainty"),
    ],
)
def test_four_of_five_words_of_a_title_are_enough_to_find_it(words: str, reason: str) -> None:
    assert compare(OTHER, text=f"{OTHER}. {words}").reason == reason


@pytest.mark.parametrize(("foreign", "is_altered"), [(2, True), (3, False)])
def test_three_foreign_words_of_ten_make_another_title(foreign: int, *, is_altered: bool) -> None:
    record = "Maple poplar willow linden cherry walnut chestnut hornbeam sycamore juniper"
    words = ["volcano", "iceland", "glacier"][:foreign] + record.split()[foreign:]
    cited = CitedWork(title=" ".join(words), structured=True)

    found = compare_with_record(cited, Paper(title=record, source="crossref")).title

    assert found.state is MISMATCH
    assert found.is_altered is is_altered


def test_the_subtitle_of_a_journal_is_no_title_of_another_work() -> None:
    venue = "International journal of botanical tools"
    record = Paper(
        title="Maple poplar willow linden", source="pubmed", venue=venue, authors=(KUCSKO,)
    )
    text = f"G. Kucsko, {venue} : architectures, languages, algorithms, 2013, 22, 1360006."

    verdict = compare_with_record(CitedWork(text=text), record).title
    other = compare_with_record(CitedWork(text=text.replace(" :", ".")), record).title

    assert verdict.state is NOT_CHECKED
    assert other.state is MISMATCH
