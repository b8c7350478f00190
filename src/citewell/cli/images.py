"""`citewell images`: searches images with the image_search tool, with previews where the terminal can."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from citewell.cli.running.shared_options import AnswerJson
from citewell.cli.running.tool_command import print_item, run_search_tool
from citewell.cli.terminal import screen
from citewell.cli.terminal.inline_images import detect_image_protocol, print_inline_image
from citewell.server.app import App

_MAX_PREVIEWS = 20


def command(
    query: Annotated[str, typer.Argument(help="What to search for, 1 to 500 characters.")],
    *,
    count: Annotated[
        int, typer.Option("-n", "--num-results", min=1, max=200, help="How many images.")
    ] = 5,
    size: Annotated[
        str | None, typer.Option(help="icon, small, medium, large, xlarge, xxlarge or huge.")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option("--type", help="clipart, face, lineart, stock, photo or animated."),
    ] = None,
    color_type: Annotated[str | None, typer.Option(help="color, gray, mono or trans.")] = None,
    dominant_color: Annotated[str | None, typer.Option(help="Such as red or teal.")] = None,
    file_type: Annotated[str | None, typer.Option(help="jpg, gif, png, bmp, svg or webp.")] = None,
    safe: Annotated[str | None, typer.Option(help="off, medium or high.")] = None,
    lens: Annotated[str | None, typer.Option(help="Only the hosts of a lens.")] = None,
    language: Annotated[str | None, typer.Option(help="ISO 639-1, such as de or pt-BR.")] = None,
    country: Annotated[str | None, typer.Option(help="ISO 3166-1 alpha-2, such as GB.")] = None,
    provider: Annotated[str | None, typer.Option(help="Use only this provider.")] = None,
    as_json: AnswerJson = False,
) -> int:
    given = {
        "query": query,
        "num_results": count,
        "size": size,
        "type": kind,
        "color_type": color_type,
        "dominant_color": dominant_color,
        "file_type": file_type,
        "safe": safe,
        "lens": lens,
        "language": language,
        "country": country,
        "provider": provider,
    }
    protocol = detect_image_protocol(os.environ, is_terminal=screen.is_terminal())
    previews: list[bytes | None] = []

    async def fetch_previews(app: App, body: Mapping[str, Any]) -> None:
        from citewell.services.domains.images.thumbnail_fetching import ThumbnailFetcher

        if protocol is None or as_json or not app.settings.thumbnails:
            return
        links = [image.get("thumbnailLink") for image in body["images"][:_MAX_PREVIEWS]]
        previews.extend(await app.require_service(ThumbnailFetcher).fetch_thumbnails(links))

    def print_images(body: Mapping[str, Any]) -> None:
        for number, image in enumerate(body["images"], start=1):
            preview = previews[number - 1] if number <= len(previews) else None
            if protocol is not None and preview:
                print_inline_image(preview, protocol)
            _print_image(number, image)

    return run_search_tool(
        "image_search",
        given,
        as_json=as_json,
        print_answer=print_images,
        after_call=fetch_previews,
    )


def _print_image(number: int, image: Mapping[str, Any]) -> None:
    sides = f"{image['width']} × {image['height']}" if {"width", "height"} <= set(image) else ""
    credit = image.get("attribution") or image.get("author")
    page = image.get("contextLink")
    lines = [line for line in (f"Page: {page}" if page else "", credit) if line]
    print_item(number, image["title"], image["link"], (sides, image.get("license")), lines)
