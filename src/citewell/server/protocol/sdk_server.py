"""Builds the SDK server, whose handlers convert MCP requests to calls of the app."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from citewell import __version__
from citewell.core.errors import CitewellError, NotFound
from citewell.core.tooling import Owner
from citewell.server.app import App
from citewell.server.call_values import CallOrigin, ToolOutcome
from citewell.server.capabilities import prompts
from citewell.server.protocol import tasks_extension
from citewell.server.protocol.listings import build_listing
from citewell.server.protocol.plain_calls import (
    TEXT_CONTRACT_TOOLS,
    build_call_result,
    is_written_by_client,
)
from citewell.server.settings import ServerSettings

RequestContext = ServerRequestContext[Any, Any]
IdentifyOwner = Callable[[RequestContext], Owner]
NameRequest = Callable[[RequestContext], str]
FindOrigin = Callable[[RequestContext], CallOrigin]

_MINUTE_MS = 60_000
_CACHE_HINTS: dict[CacheableMethod, CacheHint] = {
    # Lists do not change while the server runs; the contents of resources do.
    "tools/list": CacheHint(ttl_ms=60 * _MINUTE_MS, scope="public"),
    "prompts/list": CacheHint(ttl_ms=60 * _MINUTE_MS, scope="public"),
    "resources/list": CacheHint(ttl_ms=60 * _MINUTE_MS, scope="public"),
    "resources/templates/list": CacheHint(ttl_ms=60 * _MINUTE_MS, scope="public"),
    "resources/read": CacheHint(ttl_ms=0, scope="private"),
    "server/discover": CacheHint(ttl_ms=60 * _MINUTE_MS, scope="public"),
}


def build_sdk_server(
    app: App,
    *,
    tools: Mapping[str, dict[str, Any]] | None = None,
    identify: IdentifyOwner | None = None,
    name_request: NameRequest | None = None,
    find_origin: FindOrigin | None = None,
) -> Server[Any]:
    """An SDK server over `app` that offers `tools`, or all tools of the app; used by every transport.

    Without `identify` every call belongs to the local owner, as there is no authentication.
    `name_request` tells the id of a request for logs, audit lines and errors; without it that is
    the id of the JSON-RPC message, which a client knows anyway. `find_origin` tells where a call
    came from, for the audit log.
    """
    offered = app.tools if tools is None else tools
    identify = identify or (lambda _: app.local_owner)
    handlers = _RequestHandlers(app, offered, identify, name_request, find_origin=find_origin)
    server: Server[Any] = Server(
        "citewell",
        version=__version__,
        title=prompts.SERVER_TITLE,
        description=prompts.SERVER_DESCRIPTION,
        instructions=prompts.SERVER_INSTRUCTIONS,
        cache_hints=_CACHE_HINTS,
        get_tool_input_schema=lambda name: (
            offered[name]["inputSchema"] if name in offered else None
        ),
        on_list_tools=handlers.list_tools,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_completion=handlers.complete_argument,
    )
    server.add_request_handler("tools/call", types.CallToolRequestParams, handlers.call_tool)
    handlers.tasks.add_request_handlers(server)
    server.middleware.clear()  # its tracing takes a tenth of a cached call, and no exporter is configured
    return server


class _RequestHandlers:
    """The request handlers: each converts the request, calls the app and converts the result."""

    def __init__(
        self,
        app: App,
        tools: Mapping[str, dict[str, Any]],
        identify: IdentifyOwner,
        name_request: NameRequest | None = None,
        *,
        find_origin: FindOrigin | None = None,
    ) -> None:
        self._app = app
        self._identify = identify
        self._name_request = name_request
        self._find_origin = find_origin
        self._offered = tools
        self._tools = [types.Tool.model_validate(wire) for wire in tools.values()]
        self._handles = tasks_extension.ServerTasks(app, self._build_result_json)
        self.tasks = tasks_extension.TasksExtension(self._handles, identify)

    async def list_tools(
        self, context: RequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools)

    async def call_tool(
        self, context: RequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult | dict[str, Any]:
        if params.name not in self._offered:
            reason = self._app.describe_disabled_tool(params.name)
            raise MCPError(
                code=types.INVALID_PARAMS, message=reason or f"Unknown tool: {params.name}"
            )
        owner = self._identify(context)
        arguments = params.arguments or {}
        if is_written_by_client(params.name, arguments):
            from citewell.server.protocol.client_writing import request_client_draft

            draft = arguments.get("draft") or await request_client_draft(
                self._app, context, params, owner
            )
            if isinstance(draft, types.InputRequiredResult):
                return draft
            arguments = {**arguments, "draft": draft} if draft else arguments
        named = self._name_request(context) if self._name_request else None
        is_task = (
            params.name in tasks_extension.TASK_TOOLS
            and tasks_extension.has_tasks_capability(context)
        )
        outcome = await self._app.call_tool(
            params.name,
            arguments,
            owner=owner,
            report=context.session.report_progress,
            request_id=named or str(context.request_id),
            origin=self._find_origin(context) if self._find_origin else None,
            can_wait=is_task,
        )
        if named and outcome.is_error:
            outcome.meta["requestId"] = named
        if is_task and not outcome.is_error:
            task_id = tasks_extension.build_task_id(params.name, (outcome.body or {})["jobId"])
            task = await self._handles.look_up_task(owner, task_id)
            if task is not None:
                # Its result has to be polled, even if it is finished.
                return tasks_extension.build_task_handle(task)
        repeat = (
            self._app.settings[ServerSettings].structured_text or params.name in TEXT_CONTRACT_TOOLS
        )
        return _convert_outcome(outcome, repeat=repeat)

    def _build_result_json(self, outcome: ToolOutcome) -> dict[str, Any]:
        return build_call_result(outcome, repeat=self._app.settings[ServerSettings].structured_text)

    async def list_resources(
        self, context: RequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult.model_validate(self._build_listing("resources/list"))

    async def list_templates(
        self, context: RequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult.model_validate(
            self._build_listing("resources/templates/list")
        )

    async def read_resource(
        self, context: RequestContext, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            text, mime = await self._app.resources.read_resource_text(uri, self._identify(context))
        except NotFound as error:
            code = types.INVALID_PARAMS if context.protocol_version >= "2026" else -32002
            raise MCPError(code=code, message=error.message, data={"uri": uri}) from None
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type=mime, text=text)]
        )

    async def list_prompts(
        self, context: RequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult.model_validate(self._build_listing("prompts/list"))

    def _build_listing(self, method: str) -> object:
        return build_listing(method, self._app, self._offered)

    async def get_prompt(
        self, context: RequestContext, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        prompt = prompts.PROMPTS_BY_NAME.get(params.name)
        if prompt is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown prompt: {params.name}")
        if missing := [name for name in prompt.tools if name not in self._offered]:
            reason = f"The prompt {params.name} needs {', '.join(missing)}, not offered here."
            raise MCPError(code=types.INVALID_PARAMS, message=reason)
        try:
            text = prompt.render_prompt(params.arguments or {})
        except CitewellError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=error.message) from None
        content = types.TextContent(type="text", text=text)
        return types.GetPromptResult(
            description=prompt.description,
            messages=[types.PromptMessage(role="user", content=content)],
        )

    async def complete_argument(
        self, context: RequestContext, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        prompt = params.ref.name if isinstance(params.ref, types.PromptReference) else None
        values = self._app.completions.complete_value(
            params.argument.name, params.argument.value, prompt=prompt
        )
        completion = types.Completion(
            values=values[: prompts.MAX_COMPLETIONS],
            total=len(values),
            has_more=len(values) > prompts.MAX_COMPLETIONS,
        )
        return types.CompleteResult(completion=completion)


def _convert_outcome(outcome: ToolOutcome, *, repeat: bool) -> types.CallToolResult:
    return types.CallToolResult.model_validate(build_call_result(outcome, repeat=repeat))
