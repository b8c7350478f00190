"""Reads and writes objects in an S3-compatible store, through obstore.

obstore connects by itself, without the guard of this package: to the endpoint that the operator
set, or to Amazon's address of the bucket. No address of a caller or of a page ever comes here.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.net.objects.object_address import ObjectAddress
from citewell.net.objects.object_failures import ObjectFailure, ObjectStoreFailed

if TYPE_CHECKING:
    from obstore.store import S3Store

_MAX_RETRIES = 4
_FIRST_PAUSE = timedelta(milliseconds=100)
_LONGEST_PAUSE = timedelta(seconds=5)
_CONNECT_TIMEOUT = timedelta(seconds=5)
_MAX_DELETED_TOGETHER = 500  # the protocol allows 1,000
_ERROR_CODE = re.compile(r"<Code>(\w{1,64})</Code>")
_REFUSAL_CODES = {"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredObject:
    name: str
    size_bytes: int
    modified: float  # by the clock of the store, in seconds since the epoch


class ObjectClient:
    """The objects below one prefix of one bucket. Every method raises ObjectStoreFailed."""

    def __init__(self, address: ObjectAddress, store: S3Store) -> None:
        self.address = address
        self._store = store

    async def put_object(self, name: str, body: bytes) -> None:
        """Store the whole body, or nothing; an object of that name is replaced."""
        import obstore

        with _translate_failures():
            await obstore.put_async(self._store, name, body, use_multipart=False)

    async def load_object(self, name: str, *, max_bytes: int) -> bytes | None:
        """The whole body; None if there is no such object."""
        import obstore

        try:
            with _translate_failures():
                found = await obstore.get_async(self._store, name)
                if found.meta["size"] > max_bytes:
                    raise ObjectStoreFailed(ObjectFailure.DAMAGED)
                return bytes(await found.bytes_async())
        except _ObjectMissing:
            return None

    async def iterate_objects(self, folder: str = "") -> AsyncIterator[StoredObject]:
        """Every object below `folder`, in no particular order."""
        import obstore

        with _translate_failures():
            async for page in obstore.list(self._store, folder or None):
                for one in page:
                    yield StoredObject(
                        name=one["path"],
                        size_bytes=one["size"],
                        modified=one["last_modified"].timestamp(),
                    )

    async def delete_objects(self, names: Iterable[str]) -> int:
        """Delete these objects, as far as they exist, and return how many names there were."""
        import obstore

        total, waiting = 0, iter(names)
        while some := list(islice(waiting, _MAX_DELETED_TOGETHER)):
            with _translate_failures():
                await obstore.delete_async(self._store, some)
            total += len(some)
        return total


class _ObjectMissing(ObjectStoreFailed):
    """There is no such object; of a store that was not asked for one, an answer that is none."""


def build_object_client(settings: Settings, address: ObjectAddress) -> ObjectClient:
    """Connects on first use. Raises Misconfigured if the library or the access key is missing."""
    try:
        from obstore.store import S3Store
    except ImportError:
        raise Misconfigured(
            "An object store needs the library obstore. Install citewell with the extra `s3`.",
            action="inform_user",
            remedy="pip install 'citewell[s3]'",
        ) from None
    if not settings.object_store_key_id or not settings.object_store_secret:
        # Without a key the library would ask the machine's metadata service, which we never call.
        raise Misconfigured(
            "An object store needs an access key. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
            action="inform_user",
            settings=("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
        )
    endpoint = settings.object_store_endpoint
    limit = timedelta(seconds=settings.object_store_timeout)
    region = settings.object_store_region
    host = endpoint or f"https://s3.{region}.amazonaws.com"
    store = S3Store(
        address.bucket,
        prefix=address.prefix or None,
        endpoint=host.rstrip("/"),
        region=region,
        access_key_id=settings.object_store_key_id,
        secret_access_key=settings.object_store_secret,
        session_token=settings.object_store_token or "",
        virtual_hosted_style_request=False,
        client_options={
            "allow_http": urlsplit(host).scheme.lower() == "http",
            "connect_timeout": min(limit, _CONNECT_TIMEOUT),
            "timeout": limit,
        },
        retry_config={
            "max_retries": _MAX_RETRIES,
            "retry_timeout": limit,
            "backoff": {
                "init_backoff": _FIRST_PAUSE,
                "max_backoff": _LONGEST_PAUSE,
                "base": 2,
            },
        },
    )
    return ObjectClient(address, store)


@contextmanager
def _translate_failures() -> Iterator[None]:
    """The library's errors quote addresses and answers, so only the code of the answer is used."""
    from obstore import exceptions

    try:
        yield
    except FileNotFoundError as error:
        if _read_error_code(error) == "NoSuchBucket":
            raise ObjectStoreFailed(ObjectFailure.NO_BUCKET) from None
        raise _ObjectMissing(ObjectFailure.UNREACHABLE) from None
    except (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError):
        raise ObjectStoreFailed(ObjectFailure.DENIED) from None
    except (exceptions.BaseError, OSError, ValueError) as error:
        refused = _read_error_code(error) in _REFUSAL_CODES
        failure = ObjectFailure.DENIED if refused else ObjectFailure.UNREACHABLE
        raise ObjectStoreFailed(failure) from None


def _read_error_code(error: Exception) -> str:
    found = _ERROR_CODE.search(str(error))
    return found[1] if found else ""
