"""Stands in for the app while the settings cannot be used: a client that asks is told why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from citewell.config import Settings
from citewell.errors import CitewellError
from citewell.server.app import App
from citewell.server.middleware.errors import rendered
from citewell.server.pipeline import Invocation, Outcome, compose


class Unready(App):
    """Offers `tools`, or the default ones, and answers every call with `problem`."""

    def __init__(
        self, problem: CitewellError, tools: Iterable[dict[str, Any]] | None = None
    ) -> None:
        super().__init__(Settings(cache_enabled=False, audit_enabled=False))
        self._problem = problem
        self._run = compose((self.metrics, self.recent), self._refused)
        if tools is not None:
            self.tools = {wire["name"]: wire for wire in tools}

    async def _refused(self, _: Invocation) -> Outcome:
        return rendered(self._problem)
