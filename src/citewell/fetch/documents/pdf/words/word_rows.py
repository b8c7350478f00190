"""Groups the words of a page into runs that stand on one line, wherever the file has them."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from citewell.fetch.documents.pdf.words.pdf_word import PdfWord

_MAX_FLOATING_LETTERS = 3


class FoundWord(NamedTuple):
    word: PdfWord
    start: int  # in pdfium's list of characters


def group_line_words(words: list[FoundWord]) -> list[list[FoundWord]]:
    """Words that stand on one line with no wide gap between them, wherever the file has them."""
    made = [
        sorted(run, key=lambda found: found.start)
        for row in _group_by_baseline([w for w in words if not _is_marks_only(w.word.text)])
        for run in _split_at_gaps(row)
    ]
    # Alone on its baseline, a letter with a mark is one that the file puts above its line.
    runs = [run for run in made if not all(_is_floating(found.word.text) for found in run)]
    loose = [found for run in made if run not in runs for found in run]
    for found in [*loose, *(word for word in words if _is_marks_only(word.word.text))]:
        _add_to_nearest_run(runs, found)
    return sorted(runs, key=lambda run: min(found.start for found in run))


def _add_to_nearest_run(runs: list[list[FoundWord]], mark: FoundWord) -> None:
    below = [run for run in runs if any(_is_over_word(mark.word, w.word) for w in run)]
    if below:
        min(below, key=lambda run: abs(run[0].word.y - mark.word.y)).append(mark)
    else:
        runs.append([mark])


def _group_by_baseline(words: list[FoundWord]) -> list[list[FoundWord]]:
    rows: list[list[FoundWord]] = []
    for found in sorted(words, key=lambda found: (found.word.style.angle, found.word.y)):
        first = rows[-1][0].word if rows else None
        if (
            first is not None
            and first.style.angle == found.word.style.angle == 0
            and found.word.y - first.y <= 0.3 * max(first.style.size, found.word.style.size)
        ):
            rows[-1].append(found)
        else:
            rows.append([found])
    return rows


def _split_at_gaps(row: list[FoundWord]) -> list[list[FoundWord]]:
    runs: list[list[FoundWord]] = []
    edge = 0.0
    for found in sorted(row, key=lambda found: found.word.x0):
        if runs and found.word.x0 - edge <= found.word.style.size:
            runs[-1].append(found)
            edge = max(edge, found.word.x1)
        else:
            runs.append([found])
            edge = found.word.x1
    return runs


def _is_marks_only(text: str) -> bool:
    return all(unicodedata.category(letter) == "Mn" for letter in text)


def _is_floating(text: str) -> bool:
    """Whether this is a mark with its letter, or a part of a word that short."""
    return len(text) <= _MAX_FLOATING_LETTERS and any(
        unicodedata.category(letter) == "Mn" for letter in text
    )


def _is_over_word(mark: PdfWord, word: PdfWord) -> bool:
    size = word.style.size
    inside = word.x0 - size / 2 <= (mark.x0 + mark.x1) / 2 <= word.x1 + size / 2
    return inside and abs(mark.y - word.y) < 0.8 * size
