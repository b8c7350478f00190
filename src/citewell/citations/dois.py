"""Finds DOIs in text and addresses, and normalizes them to the form that registries use."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from html import unescape
from itertools import islice
from urllib.parse import unquote, urlsplit

from citewell.core.lazy_patterns import compile_on_use
from citewell.text.safety.text_cleaning import extract_visible_text

_DOI_PREFIX_PATTERN = compile_on_use(r"(?<!\d)(?<!\d\.)10\.\d{4,9}(?:\.\d{1,9})*/", re.IGNORECASE)
_DOI_SUFFIX_PATTERN = compile_on_use(r"[-._;()/:<>\[\]+#&=~@*!$a-z0-9]+", re.IGNORECASE)
_VIEWER_ENDING_PATTERN = compile_on_use(
    r"/(?:full|full-?text|pdf|epdf|pdfdirect|epub|abstract|html|xml|meta|summary|references|figures?|tables?"
    r"|suppl[a-z_]*|citation|download|asset|media|issuetoc|standard|reader|view)(?:[/.].*)?$"
    r"|\.(?:pdf|full|full-text|abstract|short|html?|xml|epub)$",
    re.IGNORECASE,
)
_PREPRINT_VERSION_PATTERN = compile_on_use(
    r"(10\.(?:1101|64898)/\S{0,60}\d)v\d{1,2}(?:[./].*)?$", re.IGNORECASE
)
_SICI_BRACKETS_PATTERN = compile_on_use(r"<[^<>\s]{0,40}:[^<>\s]{0,60}>")
_NEXT_DOI_PATTERN = compile_on_use(r"[;,&|](?=(?:https?://|doi:|10\.\d{4}))", re.IGNORECASE)
_ADDRESS_START_PATTERN = compile_on_use(r"https?://[^\s\"'<>()\[\]]{0,290}$", re.IGNORECASE)
_LATEX_ESCAPE_PATTERN = compile_on_use(r"\\([_%&#$])")
_DOI_BEGINNING_PATTERN = compile_on_use(r"(?<!\d)10\.\d{4}")
_UNBROKEN_TOKEN_PATTERN = compile_on_use(r"\S+")
_DOI_TOKEN_PATTERN = compile_on_use(r"[^\s\"{}|\\^`]+")
_URL_QUERY_START_PATTERN = compile_on_use(r"[?&]|(?<!co;2-)#", re.IGNORECASE)
# What publishers' pages and PDFs set right behind a DOI, without a space.
_GLUED_TEXT_PATTERN = compile_on_use(
    r"\[(?:pubmed|cross ?ref|medline|scopus|google|free|web of|epub|pmc|link|online|accessed)"
    r"|\(?pmc?id:?(?=\d|$)|https?:/"
    r"|[.,;(](?:accessed|available|retrieved|epub|pubmed|pmc?id|crossref)(?![a-z])"
    r"|</?[a-z][a-z0-9]{0,9}(?:/?>|$)",
    re.IGNORECASE,
)
# The last character of an old SICI DOI is a check character, which may be a sign.
_SICI_ENDING_PATTERN = compile_on_use(r"co;2-(?:[a-z0-9]|[#+@$*~=!&](?![a-z0-9]))", re.IGNORECASE)
_PERCENT_ESCAPE_PATTERN = compile_on_use(r"%[0-9a-f]{2}", re.IGNORECASE)
_DASH_TRANSLATION = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d", "-")
)
_LINE_BREAK_IN_DOI_PATTERN = compile_on_use(
    r"([-_/:])[ \t]*\r?\n[ \t]*(?=[a-z0-9])|(\.)\s+(?=[a-z][\w.]*\.\d)"
)
_OPENING_BRACKETS = {")": "(", "]": "["}
_TRAILING_PUNCTUATION = ".,;:/*!=&~@$"  # not "+": 10.1021/ja067125+ is a DOI
_CLOSING_QUOTES = "'’‘”“»«›‹?"
_RESOLVER_HOSTS = frozenset(
    {"doi.org", "dx.doi.org", "www.doi.org", "hdl.handle.net", "doi.pangaea.de", "oadoi.org"}
)
# Hosts of library proxies.
_PROXIED_RESOLVER_PREFIXES = ("doi.org.", "doi-org.", "dx.doi.org.", "dx-doi-org.")
# arXiv, bioRxiv and medRxiv, ChemRxiv, Research Square, Preprints.org, PsyArXiv, SocArXiv, OSF, TechRxiv.
_PREPRINT_PREFIXES = (
    "10.48550/arxiv.", *(f"10.1101/{digit}" for digit in range(10)), "10.64898/", "10.26434/", "10.21203/", "10.20944/preprints",
    "10.31234/", "10.31235/", "10.31219/", "10.36227/techrxiv",
)  # fmt: skip
_MAX_DOI_SEARCH_CHARS = 2048  # characters searched for one DOI
_MAX_LISTED_DOI_CHARS = 300  # the same, where many are listed
_MAX_DOI_OCCURRENCES = 3000  # of DOIs in one text, repetitions included
# Publishers whose page addresses contain the suffix of the DOI: host, path, DOI prefix.
_PUBLISHER_PATH_RULES = (
    (re.compile(r"(?:^|\.)nature\.com$"), re.compile(r"^/articles/((?=[a-z-]*+\d)[a-z0-9-]++)(?:[./].*)?$"), "10.1038/"),
    (re.compile(r"(?:^|\.)elifesciences\.org$"), re.compile(r"^/articles/(\d{5,})"), "10.7554/elife."),
    (re.compile(r"(?:^|\.)zenodo\.org$"), re.compile(r"^/records?/(\d+)"), "10.5281/zenodo."),
    (re.compile(r"(?:^|\.)peerj\.com$"), re.compile(r"^/articles/(\d+)"), "10.7717/peerj."),
    (re.compile(r"(?:^|\.)arxiv\.org$"), re.compile(r"^/(?:abs|pdf|html)/(\d{4}\.\d{4,5})"), "10.48550/arxiv."),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedDoi:
    bare: str  # without viewer endings (/full, .pdf) and punctuation
    longest: str  # everything that can belong to the DOI
    surrounding_text: str  # the text without the DOI


def find_doi(text: str) -> str | None:
    """The first DOI in a text, in lower case and without a prefix such as https://doi.org/."""
    found = locate_doi(text)
    return found.bare.lower() if found else None


