"""What is Unpaywall's own: the address it asks for, its two forms of authors, its refusals."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import InvalidInput, Misconfigured, RejectedRequest
from citewell.core.values.paper import IdentifierScheme, PaperId
from tests.providers.asking import Reply
from tests.providers.scholarly import DOI, Session

RECORD: dict[str, Any] = {"doi": DOI.value, "title": "A title", "is_oa": False, "oa_locations": []}


@pytest.mark.parametrize(
    ("options", "email"),
    [
        ({"OPENALEX_EMAIL": "one@example.org"}, "one@example.org"),
        (
            {"OPENALEX_EMAIL": "one@example.org", "UNPAYWALL_EMAIL": "two@example.org"},
            "two@example.org",
        ),
    ],
)
def test_either_address_serves_and_its_own_goes_first(options: dict[str, str], email: str) -> None:
    session = Session("unpaywall", RECORD, options=options)

    session.ask("list_open_copies", DOI.value)

    assert session.params == {"email": email}


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"error": True, "message": "Please use your own email address in API calls."}, Misconfigured),
        ("Email address required", Misconfigured),
        ({"error": True, "message": "no"}, RejectedRequest),
    ],
)  # fmt: skip
def test_a_422_is_about_the_address(body: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Session("unpaywall", Reply(body=body, status=422)).ask("list_open_copies", DOI.value)


def test_the_best_copy_comes_first_and_once() -> None:
    best = {"url": "https://a.example/2", "url_for_pdf": "https://a.example/2.pdf"}
    other = {"url": "https://a.example/1", "host_type": "repository", "license": "cc-by"}
    locations = [other, best, {"url": "javascript:alert(1)"}, {}]
    record = RECORD | {"is_oa": True, "best_oa_location": best, "oa_locations": locations}

    copies = Session("unpaywall", record).ask("list_open_copies", DOI.value)

    assert [(copy.url, copy.pdf) for copy in copies] == [
        ("https://a.example/2.pdf", True),
        ("https://a.example/1", False),
    ]
    assert (copies[1].host, copies[1].license) == ("repository", "cc-by")


def test_authors_of_both_ages_of_records() -> None:
    authors = [{"raw_author_name": "A. One"}, {"given": "B.", "family": "Two"}, {}, None]

    paper = Session("unpaywall", RECORD | {"z_authors": authors}).ask("look_up_paper", DOI)

    assert [(person.name, person.family) for person in paper.authors] == [
        ("A. One", ""),
        ("B. Two", "Two"),
    ]


def test_a_record_without_authors_or_date() -> None:
    paper = Session("unpaywall", RECORD | {"z_authors": None, "year": None}).ask(
        "look_up_paper", DOI
    )

    assert (paper.authors, paper.year, paper.published) == ((), None, None)


def test_other_numbers_are_not_its_business() -> None:
    with pytest.raises(InvalidInput):
        Session("unpaywall", RECORD).ask(
            "look_up_paper", PaperId(scheme=IdentifierScheme.PMID, value="1")
        )
