"""Detects the language of a text by its script and, if languages share one, by function words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache

from citewell.core.lazy_patterns import compile_on_use
from citewell.text.data_tables import load_table
from citewell.text.language.scripts import load_script_letters
from citewell.text.language.word_forms import list_stopwords

_MAX_SAMPLE_CHARS = 8000  # characters; a longer sample does not change the result
_MIN_SAMPLE_WORDS = 5  # words, or letters in a script without spaces
_MIN_FUNCTION_WORD_SHARE = 0.06  # of all words must be function words; a list of names has fewer
_MIN_LEAD_RATIO = 1.08  # times the score of the second language
_CODE_AND_LINK_PATTERN = compile_on_use(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\]\([^()\s]*+\)|(?:https?://|www\.)\S+|&\w+;"
    r"|\b[A-Z]\.(?:[A-Z]\.)+",  # the letters of "U.S." are words in other languages
    re.DOTALL,
)
_LETTER_WORD_PATTERN = compile_on_use(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LATIN_RUN_PATTERN = compile_on_use(r"[\x00-\u024f\u1e00-\u1eff\u2000-\u20ff]+")

# Weight of a letter by script. Latin counts less, because most texts quote Latin names.
_SCRIPT_WEIGHTS = {"latin": 1 / 3, "han": 2.0, "kana": 2.0, "ko": 2.0}


_COMMON_LETTERS_BY_SCRIPT = {
    "latin": frozenset("abcdefghijklmnopqrstuvwxyz'’"),
    "cyrillic": frozenset("абвгдежзийклмнопрстуфхцчшщьюя'’"),
    "arabic": frozenset("ابتثجحخدذرزسشصضطظعغفقلمنهوءئؤآ"),
}


def detect_language(text: str) -> str | None:
    """The ISO 639-1 code of the language; None if the text is too short or unclear."""
    sample = _CODE_AND_LINK_PATTERN.sub(" ", text[: 2 * _MAX_SAMPLE_CHARS])[
        :_MAX_SAMPLE_CHARS
    ].lower()
    script = _detect_main_script(sample)
    if script in _COMMON_LETTERS_BY_SCRIPT:
        return _detect_by_words(sample, script)
    return {"kana": "ja", "han": "zh"}.get(script, script) or None


def _detect_main_script(sample: str) -> str:
    """The main script, or empty if there are too few letters; some kana among Han is Japanese."""
    patterns = _compile_script_patterns()
    counts = Counter(latin=sum(map(len, patterns["latin"].findall(sample))))
    rest = _LATIN_RUN_PATTERN.sub("", sample)
    if rest:
        others = {name: sum(map(len, found.findall(rest))) for name, found in patterns.items()}
        counts.update({name: count for name, count in others.items() if name != "latin"})
    if counts["kana"] * 12 > counts["han"]:
        counts["kana"] += counts["han"]
    weighed = {name: count * _SCRIPT_WEIGHTS.get(name, 1.0) for name, count in counts.items()}
    best = max(weighed, key=lambda name: weighed[name])
    return best if counts[best] >= _MIN_SAMPLE_WORDS else ""


def _detect_by_words(sample: str, script: str) -> str | None:
    own = re.compile(f"[{load_script_letters()[script]}]")
    words = Counter(word for word in _LETTER_WORD_PATTERN.findall(sample) if own.match(word))
    total = words.total()
    if total < _MIN_SAMPLE_WORDS:
        return None
    scores = _score_languages(words, script)
    first, second = sorted(scores, key=lambda code: -scores[code])[:2]
    sure = scores[first] >= max(1.0, _MIN_FUNCTION_WORD_SHARE * total)
    return first if sure and scores[first] > _MIN_LEAD_RATIO * max(scores[second], 0.0) else None


def _score_languages(words: Counter[str], script: str) -> dict[str, float]:
    """A score for each language: its function words, each divided by the languages sharing it."""
    spoken, spread = _collect_function_words(script)
    marked = Counter[frozenset[str]]()
    for word, count in words.items():
        if beyond := frozenset(word) - _COMMON_LETTERS_BY_SCRIPT[script]:
            marked[beyond] += count
    return {
        code: sum(words[word] / spread[word] for word in spoken[code] & words.keys())
        + _score_spelling(marked, script, code)
        for code in spoken
    }


def _score_spelling(marked: Counter[frozenset[str]], script: str, code: str) -> float:
    """A score for special letters; negative for words with letters the language does not have."""
    own, shared = (
        frozenset(_load_languages(script)[code]["letters"]),
        _count_letter_languages(script),
    )
    score = 0.0
    for letters, count in marked.items():
        rarest = min(shared[letter] for letter in letters) if letters <= own else -1
        score += 0.5 * count / rarest
    return score


@cache
def _collect_function_words(script: str) -> tuple[dict[str, frozenset[str]], Counter[str]]:
    spoken = {
        code: list_stopwords(code).union(tongue["words"].split())
        for code, tongue in _load_languages(script).items()
    }
    return spoken, Counter(word for words in spoken.values() for word in words)


@cache
def _count_letter_languages(script: str) -> Counter[str]:
    """Letters beyond the basic alphabet, with the number of languages that use each."""
    languages = _load_languages(script).values()
    return Counter(letter for tongue in languages for letter in tongue["letters"])


def _load_languages(script: str) -> Mapping[str, Mapping[str, str]]:
    """For each language its letters beyond the basic alphabet and its words beyond the stop-words."""
    languages: Mapping[str, Mapping[str, str]] = load_table(__package__, "function_words")[script]
    return languages


@cache
def _compile_script_patterns() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(f"[{ranges}]+") for name, ranges in load_script_letters().items()}
