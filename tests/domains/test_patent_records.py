from __future__ import annotations

import pytest

from citewell.domains.patents.patent_answers import explain_kind_code, is_granted_kind
from citewell.domains.patents.patent_numbers import require_patent_number
from citewell.domains.patents.patent_records import (
    list_assignee_variants,
    match_assignee,
    match_class_code,
    match_inventor,
    normalize_class_code,
    strip_company_form,
)
from tests.domains.number_forms import PLAIN
from tests.requirements import requires


@requires("patent_search.assignee")
@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("Google LLC", "Google"),
        ("Samsung Electronics Co., Ltd.", "Samsung Electronics"),
        ("Toyota Motor Corporation", "Toyota Motor"),
        ("Siemens AG", "Siemens"),
        ("Robert Bosch GmbH", "Robert Bosch"),
        ("Koninklijke Philips N.V.", "Koninklijke Philips"),
        ("Novo Nordisk A/S", "Novo Nordisk A/S"),
        ("Sony K.K.", "Sony"),
        ("L'Oréal S.A.", "L'Oréal"),
        ("Rolls-Royce plc", "Rolls-Royce"),
        ("トヨタ自動車株式会社", "トヨタ自動車"),
        ("삼성전자 주식회사", "삼성전자"),
        ("华为技术有限公司", "华为技术"),
        ("Inc", "Inc"),
    ],
)
def test_a_legal_form_is_not_part_of_the_base_name(name: str, base: str) -> None:
    assert strip_company_form(name) == base


def test_variants_differ_in_form_spacing_and_conjunction() -> None:
    assert list_assignee_variants("Procter and Gamble Company") == (
        "Procter and Gamble",
        "Procter and Gamble Company",
        "Procter & Gamble",
        "ProcterandGamble",
        "Procter and Gamble Inc",
        "Procter and Gamble LLC",
        "Procter and Gamble Ltd",
        "Procter and Gamble Corp",
    )
    assert list_assignee_variants("Rolls-Royce plc")[:4] == (
        "Rolls-Royce",
        "Rolls-Royce plc",
        "Rolls Royce",
        "RollsRoyce",
    )


@requires("patent_search.assignee")
@pytest.mark.parametrize(
    ("wanted", "stated"),
    [
        ("google inc", "Google LLC"),
        ("Google", "GOOGLE INC [US]"),
        ("Face book", "Facebook, Inc."),
        ("AT and T", "AT&T Corp."),
        ("IBM", "INTERNATIONAL BUSINESS MACHINES CORP [US]"),
        ("International Business Machines", "IBM"),
        ("Koninklijke Philips", "KONINKLIJKE PHILIPS NV"),
        ("Novo Nordisk", "Novo Nordisk A/S"),
        ("Loreal", "L'Oréal S.A."),
        ("トヨタ自動車", "トヨタ自動車株式会社"),
        ("Boer Beheer", "BOER BEHEER NIJMEGEN BV DE [NL]"),
    ],
)
def test_a_company_is_recognized_however_it_is_written(wanted: str, stated: str) -> None:
    assert match_assignee(wanted, [stated])


@pytest.mark.parametrize(
    ("wanted", "stated"),
    [
        ("Ford", "Stanford University"),
        ("Apple", "Applied Materials, Inc."),
        ("IBM", "IB Medical Inc"),
    ],
)
def test_another_company_is_not(wanted: str, stated: str) -> None:
    assert not match_assignee(wanted, [stated])


@requires("patent_search.inventor")
def test_an_inventor_matches_by_names_in_any_order_and_by_initials() -> None:
    assert match_inventor("John A. Smith", ["SMITH JOHN ARTHUR [US]"])
    assert match_inventor("J. Weng", ["Juyang Weng"])
    assert match_inventor("Müller", ["MULLER HANS [DE]"])
    assert match_inventor("Juyang Weng", ["Weng, J."])
    assert not match_inventor("Jane Weng", ["Juyang Weng"])
    assert not match_inventor("J.", ["Juyang Weng"])


@requires("patent_search.cpc_code")
def test_a_class_covers_what_is_below_it_and_not_its_neighbour() -> None:
    assert normalize_class_code("g06f 16/00") == "G06F16/00"
    assert normalize_class_code("G06F0016/00") == "G06F16/00"
    assert normalize_class_code("nonsense") is None
    assert match_class_code("G06", ["G06F16/00"])
    assert match_class_code("G06F1", ["G06F 1/16"])
    assert not match_class_code("G06F1", ["G06F16/00"])
    assert not match_class_code("H04L", ["G06F16/00"])


@pytest.mark.parametrize("number", PLAIN)
def test_every_kind_code_is_explained(number: str) -> None:
    found = require_patent_number(number)

    assert explain_kind_code(found.office, found.kind)


def test_only_granted_rights_are_granted() -> None:
    granted = {
        number
        for number in PLAIN
        if is_granted_kind(number[:2], require_patent_number(number).kind)
    }

    assert {"US7654321B2", "US2668287A", "EP1000000B1", "CN1257949C", "KR102661554B1"} <= granted
    assert (
        not {"US20140131102A1", "EP1000000A1", "WO2020086066A1", "JP2018005099A", "KR20240056344A"}
        & granted
    )
    assert explain_kind_code("US", None) is None
