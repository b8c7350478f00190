from __future__ import annotations

import pytest

from citewell.domains.law.near_misses import find_impossible_fact


@pytest.mark.parametrize(
    ("volume", "reporter", "year"),
    [
        ("925", "F.3d", 1985),
        ("1200", "F.2d", 1990),
        ("12", "F. Supp. 3d", 1999),
        ("3", "F.4th", 2010),
    ],
)
def test_an_impossible_year_or_volume_is_told(volume: str, reporter: str, year: int) -> None:
    assert find_impossible_fact(volume, reporter, year)


@pytest.mark.parametrize(
    ("volume", "reporter", "year"),
    [
        ("907", "F. Supp.", 1995),
        ("5", "U.S.", 1803),
        ("925", "F.3d", None),
        ("1", "Zork.", 1500),
        ("999", "F.3d", 2021),
    ],
)
def test_what_may_be_is_not_called_impossible(volume: str, reporter: str, year: int | None) -> None:
    assert find_impossible_fact(volume, reporter, year) is None
