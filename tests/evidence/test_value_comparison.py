"""Numbers of a statement are stated, derived, in conflict or absent in its source."""

from __future__ import annotations

import pytest

from citewell.evidence.comparison.value_comparison import compare_values
from citewell.evidence.signs.claim_support import SourceText

SOURCE = SourceText(
    text="The survey asked 1,204 farmers in four provinces in 2018. Of these, 301 used drip irrigation,"
    " and 62 % of the users reported higher yields. Yields rose by 1.4 tonnes per hectare on average."
    " Half of the farmers had never heard of the subsidy. A later survey asked 890 farmers.",
    language="en",
)


@pytest.mark.parametrize(
    "statement",
    [
        "The survey asked 1204 farmers in four provinces.",
        "The survey asked about 1,200 farmers in four provinces.",
        "The remaining 38 % of the users reported no higher yields.",
        "50 % of the farmers had never heard of the subsidy.",
        "Yields rose by 1,400 kg per hectare on average.",
    ],
)
def test_equal_approximate_and_derived_values_conflict_with_nothing(statement: str) -> None:
    assert compare_values(statement, SOURCE).conflicts == ()


@pytest.mark.parametrize(
    "statement",
    [
        "Of the farmers, 25 % used drip irrigation.",
        "38 % of the users of drip irrigation reported no higher yields.",
    ],
)
def test_what_may_have_been_reckoned_is_no_strong_conflict(statement: str) -> None:
    assert not any(conflict.is_strong for conflict in compare_values(statement, SOURCE).conflicts)


@pytest.mark.parametrize(
    ("statement", "draft", "source"),
    [
        ("The survey asked 1,504 farmers in four provinces in 2018.", "1,504", "1,204"),
        ("Of the users, 72 % reported higher yields.", "72 %", "62 %"),
        ("Yields rose by 2.4 tonnes per hectare on average.", "2.4", "1.4"),
    ],
)
def test_another_value_in_the_same_sentence_is_a_conflict(
    statement: str, draft: str, source: str
) -> None:
    [found] = compare_values(statement, SOURCE).conflicts

    assert found.draft.text.startswith(draft)
    assert found.source.text.startswith(source)
    assert found.kind == "number"


def test_a_year_of_the_record_is_known_without_standing_in_the_text() -> None:
    statement = "A 2021 survey asked 1,204 farmers in four provinces."

    assert compare_values(statement, SOURCE).conflicts
    assert not compare_values(statement, SOURCE, known_years={2021}).conflicts


def compare(statement: str, source: str, language: str = "en") -> tuple[str, ...]:
    """The values of a statement that conflict or are stated nowhere."""
    found = compare_values(statement, SourceText(text=source, language=language))
    return tuple(
        conflict.draft.text
        for conflict in found.conflicts
        if conflict.is_strong or conflict.is_in_place
    ) + (tuple(value.draft.text for value in found.unstated))


@pytest.mark.parametrize(
    ("language", "statement", "source"),
    [
        ("en", "The reef covers 6.5 million square metres.", "We find that the reef covers 6.5 +/- 0.7 million square metres."),
        ("en", "Children should take no more than 200 milligrams.", "Adults may take up to 400 milligrams; for children the advice is no more than 200."),
        ("en", "One in four keepers lost a hive.", "1 in 4 keepers lost a hive in the winter."),
        ("en", "Two thirds of the keepers lost a hive.", "Some 66 percent of the keepers lost a hive."),
        ("en", "The number of hives more than doubled.", "The number of hives went from 7,500 to 17,300."),
        ("en", "The share rose by 9.8 percentage points.", "The share rose from 7.5 to 17.3 percent."),
        ("en", "The survey asked children aged 4 to 17 about honey.", "Children aged 4 to 17 years were asked about honey in the survey."),
        ("en", "The wall is 50 feet long.", "The wall is 15 metres long."),
        ("en", "The permit lasts two months.", "The permit lasts 60 days."),
        ("en", "The museum drew 1.2m visitors.", "The museum drew 1.2 million visitors."),
        ("en", "The model has 70B parameters.", "The model has 70 billion parameters."),
        ("en", "The season of 2018–19 was dry.", "The season of 2018-2019 was dry."),
        ("fr", "Le congé est de 2,5 jours par mois.", "Le congé est de deux jours et demi par mois."),
        ("de", "Ein Drittel der Höfe hat Bienen.", "Rund 34 Prozent der Höfe hat Bienen."),
        ("es", "Uno de cada cinco apicultores perdió su colmena.", "El 20 por ciento de los apicultores perdió su colmena."),
    ],
)  # fmt: skip
def test_a_value_in_other_words_or_units_is_the_same(
    language: str, statement: str, source: str
) -> None:
    assert compare(statement, source, language) == ()


