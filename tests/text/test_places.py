from __future__ import annotations

from datetime import date

import pytest

from citewell.text.places import (
    choose_office_code,
    find_country,
    is_country_code,
    list_weekly_hours,
    suggest_countries,
)

THURSDAY = date(2026, 11, 19)


def lines(tag: str, country: str | None = None, today: date = THURSDAY) -> dict[str, str]:
    listed = list_weekly_hours(tag, today=today, country=country)
    return dict(line.split(": ", 1) for line in listed)


def test_a_week_has_a_line_for_each_day() -> None:
    week = lines("Mo-Fr 06:59-17:00; Sa 09:00-12:00,13:00-15:00; Su off")

    assert next(iter(week)) == "Monday"
    assert week["Thursday"] == "06:59-17:00"
    assert week["Saturday"] == "09:00-12:00, 13:00-15:00"
    assert week["Sunday"] == "closed"


def test_always_open_is_the_whole_of_each_day() -> None:
    assert set(lines("24/7").values()) == {"00:00-24:00"}


def test_a_night_belongs_to_the_day_it_began() -> None:
    week = lines("Fr-Sa 22:00-04:00")

    assert (week["Friday"], week["Saturday"]) == ("22:00-04:00", "22:00-04:00")
    assert (week["Sunday"], week["Monday"]) == ("closed", "closed")


def test_midnight_is_the_end_of_the_day() -> None:
    assert lines("Su 20:00-24:00")["Sunday"] == "20:00-24:00"


def test_the_night_before_the_week_is_not_part_of_it() -> None:
    assert lines("Su 22:00-02:00")["Monday"] == "closed"


def test_a_public_holiday_counts_where_the_country_is_known() -> None:
    armistice = date(2026, 11, 11)

    assert lines("Mo-Su 10:00-18:00; PH off", "FR", armistice)["Wednesday"] == "closed"
    assert lines("Mo-Su 10:00-18:00; PH off", None, armistice)["Wednesday"] == "10:00-18:00"
    assert lines("Mo-Su 10:00-18:00; PH off", "IN", armistice)["Wednesday"] == "10:00-18:00"


@pytest.mark.parametrize(
    "tag",
    [
        "",
        "8am-6pm",
        "by appointment",
        "Mo-Su 10:00+",
        "sunrise-sunset",
        "Mo-Fr 09:00-17:00 unknown",
        "Mo-Fr 10:00-11:00;" * 1000,
        "\ud800",
        "\x00",
        "(" * 400,
    ],
)
def test_what_does_not_state_the_times_gives_no_line(tag: str) -> None:
    assert list_weekly_hours(tag, today=THURSDAY) == ()


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
