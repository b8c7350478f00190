"""Who sent an HTTP request, as verified by the authentication layer, or why a caller is not let in."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any

from citewell.core.tooling import Owner

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


# Why a caller is not let in: each cause has a code, which is logged and counted.


class RefusalCause(StrEnum):
    NO_CREDENTIALS = "no_credentials"
    UNSUPPORTED_SCHEME = "unsupported_scheme"  # an Authorization header that is not Bearer
    DUPLICATE_HEADER = "duplicate_header"
    TOKEN_IN_QUERY = "token_in_query"  # noqa: S105 - a cause, not a secret
    TOKEN_TOO_LONG = "token_too_long"  # noqa: S105 - a cause, not a secret
    MALFORMED_TOKEN = "malformed_token"  # noqa: S105 - a cause, not a secret
    ALGORITHM = "algorithm"  # one that is not on the list, such as none or HS256
    CRITICAL_HEADER = "critical_header"
    TOKEN_TYPE = "token_type"  # noqa: S105 - not an access token
    UNKNOWN_KEY = "unknown_key"
    SIGNATURE = "signature"
    ISSUER = "issuer"
    AUDIENCE = "audience"
    EXPIRED = "expired"
    NOT_YET_VALID = "not_yet_valid"
    BOUND_TOKEN = "bound_token"  # noqa: S105 - needs a proof of possession that a bearer does not give
    CLAIMS = "claims"  # a claim is missing or has another form
    IDENTITY = "identity"  # the tenant or user cannot be used as a name
    INACTIVE = "inactive"  # the issuer says that the opaque token is not valid
    UNKNOWN_TOKEN = "unknown_token"  # noqa: S105 - opaque, and nobody here knows it
    REVOKED = "revoked"
    UNTRUSTED_PROXY = "untrusted_proxy"
    INSUFFICIENT_SCOPE = "insufficient_scope"
    ISSUER_UNAVAILABLE = "issuer_unavailable"
    STORE_UNAVAILABLE = "store_unavailable"


_BAD_REQUESTS = frozenset(
    {
        RefusalCause.DUPLICATE_HEADER,
        RefusalCause.TOKEN_IN_QUERY,
        RefusalCause.TOKEN_TOO_LONG,
    }
)
_WITHOUT_TOKEN = frozenset(
    {
        RefusalCause.NO_CREDENTIALS,
        RefusalCause.UNSUPPORTED_SCHEME,
        RefusalCause.UNTRUSTED_PROXY,
    }
)


class CredentialsRefused(Exception):
    """The credentials of a request are missing or wrong; the message says what to do."""

    def __init__(self, cause: RefusalCause, message: str) -> None:
        super().__init__(message)
        self.cause = cause
        self.message = message

    @property
    def status(self) -> int:
        if self.cause in _BAD_REQUESTS:
            return 400
        return 403 if self.cause is RefusalCause.UNTRUSTED_PROXY else 401

    @property
    def error_code(self) -> str | None:
        """The `error` of RFC 6750; None if no token was sent."""
        if self.cause in _BAD_REQUESTS:
            return "invalid_request"
        return None if self.cause in _WITHOUT_TOKEN else "invalid_token"


class VerifierUnavailable(Exception):
    """What is needed to check the credentials cannot be reached now."""

    def __init__(self, cause: RefusalCause, message: str, *, retry_after: float) -> None:
        super().__init__(message)
        self.cause = cause
        self.message = message
        self.retry_after = retry_after
