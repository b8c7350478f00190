"""What a SPEC says that a provider of papers applies itself is what its answers say."""

from __future__ import annotations

import asyncio
from typing import get_args

import pytest

from citewell import providers
from citewell.core.values.argument_types import PaperSource
from citewell.core.values.paper import PaperQuery
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.routing.ports import Offer
from tests.contract.recordings import Canned, encode, kit_over, offers, recording, spec

PAPER_PROVIDERS = [name for name, _ in offers([Offer.PAPERS])]
SOURCES: tuple[PaperSource, ...] = get_args(PaperSource)
ARGUMENTS = {"year": {"year_from", "year_to"}, "sort": {"sort_by"}}  # as the tool names them


def applied_by(name: str, source: PaperSource) -> frozenset[str]:
    """What the provider says it applied of a query with every filter."""
    record = recording(name, Offer.PAPERS)
    also = record.data.get("also", {})

    def answer(request: HttpRequest) -> HttpResponse:
        other = next((also[end] for end in also if request.url.endswith(end)), None)
        body = record.answer if other is None else encode(other)
        return HttpResponse(status=200, url=request.url, headers=record.headers, body=body)

    kit = kit_over(name, Canned(answer), record.options(spec(name).base_url))
    query = PaperQuery(
        text=record.data["ask"]["text"], count=3, year_from=2001, year_to=2026, source=source,
        sort="date", open_access=True, full_text=True,
    )  # fmt: skip
    found = asyncio.run(providers.load(name).Provider(kit).search_papers(query))  # type: ignore[attr-defined]
    return frozenset(found.applied)


@pytest.mark.parametrize("name", PAPER_PROVIDERS)
def test_a_provider_of_papers_declares_the_filters_it_applies(name: str) -> None:
    said = {one for source in SOURCES for one in applied_by(name, source)}

    named = {argument for one in said for argument in ARGUMENTS.get(one, {one})}
    assert spec(name).applied_arguments.get(Offer.PAPERS, frozenset()) == named
