"""Counts the calls of named users for get_my_analytics, without delaying or failing any call."""

from __future__ import annotations

import logging
from collections.abc import Callable

from citewell.errors import CitewellError
from citewell.server.pipeline import NextStep, ToolInvocation, ToolOutcome
from citewell.tooling import Owner

logger = logging.getLogger(__name__)


class UsageMiddleware:
    """Passes each finished call to `record_usage`, which asks for consent before it keeps anything."""

    def __init__(self, record_usage: Callable[[Owner, str], None]) -> None:
        self._record_usage = record_usage

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        try:
            return await proceed(invocation)
        finally:
            owner = invocation.call.owner
            if not owner.is_anonymous:
                self._record_safely(owner, invocation.name)

    def _record_safely(self, owner: Owner, tool: str) -> None:
        try:
            self._record_usage(owner, tool)
        except CitewellError as error:  # such as a store that cannot be opened
            logger.warning("The usage of a call was not recorded. %s", error.message)
