"""Statements of a draft judged by the texts of their sources."""

from __future__ import annotations

import pytest

from citewell.drafts.draft_findings import DraftVerdict as V
from tests.drafts.judged_drafts import GUIDE, HUTS, SOURCE, desk_with, judge
from tests.drafts.manuscripts import PAGE, check, find, manuscript
from tests.requirements import requires


@requires("check_draft.values")
@pytest.mark.parametrize(
    ("statement", "draft", "source"),
    [
        ("Lithium iron phosphate cells kept 92 % of their capacity after 3,000 cycles [1].", "92 %", "82 %"),
        ("The study followed 142 households in Norway between 2016 and 2021 [1].", "142 households", "412 households"),
        ("Costs fell to 240 dollars per kilowatt hour in 2021 [1].", "240 dollars", "140 dollars"),
        ("Lithium iron phosphate cells kept 82 % of their capacity after 9,000 cycles [1].", "9,000 cycles", "3,000 cycles"),
    ],
)  # fmt: skip
def test_a_changed_number_is_told_with_the_number_of_the_source(
    statement: str, draft: str, source: str
) -> None:
    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(SOURCE)))

    assert found.verdict in {V.CONTRADICTED, V.PARTLY}
    [difference] = found.differences or ()
    assert (difference.kind, difference.draft, difference.source) == ("number", draft, source)
    [shown] = found.evidence or ()
    assert source.split(maxsplit=1)[0] in shown.passage
    assert shown.url == PAGE
    assert [repair.kind for repair in found.repairs or ()] == ["statement"]


@requires("check_draft.values")
@pytest.mark.parametrize(
    ("statement", "source", "reason"),
    [
        ("The programme reached 300 school districts in its first year [1].", "In its first year the programme reached 30 school districts. Teachers liked it.", "The source gives another number: 30, not 300."),
        ("Die Stadt hat 300 öffentliche Schulen [1].", "Die Stadt hat 30 öffentliche Schulen und zwei Museen. Sie liegt am Rhein.", "The source gives another number: 30, not 300."),
        ("The firm employs 1,200 people in Spain [1].", "The firm employs 2,100 people in Spain and 300 in Portugal.", "The source gives another number: 2,100 people, not 1,200 people."),
        ("The model reached a high AUC (.696) on the test set [1].", "The model reached a high AUC (.796) on the test set. The mean age was 54 years.", "The source gives another number: .796, not .696."),
        ("The survey found that 41 percent of people trust the news [1].", "The survey was done in May. 65 percent of people watch the news, and 14 percent of people trust the news.", "The source gives another number: 14 percent, not 41 percent."),
    ],
    ids=["modifier", "adjective", "counted thing", "decimals without a zero", "number of the same clause"],
)  # fmt: skip
def test_a_reason_names_the_number_that_belongs_to_the_statement(
    statement: str, source: str, reason: str
) -> None:
    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(source)))

    assert found.reason == reason


def test_a_changed_year_is_told_as_a_date() -> None:
    draft = manuscript("Costs fell to 140 dollars per kilowatt hour in 2018 [1].", {"1": PAGE})

    found = find(check(draft, desk_with(SOURCE)))

    assert found.verdict in {V.CONTRADICTED, V.PARTLY}
    assert [
        (difference.kind, difference.draft, difference.source)
        for difference in found.differences or ()
    ] == [("date", "2018", "2021")]


def test_a_number_of_which_the_source_says_nothing_is_named_but_accuses_nobody() -> None:
    found = find(check(manuscript("Depots numbered 57 [1].", {"1": PAGE}), desk_with(SOURCE)))

    assert found.verdict is V.RELATED
    assert "57 appears nowhere" in found.reason


@pytest.mark.parametrize(
    "statement",
    [
        "Short naps of 50 to 190 minutes can restore some of the capacity [1].",  # ranges overlap
        "Human performance is 66.8 % [1].",  # the difference of two numbers, but nothing says so
        "Among adults, those who practise yoga went from 7.5 percent in 2002 to 27.3 percent in 2022 [1].",
        "This method gets by with 700 proposals per image [1].",
    ],
)
def test_a_changed_number_is_told_by_the_numbers_and_the_words_beside_it(statement: str) -> None:
    assert judge(statement, GUIDE) in {V.CONTRADICTED, V.PARTLY}


@pytest.mark.parametrize(
    "statement",
    [
        "Too little potassium can increase blood pressure and increase the risk of kidney stones [1].",
        "Human performance is higher than the simple baseline by 66.8 points [1].",
        "In 2021, human performance was 86.8 % [1].",  # a year that the source need not give
        "2. Short naps of 20 to 90 minutes can restore some of that capacity [1].",
    ],
)
def test_a_sound_statement_is_not_accused_for_a_number_or_a_denial(statement: str) -> None:
    assert judge(statement, GUIDE) in {V.SUPPORTED, V.RELATED, V.UNCHECKED}


@pytest.mark.parametrize(
    "statement",
    [
        "For 95 dollars a kilowatt hour, prices came down [1].",
        "In 2021 costs came down to 104 dollars for each kilowatt hour [1].",
        "The households that the study in Norway looked at were 421 [1].",
    ],
)
def test_a_number_in_the_place_of_another_is_told_in_a_paraphrase_too(statement: str) -> None:
    assert judge(statement) in {V.PARTLY, V.CONTRADICTED}


@pytest.mark.parametrize(
    "statement",
    [
        "For its night the Larch Hut takes 52 euros from walkers [1].",
        "In the Larch Hut a night is 52 euros [1].",
        "The Larch Hut takes 60 guests [1].",
    ],
)
def test_a_number_of_another_thing_in_the_source_is_not_supported(statement: str) -> None:
    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(HUTS)))

    assert found.verdict in {V.PARTLY, V.RELATED}
    assert found.evidence is not None
    assert "Larch Hut costs 38 euros, and it sleeps 24 guests" in found.evidence[0].passage


def test_a_number_that_stands_nowhere_is_told_with_the_one_in_its_place() -> None:
    statement = "Whoever stays at the oldest of the huts, on the summit, pays 73 euros [1]."

    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(HUTS)))

    assert found.verdict is V.PARTLY
    assert found.differences is not None
    assert [(difference.draft, difference.source) for difference in found.differences] == [
        ("73 euros", "27 euros")
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "For its night the Larch Hut takes 38 euros from walkers [1].",
        "The Lake Hut on the northern shore has beds for 60 guests [1].",
        "A night at the lake costs 14 euros more than one above the tree line [1].",
    ],
)
def test_a_sound_number_among_others_of_its_kind_is_not_accused(statement: str) -> None:
    assert judge(statement, HUTS) in {V.SUPPORTED, V.RELATED, V.UNCHECKED}


def test_a_number_is_not_said_to_stand_in_a_place_that_speaks_of_something_else() -> None:
    soup = "The soup for the tables boils for two hours, and dinner is served beside the stove."
    source = HUTS.replace("The Summit Hut is the oldest.", soup)

    found = find(
        check(
            manuscript("The way is half an hour shorter by boat [1].", {"1": PAGE}),
            desk_with(source),
        )
    )

    assert found.verdict is V.RELATED
    assert found.reason.startswith("Half an hour appears nowhere")


def test_a_label_that_names_another_part_is_not_said_to_stand_nowhere() -> None:
    found = find(
        check(
            manuscript(
                "Birds and flowers of the lake are in chapter 4 of the guide [1].", {"1": PAGE}
            ),
            desk_with(HUTS),
        )
    )

    assert found.verdict is V.PARTLY
    assert "nowhere" not in found.reason
    assert "Chapter 6" in found.reason
