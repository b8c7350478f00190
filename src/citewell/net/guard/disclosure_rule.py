"""Decides which page addresses an outside service may be told, such as Exa or the Internet Archive."""

from __future__ import annotations

from citewell.errors import NetworkFailed, RefusedByPolicy
from citewell.net.guard import ip_addresses
from citewell.net.guard.address_guard import Guard, GuardRules
from citewell.net.guard.internet_reach import HostResolver, InternetReach
from citewell.net.guard.url_grammar import RequestTarget, parse_url


class DisclosureRule:
    """Refuses addresses of private hosts, also those that the operator allows us to read ourselves."""

    def __init__(
        self,
        rules: GuardRules,
        *,
        resolver: HostResolver | None = None,
        reach: InternetReach | None = None,
        is_sealed: bool = False,
    ) -> None:
        """`is_sealed` says that no outside service may learn any address."""
        self._is_sealed = is_sealed
        self._rules = rules
        self._public = Guard(GuardRules(), resolver=resolver, reach=reach)

    async def check_disclosable(self, url: str, *, is_public_lookup: bool = False) -> RequestTarget:
        """The parsed address; raises RefusedByPolicy if an outside service must not learn it.

        A host whose name cannot be resolved is refused, unless `is_public_lookup` says that the
        service is asked about pages that are gone, whose names often are gone too.
        """
        self.check_unsealed()
        target = self._public.check_url(url)
        if self._rules.is_listed_host(target.host):
            raise RefusedByPolicy(f"{target.host} is a private host of the operator.")
        try:
            await self._public.resolve_checked(target.host, target.port)
        except NetworkFailed:
            # Where private addresses are allowed, a name that fails now may be one of them.
            if not is_public_lookup or self._rules.allows_private:
                raise RefusedByPolicy(f"{target.host} is not known to be public.") from None
        return target

    def check_unsealed(self) -> None:
        """Raise RefusedByPolicy if this server tells addresses to nobody but their own hosts."""
        if self._is_sealed:
            raise RefusedByPolicy(
                "This server limits who may see queries, so it tells the addresses of pages to no"
                " other service."
            )


def is_private_service(base_url: str) -> bool:
    """True if a service is at a private IP address, so that what it is told stays in the network."""
    literal = parse_url(base_url).ip_literal
    return literal is not None and not ip_addresses.is_public_address(literal)
