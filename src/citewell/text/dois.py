"""DOIs as people write them, in the one form that registries know them by."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from html import unescape
from urllib.parse import unquote, urlsplit

from citewell.text.invisible import visible

_START = re.compile(r"(?<!\d)(?<!\d\.)10\.\d{4,9}(?:\.\d{1,9})*/", re.IGNORECASE)
_BODY = re.compile(r"[-._;()/:<>\[\]+#&=~@*!$a-z0-9]+", re.IGNORECASE)
_VIEWERS = re.compile(
    r"/(?:full|full-?text|pdf|epdf|pdfdirect|epub|abstract|html|xml|meta|summary|references|figures?|tables?"
    r"|suppl[a-z_]*|citation|download|asset|media|issuetoc|standard|reader|view)(?:[/.].*)?$"
    r"|\.(?:pdf|full|full-text|abstract|short|html?|xml|epub)$",
    re.IGNORECASE,
)
_PREPRINT = re.compile(r"(10\.(?:1101|64898)/\S*\d)v\d{1,2}(?:[./].*)?$", re.IGNORECASE)
_SICI = re.compile(r"<[^<>\s]{0,40}:[^<>\s]{0,60}>")
_ENTRY = re.compile(r"[;,&](?=(?:https?://|doi:|10\.\d{4}))", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([_%&#$])")
_NEAR = re.compile(r"(?<!\d)10\.\d{4}")
_TOKEN = re.compile(r"\S+")
_WHOLE = re.compile(r"[^\s\"{}|\\^`]+")
_BEYOND = re.compile(r"[?&#]")
_ENCODED = re.compile(r"%[0-9a-f]{2}", re.IGNORECASE)
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d", "-"))
_BROKEN = re.compile(r"([-_/:])[ \t]*\r?\n[ \t]*(?=[a-z0-9])|(\.)\s+(?=[a-z][\w.]*\.\d)")
_CLOSERS = {")": "(", "]": "["}
_TRAILING = ".,;:/*!=&+~@$"
_RESOLVERS = frozenset(
    {"doi.org", "dx.doi.org", "www.doi.org", "hdl.handle.net", "doi.pangaea.de", "oadoi.org"}
)
_PROXIED = ("doi.org.", "doi-org.", "dx.doi.org.", "dx-doi-org.")  # through a library's proxy
_LONGEST = 2048  # characters in which one DOI is looked for
# Publishers whose page addresses are made of the DOI's suffix.
_BY_PATH = (
    (re.compile(r"(?:^|\.)nature\.com$"), re.compile(r"^/articles/((?:s|d)?[a-z0-9-]*\d[a-z0-9-]*?)(?:[./].*)?$"), "10.1038/"),
    (re.compile(r"(?:^|\.)elifesciences\.org$"), re.compile(r"^/articles/(\d{5,})"), "10.7554/elife."),
    (re.compile(r"(?:^|\.)zenodo\.org$"), re.compile(r"^/records?/(\d+)"), "10.5281/zenodo."),
    (re.compile(r"(?:^|\.)peerj\.com$"), re.compile(r"^/articles/(\d+)"), "10.7717/peerj."),
    (re.compile(r"(?:^|\.)arxiv\.org$"), re.compile(r"^/(?:abs|pdf|html)/(\d{4}\.\d{4,5})"), "10.48550/arxiv."),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    bare: str  # without what viewers and sentences hang on to it
    held: str  # as much as can belong to a DOI
    rest: str  # the text around it


def find(text: str) -> str | None:
    """The first DOI in a text, bare and in lower case."""
    found = locate(text)
    return found.bare.lower() if found else None


def written(text: str) -> str:
    """The first DOI in a text, bare but in the letters it was written in; empty when there is none."""
    found = locate(text)
    return found.bare if found else ""


def locate(text: str) -> Found | None:
    plain = _plain(text)
    start = _START.search(plain)
    body = _BODY.match(plain, start.end()) if start else None
    if start is None or body is None:
        return None
    held = _held(plain[start.start() : body.end()])
    bare = _without_viewer(held)
    rest = plain[: start.start()] + " " + plain[start.start() + len(held) :]
    return Found(bare=bare, held=held, rest=rest) if bare else None


def readings(text: str) -> tuple[str, ...]:
    """The first DOI in a text in every way it may be meant, the likeliest first.

    A registered DOI may end in what is elsewhere a viewer's word, or hold a mark that ends most.
    """
    found = locate(text)
    if found is None:
        return ()
    seen = visible(text)
    start = _NEAR.search(seen)
    token = _WHOLE.match(seen, start.start()) if start else None
    raw = token[0].rstrip(_TRAILING + ")]>'’”") if token else ""
    whole = token[0].rstrip(_TRAILING) if token and raw != found.bare else raw
    kept = (found.bare, found.held, _balanced(whole), whole)
    return tuple(dict.fromkeys(one.lower() for one in kept if one.partition("/")[2]))


def from_address(url: str) -> str | None:
    """The DOI that an address carries or, by its publisher's habit, stands for."""
    host, path = _parts(url)
    if (inside := find(path)) is not None:
        return inside
    for hosts, pattern, prefix in _BY_PATH:
        if hosts.search(host) and (match := pattern.match(unquote(path).lower())):
            return prefix + match[1]
    return find(url)


