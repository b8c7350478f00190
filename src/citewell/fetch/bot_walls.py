"""Detects pages shown instead of the content: bot walls, consent, login, paywall, soft 404, empty shell.

An article about such pages uses the same words but is long. So every sign counts only on a page
with few visible words, except for response headers, which are proof by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from citewell.text.language.scripts import HAN_KANA_RANGES, THAI_RANGES


class WallKind(StrEnum):
    BOT = "bot"
    CONSENT = "consent"
    LOGIN = "login"
    PAYWALL = "paywall"
    MISSING = "soft_404"
    SHELL = "shell"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWall:
    kind: WallKind
    detected_by: str  # the product, or the sign by which the wall was detected


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectedPage:
    """A response prepared for the wall detectors."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    html: str
    text: str  # the visible text of the whole page, with menus and footers
    title: str = ""
    path: str = ""  # of the address after redirects
    redirected: bool = False
    extracted_words: int = 0  # words of main content; some sites hide it from people

    @property
    def visible_words(self) -> int:
        """How many words are visible; two characters of a script without spaces count as one word."""
        visible = len(self.text.split()) + len(_UNSPACED_CHARACTER.findall(self.text)) // 2
        return max(visible, self.extracted_words)


_UNSPACED_CHARACTER = re.compile(f"[{THAI_RANGES}{HAN_KANA_RANGES}]")
_MAX_WALL_WORDS = 150  # words; real walls have fewer, menus and legal lines included
_MAX_SHELL_WORDS = 30

_WALL_HEADERS = (
    ("cf-mitigated", "challenge", "Cloudflare challenge"),
    ("x-amzn-waf-action", "challenge", "AWS WAF challenge"),
    ("x-amzn-waf-action", "captcha", "AWS WAF captcha"),
    ("x-vercel-mitigated", "challenge", "Vercel challenge"),
    ("x-sucuri-block", "", "Sucuri block"),
)
_WALL_SCRIPTS = (
    (re.compile(r"_cf_chl_opt|cdn-cgi/challenge-platform/\w/\w/orchestrate|cf-browser-verification"), "Cloudflare challenge"),
    (re.compile(r"Attention Required! \| Cloudflare|Cloudflare Ray ID"), "Cloudflare block"),
    (re.compile(r"anubis_(?:challenge|version|base_prefix)|/\.within\.website/x/cmd/anubis"), "Anubis challenge"),
    (re.compile(r"captcha-delivery\.com"), "DataDome challenge"),
    (re.compile(r"px-captcha|captcha\.px-cdn\.net|_pxAppId"), "PerimeterX challenge"),
    (re.compile(r"_Incapsula_Resource|Incapsula incident ID"), "Imperva challenge"),
    (re.compile(r"awsWafCookieDomainList|AwsWafIntegration|aws-waf-token"), "AWS WAF challenge"),
    (re.compile(r"<title>\s*Access Denied\s*</title>.*?Reference\s*(?:&#35;|#)\s?[\d.]", re.DOTALL), "Akamai block"),
    (re.compile(r"/_sec/cp_challenge|sec-if-cpt-container"), "Akamai challenge"),
    (re.compile(r"(?:src|href)=[\"'][^\"']*(?:/ips\.js\?|149e9513-01fa-4fb0-aad4-566afd725d1b)"), "Kasada challenge"),
    (re.compile(r"g-recaptcha|h-captcha|cf-turnstile|hcaptcha\.com/1/api"), "captcha"),
)  # fmt: skip
# Many ordinary forms have a captcha, so it counts only together with a phrase.
_CAPTCHA_NAME = "captcha"
_BOT_CHECK_PHRASES = re.compile(
    r"just a moment\.{3}|checking (?:your browser|if the site connection is secure)"
    r"|making sure you(?:'|’|&#39;)re not a bot|verif(?:y|ying) (?:that )?you are (?:a )?human"
    r"|(?:confirm|prove) (?:that )?you(?: are|'re|’re) (?:a )?human|press (?:&|and|&amp;) hold"
    r"|are you a robot\?|you are not a robot|you(?:'|’)re not a robot|unusual traffic from your"
    r"|ddos protection by|complete the security check|access to this page has been denied"
    r"|sorry, you have been blocked|please enable js and disable any ad ?blocker",
    re.IGNORECASE,
)
_NEEDS_JAVASCRIPT = re.compile(
    r"(?:enable|turn on|requires?|need(?:s)?|without) java ?script|java ?script is (?:disabled|required|not enabled)"
    r"|javascript (?:aktivieren|must be enabled)|activ(?:er|ez) javascript",
    re.IGNORECASE,
)
_CONSENT_TITLE = re.compile(
    r"before you continue|bevor (?:sie|du) fortf\w+|avant d.acc\w+ (?:à|a) |cookie (?:consent|settings|choices)"
    r"|your privacy choices|privacy (?:settings|gate)|consent",
    re.IGNORECASE,
)
_CONSENT_TEXT = re.compile(
    r"\bcookies?\b|\bconsent\b|zustimm|consentement|consentimiento", re.IGNORECASE
)
_CONSENT_BUTTON = re.compile(
    r"<(?:button|input|a)\b[^>]*(?:>\s*(?:<[^>]+>\s*)*|value=[\"'])(?:accept|reject|agree|i agree|alle akzeptieren|tout accepter|aceptar)",
    re.IGNORECASE,
)
_LOGIN_PATH = re.compile(
    r"/(?:log-?in|sign-?in|signon|sso|auth|account/login|users?/sign_in|wp-login)(?:[/.?]|$)",
    re.IGNORECASE,
)
_LOGIN_WORDS = re.compile(
    r"\b(?:sign|log) ?in\b|anmelden|einloggen|se connecter|iniciar sesi[óo]n|accedi|войти|ログイン|登录|登入|로그인",
    re.IGNORECASE,
)
_PASSWORD_FIELD = re.compile(r"<input\b[^>]*type\s*=\s*[\"']?password", re.IGNORECASE)
_PAYWALL_MARKUP = re.compile(
    r"\"isAccessibleForFree\"\s*:\s*\"?false|(?:class|id)=[\"'][^\"']*(?:paywall|regwall|piano-|meteredContent|subscription-required)",
    re.IGNORECASE,
)
_PAYWALL_TEXT = re.compile(
    r"subscri(?:be|ption) (?:to|for|is required to) (?:continue|keep|read|unlock|full)|for subscribers only|subscribers? only"
    r"|already a subscriber|to continue reading|create a free account to (?:read|continue)|article réservé (?:à nos|aux) abonnés"
    r"|weiterlesen mit|nur für abonnenten|solo para suscriptores",
    re.IGNORECASE,
)
_NOT_FOUND_WORDS = re.compile(
    r"\W*(?:(?:error )?404\b|(?:the |this |requested )*page (?:was |could |can )?(?:not|n.t) (?:be )?found|not found\W*$|page does ?n.t exist|page no longer (?:exists|available)"
    r"|seite (?:wurde )?nicht gefunden|page (?:introuvable|non trouv[ée]e)|p[áa]gina no encontrada|p[áa]gina n[ãa]o encontrada"
    r"|pagina non trovata|страница не найдена|页面不存在|找不到(?:页面|頁面)|ページが見つかりません|페이지를 찾을 수 없)",
    re.IGNORECASE,
)
_FIRST_HEADING = re.compile(r"<h1\b[^>]*>(.*?)</h1>", re.IGNORECASE | re.DOTALL)
_APP_ROOT = re.compile(
    r"<(?:div|main|section)\b[^>]*\bid=[\"']?(?:root|app|__next|__nuxt|___gatsby|main-app|react-root|svelte)[\"'\s>]|<app-root\b",
    re.IGNORECASE,
)
_SCRIPT_TAG = re.compile(r"<script\b", re.IGNORECASE)


