"""RFCs by their number."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import InvalidInput, MalformedResponse
from citewell.core.values.paper import IdentifierScheme, PaperId
from tests.providers.asking import Reply
from tests.providers.scholarly import Session


def rfc(number: str) -> PaperId:
    return PaperId(scheme=IdentifierScheme.RFC, value=number)


def test_an_rfc_is_read_with_its_doi() -> None:
    record = {
        "doc_id": "RFC0793",
        "title": "Transmission Control Protocol",
        "authors": ["J. Postel", "Internet Architecture Board"],
        "pub_date": "September 1981",
        "doi": "10.17487/RFC0793",
    }
    session = Session("rfceditor", record)

    found = session.ask("look_up_paper", rfc("793"))

    assert session.sent[-1].url.endswith("/rfc/rfc793.json")
    assert (found.title, found.year, found.doi, found.kind) == ("Transmission Control Protocol", 1981, "10.17487/rfc0793", "standard")  # fmt: skip
    assert [author.organisation for author in found.authors] == [False, True]


@pytest.mark.parametrize(
    "record", [{"doc_id": "RFC0794", "title": "Pre-emption"}, {"doc_id": "RFC0793", "title": " "}, {"doc_id": "RFC0793"}]
)  # fmt: skip
def test_the_record_of_another_rfc_or_of_none_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(MalformedResponse):
        Session("rfceditor", record).ask("look_up_paper", rfc("793"))


def test_an_rfc_that_was_never_issued_is_absent() -> None:
    assert (
        Session("rfceditor", Reply(status=404, body="")).ask("look_up_paper", rfc("99999")) is None
    )


@pytest.mark.parametrize("number", ["../../etc", "", "123456", "١٢"])
def test_only_a_number_is_asked_of_the_rfc_editor(number: str) -> None:
    with pytest.raises(InvalidInput):
        Session("rfceditor", {}).ask("look_up_paper", rfc(number))
