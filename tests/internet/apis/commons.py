"""The file search of Wikimedia Commons over a few files of our own, in batches with continuation."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.world import World

PREFIX = "/commons"
_KEYWORD = re.compile(r"\bfile(?:type|mime|res):\S+")
# Name, media type, width, height, artist, licence.
FILES = (
    ("Lighthouse at dusk", "image/jpeg", 4000, 3000, "<a href='//x'>Example User</a>", "CC BY-SA 4.0"),
    ("Lighthouse drawing", "image/svg+xml", 512, 512, "Example Artist", "CC0"),
    ("Lighthouse in fog", "image/jpeg", 800, 600, "", "Public domain"),
    ("Lighthouse lamp", "image/png", 300, 200, "Example User", "CC BY 2.0"),
)  # fmt: skip


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        asked = request.query_params
        found = [place for place, row in enumerate(FILES) if _matches(row, asked["gsrsearch"])]
        if not found and "filemime:" not in asked["gsrsearch"]:
            return JSONResponse(_list_pictures(world, asked["gsrsearch"], int(asked["gsrlimit"])))
        start, size = int(asked.get("gsroffset", "0")), int(asked["gsrlimit"])
        pages = [
            _page(place, index, world.base_url)
            for index, place in enumerate(found[start : start + size], start=start + 1)
        ]
        body: dict[str, Any] = {"batchcomplete": True}
        if pages:
            body["query"] = {"pages": pages[::-1]}  # by page id there, not by rank
        if start + size < len(found):
            body["continue"] = {"gsroffset": start + size, "continue": "gsroffset||"}
        return JSONResponse(body)

    return [Route("/commons", search), Route("/commons/", search)]


def _matches(row: tuple[Any, ...], search: str) -> bool:
    name, media, width, height = row[:4]
    words = _KEYWORD.sub(" ", search).lower().split()
    mimes = re.findall(r"filemime:(\S+)", search)
    side = (width * height) ** 0.5
    least = [int(bound) for bound in re.findall(r"fileres:>(\d+)", search)]
    most = [int(bound) for bound in re.findall(r"fileres:<(\d+)", search)]
    return (
        all(word in name.lower() for word in words)
        and all(mime == media for mime in mimes)
        and ("filetype:drawing" not in search.split() or media == "image/svg+xml")
        and all(side > bound for bound in least)
        and all(side < bound for bound in most)
    )


def _list_pictures(world: World, search: str, count: int) -> dict[str, Any]:
    """Pictures of the world's own pages, for words that no file of ours has."""
    found = world.search(_KEYWORD.sub(" ", search), count=count)
    pages = [
        {
            "pageid": 1000 + place,
            "title": f"File:{page.title}.png",
            "index": place,
            "imageinfo": [{"url": page.image, "mime": "image/png", "width": 1, "height": 1}],
        }
        for place, page in enumerate(found, start=1)
    ]
    return {"batchcomplete": True} | ({"query": {"pages": pages}} if pages else {})


def _page(place: int, index: int, base: str) -> dict[str, Any]:
    name, media, width, height, artist, license_name = FILES[place]
    ending = {"image/jpeg": "jpg", "image/svg+xml": "svg", "image/png": "png"}[media]
    facts = {"LicenseShortName": license_name, "Artist": artist, "ObjectName": name}
    info = {
        "url": f"{base}/picture/commons/{place}.{ending}",
        "descriptionurl": f"https://commons.wikimedia.org/wiki/File:{place}.{ending}",
        "thumburl": f"{base}/picture/commons/thumb/{place}.png",
        "width": width,
        "height": height,
        "size": 1000 + place,
        "mime": media,
        "extmetadata": {key: {"value": value} for key, value in facts.items() if value},
    }
    return {
        "pageid": 100 - place,
        "ns": 6,
        "title": f"File:{place}.{ending}",
        "index": index,
        "imageinfo": [info],
    }
