"""Reads what an OAuth issuer publishes about itself: RFC 8414, or OpenID Connect discovery."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from citewell.errors import CitewellError, MalformedResponse, NotFound, RejectedRequest
from citewell.net.http.messages import HttpResponse
from citewell.net.network import Network
from citewell.net.upstream.upstream_client import Upstream
from citewell.server.http.auth.refusals import RefusalCause, VerifierUnavailable

ISSUER_TIMEOUT_SECONDS = 8.0
MAX_ISSUER_BYTES = 512 * 1024  # of the metadata, the key set or an introspection answer
RETRY_SECONDS = 10.0  # after which a client may come back if the issuer cannot be reached
_UPSTREAM_NAME = "oauth_issuer"


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuerMetadata:
    issuer: str
    jwks_url: str | None
    introspection_url: str | None


class IssuerClient:
    """Asks the issuer through the guard. Its address is the operator's choice, so it may be private."""

    def __init__(self, network: Network, issuer: str, *, named_urls: tuple[str, ...] = ()) -> None:
        """`named_urls` are further addresses that the settings name, such as that of the key set."""
        self.issuer = issuer
        for url in (issuer, *named_urls):
            network.guard.trust_service(url)
        self.upstream: Upstream = network.open_upstream(
            _UPSTREAM_NAME, base_url=issuer, timeout=ISSUER_TIMEOUT_SECONDS
        )

    async def load_metadata(self) -> IssuerMetadata:
        """Raises VerifierUnavailable if no metadata can be read or they are those of another issuer."""
        for url in list_metadata_urls(self.issuer):
            try:
                response = await self.fetch_json_document(url)
            except (NotFound, RejectedRequest):
                continue
            except CitewellError as error:
                raise build_unavailable(
                    f"The issuer's metadata cannot be read. {error.message}"
                ) from None
            return self._parse_metadata(response)
        raise build_unavailable(
            f"{self.issuer} publishes neither OAuth nor OpenID metadata. "
            "Check OAUTH_ISSUER_URL, or set OAUTH_JWKS_URL."
        )

    async def fetch_json_document(self, url: str) -> HttpResponse:
        """One GET, not repeated; raises CitewellError."""
        return await self.upstream.send_get(
            base_url=url,
            headers={"accept": "application/json"},
            max_bytes=MAX_ISSUER_BYTES,
            retry=False,
        )

    def _parse_metadata(self, response: HttpResponse) -> IssuerMetadata:
        try:
            found = response.parse_json()
        except MalformedResponse as error:
            raise build_unavailable(
                f"The issuer's metadata are not JSON. {error.message}"
            ) from None
        stated = found.get("issuer") if isinstance(found, dict) else None
        if stated != self.issuer:
            raise build_unavailable(
                "The issuer's metadata name another issuer than OAUTH_ISSUER_URL; the two must be "
                f"equal to the letter, also in a slash at the end. It calls itself {_quote_stated(stated)}."
            )
        return IssuerMetadata(
            issuer=self.issuer,
            jwks_url=self._choose_endpoint(found.get("jwks_uri")),
            introspection_url=self._choose_endpoint(found.get("introspection_endpoint")),
        )

    def _choose_endpoint(self, url: object) -> str | None:
        """The address, unless it would be asked with less security than the issuer itself."""
        if not isinstance(url, str):
            return None
        is_safe = url.startswith("https://") or (
            self.issuer.startswith("http://") and url.startswith("http://")
        )
        return url if is_safe else None


def list_metadata_urls(issuer: str) -> Iterator[str]:
    """Where the metadata of an issuer may be, in the order in which MCP clients look."""
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    yield f"{origin}/.well-known/oauth-authorization-server{path}"
    yield f"{origin}/.well-known/openid-configuration{path}"
    if path:
        yield f"{origin}{path}/.well-known/openid-configuration"


def build_unavailable(message: str, *, retry_after: float = RETRY_SECONDS) -> VerifierUnavailable:
    return VerifierUnavailable(RefusalCause.ISSUER_UNAVAILABLE, message, retry_after=retry_after)


def _quote_stated(stated: object) -> str:
    is_plain = isinstance(stated, str) and stated.isprintable() and len(stated) <= 200
    return f"{stated}" if is_plain else "something that is no address"
