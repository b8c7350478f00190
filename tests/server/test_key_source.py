"""The issuer's keys: asked for rarely, whoever calls, and used with care."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from citewell.core.config import Settings
from citewell.net.network import Network
from citewell.server.http.auth.caller import RefusalCause, VerifierUnavailable
from citewell.server.http.auth.key_source import (
    MAX_KEYS,
    IssuerClient,
    IssuerKeySetLoader,
    KeySet,
    KeySource,
    MalformedKeySet,
    build_unavailable,
    parse_key_set,
)
from tests.clocks import Clock
from tests.fake_services import use_fake
from tests.issuers import (
    IssuerServer,
    build_key_set,
    describe_public_key,
    make_private_key,
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


class CountingLoader:
    """An issuer that counts how often it is asked, and can be out of reach or change its keys."""

    def __init__(self) -> None:
        self.fetches = 0
        self.is_down = False
        self.key_id = "first"
        self.gate: asyncio.Event | None = None

    async def load_key_set(self) -> KeySet:
        self.fetches += 1
        if self.gate is not None:
            await self.gate.wait()
        if self.is_down:
            raise build_unavailable("The issuer is out of reach.")
        key = describe_public_key(make_private_key("P-256"), kid=self.key_id)
        return parse_key_set({"keys": [key]})


@requires("http.token_algorithms", "defect.jwks")
def test_a_flood_of_unknown_key_ids_asks_the_issuer_once_a_minute() -> None:
    clock, loader = Clock(now=1000.0), CountingLoader()
    keys = KeySource(use_fake(loader), refresh_seconds=3600, clock=clock)

    async def flood() -> list[int]:
        fetches = []
        for second in range(600):
            clock.now = 1000.0 + second
            for number in range(20):
                assert await keys.find_signing_keys(f"{second}-{number}", "ES256") == ()
            fetches.append(loader.fetches)
        return fetches

    fetches = asyncio.run(flood())

    assert fetches[59] == 1
    assert fetches[-1] == 10
    assert all(later - now <= 1 for now, later in zip(fetches, fetches[60:], strict=False))


def test_callers_at_the_same_time_share_one_fetch_and_leaving_does_not_end_it() -> None:
    loader = CountingLoader()
    keys = KeySource(use_fake(loader), refresh_seconds=3600, clock=Clock(now=1000.0))

    async def run() -> tuple[int, int]:
        loader.gate = asyncio.Event()
        calls = [asyncio.create_task(keys.find_signing_keys("first", "ES256")) for _ in range(50)]
        await asyncio.sleep(0)
        calls[0].cancel()
        await asyncio.sleep(0)
        loader.gate.set()
        found = await asyncio.gather(*calls, return_exceptions=True)
        return sum(isinstance(item, tuple) and len(item) == 1 for item in found), loader.fetches

    assert asyncio.run(run()) == (49, 1)


def test_a_new_key_is_found_after_the_cool_down() -> None:
    clock, loader = Clock(now=1000.0), CountingLoader()
    keys = KeySource(use_fake(loader), refresh_seconds=3600, clock=clock)

    async def run() -> tuple[int, int, int]:
        await keys.find_signing_keys("first", "ES256")
        loader.key_id = "second"
        early = await keys.find_signing_keys("second", "ES256")
        clock.now += 60
        late = await keys.find_signing_keys("second", "ES256")
        gone = await keys.find_signing_keys("first", "ES256")
        return len(early), len(late), len(gone)

    assert asyncio.run(run()) == (0, 1, 0)


def test_known_keys_serve_one_more_interval_while_the_issuer_is_out_of_reach() -> None:
    clock, loader = Clock(now=1000.0), CountingLoader()
    keys = KeySource(use_fake(loader), refresh_seconds=600, clock=clock)

    async def run() -> tuple[int, float]:
        await keys.find_signing_keys("first", "ES256")
        loader.is_down = True
        clock.now += 700
        during = await keys.find_signing_keys("first", "ES256")
        clock.now += 600
        with pytest.raises(VerifierUnavailable) as caught:
            await keys.find_signing_keys("first", "ES256")
        return len(during), caught.value.retry_after

    known, retry_after = asyncio.run(run())

    assert known == 1
    assert retry_after == 60


def test_an_issuer_that_never_answered_is_asked_again_after_ten_seconds() -> None:
    clock, loader = Clock(now=1000.0), CountingLoader()
    loader.is_down = True
    keys = KeySource(use_fake(loader), refresh_seconds=600, clock=clock)

    async def run() -> list[int]:
        fetches = []
        for step in (0, 1, 8, 1):
            clock.now += step
            with pytest.raises(VerifierUnavailable):
                await keys.find_signing_keys("first", "ES256")
            fetches.append(loader.fetches)
        loader.is_down = False
        clock.now += 10
        await keys.find_signing_keys("first", "ES256")
        return [*fetches, loader.fetches]

    assert asyncio.run(run()) == [1, 1, 1, 2, 3]


def test_keys_for_other_purposes_are_left_out() -> None:
    good = describe_public_key(make_private_key("P-256"), kid="good")
    others = [
        describe_public_key(make_private_key("P-256"), kid="encryption", use="enc"),
        describe_public_key(make_private_key("P-256"), kid="signing", key_ops=["sign"]),
        describe_public_key(make_private_key("P-256"), kid="other algorithm", alg="ES256K"),
        describe_public_key(make_private_key("short RSA"), kid="short"),
        describe_public_key(make_private_key("P-256"), kid=7),
        {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "kid": "off the curve"},
        {"kty": "EC", "crv": "secp256k1", "kid": "curve"},
        {"kty": "oct", "k": "AAAA", "kid": "secret"},
        {"kty": 5},
        "text",
        None,
    ]

    keys = parse_key_set({"keys": [*others, good]})

    assert [key.key_id for key in keys.keys] == ["good"]


def test_the_private_half_of_a_published_key_is_not_used() -> None:
    from jwt import get_algorithm_by_name

    private = get_algorithm_by_name("RS256").to_jwk(make_private_key("RSA"), as_dict=True)
    private.pop("key_ops", None)

    (key,) = parse_key_set({"keys": [private]}).keys

    assert not hasattr(key.public_key, "private_numbers")


def test_a_key_for_one_algorithm_is_used_for_no_other() -> None:
    key = describe_public_key(make_private_key("RSA"), kid="RSA", alg="PS256")

    keys = parse_key_set({"keys": [key]})

    assert len(keys.find_keys("RSA", "PS256")) == 1
    assert keys.find_keys("RSA", "RS256") == ()


def test_a_set_as_large_as_allowed_is_read() -> None:
    keys = [describe_public_key(make_private_key("P-256"), kid=str(n)) for n in range(MAX_KEYS)]

    assert len(parse_key_set(json.loads(json.dumps({"keys": keys}))).keys) == MAX_KEYS
    with pytest.raises(MalformedKeySet):
        parse_key_set({"keys": [*keys, keys[0]]})


def test_the_usual_key_set_is_read() -> None:
    assert len(parse_key_set(build_key_set("RSA", "P-256", "Ed25519")).keys) == 3
