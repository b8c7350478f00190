"""Finds the words that a judge says it quotes in the source; what is not there is no evidence."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from functools import cached_property

from citewell.text.evidence.claim_support import SourceText
from citewell.text.passages.page_units import PageUnit, split_page_units

MAX_QUOTE_CHARS = 1200  # a longer one is a copy of the source, and shows nothing
_MIN_QUOTE_WORDS = 3
_MIN_UNSPACED_CHARS = 8  # for languages that put no space between words
_DOUBLE_MARKS, _SINGLE_MARKS = "“”„‟«»″＂", "‘’‚‛‹›′＇"
_MARK_TABLE = str.maketrans(
    {**dict.fromkeys(_DOUBLE_MARKS, '"'), **dict.fromkeys(_SINGLE_MARKS, "'")}
)
_OUTER_MARKS = "\"'"


class QuotableSource:
    """A source in which quotes are looked for, as it is written and without its markup."""

    def __init__(self, source: SourceText) -> None:
        self._source = source

    @cached_property
    def units(self) -> tuple[PageUnit, ...]:
        return split_page_units(self._source.text, language=self._source.language)

    def find_source_quote(self, quote: str) -> tuple[int, int] | None:
        """Where the quote stands in the source's text; None if it does not, or says too little.

        White space and the shapes of quotation marks may differ. A quote of the text without its
        markup is found as the sentences that contain it.
        """
        wanted = normalize_quote(quote)
        for words in dict.fromkeys((wanted, wanted.strip(_OUTER_MARKS).strip())):
            if has_quote_length(words):
                found = self._find_written_quote(words) or self._find_rendered_quote(words)
                if found is not None:
                    return found
        return None

    def list_quoted_units(self, start: int, end: int) -> tuple[PageUnit, ...]:
        """The sentences, items and rows that a place of the source touches."""
        return tuple(unit for unit in self.units if unit.start < end and start < unit.end)

    @cached_property
    def _normalized_source_text(self) -> tuple[str, array[int]]:
        return _normalize_with_places(self._source.text)

    @cached_property
    def _joined_unit_texts(self) -> tuple[str, list[int]]:
        """The units' texts in one, and where each of them begins."""
        text, starts = "", []
        for unit in self.units:
            starts.append(len(text))
            text += f"{normalize_quote(unit.text)} "
        return text, starts

    def _find_written_quote(self, words: str) -> tuple[int, int] | None:
        text, places = self._normalized_source_text
        at = text.find(words)
        return None if at < 0 else (places[at], places[at + len(words) - 1] + 1)

    def _find_rendered_quote(self, words: str) -> tuple[int, int] | None:
        text, starts = self._joined_unit_texts
        at = text.find(words)
        if at < 0:
            return None
        first = self.units[bisect_right(starts, at) - 1]
        last = self.units[bisect_right(starts, at + len(words) - 1) - 1]
        return first.start, last.end


def normalize_quote(text: str) -> str:
    """The text with single spaces and plain quotation marks; nothing else is changed."""
    return " ".join(text.translate(_MARK_TABLE).split())


def has_quote_length(words: str) -> bool:
    """Whether a quote is long enough to be found by chance nowhere, and no copy of everything."""
    if len(words) > MAX_QUOTE_CHARS:
        return False
    is_unspaced = not words.isascii() and len(words) >= _MIN_UNSPACED_CHARS
    return len(words.split()) >= _MIN_QUOTE_WORDS or is_unspaced


def _normalize_with_places(text: str) -> tuple[str, array[int]]:
    """The normalized text, and for each of its characters the place in the original."""
    marked = text.translate(_MARK_TABLE)
    kept: list[str] = []
    places = array("I")
    in_space = True  # drops the space at the beginning
    for place, letter in enumerate(marked):
        was_space, in_space = in_space, letter.isspace()
        if in_space and was_space:
            continue
        kept.append(" " if in_space else letter)
        places.append(place)
    return "".join(kept), places
