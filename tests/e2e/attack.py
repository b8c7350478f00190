"""Ways in which a page can make a browser reach an address, each marked by its name in the path."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.net.loopback import Exchange, serve

# In each, BAD is the forbidden address with the way's name, HOST its host and port, OWN the page's
# own site, which may answer with anything.
MARKUP = {
    "img": '<img src="BAD">',
    "srcset": '<img srcset="BAD 1x">',
    "picture": '<picture><source srcset="BAD"><img></picture>',
    "input-image": '<input type="image" src="BAD">',
    "body-background": '<table background="BAD"><tr><td>x</td></tr></table>',
    "script": '<script src="BAD"></script>',
    "module-script": '<script type="module" src="BAD"></script>',
    "iframe": '<iframe src="BAD"></iframe>',
    "srcdoc": """<iframe srcdoc="<img src='BAD'>"></iframe>""",
    "data-iframe": """<iframe src="data:text/html,<img src='BAD'><script>fetch('BAD')</script>"></iframe>""",
    "object": '<object data="BAD"></object>',
    "embed": '<embed src="BAD">',
    "video": '<video src="BAD" preload="auto"></video>',
    "poster": '<video poster="BAD"></video>',
    "audio": '<audio src="BAD" preload="auto" autoplay muted></audio>',
    "track": '<video src="OWN/empty"><track default src="BAD"></video>',
    "svg-image": '<svg width="9" height="9"><image href="BAD" width="9" height="9"/></svg>',
    "svg-use": '<svg width="9" height="9"><use href="BAD#a"/></svg>',
    "svg-filter": '<svg width="9" height="9"><filter id="f"><feImage href="BAD"/></filter><rect width="9" height="9" filter="url(#f)"/></svg>',
    "stylesheet": '<link rel="stylesheet" href="BAD">',
    "css-import": '<style>@import "BAD";</style>',
    "css-url": '<style>#u {background: url("BAD")}</style><p id="u">x</p>',
    "css-content": '<style>#c::before {content: url("BAD")}</style><p id="c">x</p>',
    "css-mask": '<style>#m {mask-image: url("BAD"); border-image: url("BAD") 1}</style><p id="m">x</p>',
    "css-list": '<style>#l {list-style-image: url("BAD")}</style><ul><li id="l">x</li></ul>',
    "font-face": '<style>@font-face {font-family: z; src: url("BAD")} #z {font-family: z}</style><p id="z">x</p>',
    "preload": '<link rel="preload" as="image" href="BAD">',
    "prefetch": '<link rel="prefetch" href="BAD">',
    "preconnect": '<link rel="preconnect" href="BAD">',
    "dns-prefetch": '<link rel="dns-prefetch" href="BAD">',
    "modulepreload": '<link rel="modulepreload" href="BAD">',
    "prerender": '<link rel="prerender" href="BAD">',
    "manifest": '<link rel="manifest" href="BAD">',
    "icon": '<link rel="icon" href="BAD">',
    "meta-refresh": """<iframe srcdoc="<meta http-equiv='refresh' content='0;url=BAD'>"></iframe>""",
    "base-href": """<iframe srcdoc="<base href='BAD/'><img src='x'>"></iframe>""",
    "redirect-image": '<img src="OWN/to?BAD">',
    "redirect-frame": '<iframe src="OWN/to?BAD"></iframe>',
    "redirect-script": '<script src="OWN/to?BAD"></script>',
    "refresh-header": '<iframe src="OWN/refresh?BAD"></iframe>',
    "link-header": '<iframe src="OWN/linked?BAD"></iframe>',
    "csp-report": '<iframe src="OWN/reporting?BAD"></iframe>',
    "xslt": '<iframe src="OWN/styled.xml?BAD"></iframe>',
    "speculation": '<script type="speculationrules">{"prefetch":[{"source":"list","urls":["BAD"]}],"prerender":[{"source":"list","urls":["BAD"]}]}</script>',
    "portal": '<portal src="BAD"></portal>',
    "fenced-frame": '<fencedframe src="BAD"></fencedframe>',
}
SCRIPT = {
    "fetch": "fetch('BAD')",
    "fetch-post": "fetch('BAD', {method: 'POST', mode: 'no-cors', body: 'x'})",
    "fetch-keepalive": "fetch('BAD', {keepalive: true, mode: 'no-cors'})",
    "fetch-redirect": "fetch('OWN/to?BAD')",
    "fetch-preflight": "fetch('BAD', {method: 'PUT', headers: {'x-a': 'b'}})",
    "xhr": "(() => {const x = new XMLHttpRequest(); x.open('GET', 'BAD'); x.send()})()",
    "websocket": "new WebSocket('BAD'.replace('http', 'ws'))",
    "event-source": "new EventSource('BAD')",
    "beacon": "navigator.sendBeacon('BAD', 'x')",
    "image-object": "new Image().src = 'BAD'",
    "written": "document.body.insertAdjacentHTML('beforeend', '<img src=\"BAD\">')",
    "form": "(() => {const f = make('iframe'); f.name = 'ff'; const m = make('form'); m.action = 'BAD'; m.method = 'post'; m.target = 'ff'; m.submit()})()",
    "form-blank": "(() => {const m = make('form'); m.action = 'BAD'; m.target = '_blank'; m.submit()})()",
    "open": "window.open('BAD')",
    "frame-location": "make('iframe').contentWindow.location = 'BAD'",
    "ping": "(() => {const a = make('a'); a.ping = 'BAD'; a.href = '#x'; a.click()})()",
    "download": "(() => {const a = make('a'); a.target = make('iframe').name = 'dl'; a.download = 'x'; a.href = 'BAD'; a.click()})()",
    "import": "import('BAD').catch(() => 0)",
    "worker": "new Worker(blob('importScripts(\"BAD\")'))",
    "worker-fetch": "new Worker(blob('fetch(\"BAD\")'))",
    "worker-socket": 'new Worker(blob(\'new WebSocket("BAD".replace("http", "ws"))\'))',
    "shared-worker": "new SharedWorker('OWN/worker.js?BAD')",
    "service-worker": "navigator.serviceWorker.register('OWN/worker.js?BAD')",
    "paint-worklet": "CSS.paintWorklet.addModule('BAD')",
    "audio-worklet": "new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule('BAD')",
    "blob-frame": "make('iframe').src = blob('<img src=\"BAD\">', 'text/html')",
    "web-transport": "new WebTransport('BAD'.replace('http', 'https')).ready.catch(() => 0)",
    "stun": "rtc('stun:HOST')",
    "turn-udp": "rtc('turn:HOST')",
    "turn-tcp": "rtc('turn:HOST?transport=tcp')",
    "rtc-candidate": "(async () => {const p = new RTCPeerConnection(); p.createDataChannel('x'); await p.setLocalDescription(await p.createOffer()); const q = new RTCPeerConnection(); await q.setRemoteDescription(p.localDescription); await q.setLocalDescription(await q.createAnswer()); await p.setRemoteDescription(q.localDescription); const [h, n] = 'HOST'.split(':'); await p.addIceCandidate({candidate: `candidate:1 1 udp 2122260223 ${h} ${n} typ host`, sdpMid: '0', sdpMLineIndex: 0})})()",
    "https": "fetch('BAD'.replace('http:', 'https:')).catch(() => 0)",
    "fetch-later": "fetchLater('BAD', {activateAfter: 0})",
    "attribution": "(() => {const i = make('img'); i.attributionSrc = 'BAD'; i.src = 'OWN/empty'})()",
}
# The same address in other words; PORT is the forbidden one.
SPELLINGS = {
    "localhost": "localhost:PORT", "under-localhost": "a.localhost:PORT", "dotted": "localhost.:PORT",
    "decimal": "2130706433:PORT", "octal": "0177.0.0.1:PORT", "hexadecimal": "0x7f.1:PORT",
    "short": "127.1:PORT", "any": "0.0.0.0:PORT", "ipv6": "[::1]:PORT", "ipv6-any": "[::]:PORT",
    "mapped": "[::ffff:127.0.0.1]:PORT", "by-name": "inside.example.org:PORT",
    "wide": "１２７.0.0.1:PORT", "neighbour": "127.0.0.2:PORT",
}  # fmt: skip
# Ways that take the whole page along, each a visit of its own.
JOURNEYS = {
    "top-redirect": (302, {"Location": "BAD"}, ""),
    "top-permanent": (308, {"Location": "BAD"}, ""),
    "top-refresh": (200, {}, '<meta http-equiv="refresh" content="0;url=BAD">'),
    "top-location": (200, {}, "<script>location = 'BAD'</script>"),
    "top-replace": (200, {}, "<script>setTimeout(() => location.replace('BAD'), 50)</script>"),
    "top-form": (200, {}, '<form action="BAD" method="post"></form><script>document.forms[0].submit()</script>'),
}  # fmt: skip

_TOOLS = """
const make = (tag) => document.body.appendChild(document.createElement(tag));
const blob = (text, type) => URL.createObjectURL(new Blob([text], {type: type || 'text/javascript'}));
const rtc = async (url) => {
    const peer = new RTCPeerConnection({iceServers: [{urls: url, username: 'u', credential: 'p'}]});
    peer.createDataChannel('x');
    await peer.setLocalDescription(await peer.createOffer());
};
addEventListener('unhandledrejection', (event) => event.preventDefault());
"""


@dataclass
class Trap:
    """The forbidden listener: it counts whatever comes, and answers nothing."""

    port: int = 0
    connections: int = 0
    datagrams: int = 0
    ways: set[str] = field(default_factory=set)


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, trap: Trap) -> None:
        self._trap = trap

    def datagram_received(self, data: bytes, addr: object) -> None:
        self._trap.datagrams += 1


@asynccontextmanager
async def trap() -> AsyncIterator[Trap]:
    """Listens on every loopback address of both families, TCP and UDP, on one port."""
    made = Trap()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        made.connections += 1
        try:
            line = await asyncio.wait_for(reader.readline(), 2)
            made.ways.add(
                line.decode("latin-1").partition("/w/")[2].partition(" ")[0].removesuffix("/x")
            )
        except (OSError, TimeoutError, ValueError):
            pass
        finally:
            writer.close()

    listening = [await asyncio.start_server(accept, "0.0.0.0", 0)]
    made.port = listening[0].sockets[0].getsockname()[1]
    if socket.has_ipv6:
        with contextlib.suppress(OSError):  # a machine without IPv6
            listening.append(await asyncio.start_server(accept, "::1", made.port))
    loop = asyncio.get_running_loop()
    udp, _ = await loop.create_datagram_endpoint(
        lambda: _Datagrams(made), local_addr=("0.0.0.0", made.port)
    )
    try:
        yield made
    finally:
        udp.close()
        for server in listening:
            server.close()


class Attacker:
    """The site that the browser is allowed to visit, and that wants it to go elsewhere."""

    def __init__(self, forbidden: int) -> None:
        self.forbidden = forbidden
        self.own = ""
        self.leaked: list[str] = []

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        async with serve(self._answer) as server:
            # A name under localhost is a secure context: workers and WebTransport exist there.
            self.own = f"http://attacker.localhost:{server.port}"
            yield self.own

    def ways(self) -> set[str]:
        return {*MARKUP, *SCRIPT, *(f"spelt-{name}" for name in SPELLINGS)}

    def page(self) -> str:
        markup = "".join(self._fill(text, way) for way, text in MARKUP.items())
        scripts = {way: self._fill(text, way) for way, text in SCRIPT.items()}
        for name, spelling in SPELLINGS.items():
            bad = f"http://{spelling.replace('PORT', str(self.forbidden))}/w/spelt-{name}"
            scripts[f"spelt-{name}"] = (
                f"fetch('{bad}', {{mode: 'no-cors'}}); new Image().src = '{bad}'; make('iframe').src = '{bad}'"
            )
        runs = "".join(
            f"try {{ eval({json.dumps(text)}) }} catch (error) {{ failed.push({json.dumps(way)}) }}\n"
            for way, text in scripts.items()
        )
        return f"""<!DOCTYPE html><title>Attack</title><body><p>An attack of many ways.</p>{markup}
            <pre id="log"></pre><pre id="rounds"></pre><script>{_TOOLS} const failed = []; {runs}
            let rounds = 0;
            const clock = setInterval(() => {{
                document.getElementById('log').textContent = 'failed:' + failed.join(',') + ';' + ++rounds;
                document.getElementById('rounds').textContent += '.';  // each round changes the page's length
                if (rounds === 25) clearInterval(clock);
            }}, 100);</script></body>"""

    def _fill(self, text: str, way: str) -> str:
        host = f"127.0.0.1:{self.forbidden}"
        return (
            text.replace("BAD", f"http://{host}/w/{way}")
            .replace("HOST", host)
            .replace("OWN", self.own)
        )

    async def _answer(self, exchange: Exchange) -> None:
        path, _, bad = exchange.path.partition("?")
        if exchange.header("authorization"):
            self.leaked.append(exchange.header("authorization") or "")
        if path == "/":
            await exchange.reply(200, self.page().encode(), {"Content-Type": "text/html"})
        elif path.startswith("/journey/"):
            await self._journey(exchange, path.rpartition("/")[2])
        else:
            status, headers, body = _helper(path, bad)
            await exchange.reply(status, body.encode(), headers)
        exchange.writer.close()  # as asked: the proxy sends one request on a connection

    async def _journey(self, exchange: Exchange, way: str) -> None:
        status, headers, body = JOURNEYS[way]
        filled = {name: self._fill(value, way) for name, value in headers.items()}
        text = self._fill(body, way).encode()
        await exchange.reply(status, text, {"Content-Type": "text/html"} | filled)


def _helper(path: str, bad: str) -> tuple[int, dict[str, str], str]:
    html = {"Content-Type": "text/html"}
    answers: dict[str, tuple[int, dict[str, str], str]] = {
        "/to": (302, {"Location": bad}, ""),
        "/refresh": (200, html | {"Refresh": f"0; url={bad}"}, ""),
        "/linked": (200, html | {"Link": f"<{bad}>; rel=preload; as=image"}, "x"),
        "/reporting": (
            200,
            html | {"Content-Security-Policy": f"img-src 'none'; report-uri {bad}"},
            '<img src="/empty">',
        ),
        "/styled.xml": (
            200,
            {"Content-Type": "text/xml"},
            f'<?xml version="1.0"?><?xml-stylesheet type="text/css" href="{bad}"?><a>x</a>',
        ),
        "/worker.js": (
            200,
            {"Content-Type": "text/javascript"},
            f'fetch("{bad}"); importScripts("{bad}")',
        ),
        "/locked": (401, {"WWW-Authenticate": 'Basic realm="x"'}, "who are you?"),
    }
    return answers.get(path, (200, {}, ""))
