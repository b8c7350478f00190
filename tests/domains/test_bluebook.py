from __future__ import annotations

from typing import Any

import pytest

from citewell.core.values.court_case import CourtCase
from citewell.domains.law.bluebook import (
    abbreviate_case_name,
    compose_bluebook_citation,
    order_citations,
)
from tests.requirements import requires


def case(name: str, *citations: str, label: str = "", day: str = "", **more: Any) -> CourtCase:
    return CourtCase(
        **{"source": "courtlistener"} | more,
        name=name,
        url="https://www.courtlistener.com/opinion/1/x/",
        citations=citations,
        court_label=label or None,
        date_filed=day or None,
    )


@requires("legal_search.bluebook")
@pytest.mark.parametrize(
    ("given", "written"),
    [
        (
            case("Roe v. Wade", "93 S. Ct. 705", "410 U.S. 113", label="SCOTUS", day="1973-01-22"),
            "Roe v. Wade, 410 U.S. 113 (1973)",
        ),
        (
            case("A v. B", "145 S. Ct. 1", label="SCOTUS", day="2025-01-02", court_id="scotus"),
            "A v. B, 145 S. Ct. 1 (2025)",
        ),
        (
            case("Marbury v. Madison", "1 Cranch 137", "5 U.S. 137", day="1803-02-24"),
            "Marbury v. Madison, 5 U.S. (1 Cranch) 137 (1803)",
        ),
        (
            case("A v. B", "2001 WL 5", "239 F.3d 1004", label="9th Cir.", day="2001-02-12"),
            "A v. B, 239 F.3d 1004 (9th Cir. 2001)",
        ),
        (
            case("A v. B", "400 F. Supp. 2d 707", label="M.D. Penn.", day="2005-12-20"),
            "A v. B, 400 F. Supp. 2d 707 (M.D. Pa. 2005)",
        ),
        (
            case("A v. B", "162 N.E. 99", "248 N.Y. 339", label="NY", day="1928-05-29"),
            "A v. B, 248 N.Y. 339, 162 N.E. 99 (1928)",
        ),
        (
            case("A v. B", "551 P.2d 334", label="Cal.", day="1976"),
            "A v. B, 551 P.2d 334 (Cal. 1976)",
        ),
        (
            case("A v. B", "30 Cal. App. 4th 5", label="Cal. Ct. App.", day="1995-01-01"),
            "A v. B, 30 Cal. App. 4th 5 (Ct. App. 1995)",
        ),
        (
            case("A v. B", "210 Ill. App. 3d 7", label="Ill. App. Ct.", day="1991-01-01"),
            "A v. B, 210 Ill. App. 3d 7 (App. Ct. 1991)",
        ),
        (
            case("A v. B", "2023 WL 4114965", label="S.D.N.Y.", day="2023-06-22", docket_number="1:22-cv-1"),
            "A v. B, No. 1:22-cv-1, 2023 WL 4114965 (S.D.N.Y. June 22, 2023)",
        ),
        (
            case("A v. B", label="S.D.N.Y.", day="2023-09-22", docket_number="1:22-cv-1"),
            "A v. B, No. 1:22-cv-1 (S.D.N.Y. Sept. 22, 2023)",
        ),
        (case("A v. B", "239 F.3d 1004"), "A v. B, 239 F.3d 1004"),
        (case("A v. B"), "A v. B"),
        (
            case("R (A) v B", "[2019] UKSC 41", day="2019-09-24", source="findcaselaw"),
            "R (A) v. B [2019] UKSC 41",
        ),
        (
            case("Title", "17 CFR 240.10b-5", source="ecfr", kind="regulation"),
            "17 C.F.R. § 240.10b-5",
        ),
        (case("17 CFR 240", "17 CFR 240", source="ecfr", kind="regulation"), "17 C.F.R. pt. 240"),
        (
            case("Rule on X", "89 FR 12345", day="2024-05-08", source="federalregister", kind="regulation"),
            "Rule on X, 89 Fed. Reg. 12,345 (May 8, 2024)",
        ),
        (
            case("Appendix A", "40 CFR Appendix A to Part 60", source="ecfr", kind="regulation"),
            "Appendix A, 40 CFR Appendix A to Part 60",
        ),
    ],
)  # fmt: skip
def test_a_case_is_cited_as_its_court_and_reporters_ask(given: CourtCase, written: str) -> None:
    assert compose_bluebook_citation(given) == written


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Brown v. Board of Education", "Brown v. Bd. of Educ."),
        ("Erie Railroad Co. vs. Tompkins", "Erie R.R. Co. v. Tompkins"),
        ("District of Columbia v. Heller", "District of Columbia v. Heller"),
        ("National Federation of Independent Business v. Sebelius", "Nat'l Fed'n of Indep. Bus. v. Sebelius"),
        ("Commission v. International", "Commission v. International"),
        ("Smith et al. v. Jones, et al.", "Smith v. Jones"),
        ("In re Winship", "In re Winship"),
        ("Johnson and Johnson v. X", "Johnson & Johnson v. X"),
        ("", ""),
    ],
)  # fmt: skip
def test_names_are_shortened_modestly(name: str, short: str) -> None:
    assert abbreviate_case_name(name) == short


def test_the_official_reporter_comes_first_and_databases_last() -> None:
    mixed = ("2015 WL 1", "192 L. Ed. 2d 609", "135 S. Ct. 2584", "576 U.S. 644")

    assert order_citations(mixed, "scotus") == mixed[::-1]
