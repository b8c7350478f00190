"""Our app in MCP's words: an SDK server whose handlers call the app and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from citewell import __version__
from citewell.errors import CitewellError, NotFound
from citewell.server.app import App
from citewell.server.completions import MOST
from citewell.server.handles import TOOLS as TASKED
from citewell.server.handles import Handles
from citewell.server.instructions import DESCRIPTION, INSTRUCTIONS, TITLE
from citewell.server.pipeline import Outcome
from citewell.server.prompts import BY_NAME, PROMPTS
from citewell.server.resources import ARTIFACT_TEMPLATE
from citewell.server.tasks import Tasks, created, declared
from citewell.tooling import Owner

Context = ServerRequestContext[Any, Any]
Identify = Callable[[Context], Owner]

_MINUTE = 60_000
_HINTS: dict[CacheableMethod, CacheHint] = {
    # What a build offers does not change while it runs; what it counts does.
    "tools/list": CacheHint(ttl_ms=60 * _MINUTE, scope="public"),
    "prompts/list": CacheHint(ttl_ms=60 * _MINUTE, scope="public"),
    "resources/list": CacheHint(ttl_ms=60 * _MINUTE, scope="public"),
    "resources/templates/list": CacheHint(ttl_ms=60 * _MINUTE, scope="public"),
    "resources/read": CacheHint(ttl_ms=0, scope="private"),
    "server/discover": CacheHint(ttl_ms=60 * _MINUTE, scope="public"),
}


def anybody(context: Context) -> Owner:
    """Without authentication there is one owner; the seam where a verified token will speak."""
    return Owner()


def build(
    app: App, *, tools: Mapping[str, dict[str, Any]] | None = None, identify: Identify = anybody
) -> Server[Any]:
    """An SDK server over `app` that offers `tools`; stdio, HTTP and tests all use this one."""
    desk = _Desk(app, app.tools if tools is None else tools, identify)
    server: Server[Any] = Server(
        "citewell",
        version=__version__,
        title=TITLE,
        description=DESCRIPTION,
        instructions=INSTRUCTIONS,
        cache_hints=_HINTS,
        get_tool_input_schema=desk.input_schema,
        on_list_tools=desk.list_tools,
        on_list_resources=desk.list_resources,
        on_list_resource_templates=desk.list_templates,
        on_read_resource=desk.read_resource,
        on_list_prompts=desk.list_prompts,
        on_get_prompt=desk.get_prompt,
        on_completion=desk.complete,
    )
    server.add_request_handler("tools/call", types.CallToolRequestParams, desk.call_tool)
    desk.tasks.install(server)
    server.middleware.clear()  # no exporter is configured, and the spans cost a tenth of a cached call
    return server


class _Desk:
    """The handlers; each translates, calls the app and translates back."""

    def __init__(self, app: App, tools: Mapping[str, dict[str, Any]], identify: Identify) -> None:
        self._app = app
        self._identify = identify
        self._offered = tools
        self._tools = [types.Tool.model_validate(wire) for wire in tools.values()]
        self._handles = Handles(app, self._wire)
        self.tasks = Tasks(self._handles, identify)

    def input_schema(self, name: str) -> dict[str, Any] | None:
        wire = self._offered.get(name)
        return wire["inputSchema"] if wire else None

    async def list_tools(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools)

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | dict[str, Any]:
        if params.name not in self._offered:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {params.name}")
        owner = self._identify(context)
        outcome = await self._app.call(
            params.name,
            params.arguments or {},
            owner=owner,
            report=context.session.report_progress,
            request_id=str(context.request_id),
        )
        if params.name in TASKED and not outcome.is_error and declared(context):
            task = await self._handles.look(owner, (outcome.body or {})["jobId"])
            if task is not None:
                return created(task)
        return self._result(outcome)

    def _result(self, outcome: Outcome) -> types.CallToolResult:
        return _call_result(outcome, repeat=self._app.settings.structured_text)

    def _wire(self, outcome: Outcome) -> dict[str, Any]:
        return self._result(outcome).model_dump(mode="json", by_alias=True, exclude_none=True)

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=view.uri,
                    name=view.name,
                    description=view.description,
                    mime_type="application/json",
                )
                for view in self._app.resources.views
            ]
        )

    async def list_templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            uri_template=ARTIFACT_TEMPLATE,
            name="Research artifact",
            description="A large result kept aside; its address comes with the tool's answer.",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            text, mime = await self._app.resources.read(uri, self._identify(context))
        except NotFound as error:
            code = types.INVALID_PARAMS if context.protocol_version >= "2026" else -32002
            raise MCPError(code=code, message=error.message, data={"uri": uri}) from None
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type=mime, text=text)]
        )

    async def list_prompts(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=prompt.name,
                    title=prompt.title,
                    description=prompt.description,
                    arguments=[
                        types.PromptArgument(
                            name=item.name, description=item.description, required=item.required
                        )
                        for item in prompt.arguments
                    ],
                )
                for prompt in PROMPTS
            ]
        )

    async def get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        prompt = BY_NAME.get(params.name)
        if prompt is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown prompt: {params.name}")
        try:
            text = prompt.text(params.arguments or {})
        except CitewellError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=error.message) from None
        content = types.TextContent(type="text", text=text)
        return types.GetPromptResult(
            description=prompt.description,
            messages=[types.PromptMessage(role="user", content=content)],
        )

    async def complete(
        self, context: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        prompt = params.ref.name if isinstance(params.ref, types.PromptReference) else None
        values = self._app.completions.values(
            params.argument.name, params.argument.value, prompt=prompt
        )
        completion = types.Completion(
            values=values[:MOST], total=len(values), has_more=len(values) > MOST
        )
        return types.CompleteResult(completion=completion)


def _call_result(outcome: Outcome, *, repeat: bool) -> types.CallToolResult:
    content: list[types.ContentBlock] = [
        types.TextContent(type="text", text=_text(outcome, repeat=repeat))
    ]
    content += [
        types.ResourceLink(
            type="resource_link", uri=link.uri, name=link.name, mime_type=link.mime, size=link.size
        )
        for link in outcome.links
    ]
    meta = {key: value for key, value in outcome.meta.items() if key != "errorKind"}
    return types.CallToolResult(
        content=content,
        structured_content=None if outcome.is_error else outcome.body,
        is_error=outcome.is_error,
        _meta=meta or None,
    )


def _text(outcome: Outcome, *, repeat: bool) -> str:
    if outcome.is_error:
        return outcome.text or "The call failed."
    if not repeat:
        return "The result is in structuredContent."
    if outcome.text is not None:
        return outcome.text
    return json.dumps(outcome.body, ensure_ascii=False, separators=(",", ":"))
