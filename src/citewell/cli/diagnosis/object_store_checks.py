"""The doctor's check of the object store: whether an object can be written, read and deleted."""

from __future__ import annotations

import secrets

from citewell.cli.diagnosis.installation_checks import InstallationCheck
from citewell.config import Settings
from citewell.errors import CitewellError

_NAME = "object store"
_PROBE_FOLDER = "doctor"
_PROBE_BODY = b"written by `citewell doctor`"


async def check_object_store(settings: Settings, *, offline: bool) -> tuple[InstallationCheck, ...]:
    """Whether the object store takes, gives back and deletes an object; nothing if none is set."""
    if settings.object_store_url is None:
        return ()
    if offline:
        return (
            InstallationCheck(
                name=_NAME, state="ok", detail=f"{settings.object_store_url}, not tried"
            ),
        )
    try:
        is_whole = await _try_probe_object(settings, settings.object_store_url)
    except CitewellError as error:
        return (
            InstallationCheck(
                name=_NAME, state="failed", detail=error.message, change=error.remedy or ""
            ),
        )
    if not is_whole:
        detail = f"{settings.object_store_url} gives back something else than it was given"
        return (InstallationCheck(name=_NAME, state="failed", detail=detail),)
    detail = f"{settings.object_store_url} can be written, read and cleared"
    return (InstallationCheck(name=_NAME, state="ok", detail=detail),)


async def _try_probe_object(settings: Settings, url: str) -> bool:
    """Whether the store gave back what it was given. Raises ObjectStoreFailed or Misconfigured."""
    from citewell.net.objects.object_address import parse_object_address
    from citewell.net.objects.object_client import build_object_client

    client = build_object_client(settings, parse_object_address(url))
    name = f"{_PROBE_FOLDER}/{secrets.token_hex(8)}"
    await client.put_object(name, _PROBE_BODY)
    try:
        found = await client.load_object(name, max_bytes=len(_PROBE_BODY))
    finally:
        await client.delete_objects([name])
    return found == _PROBE_BODY
