"""Web addresses as text: normal form, host, registered domain, tracking parameters, and date in the path."""

from __future__ import annotations

import re
from datetime import date
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_DEFAULT_PORTS = {"http": 80, "https": 443}
_TRACKING_PREFIXES = ("utm_", "mtm_", "pk_", "piwik_", "matomo_", "hsa_", "vero_", "oly_")
_TRACKING_PARAMETER_LIST = (
    "gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid fbclid msclkid yclid ysclid twclid"
    " ttclid li_fat_id igshid igsh mc_cid mc_eid _ga _gl _hsenc _hsmi hsctatracking mkt_tok srsltid"
    " wickedid rb_clickid _openstat at_medium at_campaign guccounter guce_referrer"
    " guce_referrer_sig"
)
_TRACKING_PARAMETERS = frozenset(_TRACKING_PARAMETER_LIST.split())
_PERCENT_ESCAPE_PATTERN = re.compile(r"%[0-9a-fA-F]{2}")
_HOST_LABEL_PATTERN = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_PATH_DATE_PATTERN = re.compile(
    r"(?<!\d)((?:19|20)\d\d)(?:/(\d{1,2})/(\d{1,2})(?=[/-]|$)|-(\d\d)-(\d\d)(?!\d))"
)
_UNSENDABLE_CHARS_PATTERN = re.compile(r"[\s\x00-\x1f\x7f\ud800-\udfff]")


def find_registered_domain(host: str) -> str:
    """`bbc.co.uk` for `news.bbc.co.uk`; an IP address or a bare suffix is returned unchanged."""
    if not host or is_numeric_host(host):
        return host
    return _load_suffix_list().privatesuffix(host) or host


def find_public_suffix(host: str) -> str:
    """`co.uk` for `news.bbc.co.uk`; empty for an IP address."""
    if not host or is_numeric_host(host):
        return ""
    return _load_suffix_list().publicsuffix(host) or ""


@cache
def _load_suffix_list() -> PublicSuffixList:
    """The list bundled with the package: loaded on first use in 35 ms, without network."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()


# Web addresses as text: normal form, host, domain, tracking parameters, and date in the path.


def strip_tracking(url: str) -> str:
    """The address without tracking parameters, otherwise unchanged."""
    start = url.find("?")
    if start < 0:
        return url
    end = url.find("#", start)
    if url.find("#") not in {-1, end}:  # the question mark is part of the fragment
        return url
    tail = "" if end < 0 else url[end:]
    query = url[start + 1 :] if end < 0 else url[start + 1 : end]
    kept = _drop_tracking_pairs(query)
    if kept == query:
        return url
    return url[:start] + ("?" + kept if kept else "") + tail


@lru_cache(maxsize=2048)
def normalize_address(url: str) -> str:
    """The address in its canonical form; AMP, mobile and www hosts are not changed.

    Text that is not an address is returned unchanged.
    """
    parts = _split_address(url)
    if parts is None or not parts.netloc:
        return url
    scheme = parts.scheme.lower()
    path = _PERCENT_ESCAPE_PATTERN.sub(_convert_to_uppercase, parts.path).rstrip("/") or "/"
    query = _PERCENT_ESCAPE_PATTERN.sub(_convert_to_uppercase, _drop_tracking_pairs(parts.query))
    name = _convert_host_to_ascii(parts.hostname or "")
    authority = f"[{name}]" if ":" in name else name
    if user := parts.netloc.rpartition("@")[0]:
        authority = f"{user}@{authority}"
    if parts.port is not None and parts.port != _DEFAULT_PORTS.get(scheme):
        authority += f":{parts.port}"
    return f"{scheme}://{authority}{path}" + (f"?{query}" if query else "")


def build_page_key(url: str) -> str:
    """A key that is equal for two addresses of the same page, whether http or https."""
    return normalize_address(url).partition("://")[2] or url


@lru_cache(maxsize=2048)
def extract_host(url: str) -> str:
    """The host in lower-case ASCII (IDNA); empty if there is none."""
    parts = _split_address(url)
    return _convert_host_to_ascii((parts.hostname or "") if parts else "")


def format_host_name(url: str) -> str:
    """The host without www., for display."""
    return extract_host(url).removeprefix("www.")


def is_web_address(url: str) -> bool:
    """Whether this is an http or https address with a host and without spaces or control characters."""
    web = url[:8].lower().startswith(
        ("http://", "https://")
    ) and not _UNSENDABLE_CHARS_PATTERN.search(url)
    return web and bool(extract_host(url))


def is_within_domain(name: str, domain: str) -> bool:
    """Whether host `name` is `domain` or a subdomain of it."""
    return name == domain or name.endswith("." + domain)


def is_numeric_host(name: str) -> bool:
    """Whether a host is an IP address."""
    return ":" in name or name.rpartition(".")[2].isdigit()


def parse_domain(text: str) -> str | None:
    """The domain that a user wrote as `Example.org`, `*.example.org` or `https://example.org/`.

    None if it is not a domain, or has more than one, such as a path.
    """
    bare = text.strip().lower().removeprefix("https://").removeprefix("http://")
    bare = _convert_host_to_ascii(bare.removesuffix("/").removeprefix("*").strip("."))
    labels = bare.removeprefix("www.").split(".")
    if len(bare) > 253 or not all(_HOST_LABEL_PATTERN.fullmatch(label) for label in labels):
        return None
    return None if labels[-1].isdigit() else ".".join(labels)


def find_path_date(url: str, *, today: date) -> date | None:
    """The date in a path such as /2026/03/14/; None if there is none, or it is invalid or future."""
    parts = _split_address(url)
    match = _PATH_DATE_PATTERN.search(parts.path) if parts else None
    if match is None:
        return None
    year, month, day = (int(part) for part in match.groups() if part)
    try:
        found = date(year, month, day)
    except ValueError:
        return None
    return found if found <= today else None


def _split_address(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError for an invalid port
    except ValueError:
        return None
    return parts


def _drop_tracking_pairs(query: str) -> str:
    pairs = []
    for pair in query.split("&"):
        name = pair.partition("=")[0].lower()
        if name not in _TRACKING_PARAMETERS and not name.startswith(_TRACKING_PREFIXES):
            pairs.append(pair)
    return "&".join(pairs)


def _convert_host_to_ascii(name: str) -> str:
    name = name.lower().rstrip(".")
    if name.isascii():
        return name
    import idna

    try:
        return idna.encode(name, uts46=True).decode("ascii")
    except idna.IDNAError:
        return name


def _convert_to_uppercase(match: re.Match[str]) -> str:
    return match[0].upper()
