from __future__ import annotations

import re

from citewell.text.passages.answer_windows import AnswerWindow, WindowCutter, WindowWishes
from citewell.text.passages.markdown_blocks import BlockKind
from citewell.text.passages.page_units import PageUnit, split_page_units
from citewell.text.passages.passage_index import (
    DEFAULT_RANKING,
    IndexedPage,
    PassageIndex,
    TermMatcher,
)
from citewell.text.questions import build_definition_pattern

NONE = WindowWishes()


def cut_windows(
    question: str, *pages: str, wishes: WindowWishes = NONE
) -> list[tuple[AnswerWindow, tuple[PageUnit, ...]]]:
    """The windows with their units, the best first."""
    index = PassageIndex(
        [IndexedPage(title="", language="en", units=split_page_units(text)) for text in pages]
    )
    matcher = TermMatcher(index, index.weigh_words(question, language="en"))
    return [
        (window, index.pages[window.page].units[window.first : window.last + 1])
        for window in WindowCutter(matcher, wishes).rank_windows()
    ]


def join_words(units: tuple[PageUnit, ...]) -> str:
    return " ".join(unit.text for unit in units)


def test_a_window_never_crosses_a_heading() -> None:
    page = "# Reefs\n\nReefs grow.\n\n## Bleaching\n\nHot water bleaches reefs.\n\n## Fish\n\nFish eat reefs."

    for _, units in cut_windows("Why do reefs bleach and what do fish eat?", page):
        assert len({unit.headings for unit in units}) == 1


def test_a_window_of_sentences_has_a_bounded_number_of_words() -> None:
    page = " ".join(
        f"Reefs bleach in hot water of kind {number} each year." for number in range(80)
    )

    for _, units in cut_windows("Do reefs bleach in hot water?", page):
        assert sum(unit.words for unit in units) <= DEFAULT_RANKING.max_words
        assert len(units) <= DEFAULT_RANKING.max_sentences


def test_a_list_comes_with_the_sentence_that_leads_to_it() -> None:
    page = "Bread needs these ingredients:\n\n- flour\n- water\n- salt\n- yeast"
    best = cut_windows(
        "What ingredients does bread need?", page, wishes=WindowWishes(wants_list=True)
    )[0][1]

    assert [unit.text for unit in best] == [
        "Bread needs these ingredients:",
        "flour",
        "water",
        "salt",
        "yeast",
    ]


def test_a_long_list_is_cut_at_its_bound() -> None:
    page = "Kinds of bread:\n\n" + "\n".join(
        f"- bread number {number} with a long story about its baker" for number in range(60)
    )

    for _, units in cut_windows("kinds of bread", page, wishes=WindowWishes(wants_list=True)):
        assert sum(unit.words for unit in units) <= DEFAULT_RANKING.max_list_words


def test_code_is_never_part_of_a_window() -> None:
    page = "Bake bread so.\n\n```\nbake bread\n```\n\nBread is then baked."

    for _, units in cut_windows("bake bread", page):
        assert all(unit.kind is not BlockKind.CODE for unit in units)


def test_a_question_on_the_page_is_not_taken_for_its_answer() -> None:
    windows = cut_windows(
        "How long do reefs take to grow back after bleaching?",
        "Our readers wrote. How long do reefs take to grow back after bleaching?",
        "Reefs take about ten years to grow back after bleaching.",
        wishes=WindowWishes(answer=re.compile(r"years")),
    )

    assert join_words(windows[0][1]).startswith("Reefs take about ten years")


def test_what_looks_like_the_answer_comes_before_what_does_not() -> None:
    pages = ("The tower in Paris has a height.", "The tower in Paris has 330 metres height.")
    plain = cut_windows("height of the tower in Paris", *pages)
    asked = cut_windows(
        "height of the tower in Paris", *pages, wishes=WindowWishes(answer=re.compile(r"\d"))
    )

    assert "330" in join_words(asked[0][1])
    assert asked[0][0].score - asked[1][0].score > plain[0][0].score - plain[1][0].score


def test_a_definition_comes_first_when_a_meaning_is_asked() -> None:
    question = "What is an atoll?"
    pattern = build_definition_pattern(question)
    windows = cut_windows(
        question,
        "Divers love the atoll and go there each year with many of their friends.",
        "An atoll is a ring of coral around a lagoon, often far from land.",
        wishes=WindowWishes(definition=pattern),
    )

    assert join_words(windows[0][1]).startswith("An atoll is a ring")


def test_a_window_that_speaks_of_the_site_ranks_behind_one_that_does_not() -> None:
    windows = cut_windows(
        "reef news",
        "Subscribe to our newsletter for reef news from all the seas today.",
        "The reef was in the news after the storm of the year came.",
    )

    assert "storm" in join_words(windows[0][1])


def test_a_sentence_that_points_back_is_not_where_a_window_begins() -> None:
    page = "The lining of a cell forms on the first charge. It forms when the solvent breaks down."
    best = cut_windows("When does the lining form?", page)[0][1]

    assert best[0].text.startswith("The lining")


def test_coverage_is_the_share_of_the_questions_words() -> None:
    windows = cut_windows("reefs bleaching", "Reefs are bleaching now.", "Bread is baked now.")
    shares = {join_words(units): window.coverage for window, units in windows}

    assert shares["Reefs are bleaching now."] == 1.0
    assert shares.get("Bread is baked now.", 0.0) == 0.0


def test_windows_are_the_same_in_every_run() -> None:
    pages = [f"Reef {number} bleaches in hot water." for number in range(30)]

    assert cut_windows("reef in hot water", *pages) == cut_windows("reef in hot water", *pages)
