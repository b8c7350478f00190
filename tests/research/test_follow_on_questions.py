"""Suggestions read like questions of a person, on the pages of the bundled web."""

from __future__ import annotations

import re
from functools import cache

import pytest

from citewell.core.values.research import RESEARCH_TIERS, ResearchFindings
from citewell.jobs.step_values import PageReading, PageReadings
from citewell.reading.html.main_content import extract_markdown
from citewell.research.planning.research_plan import build_research_plan
from citewell.text.language import word_forms
from tests.internet.render import markup
from tests.internet.world import Page, World
from tests.local_research import analyse_readings

QUESTIONS = [
    "What volume of water goes through a present-day dishwasher in one run?",
    "Which cooker wastes less energy, gas or induction?",
    "How large a rental deposit can a Norland landlord demand?",
    "How much fluid does a grown man need a day?",
    "How can I free my iron pan from rust?",
    "When was the Panama Canal opened, and how long is a trip through it?",
    "How do I let a colleague's laptop log in to a server with a key and forbid passwords?",
    "Which human foods are poisonous to dogs?",
    "How long may the key of an entry in Quillstore 3 be?",
    "Quel est le prix pour monter au sommet de la tour Eiffel ?",
    "¿Dónde pasan el invierno las mariposas monarca?",
]
_QUERY_WORDS = re.compile(
    r"\b(?:evidence study|systematic review consensus|criticism limitations|statistics data|overview)\b"
)


@cache
def load_world() -> World:
    return World()


@cache
def read_page(page: Page) -> PageReading:
    return PageReading(
        url=f"https://{page.host}/{page.path}",
        title=page.title,
        text=extract_markdown(markup(page), "http://example.org/"),
        language=page.language,
    )


@cache
def research(question: str) -> ResearchFindings:
    plan = build_research_plan(question, RESEARCH_TIERS["S"], year=2026)
    found = {page.path: page for query in plan.queries for page in load_world().search(query)}
    pages = tuple(read_page(page) for page in list(found.values())[: plan.pages])
    return analyse_readings(plan, PageReadings(pages=pages))


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_suggestion_is_a_question_that_was_not_just_asked(question: str) -> None:
    topics = [follow_on.topic for follow_on in research(question).follow_ons]

    assert topics
    for topic in topics:
        assert topic.endswith(("?", "？"))
        assert topic.lower() != question.lower()
        assert 3 <= len(topic.split()) <= 25
        assert not _QUERY_WORDS.search(topic)


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_suggestion_repeats_a_quoted_sentence(question: str) -> None:
    found = research(question)

    for follow_on in found.follow_ons:
        words = word_forms.extract_terms(follow_on.topic)
        for claim in found.claims:
            stated = word_forms.extract_terms(claim.content)
            assert len(words) < 4 or len(words & stated) < 0.9 * len(stated)


def test_a_heading_that_asks_something_is_suggested_as_it_is() -> None:
    topics = [
        follow_on.topic
        for follow_on in research("How much fluid does a grown man need a day?").follow_ons
    ]

    assert "Is coffee a thief of water?" in topics


def test_a_section_that_the_answer_does_not_quote_is_suggested() -> None:
    question = "How large a rental deposit can a Norland landlord demand?"

    topics = [follow_on.topic for follow_on in research(question).follow_ons]

    assert "What about rent increases?" in topics


def test_a_heading_of_a_common_kind_becomes_a_question_about_the_subject() -> None:
    aspects = {
        "Costs": "What does a heat pump cost?",
        "Drawbacks": "What are the drawbacks of a heat pump?",
        "History": "What is the history of a heat pump?",
    }
    sections = [
        f"## {name}\n\n"
        + " ".join(f"Nobody in village {n} was asked about that." for n in range(40))
        for name in aspects
    ]
    page = PageReading(
        url="https://home.example.org/heat",
        title="Heat pumps",
        text="# Heat pumps\n\nA heat pump works by moving heat.\n\n" + "\n\n".join(sections),
        language="en",
    )
    plan = build_research_plan("How does a heat pump work?", RESEARCH_TIERS["S"], year=2026)

    topics = [
        follow_on.topic
        for follow_on in analyse_readings(plan, PageReadings(pages=(page,))).follow_ons
    ]

    assert len(set(topics) & set(aspects.values())) >= 2, topics


def test_differing_values_are_asked_about_with_both_values() -> None:
    texts = (
        "The boiling point of ethanol is 78 degrees Celsius at sea level.",
        "The boiling point of ethanol is 80 degrees Celsius at sea level.",
    )
    pages = tuple(
        PageReading(
            url=f"https://site{at}.example{at}.org/", title="Ethanol", text=text, language="en"
        )
        for at, text in enumerate(texts)
    )
    plan = build_research_plan(
        "What is the boiling point of ethanol?", RESEARCH_TIERS["S"], year=2026
    )

    topics = [
        follow_on.topic
        for follow_on in analyse_readings(plan, PageReadings(pages=pages)).follow_ons
    ]

    assert any(
        topic.startswith("Why do sources differ on") and "78" in topic and "80" in topic
        for topic in topics
    ), topics


def test_words_of_the_library_are_never_suggested() -> None:
    page = PageReading(
        url="library:1",
        title="Is the Miller contract void?",
        text="# Is the Miller contract void?\n\nA heat pump moves heat.\n\n## Costs\n\nThe pump of Miller.",
        language="en",
        is_private=True,
    )
    plan = build_research_plan("How does a heat pump work?", RESEARCH_TIERS["S"], year=2026)

    topics = [
        follow_on.topic
        for follow_on in analyse_readings(plan, PageReadings(pages=(page,))).follow_ons
    ]

    assert not any("Miller" in topic or "cost" in topic for topic in topics)
