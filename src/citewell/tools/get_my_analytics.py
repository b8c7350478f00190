"""Show the caller's own usage."""

from __future__ import annotations

from citewell.model.answers.people_answers import AnalyticsAnswer
from citewell.services.people.usage_analytics import UsageAnalytics
from citewell.tooling import Tool, ToolArguments, ToolCall


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
