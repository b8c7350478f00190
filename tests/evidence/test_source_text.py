"""The index of a source: built once, and equal to a look at every sentence."""

from __future__ import annotations

from citewell.evidence.comparison.statement_twins import find_statement_twins, list_near_sentences
from citewell.evidence.signs.claim_support import SourceText, assess_support
from citewell.evidence.signs.sentence_features import build_sentence_features

TEXT = (
    "The harbour was dredged in 1931. Gulls nest on the old crane. "
    "The crane lifts forty tonnes. Nothing grows on the quay. The quay of the harbour is dry."
)


def test_sentences_that_share_words_are_counted_in_their_order() -> None:
    source = SourceText(text=TEXT, language="en")
    asked = build_sentence_features("The quay of the harbour has a crane", language="en")

    found = source.count_shared_terms(asked.terms)

    assert list(found.items()) == [(0, 1), (1, 1), (2, 1), (3, 1), (4, 2)]
    assert found == {
        at: len(asked.terms & one.terms) for at, one in enumerate(source.sentence_features)
    }


def test_only_sentences_that_share_a_word_are_looked_at_closely() -> None:
    source = SourceText(text=TEXT, language="en")
    asked = build_sentence_features("Forty gulls nest on the crane", language="en")

    find_statement_twins(asked, source)
    list_near_sentences(asked, source)
    assess_support(asked.text, source)

    looked_at = ["word_terms" in vars(one) for one in source.sentence_features]
    assert looked_at == [False, True, True, False, False]


def test_what_is_derived_from_a_source_is_built_once() -> None:
    built = []

    def count_sentences(source: SourceText) -> int:
        built.append(source)
        return len(source.sentence_spans)

    source = SourceText(text=TEXT, language="en")

    assert [source.derive(count_sentences), source.derive(count_sentences)] == [5, 5]
    assert len(built) == 1
