"""Where credentials are looked for in a request."""

from __future__ import annotations

import pytest

from citewell.server.http.auth.authenticator import find_bearer_token
from citewell.server.http.auth.caller import CredentialsRefused, RefusalCause
from tests.requirements import requires
from tests.server.credential_requests import Headers, build_scope


@pytest.mark.parametrize(
    ("value", "token"),
    [
        ("Bearer abc", "abc"),
        ("bearer abc", "abc"),
        ("BEARER   abc", "abc"),
        ("Bearer a.b-c_d~e+f/g==", "a.b-c_d~e+f/g=="),
        ("Bearer", None),
        ("Bearer ", None),
    ],
)
def test_a_token_is_read_from_the_header(value: str, token: str | None) -> None:
    assert find_bearer_token(build_scope([("authorization", value)])) == token


def test_a_request_without_the_header_has_no_token() -> None:
    assert find_bearer_token(build_scope(query="toolsets=core&q=50%25")) is None


@requires("http.smuggled_credentials")
@pytest.mark.parametrize(
    ("headers", "query", "cause"),
    [
        ([("authorization", "Bearer a"), ("authorization", "Bearer a")], "", RefusalCause.DUPLICATE_HEADER),
        ([("authorization", "Basic a"), ("authorization", "Bearer a")], "", RefusalCause.DUPLICATE_HEADER),
        ([], "access_token=a", RefusalCause.TOKEN_IN_QUERY),
        ([], "x=1&ACCESS_TOKEN=a", RefusalCause.TOKEN_IN_QUERY),
        ([], "%61ccess%5Ftoken=a", RefusalCause.TOKEN_IN_QUERY),
        ([("authorization", "Bearer good")], "access_token=", RefusalCause.TOKEN_IN_QUERY),
        ([], "api_key=a", RefusalCause.TOKEN_IN_QUERY),
        ([("authorization", "Bearer " + "a" * 16_385)], "", RefusalCause.TOKEN_TOO_LONG),
        ([("authorization", "Basic YTpi")], "", RefusalCause.UNSUPPORTED_SCHEME),
        ([("authorization", "abc")], "", RefusalCause.UNSUPPORTED_SCHEME),
        ([("authorization", "Bearer a b")], "", RefusalCause.MALFORMED_TOKEN),
        ([("authorization", "Bearer a,b")], "", RefusalCause.MALFORMED_TOKEN),
    ],
)  # fmt: skip
def test_what_could_be_read_in_two_ways_is_refused(
    headers: Headers, query: str, cause: RefusalCause
) -> None:
    with pytest.raises(CredentialsRefused) as caught:
        find_bearer_token(build_scope(headers, query=query))

    assert caught.value.cause is cause