def find_page_wall(seen: InspectedPage) -> PageWall | None:
    """The wall, or None if the page is content. For a response that is not 2xx use `find_bot_wall`."""
    return (
        find_bot_wall(seen)
        or _find_login_wall(seen)
        or _find_consent_wall(seen)
        or _find_soft_404(seen)
        or _find_paywall(seen)
        or _find_empty_shell(seen)
    )


def find_bot_wall(seen: InspectedPage) -> PageWall | None:
    for name, value, by in _WALL_HEADERS:
        if name in seen.headers and value in seen.headers[name].lower():
            return PageWall(kind=WallKind.BOT, detected_by=by)
    if seen.visible_words >= _MAX_WALL_WORDS:
        return None
    by = next((by for mark, by in _WALL_SCRIPTS if mark.search(seen.html)), "")
    phrase = _BOT_CHECK_PHRASES.search(seen.title) or _BOT_CHECK_PHRASES.search(seen.text)
    if by and (by != _CAPTCHA_NAME or phrase):
        return PageWall(kind=WallKind.BOT, detected_by=by)
    if phrase or (seen.visible_words < _MAX_SHELL_WORDS and _NEEDS_JAVASCRIPT.search(seen.text)):
        return PageWall(
            kind=WallKind.BOT, detected_by="asks for proof of being human, or for JavaScript"
        )
    return None


def _find_login_wall(seen: InspectedPage) -> PageWall | None:
    if seen.visible_words >= _MAX_WALL_WORDS:
        return None
    sent = seen.redirected and _LOGIN_PATH.search(seen.path)
    form = _PASSWORD_FIELD.search(seen.html) and _LOGIN_WORDS.search(f"{seen.title} {seen.text}")
    if sent or form:
        return PageWall(kind=WallKind.LOGIN, detected_by="login redirect" if sent else "login form")
    return None


def _find_consent_wall(seen: InspectedPage) -> PageWall | None:
    if seen.visible_words >= _MAX_WALL_WORDS or not _CONSENT_TEXT.search(seen.text):
        return None
    if _CONSENT_TITLE.search(seen.title) and _CONSENT_BUTTON.search(seen.html):
        return PageWall(kind=WallKind.CONSENT, detected_by="consent page")
    return None


def _find_soft_404(seen: InspectedPage) -> PageWall | None:
    heading = _FIRST_HEADING.search(seen.html)
    said = _NOT_FOUND_WORDS.match(seen.title) or (heading and _NOT_FOUND_WORDS.match(heading[1]))
    if said and seen.visible_words < _MAX_WALL_WORDS:
        return PageWall(kind=WallKind.MISSING, detected_by="page says it was not found")
    return None


def _find_paywall(seen: InspectedPage) -> PageWall | None:
    if (
        seen.visible_words < _MAX_WALL_WORDS
        and _PAYWALL_TEXT.search(seen.text)
        and _PAYWALL_MARKUP.search(seen.html)
    ):
        return PageWall(kind=WallKind.PAYWALL, detected_by="subscription wall")
    return None


def _find_empty_shell(seen: InspectedPage) -> PageWall | None:
    if seen.visible_words >= _MAX_SHELL_WORDS or not _SCRIPT_TAG.search(seen.html):
        return None
    if _APP_ROOT.search(seen.html) or _NEEDS_JAVASCRIPT.search(seen.html):
        return PageWall(
            kind=WallKind.SHELL, detected_by=f"empty shell, {len(seen.text.encode())} bytes"
        )
    return None
