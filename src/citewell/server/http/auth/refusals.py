"""Why a caller is not let in: each cause has a code, which is logged and counted."""

from __future__ import annotations

from enum import StrEnum


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
