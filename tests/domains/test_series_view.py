from __future__ import annotations

import pytest

from citewell.domains.series_view import draw_sparkline
from tests.command_runs import Run


def test_observations_are_a_column_with_a_line_drawn_of_them(run: Run) -> None:
    ran = run("series", "--id", "NY.GDP.MKTP.CD", "--country", "germany", "-n", "4")

    assert ran.code == 0
    assert ran.out.splitlines() == [
        "GDP (current US$), Germany",
        "  2025          –",
        "  2024  1020240.5  ← newest",
        "  2023  1020230.5",
        "  2022  1020220.5",
        "  2022 ▁▅█  2025",
        "",
        "4 results from worldbank",
    ]


def test_every_series_of_a_data_set_has_its_own_column(run: Run) -> None:
    ran = run("series", "--id", "IMF.RES,WEO", "--country", "FR", "-n", "4")

    lines = ran.out.splitlines()
    assert lines[0] == "World Economic Outlook (WEO)"
    assert lines[1] == "Real GDP growth"
    assert lines[2:5] == ["  2025  0.50  ← newest", "  2024  0.40", "  2024 ▁█ 2025"]
    assert "2 series of this data set match" in ran.out


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ([], ""),
        (["1"], ""),
        (["x", None], ""),
        (["1", "1"], "▁▁"),
        (["0", None, "7"], "▁ █"),
        (["-5", "0", "5"], "▁▅█"),
        (["1e308", "-1e308", "nan", "0"], "█▁ ▅"),
    ],
)
def test_a_line_has_one_block_for_each_number(values: list[str | None], line: str) -> None:
    assert draw_sparkline(values) == line
