"""Legal citations are recognised in their many forms.

ISBNs, RFC numbers and numbers of standards, as references write them.
"""

from __future__ import annotations

import pytest

from citewell.citations import identifiers, official_citations
from citewell.citations.identifiers import CitationKind, find_identifiers, identify_citation
from tests.requirements import requires


@pytest.mark.parametrize(
    ("citation", "form"),
    [
        ("347 U.S. 483 (1954)", "reporter"),
        ("Marbury v Madison 5 US 137 (1803)", "reporter"),
        ("410 us 113", "reporter"),
        ("70\u00a0N.J.\u00a010 (1976)", "reporter"),
        ("The T.J. Hooper, 60 F.2d 737 (2d Cir. 1932)", "reporter"),
        ("999 F.9th 1 (9th Cir. 2019)", "reporter"),
        ("603 U.S. ___ (2024)", "reporter"),
        ("2015-Ohio-1234", "reporter"),
        ("Brown v. Board of Education, 347 U.S. 483 (1954)", "reporter"),
        ("Doe v. Roe, 410 F.3d 123 (9th Cir. 2005)", "reporter"),
        ("123 F. Supp. 2d 456", "reporter"),
        ("98 S. Ct. 2733", "reporter"),
        ("2019 WL 123456", "reporter"),
        ("Brown v. Board of Education", "case_name"),
        ("In re Gault", "case_name"),
        ("R (Miller) v The Prime Minister [2019] UKSC 41", "neutral"),
        ("[2020] EWCA Civ 123", "neutral"),
        ("2019 SCC 65", "neutral"),
        ("Donoghue v Stevenson [1932] AC 562", "law_report"),
        ("ECLI:EU:C:2014:317", "ecli"),
        ("Case C-131/12 Google Spain", "eu_case"),
        ("Regulation (EU) 2016/679", "eu_act"),
        ("Directive 95/46/EC", "eu_act"),
        ("42 U.S.C. § 1983", "statute"),
        ("BVerfGE 7, 198", "german"),
        ("Application no. 6339/05", "echr"),
        ("Marbury v. Madison, 5 U.S. (1 Cranch) 137 (1803)", "reporter"),
        ("Mabo v Queensland (No 2) (1992) 175 CLR 1", "law_report"),
        ("Handyside v. the United Kingdom, no. 5493/72, ECHR 1976", "echr"),
    ],
)
def test_legal_citations_are_recognised(citation: str, form: str) -> None:
    found = identify_citation(citation)

    assert found.kind is CitationKind.LEGAL
    assert found.legal_form == form


@pytest.mark.parametrize(
    "work",
    [
        "Sunstein CR. Interpreting statutes in the regulatory state. 103 Harv. L. Rev. 405 (1989)",
        "Smith J. Roe v. Wade and fertility. Journal of Health, 2003, 12, 45-67",
        "Jones A. (2010). The right to be forgotten after Case C-131/12. European Law Journal, 12(3), 45.",
        "Watson JD, Crick FH. Molecular structure of nucleic acids. Nature. 1953;171:737-8.",
        "The cat v dog problem",
    ],
)
def test_works_about_the_law_are_works(work: str) -> None:
    assert official_citations.find_legal_citation(work) is None


ALGORITHMS = "9780262033848"


@requires("verify_citation.isbn_forms")
@pytest.mark.parametrize(
    "text",
    [
        "ISBN 978-0-262-03384-8", "ISBN-13: 978 0 262 03384 8", "978–0–262–03384–8", "ISBN-10 0-262-03384-4",
        "ISBN: 0262033844 9780262033848", "eISBN (pdf): 978-0-262-03384-8.", "0262033844",
        "Cormen TH. Introduction to Algorithms. MIT Press; 2009. ISBN: 9780262033848.",
        "ISBN 978-0-262-03384-9 (typo), ISBN-10 0-262-03384-4",
    ],
)  # fmt: skip
def test_an_isbn_is_read_in_every_form(text: str) -> None:
    found = identify_citation(text)

    assert (found.kind, found.value, found.fault) == (CitationKind.ISBN, ALGORITHMS, "")


def test_the_words_around_an_isbn_are_left() -> None:
    found = identify_citation(
        "Cormen TH. Introduction to Algorithms. MIT Press; 2009. ISBN-13: 978-0-262-03384-8; ISBN-10: 0-262-03384-4"
    )

    assert found.surrounding_text == "Cormen TH. Introduction to Algorithms. MIT Press; 2009"


