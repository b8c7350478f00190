"""Who sent an HTTP request, as verified by the authentication layer."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from citewell.tooling import Owner

_SCOPE_KEY = "citewell.caller"  # where the caller stands in the ASGI scope of a request


class CallerProof(Enum):
    """How a caller was verified."""

    NONE = "none"  # nobody has to prove anything: loopback without authentication
    OAUTH = "oauth"
    API_TOKEN = "api_token"  # noqa: S105 - a kind of proof, not a secret
    PROXY = "proxy"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedCaller:
    """The verified sender of a request. Nothing in it was taken from the arguments of a call."""

    owner: Owner = field(default_factory=Owner)
    proof: CallerProof = CallerProof.NONE
    scopes: frozenset[str] | None = None  # None if the proof does not restrict what may be called
    client_id: str | None = None
    credential_id: str | None = None  # names the token in logs and audit lines; never a secret

    @property
    def is_authenticated(self) -> bool:
        return self.proof is not CallerProof.NONE


ANONYMOUS_CALLER = VerifiedCaller()


def attach_caller(scope: MutableMapping[str, Any], caller: VerifiedCaller) -> None:
    scope[_SCOPE_KEY] = caller


def find_caller(scope: MutableMapping[str, Any]) -> VerifiedCaller:
    """The caller of this request; anonymous if the server asks nobody to prove who they are."""
    caller = scope.get(_SCOPE_KEY)
    return caller if isinstance(caller, VerifiedCaller) else ANONYMOUS_CALLER
