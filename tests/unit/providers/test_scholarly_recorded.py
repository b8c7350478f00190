"""Real answers of the scholarly registries: each is read, or refused with the right error."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from citewell import providers
from citewell.errors import (
    AuthRequired,
    CitewellError,
    MalformedResponse,
    NotFound,
    RejectedRequest,
    UpstreamUnavailable,
)
from citewell.model.paper import BibliographicQuery, IdentifierScheme, Paper, PaperId, PaperQuery
from tests.contract.recordings import canned, kit_over

RECORDED = Path(__file__).parents[4] / "shared/recorded"
REFUSALS = {
    301: UpstreamUnavailable,
    302: UpstreamUnavailable,
    400: RejectedRequest,
    401: AuthRequired,
}
ANY = PaperId(scheme=IdentifierScheme.DOI, value="10.50505/example.1")

pytestmark = pytest.mark.skipif(not RECORDED.is_dir(), reason="the recorded answers are not here")


def exchanges(host: str) -> list[dict[str, Any]]:
    file = RECORDED / f"{host}.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return [json.loads(line) for line in lines]


def each(host: str) -> pytest.MarkDecorator:
    found = exchanges(host)
    names = [f"{place}-{one['status']}" for place, one in enumerate(found)]
    return pytest.mark.parametrize("exchange", found, ids=names)


def ask(name: str, method: str, exchange: dict[str, Any], *args: Any) -> Any:
    headers = {key.lower(): value for key, value in exchange["headers"].items()}
    headers.pop("content-encoding", None)
    body = exchange["body"].encode()
    sender = canned(body, status=exchange["status"], headers=headers)
    kit = kit_over(name, sender, {"UNPAYWALL_EMAIL": "someone@example.org"})
    provider: Any = providers.load(name).Provider(kit)
    return asyncio.run(getattr(provider, method)(*args))


def outcome(name: str, method: str, exchange: dict[str, Any], *args: Any) -> Any:
    try:
        return ask(name, method, exchange, *args)
    except CitewellError as error:
        return error


def by_doi(exchange: dict[str, Any]) -> PaperId:
    path = unquote(urlsplit(exchange["url"]).path)
    return PaperId(scheme=IdentifierScheme.DOI, value=path[path.index("10.") :].lower())


def whole(paper: Paper) -> bool:
    return bool(paper.title and paper.authors and paper.year and paper.venue and paper.doi)


@each("api.crossref.org")
def test_crossref(exchange: dict[str, Any]) -> None:
    path = urlsplit(exchange["url"]).path
    if exchange["status"] == 404:
        assert ask("crossref", "paper", exchange, ANY) is None
        assert ask("crossref", "events", exchange, ANY) is None
        assert isinstance(outcome("crossref", "papers", exchange, PaperQuery(text="x")), NotFound)
    elif path == "/works":
        found = ask("crossref", "papers", exchange, PaperQuery(text="x"))
        matched = ask("crossref", "match", exchange, BibliographicQuery(text="x"))
        assert found.papers == matched
        assert len(found.papers) == len(json.loads(exchange["body"])["message"]["items"])
        assert all(paper.title and paper.doi for paper in found.papers)
    elif path.startswith("/works/") and path.count("/") == 3:
        assert whole(ask("crossref", "paper", exchange, by_doi(exchange)))
        assert ask("crossref", "events", exchange, by_doi(exchange)) == ()
    else:  # journals, members, agencies, BibTeX: not what we ask for
        assert isinstance(outcome("crossref", "paper", exchange, ANY), MalformedResponse)


@each("api.openalex.org")
def test_openalex(exchange: dict[str, Any]) -> None:
    path, body = urlsplit(exchange["url"]).path, json.loads(exchange["body"])
    if exchange["status"] != 200:
        error = outcome("openalex", "papers", exchange, PaperQuery(text="x"))
        assert type(error) is REFUSALS[exchange["status"]]
    elif path == "/works":
        found = ask("openalex", "papers", exchange, PaperQuery(text="x"))
        assert found.total == body["meta"]["count"]
        # A work of which only numbers were asked for has no title, and is no result.
        assert len(found.papers) == sum("title" in work for work in body["results"])
        assert all(paper.title and paper.abstract and paper.year for paper in found.papers)
    else:
        scheme, value = (
            (IdentifierScheme.DOI, body["doi"].removeprefix("https://doi.org/"))
            if "10." in path
            else (IdentifierScheme.OPENALEX, path.rpartition("/")[2])
        )
        paper = ask("openalex", "paper", exchange, PaperId(scheme=scheme, value=value))
        assert paper.ids[scheme] == value
        assert whole(paper) or "title" not in body
        assert paper.open_access is body["open_access"]["is_oa"]


@pytest.mark.parametrize("file", sorted((RECORDED / "raw/openalex").glob("*.json")), ids=str)
def test_openalex_works_are_read_and_its_other_things_are_not(file: Path) -> None:
    exchange = {"status": 200, "headers": {}, "body": file.read_text(encoding="utf-8")}
    paper_id = PaperId(scheme=IdentifierScheme.OPENALEX, value=file.stem)

    found = outcome("openalex", "paper", exchange, paper_id)

    if file.stem.startswith("W"):
        assert whole(found)
        assert len(found.copies) > 1
        assert found.abstract
        assert found.abstract.startswith("Despite growing interest in Open Access")
    else:
        assert isinstance(found, MalformedResponse)


@each("api.unpaywall.org")
def test_unpaywall(exchange: dict[str, Any]) -> None:
    body = json.loads(exchange["body"])
    paper = ask("unpaywall", "paper", exchange, by_doi(exchange))

    assert whole(paper)
    assert paper.open_access is body["is_oa"]
    copies = ask("unpaywall", "copies", exchange, by_doi(exchange).value)
    assert len(copies) == len(body["oa_locations"])


@each("doi.org")
def test_the_resolver(exchange: dict[str, Any]) -> None:
    """Canned answers cannot be followed, so that a redirect is an answer like any other."""
    for method, args in (("paper", (ANY,)), ("registered", (ANY.value,))):
        assert type(outcome("doi", method, exchange, *args)) is REFUSALS[exchange["status"]]
