from __future__ import annotations

import asyncio

from citewell.errors import Misconfigured
from citewell.server.app import App
from citewell.server.pipeline import Outcome
from citewell.server.unready import Unready

PROBLEM = Misconfigured("CITEWELL_X is wrong.", action="inform_user")


def called(app: App) -> Outcome:
    async def scenario() -> Outcome:
        outcome = await app.call("web_search", {"query": ""})
        await app.aclose()
        return outcome

    return asyncio.run(scenario())


def test_every_call_is_answered_with_what_is_wrong():
    outcome = called(Unready(PROBLEM))

    assert outcome.is_error
    assert (outcome.text or "").startswith("CITEWELL_X is wrong.\n\n")
    assert '"kind":"config"' in (outcome.text or "")


def test_the_default_tools_are_offered_unless_others_were():
    assert "web_search" in Unready(PROBLEM).tools
    assert [*Unready(PROBLEM, [{"name": "search"}]).tools] == ["search"]