@pytest.mark.parametrize(
    ("language", "statement", "source"),
    [
        ("en", "A third of the keepers lost a hive in the winter.", "1 in 10 keepers lost a hive in the winter."),
        ("en", "The number of hives tripled within a decade.", "The number of hives doubled within a decade."),
        ("en", "The tower has 1674 steps up to the bell.", "The tower has 674 steps up to the bell."),
        ("en", "Phosphate lamps need 70 percent less power than bulbs.", "Phosphate lamps need 30 percent less power than bulbs."),
        ("de", "Der Antrag muss in den ersten acht Monaten gestellt werden.", "§ 8 Fristen. Der Antrag muss in den ersten drei Monaten gestellt werden."),
        ("fr", "Le bail court sur trois ans et demi au plus.", "Le bail court sur deux ans et demi au plus."),
    ],
)  # fmt: skip
def test_another_share_count_or_span_of_time_is_found(
    language: str, statement: str, source: str
) -> None:
    found = compare_values(statement, SourceText(text=source, language=language))

    assert found.conflicts


def test_a_value_that_stands_only_in_a_sentence_about_something_else_conflicts() -> None:
    source = SourceText(
        text="After daily work drivers have an uninterrupted rest of at least eleven hours."
        " Whoever drives for more than nine hours needs a second driver.",
        language="en",
    )

    found = compare_values(
        "After daily work drivers have an uninterrupted rest of at least nine hours.", source
    )

    assert [conflict.source.text for conflict in found.conflicts] == ["eleven hours"]


def test_a_count_of_other_things_is_no_rival() -> None:
    source = SourceText(text="We read 89 studies on the cases of fever in children.", language="en")

    found = compare_values("There were 30 million cases of fever in children.", source)

    assert found.conflicts == ()


@pytest.mark.parametrize(
    ("language", "statement", "source"),
    [
        ("es", "Los frutos maduran dos o tres meses después.", "Los frutos maduran entre 60 y 80 días después."),
        ("en", "The fruit ripens in two to three months.", "The fruit ripens in 60 to 80 days."),
        ("de", "Die Erde ist nach 9 bis 12 Monaten reif.", "Die Erde ist nach neun bis zwölf Monaten reif."),
        ("es", "El coro tiene entre 30 y 40 voces.", "El coro se compone de un mínimo de 30 y un máximo de 40 voces."),
        ("fr", "Le trajet dure entre 40 et 50 minutes.", "Le trajet dure de 40 à 50 minutes."),
    ],
)  # fmt: skip
def test_a_range_in_words_or_in_another_unit_is_the_same(
    language: str, statement: str, source: str
) -> None:
    found = compare_values(statement, SourceText(text=source, language=language))

    assert found.conflicts == ()


def test_a_rounded_figure_is_written_in_the_source_whatever_its_unit_is_called() -> None:
    source = SourceText(text="The mills sold 663.6 million metric tons of flour.", language="en")

    for unit in ("tons", "tonnes", "metric tons"):
        found = compare_values(f"The mills sold about 664 million {unit} of flour.", source)
        assert (found.conflicts, found.unstated) == ((), ())


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("The fee must not fall below $6.35 an hour.", "The fee is $6.53 an hour at the least."),
        ("The lake is about 418 metres deep.", "The lake is 481 metres deep."),
        ("Nearly 1,240 clinics took part.", "Altogether 1,420 clinics took part."),
    ],
)
def test_a_number_that_is_not_round_is_no_approximation(statement: str, source: str) -> None:
    found = compare_values(statement, SourceText(text=source, language="en"))

    assert found.conflicts or found.unstated


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("Nearly 40 million people took part.", "Altogether 38.6 million people took part."),
        ("About 350 clinics took part.", "Altogether 337 clinics took part."),
        ("Rund 20 Prozent der Felder lagen brach.", "18,4 Prozent der Felder lagen brach."),
    ],
)
def test_a_round_number_may_stand_for_one_near_it(statement: str, source: str) -> None:
    language = "de" if "Felder" in source else "en"

    found = compare_values(statement, SourceText(text=source, language=language))

    assert (found.conflicts, found.unstated) == ((), ())