def resolver(url: str) -> bool:
    """Whether the address is of a service that only forwards to where a DOI leads."""
    host = _parts(url)[0]
    return host in _RESOLVERS or host.startswith(_PROXIED)


def _parts(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url.strip())
        return (parts.hostname or "").lower(), parts.path
    except ValueError:  # brackets that hold no address
        return "", ""


def _plain(text: str) -> str:
    """Without escapes of any kind, fancy dashes and breaks in the middle of a DOI."""
    plain = unicodedata.normalize("NFKC", visible(unescape(text))).translate(_DASHES)
    plain = _ESCAPED.sub(r"\1", plain)
    start = _NEAR.search(plain)
    if start is None:
        return plain
    head, tail = plain[: start.start()], plain[start.start() :]
    near, far = tail[:_LONGEST], tail[_LONGEST:]
    token = _TOKEN.match(near)
    word = token[0] if token else ""
    return head + _BROKEN.sub(_joined, _decoded(word, head) + near[len(word) :], count=1) + far


def _decoded(word: str, head: str) -> str:
    """The word a DOI begins, without query and fragment in an address, and without %2F."""
    if _in_address(head):
        word = _BEYOND.split(word)[0]
    for _ in range(3):  # careless forms encode twice
        if not _ENCODED.search(word):
            break
        word = unquote(word)
    return word


def _joined(broken: re.Match[str]) -> str:
    return broken[1] or broken[2]


def _in_address(head: str) -> bool:
    """Whether the text ends within an address, so that what follows is part of it."""
    return "://" in re.split(r"[\s\"'<]", head)[-1]


def _held(raw: str) -> str:
    """As much of it as can belong to one DOI."""
    if (entry := _ENTRY.search(raw)) is not None:
        raw = raw[: entry.start()]
    if "#" in raw and not raw.lower().endswith("co;2-#"):
        raw = raw.partition("#")[0]
    raw = _balanced(_angles(raw))
    return raw.rstrip(_TRAILING + "([")


def _angles(raw: str) -> str:
    """Angle brackets belong to a DOI in pairs with a colon, as in 49:8<693::AID-ASI4>3.0."""
    at = 0
    while (opening := raw.find("<", at)) >= 0:
        pair = _SICI.match(raw, opening)
        if pair is None:
            return raw[:opening]
        at = pair.end()
    closing = raw.find(">", at)
    return raw if closing < 0 else raw[:closing]


def _balanced(raw: str) -> str:
    """Up to the first bracket that closes what was opened before the DOI."""
    depth = {"(": 0, "[": 0}
    for place, char in enumerate(raw):
        if char in depth:
            depth[char] += 1
        elif char in _CLOSERS:
            depth[_CLOSERS[char]] -= 1
            if depth[_CLOSERS[char]] < 0:
                return raw[:place]
    return raw.rstrip("([")


def _without_viewer(held: str) -> str:
    """Without /full, .pdf and the like; empty when no suffix is left."""
    held = _PREPRINT.sub(r"\1", held)
    while True:
        shorter = _VIEWERS.sub("", held).rstrip(_TRAILING)
        if shorter == held:
            break
        if not shorter.partition("/")[2]:
            return held  # the suffix itself reads like a viewer's word
        held = _PREPRINT.sub(r"\1", shorter)
    return held if held.partition("/")[2] else ""
