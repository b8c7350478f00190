"""Decides whether a request may use the operator's routes, and runs a handler of the admin API."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import math
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from citewell.core.config import Settings
from citewell.core.errors import CitewellError, InvalidInput, NotFound
from citewell.server.app import App
from citewell.server.http.auth.caller import find_caller
from citewell.server.settings import ServerSettings
from citewell.store.failures import StoreError

ADMIN_HEADER = "x-admin-key"
ADMIN_SCOPE = "citewell:admin"
MAX_WRONG_KEYS = 10  # from one address, before further ones are not even compared
SECONDS_PER_WRONG_KEY = 30.0  # after which one more is compared
_MAX_ADDRESSES = 10_000
_STATE_NAME = "admin_attempts"  # where the attempts stand in the state of the ASGI app

logger = logging.getLogger(__name__)
MAX_ADMIN_BODY_BYTES = 64 * 1024
MAX_FIELD_CHARS = 256
ADMIN_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")  # those that no handler serves get a 405

FieldText = Annotated[StrictStr, Field(min_length=1, max_length=MAX_FIELD_CHARS)]
FieldFlag = StrictBool
AdminHandler = Callable[[App, Request], Awaitable[Response]]
Fields = TypeVar("Fields", bound="AdminFields")


class AdminFields(BaseModel):
    """Base of the fields that a request of the admin API has; unknown ones are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class BodyTooLarge(InvalidInput):
    """The body of a request is larger than any that the admin API needs."""


_STATUS_BY_ERROR: tuple[tuple[type[CitewellError], int], ...] = (
    (BodyTooLarge, 413),
    (NotFound, 404),
    (InvalidInput, 400),
    (StoreError, 503),
)


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
            allowed = ", ".join(handlers)
            error = {"code": "method_not_allowed", "message": f"This address accepts {allowed}."}
            response = answer_json({"error": error}, status=405)
            response.headers["allow"] = allowed
            return response
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
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_ADMIN_BODY_BYTES:
            raise BodyTooLarge(f"The body has more than {MAX_ADMIN_BODY_BYTES} bytes.")
    try:
        given = json.loads(bytes(body))
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise InvalidInput("The body must be a JSON object.")
    return _validate_fields(given, kind)


def _validate_fields(given: Mapping[str, Any], kind: type[Fields]) -> Fields:
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        faults = [_describe_field(item) for item in error.errors(include_input=False)[:5]]
        known = ", ".join(kind.model_fields)
        raise InvalidInput(f"{' '.join(faults)} The fields are: {known}.") from None


def _describe_field(item: Mapping[str, Any]) -> str:
    name = _shorten_given_value(str(item["loc"][0])) if item["loc"] else "The request"
    if item["type"] == "extra_forbidden":
        return f"{name} is not a field of this request."
    if item["type"] == "missing":
        return f"{name} is missing."
    return f"{name}: {item['msg']}."


def _shorten_given_value(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:40]}…"


def _answer_failure(error: CitewellError) -> Response:
    status = next((status for kind, status in _STATUS_BY_ERROR if isinstance(error, kind)), 500)
    if status >= 500:
        logger.error("A request of the admin API failed. %s", error.message)
    code = "body_too_large" if status == 413 else error.kind
    response = answer_json({"error": {"code": code, "message": error.message}}, status=status)
    if error.retryable:
        response.headers["retry-after"] = str(max(1, round(error.retry_after or 1)))
    return response


# Decides whether an HTTP request may use the operator's routes, and slows the guessing of keys.


class AdminVerdict(Enum):
    """Why a request may use the operator's routes, or may not: a code for refusals."""

    ADMITTED = "admitted"
    NOT_CONFIGURED = "admin_not_configured"
    KEY_MISSING = "admin_key_missing"
    KEY_WRONG = "admin_key_wrong"
    SCOPE_MISSING = "insufficient_scope"
    TOO_MANY_ATTEMPTS = "too_many_attempts"


@dataclass(frozen=True, slots=True)
class _AdminRefusal:
    status: int
    message: str


