"""The request of one structured search, and its check."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from citewell.errors import InvalidInput
from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import OptionalName, QueryText
from citewell.model.domains.field_schema import MAX_SCHEMA_CHARS, parse_field_schema
from citewell.services.web.search_request import clean_query_text, normalize_provider_name

_MAX_JSON_LEVELS = 40  # more could not be written down as JSON again


def _parse_schema_text(value: Any) -> Any:
    """A schema that came as JSON text, as an object; anything else as it is."""
    if isinstance(value, str):
        if not value.strip():
            return None
        if len(value) > MAX_SCHEMA_CHARS:
            raise ValueError(f"schema has more than {MAX_SCHEMA_CHARS} characters")
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError("schema is a text that is not JSON") from None
    if _is_deeper(value, _MAX_JSON_LEVELS):
        raise ValueError("schema is nested far deeper than 2 levels")
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    """Whether a JSON value has more levels than this; nothing behind them is looked at."""
    inner = value.values() if isinstance(value, dict) else value
    if not isinstance(value, dict | list):
        return False
    return levels == 0 or any(_is_deeper(one, levels - 1) for one in inner)


@dataclass(frozen=True, kw_only=True)
class StructuredRequest:
    """One search that fills fields, as the caller wrote it; the arguments of structured_search."""

    query: QueryText
    category: Annotated[
        OptionalName, Field(description="company, people, news, research paper, pdf, github …")
    ] = None
    count: Annotated[int, Field(ge=1, le=10, validation_alias="num_results")] = 5
    field_schema: Annotated[
        dict[str, Any] | None,
        BeforeValidator(_parse_schema_text),
        Field(
            validation_alias="schema",
            description="JSON Schema: a root object, at most 10 properties, 2 levels, no $ref."
            " Without it summary is a text.",
        ),
    ] = None
    provider: Annotated[
        OptionalName, Field(description="Needed only if several are configured. local is free.")
    ] = None


def check_structured_request(ask: StructuredRequest) -> StructuredRequest:
    """The request with its texts cleaned; raises InvalidInput, also for a schema over the limits."""
    check_declared_bounds(ask)
    if ask.field_schema is not None:
        parse_field_schema(ask.field_schema)
    category = " ".join(ask.category.lower().split()) if ask.category else None
    return replace(
        ask,
        query=clean_query_text(ask.query),
        category=category,
        provider=normalize_provider_name(ask.provider),
    )


def check_category(category: str | None, known: tuple[str, ...], provider: str) -> None:
    """Raise InvalidInput, with the categories there are, for one that the provider does not have."""
    if category is not None and category not in known:
        raise InvalidInput(
            f"{provider} has no category {category!r}. It takes: {', '.join(known)}.",
            provider=provider,
        )
