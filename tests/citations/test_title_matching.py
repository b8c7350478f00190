from __future__ import annotations

import pytest

from citewell.trust.work_identity import FieldAgreement, compare_with_record
from tests.requirements import requires
from tests.trust.test_identity import cited, record

MATCH, MISMATCH, NOT_CHECKED = (
    FieldAgreement.MATCH,
    FieldAgreement.MISMATCH,
    FieldAgreement.NOT_CHECKED,
)


@pytest.mark.parametrize(
    "title",
    [
        "Nanometre-scale thermometry in a living cell",
        "NANOMETRE-SCALE THERMOMETRY IN A LIVING CELL.",
        "Nanometer scale thermometry in a living cell",
        "Nanometre–scale <i>thermometry</i> in a living&nbsp;cell",
        "{Nanometre}-scale thermometry in a living cell",
        "Nanometre-scale thermometry in a living c...",
        "Nanometre-scale thermometry",
        "Nanometre-scale termometry in a living cell",
        "Nanometre-scale thermometry in a living cell: a diamond's view of heat and other things",
    ],
)
def test_a_title_written_otherwise_is_the_same_title(title: str) -> None:
    assert compare_with_record(cited(title), record()).title.state is MATCH


@requires("verify_citation.title_match")
@pytest.mark.parametrize(
    ("title", "state"),
    [
        ("Attention is all you need", MISMATCH),
        ("Micrometre-scale barometry in a living cell", MISMATCH),
        ("Nanometre-scale thermometry in a dying cell", MISMATCH),  # one word says something else
        ("Nanometer-scale thermometry in living cells", MATCH),
        ("Nanometre-scale thermometry in a cell", MATCH),  # a word lost
        ("Thermodynamics", NOT_CHECKED),
        ("", NOT_CHECKED),
        ("Нанометровая термометрия в живой клетке", NOT_CHECKED),
        ("活细胞中的纳米级测温", NOT_CHECKED),
    ],
)
def test_two_absent_words_make_another_title(title: str, state: FieldAgreement) -> None:
    assert compare_with_record(cited(title), record()).title.state is state


def test_a_translated_title_cannot_be_held_against_a_citation() -> None:
    bracketed = record(title="[Thermometry on the scale of nanometres in living cells]")
    original = cited("Temperaturmessung im Nanometerbereich in der lebenden Zelle")

    assert compare_with_record(original, bracketed).title.state is NOT_CHECKED
    marked = cited("Wärme und Zellen [Article in German]")
    assert compare_with_record(marked, record()).title.state is NOT_CHECKED


def test_retraction_marks_in_a_records_title_do_not_make_it_another() -> None:
    marked = record(title="RETRACTED: Nanometre-scale thermometry in a living cell")

    assert (
        compare_with_record(
            cited("Nanometre-scale thermometry in a living cell"), marked
        ).title.state
        is MATCH
    )
