"""Short pages for the wall detectors: walls of many vendors and languages, and pages that look like them."""

from __future__ import annotations

from citewell.reading.bot_walls import WallKind

PROSE = (
    "The harbour office keeps a record of every tide since the pier was built, and the figures are"
    " copied into a public table each spring so that sailors and anglers can plan their days. "
)


def page(title: str, body: str, head: str = "") -> str:
    return (
        f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    )


SCRIPT = "<script src='/app.js'></script>"
DATED = "<meta property='article:published_time' content='2026-05-01T08:00:00Z'>"
QUICK_LOGIN = (
    "<form action='/login.php' method='post'>Username <input name='u'> Password <input type='password'"
    " name='p'> <label><input type='checkbox'> Log me on automatically</label>"
    "<input type='submit' value='Login'></form>"
)
SEARCH_FORM = (
    "<form action='/search'>Search for <input type='text' name='q'><button>Search</button></form>"
)

# Pages that must be read.
LOOK_ALIKES: dict[str, str] = {
    "search-without-results": page("Search - Sailing forum", f"<div class='top'>{QUICK_LOGIN}</div><h1>Search</h1><p>No suitable matches were found.</p>{SEARCH_FORM}"),
    "search-with-results": page("Search results", f"<header>{QUICK_LOGIN}</header><h2>Search found 3 matches</h2><ul><li><a href='/t/1'>Which tide table is right</a> by anna<li><a href='/t/2'>Tide tables for the north coast</a> by bert<li><a href='/t/3'>Old tide tables</a> by carl</ul>"),
    "board-index": page("Sailing forum - Index page", f"<table><tr><td><a href='/f/1'>Boats</a><td>120 topics<tr><td><a href='/f/2'>Harbours</a><td>64 topics<tr><td><a href='/f/3'>Weather</a><td>98 topics</table><h3>Login</h3>{QUICK_LOGIN}"),
    "topic-with-sign-in-to-reply": page("Knots", "<article><h1>Which knot for a mooring line?</h1><p>I tie up to a ring every evening and the bowline is hard to undo when wet. What do you use instead of it?</p><p>A round turn and two half hitches.</p></article><p>Please sign in to reply. <a href='/login'>Log in</a></p>"),
    "article-with-header-login": page("Opening hours", f"<header>{QUICK_LOGIN}</header><main><h1>Opening hours</h1><p>The office is open from nine to five on weekdays, and from ten to noon on Saturdays in summer.</p></main>"),
    "short-shop-page": page("Brass lamp", f"<nav><form><input type='email'><input type='password'><button>Sign in</button></form></nav><h1>Brass lamp</h1><p>Height 30 cm. Weight 1.2 kg. Comes with a cotton wick and a spare chimney of clear glass. £48.</p>{SCRIPT}"),
    "login-howto": page("How to log in to the harbour wifi", f"<div>{QUICK_LOGIN}</div><p>Choose the network called Quay, open any page and type the word on the card that you got with your berth. The card is valid for seven days and works for two devices at a time.</p>"),
    "sso-explained": page("Single sign-on explained", "<p>With single sign-on you log in once and reach every service of the port without typing a password again.</p>"),
    "history-of-404": page("Page not found: a short history of the 404", "<h1>Page not found: a short history of the 404</h1><p>" + PROSE + "</p>"),
    "page-not-found-album": page("Page Not Found (album) - Music list", "<h1>Page Not Found (album)</h1><p>The second album of the band came out in 1998 and has eleven songs.</p>"),
    "error-404-guide": page("What does error 404 mean? - Web guide", "<h1>What does error 404 mean?</h1><p>The server was reached but it has nothing under this address. Check the spelling first.</p>"),
    "year-404": page("404 - Years", "<h1>404</h1><p>Year 404 was a leap year of the Julian calendar. " + PROSE + PROSE + "</p>"),
    "article-named-not-found": page("Page not found | The Review", "<h1>Page not found</h1><p>" + PROSE * 2 + "</p>", DATED),
    "lost-and-found": page("Not found in any book", "<h1>Not found in any book</h1><p>Three recipes that the cook never wrote down.</p>"),
    "document-available": page("The document is available", "<h1>The document is available</h1><p>The minutes of the March meeting can now be fetched from the office.</p>"),
    "robot-quiz": page("Are you a robot? A quiz for children", f"<h1>Are you a robot? A quiz for children</h1><p>Answer ten questions about wheels, wires and feelings. {PROSE}</p>{SCRIPT}"),
    "just-a-moment-poem": page("Just a moment... - Poems", "<h1>Just a moment...</h1><p>" + PROSE * 2 + "</p>" + SCRIPT),
    "captcha-news": page("Port drops its captcha", "<h1>Port drops its captcha</h1><p>Visitors no longer have to prove you are human, as the sign said, before they see the timetable. " + PROSE + "</p>"),
    "contact-with-turnstile": page("Contact", "<h1>Write to the office</h1><form><textarea></textarea><div class='cf-turnstile'></div><button>Send</button></form>"),
    "protected-shop-page": page("Rope, 12 mm", "<h1>Rope, 12 mm</h1><p>Three-strand polyester rope for mooring, soft in the hand and slow to fade. Sold by the metre. Breaking load 2,800 kg. Colours: white, navy, black. Free samples on request from the counter.</p><script>window._pxAppId='PX1'</script>"),
    "imperva-site-page": page("Ferry times", "<h1>Ferry times</h1><p>The first boat leaves at six in the morning and the last one returns at ten at night. On Sundays the first boat leaves at eight. Dogs travel free and bicycles pay half.</p><script src='/_Incapsula_Resource?SWJIYLWA=719d'></script>"),
    "ray-id-explained": page("What is a Ray ID?", "<h1>What is a Ray ID?</h1><p>Every request through Cloudflare has a Ray ID, which the owner of a site can look up. It is shown at the foot of an error page.</p>"),
    "no-javascript-needed": page("A clock without JavaScript", "<h1>A clock without JavaScript</h1><p>It needs no scripts, only styles.</p>"),
    "how-to-enable-javascript": page("How to enable JavaScript", "<h1>How to enable JavaScript</h1><p>Open the settings of the browser, choose sites and allow scripts.</p>"),
    "rendered-app": page("Café", f"<div id='__next'><h1>Café at the quay</h1><p>Open every day from eight to six. Soup at noon. Cash only.</p></div><noscript>Enable JavaScript</noscript>{SCRIPT}"),
    "consent-in-ethics": page("Consent in medicine", "<h1>Consent in medicine</h1><p>Consent is valid if it is given freely and with knowledge.</p><div>We use cookies. <button>Accept</button></div>"),
    "cookie-recipe": page("Before you continue baking", "<h1>Before you continue baking</h1><p>Let the cookies cool for ten minutes.</p><div>This site uses cookies <button>Accept all</button></div>"),
    "cookie-banner": page("Lighthouse", "<div class='banner'>We use cookies <button>Accept all</button><button>Reject all</button></div><h1>Lighthouse</h1><p>Built in 1871. 22 metres high. Visits on the first Sunday of each month.</p>"),
    "newsletter": page("Brief: new pier", "<article><h1>New pier opens</h1><p>The new pier opened on Monday with a brass band and free soup for all who came.</p></article><p>Already a subscriber? Log in. Subscribe to keep reading our letters.</p><div class='paywall-config'></div>", "<script type='application/ld+json'>{\"@type\":\"NewsArticle\",\"isAccessibleForFree\":true}</script>"),
    "access-denied-film": page("Access Denied (film) - Film list", "<h1>Access Denied</h1><p>A thriller of 1999 about a locked ward. Running time 96 minutes.</p>"),
    "chinese-notice": page("港口通知", "<h1>港口通知</h1><p>因天气原因,今天下午的渡轮停航,明天上午恢复。请登录网站查询时间表。</p>"),
    "japanese-search": page("検索結果", f"<div class='head'>ログイン <form><input type='password'><button>ログイン</button></form></div><h1>検索結果</h1><p>潮汐表に一致する投稿は見つかりませんでした。</p>{SEARCH_FORM}"),
    "members-list": page("Members - Rowing club", f"<div id='sidebar'>{QUICK_LOGIN}</div><h1>Members</h1><ul><li>Anna, since 1999<li>Bert, since 2004<li>Carl, since 2011<li>Dora, since 2015<li>Emil, since 2020</ul>"),
    "documentation-of-login": page("login(1) - Manual", "<h1>login(1)</h1><p>Begins a session on the system. Options: -p keeps the environment, -f skips authentication, -h names the remote host. See also getty(8), passwd(5).</p>"),
    "subscribe-page": page("Subscribe to the paper", "<h1>Subscribe to the paper</h1><p>Delivered each morning, 4 a week. Students pay half. Stop whenever you like.</p><button>Subscribe</button>"),
}  # fmt: skip

