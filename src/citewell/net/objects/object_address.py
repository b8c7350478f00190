"""Addresses of the form s3://bucket/prefix."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.errors import InvalidInput

_SCHEME = "s3://"
# The names that Amazon accepts for a bucket: they cannot change the host of a request.
_BUCKET_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX_PART = re.compile(r"[A-Za-z0-9!_.*'()=+-]{1,255}")


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
