"""Reads what a page states about a brand: structured data, icons, links and guidelines; for a worker."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from citewell.core.values.brand import StatedColor, StatedFont, StatedLogo, StatedTone
from citewell.domains.brands import stated_design
from citewell.reading.html.markup_limits import limit_markup
from citewell.reading.metadata.meta_elements import (
    JsonLd,
    MetaElements,
    collect_meta_elements,
    read_text_value,
    wrap_in_list,
)
from citewell.reading.page_charset import decode_body
from citewell.text.addresses import is_web_address
from citewell.text.safety.text_cleaning import clean_markup

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_MAX_TONE_LINES = 6000
_MAX_SUMMARY_CHARS = 500
_MAX_ITEMS = 10
_MAX_ITEM_CHARS = 160
_MAX_ATTRIBUTE_WORDS = 3
_HEADING_PATTERN = re.compile(r"(#{1,6}) +(.{1,200})")
_TONE_HEADING_PATTERN = re.compile(
    r"tone of voice|voice (?:and|&) tone|tone (?:and|&) voice|brand voice|our voice|how we (?:speak|sound|write)",
    re.IGNORECASE,
)
_DO_PATTERN = re.compile(r"(?:\W{0,3})(?:do|do['’]?s|please do|we are)(?:\W{0,3})", re.IGNORECASE)
_DONT_PATTERN = re.compile(
    r"(?:\W{0,3})(?:do not|don['’]?ts?|don['’]t['’]?s|avoid|we are not|we['’]re not)(?:\W{0,3})",
    re.IGNORECASE,
)
_ITEM_PATTERN = re.compile(r"\s{0,8}(?:[-*+]|\d{1,2}\.) +(.{1,400})")

MAX_BRAND_TEXT_CHARS = 300_000
_MAX_LINKS = 600
_MAX_VALUE_CHARS = 600
_MAX_ADDRESS_CHARS = 2000
_COMPANY_TYPES = frozenset({
    "Organization", "Corporation", "LocalBusiness", "NGO", "EducationalOrganization",
    "GovernmentOrganization", "NewsMediaOrganization", "OnlineBusiness", "OnlineStore", "Store",
    "Airline", "SportsOrganization", "MedicalOrganization", "Brand",
})  # fmt: skip
SOCIAL_HOSTS = {
    "twitter.com": "twitter", "x.com": "twitter", "linkedin.com": "linkedin",
    "github.com": "github", "youtube.com": "youtube", "facebook.com": "facebook",
    "instagram.com": "instagram",
}  # fmt: skip
_SHARE_PATH_PATTERN = re.compile(
    r"/(?:share|sharer|intent|hashtag|search|home|login|watch|shareArticle|dialog|explore|status|p|feed|posts?|events?|groups?|plugins|embed|sharing)(?:[/.?]|$)",
    re.IGNORECASE,
)
_SUBPAGE_PATTERN = re.compile(
    r"colou?r|palette|typograph|typeface|\bfonts?\b|tone of voice|\bvoice\b|tone-of-voice|\blogos?\b",
    re.IGNORECASE,
)
_BRAND_WORD_PATTERN = re.compile(
    r"\bbrand|\bpress\b|press kit|media kit|newsroom|\blogos?\b|style ?guide|design system|guidelines|visual identity",
    re.IGNORECASE,
)
_LOGO_FILE_PATTERN = re.compile(r"\.(?:svg|png|webp)(?:$|\?)", re.IGNORECASE)
_DARK_LOGO_PATTERN = re.compile(r"dark|white|revers|negativ|inverse|knockout", re.IGNORECASE)
_SIZE_PATTERN = re.compile(r"(\d{1,5})x(\d{1,5})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLink:
    url: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidelineFacts:
    """What the text of guidelines states."""

    colors: tuple[StatedColor, ...] = ()
    fonts: tuple[StatedFont, ...] = ()
    tone: StatedTone | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFacts:
    """What one HTML page states about the brand."""

    title: str
    identity: dict[str, str]
    logos: tuple[StatedLogo, ...]  # from its metadata
    logo_files: tuple[StatedLogo, ...]  # that it links to
    theme_color: str | None
    manifest_url: str | None
    social: dict[str, str]
    google_fonts_url: str | None
    subpages: tuple[PageLink, ...]  # on colours, typography, logos or voice
    names_brand: bool  # its title or headings speak of a brand, press or media page
    text: str  # the whole page as markdown
    guidelines: GuidelineFacts


def read_site_facts(body: bytes, content_type: str, url: str) -> SiteFacts:
    """The facts of a page; nothing is concluded from its styles."""
    from selectolax.lexbor import LexborHTMLParser

    from citewell.reading import hidden_text
    from citewell.reading.markdown.markdown_writer import render_markdown

    tree = LexborHTMLParser(limit_markup(decode_body(body, content_type=content_type).text))
    meta, linked = collect_meta_elements(tree), JsonLd(tree)
    company = _choose_company(linked, url)
    links = tuple(_list_links(tree, url))
    named = tree.css_first("title")
    title = clean_markup(named.text() if named is not None else "")
    headings = " ".join(node.text() for node in tree.css("h1, h2")[:20])
    icons, fonts_url = tuple(_list_icons(tree, url)), _find_google_fonts(tree, url)
    hidden_text.remove_hidden_text(tree)
    for node in tree.css("script, style, noscript, template"):
        node.decompose()
    text = render_markdown(tree.body, base=url) if tree.body is not None else ""
    text = text[:MAX_BRAND_TEXT_CHARS]
    return SiteFacts(
        title=title[:_MAX_VALUE_CHARS],
        identity=_read_site_identity(company, meta),
        logos=(*_list_stated_logos(company, meta, url), *icons),
        logo_files=tuple(_list_logo_files(links)),
        theme_color=stated_design.normalize_hex(meta.find_meta_value("theme-color")),
        manifest_url=_find_linked_resource(tree, "manifest", url),
        social=_read_social(company, links, url),
        google_fonts_url=fonts_url,
        subpages=tuple(_list_subpages(links, url)),
        names_brand=bool(_BRAND_WORD_PATTERN.search(f"{title} {headings}"[:4000])),
        text=text,
        guidelines=read_guideline_text(text),
    )


def read_guideline_text(text: str) -> GuidelineFacts:
    """Colours, typefaces and tone that a markdown text states."""
    lines = text[:MAX_BRAND_TEXT_CHARS].split("\n")
    return GuidelineFacts(
        colors=stated_design.find_stated_colors(lines),
        fonts=stated_design.find_stated_fonts(lines),
        tone=find_stated_tone(lines),
    )


def _choose_company(linked: JsonLd, url: str) -> dict[str, Any]:
    """The organisation whose own address is this site's, or the first; empty if there is none."""
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    things = list(linked.find_things(_COMPANY_TYPES))
    for thing in things:
        own = urlsplit(read_text_value(thing.get("url"))).hostname or ""
        if own.removeprefix("www.") == host:
            return thing
    return things[0] if things else {}


