"""Base classes of the values that callers receive: frozen, strict, camelCase in JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

UNTRUSTED_LABEL = "untrusted-external-content"
KEPT_NULL_KEYWORD = "nullable"  # in a JSON schema: the field is present and null if it has no value


@dataclass(frozen=True, slots=True)
class LongBody:
    """Marks a field whose text may be long, and may be cut when the whole answer is too large.

    On a field that is not a text it marks every text inside it.
    """


LongText = Annotated[str, LongBody()]


class WireValue(BaseModel):
    """A value sent to callers; fields that are None are left out of its JSON."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )

    def to_wire(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


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
