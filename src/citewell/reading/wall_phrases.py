"""The words and marks by which pages that stand before the content are recognized.

Every pattern takes time in proportion to the text: none repeats a part that overlaps what follows.
"""

from __future__ import annotations

import re

_TITLE_SEPARATOR = re.compile(r"\s[|\-–—·•:»«/]{1,3}\s|[|·•»«]|::")
_EDGE_MARKS = " \t.,!?…:;-–—\"'“”()[]#*"
_MAX_TITLE_CHARS = 300


def split_title(title: str) -> tuple[str, ...]:
    """The title, and its parts between separators, each without punctuation at its ends."""
    text = title[:_MAX_TITLE_CHARS]
    parts = (text, *_TITLE_SEPARATOR.split(text))
    return tuple(part.strip(_EDGE_MARKS) for part in parts if part.strip(_EDGE_MARKS))


def _compile_words(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


# Found only on the wall itself.
STRONG_WALL_MARKS = (
    (re.compile(r"_cf_chl_opt|cdn-cgi/challenge-platform/\w/\w/orchestrate|cf-browser-verification"), "Cloudflare challenge"),
    (re.compile(r"Attention Required! \| Cloudflare"), "Cloudflare block"),
    (re.compile(r"anubis_(?:challenge|version|base_prefix)|/\.within\.website/x/cmd/anubis"), "Anubis challenge"),
    (re.compile(r"captcha-delivery\.com"), "DataDome challenge"),
    (re.compile(r"id=[\"']?px-captcha|captcha\.px-cdn\.net"), "PerimeterX challenge"),
    (re.compile(r"Incapsula incident ID|_Incapsula_Resource\?(?:SWUDNSAI|CWUDNSAI)"), "Imperva challenge"),
    (re.compile(r"/_sec/cp_challenge|sec-if-cpt-container"), "Akamai challenge"),
    (re.compile(r"/ips\.js\?"), "Kasada challenge"),
    (re.compile(r"Vercel Security Checkpoint"), "Vercel challenge"),
    (re.compile(r"Sucuri WebSite Firewall|sucuri_cloudproxy_js"), "Sucuri block"),
    (re.compile(r"ddos-guard/js-challenge|check\.ddos-guard\.net"), "DDoS-Guard challenge"),
    (re.compile(r"validate\.perfdrive\.com|Radware Captcha Page"), "Radware challenge"),
    (re.compile(r"/_fs-ch-[\w-]{1,40}/"), "Fastly challenge"),
)  # fmt: skip
# Found on ordinary pages of protected sites too, so they count only with a phrase or an empty page.
WEAK_WALL_MARKS = (
    (re.compile(r"_pxAppId"), "PerimeterX challenge"),
    (re.compile(r"_Incapsula_Resource"), "Imperva challenge"),
    (re.compile(r"awsWafCookieDomainList|AwsWafIntegration|aws-waf-token"), "AWS WAF challenge"),
    (re.compile(r"149e9513-01fa-4fb0-aad4-566afd725d1b"), "Kasada challenge"),
)
# What a wall says to the visitor.
BOT_CHECK_PHRASES = _compile_words(
    r"just a moment\.{3}|checking (?:your browser|if the site connection is secure)",
    r"making sure you(?:'|’|&#39;)re not a bot|verif(?:y|ying) (?:that )?you(?: are|'re|’re) (?:a )?human",
    r"(?:confirm|prove) (?:that )?you(?: are|'re|’re) (?:a )?human|press (?:&|and|&amp;) hold",
    r"are you a robot\?|you are not a robot|you(?:'|’)re not a robot|unusual traffic from your",
    r"ddos protection by|complete the security check|access to this page has been denied",
    r"sorry, you have been blocked|please enable js and disable any ad ?blocker",
    r"your request is being verified|performing security verification|needs to review the security of your",
    r"enter the characters you see below|made us think you (?:were|are) a bot",
    r"the requested url was rejected\. please consult|your access to this (?:site|service) has been limited",
    r"bestätigen sie,? dass sie (?:ein mensch|kein roboter)|überprüfen,? (?:ob|dass) sie (?:ein mensch|kein roboter)",
    r"vérifi(?:er|ez|ons) que vous êtes (?:un |bien un )?(?:humain|être humain)|vous n(?:'|’)êtes pas un robot",
    r"(?:verifi(?:ca|car|que|quemos)|confirm(?:a|e|ar)) que (?:eres|es|no eres|usted es) (?:un )?(?:humano|ser humano|robot)",
    r"verifique (?:se|que) você é (?:um )?humano|você não é um robô|(?:verifica|conferma) di (?:non )?essere (?:un )?(?:umano|essere umano|robot)",
    r"подтвердите,? что вы не робот|вы не робот|проверка (?:вашего )?браузера",
    r"(?:请|請)?(?:完成|进行|進行)(?:安全|人机|人機|滑块)?(?:验证|驗證)|验证您是真人|驗證您是人類|人机验证",
    r"ロボットではないことを|人間であることを確認|로봇이 아닙니다|사람인지 확인",
    r"controleren of u een mens bent|potwierdź,? że (?:nie )?jesteś (?:człowiekiem|robotem)|robot olmadığınızı",
)
# A title or heading that is nothing but this; each is the name that a wall gives itself.
BOT_CHECK_TITLE = _compile_words(
    r"just a moment(?: please)?|one moment,? please|just a second|attention required",
    r"(?:are )?you(?: are|'re)? (?:not )?a robot|(?:are you|prove you(?:'|’)re|confirm you are) (?:a )?(?:human|robot)",
    r"robot check|bot (?:check|verification|detection)|human verification|security (?:check|verification|checkpoint)",
    r"ddos-guard|client challenge|pardon our interruption|(?:please )?verify (?:that )?you(?: are|'re) (?:a )?human",
    r"making sure you(?:'|’)re not a bot|access to this page has been denied|sorry,? you have been blocked",
    r"sicherheitsüberprüfung|vérification de sécurité|verificación de seguridad|verificação de segurança|verifica di sicurezza",
    r"проверка безопасности|安全验证|安全驗證|百度安全验证|人机验证|セキュリティチェック|보안 확인",
)
BLOCK_WORDS = _compile_words(
    r"\b(?:blocked|banned)\b|access denied|security (?:service|solution)|error 10\d\d"
)
BLOCK_REFERENCE = re.compile(
    r"\breference\s{0,3}#\s?[\d.]{4}|cloudflare ray id:?\s{0,3}[0-9a-f]{8}|support id is:?\s{0,3}\d{6}",
    re.IGNORECASE,
)
NEEDS_JAVASCRIPT = _compile_words(
    r"(?:enable|turn on|activate|requires?|needs?) (?:java ?script|js\b)|java ?script (?:is|must be|has to be|needs to be|appears to be) (?:disabled|required|not enabled|enabled|turned off|off)",
    r"(?:work|function|run|display|load)\w{0,5} (?:properly |correctly )?without java ?script",
    r"javascript (?:bitte )?aktivieren|aktivieren sie (?:bitte )?javascript|activ(?:er|ez|e|ar|a) (?:el |o )?javascript",
    r"habilit\w{1,5} (?:el |o )?javascript|abilita(?:re)? javascript|включите (?:поддержку )?javascript",
    r"(?:启用|啟用|开启) ?javascript|javascript ?を有効|javascript을 (?:활성화|사용)|schakel javascript in|włącz(?:yć)? (?:obsługę )?javascript",
)
CONSENT_TITLE = _compile_words(
    r"before you continue(?: to .{1,40})?|bevor (?:sie|du) (?:fortf\w{1,10}|.{1,30} weiter\w{1,6})|avant d.acc\w{1,8} .{1,40}|avant de continuer(?: .{1,40})?",
    r"cookie[ -]?(?:consent|settings|choices|preferences|notice|wall)|(?:your )?privacy (?:choices|settings|gate|preferences)",
    r"(?:your )?consent(?: required| management)?|we (?:value|respect) your privacy|your privacy matters(?: to us)?",
    r"datenschutzeinstellungen|cookie-einstellungen|antes de continuar(?: .{1,40})?|prima di continuare(?: .{1,40})?|voordat je verdergaat(?: .{1,40})?",
)
CONSENT_TEXT = _compile_words(
    r"\bcookies?\b|\bconsent\b|zustimm|consentement|consentimiento|consenso|toestemming"
)
CONSENT_BUTTON = _compile_words(
    r"accept|reject|agree|i agree|allow all|alle (?:akzeptieren|ablehnen|accepteren)|akzeptieren|zustimmen",
    r"tout (?:accepter|refuser)|accepter|aceptar|rechazar|aceitar|accetta|rifiuta",
)
LOGIN_PATH = re.compile(
    r"/(?:log-?in|sign-?in|signon|sso|auth|account/login|users?/sign_in|wp-login)(?:[/.?]|$)",
    re.IGNORECASE,
)
LOGIN_WORDS = _compile_words(
    r"\b(?:sign|log) ?-?in\b|anmelden|anmeldung|einloggen|se connecter|connexion|iniciar sesi[óo]n|accedi|entrar|войти|вход",
    r"ログイン|登录|登入|로그인|inloggen|zaloguj|giriş yap|logga in|log ind|logg inn|kirjaudu|přihlá|bejelentkez",
)
LOGIN_TITLE = _compile_words(
    r"(?:please |member |customer |user |account |staff )?(?:sign|log)[ -]?in(?: (?:to|with|or|and|for|required|page|here|form)(?: .{1,60})?)?",
    r"(?:authentication|authorization|login|log-in|registration) (?:is )?required|restricted (?:area|access)|members? (?:only|area)|private (?:forum|area|community)",
    r"(?:bitte )?(?:anmelden|einloggen|anmeldung)(?: (?:bei|zu|zum|im) .{1,40})?|connexion(?: (?:à|au) .{1,40})?|se connecter|identifiez-vous|iniciar sesi[óo]n(?: en .{1,40})?|acceder|accedi|accesso|entrar|fazer login",
    r"войти|вход(?: (?:на|в) .{1,40})?|авторизация|ログイン(?:.{1,20})?|(?:用户|會員|会员)?(?:登录|登入)(?:.{1,20})?|로그인|inloggen|zaloguj się|logowanie|giriş(?: yap)?|logga in|log ind|logg inn|kirjaudu(?: sisään)?|přihlášení|bejelentkezés",
)
# Says that the page is shown only to those who log in, which is more than an offer to log in.
LOGIN_DEMAND = _compile_words(
    r"(?:must|need to|have to|required to|requires you to) (?:be |first )?(?:(?:registered and |a )?(?:logged|signed) in|(?:log|sign) in|registered|a (?:registered )?member)",
    r"(?:please )?(?:log|sign) in (?:or (?:register|sign up|create an account) )?to (?:continue|view|read|see|access|proceed)(?! (?:and )?(?:post|comment|repl))",
    r"(?:only|available to|visible to|restricted to) (?:registered|logged[ -]in|signed[ -]in) (?:users|members)|for members only|members only",
    r"(?:bitte )?melden sie sich (?:bitte )?an,? um|nur für (?:registrierte|angemeldete)|bitte (?:einloggen|anmelden),? um|sie müssen (?:sich anmelden|angemeldet sein)",
    r"connectez-vous pour (?:continuer|lire|voir|accéder)|vous devez (?:être connecté|vous connecter)|réservé aux membres",
    r"(?:debes|debe|inicia|inicie) (?:iniciar )?sesión para (?:continuar|leer|ver|acceder)|debes iniciar sesión|effettua (?:il login|l.accesso) per|devi effettuare|faça login para|você precisa (?:estar logado|fazer login)",
    r"войдите,? чтобы|необходимо (?:войти|авторизоваться)|только для зарегистрированных|请先?登录(?:后|以)|需要登录|請先登入|ログインしてください|ログインが必要|로그인(?:이 필요| 후 이용| 해주세요)",
)
PAYWALL_MARKUP = re.compile(
    r"(?:class|id)=[\"'][^\"'<>]{0,200}(?:paywall|regwall|piano-|meteredContent|subscription-required)",
    re.IGNORECASE,
)
PAYWALL_TEXT = _compile_words(
    r"subscri(?:be|ption) (?:to|for|is required to) (?:continue|keep|read|unlock|full)|for subscribers only|subscribers? only",
    r"already a subscriber|to continue reading|create a free account to (?:read|continue)|article réservé (?:à nos|aux) abonnés",
    r"weiterlesen mit|nur für abonnenten|solo para suscriptores|riservato agli abbonati|exclusivo para assinantes|alleen voor abonnees|только для подписчиков|会员专享|有料会員",
)
# One of these is in every text that PAYWALL_TEXT matches; looking for them is much cheaper.
PAYWALL_STEMS = (
    "subscri", "continue reading", "account to", "abonn", "weiterlesen mit", "suscriptor", "abbonat", "assinante",
    "подписчик", "会员专享", "有料会員",
)  # fmt: skip
_LEAD = r"(?:(?:oops|sorry|whoops|uh[ -]oh|error|fehler|erreur|ошибка|http)[\s,!.:…-]{1,4})?"
_CODE = r"(?:http |error |fehler |erreur |ошибка )?(?:status )?404(?: error)?[\s,!.:()–—-]{0,4}"
_THING = (
    r"(?:the |this |that |your |requested |web ?){0,3}(?:page|file(?: or directory)?|resource|document|url"
    r"|content|article|topic|thread)(?: you (?:requested|(?:are|were) looking for))?"
)
_ABSENT = (
    r"(?:(?:was |is |were |could )?not (?:be )?(?:found|available)|cannot be found|(?:can|could|was|is)n?(?:'|’)?t (?:be )?found"
    r"|does ?n(?:o|'|’)?t exist|(?:is )?no longer (?:exists|available)|has been (?:removed|deleted)|is missing|is(?: no|n(?:'|’))t available)"
)
_TAIL = r"[\s,!.:()–—-]{0,4}(?:\(?(?:error |http )?404\)?(?: error)?|error)?[\s!.)\d]{0,4}"
# A title or heading that says nothing else.
NOT_FOUND_TITLE = re.compile(
    rf"{_LEAD}(?:{_CODE})?(?:{_THING} {_ABSENT}|we (?:can(?:'|’)?t|cannot|couldn(?:'|’)?t|could not) find {_THING})(?:[:\s]{{1,2}}/\S{{0,200}})?{_TAIL}"
    rf"|{_LEAD}{_CODE}(?:(?:file |page )?not found|nicht gefunden|non trouvé|no encontrad[oa]){_TAIL}"
    r"|not found: /\S{0,200}|(?:die |diese )?(?:angeforderte )?seite (?:(?:wurde |konnte )?nicht (?:gefunden|verfügbar|vorhanden)(?: werden)?|existiert nicht(?: mehr)?)"
    r"|page (?:introuvable|non trouv[ée]e|inexistante)|(?:la )?p[áa]gina no (?:encontrada|existe|disponible)|p[áa]gina n[ãa]o (?:encontrada|existe)|pagina (?:non trovata|niet gevonden)"
    r"|страница не (?:найдена|существует)|(?:页面|頁面|网页|您访问的页面)(?:不存在|未找到|找不到了?|走丢了)|找不到(?:页面|頁面|网页)"
    r"|(?:お探しの)?ページ[がは](?:見つかりません(?:でした)?|存在しません)|페이지를 찾을 수 없(?:습니다|음)|strona nie (?:została znaleziona|istnieje)|nie znaleziono strony"
    r"|sidan (?:hittades inte|kunde inte hittas)|siden blev ikke fundet|sivua ei löydy|sayfa bulunamadı|stránka nenalezena|az oldal nem található",
    re.IGNORECASE,
)
# A title that may be an error or the name of something else.
VAGUE_NOT_FOUND_TITLE = re.compile(
    rf"{_LEAD}(?:404|410|not found|nicht gefunden|introuvable){_TAIL}", re.IGNORECASE
)
ABSENCE_WORDS = _compile_words(
    r"(?:does|do) ?n(?:o|'|’)t exist|(?:could|can) ?(?:not|n(?:'|’)t) (?:be )?(?:find|found)|not found|no longer (?:exists|available|here)|(?:has been|was|been) (?:moved|removed|deleted)|looking for",
    r"nicht gefunden|existiert nicht|n(?:'|’)existe (?:pas|plus)|introuvable|no existe|no se (?:encuentra|encontró)|não (?:existe|encontrad)|non esiste|не найден|не существует|不存在|找不到|見つかりません|찾을 수 없",
)
