"""What an address really led to: the page, a page that says there is none, a domain for sale, a login."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from citewell.fetch import walls
from citewell.fetch.charset import decode
from citewell.fetch.html.limits import tame
from citewell.fetch.walls import WallKind
from citewell.net.message import Response
from citewell.text import domains, urls
from citewell.text.markup import clean

_ENTRANCE = re.compile(
    r"/*(?:(?:index|default|home|main)(?:\.\w{2,5})?|[a-z]{2}(?:[-_][a-z]{2})?)?/*", re.IGNORECASE
)
_ERROR_PATH = re.compile(
    r"/(?:[a-z]{2}/)?(?:errors?|e)?[/_-]?(?:404|page[-_]?not[-_]?found|not[-_]?found|notfound|missing"
    r"|error(?:page)?|errordocument|nicht-gefunden|introuvable|no-encontrada)"
    r"(?:\.\w{2,5})?/*",
    re.IGNORECASE,
)
_LOGIN_PATH = re.compile(
    r"(?:^|/)(?:log-?[io]n|sign-?[io]n|signon|sso|auth(?:orize|enticate)?|oauth2?|saml2?|idp|cas"
    r"|account/login|users?/sign_in|wp-login)(?:[/.]|$)",
    re.IGNORECASE,
)
_LOGIN_HOST = re.compile(r"(?:log-?in|sign-?in|sso|auth|accounts?|idp|identity)\.", re.IGNORECASE)
# Those whose work is to send people elsewhere, an entrance included.
_FORWARDERS = frozenset({
    "bit.ly", "buff.ly", "cutt.ly", "doi.org", "goo.gl", "handle.net", "is.gd", "lnkd.in", "ow.ly",
    "purl.org", "rb.gy", "t.co", "tinyurl.com", "w3id.org",
})  # fmt: skip
_PARKING = frozenset({
    "above.com", "afternic.com", "atom.com", "bodis.com", "brandbucket.com", "buydomains.com",
    "dan.com", "domainmarket.com", "domainnamesales.com", "efty.com", "hugedomains.com",
    "namebright.com", "parkingcrew.net", "parklogic.com", "perfectdomain.com", "sedo.com",
    "sedoparking.com", "squadhelp.com", "trafficz.com", "undeveloped.com", "voodoo.com",
})  # fmt: skip
_PARKED_MACHINERY = re.compile(
    r"sedoparking\.com|parkingcrew\.net|bodis\.com/|d38psrni17bvxu|data-adblockkey=|parklogic\.com"
    r"|cdn\.parking|afternic\.com/forsale|hugedomains\.com/domain_profile|dan\.com/buy-domain"
    r"|window\.location\.href\s*=\s*[\"']/lander[\"']",
    re.IGNORECASE,
)
_FOR_SALE = re.compile(
    r"\b(?:this |the )?(?:web )?domain(?: name)?\b.{0,60}?\b(?:is|may be|could be) (?:available )?(?:for sale|parked)"
    r"|\b(?:buy|purchase|get) this domain|domain (?:is )?parked|parked (?:free|domain)|\bis for sale\b.{0,30}\bdomain"
    r"|interested in (?:buying )?this domain|inquire about this domain|this domain (?:has )?(?:recently )?expired"
    r"|domain(?:name)? (?:steht|ist) zu(?:m verkauf| verkaufen)|domain kaufen"
    r"|(?:nom de )?domaine (?:est|peut être) (?:à vendre|en vente)|acheter ce domaine"
    r"|dominio (?:est[áa] )?(?:en|[àa]|in) (?:venta|vendita)|dom[íi]nio (?:est[áa] )?[àa] venda"
    r"|домен (?:продается|продаётся|припаркован)|域名(?:出售|转让|正在出售)|ドメイン(?:は)?(?:販売|売り出し)中|도메인 판매",
    re.IGNORECASE,
)  # fmt: skip
_GONE = re.compile(
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
# So short that it can mean nothing else: "404", "Error 404", "Object not found".
_BARE = re.compile(
    r"\W*(?:(?:error|http|status|oops)\W+)*404(?:\W+(?:error|page|file|not|found))*\W*"
    r"|\W*(?:\w+\W+){0,2}not found\W*",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s[|·•»:–—-]+\s")
_UNSEEN = ["script", "style", "noscript", "template", "svg"]
_SHORT = 150  # words; what is longer may be a page about missing pages
_LITTLE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """What became of the address: `live`, `blocked` or `dead` with a reason, or `suspicious`."""

    state: str
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """As much of a page as it takes to tell what it is."""

    html: str
    title: str
    headings: tuple[str, ...]
    text: str

    @property
    def words(self) -> int:
        return len(self.text.split()) + sum(1 for char in self.text if char > "\u2e80") // 2


LIVE = Landing(state="live")


def detour(asked: str, final: str) -> Landing | None:
    """What the way there says by itself; None when it says nothing."""
    before, after = _split(asked), _split(final)
    home = domains.registrable(urls.host(final))
    if home in _PARKING and home != domains.registrable(urls.host(asked)):
        return Landing(state="dead", reason="parked")
    if urls.key(asked) == urls.key(final):
        return None
    if _to_login(before, after):
        return Landing(state="blocked", reason="login")
    if _ERROR_PATH.fullmatch(after.path) and not _ERROR_PATH.fullmatch(before.path):
        return Landing(state="dead", reason="soft_404")
    forwarded = domains.registrable(urls.host(asked)) in _FORWARDERS
    deep = not _ENTRANCE.fullmatch(before.path)
    if deep and not forwarded and _ENTRANCE.fullmatch(after.path) and not after.query:
        return Landing(state="dead", reason="home_redirect")
    return None


def judge(response: Response, *, asked: str) -> Landing:
    """What a page that came with a good status is; `suspicious` asks for a comparison."""
    if response.content_type not in {"text/html", "application/xhtml+xml", ""}:
        return LIVE
    seen = glance(response)
    if _parked(seen):
        return Landing(state="dead", reason="parked")
    walled = _walled(response, seen, asked)
    if walled is not None:
        return walled
    said = any(map(_says_gone, (seen.title, *seen.headings)))
    if said and seen.words < _SHORT:
        return Landing(state="dead", reason="soft_404")
    brief = seen.words < _LITTLE and _says_gone(seen.text)
    return Landing(state="suspicious", reason="soft_404") if said or brief else LIVE


def refused(response: Response) -> bool:
    """Whether an answer that is no success comes from a wall before the page."""
    seen = glance(response)
    return walls.bot(_seen(response, seen)) is not None


def alike(page: Glance, other: Glance) -> bool:
    """Whether two addresses of a server show the same page, but for their own names."""
    if page.title != other.title:
        return False
    ours, theirs = set(page.text.split()), set(other.text.split())
    return len(ours & theirs) >= 0.9 * max(len(ours | theirs), 1)


def glance(response: Response) -> Glance:
    from selectolax.lexbor import LexborHTMLParser

    html = decode(response.body, content_type=response.headers.get("content-type", "")).text
    tree = LexborHTMLParser(tame(html))
    tree.strip_tags(_UNSEEN)
    title = tree.css_first("title")
    return Glance(
        html=html,
        title=clean(title.text()) if title else "",
        headings=tuple(clean(node.text()) for node in tree.css("h1, h2")[:4]),
        text=clean(tree.body.text(separator=" ")) if tree.body else "",
    )


def sibling(url: str, token: str) -> str:
    """An address in the same folder that nobody can have written a page for."""
    parts = _split(url)
    folder = parts.path.rpartition("/")[0]
    return parts._replace(path=f"{folder}/{token}", query="", fragment="").geturl()


def _says_gone(line: str) -> bool:
    return any(_GONE.search(part) or _BARE.fullmatch(part) for part in _PARTS.split(line))


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _to_login(before: SplitResult, after: SplitResult) -> bool:
    if _LOGIN_PATH.search(before.path):
        return False
    host = after.hostname or ""
    sent = host != before.hostname and _LOGIN_HOST.match(host)
    return bool(sent or _LOGIN_PATH.search(after.path))


def _parked(seen: Glance) -> bool:
    if seen.words >= _SHORT:
        return False
    for_sale = _FOR_SALE.search(seen.title) or _FOR_SALE.search(seen.text)
    return bool(for_sale or (_PARKED_MACHINERY.search(seen.html) and seen.words < _LITTLE))


def _walled(response: Response, seen: Glance, asked: str) -> Landing | None:
    """A wall that stands before a page that is there; a paywall and an empty shell are the page."""
    wall = walls.detect(_seen(response, seen, redirected=response.url != asked))
    reasons = {WallKind.BOT: "bot_wall", WallKind.LOGIN: "login"}
    if wall is None or wall.kind not in reasons:
        return None
    return Landing(state="blocked", reason=reasons[wall.kind])


def _seen(response: Response, seen: Glance, *, redirected: bool = False) -> walls.Seen:
    return walls.Seen(
        status=response.status,
        headers=response.headers,
        html=seen.html,
        text=seen.text,
        title=seen.title,
        path=_split(response.url).path,
        redirected=redirected,
    )
