"""YouTube's captions and watch page in their shape, as www.youtube.com serves them."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.internet.world import World

PREFIX = "/site_youtube"
SPOKEN = (
    "Welcome to a talk about lithium cells.",
    "Cells age when they are kept warm and full.",
    "At forty degrees a full cell loses a third of its capacity in one year.",
    "Cold storage and half a charge slow the ageing of cells.",
    "Fast charging in the cold plates lithium on the anode.",
    "Thank you for listening.",
)


def routes(_world: World) -> list[Route]:
    async def timedtext(request: Request) -> Response:
        wanted = request.query_params
        known = wanted.get("lang") == "en" and wanted.get("fmt") == "vtt"
        return PlainTextResponse(captions() if known else "")

    async def watch(request: Request) -> Response:
        answer = json.dumps(player(request.query_params.get("v", "")))
        return HTMLResponse(f"<script>var ytInitialPlayerResponse = {answer};</script>")

    return [
        Route("/site_youtube/api/timedtext", timedtext),
        Route("/site_youtube/watch", watch),
    ]


def captions() -> str:
    cues = (
        f"00:00:{place * 5:02}.000 --> 00:00:{place * 5 + 5:02}.000\n{line}\n"
        for place, line in enumerate(SPOKEN)
    )
    return "WEBVTT\n\n" + "\n".join(cues)


def player(video: str) -> dict[str, Any]:
    """A video whose id ends in X does not exist."""
    if video.endswith("X"):
        return {"playabilityStatus": {"status": "ERROR", "reason": "Video unavailable"}}
    track = {
        "baseUrl": f"https://www.youtube.com/api/timedtext?v={video}&lang=en",
        "languageCode": "en",
    }
    return {
        "playabilityStatus": {"status": "OK"},
        "captions": {"playerCaptionsTracklistRenderer": {"captionTracks": [track]}},
        "videoDetails": {
            "videoId": video,
            "title": "How lithium cells age",
            "author": "Example Channel",
            "lengthSeconds": "30",
            "viewCount": "1000",
            "shortDescription": "A short talk about the ageing of cells.",
        },
    }
