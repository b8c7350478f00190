"""One damaged node in a catalogue of series: its reader returns lines or raises UpstreamError."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citewell.core.errors import UpstreamError
from citewell.providers.dialects.sdmx_source import (
    list_key_dimensions,
    write_flow_lines,
    write_flow_names,
)
from citewell.providers.eurostat import write_contents_lines
from citewell.providers.worldbank import write_indicator_lines
from tests.contract.recordings import encode
from tests.internet.apis.eurostat import CONTENTS
from tests.internet.statistics import flows, structure
from tests.property.test_damaged_answers import REPLACEMENTS, broken_text, damaged, places

FLOWS = flows([("OECD.X", "DSD@DF", "1.0", "Growth"), ("OECD.Y", "DSD@DG", "1.1", "Prices")])
STRUCTURE = structure("OECD.X", "DF", ("FREQ", "REF_AREA"))
INDICATORS = [{"page": 1, "total": 1}, [{"id": "A.B", "name": "Growth", "sourceNote": "Of."}]]
XML = (
    '<m:Structure xmlns:m="m" xmlns:s="s"><s:Dataflow id="EXR" agencyID="ECB"><s:Name>Rates</s:Name>'
    '</s:Dataflow><s:DimensionList><s:Dimension id="FREQ" position="1"/></s:DimensionList>'
    "</m:Structure>"
)
JSON_READERS: dict[str, tuple[Callable[[bytes], Any], Any]] = {
    "flows": (write_flow_lines, FLOWS),
    "dimensions": (list_key_dimensions, STRUCTURE),
    "indicators": (write_indicator_lines, INDICATORS),
}
TEXT_READERS: dict[str, tuple[Callable[[bytes], Any], str]] = {
    "contents": (write_contents_lines, CONTENTS),
    "names": (write_flow_names, XML),
    "xml dimensions": (list_key_dimensions, XML),
}
many = settings(
    max_examples=150,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def check(read: Callable[[bytes], Any], body: bytes) -> None:
    try:
        found = read(body)
    except UpstreamError as error:
        str(error).encode()
        return
    assert found
    str(found).encode()


@pytest.mark.parametrize("name", JSON_READERS)
@many
@given(data=st.data())
def test_a_damaged_message_gives_lines_or_an_upstream_error(name: str, data: st.DataObject) -> None:
    read, whole = JSON_READERS[name]
    place = data.draw(st.sampled_from(list(places(whole))))
    value = data.draw(st.sampled_from(REPLACEMENTS))

    check(read, encode([damaged(whole, place, value)])[1:-1])


@pytest.mark.parametrize("name", TEXT_READERS)
@many
@given(
    start=st.integers(0, 10_000),
    length=st.integers(0, 400),
    put=st.sampled_from(["", "<", '"', "\t", "\x00", "\ud800", "&x;", '"\n', "<!DOCTYPE a>"]),
)
def test_a_damaged_text_gives_lines_or_an_upstream_error(
    name: str, start: int, length: int, put: str
) -> None:
    read, whole = TEXT_READERS[name]

    check(read, broken_text(whole, start, length, put))
