"""BrandFetch's Brand API, with a record of one domain."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.world import World

PREFIX = "/brandfetch"


def routes(_world: World) -> list[Route]:
    async def brand(request: Request) -> JSONResponse:
        if not request.headers.get("authorization", "").startswith("Bearer "):
            return JSONResponse({"message": "Unauthorized"}, status_code=401)
        if request.path_params["domain"] != "127.0.0.1":
            return JSONResponse({"message": "Not Found"}, status_code=404)
        return JSONResponse(
            {
                "name": "Example Instruments (BrandFetch)",
                "domain": "127.0.0.1",
                "colors": [{"hex": "#123456", "type": "brand"}],
                "fonts": [],
                "logos": [],
                "links": [],
                "company": {"industries": [{"name": "Science"}]},
            }
        )

    return [Route("/brandfetch/brands/{domain}", brand)]
