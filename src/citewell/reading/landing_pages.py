"""Decides what an address led to: the page, a soft 404, a parked domain or a login."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from urllib.parse import SplitResult, urlsplit

from citewell.core.lazy_patterns import compile_on_use
from citewell.net.http.messages import HttpResponse
from citewell.reading import bot_walls
from citewell.reading.bot_walls import WallKind
from citewell.reading.html.markup_limits import limit_markup
from citewell.reading.page_charset import decode_body
from citewell.text import addresses
from citewell.text import addresses as registered_domains
from citewell.text.safety.text_cleaning import clean_markup

_HOME_PATH_PATTERN = compile_on_use(
    r"/*+(?:(?:index|default|home|main)(?:\.\w{2,5})?|[a-z]{2}(?:[-_][a-z]{2})?)?/*", re.IGNORECASE
)
_ERROR_PATH_PATTERN = compile_on_use(
    r"/(?:[a-z]{2}/)?(?:errors?|e)?[/_-]?(?:404|page[-_]?not[-_]?found|not[-_]?found|notfound|missing"
    r"|error(?:page)?|errordocument|nicht-gefunden|introuvable|no-encontrada)"
    r"(?:\.\w{2,5})?/*",
    re.IGNORECASE,
)
_LOGIN_PATH_PATTERN = compile_on_use(
    r"(?:^|/)(?:log-?[io]n|sign-?[io]n|signon|sso|auth(?:orize|enticate)?|oauth2?|saml2?|idp|cas"
    r"|account/login|users?/sign_in|wp-login)(?:[/.]|$)",
    re.IGNORECASE,
)
_LOGIN_HOST_PATTERN = compile_on_use(
    r"(?:log-?in|sign-?in|sso|auth|accounts?|idp|identity)\.", re.IGNORECASE
)
# Link shorteners and resolvers: a redirect from them to a home page is normal.
_FORWARDING_DOMAINS = frozenset({
    "bit.ly", "buff.ly", "cutt.ly", "doi.org", "goo.gl", "handle.net", "is.gd", "lnkd.in", "ow.ly",
    "purl.org", "rb.gy", "t.co", "tinyurl.com", "w3id.org",
})  # fmt: skip
_PARKING_DOMAINS = frozenset({
    "above.com", "afternic.com", "atom.com", "bodis.com", "brandbucket.com", "buydomains.com",
    "dan.com", "domainmarket.com", "domainnamesales.com", "efty.com", "hugedomains.com",
    "namebright.com", "parkingcrew.net", "parklogic.com", "perfectdomain.com", "sedo.com",
    "sedoparking.com", "squadhelp.com", "trafficz.com", "undeveloped.com", "voodoo.com",
})  # fmt: skip
_PARKING_MARKUP_PATTERN = compile_on_use(
    r"sedoparking\.com|parkingcrew\.net|bodis\.com/|d38psrni17bvxu|data-adblockkey=|parklogic\.com"
    r"|cdn\.parking|afternic\.com/forsale|hugedomains\.com/domain_profile|dan\.com/buy-domain"
    r"|window\.location\.href\s*=\s*[\"']/lander[\"']",
    re.IGNORECASE,
)
_FOR_SALE_PATTERN = compile_on_use(
    r"\b(?:this |the )?(?:web )?domain(?: name)?\b.{0,60}?\b(?:is|may be|could be) (?:available )?(?:for sale|parked)"
    r"|\b(?:buy|purchase|get) this domain|domain (?:is )?parked|parked (?:free|domain)|\bis for sale\b.{0,30}\bdomain"
    r"|interested in (?:buying )?this domain|inquire about this domain|this domain (?:has )?(?:recently )?expired"
    r"|domain(?:name)? (?:steht|ist) zu(?:m verkauf| verkaufen)|domain kaufen"
    r"|(?:nom de )?domaine (?:est|peut être) (?:à vendre|en vente)|acheter ce domaine"
    r"|dominio (?:est[áa] )?(?:en|[àa]|in) (?:venta|vendita)|dom[íi]nio (?:est[áa] )?[àa] venda"
    r"|домен (?:продается|продаётся|припаркован)|域名(?:出售|转让|正在出售)|ドメイン(?:は)?(?:販売|売り出し)中|도메인 판매",
    re.IGNORECASE,
)  # fmt: skip
_PAGE_GONE_PATTERN = compile_on_use(
    r"\bpage (?:was |is |could |can |you )?(?:not|n['’]t|no longer) (?:be )?(?:found|available|exists?)"
    r"|\b(?:page|article|content|document|file|story) (?:you (?:requested|are looking for|were looking for)[^.]{0,30})?"
    r"(?:could not|couldn['’]t|cannot|can['’]t|was not|does not|doesn['’]t|has been|no longer) (?:be )?(?:found|exist|removed|available|deleted)"
    r"|we can['’]t find (?:that|the|this) page|oops\W{0,3} (?:that|this|the) page"
    r"|seite (?:wurde |konnte |ist )?(?:leider )?nicht (?:gefunden|vorhanden|verf[üu]gbar)|existiert nicht(?: mehr)?"
    r"|page (?:introuvable|non trouv[ée]e|n['’]existe (?:pas|plus))|p[áa]gina (?:no (?:encontrada|existe)|n[ãa]o (?:encontrada|existe))"
    r"|no se (?:ha )?(?:encontr[óo]|encontrado) la p[áa]gina|pagina (?:non trovata|niet gevonden|inesistente)"
    r"|sidan (?:hittades|finns) inte|siden (?:blev|ble) ikke funnet|sivua ei l[öo]ydy|nie znaleziono strony|strona nie istnieje"
    r"|str[áa]nka nebyla nalezena|az oldal nem tal[áa]lhat[óo]|sayfa bulunamad[ıi]|страница не (?:найдена|существует)|сторінку не знайдено"
    r"|页面(?:不存在|未找到|找不到)|找不到(?:该|此|您)?(?:页面|网页)|頁面不存在|找不到(?:頁面|網頁)|ページが見つかりません|お探しのページ|페이지를 찾을 수 없"
    r"|الصفحة غير موجودة|הדף לא נמצא|صفحه (?:مورد نظر )?یافت نشد|ไม่พบหน้า|không tìm thấy trang|halaman tidak ditemukan",
    re.IGNORECASE,
)  # fmt: skip
# A whole line that can mean nothing else: "404", "Error 404", "Object not found".
_BARE_404_PATTERN = compile_on_use(
    r"\W*(?:(?:error|http|status|oops)\W+)*404(?:\W+(?:error|page|file|not|found))*\W*"
    r"|\W*(?:\w+\W+){0,2}not found\W*",
    re.IGNORECASE,
)
_TITLE_SEPARATOR_PATTERN = compile_on_use(r"\s[|·•»:–—-]+\s")
_INVISIBLE_TAGS = ["script", "style", "noscript", "template", "svg"]
_SHORT_PAGE_WORDS = 150  # words; a longer page may be an article about missing pages
_TINY_PAGE_WORDS = 60
_MAX_TITLE_CHARS = 300  # characters of a page's title or heading that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingVerdict:
    """The state of an address: `live`, `blocked`, `dead` or `suspicious`, with a reason if not live."""

    state: str
    reason: str | None = None
    titles: tuple[str, ...] = ()  # of a live page with text: its title and first headings


@dataclass(frozen=True, slots=True, kw_only=True)
class PageGlance:
    """The parts of a page from which its kind is judged."""

    html: str
    title: str
    headings: tuple[str, ...]
    text: str
    shared_title: str = ""  # the title for social media, which leaves out the site's name

    @property
    def titles(self) -> tuple[str, ...]:
        """The page's own titles; none for a shell whose content a script would load."""
        if self.word_count < _TINY_PAGE_WORDS:
            return ()
        named = (self.title, self.shared_title, *self.headings)
        return tuple(dict.fromkeys(name[:_MAX_TITLE_CHARS] for name in named if name))

    @property
    def word_count(self) -> int:
        return len(self.text.split()) + sum(1 for char in self.text if char > "\u2e80") // 2


