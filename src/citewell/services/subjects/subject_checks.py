"""Checks the names of the users that an operator asks about."""

from __future__ import annotations

from citewell.services.people.identity_checks import check_identity
from citewell.tooling import Owner


def require_subject(tenant: str, user: str) -> Owner:
    """The owner of these names; raises InvalidInput if no caller can have them.

    Unlike where consent is recorded, the anonymous user of a local server is somebody here: what
    the server keeps for callers without a name can be read and erased too.
    """
    owner = Owner(tenant=tenant, user=user)
    check_identity(owner)
    return owner
