"""The scorer of research reports gives no point where none was earned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.answer_scoring import (
    EvaluationQuestion,
    GivenAnswer,
    GoldFact,
    judge_answer,
    list_report_lines,
    read_questions,
    split_sections,
    take_first_words,
)
from benchmarks.quality_summary import COLUMNS, summarize_judgements, summarize_kinds

FILLER = "word " * 120


def question(*facts: str, parts: str = "", kind: str = "fact") -> EvaluationQuestion:
    named = parts or " " * len(facts)
    return EvaluationQuestion(
        id="q1",
        text="How hot?",
        kind=kind,
        gold=frozenset({"good"} if facts else ()),
        facts=tuple(
            GoldFact(part=part.strip(), patterns=(fact,))
            for part, fact in zip(named, facts, strict=True)
        ),
    )


def answer(text: str, **pages: str) -> GivenAnswer:
    return GivenAnswer(report=text, pages=pages or {"src_1": "good", "src_2": "other"})


def test_a_fact_counts_where_its_line_cites_a_gold_page() -> None:
    judged = judge_answer(question("60 °C"), answer("## Answer\n\n- It reaches 60 °C. [src_1]"))

    assert judged.in_short == judged.in_long == (True,)
    assert judged.first_from_gold
    assert not judged.refused


def test_a_fact_from_another_page_earns_nothing() -> None:
    judged = judge_answer(question("60 °C"), answer("## Answer\n\n- It reaches 60 °C. [src_2]"))

    assert judged.in_long == (False,)
    assert not judged.first_from_gold


def test_a_fact_without_a_citation_earns_nothing() -> None:
    judged = judge_answer(question("60 °C"), answer("## Answer\n\nIt reaches 60 °C."))

    assert judged.in_long == (False,)


@pytest.mark.parametrize("section", ["Sources", "Method", "Not found"])
def test_a_fact_outside_the_answer_earns_nothing(section: str) -> None:
    text = f"## Answer\n\n- Warm. [src_1]\n\n## {section}\n\n- It reaches 60 °C. [src_1]"

    assert judge_answer(question("60 °C"), answer(text)).in_long == (False,)


def test_a_late_fact_counts_in_the_long_window_only() -> None:
    text = f"## Answer\n\n- {FILLER} [src_2]\n- It reaches 60 °C. [src_1]"

    judged = judge_answer(question("60 °C"), answer(text))

    assert (judged.in_short, judged.in_long) == ((False,), (True,))


def test_a_fact_beyond_both_windows_earns_nothing() -> None:
    text = f"## Answer\n\n- {FILLER * 3} [src_2]\n- It reaches 60 °C. [src_1]"

    assert judge_answer(question("60 °C"), answer(text)).in_long == (False,)


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("## Answer\n\nNo page was found that answers this question.", True),
        ("", True),
        ("## Answer\n\n- None of the pages agree with it. [src_1]", False),
        ("## Answer\n\n- Warm. [src_1]", False),
    ],
)
def test_a_refusal_says_so_and_cites_nothing(text: str, *, refused: bool) -> None:
    assert judge_answer(question("x"), answer(text)).refused is refused


def test_both_parts_are_answered_only_with_a_fact_of_each() -> None:
    asked = question("opened in 1914", "eight hours", parts="ab")

    one = judge_answer(asked, answer("## Answer\n\n- It opened in 1914. [src_1]"))
    both = judge_answer(
        asked, answer("## Answer\n\n- It opened in 1914; a trip takes eight hours. [src_1]")
    )

    assert one.parts == {"a": True, "b": False}
    assert both.parts == {"a": True, "b": True}
    assert summarize_judgements([(asked, one), (asked, both)]).both_parts == 1


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("It forms on the first charge.", "dangling"),
        ("However, that was long ago.", "dangling"),
        ("Snake Plant:** A plant.", "debris"),
        ("See [the page](http://example.org).", "debris"),
        ("A &amp; B are alike.", "debris"),
    ],
)
def test_faulty_lines_are_counted(line: str, fault: str) -> None:
    judged = judge_answer(question("x"), answer(f"## Answer\n\n- {line} [src_1]"))

    assert getattr(judged, fault) == 1


def test_a_clean_line_has_no_faults() -> None:
    text = "## Answer\n\n- The film forms on the first charge. *(low confidence)* [src_1]"

    judged = judge_answer(question("x"), answer(text))

    assert (judged.dangling, judged.debris, judged.copied, judged.quoted_lines) == (0, 0, 0, 1)


def test_a_line_said_twice_is_a_copy() -> None:
    line = "The brood nest is held at 35 degrees by the bees. [src_1]"

    assert judge_answer(question("x"), answer(f"## Answer\n\n- {line}\n- {line}")).copied == 1


def test_table_rows_are_lines_and_the_rule_below_the_head_is_none() -> None:
    text = "| Hob | Share |\n| --- | ---: |\n| Gas | 39 % [src_1] |"

    lines = list_report_lines(text)

    assert [line.refs for line in lines] == [(), ("src_1",)]


def test_words_are_taken_across_lines() -> None:
    lines = take_first_words(list_report_lines("- one two\n- three four"), 3)

    assert [line.text for line in lines] == ["one two", "three"]


def test_sections_are_told_apart_by_headings_of_second_level() -> None:
    assert split_sections("a\n## B\nb\n### c\n## D\nd") == {"": "a", "B": "b\n### c", "D": "d"}


def test_refusals_are_false_for_answerable_questions_and_true_for_the_others() -> None:
    silence = answer("## Answer\n\nNo page was found.")
    able, none = question("x"), question(kind="none")

    row = summarize_judgements(
        [(able, judge_answer(able, silence)), (none, judge_answer(none, silence))]
    )

    assert (row.false_refusals, row.answerable) == (1, 1)
    assert (row.true_refusals, row.unanswerable) == (1, 1)


@pytest.mark.parametrize(
    ("refusal", "text", "right"),
    [
        ("subject", "## Answer\n\nNo answer was found.", True),
        ("part", "## Answer\n\nNo answer was found.", True),
        ("part", "## Answer\n\n- Warm. [src_1]\n\n## Not found\n\n- The weight.", True),
        ("part", "## Answer\n\n- Warm. [src_1]", False),
        ("subject", "## Answer\n\n- Warm. [src_1]\n\n## Not found\n\n- The weight.", False),
    ],
)
def test_only_a_near_miss_may_be_answered_if_what_is_missing_is_said(
    refusal: str, text: str, *, right: bool
) -> None:
    asked = replace(question(kind="none"), refusal=refusal)

    assert judge_answer(asked, answer(text)).ends_right is right


@pytest.mark.parametrize(("text", "failed"), [("", 1), ("# Title", 1), ("## Answer\n\nYes.", 0)])
def test_a_report_without_an_answer_section_is_a_failed_job(text: str, failed: int) -> None:
    asked = question(kind="none")

    assert summarize_judgements([(asked, judge_answer(asked, answer(text)))]).failed == failed


def test_a_row_has_a_cell_for_each_column() -> None:
    asked = question("60 °C")
    judged = judge_answer(asked, answer("## Answer\n\n- It reaches 60 °C. [src_1]"))

    cells = summarize_kinds([(asked, judged)])["fact"].render_cells()

    assert dict(zip(COLUMNS, cells, strict=True))["g250"] == "100"


def test_questions_are_read_with_their_facts(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(
        '{"id": "q1", "q": "How?", "kind": "fact", "gold": ["p"], "facts": [{"part": "a", "any": ["x"]}]}\n',
        encoding="utf-8",
    )

    (read,) = read_questions(path)

    assert read.gold == {"p"}
    assert read.facts == (GoldFact(part="a", patterns=("x",)),)
    assert (read.refusal, read.language) == ("", "en")
