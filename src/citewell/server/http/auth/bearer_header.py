"""Finds the bearer token of a request (RFC 6750): in one Authorization header and nowhere else."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from starlette.types import Scope

from citewell.server.http.auth.refusals import CredentialsRefused, RefusalCause

MAX_TOKEN_CHARS = 16_384
_TOKEN_PATTERN = re.compile(rb"[A-Za-z0-9\-._~+/]+=*")
_QUERY_NAMES = ("access_token", "token", "api_key")


def find_bearer_token(scope: Scope) -> str | None:
    """The token; None if the request has no Authorization header. Raises CredentialsRefused."""
    _check_query(scope.get("query_string", b""))
    given = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(given) > 1:
        raise CredentialsRefused(
            RefusalCause.DUPLICATE_HEADER, "Send one Authorization header, not several."
        )
    return _parse_header(given[0]) if given else None


def _parse_header(value: bytes) -> str | None:
    scheme, _, token = value.strip(b" \t").partition(b" ")
    token = token.lstrip(b" ")
    if scheme.lower() != b"bearer":
        raise CredentialsRefused(
            RefusalCause.UNSUPPORTED_SCHEME, "Send the token as `Authorization: Bearer <token>`."
        )
    if len(token) > MAX_TOKEN_CHARS:
        raise CredentialsRefused(
            RefusalCause.TOKEN_TOO_LONG,
            f"The token has more than {MAX_TOKEN_CHARS} characters. "
            "Ask for a token with fewer claims.",
        )
    if not token:
        return None
    if not _TOKEN_PATTERN.fullmatch(token):
        raise CredentialsRefused(
            RefusalCause.MALFORMED_TOKEN, "The token has characters that no token has."
        )
    return token.decode("ascii")


def _check_query(query: bytes) -> None:
    if not any(name.encode() in query.lower() for name in _QUERY_NAMES) and b"%" not in query:
        return
    names = {name.lower() for name, _ in parse_qsl(query.decode("latin-1"), keep_blank_values=True)}
    if not names.isdisjoint(_QUERY_NAMES):
        raise CredentialsRefused(
            RefusalCause.TOKEN_IN_QUERY,
            "A token in the address ends up in logs. Send it as `Authorization: Bearer <token>`, "
            "and replace the one that was sent.",
        )
