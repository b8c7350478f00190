"""Splits text in any script into sentences, with their offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from citewell.core.lazy_patterns import compile_on_use
from citewell.text.data_tables import load_table
from citewell.text.language import word_forms
from citewell.text.language.scripts import HAN_KANA_RANGES

_LAST_WORD_PATTERN = compile_on_use(r"[^\s(\[\"'“‘„«—–]+\Z")
_DOTTED_LETTERS_PATTERN = compile_on_use(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}\Z")
_ORDINAL_PATTERN = compile_on_use(r"\d{1,2}\Z|[IVX]{2,5}\Z")

_CLOSING_CHARS = "\"'”’»›)\\]*_"
_WIDE_CLOSING_CHARS = "」』”’）》】〕"
# In this order: a stop before a space, a stop glued to the next word, stops that need no space, an
# item separator, a line end. Each starts with a character set, so that `re` skips other characters.
_SENTENCE_END_PATTERN = compile_on_use(
    rf"(?P<stop>(?<![.!?…;])[.!?…;]++)[{_CLOSING_CHARS}]*+(?:\[\^?\d{{1,3}}\])*+(?=\s|$|(?<=[!?])[{HAN_KANA_RANGES}])"
    r"|(?P<glued>[.])(?=[A-Z])"
    rf"|(?P<wide>[。！？｡．]+|(?<!…)…++(?=[{HAN_KANA_RANGES}]))[{_WIDE_CLOSING_CHARS}]*"
    r"|(?P<mark>[।॥؟۔։።။។᠃\u037e]+)[\"'”’»)]*"
    r"|(?P<item>[·•|](?=\s))"
    r"|(?P<line>\n)"
)
_SENTENCE_LEAD_PATTERN = compile_on_use(r"\s*[\"'“‘„«‹(\[¿¡*_#>–—-]*\s?")
_NEXT_WORD_PATTERN = compile_on_use(r"[^\W\d_][^\W_]*(?:['’][^\W\d_]+)?")
_SPEECH_VERB_PATTERN = compile_on_use(
    r"(?:[^\W\d_]+\.? ){1,3}(?:said|asked|replied|added|says|asks|wrote|told|cried|answered)\b"
)
_LIST_MARKER_PATTERN = compile_on_use(
    r"\s*(?:[-*+>#]+\s+)*[(\[]?(?:\d{1,3}|[ivxlcIVXLC]{1,5}|[a-zA-Z])\Z"
)
_BRACKETED_ITEM_PATTERN = compile_on_use(r"\s+[(\[](?:[a-z]|[ivx]{1,5})[)\]]\s")
_STRUCTURED_LINE_PATTERN = compile_on_use(
    r"\s*(?:[-*+•·▪◦]\s|\d{1,3}[.)]\s|#{1,6}\s|>|\||```|~~~|\[\^?\w+\]:)"
)
_BRACKETED_ELLIPSIS_PATTERN = compile_on_use(r"[(\[]\s?(?:\.{3,}|…)[)\]]\Z")
_MIN_WRAPPED_CHARS, _MAX_WRAPPED_CHARS = 45, 160  # characters; the length of lines in wrapped text
_MAX_LOOK_BACK_CHARS = 48  # characters before a stop; no abbreviation is longer
_PLAIN_WORD_PATTERN = compile_on_use(r"(?:\A|[\s(])[^\W\d_]{4,}\Z")
# After a quotation these continue the sentence in Japanese.
_JAPANESE_QUOTE_PARTICLES = frozenset("とっ")


def split_sentences(text: str) -> list[str]:
    """The sentences in order; a full stop after an initial or abbreviation does not end one."""
    return [text[start:end] for start, end in find_sentence_spans(text)]


def find_sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Start and end offsets of each sentence, without surrounding whitespace."""
    return tuple(_trim_sentence_spans(text, _find_sentence_cuts(text)))


