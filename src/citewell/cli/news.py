"""`citewell news`: searches news with the news_search tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from citewell.cli.running.shared_options import AnswerJson
from citewell.cli.running.tool_command import print_item, run_search_tool


def command(
    query: Annotated[str, typer.Argument(help="What to search for, 1 to 500 characters.")],
    *,
    count: Annotated[
        int, typer.Option("-n", "--num-results", min=1, max=50, help="How many articles.")
    ] = 5,
    time_range: Annotated[str, typer.Option(help="hour, day, week, month or year.")] = "week",
    sort_by: Annotated[str, typer.Option("--sort", help="relevance or date.")] = "relevance",
    source: Annotated[
        str | None, typer.Option(help="Only this publisher's domain, such as reuters.com.")
    ] = None,
    lens: Annotated[
        str | None, typer.Option(help="Only authoritative hosts of a field, such as news.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="ISO 639-1, such as de or pt-BR.")] = None,
    country: Annotated[str | None, typer.Option(help="ISO 3166-1 alpha-2, such as GB.")] = None,
    safe: Annotated[str | None, typer.Option(help="off, moderate or strict.")] = None,
    provider: Annotated[str | None, typer.Option(help="Use only this provider.")] = None,
    as_json: AnswerJson = False,
) -> int:
    given = {
        "query": query,
        "num_results": count,
        "time_range": time_range,
        "sort_by": sort_by,
        "news_source": source,
        "lens": lens,
        "language": language,
        "country": country,
        "safe": safe,
        "provider": provider,
    }
    return run_search_tool("news_search", given, as_json=as_json, print_answer=_print_articles)


def _print_articles(body: Mapping[str, Any]) -> None:
    for number, article in enumerate(body["articles"], start=1):
        facts = (article["source"], _format_moment(article))
        text = article.get("snippet")
        print_item(number, article["title"], article["url"], facts, (text,) if text else ())


def _format_moment(article: Mapping[str, Any]) -> str:
    """The date and time without seconds; a midnight is most probably only a day."""
    moment = article.get("publishedAt", "")
    day, _, clock = moment.rstrip("Z").partition("T")
    hours = "" if clock in {"", "00:00:00"} else f" {clock[:5]} UTC"
    seen = "seen " if article.get("publishedBasis") == "seen" else ""
    return f"{seen}{day}{hours}" if day else ""
