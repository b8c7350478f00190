"""The Atom feed of Find Case Law, over a few real judgments (public facts)."""

from __future__ import annotations

from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.internet.papers import UNHURRIED
from tests.internet.world import World

PREFIX = "/findcaselaw"
SITE = "https://caselaw.nationalarchives.gov.uk"
_SUPREME = "United Kingdom Supreme Court"
JUDGMENTS = (
    ("R (Miller) v The Prime Minister", "uksc/2019/41", "[2019] UKSC 41", "2019-09-24", _SUPREME, "prorogation of Parliament justiciability"),
    ("R (UNISON) v Lord Chancellor", "uksc/2017/51", "[2017] UKSC 51", "2017-07-26", _SUPREME, "employment tribunal fees access to justice"),
    ("Essop & Ors v Home Office (UK Border Agency)", "uksc/2017/27", "[2017] UKSC 27", "2017-04-05", _SUPREME, "indirect discrimination promotion test"),
    ("Ivey v Genting Casinos (UK) Ltd", "uksc/2017/67", "[2017] UKSC 67", "2017-10-25", _SUPREME, "dishonesty cheating card game"),
    ("Montgomery v Lanarkshire Health Board", "uksc/2015/11", "[2015] UKSC 11", "2015-03-11", _SUPREME, "informed consent medical negligence"),
    ("Lloyd v Google LLC", "uksc/2021/50", "[2021] UKSC 50", "2021-11-10", _SUPREME, "data protection representative action damages"),
    ("Uber BV v Aslam", "uksc/2021/5", "[2021] UKSC 5", "2021-02-19", _SUPREME, "worker status drivers"),
)  # fmt: skip


def routes(_world: World) -> list[Route]:
    async def feed(request: Request) -> Response:
        asked = request.query_params
        wanted = asked.get("query", "").strip('"').lower()
        found = [row for row in JUDGMENTS if _matches(row, wanted, asked.get("court"))]
        if asked.get("order") == "date":
            found.sort(key=lambda row: row[3])
        entries = "".join(map(_entry, found[: int(asked.get("per_page", "50"))]))
        body = (
            '<?xml version="1.0" encoding="utf-8"?>'
            '<feed xmlns="http://www.w3.org/2005/Atom" '
            'xmlns:tna="https://caselaw.nationalarchives.gov.uk">'
            f"<title>Search results</title><id>{SITE}/</id>{entries}</feed>"
        )
        return Response(body, media_type="application/atom+xml", headers=UNHURRIED)

    return [Route("/findcaselaw/atom.xml", feed)]


def _matches(row: tuple[str, ...], wanted: str, court: str | None) -> bool:
    text = f"{row[0]} {row[2]} {row[5]}".lower()
    whole = wanted in text if wanted.startswith("[") else all(w in text for w in wanted.split())
    return whole and (court is None or row[1].startswith(court))


def _entry(row: tuple[str, ...]) -> str:
    name, slug, citation, day, court, _about = row
    return (
        f"<entry><title>{escape(name)}</title>"
        f'<link href="{SITE}/{slug}" rel="alternate"/>'
        f'<link href="{SITE}/{slug}/data.xml" rel="alternate" type="application/akn+xml"/>'
        f"<published>{day}T00:00:00+00:00</published><updated>{day}T00:00:00+00:00</updated>"
        f"<author><name>{court}</name></author><tna:uri>{slug}</tna:uri>"
        f'<tna:identifier slug="{slug}" type="ukncn">{citation}</tna:identifier></entry>'
    )
