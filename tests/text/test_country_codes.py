from __future__ import annotations

import pytest

from citewell.text.country_codes import (
    choose_office_code,
    find_country,
    is_country_code,
    suggest_countries,
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("DE", "DEU"),
        ("deu", "DEU"),
        ("Germany", "DEU"),
        ("UK", "GBR"),
        ("gb", "GBR"),
        ("Great Britain", "GBR"),
        ("United Kingdom", "GBR"),
        ("EL", "GRC"),
        ("South Korea", "KOR"),
        ("Korea, Rep.", "KOR"),
        ("Côte d’Ivoire", "CIV"),
        ("Ivory Coast", "CIV"),
        ("Türkiye", "TUR"),
        ("the Netherlands", "NLD"),
        ("U.S.", "USA"),
        ("world", "WLD"),
        ("EU", "EUU"),
        ("European Union", "EUU"),
        ("euro area", "EMU"),
        ("Latin America & Caribbean", "LCN"),
        ("  south-africa ", "ZAF"),
    ],
)
def test_a_country_is_found_by_code_and_by_name(text: str, code: str) -> None:
    found = find_country(text)

    assert found is not None
    assert found.code == code


@pytest.mark.parametrize("text", ["", "Atlantis", "XX", "D", "germny", "🇩🇪", "x" * 5000])
def test_what_is_no_country_is_not_found(text: str) -> None:
    assert find_country(text) is None


def test_a_misspelt_name_is_answered_with_near_ones() -> None:
    assert suggest_countries("germny")[0] == "Germany (DEU)"
    assert suggest_countries("qqqqqq") == ()


@pytest.mark.parametrize(
    ("code", "eurostat", "ecb", "worldbank", "oecd", "imf"),
    [
        ("GBR", "UK", "GB", "GBR", "GBR", "GBR"),
        ("GRC", "EL", "GR", "GRC", "GRC", "GRC"),
        ("EUU", "EU27_2020", "B0", "EUU", "EU27_2020", "G998"),
        ("EMU", "EA20", "U2", "EMU", "EA20", "G163"),
        ("WLD", None, None, "WLD", "W", "G001"),
        ("SSF", None, None, "SSF", None, None),
    ],
)
def test_every_office_has_its_own_codes(
    code: str,
    eurostat: str | None,
    ecb: str | None,
    worldbank: str | None,
    oecd: str | None,
    imf: str | None,
) -> None:
    wanted = {"eurostat": eurostat, "ecb": ecb, "worldbank": worldbank, "oecd": oecd, "imf": imf}

    assert {office: choose_office_code(code, office) for office in wanted} == wanted


def test_every_iso_country_is_in_the_list_once() -> None:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    codes = [a + b for a in letters for b in letters if is_country_code(a + b)]

    entries = [find_country(code) for code in codes]

    assert all(entry is not None for entry in entries)
    assert len({entry.code for entry in entries if entry}) == len(codes) == 249