def _trim_sentence_spans(text: str, cuts: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    start = 0
    for end, following in cuts:
        piece = text[start:end]
        bare = piece.lstrip()
        if kept := bare.rstrip():
            begin = start + len(piece) - len(bare)
            yield begin, begin + len(kept)
        start = following


def _find_sentence_cuts(text: str) -> Iterator[tuple[int, int]]:
    """The offset where each sentence ends, and the offset where the next may start."""
    start = 0
    for match in _SENTENCE_END_PATTERN.finditer(text):
        kind, end = match.lastgroup, match.end()
        if kind == "item":
            if not text[match.start() - 1 : match.start()].isspace():
                continue
            cut = (match.start(), end)
        elif kind == "line":
            if _is_wrapped_line(text, match.start()):
                continue
            cut = (match.start(), end)
        elif _is_sentence_end(text, match, kind or "", start):
            cut = (end, end)
        else:
            continue
        yield cut
        start = cut[1]
    yield len(text), len(text)


def _is_sentence_end(text: str, match: re.Match[str], kind: str, start: int) -> bool:
    if kind == "mark":
        return True
    if kind == "glued":  # a missing space: only if the next word commonly opens a sentence
        before = text[max(0, match.start() - 3) : match.start()]
        ahead = _NEXT_WORD_PATTERN.match(text, match.end())
        opens = ahead is not None and ahead[0] != "I" and is_sentence_opener(ahead[0])
        return opens and len(before) == 3 and before.isalpha() and before.islower()
    if kind == "wide":
        closed = match.end() > match.end("wide")
        return not (closed and text[match.end() : match.end() + 1] in _JAPANESE_QUOTE_PARTICLES)
    return _is_spaced_sentence_end(text, match, start)


def _is_spaced_sentence_end(text: str, match: re.Match[str], start: int) -> bool:
    """Whether a stop before a space ends a sentence, judged by the words before and after it."""
    lead = _SENTENCE_LEAD_PATTERN.match(text, match.end())
    after = lead.end() if lead else match.end()
    first = text[after : after + 1]
    if not first:
        return True
    if first == ".":  # a spaced ellipsis
        return False
    if first.islower() and not _is_lowercase_aside(text, match, after):
        return _BRACKETED_ITEM_PATTERN.match(text, match.end()) is not None
    stop = match["stop"]
    if stop == ";":  # the Greek question mark
        return "\u0370" <= text[match.start() - 1] <= "\u1fff"
    quoted = match.end() - match.end("stop")
    if stop == ".":
        before = text[max(start, match.start() - _MAX_LOOK_BACK_CHARS) : match.start()]
        return not _is_word_stop(text, before, after, bare=not quoted)
    if quoted and _BRACKETED_ELLIPSIS_PATTERN.search(
        text, max(start, match.start() - 2), match.end()
    ):
        return False
    return not (quoted and _SPEECH_VERB_PATTERN.match(text, after)) and not _is_name_with_mark(
        text, match, after
    )


def _is_lowercase_aside(text: str, match: re.Match[str], after: int) -> bool:
    """Whether a quotation or bracket in lower case follows a full stop after an ordinary word."""
    plain = _PLAIN_WORD_PATTERN.search(
        text, max(0, match.start() - _MAX_LOOK_BACK_CHARS), match.start()
    )
    opened = text[after - 1 : after] in '"“„«(*_' and text[after - 2 : after - 1].isspace()
    return (
        opened and plain is not None and match["stop"] == "." and match.end() == match.end("stop")
    )


def _is_word_stop(text: str, before: str, after: int, *, bare: bool) -> bool:
    """Whether a single full stop belongs to the word before it."""
    if bare and _LIST_MARKER_PATTERN.match(before) and len(before) < _MAX_LOOK_BACK_CHARS:
        return True
    digit = text[after].isdigit() or text[after] == "§"
    return is_abbreviation_stop(
        before, _find_next_word(text, after), number_follows=digit, nothing_closes=bare
    )


def _find_next_word(text: str, after: int) -> str:
    """The next word; a single letter is returned with its stop, because it is an initial."""
    found = _NEXT_WORD_PATTERN.match(text, after)
    word = found[0] if found else ""
    return f"{word}." if len(word) == 1 and text.startswith(".", after + 1) else word


def _is_name_with_mark(text: str, match: re.Match[str], after: int) -> bool:
    """Whether the mark belongs to a name, as in Yahoo! Finance."""
    ahead = _NEXT_WORD_PATTERN.match(text, after)
    word = text[max(0, match.start() - 8) : match.start()].rpartition(" ")[2].lower()
    return word in {"yahoo", "jeopardy"} and not is_sentence_opener(ahead[0] if ahead else "")


def _is_wrapped_line(text: str, place: int) -> bool:
    """Whether the sentence continues on the next line.

    That is so if the line is long, does not end a sentence, and no list or heading follows.
    """
    begin = max(text.rfind("\n", 0, place) + 1, place - _MAX_WRAPPED_CHARS - 1)
    length = place - begin
    follow = text[place + 1 : place + 1 + _MAX_WRAPPED_CHARS]
    if (
        not _MIN_WRAPPED_CHARS <= length <= _MAX_WRAPPED_CHARS
        or not follow.strip()
        or _STRUCTURED_LINE_PATTERN.match(follow)
    ):
        return False
    if follow[0].isspace() or (
        _STRUCTURED_LINE_PATTERN.match(text, begin) and not text[begin].isalnum()
    ):
        return False
    if text[place - 1] in ".!?:;。！？|*_":
        return False
    return follow[0].islower() or (
        _is_unfinished_line(text[begin:place]) and _has_even_line_above(text, begin, length)
    )


def _is_unfinished_line(line: str) -> bool:
    """Whether the line ends in a comma or a function word, as a heading never does."""
    last = line.rpartition(" ")[2]
    return line.endswith(",") or any(
        last in word_forms.list_stopwords(code) for code in ("en", "de", "fr")
    )


def _has_even_line_above(text: str, begin: int, length: int) -> bool:
    """Whether the line above has about the same length, as in text wrapped at a fixed width."""
    above = text[max(0, begin - 1 - _MAX_WRAPPED_CHARS) : max(0, begin - 1)].rpartition("\n")[2]
    return begin > 0 and abs(len(above) - length) <= 12 and len(above) >= _MIN_WRAPPED_CHARS


# Tells a full stop that belongs to an abbreviation from one that ends a sentence.


def is_sentence_opener(word: str) -> bool:
    """Whether the word commonly starts a sentence and is not part of a name."""
    return word.lower().replace("’", "'").partition("'")[0] in _load_words("sentence_openers")


def is_abbreviation_stop(
    before: str, next_word: str, *, number_follows: bool, nothing_closes: bool
) -> bool:
    """Whether a full stop belongs to an abbreviation, so that the sentence continues after it.

    `before` is the text up to the stop. `next_word` is the word after it, with its own stop if it
    is a single letter. `number_follows` is set if a number comes next. `nothing_closes` is set if
    no quotation mark or bracket closes after the stop; if one does, only abbreviations that never
    end a sentence count.
    """
    found = _LAST_WORD_PATTERN.search(before)
    if found is None:
        return False
    word = found[0].strip("*_").rstrip(")]")
    low = word.lower()
    if number_follows is False and any(map(str.isdigit, next_word)):
        number_follows = low in _load_words("before_numbers") or low == "no"
    if low in _load_words("mid_sentence"):
        return nothing_closes or low in {"e.g", "i.e", "cf"}
    if low in _load_words("titles") and word[0].isupper():
        return nothing_closes
    if not nothing_closes:
        return False
    if low in _load_words("before_numbers"):
        return number_follows or not (
            is_sentence_opener(next_word) or (word.islower() and len(next_word) > 2)
        )
    if low in _load_words("ambiguous") and not (len(word) == 1 and word.isupper()):
        return _is_ambiguous_stop(low, next_word, digit=number_follows)
    named = before[: found.start()].rstrip().rpartition(" ")[2][:1].isupper()
    if (number_follows and low in {"v", "p", "c", "n", "s", "r"}) or (word == "v" and named):
        return True
    is_ordinal = _ORDINAL_PATTERN.match(word) is not None
    is_ordinal_stop = is_ordinal and next_word.lower() in _load_words("after_ordinals")
    return is_ordinal_stop or _is_initial_stop(word, next_word, digit=number_follows, named=named)


def _is_ambiguous_stop(low: str, ahead: str, *, digit: bool) -> bool:
    if low in {"no", "p", "min", "max"}:
        return digit
    if low == "al":
        return not is_sentence_opener(ahead)
    return bool(ahead) and not is_sentence_opener(ahead) and low not in {"in", "etc"}


def _is_initial_stop(word: str, ahead: str, *, digit: bool, named: bool) -> bool:
    """Whether the stop follows an initial, as in J. Smith, U.S. Senate and 5 p.m. Monday."""
    if _DOTTED_LETTERS_PATTERN.match(word):
        if word.lower() in _load_words("clock_times"):
            return ahead.lower() in _load_words("after_clock_times")
        return not is_sentence_opener(ahead) and (bool(ahead) or digit)
    if len(word) == 1 and ahead.endswith("."):  # J. S. Bach, z. B.
        return word.isalpha()
    single = len(word) == 1 and word.isalpha() and word.isupper() and (word != "I" or named)
    return single and bool(ahead) and not is_sentence_opener(ahead)


@cache
def _load_words(kind: str) -> frozenset[str]:
    """One list of abbreviations or words, in lower case and without the last stop.

    `titles` stand before a name: when capitalised and followed by more text, they never end a
    sentence. `mid_sentence` never ends one. `before_numbers` is usually followed by a number, letter
    or name, and ends one only before a sentence opener. After `ambiguous` the next word decides.
    """
    return frozenset(load_table(__package__, "abbreviations")[kind])
