"""Turns a verified tenant and user into an owner, if they can be used as names."""

from __future__ import annotations

from citewell.server.http.auth.refusals import CredentialsRefused, RefusalCause
from citewell.tooling import Owner

MAX_NAME_CHARS = 256
_NOBODY = Owner()


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