def list_dois(text: str, *, max_count: int) -> tuple[str, ...]:
    """The different DOIs in a text in their order, up to `max_count` of them."""
    found: dict[str, None] = {}
    for start in islice(_DOI_PREFIX_PATTERN.finditer(text), _MAX_DOI_OCCURRENCES):
        # Inside an address a DOI ends at the query, so the beginning of the address matters.
        head = _ADDRESS_START_PATTERN.search(text, max(0, start.start() - 300), start.start())
        begin = head.start() if head else start.start()
        doi = find_doi(text[begin : start.start() + _MAX_LISTED_DOI_CHARS])
        if doi:
            found.setdefault(doi)
        if len(found) >= max_count:
            break
    return tuple(found)


def locate_doi(text: str) -> LocatedDoi | None:
    plain = _normalize_doi_text(text)
    start = _DOI_PREFIX_PATTERN.search(plain)
    body = _DOI_SUFFIX_PATTERN.match(plain, start.end()) if start else None
    if start is None or body is None:
        return None
    held = _trim_to_doi(plain[start.start() : body.end()])
    bare = _strip_viewer_ending(held)
    rest = plain[: start.start()] + " " + plain[start.start() + len(held) :]
    return LocatedDoi(bare=bare, longest=held, surrounding_text=rest) if bare else None


def list_doi_readings(text: str) -> tuple[str, ...]:
    """Every possible reading of the first DOI in a text, the likeliest first.

    Some registered DOIs end in a word that is usually a viewer ending, in a sign that usually ends
    a DOI, or contain a character that does; only the registry can tell.
    """
    found = locate_doi(text)
    if found is None:
        return ()
    plain, seen = _normalize_doi_text(text), extract_visible_text(text)
    whole, written = (_find_whole_token(form, found.bare) for form in (plain, seen))
    kept = (
        found.bare,
        found.longest,
        _trim_unbalanced_brackets(whole),
        whole,
        found.bare.rstrip("+"),
        written if "%" in written and "&" not in written else "",  # a percent sign of its own
    )
    return tuple(dict.fromkeys(doi.lower() for doi in kept if doi.partition("/")[2]))


def _find_whole_token(plain: str, bare: str) -> str:
    """Everything from the DOI's beginning to the next space; `bare` if only closing signs follow it."""
    start = _DOI_BEGINNING_PATTERN.search(plain)
    token = _DOI_TOKEN_PATTERN.match(plain, start.start()) if start else None
    if token is None:
        return ""
    raw = _cut_foreign_text(token[0][:_MAX_DOI_SEARCH_CHARS])
    if raw.count(">") > raw.count("<"):
        raw = raw.rpartition(">")[0]
    whole = raw.rstrip(_TRAILING_PUNCTUATION + _CLOSING_QUOTES)
    return bare if whole.rstrip(_TRAILING_PUNCTUATION + _CLOSING_QUOTES + ")]>") == bare else whole


def find_doi_in_address(url: str) -> str | None:
    """The DOI that an address contains, or that the publisher's address pattern implies."""
    host, path = _split_host_path(url)
    if (inside := find_doi(path)) is not None:
        return inside
    for hosts, pattern, prefix in _PUBLISHER_PATH_RULES:
        if hosts.search(host) and (match := pattern.match(unquote(path).lower())):
            return prefix + match[1]
    return find_doi(url)


