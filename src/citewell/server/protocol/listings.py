"""What the server offers, in the protocol's form: the results of the requests that list it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citewell.server.app import App
from citewell.server.capabilities import prompts
from citewell.server.capabilities.resource_views import ARTIFACT_TEMPLATE


def build_listing(
    method: str, app: App, tools: Mapping[str, dict[str, Any]]
) -> dict[str, object] | None:
    """The result of a request that lists tools, prompts or resources; None for any other method."""
    match method:
        case "tools/list":
            return {"tools": list(tools.values())}
        case "prompts/list":
            return {"prompts": _describe_prompts(tools)}
        case "resources/list":
            return {"resources": _describe_resources(app)}
        case "resources/templates/list":
            return {"resourceTemplates": [_ARTIFACT_TEMPLATE]}
        case _:
            return None


def _describe_prompts(tools: Mapping[str, object]) -> list[dict[str, object]]:
    """The prompts whose tools are all offered."""
    return [
        {
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": [
                {"name": item.name, "description": item.description, "required": item.required}
                for item in prompt.arguments
            ],
        }
        for prompt in prompts.PROMPTS
        if all(name in tools for name in prompt.tools)
    ]


def _describe_resources(app: App) -> list[dict[str, object]]:
    return [
        {
            "name": view.name,
            "uri": view.uri,
            "description": view.description,
            "mimeType": "application/json",
        }
        for view in app.resources.views
    ]


_ARTIFACT_TEMPLATE = {
    "name": "Research artifact",
    "uriTemplate": ARTIFACT_TEMPLATE,
    "description": "A large result kept aside; its address comes with the tool's answer.",
}
