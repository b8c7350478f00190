"""What a search tool returns can be formatted and audited as it is."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.clients import body, connected
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
SUBJECT = "10.1016/S0140-6736(97)11096-0"
SEARCHES: dict[str, tuple[str, dict[str, Any], str]] = {
    **{
        f"papers of {name}": ("academic_search", {"query": "statistical learning", "provider": name}, "papers")
        for name in ("openalex", "semanticscholar", "crossref", "pubmed", "europepmc", "datacite", "exa")
    },
    "arxiv": ("academic_search", {"query": "test adequacy evaluation", "provider": "arxiv"}, "papers"),
    "citing works": ("citation_graph", {"paper": SUBJECT, "direction": "cited_by"}, "citedBy"),
    "a record": ("verify_citation", {"citation": SUBJECT}, "matchedRecord"),
    "a text": ("paper_fulltext", {"identifier": "10.3390/vaccines9070693"}, ""),
    "web": ("web_search", {"query": "water"}, "results"),
    "pages": ("search_and_scrape", {"query": "water"}, "sources"),
    "documents": ("search", {"query": "water"}, "results"),
    "images": ("image_search", {"query": "water"}, "images"),
    "answer": ("answer", {"query": "How much water should I drink?"}, "citations"),
    "cases": ("legal_search", {"query": "privacy"}, "cases"),
    "filings": ("filing_search", {"ticker": "AAPL"}, "filings"),
    "series": ("econ_search", {"query": "gdp"}, "results"),
}  # fmt: skip


@pytest.fixture
def everything(environ: Environ) -> Environ:
    return environ | {
        "CITEWELL_TOOLSETS": "all",
        "EXA_API_KEY": "k",
        "EDGAR_CONTACT_EMAIL": "someone@example.org",
    }


@requires("format_bibliography.search_papers", "audit_bibliography.search_papers")
@pytest.mark.parametrize("case", SEARCHES)
def test_an_answer_is_formatted_and_audited_as_it_is(
    case: str, everything: Environ, world: World
) -> None:
    tool, question, key = SEARCHES[case]

    async def talk() -> tuple[Any, Any, Any]:
        async with connected("memory", everything) as client:
            answer = body(await client.call_tool(tool, question))
            found = answer[key] if key else answer
            items = found[:2] if isinstance(found, list) else [found]
            listed = await client.call_tool("format_bibliography", {"sources": items})
            audited = await client.call_tool("audit_bibliography", {"entries": items})
            return items, body(listed), body(audited)

    items, listed, audited = asyncio.run(talk())

    assert items
    assert listed["entryCount"] == audited["entryCount"] == len(items)
    for item in items:
        title = item.get("title") or item.get("caseName") or item.get("formType")
        assert title.removeprefix("RETRACTED: ")[:20].lower() in listed["bibliography"].lower()
        assert item.get("url", item.get("contextLink", "")) or item.get("doi")
