"""Search scholarly papers.

They are what an assistant would get from academic_search.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from citewell.cli.command_app import AnswerJson
from citewell.cli.tool_command import print_item, run_search_tool
from citewell.core.values.counted_words import pluralize

_MAX_SHOWN_AUTHORS = 3


def command(
    query: Annotated[str, typer.Argument(help="The subject, 1 to 500 characters.")],
    *,
    count: Annotated[
        int, typer.Option("-n", "--num-results", min=1, max=10, help="How many papers.")
    ] = 5,
    year_from: Annotated[int | None, typer.Option(help="Published in this year or later.")] = None,
    year_to: Annotated[int | None, typer.Option(help="Published in this year or earlier.")] = None,
    newest: Annotated[bool, typer.Option("--newest", help="The newest papers first.")] = False,
    open_access: Annotated[
        bool, typer.Option("--open-access", help="Only papers that can be read freely.")
    ] = False,
    pdf_only: Annotated[bool, typer.Option("--pdf", help="Only papers with a PDF.")] = False,
    provider: Annotated[str | None, typer.Option(help="Use only this index.")] = None,
    as_json: AnswerJson = False,
) -> int:
    given = {
        "query": query,
        "num_results": count,
        "year_from": year_from,
        "year_to": year_to,
        "sort_by": "date" if newest else None,
        "open_access": open_access,
        "pdf_only": pdf_only,
        "provider": provider,
    }
    return run_search_tool(
        "academic_search", given, as_json=as_json, print_answer=_print_paper_list
    )


def _print_paper_list(body: Mapping[str, Any]) -> None:
    for number, paper in enumerate(body["papers"], start=1):
        names = paper.get("authors") or ()
        more = " et al." if len(names) > _MAX_SHOWN_AUTHORS else ""
        cited = paper.get("citationCount")
        facts = (
            ", ".join(names[:_MAX_SHOWN_AUTHORS]) + more,
            paper.get("journal"),
            str(paper.get("year") or ""),
            f"cited {cited} {pluralize(cited, 'time')}" if cited else "",
            "retracted" if (paper.get("retractionStatus") or {}).get("retracted") else "",
            f"via {paper['source']}",
        )
        lines = [paper["pdfUrl"]] if paper.get("pdfUrl") else []
        lines += [paper["abstract"]] if paper.get("abstract") else []
        print_item(number, paper["title"], paper["url"], facts, lines)
