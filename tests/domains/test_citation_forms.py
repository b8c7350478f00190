from __future__ import annotations

import pytest

from citewell.domains.law.bluebook import find_cfr_place, find_register_page
from citewell.domains.law.citation_forms import (
    build_citation_key,
    find_celex_numbers,
    find_reporter_citation,
    is_reporter_citation,
)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("576 U.S. 644", "576 U. S. 644"),
        ("576 U.S. 644", " 576  u.s. 644 "),
        ("12 F. Supp. 3d 45", "12 F.Supp.3d 45"),
        ("1 F. App'x 2", "1 F. App’x 2"),
        ("[2019] UKSC 41", "[2019]  UKSC 41"),
        ("2015-Ohio-1234", "2015-ohio-1234"),
    ],
)
def test_one_citation_has_one_key_however_it_is_written(text: str, other: str) -> None:
    assert build_citation_key(text) == build_citation_key(other)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("576 U.S. 644", "576 U.S. 64"),
        ("57 U.S. 6644", "576 U.S. 644"),
        ("1 F.2d 3", "1 F.3d 3"),
        ("1 F. 23", "1 F.2 3"),
        ("[2019] UKSC 41", "[2019] UKSC 14"),
    ],
)
def test_different_citations_have_different_keys(text: str, other: str) -> None:
    assert build_citation_key(text) != build_citation_key(other)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("576 U.S. 644", True),
        ("31 F.4th 1180", True),
        ("17 Cal. 3d 425", True),
        ("Miranda v. Arizona", False),
        ("section 230 immunity", False),
        ("42 U.S.C. 1983 claims", False),
        ("42 U.S.C. 1983", False),
        ("17 C.F.R. 240", False),
        ("89 FR 12345", False),
        ("61 Stat. 136", False),
        ("217 F.R.D. 309", True),
        ("121 U.S. App. D.C. 315", True),
        ("", False),
    ],
)
def test_a_citation_of_a_reporter_is_told_from_words(text: str, is_one: bool) -> None:
    assert is_reporter_citation(text) is is_one


@pytest.mark.parametrize(
    ("text", "citation"),
    [
        ("Roe v. Wade, 410 U.S. 113 (1973)", "410 U.S. 113"),
        ("Authors Guild v. Google, 804 F.3d 202, 229 (2d Cir. 2015)", "804 F.3d 202"),
        ("410  U.S. 113", "410 U.S. 113"),
        ("see 400 F. Supp. 2d 707", "400 F. Supp. 2d 707"),
        ("10 Cases 2015", "10 Cases 2015"),  # the whole query; nobody else writes like this
        ("the top 10 Cases 2015 list", None),
        ("claims under 42 U.S.C. 1983 in 2020", None),
        ("section 230", None),
    ],
)
def test_a_citation_is_found_inside_a_query(text: str, citation: str | None) -> None:
    assert find_reporter_citation(text) == citation


@pytest.mark.parametrize(
    ("text", "citation"),
    [
        ("17 CFR 240.10b-5", "17 CFR 240.10b-5"),
        ("17 C.F.R. § 240.10b-5", "17 CFR 240.10b-5"),
        ("17 c.f.r. §§ 240.10b-5(b)", "17 CFR 240.10b-5"),
        ("40 CFR part 60", "40 CFR 60"),
        ("see 45 C.F.R. pt. 164 on privacy", "45 CFR 164"),
        ("29 CFR 1910.134(a)(1)", "29 CFR 1910.134"),
        ("7 CFR", None),
        ("CFR 240", None),
        ("2017 CFR 1", None),
    ],
)
def test_places_of_the_code_are_read_in_all_their_forms(text: str, citation: str | None) -> None:
    place = find_cfr_place(text)

    assert (place.citation if place else None) == citation


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("89 FR 12345", (89, 12345)),
        ("89 Fed. Reg. 12,345", (89, 12345)),
        ("89 F.R. 5", (89, 5)),
        ("89 fed. reg. 99999", (89, 99999)),
        ("FR 5", None),
        ("1 front 5", None),
    ],
)
def test_pages_of_the_federal_register_are_read(text: str, page: tuple[int, int] | None) -> None:
    assert find_register_page(text) == page


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("32016R0679", "32016R0679"),
        ("CELEX:62018CJ0311", "62018CJ0311"),
        ("C-311/18", "62018CJ0311"),
        ("Case C‑131/12 Google Spain", "62012CJ0131"),
        ("T-604/18", "62018TJ0604"),
        ("Case 26/62", "61962CJ0026"),
        ("Regulation (EU) 2016/679", "32016R0679"),
        ("Regulation (EC) No 1907/2006", "32006R1907"),
        ("Directive 95/46/EC", "31995L0046"),
        ("Directive 2011/83/EU", "32011L0083"),
        ("Decision 2010/87/EU", "32010D0087"),
        ("privacy shield", None),
        ("1/2 of the data", None),
    ],
)
def test_numbers_of_eu_law_become_celex_numbers(text: str, first: str | None) -> None:
    assert next(iter(find_celex_numbers(text)), None) == first
