"""Lists the words of a sentence that are names: by their capitals, or, where those do not tell, by tables.

German writes every noun with a capital, and the first word of a sentence has one in any language. There a
word is a name if the table of its language has it as one, or has neither it nor a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from citewell.text.language import stopwords, tokens
from citewell.text.passages.term_weights import (
    knows_frequencies,
    load_frequencies,
    load_name_stems,
)

NOUN_CAPITAL_CODES = frozenset(("de", "lb"))
CAPITAL_WORD_PATTERN = re.compile(r"\b[A-ZÀ-Þ][\w’']++")
# A capital inside a sentence, a word of capitals, or one of letters and digits.
_INNER_NAME_PATTERN = re.compile(
    r"(?<=[\w,;:’'\"”)] )[A-Z][\w’'-]*+|\b[A-Z]{2,}+\b|\b(?=[^\W\d]*+\d)(?=\d*+[^\W\d])\w++"
)
# What stands before an ordinary noun and hardly ever before a name without an ordinary word in it.
_ARTICLE_PATTERN = re.compile(
    r"\b(?:[dD](?:er|ie|as|es|em|en)|(?:[kK]|[mMsS])?[eE]in(?:e[mnrs]?)?|[iIaA]m|[zZ]u[mr]|[bBvV][eo]i?m|[aAiI]ns|[iI]hre?[mnrs]?|[dD]iese?[mnrs]?) \Z"
)
_MIN_START_LETTERS, _MIN_END_LETTERS = 5, 4  # of a part that shows an ordinary compound
_MAX_ARTICLE_CHARS = 8
_CACHED_WORDS = 2**14


def list_capital_names(text: str, *, language: str | None = None) -> list[str]:
    """The names as written, in text order; in German the parts of hyphenated ones apart."""
    code = (language or "en")[:2]
    if code in NOUN_CAPITAL_CODES:
        return list(_list_noun_names(text, code))
    names = [match[0] for match in _INNER_NAME_PATTERN.finditer(text)]
    first = CAPITAL_WORD_PATTERN.match(text) if code != "en" else None
    if first is not None and (_is_known_name(first[0], code) or _is_strange_word(first[0], code)):
        names.insert(0, first[0])
    return names


def _list_noun_names(text: str, code: str) -> Iterator[str]:
    for match in CAPITAL_WORD_PATTERN.finditer(text):
        before = text[max(0, match.start() - _MAX_ARTICLE_CHARS) : match.start()]
        if _is_known_name(match[0], code) or (
            _is_strange_word(match[0], code) and not _ARTICLE_PATTERN.search(before)
        ):
            yield match[0]


def _is_known_name(word: str, code: str) -> bool:
    return knows_frequencies(code) and tokens.stem_word(word.lower(), code) in load_name_stems(code)


@lru_cache(maxsize=_CACHED_WORDS)
def _is_strange_word(word: str, code: str) -> bool:
    """Whether the table of a language has neither a word nor a word that it may be made of."""
    if not knows_frequencies(code) or word.lower() in stopwords.list_stopwords(code):
        return False
    stem = tokens.stem_word(word.lower(), code)
    known = _list_ordinary_stems(code)
    ends = (stem[at:] for at in range(1, len(stem) - _MIN_END_LETTERS + 1))
    starts = (stem[:at] for at in range(_MIN_START_LETTERS, len(stem)))
    return not any(part in known for part in (stem, *ends, *starts))


@cache
def _list_ordinary_stems(code: str) -> frozenset[str]:
    return frozenset(load_frequencies(code)[0]) - load_name_stems(code)
