from __future__ import annotations

import pytest

from citewell.citations import legal_citations
from citewell.citations.identifiers import CitationKind, identify_citation


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
    assert legal_citations.find_legal_citation(work) is None