LOGIN_FORM = "<form action='/session' method='post'><input name='email'><input type='password'><button>%s</button></form>"

# Pages that must be refused, and as what.
MORE_WALLS: dict[str, tuple[WallKind, str]] = {
    "vercel": (WallKind.BOT, page("Vercel Security Checkpoint", "<p>We're verifying your browser</p>" + SCRIPT)),
    "sucuri": (WallKind.BOT, page("Sucuri WebSite Firewall - Access Denied", "<h1>Access Denied - Sucuri Website Firewall</h1><p>Block reason: bad bot.</p>")),
    "ddos-guard": (WallKind.BOT, page("DDoS-Guard", "<p>Checking your browser before accessing example.org</p><script src='https://check.ddos-guard.net/check.js'></script>")),
    "akamai-text": (WallKind.BOT, page("Access Denied", "<h1>Access Denied</h1>You don't have permission to access this page. Reference &#35;18.6c2f1402.17")),
    "kasada": (WallKind.BOT, page("", "<script src='/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39/ips.js?x=1'></script>")),
    "kasada-empty": (WallKind.BOT, page("", "<script src='/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39/p.js'></script>")),
    "radware": (WallKind.BOT, page("Radware Captcha Page", "<p>We apologize for the inconvenience.</p>")),
    "distil": (WallKind.BOT, page("Pardon Our Interruption", "<h1>Pardon Our Interruption</h1><p>As you were browsing something about your browser made us think you were a bot.</p>" + SCRIPT)),
    "shop-robot-check": (WallKind.BOT, page("Robot Check", "<h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure you're not a robot.</p><form><input type='text' name='field'></form>")),
    "imunify": (WallKind.BOT, page("One moment, please...", "<p>Please wait while your request is being verified...</p>" + SCRIPT)),
    "f5": (WallKind.BOT, page("Request Rejected", "The requested URL was rejected. Please consult with your administrator. Your support ID is: 1234567890123")),
    "wordfence": (WallKind.BOT, page("Your access to this site has been limited", "<h1>Your access to this site has been limited by the site owner</h1><p>If you think you have been blocked in error, contact the owner.</p>")),
    "cloudflare-1020": (WallKind.BOT, page("Access denied | example.org used Cloudflare to restrict access", "<h1>Error 1020</h1><p>Access denied. This website is using a security service. Cloudflare Ray ID: 7d1e2f3a4b5c6d7e</p>")),
    "german-check": (WallKind.BOT, page("Sicherheitsüberprüfung", "<p>Bitte bestätigen Sie, dass Sie ein Mensch sind.</p><div class='h-captcha'></div>")),
    "french-check": (WallKind.BOT, page("Un instant", "<p>Nous devons vérifier que vous êtes humain. Cela peut prendre quelques secondes.</p>" + SCRIPT)),
    "spanish-check": (WallKind.BOT, page("Verificación de seguridad", "<p>Verifica que eres humano completando la acción.</p>" + SCRIPT)),
    "russian-check": (WallKind.BOT, page("Ой!", "<p>Подтвердите, что вы не робот. Нам очень жаль, но запросы похожи на автоматические.</p><div class='g-recaptcha'></div>")),
    "chinese-check": (WallKind.BOT, page("百度安全验证", "<p>网络不给力,请稍后重试</p>" + SCRIPT)),
    "japanese-check": (WallKind.BOT, page("確認", "<p>続行するには、ロボットではないことを確認してください。</p>" + SCRIPT)),
    "german-javascript": (WallKind.BOT, page("Portal", "<p>Bitte aktivieren Sie JavaScript, um fortzufahren.</p>")),
    "login-german": (WallKind.LOGIN, page("Anmelden - Portal", f"<h1>Anmelden</h1>{LOGIN_FORM % 'Anmelden'}<p>Passwort vergessen?</p>")),
    "login-french": (WallKind.LOGIN, page("Connexion", f"<h1>Connexion</h1>{LOGIN_FORM % 'Se connecter'}")),
    "login-russian": (WallKind.LOGIN, page("Вход", f"{LOGIN_FORM % 'Войти'}<a href='/r'>Регистрация</a>")),
    "login-chinese": (WallKind.LOGIN, page("用户登录", f"{LOGIN_FORM % '登录'}")),
    "login-japanese": (WallKind.LOGIN, page("ログイン", f"{LOGIN_FORM % 'ログイン'}")),
    "login-korean": (WallKind.LOGIN, page("로그인", f"{LOGIN_FORM % '로그인'}")),
    "login-with-pitch": (WallKind.LOGIN, page("Log in | Network", f"<h1>Sign in</h1>{LOGIN_FORM % 'Sign in'}<p>Stay updated on your professional world and meet the people who matter to your work. New here? Join now, it is free and takes a minute.</p>")),
    "login-without-a-name": (WallKind.LOGIN, page("Intranet", f"{LOGIN_FORM % 'Log in'}")),
    "board-for-members": (WallKind.LOGIN, page("Sailing forum - Information", f"<p>The board requires you to be registered and logged in to view this forum.</p>{QUICK_LOGIN}")),
    "topic-for-members": (WallKind.LOGIN, page("Error", "<p>You must be logged in to view this topic.</p><a href='/login'>Log in</a>")),
    "consent-german": (WallKind.CONSENT, page("Bevor Sie fortfahren", "<p>Wir verwenden Cookies. Stimmen Sie zu?</p><button>Alle akzeptieren</button><button>Alle ablehnen</button>")),
    "consent-settings": (WallKind.CONSENT, page("Privacy settings", "<p>We and our partners use cookies.</p><a href='/ok'>Accept all</a><a href='/no'>Reject all</a>")),
    "missing-iis": (WallKind.MISSING, page("404 - File or directory not found.", "<h2>404 - File or directory not found.</h2><h3>The resource might have been removed.</h3>")),
    "missing-in-a-site": (WallKind.MISSING, page("Page not found – Sailing club", "<nav>Home News Boats</nav><h1>Oops! That page can&rsquo;t be found.</h1><p>Try a search.</p>")),
    "missing-by-code": (WallKind.MISSING, page("404 | Sailing club", "<h1>404</h1><p>This page could not be found.</p>")),
    "missing-with-path": (WallKind.MISSING, page("Not Found: /old/tides", "<p>Go home.</p>")),
    "missing-spanish": (WallKind.MISSING, page("Página no encontrada | Puerto", "<p>Vuelva al inicio.</p>")),
    "missing-chinese": (WallKind.MISSING, page("页面不存在", "<p>返回首页</p>")),
    "paywall-italian": (WallKind.PAYWALL, page("Il porto", "<h1>Il porto cresce</h1><p>Contenuto riservato agli abbonati.</p><div id='paywall'></div>")),
    "shell-with-loading": (WallKind.SHELL, page("Portal", f"<div id='app'>Loading...</div>{SCRIPT}")),
}  # fmt: skip