def _read_site_identity(company: dict[str, Any], meta: MetaElements) -> dict[str, str]:
    described = company.get("description")
    found = {
        "name": read_text_value(company.get("name"))
        or meta.find_first_value(("og:site_name", "application-name")),
        "tagline": read_text_value(company.get("slogan")),
        "description": read_text_value(described)
        or meta.find_first_value(("description", "og:description")),
        "industry": read_text_value(company.get("industry")),
        "founded": read_text_value(company.get("foundingDate")),
        "location": _read_location(company.get("address") or company.get("location")),
    }
    cleaned = {key: clean_markup(value)[:_MAX_VALUE_CHARS] for key, value in found.items()}
    return {key: value for key, value in cleaned.items() if value}


def _read_location(address: object) -> str:
    first = next(iter(wrap_in_list(address)), None)
    if isinstance(first, dict) and isinstance(first.get("address"), dict):
        first = first["address"]
    if not isinstance(first, dict):
        return first if isinstance(first, str) else ""
    keys = ("addressLocality", "addressRegion", "addressCountry")
    return ", ".join(part for key in keys if (part := read_text_value(first.get(key))))


def _list_stated_logos(
    company: dict[str, Any], meta: MetaElements, url: str
) -> Iterator[StatedLogo]:
    logo = next(iter(wrap_in_list(company.get("logo"))), None)
    if isinstance(logo, dict):
        address = read_text_value(logo.get("contentUrl") or logo.get("url"))
    else:
        address = read_text_value(logo)
    if absolute := _resolve_address(url, address):
        yield StatedLogo(url=absolute, role="primary")
    if absolute := _resolve_address(url, meta.find_first_value(("og:image", "og:image:url"))):
        yield StatedLogo(url=absolute, role="og_image")


