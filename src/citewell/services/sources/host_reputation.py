"""The documented reputation of hosts; nothing is said about a host that is not listed."""

from __future__ import annotations

from citewell.fetch.metadata import host_standing
from citewell.model.search_results import SourceReputation


def find_host_reputation(host: str) -> SourceReputation | None:
    """The reputation of the host or of its nearest listed parent domain; None if there is none."""
    standing = host_standing.find_host_standing(host)
    if standing.reputation is None:
        return None
    return SourceReputation(
        tier=standing.reputation,
        basis=standing.basis,
        note=standing.note,
        as_of=host_standing.get_table_date(),
    )
