"""Titles compared as people cite them: other case, spelling, markup, a subtitle less, a few letters wrong."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache

from citewell.text import stopwords, tokens
from citewell.text.markup import clean
from citewell.text.scripts import UNSPACED

_GREEK = dict(zip(
    "αβγδεζηθικλμνξοπρστυφχψω",
    ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu",
     "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
    strict=True,
))  # fmt: skip
_LETTERS = str.maketrans({
    "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i",
    "ħ": "h", "ŋ": "ng", "ς": "σ", "µ": "μ", "’": "'", "ʼ": "'", "&": " and ",
})  # fmt: skip
_TEX = re.compile(r"\\[a-zA-Z]+|[${}\\^_~]")
_WORD = re.compile(r"[^\W_]+")
_PLURAL_STOPS = ("en", "de", "fr", "es", "it", "pt", "nl")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_LATIN = re.compile(r"[a-zà-öø-ÿ]", re.IGNORECASE)
_TRANSLATED = re.compile(r"^\s*\[(.*)\]\.?\s*(?:\[.*\])?\s*$", re.DOTALL)
_SPOKEN = re.compile(r"\[(?:article|text) in [^\]]+\]", re.IGNORECASE)
_CUT = re.compile(r"(?:\.{3}|…)\s*$")
_SUBTITLE = re.compile(r"\s*[:–—?!.(]\s*| - ")
_LONG = 10  # letters of a beginning that is one by itself
_ENOUGH = 4  # telling words that are no other title's beginning by chance
_NUMBERED = re.compile(r"^\W*(?:\d{1,3}\b)?\W*")
# A name as references write it first: a word with a capital, then initials, a comma or another name.
_NAME = re.compile(
    r"((?:(?:van|von|der|de|da|di|del|la|le|al|el|bin|ibn|ter|ten|den|dos|du)[ -])*[A-ZÀ-Þ][\w'’-]{2,})"
    r"(?=,? (?:[A-ZÀ-Þ]\.|[A-ZÀ-Þ]{1,3}\b|et al|[A-ZÀ-Þ][\w'’-]+[,.;]| ?\())"
)
_DATED = re.compile(r"(.{3,500}?)\s*\(\s*(?:1[5-9]|20)\d\d[a-z]?\b")
_LONGEST_HEAD = 2000  # characters of names before a title
_ALIKE = 0.84  # of two words' letters in common, for one to be the other misspelt
_FUZZY = 5  # letters below which a word is never taken for another
_LONGEST = 600  # characters of a title that are looked at


def fold(text: str) -> str:
    """Lower case without accents, ligatures, markup; Greek letters by name."""
    return _folded(text[: 4 * _LONGEST])


@lru_cache(maxsize=4096)  # one reference is held against many candidates, many times over
def _folded(text: str) -> str:
    text = clean(text)
    if text.isascii():
        return text.lower().translate(_LETTERS)
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_LETTERS)
    parts = unicodedata.normalize("NFKD", plain)
    bare = "".join(char for char in parts if not unicodedata.combining(char))
    return "".join(_GREEK.get(char, char) for char in unicodedata.normalize("NFC", bare))


def bare(title: str) -> str:
    """A title without the marks that catalogues set around a translated one."""
    text = _SPOKEN.sub(" ", title)
    match = _TRANSLATED.match(text)
    return " ".join((match[1] if match else text).split())


def translated(title: str) -> bool:
    """Whether a catalogue says by its brackets that this is not the work's own title."""
    return bool(_TRANSLATED.match(_SPOKEN.sub(" ", title)) or _SPOKEN.search(title))


def telling(text: str) -> tuple[str, ...]:
    """The words that a title is known by, in order: no small words, nothing of one or two letters."""
    return _telling(fold(_TEX.sub(" ", text))[:_LONGEST])


@lru_cache(maxsize=4096)
def _telling(folded: str) -> tuple[str, ...]:
    found = (word for run in _WORD.findall(folded) for word in tokens.words(run))
    return tuple(dict.fromkeys(word for word in found if _tells(word)))


def absent(wanted: Iterable[str], text: str) -> tuple[str, ...]:
    """Those telling words that a text does not have, in whatever spelling."""
    held = _held(text)
    return tuple(word for word in wanted if not _in(word, held))


def coverage(title: str, text: str) -> float:
    """How much of a title's telling words a text has; 0 for a title that has none."""
    wanted = telling(bare(title))
    return 1 - len(absent(wanted, text)) / len(wanted) if wanted else 0.0


def begins(short: str, long: str) -> bool:
    """Whether one title is the beginning of the other: a subtitle left out, or cut short."""
    first, second = _run(_CUT.sub("", bare(short))), _run(bare(long))
    if not first or not second.startswith(first):
        return False
    if len(first) >= _LONG and (_CUT.search(short) or len(telling(short)) >= _ENOUGH):
        return True
    return first == _run(_SUBTITLE.split(bare(long), maxsplit=1)[0])


def same(one: str, other: str) -> bool:
    """Whether two titles have the same letters and digits in the same order."""
    first = _run(bare(one))
    return bool(first) and first == _run(bare(other))


def before(title: str, text: str) -> str:
    """The name that stands in a reference before its year or title; empty where none can be made out."""
    first = _NAME.match(_NUMBERED.sub("", _head(title, text)))
    return first[1] if first else ""


def _head(title: str, text: str) -> str:
    if dated := _DATED.match(text):
        return dated[1]
    wanted = telling(bare(title))
    places = [match.start() for word in wanted[:2] for match in _places(word, text)]
    return text[: min(places)][:_LONGEST_HEAD] if len(wanted) > 2 and places else ""


def _places(word: str, text: str) -> list[re.Match[str]]:
    return list(re.finditer(rf"\b{re.escape(word)}", _folded_in_place(text)))


def _folded_in_place(text: str) -> str:
    """Lower case without accents, character for character."""
    return "".join(unicodedata.normalize("NFKD", char)[0].lower() for char in text)


def script(text: str) -> str:
    """`latin`, `unspaced` or `other`: titles in different ones cannot be compared."""
    if _UNSPACED.search(text):
        return "unspaced"
    return "latin" if _LATIN.search(unicodedata.normalize("NFKD", text)) else "other"


def _tells(word: str) -> bool:
    if _UNSPACED.match(word):
        return True
    return len(word) >= 3 and not any(word in stopwords.listed(code) for code in _PLURAL_STOPS)


@lru_cache(maxsize=512)
def _held(text: str) -> tuple[frozenset[str], frozenset[str], str]:
    """A text's words, their stems, and all its letters in one run."""
    words = frozenset(telling(text))
    return words, frozenset(map(_stem, words)), _run(text)


def _in(word: str, held: tuple[frozenset[str], frozenset[str], str]) -> bool:
    words, stems, run = held
    if word in words or _stem(word) in stems:
        return True
    if len(word) >= _FUZZY and word in run:  # microRNA and micro RNA, co-operation and cooperation
        return True
    return len(word) >= _FUZZY and any(_misspelt(word, other) for other in words)


def _misspelt(word: str, other: str) -> bool:
    if len(other) < _FUZZY or word[0] != other[0] or abs(len(word) - len(other)) > 2:
        return False
    return SequenceMatcher(None, word, other, autojunk=False).ratio() >= _ALIKE


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    return next(iter(tokens.terms(word, language="en")), word)


def _run(text: str) -> str:
    return "".join(_WORD.findall(fold(_TEX.sub(" ", text))[:_LONGEST]))
