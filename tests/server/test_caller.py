"""Who sent a request, and how a caller is refused."""

from __future__ import annotations

import pytest

from citewell.server.http.auth.caller import (
    ANONYMOUS_CALLER,
    CallerProof,
    CredentialsRefused,
    RefusalCause,
    VerifiedCaller,
    attach_caller,
    find_caller,
)


@pytest.mark.parametrize(
    ("cause", "status", "code"),
    [
        (RefusalCause.NO_CREDENTIALS, 401, None),
        (RefusalCause.UNSUPPORTED_SCHEME, 401, None),
        (RefusalCause.TOKEN_IN_QUERY, 400, "invalid_request"),
        (RefusalCause.EXPIRED, 401, "invalid_token"),
        (RefusalCause.UNTRUSTED_PROXY, 403, None),
    ],
)
def test_a_refusal_has_the_status_and_code_of_its_cause(
    cause: RefusalCause, status: int, code: str | None
) -> None:
    refusal = CredentialsRefused(cause, "No.")

    assert (refusal.status, refusal.error_code) == (status, code)


def test_a_request_without_a_verified_caller_is_anonymous() -> None:
    scope = {"citewell.caller": "ann"}

    assert find_caller(scope) is ANONYMOUS_CALLER


def test_the_verified_caller_of_a_request_is_found_again() -> None:
    caller, scope = VerifiedCaller(proof=CallerProof.PROXY), dict[str, object]()

    attach_caller(scope, caller)

    assert find_caller(scope) is caller
