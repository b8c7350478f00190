"""Runs a handler of the admin API: checks access and fields, and answers failures as JSON."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from citewell.errors import CitewellError, InvalidInput, NotFound
from citewell.server.app import App
from citewell.server.http.admin.admin_access import (
    AdminVerdict,
    build_admin_refusal,
    judge_admin_request,
)
from citewell.store.failures import StoreError

logger = logging.getLogger(__name__)
MAX_ADMIN_BODY_BYTES = 64 * 1024
MAX_FIELD_CHARS = 256
ADMIN_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")  # those that no handler serves get a 405
_STATUS_BY_ERROR: tuple[tuple[type[CitewellError], int], ...] = (
    (NotFound, 404),
    (InvalidInput, 400),
    (StoreError, 503),
)

FieldText = Annotated[StrictStr, Field(min_length=1, max_length=MAX_FIELD_CHARS)]
FieldFlag = StrictBool
AdminHandler = Callable[[App, Request], Awaitable[Response]]
Fields = TypeVar("Fields", bound="AdminFields")


class AdminFields(BaseModel):
    """Base of the fields that a request of the admin API has; unknown ones are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class BodyTooLarge(InvalidInput):
    """The body of a request is larger than any that the admin API needs."""


def build_admin_endpoint(
    app: App, handlers: Mapping[str, AdminHandler]
) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of one route: the handler of the request's method, for operators alone."""

    async def answer(request: Request) -> Response:
        verdict = judge_admin_request(request, app.settings)
        if verdict is not AdminVerdict.ADMITTED:
            return build_admin_refusal(request, verdict)
        handler = handlers.get("GET" if request.method == "HEAD" else request.method)
        if handler is None:
            return _answer_wrong_method(handlers)
        try:
            return await handler(app, request)
        except ClientDisconnect:
            return Response(status_code=400)
        except CitewellError as error:
            return _answer_failure(error)

    return answer


def answer_json(value: Any, *, status: int = 200) -> Response:
    """The answer to an operator; it is personal, so nothing on the way may keep it."""
    return JSONResponse(value, status_code=status, headers={"cache-control": "no-store"})


def read_query(request: Request, kind: type[Fields]) -> Fields:
    """The fields in the address; raises InvalidInput for unknown, repeated or unusable ones."""
    given: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in given:
            raise InvalidInput(f"{_shorten_given_value(name)} is given twice.")
        given[name] = value
    return _validate_fields(given, kind)


async def read_body(request: Request, kind: type[Fields]) -> Fields:
    """The fields in the JSON body; raises InvalidInput for what is not an object of these fields."""
    body = await _read_bounded_body(request)
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise InvalidInput("The body must be a JSON object.") from None
    if not isinstance(given, dict):
        raise InvalidInput("The body must be a JSON object.")
    return _validate_fields(given, kind)


async def read_fields(request: Request, kind: type[Fields]) -> Fields:
    """The fields in the address if there are any, else those in the body: some clients send no body."""
    return read_query(request, kind) if request.query_params else await read_body(request, kind)


async def _read_bounded_body(request: Request) -> bytes:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_ADMIN_BODY_BYTES:
            raise BodyTooLarge(f"The body has more than {MAX_ADMIN_BODY_BYTES} bytes.")
    return bytes(body)


def _validate_fields(given: Mapping[str, Any], kind: type[Fields]) -> Fields:
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        told = [_describe_field(item) for item in error.errors(include_input=False)[:5]]
        known = ", ".join(kind.model_fields)
        raise InvalidInput(f"{' '.join(told)} The fields are: {known}.") from None


def _describe_field(item: Mapping[str, Any]) -> str:
    name = _shorten_given_value(str(item["loc"][0])) if item["loc"] else "The request"
    if item["type"] == "extra_forbidden":
        return f"{name} is not a field of this request."
    if item["type"] == "missing":
        return f"{name} is missing."
    return f"{name}: {item['msg']}."


def _shorten_given_value(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:40]}…"


def _answer_wrong_method(handlers: Mapping[str, AdminHandler]) -> Response:
    allowed = ", ".join(handlers)
    told = {"code": "method_not_allowed", "message": f"This address accepts {allowed}."}
    response = answer_json({"error": told}, status=405)
    response.headers["allow"] = allowed
    return response


def _answer_failure(error: CitewellError) -> Response:
    status = 413 if isinstance(error, BodyTooLarge) else _find_status(error)
    if status >= 500:
        logger.error("A request of the admin API failed. %s", error.message)
    code = "body_too_large" if status == 413 else error.kind
    response = answer_json({"error": {"code": code, "message": error.message}}, status=status)
    if error.retryable:
        response.headers["retry-after"] = str(max(1, round(error.retry_after or 1)))
    return response


def _find_status(error: CitewellError) -> int:
    return next((status for kind, status in _STATUS_BY_ERROR if isinstance(error, kind)), 500)
