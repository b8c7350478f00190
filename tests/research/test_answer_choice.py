from __future__ import annotations

from citewell.research.pages.answer_passages import ChosenWindow, choose_answer
from citewell.research.pages.page_analysis import PageAnalysis
from tests.research.page_sets import analyse_texts

OPENED = "The harbour bridge was opened in 1932 after eight years of work."
DESIGNED = "The harbour bridge was designed by the engineer John Bradfield."
QUESTION = "When was the harbour bridge opened and who designed it?"


def read_words(found: PageAnalysis, chosen: ChosenWindow) -> str:
    return " ".join(unit.text for unit in found.list_window_units(chosen.window))


def list_answer(found: PageAnalysis) -> list[str]:
    return [read_words(found, window) for window in choose_answer(found).answer]


def test_what_another_page_said_already_is_not_said_again() -> None:
    found = analyse_texts(
        "When was the harbour bridge opened?",
        f"{OPENED} Boats passed below.",
        f"Note this. {OPENED} Boats passed below it.",
    )

    assert len(list_answer(found)) == 1


def test_each_part_gets_its_own_window() -> None:
    found = analyse_texts(QUESTION, f"# Opening\n\n{OPENED}", f"# Design\n\n{DESIGNED}")
    chosen = choose_answer(found).answer
    by_part = {
        part: read_words(found, window) for window in reversed(chosen) for part in window.parts
    }

    assert "1932" in by_part[0]
    assert "Bradfield" in by_part[1]


def test_parts_are_taken_in_turn() -> None:
    pages = [f"# Opening {n}\n\n{OPENED} Crowd {n} came to watch on that day." for n in range(6)]
    found = analyse_texts(QUESTION, *pages, f"# Design\n\n{DESIGNED}")

    assert {part for window in choose_answer(found).answer[:2] for part in window.parts} == {0, 1}


def test_a_window_that_answers_two_parts_is_printed_once_for_both() -> None:
    found = analyse_texts(QUESTION, f"{OPENED} {DESIGNED}")
    chosen = choose_answer(found).answer

    assert len(chosen) == 1
    assert chosen[0].parts == (0, 1)


def test_places_that_earlier_jobs_quoted_are_left_out() -> None:
    found = analyse_texts("When was the harbour bridge opened?", f"# Opening\n\n{OPENED}")
    window = choose_answer(found).answer[0].window
    units = found.list_window_units(window)
    place = (found.pages[0].sha256 or "", units[0].start, units[-1].end)

    after = choose_answer(found, quoted={place: "job_1"})

    assert after.answer == ()
    assert after.left_out == ("job_1",)


def test_the_answer_has_a_bounded_length() -> None:
    pages = [
        f"# Page {n}\n\n"
        + " ".join(
            f"The harbour bridge number {n} {word} was opened by crowd {word}{n} in {1900 + n}."
            for word in ("alpha", "beta", "gamma", "delta", "omega", "sigma")
        )
        for n in range(20)
    ]
    found = analyse_texts("When was the harbour bridge opened?", *pages)
    words = sum(len(text.split()) for text in list_answer(found))

    assert words <= 250 + 170


def test_nothing_is_chosen_from_nothing() -> None:
    assert choose_answer(analyse_texts("When was the bridge opened?")).answer == ()
