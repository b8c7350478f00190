"""Numbers of statements, judged by where their source gives them and where it gives others."""

from __future__ import annotations

import pytest

from citewell.evidence.comparison.changed_number import (
    NUMBER_SIGNS,
    ChangedNumber,
    NumberPlaces,
    PlacedStatement,
    find_likely_change,
    list_number_signs,
    measure_statement_words,
    search_statement_numbers,
)
from citewell.evidence.signs.claim_support import SourceText
from citewell.evidence.signs.sentence_features import build_sentence_features

HUTS = SourceText(
    language="en",
    text=(
        "# Three mountain huts\n\n"
        "The Larch Hut stands above the tree line. A night in the Larch Hut costs 38 euros, and it"
        " sleeps 24 guests.\n\n"
        "The Lake Hut lies on the northern shore. A night in the Lake Hut costs 52 euros, and it"
        " sleeps 60 guests.\n\n"
        "The Summit Hut is the oldest. A night in the Summit Hut costs 27 euros, and it sleeps 16"
        " guests."
    ),
)


def judge(statement: str, source: SourceText = HUTS) -> ChangedNumber | None:
    return find_likely_change(build_sentence_features(statement, language="en"), source)


def place(statement: str, source: SourceText = HUTS) -> NumberPlaces:
    """The places of the statement's first number."""
    asked = build_sentence_features(statement, language="en")
    search = search_statement_numbers(asked, source)
    return PlacedStatement(asked=asked, numbers=search.wanted, source=source).find_places(
        search.wanted[0]
    )


@pytest.mark.parametrize(
    ("sound", "changed", "given"),
    [
        (
            "Walkers pay 38 euros for a night in the Larch Hut",
            "Walkers pay 52 euros for a night in the Larch Hut",
            "38 euros",
        ),
        (
            "The Lake Hut has beds for 60 guests",
            "The Lake Hut has beds for 24 guests",
            "60 guests",
        ),
        (
            "The Larch Hut takes twenty-four guests",
            "The Larch Hut takes sixty guests",
            "24 guests",
        ),
    ],
)
def test_a_number_of_another_thing_is_likelier_changed_than_its_own(
    sound: str, changed: str, given: str
) -> None:
    kept, change = judge(sound), judge(changed)

    assert kept is not None
    assert change is not None
    assert change.chance > kept.chance + 0.3
    assert change.source.text == given
    assert change.is_elsewhere
    assert given in HUTS.text[change.start : change.end]


def test_a_number_that_the_source_lacks_is_likely_changed() -> None:
    change = judge("Whoever stays at the Summit Hut pays 28 euros")

    assert change is not None
    assert change.chance > 0.9
    assert change.source.text == "27 euros"
    assert not change.is_elsewhere


def test_a_number_that_is_about_right_is_not() -> None:
    change = judge("A night at the Summit Hut costs about 30 euros")

    assert change is not None
    assert change.chance < 0.3


@pytest.mark.parametrize(
    "statement", ["The Larch Hut stands above the tree line", "The Larch Hut opened in 2019", ""]
)
def test_nothing_is_judged_without_a_number_that_could_stand_in_its_place(statement: str) -> None:
    assert judge(statement) is None


def test_a_source_without_sentences_judges_nothing() -> None:
    assert judge("The Larch Hut takes 24 guests", SourceText(text="", language="en")) is None


def test_the_best_place_comes_first_and_knows_its_company() -> None:
    places = place("At 38 euros a night, the Larch Hut sleeps 24 guests")

    assert [each.value.text for each in places.own] == ["38 euros"]
    assert places.own[0].company == 1.0
    assert {each.value.text for each in places.other} == {"52 euros", "27 euros"}
    assert all(each.company == 0.0 for each in places.other)
    assert places.own[0].fit > places.other[0].fit


def test_a_range_is_given_only_by_both_of_its_ends() -> None:
    source = SourceText(
        text="Lamps use 20 watts. Good ones use at least 20 watts and at most 25 watts.",
        language="en",
    )

    found = place("Lamps use 20 to 25 watts", source)

    assert {each.index for each in found.own} == {1}


def test_words_count_less_the_further_away_they_stand() -> None:
    source = SourceText(text="The walrus sleeps. " + "Nothing happens here. " * 9, language="en")

    words = measure_statement_words(build_sentence_features("walrus", language="en"), source)

    assert words.within[:2] == [1.0, 0.0]
    assert words.around[0] == 1.0
    assert list(words.around) == sorted(words.around, reverse=True)
    assert words.around[1] > words.around[6] > words.around[8] == 0.0


def test_a_word_of_near_meaning_counts_in_part() -> None:
    source = SourceText(text="The doctor slept. The bridge fell.", language="en")

    words = measure_statement_words(build_sentence_features("physician", language="en"), source)

    assert 0.0 < words.within[0] < 1.0
    assert words.within[1] == 0.0


def test_every_sign_of_a_number_has_a_value() -> None:
    asked = build_sentence_features("The Larch Hut takes 24 guests", language="en")
    search = search_statement_numbers(asked, HUTS)
    statement = PlacedStatement(asked=asked, numbers=search.wanted, source=HUTS)
    row = list_number_signs(search.wanted[0], statement.find_places(search.wanted[0]), search)

    assert len(row) == len(NUMBER_SIGNS) == len(set(NUMBER_SIGNS))
