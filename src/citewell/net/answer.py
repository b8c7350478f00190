"""Other people's JSON, read tolerantly: a broken part is left out, a broken whole is BadShape."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from citewell.errors import BadShape, Unavailable
from citewell.net.message import Response
from citewell.net.upstream import parse
from citewell.text.urls import readable

T = TypeVar("T")
A = TypeVar("A", bound="Answer")


def absolute(address: str) -> str:
    """The address itself when it is http(s) with a host; ValueError otherwise."""
    address = address.strip()
    if not readable(address):
        raise ValueError("not an absolute http address")
    return address


def _or_none(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    try:
        return handler(value)
    except ValidationError:
        return None


def _whole_ones(values: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """The elements that can be read; none out of some means the shape itself has changed."""
    if values is None:
        return ()
    if not isinstance(values, list):
        return handler(values)
    kept: list[Any] = []
    for value in values:
        try:
            kept += handler([value])
        except ValidationError:
            continue
    return tuple(kept) if kept or not values else handler(values)


Maybe = Annotated[T | None, WrapValidator(_or_none)]  # worth having, not worth failing for
Items = Annotated[tuple[T, ...], WrapValidator(_whole_ones)]
Link = Annotated[str, AfterValidator(absolute)]


class Part(BaseModel):
    """A part of an upstream's answer, in the upstream's own words."""

    model_config = ConfigDict(extra="ignore")


class Answer(Part):
    """An upstream's whole answer; some send their errors with status 200."""

    error: Any = None


def read(model: type[A], response: Response) -> A:
    """The answer as `model`; an error body, or one that says nothing we know, is raised."""
    answer = parse(model, response)
    if answer.error:
        message = "The upstream answered with an error in place of results."
        raise Unavailable(message, provider=response.provider)
    if not answer.model_fields_set - {"error"}:
        message = "The answer has none of the documented fields."
        raise BadShape(message, provider=response.provider)
    return answer
