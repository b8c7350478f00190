"""No forged token is accepted: each case is made with real keys from a token that is good."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization

from citewell.core.tooling import Owner
from citewell.server.http.auth.auth_setup import SignedTokenVerifier
from citewell.server.http.auth.authenticator import ClaimRules, find_bearer_token
from citewell.server.http.auth.caller import CredentialsRefused, RefusalCause, VerifiedCaller
from citewell.server.http.auth.key_source import KeySet, KeySource, parse_key_set
from tests.fake_services import use_fake
from tests.issuers import (
    AUDIENCE,
    ISSUER,
    NOW,
    build_claims,
    build_key_set,
    describe_public_key,
    encode_part,
    make_private_key,
    sign_parts,
    sign_token,
)
from tests.requirements import requires

KINDS = ("RSA", "P-256", "P-384", "P-521", "Ed25519", "Ed448")
Cause = RefusalCause


class FixedKeys:
    """A loader whose issuer always has the same keys."""

    async def load_key_set(self) -> KeySet:
        return parse_key_set(build_key_set(*KINDS))


async def verify_token(token: str) -> VerifiedCaller:
    """What the server does with an Authorization header that has this token."""
    value = b"Bearer " + token.encode("utf-8", "surrogatepass")
    found = find_bearer_token({"query_string": b"", "headers": [(b"authorization", value)]})
    assert found is not None
    keys = KeySource(use_fake(FixedKeys()), refresh_seconds=3600, clock=lambda: 0.0)
    rules = ClaimRules(issuer=ISSUER, audiences=frozenset({AUDIENCE, "citewell"}))
    return await SignedTokenVerifier(keys, rules, now=lambda: NOW).verify_token(found)


def refuse_token(token: str) -> RefusalCause:
    with pytest.raises(CredentialsRefused) as caught:
        asyncio.run(verify_token(token))
    return caught.value.cause


def write_public_pem(kind: str = "RSA") -> bytes:
    made: bytes = (
        make_private_key(kind)
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    return made


def sign_hmac(secret: bytes, algorithm: str = "HS256", **header: Any) -> str:
    digest = {"HS256": hashlib.sha256, "HS384": hashlib.sha384, "HS512": hashlib.sha512}[algorithm]
    signed = ".".join(
        (encode_part({"alg": algorithm, "typ": "JWT"} | header), encode_part(build_claims()))
    )
    return f"{signed}.{encode_part(hmac.new(secret, signed.encode(), digest).digest())}"


def sign_foreign(header: dict[str, Any] | None = None, **claims: Any) -> str:
    """A token of somebody who has a key of the same kind, but not the issuer's."""
    head = {"alg": "RS256", "typ": "at+jwt", "kid": "RSA"} | (header or {})
    head = {name: value for name, value in head.items() if value is not None}
    return sign_parts(head, build_claims(**claims), make_private_key("RSA", 1), "RS256")


def drop_signature(algorithm: str, *, signature: str = "") -> str:
    head = encode_part({"alg": algorithm, "typ": "JWT"})
    return f"{head}.{encode_part(build_claims())}.{signature}"


def change_part(token: str, place: int, change: Callable[[str], str]) -> str:
    parts = token.split(".")
    parts[place] = change(parts[place])
    return ".".join(parts)


def forge_claims(**changes: Any) -> str:
    """The good token with other claims and the old signature."""
    return change_part(sign_token(), 1, lambda _: encode_part(build_claims() | changes))


def sign_raw_claims(text: str) -> str:
    head = {"alg": "RS256", "typ": "at+jwt", "kid": "RSA"}
    return sign_parts(head, text, make_private_key("RSA"), "RS256")


def sign_raw_header(text: str) -> str:
    return sign_parts(text, build_claims(), make_private_key("RSA"), "RS256")


def repeat_claim(name: str, value: Any) -> str:
    good = json.dumps(build_claims())
    return sign_raw_claims(f'{good[:-1]}, "{name}": {json.dumps(value)}}}')


def embed_foreign_key() -> dict[str, Any]:
    return {"jwk": describe_public_key(make_private_key("RSA", 1)), "kid": None}


