from __future__ import annotations

import asyncio

from citewell.core.errors import Misconfigured
from citewell.server.app import App
from citewell.server.call_values import ToolOutcome
from citewell.server.stdio.stdio_session import MisconfiguredApp

PROBLEM = Misconfigured("CITEWELL_X is wrong.", action="inform_user")


def called(app: App) -> ToolOutcome:
    async def scenario() -> ToolOutcome:
        outcome = await app.call_tool("web_search", {"query": ""})
        await app.aclose()
        return outcome

    return asyncio.run(scenario())


def test_every_call_is_answered_with_what_is_wrong() -> None:
    outcome = called(MisconfiguredApp(PROBLEM))

    assert outcome.is_error
    assert (outcome.text or "").startswith("CITEWELL_X is wrong.\n\n")
    assert '"kind":"config"' in (outcome.text or "")


def test_the_default_tools_are_offered_unless_others_were() -> None:
    assert "web_search" in MisconfiguredApp(PROBLEM).tools
    assert [*MisconfiguredApp(PROBLEM, [{"name": "search"}]).tools] == ["search"]
