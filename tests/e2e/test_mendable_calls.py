"""A call that its caller can mend says so; one that only the user can mend says that instead."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.e2e.clients import connected
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
MENDABLE: dict[str, tuple[str, dict[str, Any]]] = {
    "a missing argument": ("web_search", {}),
    "an empty query": ("web_search", {"query": "   "}),
    "a number out of bounds": ("web_search", {"query": "x", "num_results": 500}),
    "an unknown value": ("image_search", {"query": "x", "size": "colossal"}),
    "two that exclude each other": ("web_search", {"query": "x", "site": "a.example", "lens": "news"}),
    "an unknown provider": ("web_search", {"query": "x", "provider": "altavista"}),
    "an unknown lens": ("web_search", {"query": "x", "lens": "nope"}),
    "years in the wrong order": ("academic_search", {"query": "x", "year_from": 2020, "year_to": 2010}),
    "half a place": ("local_search", {"query": "cafe", "latitude": 1}),
    "a day that never was": ("legal_search", {"query": "x", "date_from": "2024-02-30"}),
    "nothing to format": ("format_bibliography", {}),
    "an unknown key": ("format_bibliography", {"sources": [{"url": "https://example.org", "tittle": "x"}]}),
    "an unknown style": ("format_bibliography", {"sources": [{"url": "https://example.org"}], "style": "turabian"}),
    "nothing to audit": ("audit_bibliography", {}),
    "a step without its session": ("sequential_search", {"searchStep": "x", "stepNumber": 2, "nextStepNeeded": True}),
    "an address of another kind": ("scrape_page", {"url": "ftp://example.org/a"}),
    "an address without a host": ("scrape_page", {"url": "https:///a"}),
    "a schema that is none": ("structured_search", {"query": "x", "schema": {"type": "string"}}),
}  # fmt: skip
NOT_MENDABLE: dict[str, tuple[str, dict[str, Any]]] = {
    "an address inside": ("scrape_page", {"url": "http://169.254.169.254/latest"}),
    "a key that is not set": ("web_search", {"query": "x", "provider": "brave"}),
}


def find_action(environ: Environ, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    async def talk() -> Any:
        async with connected("memory", environ | {"CITEWELL_TOOLSETS": "all"}) as client:
            return await client.call_tool(tool, arguments)

    result = asyncio.run(talk())
    assert result.is_error
    block: dict[str, Any] = json.loads(result.content[0].text.rpartition("\n\n")[2])["error"]
    return block


@requires("error.mendable")
@pytest.mark.parametrize("case", MENDABLE)
def test_a_call_that_can_be_mended_says_so(case: str, environ: Environ) -> None:
    block = find_action(environ, *MENDABLE[case])

    assert (block["kind"], block["suggestedAction"]) == ("validation", "fix_arguments")
    assert block["retryable"] is False


@requires("error.mendable")
@pytest.mark.parametrize("case", NOT_MENDABLE)
def test_what_only_the_user_can_mend_is_not_called_a_fault_of_the_call(
    case: str, environ: Environ
) -> None:
    block = find_action(environ, *NOT_MENDABLE[case])

    assert block["suggestedAction"] in {"inform_user", "check_api_key", "try_different_provider"}


@requires("error.no_other_provider")
@pytest.mark.parametrize(
    ("tool", "arguments", "provider"),
    [
        ("clinical_search", {"query": "x"}, "clinicaltrials"),
        ("legal_search", {"query": "x"}, "courtlistener"),
        ("citation_graph", {"paper": "10.1038/nature14539"}, "semanticscholar,openalex"),
    ],
)
def test_a_tool_without_another_provider_suggests_none(
    tool: str, arguments: dict[str, Any], provider: str, environ: Environ, world: World
) -> None:
    for name in provider.split(","):
        world.fail(name, Fault(status=500, body="oops"), times=ALWAYS)

    block = find_action(environ, tool, arguments)

    assert block["suggestedAction"] in {"retry", "retry_after_delay"}
    assert "alternatives" not in block
