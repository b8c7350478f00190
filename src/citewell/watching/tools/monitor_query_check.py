"""Run saved searches again and return what is new."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.argument_types import BLANK_IS_ABSENT
from citewell.watching.query_monitor import MonitorAnswer, QueryMonitor


class Args(ToolArguments):
    """Run the user's saved searches again, or the one with this id, and return only results that were not there before. What is returned counts as known from then on."""

    id: Annotated[
        str | None,
        Field(default=None, max_length=64, description="Of monitor_query_save; default all."),
        BLANK_IS_ABSENT,
    ]


async def run(args: Args, call: ToolCall) -> MonitorAnswer:
    return await call.require_service(QueryMonitor).check_queries(
        call.owner, args.id, progress=call.report_progress
    )


TOOL = Tool(
    args=Args,
    result=MonitorAnswer,
    run=run,
    toolset="people",
    in_default_profile=True,
    required_setting="MONITORING_ENABLED",
    read_only=False,
    idempotent=False,
    has_long_timeout=True,
    is_always_inline=True,
)