def is_preprint_doi(doi: str) -> bool:
    """Whether the DOI's prefix is that of an archive which registers nothing but preprints."""
    return doi.lower().startswith(_PREPRINT_PREFIXES)


def is_doi_resolver(url: str) -> bool:
    """Whether the address belongs to a DOI resolver, directly or through a library proxy."""
    host = _split_host_path(url)[0]
    return host in _RESOLVER_HOSTS or host.startswith(_PROXIED_RESOLVER_PREFIXES)


def _split_host_path(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url.strip())
        return (parts.hostname or "").lower(), parts.path
    except ValueError:  # square brackets without an IPv6 address
        return "", ""


def _normalize_doi_text(text: str) -> str:
    """The text with escapes decoded, dashes made plain, and line breaks inside the DOI removed."""
    unescaped = unescape(unescape(text)) if "&amp;" in text else unescape(text)
    plain = unicodedata.normalize("NFKC", extract_visible_text(unescaped)).translate(
        _DASH_TRANSLATION
    )
    plain = _LATEX_ESCAPE_PATTERN.sub(r"\1", plain)
    start = _DOI_BEGINNING_PATTERN.search(plain)
    if start is None:
        return plain
    head, tail = plain[: start.start()], plain[start.start() :]
    near, far = tail[:_MAX_DOI_SEARCH_CHARS], tail[_MAX_DOI_SEARCH_CHARS:]
    token = _UNBROKEN_TOKEN_PATTERN.match(near)
    word = token[0] if token else ""
    return (
        head
        + _LINE_BREAK_IN_DOI_PATTERN.sub(
            lambda broken: broken[1] or broken[2],
            _decode_doi_token(word, head) + near[len(word) :],
            count=1,
        )
        + far
    )


def _decode_doi_token(word: str, head: str) -> str:
    """The percent-decoded word that starts with the DOI; in an address, without query and fragment."""
    # The text ends inside an address, so that the following text is part of it.
    if "://" in re.split(r"[\s\"'<]", head)[-1]:
        word = _URL_QUERY_START_PATTERN.split(word)[0]
        if "?" in head.rpartition("://")[2]:
            word = word.partition("+")[0]  # a space, in a query string
    for _ in range(3):  # some web forms encode twice
        if not _PERCENT_ESCAPE_PATTERN.search(word):
            break
        word = unquote(word)
    return word


def _trim_to_doi(raw: str) -> str:
    """The longest start of `raw` that can be one DOI."""
    if (ending := _SICI_ENDING_PATTERN.search(raw)) is not None:
        return raw[: ending.end()]
    raw = _cut_foreign_text(raw).partition("#")[0]
    raw = _trim_unbalanced_brackets(_trim_angle_brackets(raw))
    return raw.rstrip(_TRAILING_PUNCTUATION + "([")


def _cut_foreign_text(raw: str) -> str:
    """The text up to another DOI or to words and marks of the page that are glued to this one."""
    for pattern in (_NEXT_DOI_PATTERN, _GLUED_TEXT_PATTERN):
        if (foreign := pattern.search(raw)) is not None and foreign.start() > 0:
            raw = raw[: foreign.start()]
    return raw


def _trim_angle_brackets(raw: str) -> str:
    """Cut at the first angle bracket that is not part of a pair, as in 49:8<693::AID-ASI4>3.0."""
    at = 0
    while (opening := raw.find("<", at)) >= 0:
        pair = _SICI_BRACKETS_PATTERN.match(raw, opening)
        if pair is None:
            return raw[:opening]
        at = pair.end()
    closing = raw.find(">", at)
    return raw if closing < 0 else raw[:closing]


def _trim_unbalanced_brackets(raw: str) -> str:
    """Cut at the first closing bracket that has no opening one inside the DOI."""
    depth = {"(": 0, "[": 0}
    for place, char in enumerate(raw):
        if char in depth:
            depth[char] += 1
        elif char in _OPENING_BRACKETS:
            depth[_OPENING_BRACKETS[char]] -= 1
            if depth[_OPENING_BRACKETS[char]] < 0:
                return raw[:place]
    return raw.rstrip("([")


def _strip_viewer_ending(held: str) -> str:
    """The DOI without viewer endings such as /full and .pdf; empty if no suffix is left."""
    if _SICI_ENDING_PATTERN.search(held):
        return held
    held = _PREPRINT_VERSION_PATTERN.sub(r"\1", held)
    while True:
        shorter = _VIEWER_ENDING_PATTERN.sub("", held).rstrip(_TRAILING_PUNCTUATION)
        if shorter == held:
            break
        if not shorter.partition("/")[2]:
            return held  # the suffix itself looks like a viewer ending
        held = _PREPRINT_VERSION_PATTERN.sub(r"\1", shorter)
    return held if held.partition("/")[2] else ""
