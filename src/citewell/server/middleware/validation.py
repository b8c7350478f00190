"""Arguments as clients really send them, checked against what the tool takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, get_origin

from pydantic import ValidationError

from citewell.errors import InvalidInput
from citewell.server.pipeline import Invocation, Outcome, Proceed
from citewell.tooling import Arguments

_COUNTS = {"too_long": ("max_length", "at most"), "too_short": ("min_length", "at least")}
_KINDS = {"dict_type": "Input should be an object", "tuple_type": "Input should be a list"}


class Validation:
    """Coerces "5", "true" and JSON strings for lists; names what it refuses."""

    def __init__(self, defaults: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self._defaults = defaults or {}  # a profile's own defaults, by tool

    async def __call__(self, invocation: Invocation, proceed: Proceed) -> Outcome:
        if invocation.args is None:
            self.check(invocation)
        return await proceed(invocation)

    def check(self, invocation: Invocation) -> None:
        """Fill in `args`; InvalidInput says what is wrong."""
        model = invocation.tool.args
        given = {name: value for name, value in invocation.raw.items() if value is not None}
        refuse_unknown(model, given, tool=invocation.name)
        values = _with_defaults(model, given, self._defaults.get(invocation.name, {}))
        invocation.args = validated(model, _lists(model, values), tool=invocation.name)
        invocation.call.session_id = getattr(invocation.args, "session_id", None)


def validated(model: type[Arguments], values: Mapping[str, Any], *, tool: str) -> Arguments:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise InvalidInput(_complaint(error, tool), detail="validation") from None


def refuse_unknown(model: type[Arguments], given: Mapping[str, Any], *, tool: str) -> None:
    unknown = sorted(given.keys() - _known(model))
    if unknown:
        published = ", ".join(names[0] for names in model.names().values())
        raise InvalidInput(f"{tool} does not take {', '.join(unknown)}. It takes: {published}.")


@cache
def _known(model: type[Arguments]) -> frozenset[str]:
    return frozenset(name for names in model.names().values() for name in names)


def _with_defaults(
    model: type[Arguments], given: Mapping[str, Any], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    if not defaults:
        return dict(given)
    names = model.names()
    absent = {
        names[name][0]: value
        for name, value in defaults.items()
        if not any(alias in given for alias in names[name])
    }
    return absent | dict(given)


def _lists(model: type[Arguments], values: dict[str, Any]) -> dict[str, Any]:
    """A list sent as a JSON string, or a lone string for a list, is what the client meant."""
    for alias in _listed(model) & values.keys():
        if isinstance(values[alias], str):
            values[alias] = _unpacked(values[alias])
    return values


@cache
def _listed(model: type[Arguments]) -> frozenset[str]:
    """The wire names of arguments that are lists."""
    return frozenset(
        alias
        for name, aliases in model.names().items()
        if get_origin(_plain(model.model_fields[name].annotation)) is tuple
        for alias in aliases
    )


def _plain(annotation: Any) -> Any:
    """`tuple[str, ...] | None` → `tuple[str, ...]`."""
    members = getattr(annotation, "__args__", ())
    if get_origin(annotation) is not tuple and type(None) in members:
        return next(member for member in members if member is not type(None))
    return annotation


def _unpacked(text: str) -> list[Any]:
    if text.lstrip().startswith("["):
        try:
            value = json.loads(text)
        except ValueError:
            return [text]
        return value if isinstance(value, list) else [text]
    return [text]


def _complaint(error: ValidationError, tool: str) -> str:
    parts = [_item(item) for item in error.errors(include_url=False, include_context=True)]
    return f"{tool} cannot use these arguments: {'; '.join(parts)}."


def _item(item: Any) -> str:
    name = ".".join(str(part) for part in item["loc"]) or "arguments"
    if item["type"] == "missing":
        return f"{name} is required"
    if (
        item["type"] == "extra_forbidden"
    ):  # unknown names were refused before: this is a second name
        return f"{name} is another name of an argument that was given too; give one of them"
    if item["type"] in _COUNTS:
        return f"{name}: {_count(item)}"
    return f"{name}: {_KINDS.get(item['type']) or item['msg'].removeprefix('Value error, ').rstrip('.')}"


def _count(item: Any) -> str:
    """How many there may be; texts too long are told by their own message."""
    bound, word = _COUNTS[item["type"]]
    return f"give {word} {item['ctx'][bound]} items, not {len(item['input'])}"
