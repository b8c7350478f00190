"""An app for invalid settings, which answers every call with the configuration error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from citewell.config import Settings
from citewell.errors import CitewellError
from citewell.server.app import App
from citewell.server.middleware.error_rendering import render_error
from citewell.server.pipeline import ToolInvocation, ToolOutcome, compose_pipeline


class MisconfiguredApp(App):
    """Lists `tools`, or the default ones, and answers every call with `problem`."""

    def __init__(
        self, problem: CitewellError, tools: Iterable[dict[str, Any]] | None = None
    ) -> None:
        super().__init__(Settings(cache_enabled=False, audit_enabled=False))
        self._problem = problem
        self._run = compose_pipeline((self.metrics, self.recent), self._refuse_call)
        if tools is not None:
            self.tools = {wire["name"]: wire for wire in tools}

    async def _refuse_call(self, _: ToolInvocation) -> ToolOutcome:
        return render_error(self._problem)
