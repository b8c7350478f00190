"""The state that a client sends back with its answer to an input request, sealed for one owner and purpose.

It is sealed with a key of the store, which all instances share, so another instance than the one
that asked can take the answer. It has no time in it, so their clocks may differ.
"""

from __future__ import annotations

import base64
import binascii

import mcp_types as types
from mcp.shared.exceptions import MCPError

from citewell.server.app import App
from citewell.tooling import Owner

_SECRET_PURPOSE = "request state"  # noqa: S105 - what the secret is for
_CONTENT = b"asked"


async def seal_request_state(app: App, owner: Owner, purpose: str) -> str:
    """A token that only `owner` can send back, and only for `purpose`."""
    from citewell.store.keys.encryption import EncryptionKeyring, RowPlace

    secret = await app.open_state().vault.derive_store_secret(_SECRET_PURPOSE)
    place = RowPlace(owner=str(owner), table=_SECRET_PURPOSE, row=purpose)
    sealed = EncryptionKeyring([secret]).encrypt_bytes(place, _CONTENT)
    return base64.urlsafe_b64encode(sealed).decode()


async def check_request_state(app: App, owner: Owner, purpose: str, token: str | None) -> None:
    """Raise MCPError unless this is a token that was sealed for the same owner and purpose."""
    from citewell.store.failures import DecryptionFailed
    from citewell.store.keys.encryption import EncryptionKeyring, RowPlace

    secret = await app.open_state().vault.derive_store_secret(_SECRET_PURPOSE)
    place = RowPlace(owner=str(owner), table=_SECRET_PURPOSE, row=purpose)
    try:
        sealed = base64.urlsafe_b64decode((token or "").encode("ascii"))
        EncryptionKeyring([secret]).decrypt_bytes(place, sealed)
    except (DecryptionFailed, binascii.Error, UnicodeEncodeError):
        raise MCPError(
            code=types.INVALID_PARAMS,
            message="Invalid or expired requestState",
            data={"reason": "invalid_request_state"},
        ) from None
