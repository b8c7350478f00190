""""""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.text.language import sentences

GOLD = Path(__file__).parent / "gold" / "sentences.txt"
FLOOR = 0.97
UNSPACED = {"zh", "ja"}
ODD = st.text(
    alphabet=st.sampled_from("aB1.!?…。！？;\n\t \"'”)(]*|•\u200b\u0301\ud800字ñ§-"), max_size=80
)


def blocks() -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in GOLD.read_text(encoding="utf-8").splitlines():
        if line.startswith("%%"):
            found.append((line[3:], []))
        elif line:
            found[-1][1].append(line)
    return found


def ends(lines: list[str], text: str) -> set[int]:
    found, at = set[int](), 0
    for line in lines:
        at = text.index(line, at) + len(line)
        found.add(at)
    return found


def counted(register: str, lines: list[str]) -> tuple[int, int, int]:
    text = ("" if register in UNSPACED else " ").join(lines)
    gold, mine = ends(lines, text), {end for _, end in sentences.find_sentence_spans(text)}
    return len(gold & mine), len(mine - gold), len(gold - mine)


def test_boundaries_are_found_in_every_register_and_language() -> None:
    totals = [counted(*block) for block in blocks()]
    hits, extra, missed = (sum(column) for column in zip(*totals, strict=True))

    assert hits + missed >= 300
    assert 2 * hits / (2 * hits + extra + missed) >= FLOOR


@pytest.mark.parametrize("register", [name for name, _ in blocks()])
def test_no_register_is_sacrificed_for_the_average(register: str) -> None:
    hits, extra, missed = counted(register, dict(blocks())[register])

    assert 2 * hits / (2 * hits + extra + missed) >= 0.9


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=120), ODD))
def test_offsets_always_slice_to_the_sentence(text: str) -> None:
    found = sentences.find_sentence_spans(text)

    assert [text[start:end] for start, end in found] == sentences.split_sentences(text)
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in found)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=120), ODD))
def test_sentences_stand_in_order_and_lose_nothing_but_blanks_and_separators(text: str) -> None:
    found = sentences.find_sentence_spans(text)
    gaps = zip(
        (0, *(end for _, end in found)), (*(start for start, _ in found), len(text)), strict=True
    )

    assert all(first[1] <= second[0] for first, second in pairwise(found))
    assert all(not text[start:end].strip().strip("·•| \n\t") for start, end in gaps)


@pytest.mark.parametrize(
    "text",
    [". " * 50_000, "\n" * 50_000, "a" * 200_000, "A. " * 30_000, '."\') ' * 30_000,
     ("word " * 12 + "\n") * 5_000, ("." + " " * 500) * 200, "." + "*" * 100_000, "a.[1]" * 30_000],
)  # fmt: skip
def test_hostile_text_takes_linear_time(text: str) -> None:
    assert sentences.find_sentence_spans(text) is not None  # the test's time limit is the assertion


def test_a_line_that_was_wrapped_goes_on() -> None:
    text = (
        "The quick brown fox jumps over the lazy dog and then it runs\n"
        "away from the hounds that were set on it by the hunters of\n"
        "Lincolnshire. It was never seen again."
    )

    assert sentences.split_sentences(text)[0].endswith("Lincolnshire.")
    assert sentences.split_sentences(text)[1] == "It was never seen again."


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("# A heading without a stop\nThe text begins here.", 2),
        ("- first item\n- second item", 2),
        ("A short line\nand another", 2),
        ("It was cold.For instance, the blank is lost.", 2),
        ("See object.Method in the manual.", 1),
        ("Home | News | Sport", 3),
        ("He works at Yahoo! Inc. and likes it.", 1),
        ('"Really?" Newton asked.', 1),
        ("It was cold. (so they said) It snowed.", 2),
        ("One thing [...] led to another.", 1),
        ("Wait . . . what happened?", 1),
    ],
)
def test_lines_separators_and_lost_blanks(text: str, count: int) -> None:
    assert len(sentences.split_sentences(text)) == count


def test_abbreviations_and_initials_end_no_sentence() -> None:
    text = "Dr. A. Writer et al. found it. It was in Fig. 3 of No. 7! Was it?"

    assert sentences.split_sentences(text) == [
        "Dr. A. Writer et al. found it.",
        "It was in Fig. 3 of No. 7!",
        "Was it?",
    ]


def test_quotes_stay_with_their_sentence_and_lines_part() -> None:
    assert sentences.split_sentences('He said "no." Then left.\nNext line') == [
        'He said "no."',
        "Then left.",
        "Next line",
    ]


def test_numbers_and_versions_are_one_sentence() -> None:
    assert sentences.split_sentences("It grew by 3.5 percent in v2.1 of it.") == [
        "It grew by 3.5 percent in v2.1 of it."
    ]
