"""The login of the dashboard: a signed cookie that ends after an hour and cannot be forged.

The cookie holds a random id and the time of the login, signed with a key that is derived from the
admin key. So it is valid on every instance that has the same admin key, and on none once the key
has changed. The admin key itself is not in it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

COOKIE_NAME = "citewell_dashboard"
COOKIE_PATH = "/dashboard"
LOGIN_SECONDS = 3600
_CLOCK_SLACK_SECONDS = 60  # between instances
_ID_BYTES = 16
_MAX_ENDED_LOGINS = 10_000
# Guessing an admin key from a stolen cookie costs this much for every guess.
_SCRYPT_COST, _SCRYPT_BLOCK, _SCRYPT_LANES = 2**14, 8, 1
_SALT = b"citewell dashboard login"


class LoginSessions:
    """Starts, checks and ends logins for the holder of `admin_key`."""

    def __init__(self, admin_key: str, *, clock: Callable[[], float] = time.time) -> None:
        self._admin_key = admin_key
        self._clock = clock
        self._secret: bytes | None = None
        self._ended: OrderedDict[str, float] = OrderedDict()

    def start_login(self, response: Response, *, is_secure: bool) -> None:
        """Put the cookie of a new login into the response."""
        issued = str(int(self._clock()))
        payload = f"{issued}.{secrets.token_hex(_ID_BYTES)}"
        response.set_cookie(
            COOKIE_NAME,
            f"{payload}.{self._sign_text('login', payload)}",
            max_age=LOGIN_SECONDS,
            path=COOKIE_PATH,
            secure=is_secure,
            httponly=True,
            samesite="strict",
        )

    def end_login(self, request: Request, response: Response) -> None:
        """Make this process refuse the cookie of the request, and let the browser forget it."""
        payload = self._find_payload(request)
        if payload is not None:
            self._ended[payload] = self._clock()
            while len(self._ended) > _MAX_ENDED_LOGINS:
                self._ended.popitem(last=False)
        response.delete_cookie(COOKIE_NAME, path=COOKIE_PATH, httponly=True, samesite="strict")

    def is_logged_in(self, request: Request) -> bool:
        return self._find_payload(request) is not None

    def build_form_token(self, request: Request) -> str | None:
        """What a form of this login must send back; None without a login."""
        payload = self._find_payload(request)
        return None if payload is None else self._sign_text("form", payload)

    def is_form_token(self, request: Request, given: str) -> bool:
        expected = self.build_form_token(request)
        return expected is not None and hmac.compare_digest(expected.encode(), given.encode())

    def _find_payload(self, request: Request) -> str | None:
        """The signed part of a valid cookie; None if it is missing, forged, too old or ended."""
        payload, _, signature = request.cookies.get(COOKIE_NAME, "").rpartition(".")
        issued, _, name = payload.partition(".")
        if not (issued.isascii() and issued.isdigit() and len(issued) <= 12 and name):
            return None
        age = self._clock() - int(issued)
        if not -_CLOCK_SLACK_SECONDS <= age < LOGIN_SECONDS or payload in self._ended:
            return None
        expected = self._sign_text("login", payload)
        return payload if hmac.compare_digest(expected.encode(), signature.encode()) else None

    def _sign_text(self, purpose: str, text: str) -> str:
        message = f"{purpose}:{text}".encode()
        return hmac.new(self._load_secret(), message, hashlib.sha256).hexdigest()

    def _load_secret(self) -> bytes:
        """Derived once; it takes some hundredths of a second."""
        if self._secret is None:
            self._secret = hashlib.scrypt(
                self._admin_key.encode(),
                salt=_SALT,
                n=_SCRYPT_COST,
                r=_SCRYPT_BLOCK,
                p=_SCRYPT_LANES,
            )
        return self._secret
