"""Names of cases: read from the text before a citation, compared with a registry's, and searched for."""

from __future__ import annotations

import pytest

from citewell.text.law.case_names import read_case_name, read_following_name
from citewell.text.law.case_queries import build_name_query
from citewell.text.law.name_matching import NameAgreement, compare_case_names


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
    ("written", "recorded"),
    [
        ("Brown v. Bd. of Educ.", "Brown v. Board of Education"),
        ("Citizens United v. FEC", "Citizens United v. Federal Election Commission"),
        ("NLRB v. Jones & Laughlin Steel Corp.", "National Labor Relations Board v. Jones & Laughlin Steel Corporation"),
        ("U.S. v. Nixon", "United States v. Nixon"),
        ("Wade v. Roe", "Roe v. Wade"),
        ("In re Gault", "Application of Gault"),
        ("People v. Goetz", "New York v. Goetz"),
        ("Commonwealth v. Hunt", "Massachusetts v. Hunt"),
        ("Nat'l Fed'n of Indep. Bus. v. Sebelius", "National Federation of Independent Business v. Sebelius"),
        ("Dep't of Homeland Sec. v. Regents of the Univ. of Cal.", "Department of Homeland Security v. Regents of the University of California"),
        ("W. Va. State Bd. of Educ. v. Barnette", "West Virginia State Board of Education v. Barnette"),
        ("Chevron v. NRDC", "Chevron U.S.A. Inc. v. Natural Resources Defense Council, Inc."),
        ("N.Y. Times Co. v. Sullivan", "New York Times Co. v. Sullivan"),
        ("Smith et al. v. Jones", "Smith v. Jones, Inc."),
        ("NYSRPA v. Bruen", "New York State Rifle & Pistol Ass'n v. Bruen"),
        ("United States v. Alcoa", "United States v. Aluminum Co. of America"),
        ("INS v. Chadha", "Immigration and Naturalization Service v. Chadha"),
        ("Obergefel v. Hodges", "Obergefell v. Hodges"),
    ],
)  # fmt: skip
def test_one_case_is_recognised_in_many_spellings(written: str, recorded: str) -> None:
    assert compare_case_names(written, recorded) is NameAgreement.SAME


@pytest.mark.parametrize(
    ("written", "recorded", "agreement"),
    [
        ("Roe v. Walker", "Roe v. Wade", NameAgreement.PARTIAL),
        ("United States v. Smith", "United States v. Nixon", NameAgreement.PARTIAL),
        ("Texas v. Johnson", "Ohio v. Johnson", NameAgreement.PARTIAL),
        ("National Bank v. Smith", "National Football League v. Smith", NameAgreement.PARTIAL),
        ("Smith v. Jones", "Roe v. Wade", NameAgreement.OTHER),
        ("In re Gault", "In re Winship", NameAgreement.OTHER),
        ("The v. Of", "Roe v. Wade", NameAgreement.UNKNOWN),
    ],
)
def test_different_cases_are_told_apart(
    written: str, recorded: str, agreement: NameAgreement
) -> None:
    assert compare_case_names(written, recorded) is agreement


def test_a_party_of_the_full_name_agrees() -> None:
    found = compare_case_names(
        "Weinberger v. Eldridge",
        "Mathews v. Eldridge",
        full_name="Mathews, Secretary, successor of Weinberger v. Eldridge",
    )

    assert found is NameAgreement.SAME


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
