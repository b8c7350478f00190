"""The request of one look at a brand, and the site that it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field

from citewell.errors import InvalidInput, RefusedByPolicy
from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import OptionalName, OptionalQuery
from citewell.net.guard.url_grammar import parse_url
from citewell.text.web.addresses import is_numeric_host
from citewell.text.web.registered_domains import find_registered_domain

BrandDepth = Literal["quick", "standard", "full"]
_MAX_ADDRESS_CHARS = 2000


@dataclass(frozen=True, kw_only=True)
class BrandResearchRequest:
    """One look at a brand, as the caller wrote it; the arguments of brand_research."""

    url: Annotated[
        OptionalName, Field(description="Domain or address; goes before company_name.")
    ] = None
    company_name: Annotated[OptionalQuery, Field(description="If the domain is not known.")] = None
    depth: Annotated[
        BrandDepth,
        Field(description="quick: homepage; standard: also brand pages; full: also web search."),
    ] = "standard"
    include_design_tokens: Annotated[bool, Field(description="Add W3C design tokens.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandSite:
    """The site of a company: where its homepage is, and the domain it stands on."""

    home: str  # with a slash at its end
    domain: str  # the registered one, such as example.co.uk
    origin: str  # scheme, host and port; what paths are added to
    given: str | None = None  # the address as the caller wrote it, if it has a path

    def move_to_given(self) -> BrandSite:
        """The site at the address that the caller wrote, for one whose host has no homepage."""
        base = (self.given or self.origin).rstrip("/")
        return BrandSite(home=f"{base}/", domain=self.domain, origin=base)

    @property
    def host(self) -> str:
        return urlsplit(self.home).hostname or ""

    def has_subdomains(self) -> bool:
        return not is_numeric_host(self.host) and "." in self.domain

    def build_subdomain_address(self, label: str) -> str:
        parts = urlsplit(self.home)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{label}.{self.domain}{port}/"


def check_brand_request(ask: BrandResearchRequest) -> None:
    """Raises InvalidInput if a value is invalid, or neither url nor company_name is given."""
    check_declared_bounds(ask)
    if not ask.url and not ask.company_name:
        raise InvalidInput("Give url (a domain such as example.com) or company_name.")


def parse_brand_site(address: str) -> BrandSite:
    """The site of a domain or an address; raises InvalidInput if it is neither."""
    text = address.strip()
    if not text or len(text) > _MAX_ADDRESS_CHARS or any(char.isspace() for char in text):
        raise InvalidInput(f"url {text[:100]!r} is not a domain; write one such as example.com.")
    whole = text if "://" in text else f"https://{text}"
    try:
        parse_url(whole)
        parts = urlsplit(whole)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except (RefusedByPolicy, ValueError):
        raise InvalidInput(
            f"url {text[:100]!r} is not a domain; write one such as example.com."
        ) from None
    if "." not in host and ":" not in host and host != "localhost":
        raise InvalidInput(f"{host[:100]!r} is no domain. Give company_name for a company's name.")
    shown = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme.lower()}://{shown}" + (f":{port}" if port else "")
    path = parts.path.rstrip("/")
    return BrandSite(
        home=f"{origin}/",
        domain=find_registered_domain(host),
        origin=origin,
        given=f"{origin}{path}/" if path else None,
    )
