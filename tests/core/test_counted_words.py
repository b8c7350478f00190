from __future__ import annotations

import pytest

from citewell.core.values.counted_words import describe_duration, pluralize


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "entries"), (1, "entry"), (1.0, "entry"), (1.5, "entries"), (2, "entries")],
)
def test_the_noun_fits_the_count(count: float, words: str) -> None:
    assert pluralize(count, "entry", "entries") == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.5, "0.5 seconds"),
        (1, "1 second"),
        (2, "2 seconds"),
        (60, "1 minute"),
        (90, "90 seconds"),
        (3600, "1 hour"),
        (5400, "90 minutes"),
        (4 * 3600.0, "4 hours"),
        (86_400, "1 day"),
    ],
)
def test_a_duration_is_told_in_its_longest_whole_unit(seconds: float, words: str) -> None:
    assert describe_duration(seconds) == words
