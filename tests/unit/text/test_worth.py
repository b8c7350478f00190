from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.text.evidence import quotability, statement_kinds

GOOD = (
    "The reef lost half of its corals between 1995 and 2017.",
    "Caffeine blocks the action of adenosine on its receptors.",
    "“I never saw the like,” the engineer said of the bridge in 1931.",
    "In dry climates street trees lower summer temperatures near the ground.",
    "The use of plastics in packaging grew steadily after the war.",
)


@pytest.mark.parametrize("sentence", GOOD)
def test_a_statement_of_fact_is_worth_quoting(sentence: str) -> None:
    assert quotability.find_quotation_fault(sentence) is None


@pytest.mark.parametrize(
    ("sentence", "fault"),
    [
        ("What are the effects of urban trees on summer temperatures?", "question"),
        ("¿Qué efectos tienen los árboles sobre la temperatura de la ciudad?", "question"),
        ("I think that this bridge is the finest in the whole country.", "person"),
        ("You can lower the temperature of your room with simple means.", "person"),
        ("Click the button below to read the rest of the story now.", "appeal"),
        ("Subscribe today and get the best stories sent to the inbox.", "appeal"),
        ("The site uses cookies to improve the experience of all visitors.", "navigation"),
        ("All rights reserved by the publisher of the printed edition here.", "navigation"),
        ("In this article the history of the bridge is told in full.", "navigation"),
        ("It rained.", "length"),
        ("A list of bridges of the northern province by length and age.", "verbless"),
        ("THE BRIDGE WAS OPENED BY THE KING IN THE YEAR 1931.", "capitals"),
        ("The results of the test are shown in the following table:", "fragment"),
        ("History of the old stone bridge over the river", "fragment"),
        ("| bridge | length | it was opened in the year 1931 |", "fragment"),
        ("See [the page](https://example.org) that was written on the bridge.", "markup"),
    ],
)
def test_what_is_no_statement_is_named(sentence: str, fault: str) -> None:
    assert quotability.find_quotation_fault(sentence) == fault


def test_a_word_too_many_is_too_long() -> None:
    assert quotability.find_quotation_fault("The bridge was " + "very " * 70 + "long.") == "length"


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("Die Brücke wurde im Jahr 1931 vom König feierlich eröffnet.", "de"),
        ("Le pont a été ouvert par le roi en 1931 à midi.", "fr"),
        ("この橋は1931年に開通し、今も使われている。", "ja"),
        ("สะพานแห่งนี้เปิดใช้งานในปี พ.ศ. 2474 และยังใช้งานอยู่", "th"),
    ],
)
def test_other_languages_are_judged_by_what_is_known_of_them(sentence: str, language: str) -> None:
    assert quotability.find_quotation_fault(sentence, language=language) is None


def test_a_person_is_known_in_other_languages_too() -> None:
    assert (
        quotability.find_quotation_fault(
            "Wir haben die Brücke im Jahr 1931 feierlich eröffnet.", language="de"
        )
        == "person"
    )


@pytest.mark.parametrize(
    "sentence", ["This harms the reef.", "However, it recovered.", "They left.", "それは大きい。"]
)
def test_a_sentence_that_points_back_leans(sentence: str) -> None:
    assert quotability.needs_previous_sentence(sentence)
    assert not quotability.needs_previous_sentence("The reef recovered within a year.")


def test_marks_before_the_words_are_counted() -> None:
    assert "- 1. The bridge."[quotability.measure_lead("- 1. The bridge.") :] == "The bridge."
    assert quotability.measure_lead("The bridge.") == 0


@pytest.mark.parametrize("text", ["\n" * 10_000, "A" * 10_000, "a-b " * 2500, "1,234," * 1600])
def test_hostile_text_is_judged_in_no_time(text: str) -> None:
    assert quotability.find_quotation_fault(text) is not None
    assert statement_kinds.classify_statement(text)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200), st.sampled_from([None, "de", "zh", "xx"]))
def test_any_text_gets_a_verdict(text: str, language: str | None) -> None:
    assert quotability.find_quotation_fault(text, language=language) in {
        None, "length", "question", "fragment", "markup", "capitals", "person", "appeal", "verbless", "navigation",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("There was no significant difference between the groups.", "null_finding"),
        ("The sea will rise by a metre by 2100.", "prediction"),
        ("Adults should sleep for seven hours.", "recommendation"),
        ("Trees are cheaper than machines.", "comparison"),
        ("Smoking causes cancer.", "causal_relation"),
        ("A reef is a ridge of rock or coral.", "definition"),
        ("It lost 12 of its 40 members.", "quantitative_finding"),
        ("The river runs through Koblenz.", "categorical_statement"),
    ],
)
def test_kinds_of_statement(sentence: str, kind: str) -> None:
    assert statement_kinds.classify_statement(sentence) == kind
