"""Addresses as text: which two are the same page, whose host it is, what its path says of its date."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

_PORTS = {"http": 80, "https": 443}
_PREFIXES = ("utm_", "mtm_", "pk_", "piwik_", "matomo_", "hsa_", "vero_", "oly_")
_TRACKERS = (
    "gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid fbclid msclkid yclid ysclid twclid"
    " ttclid li_fat_id igshid igsh mc_cid mc_eid _ga _gl _hsenc _hsmi hsctatracking mkt_tok srsltid"
    " wickedid rb_clickid _openstat at_medium at_campaign guccounter guce_referrer"
    " guce_referrer_sig"
)
_TRACKING = frozenset(_TRACKERS.split())
_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_DATED = re.compile(
    r"(?<!\d)((?:19|20)\d\d)(?:/(\d{1,2})/(\d{1,2})(?=[/-]|$)|-(\d\d)-(\d\d)(?!\d))"
)
_UNFIT = re.compile(r"[\s\x00-\x1f\x7f\ud800-\udfff]")


def clean(url: str) -> str:
    """The address as given, less the parameters that only follow people around."""
    start = url.find("?")
    if start < 0:
        return url
    end = url.find("#", start)
    if url.find("#") not in {-1, end}:  # the question mark belongs to the fragment
        return url
    tail = "" if end < 0 else url[end:]
    query = url[start + 1 :] if end < 0 else url[start + 1 : end]
    kept = _untracked(query)
    if kept == query:
        return url
    return url[:start] + ("?" + kept if kept else "") + tail


@lru_cache(maxsize=2048)
def canonical(url: str) -> str:
    """One spelling for one page; AMP, mobile and www hosts are left as they are.

    Text that is no address comes back unchanged.
    """
    parts = _split(url)
    if parts is None or not parts.netloc:
        return url
    scheme = parts.scheme.lower()
    path = _ESCAPE.sub(_upper, parts.path).rstrip("/") or "/"
    query = _ESCAPE.sub(_upper, _untracked(parts.query))
    return f"{scheme}://{_authority(parts, scheme)}{path}" + (f"?{query}" if query else "")


def key(url: str) -> str:
    """What two results share when they are the same page, over http or https."""
    return canonical(url).partition("://")[2] or url


@lru_cache(maxsize=2048)
def host(url: str) -> str:
    """The host in lower case as the resolver knows it; empty when there is none."""
    parts = _split(url)
    return _ascii((parts.hostname or "") if parts else "")


def display(url: str) -> str:
    """The host as people read it."""
    return host(url).removeprefix("www.")


def readable(url: str) -> bool:
    """Whether this is a web address with a host, and nothing in it that cannot be sent."""
    web = url[:8].lower().startswith(("http://", "https://")) and not _UNFIT.search(url)
    return web and bool(host(url))


def within(name: str, domain: str) -> bool:
    """Whether host `name` is `domain` or below it, label by label and never by substring."""
    return name == domain or name.endswith("." + domain)


def numeric(name: str) -> bool:
    """Whether a host is an address and has no name."""
    return ":" in name or name.rpartition(".")[2].isdigit()


def domain(text: str) -> str | None:
    """A domain as users write one (`Example.org`, `*.example.org`, `https://example.org/`).

    None when it is not a domain, or names more than one, such as a path on it.
    """
    bare = text.strip().lower().removeprefix("https://").removeprefix("http://")
    bare = _ascii(bare.removesuffix("/").removeprefix("*").strip("."))
    labels = bare.removeprefix("www.").split(".")
    if len(bare) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        return None
    return None if labels[-1].isdigit() else ".".join(labels)


def dated(url: str, *, today: date) -> date | None:
    """The day a path such as /2026/03/14/ names; None for nonsense and for days to come."""
    parts = _split(url)
    match = _DATED.search(parts.path) if parts else None
    if match is None:
        return None
    year, month, day = (int(part) for part in match.groups() if part)
    try:
        found = date(year, month, day)
    except ValueError:
        return None
    return found if found <= today else None


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises on nonsense
    except ValueError:
        return None
    return parts


def _untracked(query: str) -> str:
    if not query:
        return ""
    return "&".join(pair for pair in query.split("&") if not _tracks(pair))


def _tracks(pair: str) -> bool:
    name = pair.partition("=")[0].lower()
    return name in _TRACKING or name.startswith(_PREFIXES)


def _authority(parts: SplitResult, scheme: str) -> str:
    name = _ascii(parts.hostname or "")
    name = f"[{name}]" if ":" in name else name
    user = parts.netloc.rpartition("@")[0]
    shown = f"{user}@{name}" if user else name
    port = parts.port
    return shown if port is None or port == _PORTS.get(scheme) else f"{shown}:{port}"


def _ascii(name: str) -> str:
    name = name.lower().rstrip(".")
    if name.isascii():
        return name
    import idna

    try:
        return idna.encode(name, uts46=True).decode("ascii")
    except idna.IDNAError:
        return name


def _upper(match: re.Match[str]) -> str:
    return match[0].upper()
