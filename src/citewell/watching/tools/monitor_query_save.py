"""Save a search that is run again later."""

from __future__ import annotations

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.watching.query_monitor import MonitorRequest, MonitorSaved, QueryMonitor


class Args(ToolArguments, MonitorRequest):
    """Save a web search for monitor_query_check, which reports only results that are new. What it finds now counts as known. Needs the user's recorded consent (status no_consent)."""


async def run(args: Args, call: ToolCall) -> MonitorSaved:
    return await call.require_service(QueryMonitor).save_query(
        call.owner, args.build_request(MonitorRequest)
    )


TOOL = Tool(
    args=Args,
    result=MonitorSaved,
    run=run,
    toolset="people",
    in_default_profile=True,
    required_setting="MONITORING_ENABLED",
    read_only=False,
    idempotent=False,
    is_always_inline=True,
)
