"""Numbers of a statement that the source gives nowhere are told apart from those given in another form."""

from __future__ import annotations

import pytest

from citewell.evidence.comparison.borne_out_values import UnstatedValue
from citewell.evidence.comparison.compared_values import list_compared_values
from citewell.evidence.comparison.statement_twins import find_statement_twins
from citewell.evidence.comparison.unstated_values import find_unstated_values
from citewell.evidence.comparison.value_comparison import compare_foreign_values, compare_values
from citewell.evidence.signs.claim_support import SourceText
from citewell.evidence.signs.sentence_features import build_sentence_features

FERRY = (
    "The ferry crosses the sound in 4 min 50 s and carries 1,204 passengers. It was built in 1962 and"
    " scrapped in 1997. Each passenger pays 3 euros. Of the crew of twelve, five are engineers. The"
    " company made 40 million euros in 2010 and 52 million euros in 2015. The deck is 35 metres long; its"
    " paint lasts half a year. Some 38 percent of travellers come by bicycle. The pressure in the boiler"
    " is 130/80. The dock opens on 9 July 1997."
)


def find_unstated(
    statement: str, source: str = FERRY, language: str = "en"
) -> tuple[UnstatedValue, ...]:
    text = SourceText(text=source, language=language)
    asked = build_sentence_features(statement, language=language)
    wanted = list_compared_values(asked, text)
    return find_unstated_values(asked, wanted, text, find_statement_twins(asked, text))


@pytest.mark.parametrize(
    "statement",
    [
        "It takes just under five minutes to get to the other side.",
        "Up to 1,200 people fit on board.",
        "The boat served the town for 35 years.",
        "The boat served the town for more than three decades.",
        "A family of four pays 12 euros.",
        "Twelve people work on board, and 5 of them look after the engines.",
        "Its income grew by 12 million euros.",
        "Together the two years brought 92 million euros.",
        "The deck measures about 115 feet.",
        "The deck has to be painted every six months.",
        "62 percent of those who travel do not come by bicycle.",
        "The rest, 62 percent, walk or drive.",
        "The boiler works at 130/80.",
        "The paint of the deck lasts 26 weeks.",
        "It replaced a Boeing 737 as the fastest link.",
        "The last boat leaves at 11 pm.",
        "Seven Sisters is what people call the rocks beside the dock.",
        "Since 9 July 1997 there is a dock.",
    ],
)
def test_what_was_rounded_converted_or_reckoned_is_stated(statement: str) -> None:
    assert find_unstated(statement) == ()


@pytest.mark.parametrize(
    ("statement", "draft"),
    [
        ("It takes nine minutes to get to the other side.", "nine minutes"),
        ("There is room for 1,402 people on board.", "1,402 people"),
        ("The boat served the town for 57 years.", "57 years"),
        ("The deck measures 85 metres.", "85 metres"),
        ("As many as 86 percent arrive on two wheels.", "86 percent"),
        ("Nineteen people work on board.", "Nineteen people"),
        ("The boiler works at 110/70.", "110/70"),
        ("People could first use the dock on 9 July 1999.", "9 July 1999"),
        ("The deck measures 35 millimetres.", "35 millimetres"),
    ],
)
def test_a_changed_number_is_unstated_however_the_rest_is_said(statement: str, draft: str) -> None:
    assert [value.draft.text for value in find_unstated(statement)] == [draft]


@pytest.mark.parametrize(
    ("language", "statement", "source"),
    [
        ("de", "Das Arbeitsverhältnis muss vier Wochen bestehen.", "Der Anspruch entsteht nach vierwöchiger Dauer."),
        ("de", "Die Fahrt dauert 30 Minuten.", "Die Fahrt dauert eine halbe Stunde."),
        ("fr", "Le comité compte neuf membres.", "Le comité comprend 9 membres."),
        ("es", "La espera es de 30 minutos.", "La espera es de media hora."),
        ("en", "The set has 95,000 pairs.", "The set includes 95K question-answer pairs."),
        ("en", "The film lasts 90 minutes.", "The film lasts 1 hour and 30 minutes."),
        ("de", "Nach neun Stunden gilt eine Pause von 45 Minuten.", "Sie beträgt bis neun Stunden 30 und darüber 45 Minuten."),
        ("en", "One wild goose in twenty carried the virus.", "The virus was found in 5 percent of the geese."),
        ("en", "The guide lists seven rules.", "Rules:\n\n- a\n- b\n- c\n- d\n- e\n- f\n- g\n\nKeep them."),
        ("en", "The medicine is given in doses of five milligrams.", "Doses of half a milligram to five, at bedtime."),
    ],
)  # fmt: skip
def test_a_number_in_the_words_of_its_language_is_stated(
    language: str, statement: str, source: str
) -> None:
    assert find_unstated(statement, source, language) == ()