LIVE_LANDING = LandingVerdict(state="live")


def judge_redirect(asked: str, final: str) -> LandingVerdict | None:
    """What the redirect alone shows (parked, login, soft 404, home page); None if nothing."""
    before, after = _split_address(asked), _split_address(final)
    home = registered_domains.find_registered_domain(addresses.extract_host(final))
    if home in _PARKING_DOMAINS and home != registered_domains.find_registered_domain(
        addresses.extract_host(asked)
    ):
        return LandingVerdict(state="dead", reason="parked")
    if addresses.build_page_key(asked) == addresses.build_page_key(final):
        return None
    if _is_login_redirect(before, after):
        return LandingVerdict(state="blocked", reason="login")
    if _ERROR_PATH_PATTERN.fullmatch(after.path) and not _ERROR_PATH_PATTERN.fullmatch(before.path):
        return LandingVerdict(state="dead", reason="soft_404")
    forwarded = (
        registered_domains.find_registered_domain(addresses.extract_host(asked))
        in _FORWARDING_DOMAINS
    )
    deep = not _HOME_PATH_PATTERN.fullmatch(before.path)
    if deep and not forwarded and _HOME_PATH_PATTERN.fullmatch(after.path) and not after.query:
        return LandingVerdict(state="dead", reason="home_redirect")
    return None


def find_new_address(asked: str, final: str) -> str | None:
    """The address that replaces `asked`; None if it is only another spelling of it.

    Another scheme, www. or a fuller path of the same page is no new place, and what a resolver of
    links leads to is not the address to cite.
    """
    before, after = _split_address(asked), _split_address(final)
    host, other = addresses.extract_host(asked), addresses.extract_host(final)
    if registered_domains.find_registered_domain(host) in _FORWARDING_DOMAINS:
        return None
    is_same_host = host.removeprefix("www.") == other.removeprefix("www.")
    path, new_path = (part.path.rstrip("/").lower() for part in (before, after))
    if is_same_host and before.query == after.query and new_path.startswith(path):
        return None
    return final


