"""Forms of legal citations: parsed, normalised, and parsed again; parentheses, courts, years, pieces."""

from __future__ import annotations

import pytest

from citewell.domains.law.citation_finding import find_piece_citations, read_parenthesis
from citewell.domains.law.citation_forms import is_brief_text
from citewell.domains.law.citation_groups import FoundCitation
from citewell.domains.law.citation_service import prepare_brief_text

# As written, as normalised.
FORMS = [
    ("410 U.S. 113", "410 U.S. 113"), ("410 U. S. 113", "410 U.S. 113"), ("410 US 113", "410 U.S. 113"),
    ("410 us 113", "410 U.S. 113"), ("5 U.S. (1 Cranch) 137", "5 U.S. 137"), ("93 S. Ct. 705", "93 S. Ct. 705"),
    ("93 S.Ct. 705", "93 S. Ct. 705"), ("98 L. Ed. 873", "98 L. Ed. 873"), ("35 L.Ed.2d 147", "35 L. Ed. 2d 147"),
    ("35 L. Ed. 2d 147", "35 L. Ed. 2d 147"), ("293 F. 1013", "293 F. 1013"), ("159 F.2d 169", "159 F.2d 169"),
    ("159 F. 2d 169", "159 F.2d 169"), ("925 F.3d 1339", "925 F.3d 1339"), ("925 F3d 1339", "925 F.3d 1339"),
    ("31 F.4th 1180", "31 F.4th 1180"), ("31 F. 4th 1180", "31 F.4th 1180"), ("776 F. Supp. 135", "776 F. Supp. 135"),
    ("776 F.Supp. 135", "776 F. Supp. 135"), ("400 F. Supp. 2d 707", "400 F. Supp. 2d 707"), ("400 F.Supp.2d 707", "400 F. Supp. 2d 707"),
    ("678 F. Supp. 3d 443", "678 F. Supp. 3d 443"), ("217 F.R.D. 309", "217 F.R.D. 309"), ("488 A.2d 858", "488 A.2d 858"),
    ("146 A. 641", "146 A. 641"), ("551 P.2d 334", "551 P.2d 334"), ("183 P.3d 384", "183 P.3d 384"), ("162 N.E. 99", "162 N.E. 99"),
    ("798 N.E.2d 941", "798 N.E.2d 941"), ("763 N.W.2d 862", "763 N.W.2d 862"), ("84 S.E.2d 516", "84 S.E.2d 516"),
    ("12 So. 3d 45", "12 So. 3d 45"), ("12 So.3d 45", "12 So. 3d 45"), ("17 Cal. 3d 425", "17 Cal. 3d 425"), ("17 Cal.3d 425", "17 Cal. 3d 425"),
    ("43 Cal. 4th 757", "43 Cal. 4th 757"), ("131 Cal. Rptr. 14", "131 Cal. Rptr. 14"), ("248 N.Y. 339", "248 N.Y. 339"),
    ("440 Mass. 309", "440 Mass. 309"), ("32 N.J. 358", "32 N.J. 358"), ("26 Wis. 2d 683", "26 Wis. 2d 683"), ("204 Mich. 459", "204 Mich. 459"),
    ("46 Wash. 2d 197", "46 Wash. 2d 197"), ("2011 IL 110236", "2011 IL 110236"), ("2015-Ohio-1234", "2015 Ohio 1234"),
    ("2023 WL 4114965", "2023 WL 4114965"), ("603 U.S. ___", "603 U.S. ___"), ("999 F.9th 1", "999 F.9th 1"),
    ("[2019] UKSC 41", "[2019] UKSC 41"), ("[2013] EWCA Civ 1383", "[2013] EWCA Civ 1383"), ("[2004] EWHC 12 (Ch)", "[2004] EWHC 12 (Ch)"),
    ("(2019) UKSC 41", "[2019] UKSC 41"), ("ECLI:EU:C:2014:317", "ECLI:EU:C:2014:317"), ("ecli:eu:c:2014:317", "ECLI:EU:C:2014:317"),
    ("62018CJ0311", "62018CJ0311"), ("C-311/18", "62018CJ0311"), ("Case C\u2011311/18", "62018CJ0311"), ("T-201/04", "62004TJ0201"),
    ("Case 26/62", "61962CJ0026"), ("32016R0679", "32016R0679"), ("Regulation (EU) 2016/679", "32016R0679"),
    ("Regulation (EC) No 1907/2006", "32006R1907"), ("Directive 95/46/EC", "31995L0046"), ("Directive 2011/83/EU", "32011L0083"),
    ("17 C.F.R. § 240.10b-5", "17 CFR 240.10b-5"), ("17 CFR 240.10b-5", "17 CFR 240.10b-5"), ("29 C.F.R. § 1910.134(a)(1)", "29 CFR 1910.134"),
    ("40 C.F.R. pt. 60", "40 CFR 60"), ("85 Fed. Reg. 1234", "85 FR 1234"), ("85 FR 1,234", "85 FR 1234"),
]  # fmt: skip


