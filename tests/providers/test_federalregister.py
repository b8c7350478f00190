"""The Federal Register: volumes, pages and documents."""

from __future__ import annotations

import pytest

from citewell.core.errors import MalformedResponse
from citewell.core.values.court_case import CaseQuery
from citewell.routing.ports import Offer
from tests.contract.recordings import recording
from tests.providers.desk import Desk
from tests.providers.law_desk import cite


def test_old_volumes_of_the_federal_register_are_not_known() -> None:
    desk = Desk("federalregister", {})

    match = desk.ask("look_up_citation", cite("us_register", "45 FR 1234"))

    assert (match.is_reporter_known, desk.sent) == (False, [])


def test_several_documents_of_a_page_are_all_listed() -> None:
    document = recording("federalregister", Offer.CITATIONS).data["also"][
        "/documents/2024-00366.json"
    ]
    found = {"suggestions": {"citation": {"document_numbers": ["2024-1", "2024-2"]}}}
    both = {"count": 2, "results": [document, document | {"title": "Another"}]}
    desk = Desk("federalregister", {"search-details": found, "2024-1,2024-2.json": both})

    match = desk.ask("look_up_citation", cite("us_register", "89 Fed. Reg. 3,344"))

    assert [case.name for case in match.cases] == ["Example Standards for Drones", "Another"]
    assert dict(desk.sent[0].params) == {"conditions[term]": "89 FR 3344"}


def test_a_count_without_documents_is_no_answer() -> None:
    with pytest.raises(MalformedResponse):
        Desk("federalregister", {"documents.json": {"count": 7}}).ask(
            "search_cases", CaseQuery(text="x")
        )
