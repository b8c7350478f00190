"""Guesses the language of a text by its script or by its stop-words."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from citewell.text.language import scripts, stopwords
from citewell.text.language.tokens import split_words

# Japanese before Chinese, because it uses Han characters too.
_SCRIPT_LANGUAGES = ("ja", "ko", "zh", "th", "el", "he", "hi", "ka", "hy", "ar")
_STOPWORD_LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pt", "ru")
_SAMPLE_CHARS = 20_000  # characters
_MIN_SAMPLE_UNITS = 20  # letters or words; a shorter text is not judged
_MIN_STOPWORD_SHARE = 0.12  # of the words; prose has twice as many stop-words of its language


def guess_language(text: str) -> str | None:
    """An ISO 639-1 code; None if the language cannot be guessed."""
    head = text[:_SAMPLE_CHARS]
    return _guess_by_script(head) or _guess_by_stopwords(head)


def _guess_by_script(head: str) -> str | None:
    letters = [char for char in head if char.isalpha()]
    # A text mostly in ASCII letters is in none of these languages, whatever it quotes.
    if len(letters) < _MIN_SAMPLE_UNITS or sum(char.isascii() for char in letters) * 2 > len(
        letters
    ):
        return None
    return next((code for code in _SCRIPT_LANGUAGES if scripts.can_be_written_in(head, code)), None)


def _guess_by_stopwords(head: str) -> str | None:
    counts = Counter(islice(split_words(head), _SAMPLE_CHARS))
    total = counts.total()
    if total < _MIN_SAMPLE_UNITS:
        return None
    shares = {
        code: sum(counts[word] for word in stopwords.list_stopwords(code)) / total
        for code in _STOPWORD_LANGUAGES
    }
    best = max(shares, key=lambda code: shares[code])
    return best if shares[best] >= _MIN_STOPWORD_SHARE else None