CASES: dict[str, tuple[Callable[[], str], RefusalCause]] = {
    # Algorithms
    "alg none": (lambda: drop_signature("none", signature="AA"), Cause.ALGORITHM),
    "alg none, no signature": (lambda: drop_signature("none"), Cause.MALFORMED_TOKEN),
    "alg None": (lambda: drop_signature("None", signature="AA"), Cause.ALGORITHM),
    "alg nOnE": (lambda: drop_signature("nOnE", signature="AA"), Cause.ALGORITHM),
    "alg empty": (lambda: drop_signature("", signature="AA"), Cause.ALGORITHM),
    "alg missing": (lambda: sign_token(header={"alg": None}), Cause.ALGORITHM),
    "alg a list": (lambda: sign_token(header={"alg": ["RS256"]}), Cause.ALGORITHM),
    "alg null": (lambda: sign_raw_header('{"alg":null,"kid":"RSA"}'), Cause.ALGORITHM),
    "alg lower case": (lambda: sign_token(header={"alg": "rs256"}), Cause.ALGORITHM),
    "alg with space": (lambda: sign_token(header={"alg": "RS256 "}), Cause.ALGORITHM),
    "alg RS1": (lambda: sign_token(header={"alg": "RS1"}), Cause.ALGORITHM),
    "alg ES256K": (lambda: sign_token(header={"alg": "ES256K"}), Cause.ALGORITHM),
    "alg of encryption": (lambda: sign_token(header={"alg": "RSA-OAEP"}), Cause.ALGORITHM),
    "HS256 with the public key": (lambda: sign_hmac(write_public_pem()), Cause.ALGORITHM),
    "HS384 with the public key": (lambda: sign_hmac(write_public_pem(), "HS384"), Cause.ALGORITHM),
    "HS512 with the public key": (lambda: sign_hmac(write_public_pem(), "HS512"), Cause.ALGORITHM),
    "HS256 with the key set": (
        lambda: sign_hmac(json.dumps(build_key_set("RSA")).encode()),
        Cause.ALGORITHM,
    ),
    "HS256 with the key id": (lambda: sign_hmac(b"RSA", kid="RSA"), Cause.ALGORITHM),
    "HS256 with an empty secret": (lambda: sign_hmac(b""), Cause.ALGORITHM),
    "HS256 called RS256": (
        lambda: change_part(
            sign_hmac(write_public_pem(), kid="RSA"),
            0,
            lambda _: encode_part({"alg": "RS256", "kid": "RSA"}),
        ),
        Cause.SIGNATURE,
    ),
    # Keys
    "unknown key id": (lambda: sign_token(header={"kid": "other"}), Cause.UNKNOWN_KEY),
    "empty key id": (lambda: sign_token(header={"kid": ""}), Cause.UNKNOWN_KEY),
    "key id of another kind of key": (
        lambda: sign_token(header={"kid": "P-256"}),
        Cause.UNKNOWN_KEY,
    ),
    "key id with a path": (
        lambda: sign_token(header={"kid": "../../../../dev/null"}),
        Cause.UNKNOWN_KEY,
    ),
    "key id with SQL": (lambda: sign_token(header={"kid": "x' UNION SELECT 1"}), Cause.UNKNOWN_KEY),
    "key id a number": (lambda: sign_token(header={"kid": 0}), Cause.MALFORMED_TOKEN),
    "key id a list": (lambda: sign_token(header={"kid": ["RSA"]}), Cause.MALFORMED_TOKEN),
    "key id very long": (lambda: sign_token(header={"kid": "k" * 5000}), Cause.MALFORMED_TOKEN),
    "somebody else's key": (sign_foreign, Cause.SIGNATURE),
    "somebody else's key without key id": (
        lambda: sign_foreign({"kid": None}),
        Cause.SIGNATURE,
    ),
    "jwk in the header": (lambda: sign_foreign(embed_foreign_key()), Cause.SIGNATURE),
    "jwk in the header and key id": (
        lambda: sign_foreign(embed_foreign_key() | {"kid": "RSA"}),
        Cause.SIGNATURE,
    ),
    "jku in the header": (
        lambda: sign_foreign({"jku": "https://evil.example.org/jwks", "kid": "evil"}),
        Cause.UNKNOWN_KEY,
    ),
    "x5u in the header": (
        lambda: sign_foreign({"x5u": "https://evil.example.org/cert.pem"}),
        Cause.SIGNATURE,
    ),
    "x5c in the header": (
        lambda: sign_foreign({"x5c": [base64.b64encode(write_public_pem()).decode()]}),
        Cause.SIGNATURE,
    ),
    "RS256 key with PS256": (
        lambda: sign_parts(
            {"alg": "PS256", "kid": "RSA"}, build_claims(), make_private_key("RSA"), "RS256"
        ),
        Cause.SIGNATURE,
    ),
    "ES256 with the key of ES384": (
        lambda: sign_token(kind="P-384", algorithm="ES256"),
        Cause.UNKNOWN_KEY,
    ),
    "ES256 signature of zeros": (
        lambda: change_part(
            sign_token(kind="P-256", algorithm="ES256"), 2, lambda _: encode_part(bytes(64))
        ),
        Cause.SIGNATURE,
    ),
    "EdDSA signature of zeros": (
        lambda: change_part(
            sign_token(kind="Ed25519", algorithm="EdDSA"), 2, lambda _: encode_part(bytes(64))
        ),
        Cause.SIGNATURE,
    ),
    # Headers
    "crit": (lambda: sign_token(header={"crit": ["exp"]}), Cause.CRITICAL_HEADER),
    "crit empty": (lambda: sign_token(header={"crit": []}), Cause.CRITICAL_HEADER),
    "b64 false": (lambda: sign_token(header={"b64": False}), Cause.CRITICAL_HEADER),
    "typ of a logout token": (lambda: sign_token(header={"typ": "logout+jwt"}), Cause.TOKEN_TYPE),
    "typ of a DPoP proof": (lambda: sign_token(header={"typ": "dpop+jwt"}), Cause.TOKEN_TYPE),
    "typ a number": (lambda: sign_token(header={"typ": 1}), Cause.TOKEN_TYPE),
    "header with alg twice": (
        lambda: sign_raw_header('{"alg":"none","kid":"RSA","alg":"RS256"}'),
        Cause.MALFORMED_TOKEN,
    ),
    "header a list": (lambda: sign_raw_header('[{"alg":"RS256"}]'), Cause.MALFORMED_TOKEN),
    "header not JSON": (lambda: sign_raw_header("alg=RS256"), Cause.MALFORMED_TOKEN),
    # Signatures
    "claims changed after signing": (lambda: forge_claims(sub="admin"), Cause.SIGNATURE),
    "tenant changed after signing": (lambda: forge_claims(tenant_id="other"), Cause.SIGNATURE),
    "expiry changed after signing": (lambda: forge_claims(exp=NOW + 10**9), Cause.SIGNATURE),
    "signature cut short": (
        lambda: change_part(sign_token(), 2, lambda part: part[:-2]),
        Cause.SIGNATURE,
    ),
    "signature of another token": (
        lambda: change_part(
            sign_token(), 2, lambda _: sign_token(build_claims(sub="bob")).split(".")[2]
        ),
        Cause.SIGNATURE,
    ),
    "signature missing": (lambda: change_part(sign_token(), 2, lambda _: ""), Cause.MALFORMED_TOKEN),
    "signature removed with its dot": (
        lambda: sign_token().rpartition(".")[0],
        Cause.MALFORMED_TOKEN,
    ),
    "signature with spare bits": (
        lambda: change_part(sign_token(kind="P-256", algorithm="ES256"), 2, lambda p: p[:-1] + "_"),
        Cause.MALFORMED_TOKEN,
    ),
    "base64 of another alphabet": (
        lambda: change_part(sign_token(), 2, lambda part: "+/" + part[2:]),
        Cause.MALFORMED_TOKEN,
    ),
    "padding": (lambda: sign_token() + "==", Cause.MALFORMED_TOKEN),
    # Claims
    "other issuer": (lambda: sign_token(build_claims(iss="https://evil.example.org")), Cause.ISSUER),
    "issuer with a slash": (lambda: sign_token(build_claims(iss=ISSUER + "/")), Cause.ISSUER),
    "issuer in capitals": (lambda: sign_token(build_claims(iss=ISSUER.upper())), Cause.ISSUER),
    "issuer in a list": (lambda: sign_token(build_claims(iss=[ISSUER])), Cause.ISSUER),
    "no issuer": (lambda: sign_token(build_claims(iss=None)), Cause.ISSUER),
    "other audience": (
        lambda: sign_token(build_claims(aud="https://other.example.org/mcp")),
        Cause.AUDIENCE,
    ),
    "audience as a prefix": (lambda: sign_token(build_claims(aud=AUDIENCE + "/all")), Cause.AUDIENCE),
    "audience of the origin": (
        lambda: sign_token(build_claims(aud="https://research.example.org")),
        Cause.AUDIENCE,
    ),
    "audience list without ours": (lambda: sign_token(build_claims(aud=["a", "b"])), Cause.AUDIENCE),
    "audience nested": (lambda: sign_token(build_claims(aud=[[AUDIENCE]])), Cause.AUDIENCE),
    "audience an object": (lambda: sign_token(build_claims(aud={AUDIENCE: 1})), Cause.AUDIENCE),
    "audience empty": (lambda: sign_token(build_claims(aud=[])), Cause.AUDIENCE),
    "no audience": (lambda: sign_token(build_claims(aud=None)), Cause.AUDIENCE),
    "expired": (lambda: sign_token(build_claims(exp=NOW - 1)), Cause.EXPIRED),
    "expired now": (lambda: sign_token(build_claims(exp=NOW)), Cause.EXPIRED),
    "expired by a clock ten minutes behind": (
        lambda: sign_token(build_claims(NOW - 1200)),
        Cause.EXPIRED,
    ),
    "issued by a clock ten minutes ahead": (
        lambda: sign_token(build_claims(NOW + 610)),
        Cause.NOT_YET_VALID,
    ),
    "not valid before ten minutes": (
        lambda: sign_token(build_claims(nbf=NOW + 600)),
        Cause.NOT_YET_VALID,
    ),
    "no expiry": (lambda: sign_token(build_claims(exp=None)), Cause.CLAIMS),
    "expiry as text": (lambda: sign_token(build_claims(exp=str(NOW + 600))), Cause.CLAIMS),
    "expiry true": (lambda: sign_token(build_claims(exp=True)), Cause.CLAIMS),
    "expiry infinite": (
        lambda: sign_raw_claims(json.dumps(build_claims()).replace(str(NOW + 600), "1e999")),
        Cause.CLAIMS,
    ),
    "expiry Infinity": (
        lambda: sign_raw_claims(json.dumps(build_claims(exp=float("inf")))),
        Cause.MALFORMED_TOKEN,
    ),
    "expiry larger than any float": (lambda: sign_token(build_claims(exp=10**400)), Cause.CLAIMS),
    "issue time as text": (lambda: sign_token(build_claims(iat="yesterday")), Cause.CLAIMS),
    "subject twice": (lambda: repeat_claim("sub", "admin"), Cause.MALFORMED_TOKEN),
    "audience twice": (lambda: repeat_claim("aud", AUDIENCE), Cause.MALFORMED_TOKEN),
    "claims a list": (lambda: sign_raw_claims(f"[{json.dumps(build_claims())}]"), Cause.MALFORMED_TOKEN),
    "claims as text": (lambda: sign_raw_claims(json.dumps("x")), Cause.MALFORMED_TOKEN),
    "claims not UTF-8": (
        lambda: sign_parts(
            {"alg": "RS256", "kid": "RSA"}, b'{"sub":"\xff"}', make_private_key("RSA"), "RS256"
        ),
        Cause.MALFORMED_TOKEN,
    ),
    "claims nested deeply": (lambda: sign_raw_claims("[" * 9000), Cause.MALFORMED_TOKEN),
    "ID token of Keycloak": (lambda: sign_token(build_claims(typ="ID")), Cause.TOKEN_TYPE),
    "refresh token of Keycloak": (lambda: sign_token(build_claims(typ="Refresh")), Cause.TOKEN_TYPE),
    "bound to a DPoP key": (lambda: sign_token(build_claims(cnf={"jkt": "x"})), Cause.BOUND_TOKEN),
    "bound to a certificate": (
        lambda: sign_token(build_claims(cnf={"x5t#S256": "x"})),
        Cause.BOUND_TOKEN,
    ),
    # Who it is
    "no subject": (lambda: sign_token(build_claims(sub=None)), Cause.CLAIMS),
    "subject a number": (lambda: sign_token(build_claims(sub=7)), Cause.CLAIMS),
    "subject empty": (lambda: sign_token(build_claims(sub="")), Cause.IDENTITY),
    "subject with a line break": (lambda: sign_token(build_claims(sub="a\nb")), Cause.IDENTITY),
    "subject with an invisible character": (
        lambda: sign_token(build_claims(sub="alice\u200b")),
        Cause.IDENTITY,
    ),
    "subject with a space": (lambda: sign_token(build_claims(sub="alice ")), Cause.IDENTITY),
    "subject very long": (lambda: sign_token(build_claims(sub="a" * 257)), Cause.IDENTITY),
    "subject of those without authentication": (
        lambda: sign_token(build_claims(sub="anonymous")),
        Cause.IDENTITY,
    ),
    "tenant a list": (lambda: sign_token(build_claims(tenant_id=["acme"])), Cause.CLAIMS),
    "tenant empty": (lambda: sign_token(build_claims(tenant_id="")), Cause.IDENTITY),
    # The text of the token
    "100 KB": (lambda: "ey" + "A" * 100_000, Cause.TOKEN_TOO_LONG),
    "100 KB, signed": (
        lambda: sign_token(build_claims(groups=["g" * 40] * 2000)),
        Cause.TOKEN_TOO_LONG,
    ),
    "one word": (lambda: "ey", Cause.MALFORMED_TOKEN),
    "dots alone": (lambda: "..", Cause.MALFORMED_TOKEN),
    "five parts": (lambda: sign_token() + ".a.b", Cause.MALFORMED_TOKEN),
    "two tokens": (lambda: f"{sign_token()} {sign_token()}", Cause.MALFORMED_TOKEN),
    "two tokens and a comma": (lambda: f"{sign_token()},{sign_token()}", Cause.MALFORMED_TOKEN),
    "tab inside": (lambda: sign_token().replace(".", ".\t"), Cause.MALFORMED_TOKEN),
    "line break inside": (lambda: sign_token().replace(".", "\n."), Cause.MALFORMED_TOKEN),
    "quotes": (lambda: f'"{sign_token()}"', Cause.MALFORMED_TOKEN),
    "unicode": (lambda: sign_token().replace("e", "\u0435"), Cause.MALFORMED_TOKEN),
    "fullwidth dots": (lambda: sign_token().replace(".", "\uff0e"), Cause.MALFORMED_TOKEN),
    "null byte": (lambda: sign_token() + "\x00", Cause.MALFORMED_TOKEN),
    "surrogate": (lambda: sign_token() + "\ud800", Cause.MALFORMED_TOKEN),
    "percent encoding": (lambda: sign_token().replace(".", "%2E"), Cause.MALFORMED_TOKEN),
    "token inside a token": (lambda: encode_part(sign_token()), Cause.MALFORMED_TOKEN),
}  # fmt: skip


