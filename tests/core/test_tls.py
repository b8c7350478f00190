from __future__ import annotations

import asyncio
import datetime as dt
import ssl
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from citewell.core.errors import FailureReason, NetworkFailed
from citewell.net.browser.stealth_client import StealthClient
from citewell.net.http.messages import HttpRequest
from citewell.net.network import Network
from tests.net.loopback import LOOPBACK, close, settings


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A PEM with the key and a self-signed certificate for site.example.org."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "site.example.org")])
    today = dt.datetime.now(dt.UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(today - dt.timedelta(days=1))
        .not_valid_after(today + dt.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName("site.example.org")]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + built.public_bytes(serialization.Encoding.PEM))
    return path


async def _answer(reader: Any, writer: Any) -> None:
    try:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecure")
        await writer.drain()
        await reader.read()
    except (OSError, EOFError):
        pass
    await close(writer)


def fetch(
    certificate: Any, host: Any = "site.example.org", *, stealth: bool = False, **fields: Any
) -> Any:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    async def run() -> Any:
        network = Network(settings(**fields), resolver=LOOPBACK)
        async with await asyncio.start_server(_answer, "127.0.0.1", 0, ssl=context) as server:
            port = server.sockets[0].getsockname()[1]
            client = StealthClient(network.guard) if stealth else network.client
            try:
                return await client.send_request(HttpRequest(url=f"https://{host}:{port}/"))
            finally:
                await client.aclose()

    return asyncio.run(run())


def test_an_authority_of_ours_is_trusted_besides_the_usual_ones(certificate: Any) -> None:
    assert fetch(certificate, ca_file=certificate).body == b"secure"


def test_an_unknown_authority_is_not_trusted(certificate: Any) -> None:
    with pytest.raises(NetworkFailed, match="certificate"):
        fetch(certificate)


def test_the_certificate_must_be_for_the_name_that_was_asked(certificate: Any) -> None:
    with pytest.raises(NetworkFailed, match="certificate"):
        fetch(certificate, host="other.example.org", ca_file=certificate)


@pytest.mark.parametrize("stealth", [True, False])
def test_a_certificate_that_is_not_trusted_has_its_own_reason(
    certificate: Any, *, stealth: bool
) -> None:
    if stealth:
        pytest.importorskip("wreq")

    with pytest.raises(NetworkFailed) as caught:
        fetch(certificate, stealth=stealth)

    assert caught.value.reason is FailureReason.TLS
