"""Citation tags in Brave's streamed answers."""

from __future__ import annotations

from citewell.providers.dialects.answer_streams import split_answer_tags
from citewell.routing.ports import Offer
from tests.contract.recordings import recording
from tests.providers.answer_desk import answered


def test_braves_tags_become_marks_where_they_stood() -> None:
    report = answered(
        "brave", {"BRAVE_API_KEY": "k"}, recording("brave", Offer.ANSWERS).answer.decode()
    )

    assert report.text == "Heat pumps take heat from cold air. [1] They thaw their coil. [2] [3]"
    assert [report.text[citation.start : citation.end] for citation in report.citations] == [
        "[1]",
        "[2]",
        "[3]",
    ]
    assert (report.cost_ticks, report.cost_basis) == (115_000_000, "provider")


def test_tags_that_are_broken_are_dropped() -> None:
    text, tags = split_answer_tags("a < b <citation>{oops</citation> c <b>d</b> <usage>{")

    assert text == "a < b  c <b>d</b> "
    assert [(tag.name, tag.value) for tag in tags] == [("citation", None)]