@pytest.mark.parametrize(
    ("language", "statement", "source"),
    [
        ("en", "The far well lies 2531 m from the mill.", "The near well (490 m) and the far well (1531 m) feed the mill."),
        ("de", "Der Antrag gilt nach fünf Kalendertagen als gestellt.", "Der Antrag gilt nach drei Kalendertagen als gestellt."),
        ("en", "The leave lasts sixteen workweeks.", "The leave lasts twelve workweeks."),
    ],
)  # fmt: skip
def test_lengths_that_look_like_years_and_days_of_the_calendar_are_compared(
    language: str, statement: str, source: str
) -> None:
    found = compare_values(statement, SourceText(text=source, language=language))

    assert found.conflicts or found.unstated


def test_what_several_units_make_is_no_other_value_than_their_rate() -> None:
    source = SourceText(
        text="Each litre saved lowers the yearly bill of a household by roughly 3 euros.",
        language="en",
    )

    found = compare_values(
        "A household that saves 7 litres has a yearly bill that is about 21 euros lower.", source
    )

    assert (found.unstated, found.conflicts) == ((), ())


def test_a_figure_that_the_source_has_in_words_is_stated() -> None:
    text = "The dam failed in 1971. Seventeen of the crew lost their lives. Repairs took years."

    found = compare_values(
        "The failure of the dam cost 17 lives.", SourceText(text=text, language="en")
    )

    assert (found.unstated, found.conflicts) == ((), ())


def test_a_loss_is_not_another_value_than_what_is_kept() -> None:
    source = SourceText(
        text="The small press is 40% lighter, while keeping 97% of the force of the large press.",
        language="en",
    )

    found = compare_values(
        "The small press is 40% lighter and gives up 3% of the force of the large press.", source
    )

    assert [conflict.is_in_place for conflict in found.conflicts if conflict.is_in_place] == []


def test_another_value_beside_those_of_the_statement_has_company() -> None:
    source = SourceText(
        text="The B7 model reaches 84.3% top-1 accuracy, while being 8.4x smaller than others.",
        language="en",
    )

    [found] = compare_values(
        "The idea had been tried where B7 is 8.4 times smaller at a top-1 accuracy of 83.4%.",
        source,
    ).conflicts

    assert (found.source.text, found.has_company) == ("84.3%", True)


@pytest.mark.parametrize(
    ("language", "statement", "source"),
    [
        ("en", "Tenants hear of it ninety days ahead.", "The tenant must be told thirty days before the rent changes."),
        ("de", "Mieter erfahren davon neun Wochen vorher.", "Die Mieter sind fünf Wochen vor der Änderung zu unterrichten."),
    ],
)  # fmt: skip
def test_a_time_in_words_that_stands_nowhere_is_unstated(
    language: str, statement: str, source: str
) -> None:
    found = compare_values(statement, SourceText(text=source, language=language))

    assert len(found.unstated) == 1


def test_a_count_or_a_volume_is_no_percentage() -> None:
    source = SourceText(
        text="A review examined 83 trials, and 55 of those trials reported harm. The authors concluded that"
        " about 8 percent of patients had harm. Harbour Medicine 2017, vol. 18.",
        language="en",
    )

    found = compare_values(
        "A review of 83 trials concluded that about 18 percent of patients had harm.", source
    )

    given = [
        conflict.source.text
        for conflict in found.conflicts
        if conflict.is_strong or conflict.is_in_place
    ]
    assert given == ["8 percent"]