def _list_icons(tree: LexborHTMLParser, url: str) -> Iterator[StatedLogo]:
    """Touch icons and large icons as `icon`, the first of the others as `favicon`."""
    for node in tree.css("link[rel][href]")[:200]:
        rels = (node.attributes.get("rel") or "").lower().split()
        address = _resolve_address(url, node.attributes.get("href"))
        if address is None or not {"icon", "apple-touch-icon"}.intersection(rels):
            continue
        match = _SIZE_PATTERN.search((node.attributes.get("sizes") or "")[:100])
        width, height = (int(match[1]), int(match[2])) if match else (None, None)
        role = "icon" if "apple-touch-icon" in rels else "favicon"
        yield StatedLogo(url=address, role=role, width=width, height=height)


def _list_logo_files(links: Iterable[PageLink]) -> Iterator[StatedLogo]:
    """Files that a link calls a logo; for light backgrounds unless the link says otherwise."""
    for link in links:
        words = f"{link.text} {urlsplit(link.url).path}"[:400]
        if "logo" in words.lower() and _LOGO_FILE_PATTERN.search(link.url[-200:]):
            role = "dark" if _DARK_LOGO_PATTERN.search(words) else "primary"
            yield StatedLogo(url=link.url, role=role)


def _list_links(tree: LexborHTMLParser, url: str) -> Iterator[PageLink]:
    for node in tree.css("a[href]")[:_MAX_LINKS]:
        if address := _resolve_address(url, node.attributes.get("href")):
            yield PageLink(url=address, text=clean_markup(node.text())[:120])


def _list_subpages(links: Iterable[PageLink], url: str) -> Iterator[PageLink]:
    host, seen = urlsplit(url).netloc, {url.partition("#")[0].rstrip("/")}
    for link in links:
        bare = link.url.partition("#")[0].rstrip("/")
        parts = urlsplit(bare)
        if parts.netloc != host or bare in seen or _LOGO_FILE_PATTERN.search(bare[-200:]):
            continue
        if _SUBPAGE_PATTERN.search(f"{link.text} {parts.path}"[:400]):
            seen.add(bare)
            yield PageLink(url=bare, text=link.text)


def _read_social(company: dict[str, Any], links: Iterable[PageLink], url: str) -> dict[str, str]:
    """Profiles that the structured data names, and those that the page alone links to."""
    stated = [link for link in wrap_in_list(company.get("sameAs")) if isinstance(link, str)]
    found = {name: address for address in reversed(stated) if (name := _name_network(address))}
    linked: dict[str, set[str]] = {}
    for link in links:
        if name := _name_network(link.url):
            linked.setdefault(name, set()).add(link.url.partition("?")[0].rstrip("/"))
    label = (urlsplit(url).hostname or "").removeprefix("www.").partition(".")[0]
    for name, profiles in linked.items():
        own = sorted(profile for profile in profiles if label and label in profile.lower())
        # Several profiles of one network: only one that bears the site's name is surely its own.
        chosen = next(iter(profiles)) if len(profiles) == 1 else (own[0] if own else None)
        if chosen and name not in found:
            found[name] = chosen
    return found


