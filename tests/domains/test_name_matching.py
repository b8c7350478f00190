from __future__ import annotations

import pytest

from citewell.domains.law.name_matching import NameAgreement, compare_case_names


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
