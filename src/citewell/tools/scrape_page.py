"""Read one page, document, video or thread by its address."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from citewell.model.scrape import ScrapeOutput
from citewell.services.scrape import Scrape, Wish
from citewell.tooling import UNKEYED, Arguments, Call, Tool


def _blank(value: object) -> object:
    return None if value == "" else value


class Args(Arguments):
    """Read one address as clean markdown: web pages, PDF and office files, YouTube, Reddit, GitHub, Hacker News and more, with citation, dates, source type and trust signals. For finding pages use web_search; to search and read at once, search_and_scrape."""

    url: Annotated[str, Field(min_length=1, max_length=4096, description="http(s) address.")]
    mode: Annotated[
        Literal["full", "preview", "raw"],
        Field(
            default="full",
            description="preview: the first 5000 bytes. raw: the body as sent, unsanitised; for JSON or markup only.",
        ),
    ]
    max_length: Annotated[
        int, Field(default=50_000, ge=1, description="Bytes of content; 5000000 is the most.")
    ]
    session_id: Annotated[
        str | None,
        UNKEYED,
        BeforeValidator(_blank),
        Field(default=None, validation_alias="sessionId"),
    ]


async def run(args: Args, call: Call) -> ScrapeOutput:
    wish = Wish(url=args.url, mode=args.mode, max_length=args.max_length)
    return await call.service(Scrape).scrape(wish, tenant=call.owner.tenant, progress=call.progress)


TOOL = Tool(
    args=Args,
    result=ScrapeOutput,
    run=run,
    toolset="core",
    default=True,
    ttl=3600,
    long=True,
)
