"""Checks the tenant, user and workspace names that administrators and callers give."""

from __future__ import annotations

from citewell.errors import InvalidInput
from citewell.model.counted_words import pluralize
from citewell.tooling import ANONYMOUS_USER, Owner

MAX_IDENTITY_CHARS = 256
MAX_WORKSPACE_ID_CHARS = 128


def check_identity(owner: Owner) -> None:
    """Raises InvalidInput if a name of the owner is empty, too long or not printable."""
    for field, value in (("tenant_id", owner.tenant), ("user_id", owner.user)):
        _check_name(field, value, MAX_IDENTITY_CHARS)


def require_identity(owner: Owner) -> None:
    """Raises InvalidInput if the owner is not one that a verified caller can have."""
    check_identity(owner)
    if owner.is_anonymous:
        raise InvalidInput(
            f"user_id must name a user; {ANONYMOUS_USER!r} stands for callers without a name."
        )


def check_workspace_id(workspace_id: str) -> str:
    """The id; raises InvalidInput if it is blank, too long or not printable."""
    return _check_name("workspace_id", workspace_id, MAX_WORKSPACE_ID_CHARS)


def _check_name(field: str, value: str, most: int) -> str:
    if not value.strip():
        raise InvalidInput(f"{field} is empty.")
    if len(value) > most:
        raise InvalidInput(
            f"{field} has {len(value)} {pluralize(len(value), 'character')}; {most} is the maximum."
        )
    if not value.isprintable():
        raise InvalidInput(f"{field} contains control or other invisible characters.")
    return value
