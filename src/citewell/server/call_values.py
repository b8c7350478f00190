"""A tool call while it runs, and its outcome."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_origin

from pydantic import ValidationError

from citewell.core.errors import InvalidInput
from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.counted_words import pluralize
from citewell.core.values.research_session import SessionSource
from citewell.store.cache.tiered_cache import CacheEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOrigin:
    """Where a call came from, for the audit log."""

    source_ip: str | None = None
    session_id: str | None = None  # of the MCP session


@dataclass(slots=True, kw_only=True)
class ToolInvocation:
    """One `tools/call` while it runs. `validated` is None until the arguments are validated."""

    name: str
    tool: Tool
    raw_arguments: Mapping[str, Any]
    call: ToolCall
    request_id: str = ""
    origin: CallOrigin = field(default_factory=CallOrigin)
    validated: ToolArguments | None = None
    cache_key: str | None = None  # once it is known
    held: CacheEntry | None = None  # the answer, for a call that is given it from memory

    @property
    def arguments(self) -> ToolArguments:
        if self.validated is None:
            raise RuntimeError("The arguments were read before they were validated")
        return self.validated


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactLink:
    """A large result that is stored as an artifact instead of being sent inline."""

    uri: str
    name: str
    mime: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolError:
    """The error of a call, with secrets masked: the sentence for the reader and the error block."""

    message: str
    block: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What the client receives: structured content, or the text of an error."""

    body: dict[str, Any] | None = None
    text: str | None = None
    links: tuple[ArtifactLink, ...] = ()
    meta: dict[str, Any] = field(default_factory=dict)
    error: ToolError | None = None  # what `text` says, for code
    sources: tuple[SessionSource, ...] = ()  # that the tool reported
    found_nothing: bool = False  # the tool found nothing; such an answer is cached only briefly

    @property
    def is_error(self) -> bool:
        return self.error is not None


NextStep = Callable[[ToolInvocation], Awaitable[ToolOutcome]]


# Validates arguments, tolerating the deviations that clients commonly send.


_ITEM_COUNT_BOUNDS = {
    "too_long": ("max_length", "at most"),
    "too_short": ("min_length", "at least"),
}
_TYPE_MESSAGES = {"dict_type": "Input should be an object", "tuple_type": "Input should be a list"}


class ArgumentValidation:
    """Converts "5", "true" and JSON strings to the declared types; an error names each wrong argument."""

    def __init__(self, defaults: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self._defaults = defaults or {}  # of the profile, by tool name

    def validate_invocation(self, invocation: ToolInvocation) -> None:
        """Set the validated arguments; raises InvalidInput that names what is wrong."""
        model = invocation.tool.args
        given = {
            name: value for name, value in invocation.raw_arguments.items() if value is not None
        }
        if unknown := sorted(given.keys() - _list_accepted_names(model)):
            published = ", ".join(names[0] for names in model.list_argument_names().values())
            raise InvalidInput(
                f"{invocation.name} does not take {', '.join(unknown)}. It takes: {published}."
            )
        values = _add_profile_defaults(model, given, self._defaults.get(invocation.name, {}))
        # A JSON list in a string is parsed; any other string for a list becomes its only item.
        for alias in _find_list_arguments(model) & values.keys():
            if isinstance(values[alias], str):
                values[alias] = _parse_list_string(values[alias])
        try:
            invocation.validated = model.model_validate(values)
        except ValidationError as error:
            parts = map(_describe_error_item, error.errors(include_url=False, include_context=True))
            raise InvalidInput(
                f"{invocation.name} cannot use these arguments: {'; '.join(parts)}."
            ) from None
        invocation.call.session_id = getattr(invocation.validated, "session_id", None)


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
