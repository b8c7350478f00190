"""Base classes of the values that callers receive: frozen, strict, camelCase in JSON."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

UNTRUSTED_LABEL = "untrusted-external-content"
KEPT_NULL_KEYWORD = "nullable"  # in a JSON schema: the field is present and null if it has no value


T = TypeVar("T")


class AnswerPart(StrEnum):
    """What may be left out of an answer that is too large; a field without a mark is spine."""

    SPINE = "spine"  # never cut
    BODY = "body"  # cut only without any appendix: texts at a pause, then lists by whole entries
    APPENDIX = "appendix"  # a list or mapping; cut first, whole entries at a time


Spine = Annotated[T, AnswerPart.SPINE]
Body = Annotated[T, AnswerPart.BODY]
Appendix = Annotated[T, AnswerPart.APPENDIX]
LongText = Body[str]


class WireValue(BaseModel):
    """A value sent to callers; fields that are None are left out of its JSON."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )

    def to_wire(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def with_changes(self, **changes: Any) -> Self:
        """A copy with these fields changed."""
        return self.model_copy(update=changes)


class TextSection(WireValue):
    title: str
    offset: int  # characters


class SnakeCaseValue(WireValue):
    """A value whose JSON names are its Python names, as spec 3 requires."""

    model_config = ConfigDict(alias_generator=None)


class ServiceView(WireValue):
    """A result that a service built as JSON. It keeps nulls and further keys as they are."""

    model_config = ConfigDict(extra="allow")

    def to_wire(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        for field in handler.resolve_ref_schema(schema).get("properties", {}).values():
            if {"type": "null"} in field.get("anyOf", ()):
                field[KEPT_NULL_KEYWORD] = True
        return schema
