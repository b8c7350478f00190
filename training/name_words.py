"""Finds the English stems that are written with a capital inside sentences, and writes name_words.txt.

Run: PYTHONPATH=src python training/name_words.py FOLDER

FOLDER is that of term_frequencies.py. Only stems that term_frequencies.txt has are listed: a stem that it
does not have is rare, and a capital alone shows that it is a name.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path

from term_frequencies import load_article_texts, load_page_texts

from citewell.text.data_tables import load_table
from citewell.text.language import word_forms
from citewell.text.passages.term_weights import load_frequencies

_TARGET = Path(__file__).parents[1] / "src/citewell/evidence/comparison/name_words.txt"
_INNER_WORD_PATTERN = re.compile(r"(?<=[a-z] )[A-Za-z][a-z]+\b")  # after a word without a capital
_LEAST_CAPITALS = 2
_LEAST_CAPITAL_SHARE = 0.85


def list_name_stems(texts: list[str]) -> list[str]:
    capitals, total = Counter[str](), Counter[str]()
    for text in texts:
        for match in _INNER_WORD_PATTERN.finditer(text):
            stem = word_forms.stem_word(match[0].lower(), "en")
            total[stem] += 1
            capitals[stem] += match[0][0].isupper()
    known, _ = load_frequencies()
    ordinary = frozenset(load_table("citewell.evidence.comparison", "name_words")["ordinary"])
    return sorted(
        stem
        for stem, count in capitals.items()
        if stem in known
        and stem not in ordinary  # words that pages have mostly in the names of brands
        and count >= _LEAST_CAPITALS
        and count >= _LEAST_CAPITAL_SHARE * total[stem]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    texts = [*load_page_texts(folder, frozenset()), *load_article_texts(folder)]
    _TARGET.write_text("\n".join(list_name_stems(texts)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
