"""Takes the user from a header of an authenticating proxy, if the request comes from that proxy."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from starlette.types import Scope

from citewell.core.errors import Misconfigured
from citewell.core.tooling import Owner
from citewell.server.http.auth.caller import (
    CallerProof,
    CredentialsRefused,
    RefusalCause,
    VerifiedCaller,
)

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
