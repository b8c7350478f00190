"""The language of a text that does not say it: by its script, else by its commonest words."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from citewell.text import scripts, stopwords
from citewell.text.tokens import words

# Kana before Han, for Japanese is written in both.
_BY_SCRIPT = ("ja", "ko", "zh", "th", "el", "he", "hi", "ka", "hy", "ar")
_BY_WORDS = ("en", "de", "es", "fr", "it", "nl", "pt", "ru")
_LOOKED_AT = 20_000  # characters
_ENOUGH = 20  # letters or words below which a text says nothing of its language
_SHARE = 0.12  # of the words; prose in a listed language has twice as many of its stop-words


def guess(text: str) -> str | None:
    """An ISO 639-1 code, or None when nothing speaks for one."""
    head = text[:_LOOKED_AT]
    return _by_script(head) or _by_words(head)


def _by_script(head: str) -> str | None:
    letters = [char for char in head if char.isalpha()]
    # Whatever is quoted in it, a text in ASCII letters for the most part is in none of these.
    if len(letters) < _ENOUGH or sum(char.isascii() for char in letters) * 2 > len(letters):
        return None
    return next((code for code in _BY_SCRIPT if scripts.written_in(head, code)), None)


def _by_words(head: str) -> str | None:
    counts = Counter(islice(words(head), _LOOKED_AT))
    total = counts.total()
    if total < _ENOUGH:
        return None
    shares = {
        code: sum(counts[word] for word in stopwords.listed(code)) / total for code in _BY_WORDS
    }
    best = max(shares, key=lambda code: shares[code])
    return best if shares[best] >= _SHARE else None
