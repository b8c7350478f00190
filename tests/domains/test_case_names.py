"""Names of cases: read from the text before a citation, compared with a registry's, and searched for."""

from __future__ import annotations

import pytest

from citewell.domains.law.case_names import read_case_name, read_following_name
from citewell.domains.law.citation_registry import build_name_query


@pytest.mark.parametrize(
    ("before", "name"),
    [
        ("See Roe v. Wade, ", "Roe v. Wade"),
        ("The Court in Brown v. Board of Educ., ", "Brown v. Board of Educ."),
        ("(2019). See also Varghese v. China Southern Airlines Co., Ltd., ", "Varghese v. China Southern Airlines Co., Ltd."),
        ("cf. In re Gault, ", "In re Gault"),
        ("as was held. United States v. Nixon, ", "United States v. Nixon"),
        ("citing Nat'l Fed'n of Indep. Bus. v. Sebelius, No. 11-393, ", "Nat'l Fed'n of Indep. Bus. v. Sebelius"),
        ("(quoting Marbury v. Madison, ", "Marbury v. Madison"),
        ("In California, Smith v. Jones Corp., Inc., ", "Smith v. Jones Corp., Inc."),
        ("But see, e.g., Dobbs v. Jackson Women's Health Org., ", "Dobbs v. Jackson Women's Health Org."),
        ("Citizens to Preserve Overton Park, Inc. v. Volpe, ", "Citizens to Preserve Overton Park, Inc. v. Volpe"),
        ("That was so in Youngstown Sheet & Tube Co. v. Sawyer (", "Youngstown Sheet & Tube Co. v. Sawyer"),
        ("the rule of eBay Inc. v. MercExchange, L.L.C., ", "eBay Inc. v. MercExchange, L.L.C."),
        ("the Slaughter-House Cases, ", "Slaughter-House Cases"),
        ("R (Miller) v Prime Minister ", "R (Miller) v. Prime Minister"),
        ("Compare Doe v. 303 Creative LLC, ", "Doe v. 303 Creative LLC"),
    ],
)  # fmt: skip
def test_the_name_before_a_citation_is_read_without_signals(before: str, name: str) -> None:
    found = read_case_name(before)

    assert found is not None
    assert (found.text, found.is_full) == (name, True)


@pytest.mark.parametrize(
    "before",
    [
        "The court held that it was so (",
        "Brown v. Board of Education, decided in 1954 by a unanimous Court, ",
        "",
        "v. ",
        "Id., ",
    ],
)
def test_words_that_are_no_name_are_not_taken_for_one(before: str) -> None:
    assert read_case_name(before) is None


def test_words_before_a_comma_are_a_second_reading_of_the_name() -> None:
    found = read_case_name("See Emp't Div., Dep't of Human Res. of Or. v. Smith, ")

    assert found is not None
    assert found.text == "Dep't of Human Res. of Or. v. Smith"
    assert found.long_text == "Emp't Div., Dep't of Human Res. of Or. v. Smith"


def test_a_single_party_is_a_short_name() -> None:
    found = read_case_name("In Roe, ")

    assert found is not None
    assert (found.text, found.is_full) == ("Roe", False)


def test_a_name_does_not_reach_into_the_paragraph_before() -> None:
    found = read_case_name("Smith v. Jones\nRoe, ")

    assert found is not None
    assert found.text == "Roe"


def test_a_name_behind_the_citation_is_read() -> None:
    found = read_following_name(", Roe v. Wade")

    assert found is not None
    assert found.text == "Roe v. Wade"


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("Brown v. Bd. of Educ.", "Brown v. Board"),
        ("In re Gault", "Gault"),
        ("United States v. Nixon", "United States v. Nixon"),
        ("NLRB v. Jones & Laughlin Steel Corp.", "Jones Laughlin"),
        ("", ""),
    ],
)
def test_a_name_is_searched_by_its_telling_words(name: str, query: str) -> None:
    assert build_name_query(name) == query
