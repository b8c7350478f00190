"""Show the caller's own usage."""

from __future__ import annotations

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.people.usage_analytics import AnalyticsAnswer, UsageAnalytics


class Args(ToolArguments):
    """The user's own use of this server: calls by tool, first and last seen, recent tools. Counted only after the user consented (status no_consent)."""


async def run(args: Args, call: ToolCall) -> AnalyticsAnswer:  # noqa: ARG001 - takes no arguments
    return await call.require_service(UsageAnalytics).describe_usage(call.owner)


TOOL = Tool(
    args=Args,
    result=AnalyticsAnswer,
    run=run,
    toolset="people",
    title="My usage",
    in_default_profile=True,
    required_setting="USER_ANALYTICS_ENABLED",
    open_world=False,
    is_always_inline=True,
)
