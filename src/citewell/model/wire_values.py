"""Base classes of the values that callers receive: frozen, strict, camelCase in JSON."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

UNTRUSTED_LABEL = "untrusted-external-content"


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


class FreeFormResult(WireValue):
    """A result whose keys depend on the question; the service that builds it defines them."""

    content: dict[str, Any]

    def to_wire(self) -> dict[str, Any]:
        return self.content
