from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from citewell.evidence.signs import source_quality
from tests.requirements import requires

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
PROSE = "Tides rise and fall twice a day on most coasts. " * 120


@requires("search_and_scrape.scores")
def test_the_weights_are_those_of_the_specification() -> None:
    score = source_quality.build_quality_score(
        relevance=1.0, freshness=0.0, authority=0.0, content=0.0
    )
    others = [
        source_quality.build_quality_score(
            relevance=0.0, freshness=1.0, authority=0.0, content=0.0
        ).overall,
        source_quality.build_quality_score(
            relevance=0.0, freshness=0.0, authority=1.0, content=0.0
        ).overall,
        source_quality.build_quality_score(
            relevance=0.0, freshness=0.0, authority=0.0, content=1.0
        ).overall,
    ]

    assert [score.overall, *others] == [0.35, 0.2, 0.25, 0.2]


def test_scores_are_rounded_to_two_places() -> None:
    score = source_quality.build_quality_score(
        relevance=1 / 3, freshness=0.5, authority=0.5, content=0.123
    )

    assert (score.relevance, score.content_quality) == (0.33, 0.12)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (0, 1.0),
        (1, 0.9),
        (7, 0.9),
        (8, 0.7),
        (30, 0.7),
        (31, 0.5),
        (365, 0.5),
        (366, 0.3),
        (9000, 0.3),
        (-1, 1.0),
        (-30, 0.5),
    ],
)
def test_freshness_falls_with_the_days(days: int, expected: float) -> None:
    assert source_quality.score_freshness(NOW - timedelta(days=days), now=NOW) == expected


def test_a_page_without_a_date_is_neither_fresh_nor_stale() -> None:
    assert source_quality.score_freshness(None, now=NOW) == 0.5


def test_a_date_without_a_zone_is_taken_as_utc() -> None:
    assert source_quality.score_freshness(datetime(2026, 11, 15), now=NOW) == 1.0  # noqa: DTZ001 - the case itself


def test_a_title_that_says_it_all_counts_two_fifths() -> None:
    found = source_quality.score_relevance(
        "ocean tides", title="Tides of the ocean", content="Nothing at all."
    )

    assert found == pytest.approx(0.4)


def test_relevance_meets_other_forms_of_a_word() -> None:
    assert (
        source_quality.score_relevance("flowing tides", title="", content="The tide flows.") > 0.5
    )


def test_longer_words_count_more() -> None:
    short = source_quality.score_relevance("map thermodynamics", title="", content="A map.")
    long = source_quality.score_relevance("map thermodynamics", title="", content="Thermodynamics.")

    assert long > short > 0


@pytest.mark.parametrize(
    ("query", "content", "language"),
    [
        ("電池の劣化", "電池の劣化は温度が高いほど速い。", "ja"),
        ("Wärmepumpe", "Wärmepumpen heizen Häuser.", "de"),
        ("to be or not to be", "To be, or not to be, that is the question.", "en"),
    ],
)
def test_relevance_works_in_other_languages_and_for_stop_words(
    query: str, content: str, language: str
) -> None:
    assert source_quality.score_relevance(query, title="", content=content, language=language) > 0.4


def test_a_query_without_words_is_neither_near_nor_far() -> None:
    assert source_quality.score_relevance("!?", title="x", content="y") == 0.5


def test_a_full_text_with_links_paragraphs_and_sentences_scores_best() -> None:
    text = "\n\n".join([PROSE] * 5) + "\n\n[more](https://example.org/)"

    assert source_quality.score_content(text) == 1.0


@pytest.mark.parametrize(
    ("text", "expected"), [("", 0.0), ("Log in", 0.2), ("x" * 4000, 0.0), (PROSE, 0.7)]
)
def test_thin_or_odd_texts_score_less(text: str, expected: float) -> None:
    assert source_quality.score_content(text) == expected


def test_a_japanese_text_is_no_odd_text() -> None:
    assert source_quality.score_content("潮の満ち引きは一日に二度ある。" * 100) >= 0.7


@requires("scrape_page.authority_tier")
@pytest.mark.parametrize(
    ("value", "name"), [(0.9, "high"), (0.8, "high"), (0.5, "medium"), (0.49, "low")]
)
def test_authority_has_three_tiers(value: float, name: str) -> None:
    assert source_quality.classify_authority(value) == name
