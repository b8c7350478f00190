from __future__ import annotations

from datetime import date

import pytest

from citewell.text.places import list_weekly_hours

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
