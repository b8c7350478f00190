"""The failures of an object store, with a code for programs and a sentence that holds no secret."""

from __future__ import annotations

from enum import StrEnum

from citewell.errors import Misconfigured


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
