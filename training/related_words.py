"""Finds English words with a near meaning by a sentence encoder, and writes related_words.txt.

Run: PYTHONPATH=src python training/related_words.py FOLDER ENCODER WORDNET [--without PAGES]

FOLDER and PAGES are those of term_frequencies.py: common words are taken from the gold texts of the Web
Content Extraction Benchmark by Murrough Foley (CC BY 4.0). ENCODER is a folder with all-MiniLM-L6-v2
(Apache-2.0) in 8 bits: model.onnx and tokenizer.json. WORDNET is the folder of WordNet 3.0 by Princeton
University (WordNet 3.0 licence, permissive), such as /usr/share/wordnet of Debian's wordnet-base; of it
only cntlist.rev is used, to choose more words that are in use. Needs the extra `semantic`.
"""

from __future__ import annotations

import argparse
import base64
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from term_frequencies import load_page_texts, read_page_numbers

from citewell.evidence.encoding.onnx_model import embed_model_texts
from citewell.text.language import word_forms

_LOG = logging.getLogger("related_words")
_TARGET = Path(__file__).parents[1] / "src/citewell/text/passages/related_words.txt"
_LEAST_LETTERS = 3
_LEAST_COUNT = 4
_MOST_SENSE_COUNT = 5  # a word of WordNet counts at most this much for each part of speech
_MOST_NEIGHBOURS = 10
_LEAST_COSINE = 0.55
_ROWS_AT_ONCE = 1000


def is_plain_word(word: str) -> bool:
    return word.isalpha() and word.isascii() and len(word) >= _LEAST_LETTERS


def count_page_words(texts: Iterable[str]) -> Counter[str]:
    counts = Counter[str]()
    for text in texts:
        counts.update(word for word in word_forms.split_words(text) if is_plain_word(word))
    return counts


def count_senses(wordnet: Path) -> Counter[str]:
    """How often a text tagged with WordNet's senses has each lemma, up to a limit."""
    tagged = Counter[tuple[str, str]]()
    for line in (wordnet / "cntlist.rev").read_text("latin-1").splitlines():
        sense, _, number = line.split()[:3]
        lemma, _, rest = sense.partition("%")
        tagged[lemma, rest[:1]] += int(number)
    counts = Counter[str]()
    for (lemma, _), count in tagged.items():
        if is_plain_word(lemma):
            counts[lemma] += min(count, _MOST_SENSE_COUNT)
    return counts


def choose_spellings(counts: Counter[str]) -> dict[str, str]:
    """For each stem that is common enough, its most frequent word."""
    plain = word_forms.list_stopwords("en")
    chosen: dict[str, str] = {}
    for word, count in counts.most_common():
        if count >= _LEAST_COUNT and word not in plain:
            chosen.setdefault(word_forms.stem_word(word, "en"), word)
    return chosen


def embed_words(words: Sequence[str], encoder: Path) -> Any:
    """Vectors of length 1 as an array, one row for each word."""
    files = str(encoder / "model.onnx"), str(encoder / "tokenizer.json")
    made = embed_model_texts(*files, tuple(words), takes_first=False)
    packed = np.frombuffer(base64.b64decode(made.packed), dtype=np.int8)
    rows = packed.reshape(len(words), made.dimensions).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def list_related_lines(stems: Sequence[str], vectors: Any) -> Iterator[str]:
    """A line for each stem that has neighbours, the nearest first, in hundredths of the cosine."""
    for start in range(0, len(stems), _ROWS_AT_ONCE):
        for place, row in enumerate(vectors[start : start + _ROWS_AT_ONCE] @ vectors.T, start):
            near = [int(other) for other in np.flatnonzero(row > _LEAST_COSINE) if other != place]
            near.sort(key=lambda other: (-round(float(row[other]), 3), stems[other]))
            if near:
                told = (
                    f"{stems[one]}:{round(100 * float(row[one]))}"
                    for one in near[:_MOST_NEIGHBOURS]
                )
                yield f"{stems[place]} {' '.join(told)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("folder", "encoder", "wordnet"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--without", type=Path)
    parser.add_argument("--target", type=Path, default=_TARGET)
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    texts = load_page_texts(given.folder, read_page_numbers(given.without))
    counts = count_page_words(texts)
    counts.update(count_senses(given.wordnet))
    chosen = choose_spellings(counts)
    lines = sorted(list_related_lines(list(chosen), embed_words([*chosen.values()], given.encoder)))
    given.target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    _LOG.info("%d words, %d bytes", len(chosen), given.target.stat().st_size)


if __name__ == "__main__":
    main()
