"""Recognises pages that stand before the content: bot walls, consent, login, paywall, soft 404, shell.

A page that merely talks about such walls is long and has no wall's machinery; so every mark counts
only on a page with few visible words, but for response headers, which speak for themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class WallKind(StrEnum):
    BOT = "bot"
    CONSENT = "consent"
    LOGIN = "login"
    PAYWALL = "paywall"
    MISSING = "soft_404"
    SHELL = "shell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wall:
    kind: WallKind
    by: str  # whose wall, or which mark gave it away


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An answer as the detectors look at it."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    html: str
    text: str  # what a reader would see of the whole page, chrome included
    title: str = ""
    path: str = ""  # of the address where redirects ended
    redirected: bool = False
    extracted: int = 0  # words of main content; some sites keep it where only robots look

    @property
    def words(self) -> int:
        """Visible words; two characters of an unspaced script count as one."""
        visible = len(self.text.split()) + len(_UNSPACED.findall(self.text)) // 2
        return max(visible, self.extracted)


_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
_FEW = 150  # words; real walls have fewer, chrome and legal lines included
_HANDFUL = 30

_HEADERS = (
    ("cf-mitigated", "challenge", "Cloudflare challenge"),
    ("x-amzn-waf-action", "challenge", "AWS WAF challenge"),
    ("x-amzn-waf-action", "captcha", "AWS WAF captcha"),
    ("x-vercel-mitigated", "challenge", "Vercel challenge"),
    ("x-sucuri-block", "", "Sucuri block"),
)
_MACHINERY = (
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
# A captcha belongs on many forms; alone it proves nothing.
_CAPTCHA = "captcha"
_PHRASES = re.compile(
    r"just a moment\.{3}|checking (?:your browser|if the site connection is secure)"
    r"|making sure you(?:'|’|&#39;)re not a bot|verif(?:y|ying) (?:that )?you are (?:a )?human"
    r"|(?:confirm|prove) (?:that )?you(?: are|'re|’re) (?:a )?human|press (?:&|and|&amp;) hold"
    r"|are you a robot\?|you are not a robot|you(?:'|’)re not a robot|unusual traffic from your"
    r"|ddos protection by|complete the security check|access to this page has been denied"
    r"|sorry, you have been blocked|please enable js and disable any ad ?blocker",
    re.IGNORECASE,
)
_NEEDS_SCRIPT = re.compile(
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
_PASSWORD = re.compile(r"<input\b[^>]*type\s*=\s*[\"']?password", re.IGNORECASE)
_PAYWALL_MARK = re.compile(
    r"\"isAccessibleForFree\"\s*:\s*\"?false|(?:class|id)=[\"'][^\"']*(?:paywall|regwall|piano-|meteredContent|subscription-required)",
    re.IGNORECASE,
)
_PAYWALL_TEXT = re.compile(
    r"subscri(?:be|ption) (?:to|for|is required to) (?:continue|keep|read|unlock|full)|for subscribers only|subscribers? only"
    r"|already a subscriber|to continue reading|create a free account to (?:read|continue)|article réservé (?:à nos|aux) abonnés"
    r"|weiterlesen mit|nur für abonnenten|solo para suscriptores",
    re.IGNORECASE,
)
_MISSING = re.compile(
    r"\W*(?:(?:error )?404\b|(?:the |this |requested )*page (?:was |could |can )?(?:not|n.t) (?:be )?found|not found\W*$|page does ?n.t exist|page no longer (?:exists|available)"
    r"|seite (?:wurde )?nicht gefunden|page (?:introuvable|non trouv[ée]e)|p[áa]gina no encontrada|p[áa]gina n[ãa]o encontrada"
    r"|pagina non trovata|страница не найдена|页面不存在|找不到(?:页面|頁面)|ページが見つかりません|페이지를 찾을 수 없)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"<h1\b[^>]*>(.*?)</h1>", re.IGNORECASE | re.DOTALL)
_ROOT = re.compile(
    r"<(?:div|main|section)\b[^>]*\bid=[\"']?(?:root|app|__next|__nuxt|___gatsby|main-app|react-root|svelte)[\"'\s>]|<app-root\b",
    re.IGNORECASE,
)
_SCRIPT = re.compile(r"<script\b", re.IGNORECASE)


def detect(seen: Seen) -> Wall | None:
    """The wall, or None for content. Call `bot` alone for answers that are not 2xx."""
    return (
        bot(seen)
        or _login(seen)
        or _consent(seen)
        or _missing(seen)
        or _paywall(seen)
        or _shell(seen)
    )


def bot(seen: Seen) -> Wall | None:
    for name, value, by in _HEADERS:
        if name in seen.headers and value in seen.headers[name].lower():
            return Wall(kind=WallKind.BOT, by=by)
    if seen.words >= _FEW:
        return None
    by = next((by for mark, by in _MACHINERY if mark.search(seen.html)), "")
    phrase = _PHRASES.search(seen.title) or _PHRASES.search(seen.text)
    if by and (by != _CAPTCHA or phrase):
        return Wall(kind=WallKind.BOT, by=by)
    if phrase or (seen.words < _HANDFUL and _NEEDS_SCRIPT.search(seen.text)):
        return Wall(kind=WallKind.BOT, by="asks for a human or for JavaScript")
    return None


def _login(seen: Seen) -> Wall | None:
    if seen.words >= _FEW:
        return None
    sent = seen.redirected and _LOGIN_PATH.search(seen.path)
    form = _PASSWORD.search(seen.html) and _LOGIN_WORDS.search(f"{seen.title} {seen.text}")
    if sent or form:
        return Wall(kind=WallKind.LOGIN, by="login redirect" if sent else "login form")
    return None


def _consent(seen: Seen) -> Wall | None:
    if seen.words >= _FEW or not _CONSENT_TEXT.search(seen.text):
        return None
    if _CONSENT_TITLE.search(seen.title) and _CONSENT_BUTTON.search(seen.html):
        return Wall(kind=WallKind.CONSENT, by="consent page")
    return None


def _missing(seen: Seen) -> Wall | None:
    heading = _HEADING.search(seen.html)
    said = _MISSING.match(seen.title) or (heading and _MISSING.match(heading[1]))
    if said and seen.words < _FEW:
        return Wall(kind=WallKind.MISSING, by="says that the page was not found")
    return None


def _paywall(seen: Seen) -> Wall | None:
    if seen.words < _FEW and _PAYWALL_TEXT.search(seen.text) and _PAYWALL_MARK.search(seen.html):
        return Wall(kind=WallKind.PAYWALL, by="subscription wall")
    return None


def _shell(seen: Seen) -> Wall | None:
    if seen.words >= _HANDFUL or not _SCRIPT.search(seen.html):
        return None
    if _ROOT.search(seen.html) or _NEEDS_SCRIPT.search(seen.html):
        return Wall(kind=WallKind.SHELL, by=f"empty shell, {len(seen.text.encode())} bytes")
    return None