def judge_landing_page(response: HttpResponse, *, asked: str) -> LandingVerdict:
    """What a page with a success status is; `suspicious` means compare it with a missing page."""
    if response.content_type not in {"text/html", "application/xhtml+xml", ""}:
        return LIVE_LANDING
    seen = read_page_glance(response)
    if _is_parked_domain(seen):
        return LandingVerdict(state="dead", reason="parked")
    walled = _find_access_wall(response, seen, asked)
    if walled is not None:
        return walled
    has_message = any(map(_has_gone_message, (seen.title, *seen.headings)))
    if has_message and seen.word_count < _SHORT_PAGE_WORDS:
        return LandingVerdict(state="dead", reason="soft_404")
    brief = seen.word_count < _TINY_PAGE_WORDS and _has_gone_message(seen.text)
    if has_message or brief:
        return LandingVerdict(state="suspicious", reason="soft_404")
    return LandingVerdict(state="live", titles=seen.titles)


def judge_landing_body(body: bytes, head: HttpResponse, asked: str) -> LandingVerdict:
    """`judge_landing_page` for a worker, to which the body comes beside the rest of the response."""
    return judge_landing_page(replace(head, body=body), asked=asked)


def has_blocking_body(body: bytes, head: HttpResponse) -> bool:
    """Whether an error response comes from a bot wall in front of the page; for a worker."""
    response = replace(head, body=body)
    seen = _build_wall_input(response, read_page_glance(response))
    return bot_walls.find_bot_wall(seen) is not None


def have_same_text(body: bytes, head: HttpResponse, other_body: bytes, other: HttpResponse) -> bool:
    """Whether two responses show the same page; for a worker.

    Then they have the same title and at least nine tenths of their words in common.
    """
    page = read_page_glance(replace(head, body=body))
    other_page = read_page_glance(replace(other, body=other_body))
    if page.title != other_page.title:
        return False
    ours, theirs = set(page.text.split()), set(other_page.text.split())
    return len(ours & theirs) >= 0.9 * max(len(ours | theirs), 1)


def read_page_glance(response: HttpResponse) -> PageGlance:
    from selectolax.lexbor import LexborHTMLParser

    html = decode_body(response.body, content_type=response.headers.get("content-type", "")).text
    tree = LexborHTMLParser(limit_markup(html))
    tree.strip_tags(_INVISIBLE_TAGS)
    title = tree.css_first("title")
    shared = tree.css_first('meta[property="og:title"]')
    return PageGlance(
        html=html,
        title=clean_markup(title.text()) if title else "",
        headings=tuple(clean_markup(node.text()) for node in tree.css("h1, h2")[:4]),
        text=clean_markup(tree.body.text(separator=" ")) if tree.body else "",
        shared_title=clean_markup(shared.attributes.get("content")) if shared else "",
    )


def build_missing_sibling(url: str, token: str) -> str:
    """An address in the same folder that cannot exist, because its last part is `token`."""
    parts = _split_address(url)
    folder = parts.path.rpartition("/")[0]
    return parts._replace(path=f"{folder}/{token}", query="", fragment="").geturl()


def _has_gone_message(line: str) -> bool:
    return any(
        _PAGE_GONE_PATTERN.search(part) or _BARE_404_PATTERN.fullmatch(part)
        for part in _TITLE_SEPARATOR_PATTERN.split(line)
    )


def _split_address(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _is_login_redirect(before: SplitResult, after: SplitResult) -> bool:
    if _LOGIN_PATH_PATTERN.search(before.path):
        return False
    host = after.hostname or ""
    sent = host != before.hostname and _LOGIN_HOST_PATTERN.match(host)
    return bool(sent or _LOGIN_PATH_PATTERN.search(after.path))


def _is_parked_domain(seen: PageGlance) -> bool:
    if seen.word_count >= _SHORT_PAGE_WORDS:
        return False
    for_sale = _FOR_SALE_PATTERN.search(seen.title) or _FOR_SALE_PATTERN.search(seen.text)
    return bool(
        for_sale
        or (_PARKING_MARKUP_PATTERN.search(seen.html) and seen.word_count < _TINY_PAGE_WORDS)
    )


def _find_access_wall(
    response: HttpResponse, seen: PageGlance, asked: str
) -> LandingVerdict | None:
    """A bot wall or login in front of an existing page; a paywall or an empty shell counts as the page."""
    wall = bot_walls.find_page_wall(
        _build_wall_input(response, seen, redirected=response.url != asked)
    )
    reasons = {WallKind.BOT: "bot_wall", WallKind.LOGIN: "login"}
    if wall is None or wall.kind not in reasons:
        return None
    return LandingVerdict(state="blocked", reason=reasons[wall.kind])


def _build_wall_input(
    response: HttpResponse, seen: PageGlance, *, redirected: bool = False
) -> bot_walls.InspectedPage:
    return bot_walls.InspectedPage(
        status=response.status,
        headers=response.headers,
        html=seen.html,
        text=seen.text,
        title=seen.title,
        path=_split_address(response.url).path,
        redirected=redirected,
    )
