from __future__ import annotations

import pytest

from citewell.server.wiring.domains.record_finders import REGISTRY_NAMES
from citewell.services.domains.records.record_searches import RECORD_SEARCHES, split_country_name
from citewell.text.questions.question_domains import QuestionDomain


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


def test_every_domain_has_a_search_and_a_name() -> None:
    assert set(RECORD_SEARCHES) == set(REGISTRY_NAMES) == set(QuestionDomain)