def find(text: str, *, is_single: bool = True) -> list[FoundCitation]:
    return find_piece_citations(text, 0, len(text), is_single=is_single)


@pytest.mark.parametrize(("written", "normalized"), FORMS, ids=[form for form, _ in FORMS])
def test_a_citation_is_normalised_and_stays_as_it_is(written: str, normalized: str) -> None:
    [first] = find(written)
    [again] = find(first.citation.normalized)

    assert first.citation.normalized == normalized
    assert again.citation.normalized == normalized
    assert again.citation.kind == first.citation.kind
    assert again.form == first.form


def test_there_are_enough_forms() -> None:
    assert len(FORMS) >= 60


def test_name_court_year_and_pin_cite_are_read_from_the_citations_own_words() -> None:
    text = (
        "See Roe v. Wade, 410 U.S. 113, 153 (1973); Mabey v. Nobody, 999 F.9th 1 (9th Cir. 2030)."
        " And Parker v. District of Columbia, 478 F.3d 370 (D.C. Cir. 2007)."
    )

    roe, mabey, parker = (place.citation for place in find(text, is_single=False))

    assert (roe.case_name, roe.year, roe.court, roe.pin_cite) == ("Roe v. Wade", 1973, None, "153")
    assert (mabey.case_name, mabey.year) == ("Mabey v. Nobody", 2030)
    assert (parker.year, parker.court) == (2007, "D.C. Cir.")
    assert text[parker.start : parker.end] == "478 F.3d 370"


def test_offsets_lead_into_the_original_text() -> None:
    text = "*Miranda v.\n  Arizona*,\u00a0384\u00a0U.S.\n 436 (1966)."

    [found] = find(text, is_single=False)

    assert text[found.citation.start : found.citation.end] == "384\u00a0U.S.\n 436"
    assert found.citation.case_name == "Miranda v. Arizona"


def test_words_that_look_like_a_citation_are_left_alone() -> None:
    text = "It took 1 Day 2 hours. Of 12 us 40 stayed. The 5 F. 3 d."

    assert find(text, is_single=False) == []


def test_prepared_text_keeps_its_way_back() -> None:
    text = "a  b\n\n*c*\u00addd\r\n e___"

    prepared = prepare_brief_text(text)

    assert prepared.text == "a b\ncdd e___"
    assert all(
        text[prepared.find_origin(at)] == char
        for at, char in enumerate(prepared.text)
        if not char.isspace()
    )


@pytest.mark.parametrize(
    ("inside", "year", "court"),
    [
        ("1973", 1973, None),
        ("11th Cir. 2019", 2019, "11th Cir."),
        ("S.D.N.Y. June 22, 2023", 2023, "S.D.N.Y."),
        ("Cal. Ct. App. 2d Dist. 1999", 1999, "Cal. Ct. App. 2d Dist."),
        ("Fed. Cir. Dec. 3, 2009", 2009, "Fed. Cir."),
        ("2d Cir.", None, "2d Cir."),
        ("en banc", None, None),
        ("holding that in 1999", None, None),
        ("", None, None),
    ],
)
def test_a_parenthesis_is_read(inside: str, year: int | None, court: str | None) -> None:
    assert read_parenthesis(inside) == (year, court)


@pytest.mark.parametrize(
    ("text", "is_brief"),
    [
        ("The motion is denied. See Roe v. Wade, 410 U.S. 113 (1973); id. at 150.", True),
        ("Roe v. Wade, 410 U.S. 113 (1973)\nBrown v. Board of Education, 347 U.S. 483 (1954)\n", True),
        ("[1] Kucsko G. Nanometre-scale thermometry. Nature 500, 54 (2013)\n\n[2] 347 U.S. 483 (1954)", False),
        ("Smith J. A study of Roe v. Wade. J Law 12, 34 (1999). doi:10.1000/xyz", False),
        ("Nothing legal here at all.", False),
        ("", False),
    ],
)  # fmt: skip
def test_a_brief_is_told_from_a_list_of_references(text: str, is_brief: bool) -> None:
    assert is_brief_text(text) is is_brief
