"""Answer a question, and say what each cited page says about it.

It is what an assistant would get from answer. Without a key the answer consists of quotations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from citewell.cli import screen
from citewell.cli.command_app import AnswerJson
from citewell.cli.tool_command import print_item, run_search_tool

_RELATION_WORDS = {
    "supports": "supports the answer",
    "contradicts": "contradicts the answer",
    "qualifies": "says something else in part",
    "mentions": "mentions the subject, does not support the answer",
}
_MAX_SNIPPET_CHARS = 300


def command(
    query: Annotated[str, typer.Argument(help="The question.")],
    *,
    provider: Annotated[
        str | None,
        typer.Option(help="Who answers: exa, tavily, brave and others, or local for quotations."),
    ] = None,
    as_json: AnswerJson = False,
) -> int:
    given = {"query": query, "provider": provider}
    return run_search_tool(
        "answer", given, as_json=as_json, print_answer=_print_answer, doing="Answering"
    )


def _print_answer(body: Mapping[str, Any]) -> None:
    screen.print_text(body["answer"])
    screen.print_text()
    for number, cited in enumerate(body["citations"], start=1):
        relation = cited.get("relation")
        facts = (
            cited.get("publishedDate"),
            _RELATION_WORDS.get(relation or "") or f"not checked: {cited.get('reason', '')}",
        )
        snippet = cited.get("snippet", "")
        if len(snippet := " ".join(snippet.split())) > _MAX_SNIPPET_CHARS:
            snippet = f"{snippet[:_MAX_SNIPPET_CHARS].rstrip()} …"
        lines = [f"“{snippet}”"] if snippet else []
        lines += [f"Not supported: {sentence}" for sentence in cited.get("unsupported", ())]
        print_item(number, cited.get("title") or cited["url"], cited["url"], facts, lines)
    if cost := body.get("costUsd"):
        screen.print_text(f"It cost ${cost:.4f} (an estimate).", style="dim")