@pytest.mark.parametrize(
    ("language", "statement", "source"),
    [
        ("fr", "Le comité compte quinze membres.", "Le comité comprend neuf membres."),
        ("de", "Der Urlaub dauert zehn Wochen.", "Die Frist dauert sechs Wochen, der Kurs zehn Tage."),
        ("es", "Las vacaciones duran cuarenta días.", "La jornada es de cuarenta horas y las vacaciones de treinta días."),
        ("en", "Of all lamps, around 65 to 70 percent fail.", "Of all lamps, 70 to 85 percent fail."),
        ("en", "Seizures begin at 170 mg.", "A dose of 100–200 mg is deadly; seizures begin at 60 mg."),
        ("en", "The lamps kept no more than 64 percent of their light.", "The lamps kept 94 percent of their light at 65 degrees."),
    ],
)  # fmt: skip
def test_a_number_that_stands_for_something_else_does_not_bear_it_out(
    language: str, statement: str, source: str
) -> None:
    assert len(find_unstated(statement, source, language)) == 1


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("A full board has 361 crossings.", "Stones are set on the crossings of 19 by 19 lines."),
        ("With a rent of 800 euros, each month adds 80 euros.", "Each month of delay adds 10 percent of the rent."),
        ("Treat at up to 30 °C (86 °F).", "Treat for ten days, at 15 to 30 °C."),
        ("The fund costs less than a fifth of a percent.", "The fund costs 0.18 percent."),
        ("Not quite a third of them noticed it.", "Three in ten people noticed it."),
        ("The guide has a hundred pages.", "The guide has 100 pages."),
        ("Some two hundred million copies were printed.", "About 200,000,000 copies were printed."),
    ],
)  # fmt: skip
def test_what_an_author_reckoned_by_example_is_stated(statement: str, source: str) -> None:
    assert find_unstated(statement, source) == ()


@pytest.mark.parametrize(
    ("statement", "source", "like"),
    [
        ("The tube holds 300 millilitres.", "An adult needs 30 millilitres.", "30 millilitres"),
        ("The money is there within 10 minutes.", "A transfer takes ten seconds.", "ten seconds"),
        ("Printing began in the town in 1640.", "In 1604 the first book was printed.", "1604"),
        ("A 100-watt bulb gives 1,251 lumens.", "| Bulb | Lumens |\n| --- | --- |\n| 100 W | 1,521 |", "1,521"),
    ],
)  # fmt: skip
def test_a_slip_is_told_with_the_number_it_was_written_for(
    statement: str, source: str, like: str
) -> None:
    [found] = find_unstated(statement, source)

    assert found.like is not None
    assert found.like.text == like


def test_another_share_in_words_in_the_same_sentence_is_told() -> None:
    source = "The ocean takes up about a quarter of the carbon dioxide that people emit."

    [found] = find_unstated("The ocean takes up two thirds of the carbon dioxide.", source)

    assert (found.draft.text, found.like and found.like.text) == ("two thirds", "a quarter")


@pytest.mark.parametrize(
    ("draft", "source", "is_slip"),
    [
        ("94.3", "84.3", True),
        ("48.3", "84.3", True),
        ("84.0", "84.3", False),
        ("60", "40", False),
    ],
)
def test_digits_that_no_two_measurements_share_by_chance_are_a_slip(
    draft: str, source: str, *, is_slip: bool
) -> None:
    text = f"The large model reaches {source}% in the test."

    [found] = find_unstated(f"It got {draft}% of the pictures right.", text)

    assert (found.like is not None, found.is_slip) == (True, is_slip)


@pytest.mark.parametrize(
    ("language", "statement", "source", "other"),
    [
        ("en", "Keep the implant 60 millimetres away from the coil.", "Makers of implants advise 60 centimetres between device and coil.", "60 centimetres"),
        ("de", "Gegen die Kündigung ist binnen drei Monaten nach Zugang zu klagen.", "Wer drei Monate fehlt, erhält Post. Er muss innerhalb von drei Wochen nach Zugang der Kündigung klagen.", "drei Wochen"),
    ],
)  # fmt: skip
def test_the_same_figure_with_another_unit_is_a_conflict(
    language: str, statement: str, source: str, other: str
) -> None:
    found = compare_values(statement, SourceText(text=source, language=language)).conflicts

    assert [(conflict.source.text, conflict.is_in_place) for conflict in found] == [(other, True)]


def test_the_number_of_another_row_of_a_table_is_a_conflict() -> None:
    table = "| Who | Litres |\n| --- | --- |\n| Men | 2.5 |\n| Pregnant women | 3.0 |\n| Nursing women | 3.8 |\n"

    wrong, right = (
        compare_values(text, SourceText(text=table, language="en")).conflicts
        for text in ("Pregnant people need 3.8 litres a day.", "Pregnant people need 3 litres.")
    )

    assert [conflict.source.text for conflict in wrong] == ["3.0"]
    assert right == ()


def test_a_statement_in_another_language_is_compared_by_its_digits() -> None:
    source = SourceText(text="The filter holds back 97 % of the rays.", language="en")

    slip = compare_foreign_values("El filtro retiene el 79 % de los rayos en la playa.", source)
    sound = compare_foreign_values("El filtro retiene el 97 % de los rayos en la playa.", source)

    assert [value.like.text for value in slip if value.like] == ["97 %"]
    assert sound == ()
