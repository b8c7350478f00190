"""FRED: its API for those with a key, and the file behind its charts, over one series of our own."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.internet.world import World

PREFIX = "/fred"
SERIES = (
    ("UNRATE", "Unemployment Rate", "Percent", 95),
    ("LNS14000006", "Unemployment Rate - Black or African American", "Percent", 60),
    ("GDP", "Gross Domestic Product", "Billions of Dollars", 93),
)
DAYS = tuple(f"2026-{month:02}-01" for month in range(1, 11))
VALUES = {day: "." if day == "2026-09-01" else f"4.{day[5:7]}0" for day in DAYS}


def _refuse(words: str) -> Response:
    body = {"error_code": 400, "error_message": f"Bad Request.  {words}"}
    return JSONResponse(body, status_code=400)


async def _describe(request: Request) -> Response:
    rows = [row for row in SERIES if row[0] == request.query_params["series_id"]]
    found = [{"id": row[0], "title": row[1], "units": row[2]} for row in rows]
    return JSONResponse({"seriess": found}) if found else _refuse("The series does not exist.")


async def _show_page(request: Request) -> Response:
    rows = [row for row in SERIES if row[0] == request.path_params["name"]]
    if not rows:
        return Response("<html>Not found</html>", status_code=404, media_type="text/html")
    name, title, units, _ = rows[0]
    return HTMLResponse(
        f"<title>\n  {title} ({name}) | FRED | St. Louis Fed\n</title>"
        f'<span class="series-meta-value-units">{units}</span>, Seasonally Adjusted'
    )


def routes(_world: World) -> list[Route]:
    async def search(request: Request) -> Response:
        asked = request.query_params
        if len(asked.get("api_key", "")) < 5:
            return _refuse("The value for variable api_key is not registered.")
        words = asked["search_text"].lower().split()
        found = [row for row in SERIES if all(word in row[1].lower() for word in words)]
        rows = [
            {
                "id": name,
                "title": title,
                "units": units,
                "frequency": "Monthly",
                "last_updated": "2026-11-06 07:44:02-06",
                "popularity": fame,
                "notes": "Of our own making.",
            }
            for name, title, units, fame in sorted(found, key=lambda row: -row[3])
        ]
        return JSONResponse({"count": len(rows), "seriess": rows[: int(asked["limit"])]})

    async def observations(request: Request) -> Response:
        asked = request.query_params
        if asked["series_id"] not in {row[0] for row in SERIES}:
            return _refuse("The series does not exist.")
        days = _within(asked.get("observation_start"), asked.get("observation_end"))
        if asked["sort_order"] == "desc":
            days.reverse()
        rows = [{"date": day, "value": VALUES[day]} for day in days[: int(asked["limit"])]]
        return JSONResponse({"units": "lin", "count": len(rows), "observations": rows})

    async def chart(request: Request) -> Response:
        asked = request.query_params
        if asked["id"] not in {row[0] for row in SERIES}:
            return Response("<html>Not found</html>", status_code=404, media_type="text/html")
        days = _within(asked.get("cosd"), asked.get("coed"))
        lines = [f"observation_date,{asked['id']}", *(f"{day},{VALUES[day]}" for day in days)]
        return PlainTextResponse("\n".join(lines) + "\n", media_type="application/csv")

    return [
        Route("/fred/series", _describe),
        Route("/fred/series/search", search),
        Route("/fred/series/observations", observations),
        Route("/fred/series/{name}", _show_page),
        Route("/fred/graph/fredgraph.csv", chart),
    ]


def _within(first: str | None, last: str | None) -> list[str]:
    return [day for day in DAYS if (not first or day >= first) and (not last or day <= last)]
