"""Answers of any tool, built from its result model: as long as a test wants, and valid."""

from __future__ import annotations

import enum
import types
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import jsonschema  # type: ignore[import-untyped]  # it has no stubs
from pydantic import BaseModel

from citewell.core.tooling import Tool
from citewell.core.values.wire_values import AnswerPart
from citewell.server.capabilities.tool_schema import build_output_schema, build_published_schema

SENTENCE = "Tides rise with the moon. "

Lengths = Callable[[], int]
Counts = Callable[[int], int]  # of the items of a list, by how many lists are around it


def build_sample(
    model: type[BaseModel],
    *,
    text_length: Lengths = lambda: 30,
    item_count: Counts = lambda depth: 2,
) -> dict[str, Any]:
    """The wire form of an answer with every field, each body and appendix of a length asked for."""
    return {
        field.serialization_alias or field.alias or name: _build_value(
            Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation,
            text_length,
            item_count,
        )
        for name, field in model.model_fields.items()
    }


def validate_answer(tool: Tool, body: dict[str, Any]) -> None:
    """Check an answer against the schema that is published and against the whole one."""
    for schema in (build_published_schema(tool), build_output_schema(tool.result)):
        validate_schema(body, schema)


def validate_schema(body: dict[str, Any], schema: dict[str, Any]) -> None:
    """Raises jsonschema.ValidationError if the body does not fit."""
    jsonschema.validate(body, schema)


def _build_value(
    annotation: Any, text_length: Lengths, item_count: Counts, *, is_long: bool = False
) -> Any:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        part = next((mark for mark in arguments[1:] if isinstance(mark, AnswerPart)), None)
        if part is AnswerPart.BODY and arguments[0] in {str, Any}:
            return _build_text(text_length())
        is_long = part in {AnswerPart.BODY, AnswerPart.APPENDIX}
        return _build_value(arguments[0], text_length, item_count, is_long=is_long)
    if origin in (Union, types.UnionType):
        real = next(one for one in arguments if one is not types.NoneType)
        return _build_value(real, text_length, item_count)
    if origin in (list, tuple):
        deeper = partial(_count_deeper, item_count)
        count = item_count(0) if is_long else min(2, item_count(0))
        return [_build_value(arguments[0], text_length, deeper) for _ in range(count)]
    if origin is dict:
        return {"first": _build_value(arguments[1], text_length, item_count)}
    if origin is Literal:
        return arguments[0]
    return _build_scalar(annotation, text_length, item_count)


def _build_scalar(annotation: Any, text_length: Lengths, item_count: Counts) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return build_sample(annotation, text_length=text_length, item_count=item_count)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return next(iter(annotation)).value
    plain = {str: "a short text that has one line", int: 7, float: 0.5, bool: False}
    return plain.get(annotation, "anything")


def _count_deeper(item_count: Counts, depth: int) -> int:
    return item_count(depth + 1)


def _build_text(length: int) -> str:
    paragraph = SENTENCE * 8 + "\n\n"
    return (paragraph * (length // len(paragraph) + 1))[:length]
