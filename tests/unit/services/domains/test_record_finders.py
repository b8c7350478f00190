from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from citewell.errors import Misconfigured, RateLimited
from citewell.model.search_queries import SearchHit
from citewell.services.domains.records.record_finders import RecordFinder
from citewell.text.questions.question_domains import QuestionDomain

TRIAL = SearchHit(title="A trial", url="https://clinicaltrials.gov/study/NCT00000001")
QUESTION = "Which clinical trials tested melatonin for insomnia?"


class Registry:
    """Returns one trial, or fails, and remembers what it was asked."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked: list[tuple[str, int]] = []
        self._error = error

    async def search(self, words: str, count: int) -> Sequence[SearchHit]:
        self.asked.append((words, count))
        if self._error:
            raise self._error
        return [TRIAL]


def find(registry: Registry, question: str) -> Sequence[SearchHit]:
    finder = RecordFinder(QuestionDomain.TRIALS, "trials", registry.search)
    return asyncio.run(finder.find_pages(question, count=10))


def test_a_question_of_the_domain_is_put_to_its_registry_in_few_words() -> None:
    registry = Registry()

    assert find(registry, QUESTION) == [TRIAL]
    [(words, count)] = registry.asked
    assert words == "melatonin insomnia"
    assert count == 4


def test_any_other_question_is_not_put_to_it() -> None:
    registry = Registry()

    assert find(registry, "How does a heat pump work?") == ()
    assert registry.asked == []


def test_a_registry_that_is_not_set_up_is_left_out() -> None:
    assert find(Registry(Misconfigured("set a contact")), QUESTION) == ()


def test_the_failure_of_a_registry_is_told() -> None:
    with pytest.raises(RateLimited):
        find(Registry(RateLimited("slow down")), QUESTION)
