"""Who sent an HTTP request, as verified by the authentication layer, or why a caller is not let in.

The user may be named by a header of an authenticating proxy, if the request comes from that proxy.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any

from starlette.types import Scope

from citewell.core.errors import Misconfigured
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


MAX_NAME_CHARS = 256
_NOBODY = Owner()

IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedProxies:
    """The addresses from which headers of a proxy are believed."""

    networks: tuple[IpNetwork, ...]

    @classmethod
    def from_names(cls, names: Iterable[str]) -> TrustedProxies:
        """Raises Misconfigured for a name that is neither an address nor a network."""
        return cls(networks=tuple(map(_parse_network, names)))

    def includes_address(self, text: str) -> bool:
        try:
            address = ipaddress.ip_address(text.partition("%")[0])
        except ValueError:
            return False
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in self.networks)


class ProxyIdentity:
    def __init__(
        self, proxies: TrustedProxies, *, user_header: str, tenant_header: str | None = None
    ) -> None:
        self._proxies = proxies
        self._user_header = user_header.lower().encode("ascii")
        self._tenant_header = tenant_header.lower().encode("ascii") if tenant_header else None

    def identify_caller(self, scope: Scope) -> VerifiedCaller | None:
        """The caller whom the proxy names; None if the request has no such header.

        Raises CredentialsRefused if anyone but a trusted proxy sends the header.
        """
        user = _find_single_value(scope, self._user_header)
        tenant = _find_single_value(scope, self._tenant_header) if self._tenant_header else None
        if user is None and tenant is None:
            return None
        # The other end of the connection counts; nothing in the request decides it.
        client = scope.get("client")
        if client is None or not self._proxies.includes_address(client[0]):
            raise CredentialsRefused(
                RefusalCause.UNTRUSTED_PROXY,
                "Only the proxies in CITEWELL_TRUSTED_PROXIES may say who is calling, and this "
                "request does not come from one of them.",
            )
        if user is None:
            raise CredentialsRefused(RefusalCause.IDENTITY, "The proxy names a tenant but no user.")
        return VerifiedCaller(
            owner=build_verified_owner(tenant, user),
            proof=CallerProof.PROXY,
            client_id="proxy",
        )


def _find_single_value(scope: Scope, name: bytes) -> str | None:
    """The value of a header; None if it is absent or empty."""
    given = [value for key, value in scope["headers"] if key == name]
    if len(given) > 1:
        raise CredentialsRefused(
            RefusalCause.DUPLICATE_HEADER, f"The header {name.decode()} was sent more than once."
        )
    try:
        return given[0].decode("utf-8").strip() or None if given else None
    except UnicodeDecodeError:
        raise CredentialsRefused(
            RefusalCause.IDENTITY, f"The header {name.decode()} is not UTF-8."
        ) from None


def _parse_network(name: str) -> IpNetwork:
    try:
        return ipaddress.ip_network(name.strip().strip("[]"), strict=False)
    except ValueError:
        raise Misconfigured(
            f"CITEWELL_TRUSTED_PROXIES has an entry that is neither an address nor a network: "
            f"{name!r}. Write for example 10.0.0.5 or 10.0.0.0/24.",
            action="inform_user",
        ) from None


# Turns a verified tenant and user into an owner, if they can be used as names.


def build_verified_owner(tenant: str | None, user: str) -> Owner:
    """The owner; without a tenant the default one.

    Raises CredentialsRefused for a name that is empty, too long or has invisible characters, and
    for the name of callers who did not say who they are: nobody may come into their data.
    """
    owner = Owner(tenant=_NOBODY.tenant if tenant is None else tenant, user=user)
    for part in (owner.tenant, owner.user):
        if not is_usable_name(part):
            raise CredentialsRefused(
                RefusalCause.IDENTITY,
                f"The tenant or user is empty, longer than {MAX_NAME_CHARS} characters, or has "
                "characters that cannot be seen.",
            )
    if owner.user == _NOBODY.user:
        raise CredentialsRefused(
            RefusalCause.IDENTITY,
            f"The user name {_NOBODY.user} is kept for calls without authentication.",
        )
    return owner


def is_usable_name(name: str) -> bool:
    return 0 < len(name) <= MAX_NAME_CHARS and name.isprintable() and name == name.strip()
