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
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from citewell.core.config import Settings
from citewell.core.errors import InvalidInput, Misconfigured
from citewell.net.settings import NetSettings

if TYPE_CHECKING:
    from obstore.store import S3Store

_SCHEME = "s3://"
# The names that Amazon accepts for a bucket: they cannot change the host of a request.
_BUCKET_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX_PART = re.compile(r"[A-Za-z0-9!_.*'()=+-]{1,255}")


class ObjectFailure(StrEnum):
    DENIED = "denied"  # the access key is unknown, wrong, or may not do this
    NO_BUCKET = "no_bucket"
    UNREACHABLE = "unreachable"  # no answer, no whole answer, or the server's own failure
    DAMAGED = "damaged"  # the object is not the one that was stored


_MESSAGES = {
    ObjectFailure.DENIED: "The object store refused the access key. Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, the region, and what the key may do in the bucket.",
    ObjectFailure.NO_BUCKET: "The object store has no bucket of this name. Create it, or correct the address s3://bucket/prefix.",
    ObjectFailure.UNREACHABLE: "The object store did not answer as it should. Check CITEWELL_OBJECT_STORE_ENDPOINT and whether the server runs, then try again.",
    ObjectFailure.DAMAGED: "An object is damaged or not of the expected size.",
}


class ObjectStoreFailed(Misconfigured):
    """The object store did not do what it was asked; `failure` says why."""

    action = "inform_user"

    def __init__(self, failure: ObjectFailure, message: str | None = None) -> None:
        super().__init__(message or _MESSAGES[failure])
        self.failure = failure


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
                for entry in page:
                    yield StoredObject(
                        name=entry["path"],
                        size_bytes=entry["size"],
                        modified=entry["last_modified"].timestamp(),
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
    net_settings = settings[NetSettings]
    try:
        from obstore.store import S3Store
    except ImportError:
        raise Misconfigured(
            "An object store needs the library obstore. Install citewell with the extra `s3`.",
            action="inform_user",
            remedy="pip install 'citewell[s3]'",
        ) from None
    if not net_settings.object_store_key_id or not net_settings.object_store_secret:
        # Without a key the library would ask the machine's metadata service, which we never call.
        raise Misconfigured(
            "An object store needs an access key. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
            action="inform_user",
            settings=("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
        )
    endpoint = net_settings.object_store_endpoint
    limit = timedelta(seconds=net_settings.object_store_timeout)
    region = net_settings.object_store_region
    host = endpoint or f"https://s3.{region}.amazonaws.com"
    store = S3Store(
        address.bucket,
        prefix=address.prefix or None,
        endpoint=host.rstrip("/"),
        region=region,
        access_key_id=net_settings.object_store_key_id,
        secret_access_key=net_settings.object_store_secret,
        session_token=net_settings.object_store_token or "",
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


# Addresses of the form s3://bucket/prefix.


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectAddress:
    bucket: str
    prefix: str = ""  # without a slash at either end

    def __str__(self) -> str:
        return f"{_SCHEME}{self.bucket}/{self.prefix}".rstrip("/")


def is_object_address(text: str) -> bool:
    return text.lower().startswith(_SCHEME)


def parse_object_address(text: str) -> ObjectAddress:
    """Raises InvalidInput if it is not s3://bucket or s3://bucket/prefix."""
    bucket, _, prefix = text[len(_SCHEME) :].partition("/")
    parts = [part for part in prefix.split("/") if part]
    if (
        not is_object_address(text)
        or not _BUCKET_NAME.fullmatch(bucket)
        or any(not _PREFIX_PART.fullmatch(part) or set(part) <= {"."} for part in parts)
    ):
        raise InvalidInput(
            "An address in an object store is written s3://bucket/prefix, with small letters, "
            "digits, dots and hyphens in the name of the bucket."
        )
    return ObjectAddress(bucket=bucket, prefix="/".join(parts))
