"""Names and words that a source has in no form are reported; those that it has in another form are not."""

from __future__ import annotations

import pytest

from citewell.evidence.comparison.absent_terms import describe_absence, list_absent_parts
from citewell.evidence.signs.claim_support import SourceText

SOURCE = SourceText(
    text="The regional airline will buy forty aircraft from Airbus over the next six years, its chief executive"
    " Maria Lindqvist said in Stockholm on Tuesday. The first jets arrive in the spring and will serve routes to"
    " German and Norwegian cities. The World Health Organization and two universities had criticised the order"
    " because of the noise. The carrier expects savings on fuel, and it organises a new maintenance base near the"
    " harbour. The deal was financed by the Nordic Investment Bank, and the e-mail that announced it went to all"
    " employees. A spokesman of the Marxist party called the purchase reckless.",
    language="en",
)


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("Boeing will deliver forty aircraft to the regional airline.", ("Boeing",)),
        ("The airline also serves routes to cities in Portugal.", ("Portugal",)),
        ("The order was financed by the Gates Foundation.", ("Gates Foundation",)),
        ("The chief executive Maria Oberholzer announced the deal.", ("Maria Oberholzer",)),
        ("The jets from Bombardier and Embraer arrive in the spring.", ("Bombardier", "Embraer")),
    ],
)
def test_a_name_that_the_source_has_nowhere_is_listed(
    statement: str, absent: tuple[str, ...]
) -> None:
    assert list_absent_parts(statement, SOURCE) == absent


@pytest.mark.parametrize(
    "statement",
    [
        "The jets will fly to Germany and Norway.",  # demonyms
        "The WHO criticised the order.",  # an acronym
        "A speaker inspired by Marx called the purchase reckless.",
        "Airbus's aircraft will arrive in the spring.",  # a possessive
        "The airline's boss, Lindquist, said so in Sweden.",  # a slip, and the country of a place
        "According to Reuters, the airline buys forty aircraft.",  # who publishes it
        "The order was criticised by Americans.",  # readers know
        "In March the airline announced on a Monday that the first jets arrive.",
        "Aircraft Noise Was Criticised By Two Universities Near Portugal",  # a headline
        "The authors of the article discuss Portugal.",  # about the document
        "Bank financing of the deal came from the Nordic Investment Bank (NIB).",
    ],
)
def test_a_name_in_another_form_is_not_absent(statement: str) -> None:
    assert list_absent_parts(statement, SOURCE) == ()


@pytest.mark.parametrize(
    "known", ["Interview with Portugal's minister", "https://news.example.pt/portugal/airline"]
)
def test_a_name_of_the_title_or_address_is_not_absent(known: str) -> None:
    statement = "The airline also serves routes to cities in Portugal."

    assert list_absent_parts(statement, SOURCE, known=known) == ()


def test_one_absent_common_word_is_not_enough() -> None:
    assert list_absent_parts("The carrier purchases forty planes.", SOURCE) == ()


def test_a_statement_of_which_nearly_all_words_are_absent_is_listed_by_its_rarest() -> None:
    statement = "Migrating salmon recolonised upstream tributaries once the hydroelectric weir was dismantled."

    parts = list_absent_parts(statement, SOURCE)

    assert len(parts) == 4
    assert "“hydroelectric”" in parts
    assert list_absent_parts(statement, SOURCE, are_words_telling=False) == ()


def test_in_german_only_names_of_countries_count() -> None:
    source = SourceText(
        text="Die Regierung in Oslo hat die Steuer auf Fleisch gesenkt. Norwegen folgt damit einem Vorschlag"
        " der Landwirte, die seit Jahren über hohe Kosten klagen. Der Minister sprach von einem Erfolg für die"
        " Verbraucher. Kritik kam von den Grünen, die um das Klima fürchten, und von einigen Ärzten, die auf"
        " die Gesundheit verweisen. Das Gesetz tritt im Herbst in Kraft.",
        language="de",
    )

    assert list_absent_parts("In Schweden wurde die Steuer gesenkt.", source) == ("Schweden",)
    assert list_absent_parts("Im Parlament wurde die Abgabe gesenkt.", source) == ()


def test_a_very_short_source_shows_no_absence() -> None:
    source = SourceText(text="The airline buys forty aircraft.", language="en")

    assert list_absent_parts("Boeing sells forty aircraft.", source) == ()


@pytest.mark.parametrize(
    ("parts", "listed"),
    [(("Boeing",), "Boeing."), (("Boeing", "Peru", "“weir”"), "Boeing, Peru or “weir”.")],
)
def test_the_reason_lists_what_is_absent(parts: tuple[str, ...], listed: str) -> None:
    assert describe_absence(parts).endswith(f"does not mention {listed}")
