"""What is the DOI resolver's own: response codes, agencies behind redirects, records without metadata."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import (
    InvalidInput,
    MalformedResponse,
    RejectedRequest,
    UpstreamUnavailable,
)
from citewell.core.values.paper import IdentifierScheme, PaperId
from citewell.net.http.messages import RedirectPolicy
from tests.providers.asking import Reply
from tests.providers.scholarly import DOI, Session


@pytest.mark.parametrize(
    ("reply", "registered"),
    [
        (Reply(body={"responseCode": 1, "values": []}), True),
        (Reply(body={"responseCode": 200}), True),
        (Reply(body={"responseCode": 100}, status=404), False),
        (Reply(body={"responseCode": 100}), False),
    ],
)
def test_the_registry_by_its_code(reply: Reply, registered: Any) -> None:
    assert Session("doi", reply).ask("is_registered", DOI.value) is registered


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(body={"responseCode": 2}), UpstreamUnavailable),
        (Reply(body={"responseCode": 301}), UpstreamUnavailable),
        (Reply(body={"responseCode": 1}, status=404), UpstreamUnavailable),
        (Reply(body={"responseCode": "x"}), MalformedResponse),
        (Reply(body={}, status=404), MalformedResponse),
        (Reply(body="<html>Not Found</html>", status=404), MalformedResponse),
        (Reply(body="", status=404), MalformedResponse),
        (Reply(body="<html>400</html>", status=400), RejectedRequest),
    ],
)
def test_anything_else_says_nothing(reply: Reply, error: type[Exception]) -> None:
    with pytest.raises(error):
        Session("doi", reply).ask("is_registered", DOI.value)


def test_a_lookup_follows_to_the_agency() -> None:
    session = Session("doi", {"DOI": DOI.value, "title": "A title"})

    session.ask("look_up_paper", DOI)

    assert session.sent[0].redirects is RedirectPolicy.FOLLOW
    assert session.sent[0].url == "https://doi.org/10.50505%2Fexample.1"
    assert session.sent[0].headers["Accept"] == "application/vnd.citationstyles.csl+json"


@pytest.mark.parametrize(
    "reply", [Reply(body="<html>not found</html>", status=404), Reply(body="", status=204)]
)
def test_no_metadata_is_an_absence(reply: Reply) -> None:
    assert Session("doi", reply).ask("look_up_paper", DOI) is None


@pytest.mark.parametrize(
    "body",
    [
        "<html>A landing page</html>",
        "@article{x, title={BibTeX}}",
        {"status": "ok", "message": {"title": ["Crossref's envelope"]}},
        {"type": "article-journal"},
    ],
)
def test_what_is_no_csl_is_an_error(body: Any) -> None:
    with pytest.raises(MalformedResponse):
        Session("doi", body).ask("look_up_paper", DOI)


def test_the_asked_doi_stands_in_where_the_record_has_none() -> None:
    assert Session("doi", {"title": "A title"}).ask("look_up_paper", DOI).doi == DOI.value


def test_other_numbers_are_not_its_business() -> None:
    with pytest.raises(InvalidInput):
        Session("doi", {}).ask("look_up_paper", PaperId(scheme=IdentifierScheme.PMID, value="1"))
