"""Counts in how many English passages each stem occurs, and writes term_frequencies.txt.

Run: PYTHONPATH=src python training/term_frequencies.py FOLDER [--without PAGES]

FOLDER holds `data/` with two public benchmarks, which are not in this repository: the gold texts of the
development split of the Web Content Extraction Benchmark by Murrough Foley (CC BY 4.0), and those of
article-extraction-benchmark by Scrapinghub (MIT). PAGES lists pages of the first, by the number at the
beginning of each line, that are used to judge the ranking and so are not counted.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from citewell.text.language import word_forms

_LOG = logging.getLogger("term_frequencies")
_TARGET = Path(__file__).parents[1] / "src/citewell/text/passages/term_frequencies.txt"
_PASSAGE_CHARS, _LEAST_PASSAGE_CHARS = 500, 100
_LEAST_LETTERS = 2
_LEAST_COUNT = 3  # rarer stems weigh as much as unknown ones


def read_page_numbers(listed: Path | None) -> frozenset[str]:
    """The numbers of the pages to leave out."""
    lines = listed.read_text(encoding="utf-8").splitlines() if listed else []
    return frozenset(line.split("\t")[0] for line in lines)


def load_page_texts(folder: Path, skipped: frozenset[str]) -> list[str]:
    """The gold texts of the Web Content Extraction Benchmark, in the order of their numbers."""
    files = sorted((folder / "data/wcxb/dev/ground-truth").glob("*.json"))
    pages = [json.loads(file.read_text("utf-8")) for file in files if file.stem not in skipped]
    return [page["ground_truth"].get("main_content") or "" for page in pages]


def load_article_texts(folder: Path) -> list[str]:
    gold = json.loads((folder / "data/aeb/ground-truth.json").read_text("utf-8"))
    return [page["articleBody"] for page in gold.values()]


def count_stems(texts: Iterable[str]) -> tuple[int, Counter[str]]:
    """How many passages there are, and how many of them have each stem."""
    total, counts = 0, Counter[str]()
    for text in texts:
        for start in range(0, len(text), _PASSAGE_CHARS):
            passage = text[start : start + _PASSAGE_CHARS]
            if len(passage) < _LEAST_PASSAGE_CHARS:
                continue
            total += 1
            words = (
                word for word in word_forms.split_words(passage) if len(word) >= _LEAST_LETTERS
            )
            counts.update({word_forms.stem_word(word, "en") for word in words})
    return total, counts


def format_counts(total: int, counts: Counter[str]) -> str:
    """The total, then a line for each count with its stems, the highest first."""
    by_count: dict[int, list[str]] = {}
    for stem, count in counts.items():
        if count >= _LEAST_COUNT and stem.isascii() and len(stem) >= _LEAST_LETTERS:
            by_count.setdefault(count, []).append(stem)
    lines = (f"{count}\t{' '.join(sorted(by_count[count]))}" for count in sorted(by_count)[::-1])
    return "\n".join([str(total), *lines]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--without", type=Path)
    parser.add_argument("--target", type=Path, default=_TARGET)
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    texts = load_page_texts(given.folder, read_page_numbers(given.without))
    total, counts = count_stems([*texts, *load_article_texts(given.folder)])
    given.target.write_text(format_counts(total, counts), encoding="utf-8")
    _LOG.info("%d passages, %d bytes", total, given.target.stat().st_size)


if __name__ == "__main__":
    main()
