"""Where the metadata of an issuer are found, and what of them is not believed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.config import Settings
from citewell.net.network import Network
from citewell.server.http.auth.caller import RefusalCause, VerifierUnavailable
from citewell.server.http.auth.issuer_metadata import IssuerClient
from citewell.server.http.auth.key_source import (
    IssuerKeySetLoader,
    KeySet,
)
from tests.issuers import (
    IssuerServer,
    run_issuer,
)
from tests.requirements import requires


def load_keys(issuer: IssuerServer, *, name: str | None = None, **settings: Any) -> KeySet:
    async def run() -> KeySet:
        network = Network(Settings(**settings))
        try:
            client = IssuerClient(network, name or issuer.issuer)
            return await IssuerKeySetLoader(client, jwks_url=None).load_key_set()
        finally:
            await network.aclose()

    return asyncio.run(run())


def test_a_private_issuer_that_the_operator_named_is_asked() -> None:
    with run_issuer() as issuer:
        keys = load_keys(issuer)

    assert {key.key_id for key in keys.keys} == {"RSA", "P-256", "Ed25519"}
    assert issuer.asked == ["/.well-known/oauth-authorization-server", "/jwks"]


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("", "/.well-known/openid-configuration"),
        ("/realms/main", "/.well-known/oauth-authorization-server/realms/main"),
        ("/realms/main", "/realms/main/.well-known/openid-configuration"),
    ],
)
def test_metadata_are_found_where_issuers_put_them(path: str, where: str) -> None:
    with run_issuer() as issuer:
        issuer.documents.pop("/.well-known/oauth-authorization-server")
        name = issuer.issuer + path
        issuer.publish(where, {"issuer": name, "jwks_uri": f"{issuer.base}/jwks"})

        keys = load_keys(issuer, name=name)

    assert keys.keys


@requires("http.issuer_faults")
@pytest.mark.parametrize(
    ("path", "document", "wanted_text"),
    [
        ("/jwks", b"<html><body>Sign in</body></html>", "not JSON"),
        ("/jwks", b"[" * 100_000, "not JSON"),
        ("/jwks", [], "list of keys"),
        ("/jwks", {"keys": {}}, "list of keys"),
        ("/jwks", {"keys": []}, "None of its keys"),
        ("/jwks", {"keys": [{"kty": "RSA"}] * 10_000}, "10000 keys"),
        ("/jwks", {"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}, "None of its keys"),
        ("/jwks", b" " * 600_000, "cannot be read"),
        ("/.well-known/oauth-authorization-server", b"<html>", "not JSON"),
        ("/.well-known/oauth-authorization-server", {"issuer": "https://evil.example.org"}, "calls itself https://evil.example.org"),
        ("/.well-known/oauth-authorization-server", {"issuer": "\u0000"}, "no address"),
        ("/.well-known/oauth-authorization-server", ["x"], "no address"),
    ],
)  # fmt: skip
def test_what_an_issuer_publishes_wrongly_is_told(
    path: str, document: Any, wanted_text: str
) -> None:
    with run_issuer() as issuer:
        issuer.publish(path, document)

        with pytest.raises(VerifierUnavailable) as caught:
            load_keys(issuer)

    assert wanted_text in caught.value.message
    assert caught.value.cause is RefusalCause.ISSUER_UNAVAILABLE
    assert caught.value.retry_after > 0


@pytest.mark.parametrize(
    "address",
    ["http://169.254.169.254/jwks", "https://10.0.0.1/jwks", "file:///etc/passwd", None, 5],
)
def test_metadata_cannot_send_the_server_elsewhere(address: Any) -> None:
    with run_issuer() as issuer:
        issuer.publish(
            "/.well-known/oauth-authorization-server",
            {"issuer": issuer.issuer, "jwks_uri": address},
        )

        with pytest.raises(VerifierUnavailable):
            load_keys(issuer)


def test_an_issuer_whose_site_answers_every_path_with_a_page_is_found_by_openid() -> None:
    with run_issuer() as issuer:
        issuer.publish("/.well-known/oauth-authorization-server", b"<html>", media_type="text/html")
        issuer.publish(
            "/.well-known/openid-configuration",
            {"issuer": issuer.issuer, "jwks_uri": f"{issuer.base}/jwks"},
        )

        assert load_keys(issuer).keys


def test_pages_of_a_public_issuer_can_still_be_read() -> None:
    async def run() -> None:
        network = Network(Settings())
        try:
            IssuerClient(network, "https://gitlab.com")
            network.guard.check_url("https://gitlab.com/some/page", page=True)
        finally:
            await network.aclose()

    asyncio.run(run())


def test_an_issuer_without_metadata_is_told_with_what_to_set() -> None:
    with run_issuer() as issuer:
        issuer.documents.clear()

        with pytest.raises(VerifierUnavailable, match="OAUTH_JWKS_URL"):
            load_keys(issuer)
