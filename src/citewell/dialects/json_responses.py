"""Tolerant parsing of upstream JSON: invalid parts are dropped, an invalid whole raises MalformedResponse."""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic.alias_generators import to_camel

from citewell.errors import MalformedResponse, UpstreamUnavailable
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.text.web.addresses import is_web_address

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
