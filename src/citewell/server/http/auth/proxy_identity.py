"""Takes the user from a header of an authenticating proxy, if the request comes from that proxy."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from starlette.types import Scope

from citewell.errors import Misconfigured
from citewell.server.http.auth.caller import CallerProof, VerifiedCaller
from citewell.server.http.auth.caller_names import build_verified_owner
from citewell.server.http.auth.refusals import CredentialsRefused, RefusalCause

IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedProxies:
    """The addresses from which headers of a proxy are believed."""

    networks: tuple[IpNetwork, ...]

    @classmethod
    def from_names(cls, names: Iterable[str]) -> TrustedProxies:
        """Raises Misconfigured for a name that is neither an address nor a network."""
        return cls(networks=tuple(map(_parse_network, names)))

    def includes_peer(self, scope: Scope) -> bool:
        """Whether the other end of the connection is one of them; nothing in the request decides it."""
        client = scope.get("client")
        return client is not None and self.includes_address(client[0])

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
        if not self._proxies.includes_peer(scope):
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
