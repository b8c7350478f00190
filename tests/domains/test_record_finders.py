from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import import_module

import pytest

from citewell.core.errors import Misconfigured, RateLimited
from citewell.core.values.search_queries import SearchHit
from citewell.domains.record_finders import REGISTRIES, RecordFinder, split_country_name
from citewell.text.questions import QuestionDomain

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


@pytest.mark.parametrize(
    ("words", "left", "code"),
    [
        ("GDP growth Germany 2019", ["GDP", "growth"], "DEU"),
        ("unemployment South Korea", ["unemployment"], "KOR"),
        ("Spain's inflation", ["inflation"], "ESP"),
        ("UK debt", ["debt"], "GBR"),
        ("population growth", ["population", "growth"], None),
        ("us population", ["us", "population"], None),
        ("", [], None),
    ],
)
def test_the_country_and_the_years_are_told_from_the_subject(
    words: str, left: list[str], code: str | None
) -> None:
    kept, country = split_country_name(words)

    assert kept == left
    assert (country.code if country else None) == code


def test_every_domain_has_a_registry_whose_search_exists() -> None:
    searches = [registry.search.split(":") for registry in REGISTRIES.values()]

    assert set(REGISTRIES) == set(QuestionDomain)
    assert all(callable(getattr(import_module(module), name)) for module, name in searches)
