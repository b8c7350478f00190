from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.evidence import statement_kinds
from citewell.text.passages import answer_windows

GOOD = (
    "The reef lost half of its corals between 1995 and 2017.",
    "Caffeine blocks the action of adenosine on its receptors.",
    "“I never saw the like,” the engineer said of the bridge in 1931.",
    "In dry climates street trees lower summer temperatures near the ground.",
    "The use of plastics in packaging grew steadily after the war.",
    "Die Brücke wurde im Jahr 1931 vom König feierlich eröffnet.",
    "Le pont a été ouvert par le roi en 1931 à midi.",
    "橋は1931年に開通し、今も使われている。",
)


@pytest.mark.parametrize("sentence", GOOD)
def test_a_statement_of_fact_speaks_of_no_site_and_stands_alone(sentence: str) -> None:
    assert not answer_windows.has_navigation_words(sentence)
    assert not answer_windows.needs_previous_sentence(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Subscribe today and get the best stories sent to the inbox.",
        "The site uses cookies to improve the experience of all visitors.",
        "All rights reserved by the publisher of the printed edition here.",
        "In this article the history of the bridge is told in full.",
        "Wir verwenden Cookies. Alle Rechte vorbehalten.",
        "本サイトの利用規約をお読みください。",
    ],
)
def test_what_speaks_of_the_site_itself_is_known(sentence: str) -> None:
    assert answer_windows.has_navigation_words(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "This harms the reef.",
        "However, it recovered.",
        "They left.",
        "それは大きい。",
        "Dies schadet dem Riff.",
        "Cela nuit au récif.",
    ],
)
def test_a_sentence_that_points_back_leans(sentence: str) -> None:
    assert answer_windows.needs_previous_sentence(sentence)
    assert not answer_windows.needs_previous_sentence("The reef recovered within a year.")


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200))
def test_any_text_gets_a_verdict(text: str) -> None:
    assert answer_windows.has_navigation_words(text) in {True, False}
    assert answer_windows.needs_previous_sentence(text) in {True, False}
    assert statement_kinds.classify_statement(text)


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
