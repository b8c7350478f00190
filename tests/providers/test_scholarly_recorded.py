"""Answers of the scholarly registries: each is read, or refused with the right error."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from citewell import providers
from citewell.core.errors import (
    AuthRequired,
    CitewellError,
    MalformedResponse,
    NotFound,
    RejectedRequest,
    UpstreamUnavailable,
)
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    Paper,
    PaperId,
    PaperQuery,
)
from tests.contract.recordings import canned, kit_over
from tests.exchanges import Exchange, load_exchanges

REFUSALS = {
    301: UpstreamUnavailable,
    302: UpstreamUnavailable,
    400: RejectedRequest,
    401: AuthRequired,
}
ANY = PaperId(scheme=IdentifierScheme.DOI, value="10.50505/example.1")


def each(host: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("exchange", load_exchanges(host), ids=str)


def ask(name: str, method: str, exchange: Exchange, *args: Any) -> Any:
    headers = {key.lower(): value for key, value in exchange.headers.items()}
    headers.pop("content-encoding", None)
    body = exchange.text.encode()
    sender = canned(body, status=exchange.status, headers=headers)
    kit = kit_over(name, sender, {"UNPAYWALL_EMAIL": "someone@example.org"})
    provider: Any = providers.load(name).Provider(kit)
    return asyncio.run(getattr(provider, method)(*args))


def outcome(name: str, method: str, exchange: Exchange, *args: Any) -> Any:
    try:
        return ask(name, method, exchange, *args)
    except CitewellError as error:
        return error


def by_doi(exchange: Exchange) -> PaperId:
    path = unquote(urlsplit(exchange.url).path)
    return PaperId(scheme=IdentifierScheme.DOI, value=path[path.index("10.") :].lower())


def whole(paper: Paper) -> bool:
    return bool(paper.title and paper.authors and paper.year and paper.venue and paper.doi)


@each("api.crossref.org")
def test_crossref(exchange: Exchange) -> None:
    path = urlsplit(exchange.url).path
    if exchange.status == 404:
        assert ask("crossref", "look_up_paper", exchange, ANY) is None
        assert ask("crossref", "list_notices", exchange, ANY) is None
        assert isinstance(
            outcome("crossref", "search_papers", exchange, PaperQuery(text="x")), NotFound
        )
    elif path == "/works":
        found = ask("crossref", "search_papers", exchange, PaperQuery(text="x"))
        matched = ask("crossref", "match_reference", exchange, BibliographicQuery(text="x"))
        assert found.papers == matched
        dois = [item["DOI"] for item in exchange.body["message"]["items"]]
        assert len(found.papers) == sum(not doi.startswith("10.5555/") for doi in dois)
        assert all(paper.title and paper.doi for paper in found.papers)
    elif path.startswith("/works/") and path.count("/") == 3:
        assert whole(ask("crossref", "look_up_paper", exchange, by_doi(exchange)))
        assert ask("crossref", "list_notices", exchange, by_doi(exchange)) == ()
    else:  # journals, members, agencies, BibTeX: not what we ask for
        assert isinstance(outcome("crossref", "look_up_paper", exchange, ANY), MalformedResponse)


@each("api.openalex.org")
def test_openalex(exchange: Exchange) -> None:
    path, body = urlsplit(exchange.url).path, exchange.body
    if exchange.status != 200:
        error = outcome("openalex", "search_papers", exchange, PaperQuery(text="x"))
        assert type(error) is REFUSALS[exchange.status]
    elif path == "/works":
        found = ask("openalex", "search_papers", exchange, PaperQuery(text="x"))
        assert found.total == body["meta"]["count"]
        # A work of which only numbers were asked for has no title, and is no result.
        assert len(found.papers) == sum("title" in work for work in body["results"])
        assert all(paper.title and paper.abstract and paper.year for paper in found.papers)
    elif not path.startswith("/works/"):  # authors, funders, publishers, topics
        paper_id = PaperId(scheme=IdentifierScheme.OPENALEX, value=path.rpartition("/")[2])
        found = outcome("openalex", "look_up_paper", exchange, paper_id)
        assert isinstance(found, MalformedResponse)
    else:
        scheme, value = (
            (IdentifierScheme.DOI, body["doi"].removeprefix("https://doi.org/"))
            if "10." in path
            else (IdentifierScheme.OPENALEX, path.rpartition("/")[2])
        )
        paper = ask("openalex", "look_up_paper", exchange, PaperId(scheme=scheme, value=value))
        assert paper.ids[scheme] == value
        assert whole(paper) or "title" not in body
        assert paper.open_access is body["open_access"]["is_oa"]


def test_openalex_abstracts_are_put_together_and_every_copy_is_named() -> None:
    exchanges = load_exchanges("api.openalex.org")
    [exchange] = [exchange for exchange in exchanges if exchange.url.endswith("/works/W900002")]
    paper_id = PaperId(scheme=IdentifierScheme.OPENALEX, value="W900002")

    found = ask("openalex", "look_up_paper", exchange, paper_id)

    assert found.abstract == "A gauge that nobody reads still rises with the tide."
    assert len(found.copies) > 1


@each("api.unpaywall.org")
def test_unpaywall(exchange: Exchange) -> None:
    body = exchange.body
    paper = ask("unpaywall", "look_up_paper", exchange, by_doi(exchange))

    assert whole(paper)
    assert paper.open_access is body["is_oa"]
    copies = ask("unpaywall", "list_open_copies", exchange, by_doi(exchange).value)
    assert len(copies) == len(body["oa_locations"])


@each("doi.org")
def test_the_resolver(exchange: Exchange) -> None:
    """Canned answers cannot be followed, so that a redirect is an answer like any other."""
    for method, args in (("look_up_paper", (ANY,)), ("is_registered", (ANY.value,))):
        assert type(outcome("doi", method, exchange, *args)) is REFUSALS[exchange.status]
