"""Estimates how many passages have each German and Spanish stem, and which stems are names.

Run: PYTHONPATH=src python training/foreign_terms.py FOLDER

FOLDER holds `de_lexeme_prob.json.gz`, `en_…` and `es_…` of the PyPI package spacy-lookups-data 1.0.5 by
ExplosionAI (MIT): the chances of a million words, as written. The files have the shape of term_frequencies.txt;
names have a capital.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import exp
from pathlib import Path

from citewell.text.language import word_forms

_TARGETS = Path(__file__).parents[1] / "src/citewell/text/passages"
_WORDS_BY_PASSAGE = {"de": 70, "es": 82}  # of 500 characters, as in term_frequencies.py
_PASSAGES = 21_859  # as many as term_frequencies.txt counts, so that the weights are comparable
_LEAST_COUNT, _LEAST_LETTERS = 3, 2
_LEAST_NAME_SHARE = 0.6  # of the words of a stem, which may be of several: Berlin, Berliner
_LEAST_CAPITAL_SHARE = 0.85
# German writes all nouns with a capital. There a name is a word that English or Spanish writes so as well, at least this
# often compared with German, and in which hardly any compounds end: "Schiff" and "Richter" are surnames elsewhere.
_LEAST_FOREIGN_SHARE, _LEAST_FOREIGN_CAPITALS = 0.005, 0.75
_MOST_COMPOUNDS, _LEAST_ADDED_LETTERS, _LEAST_END_LETTERS = 12, 3, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class WordChance:
    total: float = 0.0
    capital: float = 0.0

    def is_capital(self, least: float = _LEAST_CAPITAL_SHARE) -> bool:
        return self.total > 0 and self.capital >= least * self.total


def load_chances(folder: Path, code: str) -> dict[str, WordChance]:
    """The chance of each word in small letters, and of its forms with a capital."""
    packed = (folder / f"{code}_lexeme_prob.json.gz").read_bytes()
    found: dict[str, WordChance] = {}
    for word, logarithm in json.loads(gzip.decompress(packed)).items():
        if not word.isalpha():
            continue
        before, chance = found.get(word.lower(), WordChance()), exp(logarithm)
        found[word.lower()] = WordChance(
            total=before.total + chance,
            capital=before.capital + chance * word[0].isupper(),
        )
    return found


def list_names(code: str, by_code: Mapping[str, Mapping[str, WordChance]]) -> Iterator[str]:
    capitals = (word for word, chance in by_code[code].items() if chance.is_capital())
    if code != "de":
        yield from capitals
        return
    others = [words for other, words in by_code.items() if other != code]
    compounds = count_compounds(by_code[code])
    for word in capitals:
        foreign = [words[word] for words in others if word in words]
        joined = WordChance(
            total=sum(one.total for one in foreign), capital=sum(one.capital for one in foreign)
        )
        if (
            joined.is_capital(_LEAST_FOREIGN_CAPITALS)
            and joined.total >= _LEAST_FOREIGN_SHARE * by_code[code][word].total
            and compounds[word] <= _MOST_COMPOUNDS
        ):
            yield word


def count_compounds(words: Iterable[str]) -> Counter[str]:
    """How many words end in each ending."""
    return Counter(
        word[at:]
        for word in words
        for at in range(_LEAST_ADDED_LETTERS, len(word) - _LEAST_END_LETTERS + 1)
    )


def format_stems(code: str, by_code: Mapping[str, Mapping[str, WordChance]]) -> str:
    names = frozenset(list_names(code, by_code))
    total, named = defaultdict[str, float](float), defaultdict[str, float](float)
    for word, chance in by_code[code].items():
        stem = word_forms.stem_word(word, code)
        total[stem] += chance.total
        named[stem] += chance.total * (word in names)
    by_count: dict[int, list[str]] = {}
    for stem, share in total.items():
        count = round(_PASSAGES * (1 - (1 - min(1.0, share)) ** _WORDS_BY_PASSAGE[code]))
        if count >= _LEAST_COUNT and len(stem) >= _LEAST_LETTERS:
            is_name = named[stem] >= _LEAST_NAME_SHARE * share
            by_count.setdefault(count, []).append(stem.capitalize() if is_name else stem)
    lines = (f"{count}\t{' '.join(sorted(by_count[count]))}" for count in sorted(by_count)[::-1])
    return "\n".join([str(_PASSAGES), *lines]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    by_code = {code: load_chances(folder, code) for code in ("de", "en", "es")}
    for code in _WORDS_BY_PASSAGE:
        target = _TARGETS / f"term_frequencies_{code}.txt"
        target.write_text(format_stems(code, by_code), encoding="utf-8")


if __name__ == "__main__":
    main()
