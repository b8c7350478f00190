"""Reads what an OAuth issuer publishes about itself: RFC 8414, or OpenID Connect discovery."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from citewell.core import errors
from citewell.net.http.messages import HttpResponse
from citewell.net.network import Network
from citewell.net.upstream.upstream_client import Upstream
from citewell.net.url_grammar import parse_url
from citewell.server.http.auth.caller import RefusalCause, VerifierUnavailable

ISSUER_TIMEOUT_SECONDS = 8.0
MAX_ISSUER_BYTES = 512 * 1024  # of the metadata, the key set or an introspection answer
RETRY_SECONDS = 10.0  # after which a client may come back if the issuer cannot be reached
_UPSTREAM_NAME = "oauth_issuer"
_JSON_WANTED = {"accept": "application/json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuerMetadata:
    issuer: str
    jwks_url: str | None
    introspection_url: str | None


class IssuerClient:
    """Asks the issuer through the guard. Addresses that the operator named may be private."""

    def __init__(self, network: Network, issuer: str, *, named_urls: tuple[str, ...] = ()) -> None:
        """`named_urls` are further addresses that the settings name, such as that of the key set."""
        self.issuer = issuer
        self._guard = network.guard
        self._named_places = {_find_place(url) for url in (issuer, *named_urls)}
        self._upstream: Upstream = network.open_upstream(
            _UPSTREAM_NAME, base_url=issuer, timeout=ISSUER_TIMEOUT_SECONDS
        )

    async def load_metadata(self) -> IssuerMetadata:
        """Raises VerifierUnavailable if no metadata can be read or they are those of another issuer."""
        first_failure: VerifierUnavailable | None = None
        for url in list_metadata_urls(self.issuer):
            try:
                return self._parse_metadata(await self.fetch_document(url))
            except VerifierUnavailable as failure:
                first_failure = first_failure or failure
            except (errors.NotFound, errors.RejectedRequest, errors.AuthRequired):
                continue
            except errors.CitewellError as error:
                first_failure = first_failure or build_unavailable(
                    f"The issuer's metadata cannot be read. {error.message}"
                )
        raise first_failure or build_unavailable(
            f"{self.issuer} publishes neither OAuth nor OpenID metadata. "
            "Check OAUTH_ISSUER_URL, or set OAUTH_JWKS_URL."
        )

    async def fetch_document(self, url: str) -> HttpResponse:
        """One GET, not repeated; raises CitewellError."""
        return await self._send_to_named(
            url,
            lambda: self._upstream.send_get(
                base_url=url, headers=_JSON_WANTED, max_bytes=MAX_ISSUER_BYTES, retry=False
            ),
        )

    async def post_form(
        self, url: str, form: Mapping[str, str], *, secret_headers: Mapping[str, str]
    ) -> HttpResponse:
        """One POST, not repeated; raises CitewellError."""
        return await self._send_to_named(
            url,
            lambda: self._upstream.send_post(
                base_url=url,
                form=form,
                headers=_JSON_WANTED,
                secret_headers=secret_headers,
                max_bytes=MAX_ISSUER_BYTES,
                idempotent=False,
            ),
        )

    async def _send_to_named(
        self, url: str, send: Callable[[], Awaitable[HttpResponse]]
    ) -> HttpResponse:
        """Send; if the guard refuses a place that the operator named, trust that place.

        It is not trusted beforehand, because pages of a trusted place cannot be read any more.
        """
        try:
            return await send()
        except errors.RefusedByPolicy:
            if _find_place(url) not in self._named_places:
                raise
        self._guard.trust_service(url)
        return await send()

    def _parse_metadata(self, response: HttpResponse) -> IssuerMetadata:
        try:
            found = response.parse_json()
        except errors.MalformedResponse as error:
            raise build_unavailable(
                f"The issuer's metadata are not JSON. {error.message}"
            ) from None
        stated = found.get("issuer") if isinstance(found, dict) else None
        if stated != self.issuer:
            is_plain = isinstance(stated, str) and stated.isprintable() and len(stated) <= 200
            name = stated if is_plain else "something that is no address"
            raise build_unavailable(
                "The issuer's metadata name another issuer than OAUTH_ISSUER_URL; the two must be "
                f"equal to the letter, also in a slash at the end. It calls itself {name}."
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


def _find_place(url: str) -> tuple[str, int]:
    target = parse_url(url)
    return target.host, target.port


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
