"""What can go wrong with what is kept."""

from __future__ import annotations

from citewell.errors import InternalError, Misconfigured


class StoreError(Misconfigured):
    """What is kept cannot be read or written; the message says why and what to change."""

    action = "inform_user"


class Full(StoreError):
    """No room is left on the disk, or the file has reached its own bound."""


class Damaged(StoreError):
    """The file is not a database any more."""


class Unreadable(StoreError):
    """The bytes do not open with any key at hand: another key, another row, or a flipped bit."""


class WrongKey(StoreError):
    """What is kept was sealed under a master key that is not at hand; nothing was changed."""


class Contended(StoreError):
    """Others kept changing the same thing; trying again may work."""


class GuardFailed(InternalError):
    """A guarded statement found the world changed; its whole batch was rolled back."""
