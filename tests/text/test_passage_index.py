from __future__ import annotations

import pytest

from citewell.text.passages.page_units import split_page_units
from citewell.text.passages.passage_index import (
    IndexedPage,
    PassageIndex,
    TermMatcher,
    find_related_stems,
)
from citewell.text.passages.term_weights import load_frequencies, weigh_term

FILLER = "The committee met on a Tuesday and nothing else of note took place that week."


def build_index(*pages: str, title: str = "", language: str | None = "en") -> PassageIndex:
    return PassageIndex(
        [
            IndexedPage(
                title=title, language=language, units=split_page_units(text, language=language)
            )
            for text in pages
        ]
    )


def rank_texts(question: str, index: PassageIndex, *, language: str | None = "en") -> list[str]:
    """The passages as texts, the best first."""
    matcher = TermMatcher(index, index.weigh_words(question, language=language))
    found = []
    for one in matcher.score_passages():
        passage = index.passages[one.passage]
        units = index.pages[passage.page].units[passage.first : passage.last + 1]
        found.append(" ".join(unit.text for unit in units))
    return found


def score_of(question: str, index: PassageIndex, place: int) -> float:
    matcher = TermMatcher(index, index.weigh_words(question, language="en"))
    return next(one.score for one in matcher.score_passages() if one.passage == place)


def test_passages_never_cross_a_heading() -> None:
    index = build_index("# One\n\nA reef grows.\n\n# Two\n\nA bridge stands.")

    assert len(index.passages) == 2


def test_a_passage_ends_before_a_lead_in_so_that_it_stays_with_its_list() -> None:
    before = " ".join(["The reef grows along the coast of the island in the warm sea."] * 7)
    index = build_index(
        f"{before} Three kinds are known:\n\n- fringing reefs along the shore of the land and of the islands\n- barrier reefs\n- atolls"
    )
    first, second = index.passages
    units = index.pages[0].units

    assert not units[first.last].text.endswith(":")
    assert units[second.first].text == "Three kinds are known:"


def test_a_word_of_the_heading_counts_for_the_text_below_it() -> None:
    index = build_index(
        f"# Bleaching\n\nHot water harms the corals. {FILLER}",
        f"# Weather\n\nHot water harms the corals. {FILLER}",
    )

    assert score_of("bleaching of corals", index, 0) > score_of("bleaching of corals", index, 1)


def test_a_word_of_the_title_counts_for_every_passage_of_its_page() -> None:
    text = "Hot water harms the corals."
    pages = [
        IndexedPage(title=title, language="en", units=split_page_units(text, language="en"))
        for title in ("Coral bleaching", "Weather")
    ]
    index = PassageIndex(pages)

    assert score_of("bleaching of corals", index, 0) > score_of("bleaching of corals", index, 1)


def test_the_body_counts_more_than_the_heading() -> None:
    index = build_index(
        f"# Notes\n\nBleaching harms the animals. {FILLER}",
        f"# Bleaching\n\nWater harms the animals. {FILLER}",
    )

    assert score_of("bleaching", index, 0) > score_of("bleaching", index, 1)


def test_a_related_word_counts_less_than_the_word_itself() -> None:
    index = build_index(
        f"The price of the ticket is ten. {FILLER}",
        f"The cost of the ticket is ten. {FILLER}",
        f"The colour of the ticket is red. {FILLER}",
    )
    scores = [score_of("price", index, place) for place in range(3)]

    assert scores[0] > scores[1] > scores[2] == 0


def test_related_words_are_known_for_english_only() -> None:
    assert find_related_stems("price", language="en")
    assert find_related_stems("price", language=None)
    assert not find_related_stems("price", language="de")
    assert all(0 < factor <= 0.8 for factor in find_related_stems("price", language="en").values())


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    index = build_index("The reef is large.", "The reef is old.", "The reef is bleached.")
    weights = {term.word: term.weight for term in index.weigh_words("reef bleached", language="en")}

    assert weights["bleached"] > weights["reef"]


def test_a_word_rare_in_all_english_weighs_more_even_where_it_stands_everywhere() -> None:
    counts, total = load_frequencies()
    common = max(counts, key=lambda stem: counts[stem])

    assert total > 10_000
    assert weigh_term("ytterbium", held=3, total=3, language="en") > weigh_term(
        common, held=3, total=3, language="en"
    )


def test_the_context_of_a_part_weighs_less_than_the_part() -> None:
    index = build_index("Reefs and bridges are old.")
    weights = {
        term.word: term.weight
        for term in index.weigh_words("reefs", context="reefs bridges", language="en")
    }

    assert weights["reefs"] > weights["bridges"] > 0


@pytest.mark.parametrize(
    ("language", "question", "right", "wrong"),
    [
        ("de", "Wie lang ist das Riff?", "Die Riffe sind 2.300 Kilometer lang.", "Brot ist gut."),
        (
            "es",
            "¿Cuánto mide el arrecife?",
            "Los arrecifes miden 2300 kilómetros.",
            "El pan es bueno.",
        ),
        ("ja", "サンゴ礁の長さは？", "サンゴ礁の長さは2300キロである。", "パンはおいしい。"),
        ("zh", "珊瑚礁有多长？", "珊瑚礁长2300公里。", "面包很好吃。"),
    ],
)
def test_pages_are_ranked_in_other_languages(
    language: str, question: str, right: str, wrong: str
) -> None:
    index = build_index(wrong, right, language=language)

    assert rank_texts(question, index, language=language)[0] == right


def test_no_pages_and_no_words_give_no_scores_above_nothing() -> None:
    assert rank_texts("reef", build_index()) == []
    index = build_index("A reef grows.")
    matcher = TermMatcher(index, index.weigh_words("the of and", language="en"))

    assert {one.score for one in matcher.score_passages()} == {0.0}


def test_the_order_of_pages_does_not_change_the_scores() -> None:
    pages = ["Reefs are old.", "Reefs bleach in hot water.", "Bridges rust.", "Water is hot."]
    question = "Why do reefs bleach in hot water?"

    assert rank_texts(question, build_index(*pages)) == rank_texts(
        question, build_index(*reversed(pages))
    )
