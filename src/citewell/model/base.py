"""The base of every value that reaches a caller: frozen, strict, camelCase on the wire."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

UNTRUSTED = "untrusted-external-content"


class Value(BaseModel):
    """A value in our own words; absent fields are left out of the wire form."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )

    def wire(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class Plain(Value):
    """A value whose wire names are its Python names, as spec 3 writes them."""

    model_config = ConfigDict(alias_generator=None)


class Report(Value):
    """An answer whose keys depend on what was asked; the service that makes it owns its shape."""

    content: dict[str, Any]

    def wire(self) -> dict[str, Any]:
        return self.content
