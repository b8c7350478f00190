from __future__ import annotations

import pytest

from citewell.server.wiring import record_finder_wiring
from citewell.services.domains.records import record_searches
from citewell.services.domains.records.record_searches import split_country_name


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


def test_every_registry_has_its_service_and_search() -> None:
    for _, service, search in record_finder_wiring._REGISTRIES.values():
        assert isinstance(getattr(record_searches, service), type)
        assert callable(getattr(record_searches, search))