_REFUSALS = {
    AdminVerdict.NOT_CONFIGURED: _AdminRefusal(
        403, "The admin API is off. Set ADMIN_API_KEY to a key of 16 characters or more."
    ),
    AdminVerdict.KEY_MISSING: _AdminRefusal(401, "Send the admin key in the header X-Admin-Key."),
    AdminVerdict.KEY_WRONG: _AdminRefusal(403, "The admin key in X-Admin-Key is wrong."),
    AdminVerdict.SCOPE_MISSING: _AdminRefusal(
        403, f"This caller lacks the scope {ADMIN_SCOPE}. Use one that has it, or send X-Admin-Key."
    ),
    AdminVerdict.TOO_MANY_ATTEMPTS: _AdminRefusal(
        429, "Too many wrong admin keys came from this address. Wait before the next one."
    ),
}


class AdminAttempts:
    """Wrong keys by address: a burst is compared at once, then one every `SECONDS_PER_WRONG_KEY`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._due: OrderedDict[str, float] = OrderedDict()
        self.wrong_keys = 0  # since the start of the process, from all addresses

    def measure_wait(self, address: str) -> float:
        """Seconds until a key from this address is compared again; 0.0 if it is compared now."""
        ahead = self._due.get(address, 0.0) - self._clock()
        return max(0.0, ahead - (MAX_WRONG_KEYS - 1) * SECONDS_PER_WRONG_KEY)

    def record_wrong_key(self, address: str) -> None:
        now = self._clock()
        self.wrong_keys += 1
        self._due[address] = max(self._due.get(address, now), now) + SECONDS_PER_WRONG_KEY
        self._due.move_to_end(address)
        while len(self._due) > _MAX_ADDRESSES:
            self._due.popitem(last=False)


def judge_admin_request(request: Request, settings: Settings) -> AdminVerdict:
    """Whether this request may use the operator's routes; a wrong key counts as an attempt."""
    given = [
        value for name, value in request.scope["headers"] if name.lower() == ADMIN_HEADER.encode()
    ]
    if given:
        return judge_admin_key(request, settings, given)
    caller = find_caller(request.scope)
    if caller.is_authenticated:
        is_admin = ADMIN_SCOPE in (caller.scopes or ())
        return AdminVerdict.ADMITTED if is_admin else AdminVerdict.SCOPE_MISSING
    return (
        AdminVerdict.KEY_MISSING
        if settings[ServerSettings].admin_key
        else AdminVerdict.NOT_CONFIGURED
    )


def build_admin_refusal(request: Request, verdict: AdminVerdict) -> Response:
    """The answer to a request that `judge_admin_request` did not admit."""
    refusal = _REFUSALS[verdict]
    headers = {"cache-control": "no-store"}
    if refusal.status == 401:
        headers["www-authenticate"] = 'AdminKey header="X-Admin-Key"'
    if verdict is AdminVerdict.TOO_MANY_ATTEMPTS:
        wait = find_admin_attempts(request).measure_wait(_name_address(request))
        headers["retry-after"] = str(max(1, math.ceil(wait)))
    body = {"error": {"code": verdict.value, "message": refusal.message}}
    return JSONResponse(body, status_code=refusal.status, headers=headers)


def find_admin_attempts(request: Request) -> AdminAttempts:
    """The attempts that this server has seen, kept in the state of its ASGI app."""
    if "app" not in request.scope:
        return AdminAttempts()
    state = request.app.state
    if not hasattr(state, _STATE_NAME):
        setattr(state, _STATE_NAME, AdminAttempts())
    found = getattr(state, _STATE_NAME)
    return found if isinstance(found, AdminAttempts) else AdminAttempts()


def judge_admin_key(request: Request, settings: Settings, given: list[bytes]) -> AdminVerdict:
    """The judgement of the keys that a request gave, in its headers or in the form of the login."""
    if not settings[ServerSettings].admin_key:
        return AdminVerdict.NOT_CONFIGURED
    attempts, address = find_admin_attempts(request), _name_address(request)
    if attempts.measure_wait(address) > 0:
        return AdminVerdict.TOO_MANY_ATTEMPTS
    if len(given) == 1 and _is_admin_key(given[0], settings):
        return AdminVerdict.ADMITTED
    attempts.record_wrong_key(address)
    return AdminVerdict.KEY_WRONG


def _is_admin_key(given: bytes, settings: Settings) -> bool:
    """Compares with both keys, always, and in a time that tells nothing about either."""
    server_settings = settings[ServerSettings]
    digest = hashlib.sha256(given).digest()
    keys = [key for key in (server_settings.admin_key, server_settings.admin_key_previous) if key]
    matches = [hmac.compare_digest(digest, hashlib.sha256(key.encode()).digest()) for key in keys]
    return any(matches)


def _name_address(request: Request) -> str:
    return request.client.host if request.client else ""
