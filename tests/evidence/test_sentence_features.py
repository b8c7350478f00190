"""German and Spanish statements are confirmed in other words than the source's, and not with another name."""

from __future__ import annotations

import pytest

from citewell.core.values.research import ClaimRelation
from citewell.evidence.comparison.statement_twins import find_statement_twins, list_near_sentences
from citewell.evidence.signs.claim_support import SourceText, assess_support
from citewell.evidence.signs.sentence_features import build_sentence_features, list_capital_names

BRIDGE = (
    "Die Stadt hat die alte Eisenbahnbrücke über die Elbe im Jahr 1994 abgerissen, weil die Pfeiler beschädigt waren."
    " Der Neubau wurde von einer Firma aus Dresden geplant und zwei Jahre später für den Verkehr freigegeben."
)
HARBOUR = (
    "El puerto de Valencia recibió en 2010 más barcos que el de Barcelona, según el informe del ministerio."
    " La ampliación del muelle norte fue aprobada por el gobierno y costó menos de lo previsto."
)
TREATY = "Der Vertrag hat in den Städten viel Streit hervorgerufen und wurde erst nach drei Jahren unterzeichnet."


def relate(claim: str, source: str, language: str) -> ClaimRelation:
    return assess_support(claim, SourceText(text=source, language=language)).relation


@pytest.mark.parametrize(
    ("claim", "source", "language"),
    [
        ("1994 riss die Stadt die alte Eisenbahnbrücke über die Elbe ab.", BRIDGE, "de"),
        ("In den Städten rief der Vertrag viel Streit hervor.", TREATY, "de"),
        ("Eine Firma aus Dresden plante den Neubau.", BRIDGE, "de"),
        ("El gobierno aprobó la ampliación del muelle norte.", HARBOUR, "es"),
    ],
)
def test_other_forms_and_word_order_are_supported(claim: str, source: str, language: str) -> None:
    assert relate(claim, source, language) is ClaimRelation.SUPPORTS


@pytest.mark.parametrize(
    ("claim", "source", "language"),
    [
        ("Siemens hat die alte Eisenbahnbrücke über die Elbe im Jahr 1994 abgerissen.", BRIDGE, "de"),
        ("Kruckenberg hat die alte Eisenbahnbrücke über die Elbe im Jahr 1994 abgerissen.", BRIDGE, "de"),
        ("Der Neubau wurde von einer Firma aus Leipzig geplant.", BRIDGE, "de"),
        ("Repsol aprobó la ampliación del muelle norte, que costó menos de lo previsto.", HARBOUR, "es"),
        ("El puerto de Barcelona recibió en 2010 más barcos que el de Valencia.", HARBOUR, "es"),
        ("El gobierno rechazó la ampliación del muelle norte.", HARBOUR, "es"),
    ],
)  # fmt: skip
def test_another_name_order_or_opposite_is_not_supported(
    claim: str, source: str, language: str
) -> None:
    assert relate(claim, source, language) is not ClaimRelation.SUPPORTS


@pytest.mark.parametrize(
    ("text", "language", "names"),
    [
        ("Siemens kaufte das Werk in Görlitz.", "de", ["Siemens", "Görlitz"]),
        ("Zeitungen berichteten über die Dekompressionskrankheit der Taucher.", "de", []),
        ("Repsol compró una fábrica en Tarragona.", "es", ["Repsol", "Tarragona"]),
        ("Varias empresas compraron la fábrica.", "es", []),
        ("Boeing bought the plant in Wichita.", "en", ["Wichita"]),
    ],
)
def test_names_are_told_from_nouns_and_first_words(
    text: str, language: str, names: list[str]
) -> None:
    assert list_capital_names(text, language=language) == names


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
        at: len(asked.terms & sentence.terms)
        for at, sentence in enumerate(source.sentence_features)
    }


def test_only_sentences_that_share_a_word_are_looked_at_closely() -> None:
    source = SourceText(text=TEXT, language="en")
    asked = build_sentence_features("Forty gulls nest on the crane", language="en")

    find_statement_twins(asked, source)
    list_near_sentences(asked, source)
    assess_support(asked.text, source)

    looked_at = ["word_terms" in vars(sentence) for sentence in source.sentence_features]
    assert looked_at == [False, True, True, False, False]


def test_what_is_derived_from_a_source_is_built_once() -> None:
    built = []

    def count_sentences(source: SourceText) -> int:
        built.append(source)
        return len(source.sentence_spans)

    source = SourceText(text=TEXT, language="en")

    assert [source.derive(count_sentences), source.derive(count_sentences)] == [5, 5]
    assert len(built) == 1
