from __future__ import annotations

import pytest

from citewell.core.errors import NotFound
from citewell.reading import sites
from tests.reading.site_answers import worldbank
from tests.reading.site_bench import Reply, page, read

API = "api.worldbank.org/v2/country/DE;FR/indicator/NY.GDP.MKTP.CD"
URL = "https://data.worldbank.org/indicator/NY.GDP.MKTP.CD?locations=DE-FR"


def test_an_indicator_page_is_read_as_a_table_of_its_values() -> None:
    found = page(URL, worldbank())

    assert found.title == "GDP (current US$)"
    assert "GDP (current US$), Germany, 2024: 4659929000000.123." in found.content
    assert "| Year | Germany | France |" in found.content
    assert "| 2023 |  | 3051831000000 |" in found.content
    assert (found.site, found.published) == ("World Bank Open Data", "2026-10-01")


def test_an_indicator_that_does_not_exist_is_not_found() -> None:
    answer = [{"message": [{"id": "120", "key": "Invalid value", "value": "not found"}]}]

    with pytest.raises(NotFound):
        page(URL, {API: answer})


@pytest.mark.parametrize("body", ["", "<html>", "[]", "[{}]", "[{}, null]", "[" * 10_000, "7"])
def test_an_answer_of_another_form_leaves_the_page_to_the_ladder(body: str) -> None:
    assert read(URL, {API: Reply(body=body)}) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://data.worldbank.org/",
        "https://data.worldbank.org/country/germany",
        "https://data.worldbank.org/indicator/..%2F..%2Fadmin",
        "https://worldbank.org/indicator/NY.GDP.MKTP.CD",
    ],
)
def test_other_pages_of_the_bank_are_read_as_pages(url: str) -> None:
    assert sites.find_site_route(url) is None
