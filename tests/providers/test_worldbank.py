"""What the World Bank sends with status 200."""

from __future__ import annotations

import pytest

from citewell.core.errors import (
    CitewellError,
    NotFound,
    UpstreamUnavailable,
)
from tests.providers.series_desk import look


@pytest.mark.parametrize(
    ("message_id", "kind"), [("120", NotFound), ("175", NotFound), ("105", UpstreamUnavailable)]
)
def test_the_world_banks_errors_come_with_status_200(
    message_id: str, kind: type[CitewellError]
) -> None:
    body = [{"message": [{"id": message_id, "key": "x", "value": "The value is not valid"}]}]

    with pytest.raises(kind):
        look("worldbank", {"country": (200, body)}, "NY.X.Y")


def test_the_world_banks_numbers_are_repeated_as_written() -> None:
    body = '[{"page":1},[{"date":"2024","value":4685592577804.970},{"date":"2023","value":1e12}]]'

    found, _ = look("worldbank", {"country": (200, body)}, "NY.X.Y")

    assert [observation.value for observation in found.observations] == [
        "4685592577804.970",
        "1e12",
    ]
    assert found.country == "WLD"
