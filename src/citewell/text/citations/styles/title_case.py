"""English titles with capitals as MLA and Chicago write them."""

from __future__ import annotations

import re

# Articles, conjunctions and prepositions, which stay small inside a title.
_SMALL_WORD_LIST = (
    "a about above across afore after against al along alongside amid amidst among amongst an and"
    " around as aside astride at atop barring before behind below beneath beside besides between"
    " beyond but by c ca circa d de despite down during et except for from given in inside into lest"
    " like modulo near next nor notwithstanding of off on onto or out over per plus pro qua sans"
    " since so than the through throughout thru till to toward towards under underneath until unto up"
    " upon v van versus via von vs with within without yet"
)
_SMALL_WORDS = frozenset(_SMALL_WORD_LIST.split())
_TITLE_TOKEN_PATTERN = re.compile(r"[-–—/.,;?!:\[\]()‘’“”\"']|\s+|[^-–—/.,;?!:\[\]()‘’“”\"'\s]+")
_HOST_PATTERN = re.compile(r"[a-z0-9-]{1,63}\.[a-z0-9-]{0,60}[a-z]{2}")
_MAX_HOST_TOKENS = 12
_INNER_MARKS = frozenset("’'\".")
_FRESH_START_MARKS = frozenset("?!:")


def capitalize_headline(text: str, language: str) -> str:
    """An English title with capitals as in MLA and Chicago; no letter is made lower-case.

    Titles in other languages are returned unchanged.
    """
    if not language.lower().startswith("en"):
        return text
    tokens = _TITLE_TOKEN_PATTERN.findall(text)
    begins, last = True, -1
    for place, token in enumerate(tokens):
        if not token[0].isspace() and not _TITLE_MARK.fullmatch(token):
            if not _goes_on(tokens, place) and not _begins_host(tokens, place):
                tokens[place] = _capitalize_word(token, begins=begins)
            begins, last = False, place
        elif token in _FRESH_START_MARKS:
            begins = True
    if last >= 0 and len(tokens[last]) > 1 and tokens[last] in _SMALL_WORDS:
        tokens[last] = _raise_first_letter(tokens[last])
    return "".join(tokens)


_TITLE_MARK = re.compile(r"[-–—/.,;?!:\[\]()‘’“”\"']")


def _capitalize_word(word: str, *, begins: bool) -> str:
    if word != word.lower():
        return word
    is_small = word in _SMALL_WORDS or len(word) == 1
    return word if is_small and not begins else _raise_first_letter(word)


def _raise_first_letter(word: str) -> str:
    lone_greek = len(word) == 1 and "\u0370" <= word <= "\u03ff"
    return word if lone_greek else word[:1].upper() + word[1:]


def _begins_host(tokens: list[str], place: int) -> bool:
    """Whether the word begins a host or file name such as my-site.example.org, which keeps its letters."""
    rest = "".join(tokens[place : place + _MAX_HOST_TOKENS])
    return bool(_HOST_PATTERN.match(rest))


def _goes_on(tokens: list[str], place: int) -> bool:
    """Whether a mark inside a word comes before: l’homme, o’clock, example.org, or an accent in LaTeX."""
    if place < 2 or tokens[place - 1] not in _INNER_MARKS:
        return False
    before = tokens[place - 2][-1]
    return before.isalnum() or before == "\\"
