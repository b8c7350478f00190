"""Takes a signed token (JWS compact form) apart, strictly: one reading only, or none."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from citewell.server.http.auth.refusals import CredentialsRefused, RefusalCause

_SEGMENT_PATTERN = re.compile(r"[A-Za-z0-9_-]+")
_SEGMENTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedToken:
    """The parts of a token. Nothing in it is verified."""

    header: dict[str, Any] = field(repr=False)
    claims: dict[str, Any] = field(repr=False)
    signed_bytes: bytes = field(repr=False)
    signature: bytes = field(repr=False)


def is_signed_token(token: str) -> bool:
    """Whether the token has the form of a JWS, not of an opaque token."""
    return token.count(".") == _SEGMENTS - 1 and token.startswith("ey")


def parse_signed_token(token: str) -> SignedToken:
    """Raises CredentialsRefused if a part is not strict base64url or not a JSON object.

    Members that occur twice are refused, because two parsers could read two different tokens.
    """
    segments = token.split(".")
    if len(segments) != _SEGMENTS or not all(map(_SEGMENT_PATTERN.fullmatch, segments)):
        _refuse_form()
    head, body, signature = map(_decode_segment, segments)
    return SignedToken(
        header=_parse_object(head),
        claims=_parse_object(body),
        signed_bytes=token.rpartition(".")[0].encode("ascii"),
        signature=signature,
    )


def _decode_segment(segment: str) -> bytes:
    padded = segment + "=" * (-len(segment) % 4)
    try:
        plain = base64.b64decode(padded, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        _refuse_form()
    if base64.urlsafe_b64encode(plain).rstrip(b"=") != segment.encode("ascii"):
        _refuse_form()  # spare bits are set: the same bytes could be written in several ways
    return plain


def _parse_object(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(
            text.decode("utf-8"),
            object_pairs_hook=_collect_unique_members,
            parse_constant=_refuse_constant,
        )
    except (ValueError, RecursionError):
        _refuse_form()
    if not isinstance(found, dict):
        _refuse_form()
    return found


def _collect_unique_members(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise ValueError("a member occurs twice")
        members[name] = value
    return members


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("not a number of JSON")


def _refuse_form() -> NoReturn:
    raise CredentialsRefused(RefusalCause.MALFORMED_TOKEN, "The token is not a well-formed JWT.")
