"""Validates arguments, tolerating the deviations that clients commonly send."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, get_origin

from pydantic import ValidationError

from citewell.errors import InvalidInput
from citewell.model.counted_words import pluralize
from citewell.server.pipeline import NextStep, ToolInvocation, ToolOutcome
from citewell.tooling import ToolArguments

_ITEM_COUNT_BOUNDS = {
    "too_long": ("max_length", "at most"),
    "too_short": ("min_length", "at least"),
}
_TYPE_MESSAGES = {"dict_type": "Input should be an object", "tuple_type": "Input should be a list"}


class ValidationMiddleware:
    """Converts "5", "true" and JSON strings to the declared types; an error names each wrong argument."""

    def __init__(self, defaults: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self._defaults = defaults or {}  # of the profile, by tool name

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        if invocation.validated is None:
            self.validate_invocation(invocation)
        return await proceed(invocation)

    def validate_invocation(self, invocation: ToolInvocation) -> None:
        """Set the validated arguments; raises InvalidInput that names what is wrong."""
        model = invocation.tool.args
        given = {
            name: value for name, value in invocation.raw_arguments.items() if value is not None
        }
        refuse_unknown_arguments(model, given, tool=invocation.name)
        values = _add_profile_defaults(model, given, self._defaults.get(invocation.name, {}))
        invocation.validated = validate_arguments(
            model, _convert_list_strings(model, values), tool=invocation.name
        )
        invocation.call.session_id = getattr(invocation.validated, "session_id", None)


def validate_arguments(
    model: type[ToolArguments], values: Mapping[str, Any], *, tool: str
) -> ToolArguments:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise InvalidInput(_describe_validation_error(error, tool)) from None


def refuse_unknown_arguments(
    model: type[ToolArguments], given: Mapping[str, Any], *, tool: str
) -> None:
    unknown = sorted(given.keys() - _list_accepted_names(model))
    if unknown:
        published = ", ".join(names[0] for names in model.list_argument_names().values())
        raise InvalidInput(f"{tool} does not take {', '.join(unknown)}. It takes: {published}.")


@cache
def _list_accepted_names(model: type[ToolArguments]) -> frozenset[str]:
    return frozenset(name for names in model.list_argument_names().values() for name in names)


def _add_profile_defaults(
    model: type[ToolArguments], given: Mapping[str, Any], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    if not defaults:
        return dict(given)
    aliases = {names[0]: names for names in model.list_argument_names().values()}
    absent = {
        name: value
        for name, value in defaults.items()
        if not any(alias in given for alias in aliases[name])
    }
    return absent | dict(given)


def _convert_list_strings(model: type[ToolArguments], values: dict[str, Any]) -> dict[str, Any]:
    """Convert a string given for a list: a JSON list is parsed, any other string becomes its only item."""
    for alias in _find_list_arguments(model) & values.keys():
        if isinstance(values[alias], str):
            values[alias] = _parse_list_string(values[alias])
    return values


@cache
def _find_list_arguments(model: type[ToolArguments]) -> frozenset[str]:
    """The wire names of arguments that are lists."""
    return frozenset(
        alias
        for name, aliases in model.list_argument_names().items()
        if get_origin(_strip_optional(model.model_fields[name].annotation)) is tuple
        for alias in aliases
    )


def _strip_optional(annotation: Any) -> Any:
    """`tuple[str, ...] | None` → `tuple[str, ...]`."""
    members = getattr(annotation, "__args__", ())
    if get_origin(annotation) is not tuple and type(None) in members:
        return next(member for member in members if member is not type(None))
    return annotation


def _parse_list_string(text: str) -> list[Any]:
    if text.lstrip().startswith("["):
        try:
            value = json.loads(text)
        except ValueError:
            return [text]
        return value if isinstance(value, list) else [text]
    return [text]


def _describe_validation_error(error: ValidationError, tool: str) -> str:
    parts = [
        _describe_error_item(item) for item in error.errors(include_url=False, include_context=True)
    ]
    return f"{tool} cannot use these arguments: {'; '.join(parts)}."


def _describe_error_item(item: Any) -> str:
    name = ".".join(str(part) for part in item["loc"]) or "arguments"
    if item["type"] == "missing":
        return f"{name} is required"
    if (
        item["type"] == "extra_forbidden"
    ):  # unknown names were refused before, so this is an alias given twice
        return f"{name} is another name for an argument that is also given; give only one of them"
    if item["type"] in _ITEM_COUNT_BOUNDS:
        return f"{name}: {_describe_item_count(item)}"
    return f"{name}: {_TYPE_MESSAGES.get(item['type']) or item['msg'].removeprefix('Value error, ').rstrip('.')}"


def _describe_item_count(item: Any) -> str:
    """How many items are allowed; for lists only, as pydantic's messages for texts are clear."""
    bound, word = _ITEM_COUNT_BOUNDS[item["type"]]
    wanted, given = item["ctx"][bound], item["ctx"].get("actual_length")
    return f"give {word} {wanted} {pluralize(wanted, 'item')}" + (
        "" if given is None else f", not {given}"
    )
