"""The three hosts of the SEC over a few public companies: tickers, submissions, facts, full text."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet.companies import COMPANIES, ticker_list
from tests.internet.world import World

PREFIX = "/edgar"
TOO_MANY = "<html><title>SEC.gov | Request Rate Threshold Exceeded</title></html>"
UNDECLARED = "<html><h1>Your Request Originates from an Undeclared Automated Tool</h1></html>"
_MISSING = (
    '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>'
)
_ARRAYS = (
    "accessionNumber", "form", "filingDate", "reportDate", "primaryDocument", "primaryDocDescription", "items",
)  # fmt: skip
_FORMER_NAMES = {
    1326801: [
        {
            "name": "Facebook Inc",
            "from": "2005-05-03T04:00:00.000Z",
            "to": "2021-10-27T04:00:00.000Z",
        }
    ]
}
# Accession number, form, day filed, period, document, description, items; the newest first.
FILINGS: dict[int, list[tuple[str, ...]]] = {
    320193: [
        ("0000320193-26-000101", "8-K", "2026-10-29", "2026-10-29", "aapl-20261029.htm", "8-K", "2.02,9.01"),
        ("0000320193-26-000096", "4", "2026-10-17", "2026-10-15", "xslF345X05/form4.xml", "FORM 4", ""),
        ("0000320193-25-000079", "10-K/A", "2025-11-20", "2025-09-27", "aapl-20250927a.htm", "10-K/A", ""),
        ("0000320193-25-000073", "10-K", "2025-10-31", "2025-09-27", "aapl-20250927.htm", "10-K", ""),
        ("0000320193-25-000060", "10-Q", "2025-08-01", "2025-06-28", "aapl-20250628.htm", "10-Q", ""),
        ("0000320193-24-000123", "10-K", "2024-11-01", "2024-09-28", "aapl-20240928.htm", "10-K", ""),
        ("0000320193-23-000106", "10-K", "2023-11-03", "2023-09-30", "", "", ""),
    ],
    1326801: [
        ("0001326801-26-000012", "10-K", "2026-01-29", "2025-12-31", "meta-20251231.htm", "10-K", ""),
        ("0001326801-21-000065", "8-K", "2021-10-28", "2021-10-28", "fb-20211028.htm", "8-K", "8.01"),
    ],
    1418091: [("0001418091-22-000029", "10-K", "2022-02-16", "2021-12-31", "twtr-20211231.htm", "10-K", "")],
}  # fmt: skip
OLDER: dict[int, list[tuple[str, ...]]] = {
    320193: [
        ("0001193125-10-238044", "10-K", "2010-10-27", "2010-09-25", "d10k.htm", "FORM 10-K", ""),
        ("0001193125-09-214859", "10-K", "2009-10-27", "2009-09-26", "d10k.htm", "FORM 10-K", ""),
    ],
}
# Words, accession number, form, day filed, period, document, description, filer.
TEXTS = (
    ("climate risk disclosure", "0000034088-26-000021", "10-K", "2026-02-18", "2025-12-31", "xom-20251231.htm", "10-K", "EXXON MOBIL CORP  (XOM)  (CIK 0000034088)"),
    ("climate risk disclosure", "0000034088-26-000040", "10-K/A", "2026-04-18", "2025-12-31", "xom-20251231a.htm", "10-K/A", "EXXON MOBIL CORP  (XOM)  (CIK 0000034088)"),
    ("climate risk letter", "0000093410-24-000011", "8-K", "2024-02-26", "2024-02-26", "cvx-ex991.htm", "EX-99.1", "CHEVRON CORP  (CVX)  (CIK 0000093410)"),
    ("facebook users", "0001326801-26-000012", "10-K", "2026-01-29", "2025-12-31", "meta-20251231.htm", "10-K", "Meta Platforms, Inc.  (META)  (CIK 0001326801)"),
    ("twitter twtr users", "0001418091-22-000029", "10-K", "2022-02-16", "2021-12-31", "twtr-20211231.htm", "10-K", "TWITTER, INC.  (TWTR)  (CIK 0001418091)"),
)  # fmt: skip


def routes(_world: World) -> list[Route]:
    return [
        Route("/files/company_tickers.json", _list_tickers),
        Route("/submissions/{name}", _list_submissions),
        Route("/api/xbrl/companyfacts/{name}", _list_facts),
        Route("/LATEST/search-index", _search_text),
        Route("/cgi-bin/browse-edgar", _list_latest),
    ]


def _refuse(request: Request) -> Response | None:
    if "@" in request.headers.get("user-agent", ""):
        return None
    return Response(UNDECLARED, status_code=403, media_type="text/html")


async def _list_tickers(request: Request) -> Response:
    return _refuse(request) or JSONResponse(ticker_list())


async def _list_submissions(request: Request) -> Response:
    name = request.path_params["name"]
    number = int(name[3:13])
    if name.endswith("-submissions-001.json"):
        return JSONResponse(columns(OLDER[number]))
    names = {cik: (title, tickers) for cik, tickers, title in COMPANIES} | {
        1418091: ("TWITTER, INC.", ())
    }
    if number not in names:
        return Response(_MISSING, status_code=404, media_type="application/xml")
    title, tickers = names[number]
    older = OLDER.get(number)
    files = {"name": f"CIK{number:010}-submissions-001.json", "filingCount": 2}
    span = {"filingFrom": "1994-01-26", "filingTo": "2015-06-10"}
    return _refuse(request) or JSONResponse({
        "cik": f"{number:010}",
        "name": title,
        "tickers": list(tickers),
        "formerNames": _FORMER_NAMES.get(number, []),
        "filings": {"recent": columns(FILINGS.get(number, _list_usual(number))), "files": [files | span] if older else []},
    })  # fmt: skip


def _list_usual(number: int) -> list[tuple[str, ...]]:
    """What a company that has nothing of its own here has filed."""
    return [
        (f"{number:010}-26-000001", "10-K", "2026-02-20", "2025-12-31", "annual.htm", "10-K", "")
    ]


def columns(rows: list[tuple[str, ...]]) -> dict[str, list[str]]:
    return {name: [row[place] for row in rows] for place, name in enumerate(_ARRAYS)}


async def _list_facts(request: Request) -> Response:
    if request.path_params["name"] != "CIK0000320193.json":
        return Response(_MISSING, status_code=404, media_type="application/xml")
    return _refuse(request) or Response(FACTS, media_type="application/json")


async def _search_text(request: Request) -> Response:
    asked = request.query_params
    words = asked.get("q", "").lower().replace('"', "").split()
    found = [
        row for row in TEXTS if all(word in row[0] for word in words) and _is_asked(row, asked)
    ]
    hits = [_hit(row) for row in found]
    entities = [{"key": name, "doc_count": 1} for name in dict.fromkeys(row[7] for row in found)]
    return _refuse(request) or JSONResponse({
        "hits": {"total": {"value": len(hits), "relation": "eq"}, "hits": hits},
        "aggregations": {"entity_filter": {"buckets": entities}},
    })  # fmt: skip


def _is_asked(row: tuple[str, ...], asked: Any) -> bool:
    forms = asked.get("forms", "").split(",")
    return (
        (forms == [""] or row[2].removesuffix("/A") in forms or row[2] in forms)
        and asked.get("startdt", "") <= row[3] <= asked.get("enddt", "9999")
        and asked.get("ciks", "") in row[7]
    )


def _hit(row: tuple[str, ...]) -> dict[str, Any]:
    _, number, form, filed, period, document, description, filer = row
    source = {
        "ciks": [filer[-11:-1]],
        "display_names": [filer],
        "form": form,
        "file_type": description,
        "file_description": description,
        "file_date": filed,
        "period_ending": period,
        "adsh": number,
        "items": [],
    }
    return {"_id": f"{number}:{document}", "_score": 9.5, "_source": source}


async def _list_latest(request: Request) -> Response:
    kind = request.query_params.get("type", "")
    entries = [entry for form, entry in LATEST if form.startswith(kind)]
    feed = f'<?xml version="1.0" encoding="ISO-8859-1" ?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title>Latest Filings</title>{"".join(entries)}</feed>'
    return _refuse(request) or Response(feed.encode("latin-1"), media_type="application/atom+xml")


def _entry(form: str, filer: str, number: str, items: str = "") -> tuple[str, str]:
    told = f"&lt;b&gt;Filed:&lt;/b&gt; 2026-11-13 &lt;b&gt;AccNo:&lt;/b&gt; {number} &lt;b&gt;Size:&lt;/b&gt; 9 KB{items}"
    return form, (
        f'<entry><title>{form} - {filer}</title><summary type="html">{told}</summary>'
        f'<category scheme="https://www.sec.gov/" label="form type" term="{form}"/>'
        f"<id>urn:tag:sec.gov,2008:accession-number={number}</id></entry>"
    )


LATEST = (
    _entry("4", "A Person (0001771340) (Reporting)", "0001104659-26-000001"),
    _entry("4", "Caf\u00e9 Example Co. (0000000077) (Issuer)", "0001104659-26-000001"),
    _entry("8-K", "PACCAR INC (0000075362) (Filer)", "0001193125-26-000002", "&lt;br&gt;Item 5.02: Departure of Directors&lt;br&gt;Item 8.01: Other Events"),
    _entry("8-K/A", "PACCAR INC (0000075362) (Filer)", "0001193125-26-000003"),
)  # fmt: skip


# Written out, so that no number passes through Python's.
FACTS = """{"cik": 320193, "entityName": "Apple Inc.", "facts": {
 "dei": {"EntityCommonStockSharesOutstanding": {"label": "Shares Outstanding", "units": {"shares": [
  {"end": "2025-10-17", "val": 14776353000, "accn": "0000320193-25-000073", "fy": 2025, "fp": "FY", "form": "10-K", "filed": "2025-10-31"}]}}},
 "us-gaap": {
  "Revenues": {"label": "Revenues", "units": {"USD": [
   {"start": "2017-10-01", "end": "2018-09-29", "val": 265595000000, "accn": "0000320193-18-000145", "fy": 2018, "fp": "FY", "form": "10-K", "filed": "2018-11-05"}]}},
  "RevenueFromContractWithCustomerExcludingAssessedTax": {"label": "Revenue", "units": {"USD": [
   {"start": "2023-10-01", "end": "2024-09-28", "val": 391035000000, "accn": "0000320193-24-000123", "fy": 2024, "fp": "FY", "form": "10-K", "filed": "2024-11-01"},
   {"start": "2025-06-29", "end": "2025-09-27", "val": 102466000000, "accn": "0000320193-25-000073", "fy": 2025, "fp": "FY", "form": "10-K", "filed": "2025-10-31"},
   {"start": "2024-09-29", "end": "2025-09-27", "val": 416161000000, "accn": "0000320193-25-000073", "fy": 2025, "fp": "FY", "form": "10-K", "filed": "2025-10-31"},
   {"start": "2024-09-29", "end": "2025-09-27", "val": 416161000001, "accn": "0000320193-25-000079", "fy": 2025, "fp": "FY", "form": "10-K/A", "filed": "2025-11-20"},
   {"start": "2024-09-29", "end": "2025-06-28", "val": 313695000000, "accn": "0000320193-25-000057", "fy": 2025, "fp": "Q3", "form": "10-Q", "filed": "2025-08-01"},
   {"start": "2025-09-28", "end": "2026-06-27", "val": 343000000000, "accn": "0000320193-26-000077", "fy": 2026, "fp": "Q3", "form": "10-Q", "filed": "2026-07-31"},
   {"start": "2026-03-29", "end": "2026-06-27", "val": 94036000000, "accn": "0000320193-26-000077", "fy": 2026, "fp": "Q3", "form": "10-Q", "filed": "2026-07-31"}]}},
  "NetIncomeLoss": {"label": null, "units": {"USD": [
   {"start": "2024-09-29", "end": "2025-09-27", "val": 112010000000, "accn": "0000320193-25-000073", "fy": 2025, "fp": "FY", "form": "10-K", "filed": "2025-10-31"}]}},
  "Assets": {"label": "Assets", "units": {"USD": [
   {"end": "2025-09-27", "val": 359241000000123456789012345, "accn": "0000320193-25-000073", "fy": 2025, "fp": "FY", "form": "10-K", "filed": "2025-10-31"}]}},
  "EarningsPerShareDiluted": {"label": "Earnings Per Share, Diluted", "units": {"USD/shares": [
   {"start": "2024-09-29", "end": "2025-09-27", "val": 7.460, "accn": "0000320193-25-000073", "fy": 2025, "fp": "FY", "form": "10-K", "filed": "2025-10-31"}]}}
 }}}"""
