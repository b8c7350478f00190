"""An OAuth issuer for tests: real keys, signed tokens, and a server on loopback that publishes them."""

from __future__ import annotations

import base64
import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa

ISSUER = "https://login.example.org/realms/main"
AUDIENCE = "https://research.example.org/mcp"
NOW = 1_800_000_000.0


@cache
def make_private_key(kind: str, number: int = 0) -> Any:
    """A key of this kind; the same for the same number, because making RSA keys takes long."""
    makers: dict[str, Callable[[], Any]] = {
        "RSA": lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048),
        "short RSA": lambda: rsa.generate_private_key(public_exponent=65537, key_size=1024),
        "P-256": lambda: ec.generate_private_key(ec.SECP256R1()),
        "P-384": lambda: ec.generate_private_key(ec.SECP384R1()),
        "P-521": lambda: ec.generate_private_key(ec.SECP521R1()),
        "Ed25519": ed25519.Ed25519PrivateKey.generate,
        "Ed448": ed448.Ed448PrivateKey.generate,
    }
    return makers[kind]()


def describe_public_key(key: Any, **members: Any) -> dict[str, Any]:
    """The public half of a key as a JWK."""
    names = {"RSA": "RS256", "EC": "ES256", "OKP": "EdDSA"}
    kind = (
        "RSA"
        if isinstance(key, rsa.RSAPrivateKey)
        else "EC"
        if isinstance(key, ec.EllipticCurvePrivateKey)
        else "OKP"
    )
    algorithm = jwt.get_algorithm_by_name(names[kind])
    made: dict[str, Any] = dict(algorithm.to_jwk(key.public_key(), as_dict=True))
    made.pop("key_ops", None)
    return made | members


def build_claims(now: float = NOW, **changes: Any) -> dict[str, Any]:
    """The claims of a good token; a change to None leaves the claim out."""
    claims = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "alice",
        "tenant_id": "acme",
        "client_id": "app",
        "scope": "tool:*",
        "iat": now - 10,
        "exp": now + 600,
    } | changes
    return {name: value for name, value in claims.items() if value is not None}


def encode_part(value: object) -> str:
    """base64url of JSON, or of bytes or text as they are."""
    plain = value if isinstance(value, bytes) else None
    if plain is None:
        plain = (value if isinstance(value, str) else json.dumps(value)).encode()
    return base64.urlsafe_b64encode(plain).decode().rstrip("=")


def sign_parts(header: object, claims: object, key: Any, algorithm: str) -> str:
    """A token with exactly this header and these claims, signed with `key`."""
    signed = f"{encode_part(header)}.{encode_part(claims)}"
    method = jwt.get_algorithm_by_name(algorithm)
    return f"{signed}.{encode_part(method.sign(signed.encode(), key))}"


def sign_token(
    claims: Mapping[str, Any] | None = None,
    *,
    kind: str = "RSA",
    algorithm: str = "RS256",
    header: Mapping[str, Any] | None = None,
) -> str:
    """A token signed with the issuer's key of this kind; `header` changes its header."""
    head = {"alg": algorithm, "typ": "at+jwt", "kid": kind} | dict(header or {})
    body = build_claims() if claims is None else dict(claims)
    return sign_parts(
        {name: value for name, value in head.items() if value is not None},
        body,
        make_private_key(kind),
        algorithm,
    )


def build_key_set(*kinds: str) -> dict[str, Any]:
    """The issuer's key set; each key's id is its kind."""
    return {"keys": [describe_public_key(make_private_key(kind), kid=kind) for kind in kinds]}


@dataclass
class IssuerServer:
    """An issuer on loopback: metadata, keys and introspection, and a count of what was asked."""

    base: str = ""
    documents: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    opaque: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    credentials: list[str] = field(default_factory=list)

    @property
    def issuer(self) -> str:
        return self.base

    def publish(self, path: str, value: object, *, media_type: str = "application/json") -> None:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.documents[path] = (media_type, body)

    def publish_usual_documents(self) -> None:
        self.publish(
            "/.well-known/oauth-authorization-server",
            {
                "issuer": self.issuer,
                "jwks_uri": f"{self.base}/jwks",
                "introspection_endpoint": f"{self.base}/introspect",
            },
        )
        self.publish("/jwks", build_key_set("RSA", "P-256", "Ed25519"))

    def issue_token(self, audience: str, *, now: float, **changes: Any) -> str:
        claims = build_claims(now, iss=self.issuer, aud=audience) | changes
        return sign_token({name: value for name, value in claims.items() if value is not None})


@contextlib.contextmanager
def run_issuer() -> Iterator[IssuerServer]:
    state = IssuerServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
            media_type, body = state.documents.get(self.path, ("", b""))
            self._send_answer(200 if media_type else 404, body, media_type or "text/plain")

        def do_POST(self) -> None:
            state.asked.append(self.path)
            state.credentials.append(self.headers.get("authorization", ""))
            form = self.rfile.read(int(self.headers["content-length"])).decode()
            token = parse_qs(form)["token"][0]
            answer = state.opaque.get(token, {"active": False})
            self._send_answer(200, json.dumps(answer).encode(), "application/json")

        def _send_answer(self, status: int, body: bytes, media_type: str) -> None:
            self.send_response(status)
            self.send_header("content-type", media_type)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the base
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.base = f"http://127.0.0.1:{server.server_port}"
    state.publish_usual_documents()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
