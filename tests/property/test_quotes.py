"""Quotes are found where they stand, however their white space is set, and nowhere else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citewell.evidence.judging.model_judge import QuotableSource, has_quote_length, normalize_quote
from citewell.evidence.signs.claim_support import SourceText

TEXTS = st.text(alphabet="abc ABC.\n\t“”\"'’« é橋\u00a0", max_size=200)


@given(TEXTS, st.integers(0, 200), st.integers(0, 200))
def test_every_part_of_a_text_that_is_long_enough_is_found(text: str, one: int, other: int) -> None:
    start, end = sorted((one, other))
    quote = text[start:end]

    found = QuotableSource(SourceText(text=text)).find_source_quote(quote.replace(" ", "\n "))

    if has_quote_length(normalize_quote(quote)):
        assert found is not None
        assert normalize_quote(quote) in normalize_quote(text[slice(*found)])


@given(TEXTS, TEXTS)
def test_what_is_found_is_in_the_text(text: str, quote: str) -> None:
    found = QuotableSource(SourceText(text=text)).find_source_quote(quote)

    if found is not None:
        said = normalize_quote(text[slice(*found)])
        assert normalize_quote(quote).strip("\"'").strip() in said
