"""The questions of the research evaluation are sound: their pages are there and say what is asked for."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.answer_scoring import EvaluationQuestion, read_questions
from citewell.reading.html.main_content import extract_markdown
from tests.internet.render import markup
from tests.internet.world import World

QUESTIONS = read_questions(Path(__file__).with_name("research_questions.jsonl"))
ANSWERABLE = [question for question in QUESTIONS if question.facts]
PAGES = {f"{page.host}/{page.path}": page for page in World().pages}
_MARKS = re.compile(r"\[([^\]]*)\]\([^)]*\)|[*`]+")


def extract_page_text(name: str) -> str:
    """What the product reads on a page, without marks and on one line."""
    page = PAGES[name]
    text = extract_markdown(markup(page), "http://example.org/")
    return " ".join(_MARKS.sub(r"\1", text).split())


def test_there_are_enough_questions_of_every_kind() -> None:
    kinds = Counter(question.kind for question in QUESTIONS)

    assert len(QUESTIONS) >= 70
    assert kinds["none"] >= 10
    assert all(count >= 4 for count in kinds.values()), kinds


def test_no_two_questions_share_an_id_or_their_words() -> None:
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS)
    assert len({question.text for question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("question", ANSWERABLE, ids=lambda question: question.id)
def test_every_fact_is_read_on_a_gold_page(question: EvaluationQuestion) -> None:
    texts = [extract_page_text(name) for name in sorted(question.gold)]

    missing = [
        fact.patterns for fact in question.facts if not any(fact.stands_in(text) for text in texts)
    ]

    assert missing == []


def test_only_questions_without_an_answer_name_a_refusal() -> None:
    named = {question.refusal for question in QUESTIONS if not question.facts}

    assert named == {"nothing", "subject", "part"}
    assert {question.refusal for question in ANSWERABLE} == {""}


def test_no_question_is_a_sentence_of_its_page() -> None:
    copied = [
        question.id
        for question in ANSWERABLE
        for name in question.gold
        if len(question.text.split()) > 3
        and question.text.rstrip("?").lower() in extract_page_text(name).lower()
    ]

    assert copied == []


def test_facts_are_not_so_loose_that_the_question_holds_them() -> None:
    loose = [
        (question.id, fact.patterns)
        for question in ANSWERABLE
        for fact in question.facts
        if fact.stands_in(question.text)
    ]

    assert loose == []
