from __future__ import annotations

import pytest

from citewell.research.planning.followed_question import complete_question

COMPLETED = [
    ("Should I tip in Japan?", "And what about paying with cash there?", ["Japan", "cash"]),
    ("Should I tip in Japan?", "And in Korea?", ["tip", "in Korea"]),
    ("Should I tip in Japan?", "Is English spoken there?", ["Japan", "English"]),
    ("How long do lithium-ion batteries last?", "What are their risks?", ["lithium-ion batteries"]),
    ("How long do lithium-ion batteries last?", "How are they recycled?", ["lithium-ion batteries"]),
    ("How does a heat pump work?", "How much does it cost?", ["heat pump"]),
    ("How does a heat pump work?", "What are the drawbacks?", ["heat pump"]),
    ("How does a heat pump work?", "Is that worth it in old houses?", ["heat pump", "old houses"]),
    ("Does semaglutide cause hair loss?", "Are these drugs safe in pregnancy?", ["semaglutide"]),
    ("Who was Marie Curie?", "When did she die?", ["Marie Curie"]),
    ("What is the boiling point of ethanol?", "And of methanol?", ["boiling point of methanol"]),
    ("Why is the sky blue?", "Why?", ["sky"]),
    ("Wie lange hält eine Wärmepumpe?", "Und was kostet das?", ["Wärmepumpe"]),
    ("Soll ich in Japan Trinkgeld geben?", "Kann ich dort mit Karte zahlen?", ["Japan", "Karte"]),
    ("Wie lange hält eine Wärmepumpe?", "Welche Nachteile gibt es?", ["Wärmepumpe"]),
    ("Faut-il donner un pourboire au Japon ?", "Et peut-on y payer par carte ?", ["Japon", "carte"]),
    ("Comment fonctionne une pompe à chaleur ?", "Combien ça coûte ?", ["chaleur"]),
    ("¿Hay que dar propina en Japón?", "¿Y se puede pagar con tarjeta allí?", ["Japón", "tarjeta"]),
    ("¿Cómo funciona una bomba de calor?", "¿Y cuánto cuesta?", ["bomba"]),
    ("日本でチップは必要ですか", "そこで現金は使えますか", ["日本", "現金"]),
]  # fmt: skip
ALONE = [
    "Do bees die when they sting a person?",
    "How many hearts does an octopus have, and how old does it get?",
    "Is there life on Mars?",
    "How long does it take to boil an egg?",
    "Is it true that goldfish forget everything?",
    "What does a dishwasher use this year?",
    "Why does a cat lick its fur?",
    "What is the best way to clean a pan without scratching it?",
    "How long is the flight to Iceland and what can I see there?",
    "Which vaccine protects bees against varroa?",
    "Wie viel Wasser verbraucht man beim Abwaschen?",
    "Gibt es in Norwegen Wölfe?",
    "Warum sterben Bienen, wenn sie stechen?",
    "Les abeilles sont-elles menacées ?",
    "Combien y a-t-il de lunes autour de Saturne ?",
    "¿Por qué mueren las abejas cuando pican?",
    "世界最高峰的高度是多少米?",
]


@pytest.mark.parametrize(("earlier", "asked", "held"), COMPLETED)
def test_a_question_that_points_back_gets_the_subject_of_the_one_before(
    earlier: str, asked: str, held: list[str]
) -> None:
    found = complete_question(asked, [earlier])

    assert found.added
    assert [word for word in held if word not in found.text] == []


@pytest.mark.parametrize("asked", ALONE)
def test_nothing_is_added_to_a_question_that_stands_alone(asked: str) -> None:
    found = complete_question(asked, ["Should I tip in Japan?", "How does a heat pump work?"])

    assert (found.text, found.added) == (asked, ())


def test_a_place_takes_the_place_of_there_and_the_verb_of_the_earlier_question_stays_out() -> None:
    found = complete_question("And what about paying with cash there?", ["Should I tip in Japan?"])

    assert found.text == "Paying with cash in Japan?"
    assert found.added == ("Japan",)


def test_what_the_question_names_already_is_not_added_again() -> None:
    found = complete_question("And what about cash in Japan?", ["Should I tip in Japan?"])

    assert found.added == ()


def test_an_earlier_question_without_a_subject_leads_to_the_one_before_it() -> None:
    found = complete_question("How much does it cost?", ["Why?", "How does a heat pump work?"])

    assert found.added == ("heat pump",)


def test_without_an_earlier_question_nothing_changes() -> None:
    assert complete_question("And there?", []).text == "And there?"
