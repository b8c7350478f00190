"""Statements of a draft judged by the texts of their sources."""

from __future__ import annotations

import pytest

from citewell.drafts.draft_findings import DraftVerdict as V
from tests.drafts.judged_drafts import FILLER, REFUSAL, SOURCE, desk_with, judge
from tests.drafts.manuscripts import PAGE, check, find, manuscript
from tests.requirements import requires


@pytest.mark.parametrize(
    "statement",
    [
        "Lithium iron phosphate cells kept 82 % of their capacity after 3,000 cycles [1].",
        "After 3,000 cycles, lithium iron phosphate cells retained 82 percent of capacity [1].",
        "The study followed 412 households in Norway between 2016 and 2021 [1].",
        "A high storage temperature increases the loss of capacity [1].",
        "No module was replaced by the operator during the trial [1].",
        "The project's leader said: “Heat is the one enemy that no warranty mentions” [1].",
        'Its leader said that "heat is the one enemy … no warranty mentions" [1].',
    ],
)
def test_what_the_source_says_is_supported(statement: str) -> None:
    assert judge(statement) is V.SUPPORTED


@requires("check_draft.values")
def test_an_altered_quotation_is_told_with_the_words_of_the_source() -> None:
    statement = "The leader said: “Heat is the only enemy that every warranty mentions” [1]."

    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(SOURCE)))

    assert found.verdict is V.PARTLY
    [difference] = found.differences or ()
    assert difference.kind == "quotation"
    assert "no warranty mentions" in (difference.source or "")


def test_the_opposite_of_a_sentence_is_contradicted_with_that_sentence() -> None:
    found = find(
        check(
            manuscript("High storage temperature decreases the loss of capacity [1].", {"1": PAGE}),
            desk_with(SOURCE),
        )
    )

    assert found.verdict is V.CONTRADICTED
    assert "increases" in (found.evidence or ())[0].passage


@pytest.mark.parametrize(
    ("statement", "source", "expected"),
    [
        ("The authority published the contract with the builder [1].", REFUSAL, V.CONTRADICTED),
        (
            "The authority refused to publish the contract with the builder [1].",
            REFUSAL,
            V.SUPPORTED,
        ),
        (
            "Sales of the builder came to 40 million euros in 2021 [1].",
            f"Sales of the builder declined to 40 million euros in 2021. {FILLER}",
            V.SUPPORTED,
        ),
    ],
)
def test_a_refusal_is_the_opposite_of_the_deed(statement: str, source: str, expected: V) -> None:
    assert judge(statement, source) is expected


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("Holcomb met the teachers [1].", "Teachers didn't see Holcomb, who was in Florida."),
        ("Several workers were injured in the fire [1].", "No worker was injured in the fire."),
    ],
)
def test_a_denial_in_other_words_is_pointed_out(statement: str, sentence: str) -> None:
    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(f"{sentence} {FILLER}")))

    assert found.verdict is V.RELATED
    assert found.reason.startswith("A passage of the source may say the opposite")


def test_a_subject_that_the_whole_source_does_not_touch_is_not_in_the_source() -> None:
    assert (
        judge("Vaccination campaigns halved measles outbreaks among toddlers [1].")
        is V.NOT_IN_SOURCE
    )


@pytest.mark.parametrize(
    "statement",
    [
        "High storage temperature decreases the loss of capacity [1].",
        "High storage temperature does not increase the loss of capacity [1].",
        "The operator replaced modules during the trial [1].",
    ],
)
def test_a_contrary_of_an_equal_sentence_is_contradicted(statement: str) -> None:
    assert judge(statement) is V.CONTRADICTED


@pytest.mark.parametrize(
    "statement",
    [
        "Fishermen in Patagonia mend their nets with recycled parachute silk [1].",
        "Two thirds of Portuguese bakeries sell sourdough to hospitals [1].",
    ],
)
def test_what_no_part_of_a_long_source_speaks_of_is_not_in_it(statement: str) -> None:
    assert judge(statement) is V.NOT_IN_SOURCE


@pytest.mark.parametrize(
    "statement",
    [
        "An older guide to the subject can still be found at this address [1].",
        "Warm cellars wear them out sooner, as 412 homes showed [1].",
        "Keeping them cool pays off [1].",
    ],
)
def test_what_is_said_of_the_text_itself_or_in_other_words_is_not_called_absent(
    statement: str,
) -> None:
    assert judge(statement) in {V.SUPPORTED, V.RELATED, V.UNCHECKED}


@pytest.mark.parametrize(
    ("statement", "missing"),
    [
        ("The trial of grid batteries was funded by Boeing [1].", "Boeing"),
        ("The study followed households in Norway and Portugal [1].", "Portugal"),
        ("The Gates Foundation funded the trial of the modules [1].", "The Gates Foundation"),
    ],
)
def test_a_name_that_the_source_does_not_mention_is_not_in_it(statement: str, missing: str) -> None:
    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(SOURCE)))

    assert found.verdict is V.NOT_IN_SOURCE
    assert found.reason.endswith(f"does not mention {missing.removeprefix('The ')}.")


def test_the_site_of_a_page_may_be_named_in_a_statement() -> None:
    statement = "Grid Observatory followed 412 households in Norway between 2016 and 2021 [1]."

    assert judge(statement, site="Grid Observatory") is V.SUPPORTED


@pytest.mark.parametrize(
    ("statement", "verdict", "reason"),
    [
        (
            "Its leader said that “heat is the mild enemy that no warranty mentions” [1].",
            V.PARTLY,
            "The source has “one” where the quotation has “mild”.",
        ),
        (
            "Its leader said that “cold winters ruin every single battery” [1].",
            V.NOT_IN_SOURCE,
            "The quotation “cold winters ruin every single battery” is not in the source.",
        ),
        (
            "The operator called the trial “catastrophic” [1].",
            V.NOT_IN_SOURCE,
            "The quotation “catastrophic” is not in the source.",
        ),
    ],
)
def test_a_quotation_that_differs_or_is_missing_is_named(
    statement: str, verdict: V, reason: str
) -> None:
    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(SOURCE)))

    assert found.verdict is verdict
    assert found.reason == reason
