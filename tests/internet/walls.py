"""Pages that stand before the content: bot walls, consent, login, paywall, soft 404, empty shell.

Written by us after the marks such pages really carry; none is a copy.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class WallPage:
    body: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def _page(title: str, body: str, head: str = "") -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"{head}</head><body>{body}</body></html>"
    )


WALLS: dict[str, WallPage] = {
    "cloudflare": WallPage(
        status=403,
        headers={"cf-mitigated": "challenge", "server": "cloudflare"},
        body=_page(
            "Just a moment...",
            '<div class="main-wrapper"><h1>example.org</h1><p id="challenge-running">Checking if the'
            " site connection is secure</p><noscript>Enable JavaScript and cookies to continue"
            "</noscript></div><script>window._cf_chl_opt = {cvId: '3'};</script>"
            '<script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script>',
        ),
    ),
    "cloudflare-block": WallPage(
        status=403,
        headers={"server": "cloudflare"},
        body=_page(
            "Attention Required! | Cloudflare",
            "<h1>Sorry, you have been blocked</h1><p>You are unable to access example.org</p>"
            "<p>Cloudflare Ray ID: 0000000000000000</p>",
        ),
    ),
    "anubis": WallPage(
        body=_page(
            "Making sure you&#39;re not a bot!",
            "<h1>Making sure you&#39;re not a bot!</h1><p>Loading...</p><p>You are seeing this"
            " because the administrator of this website has set up Anubis to protect the server"
            " against AI companies.</p><noscript>Sadly, you must enable JavaScript to get past this"
            " challenge.</noscript>",
            '<script id="anubis_version" type="application/json">"v1"</script>'
            '<script id="anubis_challenge" type="application/json">{"difficulty":4}</script>',
        ),
    ),
    "datadome": WallPage(
        status=403,
        headers={"x-datadome": "protected", "x-dd-b": "1"},
        body=_page(
            "example.org",
            "<p id=\"cmsg\">Please enable JS and disable any ad blocker</p><script>var dd={'rt':'c',"
            "'host':'geo.captcha-delivery.com'}</script>"
            '<script src="https://ct.captcha-delivery.com/c.js"></script>',
        ),
    ),
    "perimeterx": WallPage(
        status=403,
        body=_page(
            "Access to this page has been denied",
            '<h1>Press &amp; Hold to confirm you are a human (and not a bot).</h1><div id="px-captcha">'
            "</div><script>window._pxAppId = 'PX00000000';</script>",
        ),
    ),
    "akamai": WallPage(
        status=403,
        headers={"server": "AkamaiGHost"},
        body=_page(
            "Access Denied",
            '<h1>Access Denied</h1>You don\'t have permission to access "http://example.org/" on this'
            " server.<p>Reference #18.00000000.0000000000.00000000</p>",
        ),
    ),
    "aws": WallPage(
        status=202,
        headers={"x-amzn-waf-action": "challenge"},
        body=_page(
            "",
            '<div id="challenge-container"></div><script>AwsWafIntegration.getToken()</script>'
            "<noscript><h1>JavaScript is disabled</h1>In order to continue, we need to verify that"
            " you're not a robot. This requires JavaScript.</noscript>",
            "<script>window.awsWafCookieDomainList = [];</script>",
        ),
    ),
    "imperva": WallPage(
        body=_page(
            "",
            '<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31">Request unsuccessful.'
            " Incapsula incident ID: 0-0</iframe>",
            '<meta name="robots" content="noindex,nofollow">',
        ),
    ),
    "javascript": WallPage(
        body=_page(
            "example.org",
            "<p>Please enable JavaScript to continue using this application.</p>",
        ),
    ),
    "robot": WallPage(
        body=_page(
            "Are you a robot?",
            "<h1>Please verify you are a human</h1><p>We have detected unusual traffic from your"
            ' network. Complete the check below to continue.</p><div class="g-recaptcha"></div>',
        ),
    ),
    "consent": WallPage(
        body=_page(
            "Before you continue",
            "<h1>Before you continue</h1><p>We use cookies and data to deliver and maintain our"
            " services, track outages and protect against spam.</p><p>If you choose to accept all, we"
            " will also use cookies to develop new services and show personalised content.</p>"
            '<form action="/save" method="post"><button>Reject all</button><button>Accept all</button>'
            '</form><a href="/privacy">Privacy policy</a>',
        ),
    ),
    "login": WallPage(
        body=_page(
            "Sign in to continue",
            '<h1>Sign in</h1><form method="post" action="/session"><label>E-mail <input name="email"'
            ' type="email"></label><label>Password <input name="password" type="password"></label>'
            '<button>Sign in</button></form><p><a href="/forgot">Forgot your password?</a></p>',
        ),
    ),
    "paywall": WallPage(
        body=_page(
            "Harbour traffic reaches a record",
            "<main><article><h1>Harbour traffic reaches a record</h1><p>More ships called at the port"
            ' last year than in any year before.</p></article><div class="paywall"><h2>Subscribe to'
            " continue reading</h2><p>This article is for subscribers only. Already a subscriber?"
            ' <a href="/login">Log in</a>.</p></div></main>',
            '<script type="application/ld+json">{"@context":"https://schema.org","@type":'
            '"NewsArticle","isAccessibleForFree":false}</script>',
        ),
    ),
    "soft-404": WallPage(
        body=_page(
            "Page not found",
            '<nav><a href="/">Home</a></nav><main><h1>Page not found</h1><p>Sorry, the page you are'
            ' looking for does not exist or has been moved.</p><p><a href="/">Back to the home page'
            "</a></p></main>",
        ),
    ),
    "shell": WallPage(
        body=_page(
            "Dashboard",
            '<div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript>'
            + '<script src="/static/js/main.js"></script>' * 3
            + "<script>"
            + "window.__STATE__={};" * 300
            + "</script>",
        ),
    ),
    "empty": WallPage(body=_page("", "")),
    "nothing": WallPage(body=""),
}