def _name_network(address: str) -> str | None:
    parts = urlsplit(address[:_MAX_ADDRESS_CHARS])
    host = (parts.hostname or "").removeprefix("www.").removeprefix("m.")
    name = SOCIAL_HOSTS.get(host) or SOCIAL_HOSTS.get(host.partition(".")[2])
    if name is None or not is_web_address(address) or not parts.path.strip("/"):
        return None
    return None if _SHARE_PATH_PATTERN.search(parts.path[:200]) else name


def _find_linked_resource(tree: LexborHTMLParser, rel: str, url: str) -> str | None:
    for node in tree.css("link[rel][href]")[:200]:
        if rel in (node.attributes.get("rel") or "").lower().split():
            return _resolve_address(url, node.attributes.get("href"))
    return None


def _find_google_fonts(tree: LexborHTMLParser, url: str) -> str | None:
    for node in tree.css("link[href]")[:200]:
        address = _resolve_address(url, node.attributes.get("href"))
        if address and urlsplit(address).hostname == "fonts.googleapis.com":
            return address
    return None


def _resolve_address(base: str, address: str | None) -> str | None:
    """The absolute address; None if it is none of the web, such as a data: address."""
    stripped = (address or "").strip()
    if not stripped or len(stripped) > _MAX_ADDRESS_CHARS:
        return None
    try:
        absolute = urljoin(base, stripped)
    except ValueError:
        return None
    return absolute if is_web_address(absolute) else None


# Finds what guidelines say about tone of voice, in the section that is headed so.


def find_stated_tone(lines: Sequence[str]) -> StatedTone | None:
    """Summary, attributes, dos and don'ts of the first section on tone; None if there is none."""
    section = _find_tone_section(lines[:_MAX_TONE_LINES])
    if section is None:
        return None
    tone = _read_tone_section(section)
    return tone if tone.summary or tone.attributes or tone.dos or tone.donts else None


def _find_tone_section(lines: Sequence[str]) -> list[str] | None:
    for number, line in enumerate(lines):
        match = _HEADING_PATTERN.match(line)
        if match and _TONE_HEADING_PATTERN.search(match[2]):
            return list(_take_section(lines[number + 1 :], len(match[1])))
    return None


def _take_section(lines: Sequence[str], level: int) -> Iterator[str]:
    for line in lines:
        match = _HEADING_PATTERN.match(line)
        is_rule = match and (_DO_PATTERN.fullmatch(match[2]) or _DONT_PATTERN.fullmatch(match[2]))
        if match and len(match[1]) <= level and not is_rule:
            return
        yield line


def _read_tone_section(section: Sequence[str]) -> StatedTone:
    lists: dict[str, list[str]] = {"attributes": [], "dos": [], "donts": []}
    summary, current = "", "attributes"
    for line in section:
        heading, item = _HEADING_PATTERN.match(line), _ITEM_PATTERN.match(line)
        label = heading[2] if heading else line.strip()
        if _DONT_PATTERN.fullmatch(label):
            current = "donts"
        elif _DO_PATTERN.fullmatch(label):
            current = "dos"
        elif heading:
            current = "attributes"
            _add_item(lists[current], heading[2], attribute=True)
        elif item:
            _add_item(lists[current], item[1], attribute=current == "attributes")
        elif label and not summary:
            summary = _strip_marks(label)[:_MAX_SUMMARY_CHARS]
    return StatedTone(
        summary=summary or None,
        attributes=tuple(lists["attributes"]),
        dos=tuple(lists["dos"]),
        donts=tuple(lists["donts"]),
    )


def _add_item(items: list[str], text: str, *, attribute: bool) -> None:
    """Add an item; an attribute is the few words before a colon or dash."""
    plain = _strip_marks(text)
    if attribute:
        plain = re.split(r"[:.–—]|\s-\s", plain, maxsplit=1)[0].strip()
        if not 1 <= len(plain.split()) <= _MAX_ATTRIBUTE_WORDS:
            return
    if plain and plain not in items and len(items) < _MAX_ITEMS:
        items.append(plain[:_MAX_ITEM_CHARS])


def _strip_marks(text: str) -> str:
    return " ".join(text.replace("*", " ").replace("`", " ").replace("_", " ").split()).strip("# ")
