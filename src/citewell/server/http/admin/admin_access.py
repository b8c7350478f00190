"""Decides whether an HTTP request may use the operator's routes, and slows the guessing of keys.

A request is the operator's if it sends the admin key (the current or the previous one) as
`X-Admin-Key`, or if its verified caller has the scope `citewell:admin`.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from citewell.config import Settings
from citewell.server.http.auth.caller import find_caller

ADMIN_HEADER = "x-admin-key"
ADMIN_SCOPE = "citewell:admin"
MAX_WRONG_KEYS = 10  # from one address, before further ones are not even compared
SECONDS_PER_WRONG_KEY = 30.0  # after which one more is compared
_MAX_ADDRESSES = 10_000
_STATE_NAME = "admin_attempts"  # where the attempts stand in the state of the ASGI app


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


def is_admin_request(request: Request, settings: Settings) -> bool:
    """Whether this request may use the operator's routes; a wrong key counts as an attempt."""
    return judge_admin_request(request, settings) is AdminVerdict.ADMITTED


def judge_admin_request(request: Request, settings: Settings) -> AdminVerdict:
    given = [
        value for name, value in request.scope["headers"] if name.lower() == ADMIN_HEADER.encode()
    ]
    if given:
        return _judge_key(request, settings, given)
    caller = find_caller(request.scope)
    if caller.is_authenticated:
        is_admin = ADMIN_SCOPE in (caller.scopes or ())
        return AdminVerdict.ADMITTED if is_admin else AdminVerdict.SCOPE_MISSING
    return AdminVerdict.KEY_MISSING if settings.admin_key else AdminVerdict.NOT_CONFIGURED


def judge_admin_key(request: Request, settings: Settings, key: str) -> AdminVerdict:
    """The same judgement for a key that came in the body of the request, as from the login form."""
    return _judge_key(request, settings, [key.encode()])


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


def _judge_key(request: Request, settings: Settings, given: list[bytes]) -> AdminVerdict:
    if not settings.admin_key:
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
    digest = hashlib.sha256(given).digest()
    keys = [key for key in (settings.admin_key, settings.admin_key_previous) if key]
    matches = [hmac.compare_digest(digest, hashlib.sha256(key.encode()).digest()) for key in keys]
    return any(matches)


def _name_address(request: Request) -> str:
    return request.client.host if request.client else ""