@pytest.mark.parametrize(
    "wrong", ["ISBN 978-0-262-03384-9", "ISBN 9990262033848", "978-0-262-03384-1"]
)
def test_a_wrong_check_digit_is_told(wrong: str) -> None:
    found = identify_citation(wrong)

    assert found.kind is CitationKind.ISBN
    assert not found.ids
    assert "check digit" in found.fault


def test_a_long_row_of_digits_is_searched_quickly() -> None:
    assert identifiers.find_isbn("ISBN " + "1 " * 20_000) is not None
    assert identifiers.find_isbn("isbn isbn- " * 20_000) is None


@requires("verify_citation.rfc")
@pytest.mark.parametrize(
    "text",
    [
        "RFC 9110", "rfc9110", "RFC-9110.", "Request for Comments 9110", "[RFC9110]",
        "Fielding R, Nottingham M, Reschke J. HTTP Semantics. RFC 9110, IETF, June 2022.",
        "Fielding, R., Ed. HTTP Semantics. RFC 9110. 2022.",
        "RFC 9110: HTTP Semantics", "HTTP Semantics (RFC 9110). Internet Engineering Task Force.",
        "https://datatracker.ietf.org/doc/html/rfc9110#section-3", "https://www.rfc-editor.org/rfc/rfc9110.txt",
        "RFC 09110",
    ],
)  # fmt: skip
def test_an_rfc_is_read_in_every_form(text: str) -> None:
    assert official_citations.find_rfc_number(text) == "9110"
    assert "rfc:9110" in map(str, find_identifiers(text))


@pytest.mark.parametrize(
    "text",
    [
        "Smith J. Testing RFC 3261 implementations. Computer Networks. 2009;53:1-9.",
        "An evaluation of RFC 2544: benchmarks for switches. 2010.",
        "RFC", "RFC 0", "RFC 1234567", "The RFC 822 message format in practice. Software 1990.",
    ],
)  # fmt: skip
def test_a_work_about_an_rfc_is_not_the_rfc(text: str) -> None:
    assert official_citations.find_rfc_number(text) is None


@requires("verify_citation.standard")
@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("ISO 9001:2015", "ISO 9001:2015"),
        ("iso 9001", "ISO 9001"),
        ("ISO9001 : 2015", "ISO 9001:2015"),
        ("ISO/IEC TR 24028:2020", "ISO/IEC TR 24028:2020"),
        ("[12] ISO 26262-1:2018, Road vehicles — Functional safety", "ISO 26262-1:2018"),
        ("IEEE Std 754-2019", "IEEE 754-2019"),
        ("IEEE 802.11-2020", "IEEE 802.11-2020"),
        ("DIN EN ISO 13849-1:2016-06", "DIN EN ISO 13849-1:2016"),
        ("ASTM E8/E8M-16a", "ASTM E8/E8M-16a"),
        ("ITU-T G.711", "ITU-T G.711"),
        ("Quality management systems — Requirements (ISO 9001:2015). Geneva: ISO; 2015.", "ISO 9001:2015"),
        ("ISO. (2015). ISO 9001:2015 Quality management systems. Geneva.", "ISO 9001:2015"),
    ],
)  # fmt: skip
def test_the_number_of_a_standard_is_normalised(text: str, number: str) -> None:
    found = identify_citation(text)

    assert (found.kind, found.value) == (CitationKind.STANDARD, number)
    assert number in found.note


@pytest.mark.parametrize(
    "text",
    [
        "Smith J. Experiences with ISO 9001:2015 in hospitals. J Qual. 2018;3:1-9.",
        "Does ISO 14001 work? Evidence from firms. 2010.",
        "Proceedings of the IEEE 86-11 (1998)", "IEEE 2020 Conference on Networks, pp. 3-4",
        "As 2020 shows, things change", "EN 12 people", "Jones AS 1999. Nature",
    ],
)  # fmt: skip
def test_a_work_that_mentions_a_standard_is_not_the_standard(text: str) -> None:
    assert official_citations.find_standard(text) is None


def test_a_person_is_sent_to_the_publisher_of_the_standard() -> None:
    german, odd = map(
        official_citations.find_standard, ("DIN EN ISO 13849-1:2016", "JIS Z 2801:2010")
    )

    assert german is not None
    assert odd is not None
    assert "dinmedia.de" in official_citations.describe_standard(german)
    assert "the catalogue of its publisher" in official_citations.describe_standard(odd)
