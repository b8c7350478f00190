from __future__ import annotations

import pytest

from citewell.core.errors import InvalidInput
from citewell.domains.series_ids import (
    guess_series_provider,
    parse_series_reference,
    split_dotted_key,
)


@pytest.mark.parametrize(
    ("series_id", "provider"),
    [
        ("NY.GDP.MKTP.CD", "worldbank"),
        ("SP.POP.TOTL", "worldbank"),
        ("FM.LBL.BMNY.GD.ZS", "worldbank"),
        ("EN.GHG.CO2.PC.CE.AR5", "worldbank"),
        ("OECD.SDD.NAD,DSD_NAMAIN1@DF_QNA,1.0", "oecd"),
        ("OECD.SDD.NAD,DSD_NAMAIN1@DF_QNA,1.0/Q.DEU..", "oecd"),
        ("IMF.STA,CPI,5.0.0", "imf"),
        ("une_rt_m", "eurostat"),
        ("nama_10_gdp", "eurostat"),
        ("tps00001", "eurostat"),
        ("une_rt_m?sex=T", "eurostat"),
        ("EXR/D.USD.EUR.SP00.A", "ecb"),
        ("EXR.D.USD.EUR.SP00.A", "ecb"),
        ("FM.B.U2.EUR.4F.KR.DFR.LEV", "ecb"),
        ("GDP", "fred"),
        ("CPIAUCSL", "fred"),
        ("UNRATE", "fred"),
        ("DGS10", "fred"),
        ("hello world", None),
    ],
)
def test_the_form_of_an_id_tells_its_provider(series_id: str, provider: str | None) -> None:
    assert guess_series_provider(series_id) == provider


def test_an_id_may_carry_a_key_or_filters() -> None:
    keyed = parse_series_reference("EXR/D.USD+GBP.EUR.SP00.A")
    filtered = parse_series_reference("une_rt_m?sex=T&age=TOTAL+Y_LT25")

    assert (keyed.flow, keyed.key) == ("EXR", "D.USD+GBP.EUR.SP00.A")
    assert filtered.filters == {"sex": "T", "age": "TOTAL+Y_LT25"}


@pytest.mark.parametrize(
    "series_id",
    [
        "../../etc/passwd",
        "a/../b",
        "a..b",
        "x?sex",
        "x?sex=T&sex=F",
        "x?" + "&=" * 150,
        "x?sex=",
        "x?sex=a b",
        "x?sex=<script>",
        "x y",
        "x/y/z",
        "x#y",
        "x%2fy",
        "é",
        "",
        "x" * 401,
        "x?" + "&".join(f"d{n}=1" for n in range(40)),
    ],
)
def test_an_id_that_could_change_the_address_is_refused(series_id: str) -> None:
    with pytest.raises(InvalidInput, match="series_id must be"):
        parse_series_reference(series_id)


def test_the_form_of_the_ecbs_portal_is_taken_too() -> None:
    assert split_dotted_key("EXR.D.USD.EUR.SP00.A") == "EXR/D.USD.EUR.SP00.A"
    assert split_dotted_key("EXR/D.USD.EUR.SP00.A") == "EXR/D.USD.EUR.SP00.A"


@pytest.mark.parametrize("series_id", ["EXR", "EXR/..", "EXR/....", "EXR/.", "EXR?", "EXR/"])
def test_a_key_of_open_positions_alone_is_no_key(series_id: str) -> None:
    assert parse_series_reference(series_id).key == ""
