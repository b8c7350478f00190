"""Tolerant parsing of upstream JSON, by a model or a schema: invalid parts are dropped, an invalid whole raises."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic.alias_generators import to_camel

from citewell.core.errors import MalformedResponse, UpstreamUnavailable
from citewell.core.values.field_schema import SchemaField
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.text.addresses import is_web_address
from citewell.text.safety.text_cleaning import clean_markup

_MAX_JSON_DEPTH = 8
_MAX_JSON_ITEMS = 200  # of one object or list
_MAX_TEXT_CHARS = 5000
_MAX_ARRAY_ITEMS = 100
_FENCE = "```"

T = TypeVar("T")
A = TypeVar("A", bound="JsonResponse")


def require_http_address(address: str) -> str:
    """`address` without surrounding spaces; ValueError unless it is http(s) with a host."""
    address = address.strip()
    if not is_web_address(address):
        raise ValueError("not an absolute http address")
    return address


def _validate_or_none(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    try:
        return handler(value)
    except ValidationError:
        return None


def _keep_valid_items(values: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """The valid elements. If none of several is valid, the format has changed, and validation fails."""
    if values is None:
        return ()
    if not isinstance(values, list):
        return handler(values)
    kept: list[Any] = []
    for value in values:
        try:
            kept += handler((value,))  # a tuple, which strict validation takes too
        except ValidationError:
            continue
    return tuple(kept) if kept or not values else handler(values)


OptionalField = Annotated[
    T | None, WrapValidator(_validate_or_none)
]  # None if the value is invalid
TolerantItems = Annotated[tuple[T, ...], WrapValidator(_keep_valid_items)]
HttpLink = Annotated[str, AfterValidator(require_http_address)]


class ResponsePart(BaseModel):
    """Base of models for parts of a JSON response, with the upstream's field names."""

    model_config = ConfigDict(extra="ignore")


class CamelCasePart(ResponsePart):
    """A part whose fields the upstream names in camel case."""

    model_config = ConfigDict(alias_generator=to_camel)


def nested_field(path: str) -> Any:
    """A field that may be missing, by its dotted path in the response: "statusModule.overallStatus"."""
    return Field(default=None, validation_alias=AliasPath(*path.split(".")))


class JsonResponse(ResponsePart):
    """Base of models for a whole JSON response; some upstreams send errors with status 200."""

    error: Any = None


def clamp_score(score: float | None) -> float | None:
    """The upstream's score, brought into 0 to 1; None if it is absent or not a number."""
    if score is None or not math.isfinite(score):
        return None
    return min(max(score, 0.0), 1.0)


def drop_negative_count(number: int | None) -> int | None:
    """The upstream's count; None if it is absent or negative, which some send for unknown."""
    return number if number is not None and number >= 0 else None


def read_json_response(model: type[A], response: HttpResponse) -> A:
    """The response as `model`.

    Raises UpstreamUnavailable if the body contains an error, and MalformedResponse if it has none
    of the model's fields.
    """
    answer = parse_json_response(model, response)
    if answer.error:
        message = "The upstream returned an error instead of results."
        raise UpstreamUnavailable(message, provider=response.provider)
    if not answer.model_fields_set - {"error"}:
        message = "The response has none of the documented fields."
        raise MalformedResponse(message, provider=response.provider)
    return answer


# JSON that an upstream or a model filled in for a schema: read, cleaned, and fitted to its fields.


def parse_json_text(text: str) -> Any:
    """The JSON value in a text, which may stand in a code fence; None if there is none."""
    plain = text.strip()
    if plain.startswith(_FENCE):
        plain = plain.partition("\n")[2].rpartition(_FENCE)[0]
    start, end = plain.find("{"), plain.rfind("}")
    for candidate in (plain, plain[start : end + 1] if 0 <= start < end else ""):
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return None


def fit_schema_value(value: Any, fields: Iterable[SchemaField]) -> dict[str, Any]:
    """The declared fields of an object; null where the value is missing or of another type."""
    given = value if isinstance(value, dict) else {}
    return {field.name: _fit_field(given.get(field.name), field) for field in fields}


def _fit_field(value: Any, field: SchemaField) -> Any:
    if value is None:
        return None
    if field.type == "object":
        inner = fit_schema_value(value, field.fields)
        return inner if any(part is not None for part in inner.values()) else None
    if field.type == "array":
        items = value if isinstance(value, list) else []
        kept = [_fit_primitive(element, field.item_type) for element in items[:_MAX_ARRAY_ITEMS]]
        return [element for element in kept if element is not None] or None
    fitted = _fit_primitive(value, field.type)
    return fitted if not field.choices or fitted in field.choices else None


def _fit_primitive(value: Any, kind: str) -> Any:
    if kind == "string":
        return clean_markup(value)[:_MAX_TEXT_CHARS] or None if isinstance(value, str) else None
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    if kind == "integer":
        return int(value) if value == int(value) else None
    return value


def clean_json_texts(value: Any, depth: int = 0) -> Any:
    """A JSON value with cleaned texts, without numbers that JSON does not have, and bounded in size."""
    if isinstance(value, str):
        return clean_markup(value)[:_MAX_TEXT_CHARS]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth >= _MAX_JSON_DEPTH:
        return None
    if isinstance(value, list):
        return [clean_json_texts(element, depth + 1) for element in value[:_MAX_JSON_ITEMS]]
    if isinstance(value, dict):
        return {
            clean_markup(str(name)): clean_json_texts(member, depth + 1)
            for name, member in list(value.items())[:_MAX_JSON_ITEMS]
        }
    return value
