from __future__ import annotations

import pytest

from citewell.core.values.paper import BibliographicQuery, WorkAuthor
from citewell.scholar.free_copies import find_full_text_fault
from citewell.scholar.record_merging import compare_titles, score_closeness
from tests.core.doubles import paper
from tests.reading.reading import page

URL = "https://example.org/paper"
TITLE = "Of Water and Stone"


@pytest.mark.parametrize(
    ("title", "other", "least"),
    [
        (TITLE, "of water &amp; <i>stone</i>.", 1.0),
        (TITLE + " in rivers", TITLE + " in rivers: an essay in three parts", 0.95),
        ("Größe und Maß", "Grosse und Mass", 1.0),
        ("深度学习综述", "深度学习综述", 1.0),
    ],
)
def test_spellings_of_one_title_are_alike(title: str, other: str, least: float) -> None:
    assert compare_titles(title, other) >= least


@pytest.mark.parametrize("other", ["Of Fire and Iron", "", "!!!", "Über die Dörfer"])
def test_other_titles_are_not(other: str) -> None:
    assert compare_titles(TITLE, other) < 0.5


def test_a_reference_is_closest_to_the_work_with_its_author_and_year() -> None:
    query = BibliographicQuery(title=TITLE, author="Stone", year=2020)
    stranger = (WorkAuthor(name="Bo Rivers", family="Rivers"),)
    second = (*stranger, WorkAuthor(name="Ada Stone", family="Stone"))

    ranked = [
        paper(),
        paper(year=2021),
        paper(year=None),
        paper(authors=second),
        paper(authors=stranger),
        paper(authors=stranger, year=1999),
    ]

    scores = [score_closeness(work, query) for work in ranked]
    assert scores[0] == 1.0
    assert scores == sorted(scores, reverse=True)


def test_what_cannot_be_compared_is_neither_for_nor_against() -> None:
    query = BibliographicQuery(title=TITLE, author="Stone")

    unnamed = score_closeness(paper(authors=()), query)
    other_script = score_closeness(paper(authors=(WorkAuthor(name="李华"),)), query)

    assert 0.8 < unnamed < 1.0
    assert other_script == unnamed


def test_a_short_article_with_its_sections_is_a_text() -> None:
    words = "Water runs over stone every day. " * 90
    content = (
        f"# {TITLE}\n\n## Introduction\n\n{words}\n\n## 2. Methods\n\nSo.\n\n## References\n\nNone."
    )

    assert find_full_text_fault(page(URL, content, title=TITLE), TITLE) is None
    assert find_full_text_fault(page(URL, f"# {TITLE}\n\n{words}", title=TITLE), TITLE) is not None


def test_a_catalogues_translation_of_a_title_need_not_stand_in_the_text() -> None:
    content = "# О воде и камне\n\n" + "Вода течёт по камню весь день. " * 400

    assert (
        find_full_text_fault(page(URL, content, title="О воде и камне"), "[On water and stone]")
        is None
    )


def test_a_title_without_a_telling_word_is_no_ground_for_refusal() -> None:
    assert find_full_text_fault(page(URL, "Words of a text. " * 600, title="It"), "It") is None