@requires("http.forged_tokens", "http.token_algorithms")
@pytest.mark.parametrize("case", CASES)
def test_a_forged_token_is_refused_for_its_own_cause(case: str) -> None:
    make_token, cause = CASES[case]

    assert refuse_token(make_token()) is cause


def test_the_corpus_is_large_enough() -> None:
    assert len(CASES) >= 60


@requires("http.token_algorithms")
@pytest.mark.parametrize(
    ("kind", "algorithm"),
    [
        *(("RSA", f"{family}{size}") for family in ("RS", "PS") for size in (256, 384, 512)),
        ("P-256", "ES256"),
        ("P-384", "ES384"),
        ("P-521", "ES512"),
        ("Ed25519", "EdDSA"),
        ("Ed448", "EdDSA"),
    ],
)
@pytest.mark.parametrize("has_key_id", [True, False])
def test_every_accepted_algorithm_is_accepted(kind: str, algorithm: str, has_key_id: bool) -> None:
    header = {} if has_key_id else {"kid": None}

    caller = asyncio.run(verify_token(sign_token(kind=kind, algorithm=algorithm, header=header)))

    assert caller.owner == Owner(tenant="acme", user="alice")


@pytest.mark.parametrize(
    ("changes", "owner"),
    [
        ({}, Owner(tenant="acme", user="alice")),
        ({"tenant_id": None}, Owner(tenant="default", user="alice")),
        ({"aud": ["account", AUDIENCE]}, Owner(tenant="acme", user="alice")),
        ({"aud": "citewell"}, Owner(tenant="acme", user="alice")),
        ({"sub": "auth0|5f7c8ec7c33c6c004bbafe82"}, Owner(tenant="acme", user="auth0|5f7c8ec7c33c6c004bbafe82")),
        ({"iat": NOW + 59, "nbf": NOW + 59}, Owner(tenant="acme", user="alice")),
        ({"iat": None}, Owner(tenant="acme", user="alice")),
    ],
)  # fmt: skip
def test_a_good_token_tells_whose_it_is(changes: dict[str, Any], owner: Owner) -> None:
    caller = asyncio.run(verify_token(sign_token(build_claims(**changes))))

    assert caller.owner == owner


@pytest.mark.parametrize(
    ("changes", "scopes"),
    [
        ({"scope": "a b  c"}, {"a", "b", "c"}),
        ({"scope": None, "scp": ["a", 5, "b"]}, {"a", "b"}),
        ({"scope": None, "scp": "a b"}, {"a", "b"}),
        ({"scope": "openid", "permissions": ["tool:web_search"]}, {"openid", "tool:web_search"}),
        ({"scope": None}, set()),
        ({"scope": {"a": 1}}, set()),
    ],
)
def test_scopes_are_read_as_the_providers_write_them(
    changes: dict[str, Any], scopes: set[str]
) -> None:
    caller = asyncio.run(verify_token(sign_token(build_claims(**changes))))

    assert set(caller.scopes or ()) == scopes


@pytest.mark.parametrize("typ", ["JWT", "jwt", "at+jwt", "application/at+jwt", None])
def test_the_usual_types_of_access_tokens_are_accepted(typ: str | None) -> None:
    caller = asyncio.run(verify_token(sign_token(header={"typ": typ})))

    assert caller.is_authenticated
