"""A session as a document in each format, whatever its texts hold."""

from __future__ import annotations

import itertools

import pytest
from markdown_it import MarkdownIt

from citewell.core.values.research_session import (
    ResearchSession,
    SessionSource,
)
from citewell.sessions import session_export
from tests.requirements import requires
from tests.sessions.step_histories import GOLDEN, history, step


@requires("research_export.markdown", "research_export.deterministic")
@pytest.mark.parametrize("form", ["markdown", "html", "bibtex"])
def test_an_export_is_the_golden_one(form: str) -> None:
    suffix = {"markdown": "md", "html": "html", "bibtex": "bib"}[form]
    golden = GOLDEN / f"history.{suffix}"

    made = session_export.render_session(
        history(), form, tenant="default", stamp="2026-01-03T00:00:00Z"
    )

    assert made == golden.read_text(encoding="utf-8")


HEADINGS = (
    "# Sources",
    "  ### Sources ##",
    "Sources\n===",
    "Sources\n=",
    "Sources\n--  ",
    "> # Sources",
    "- # Sources",
    "1. > ## Sources",
    "text\r# Sources",
    "text\u2028# Sources",
    "<h2>Sources</h2>",
    "```\nnot closed",
    "~~~~ python",
)


@requires("research_export.markdown")
@pytest.mark.parametrize("text", HEADINGS)
@pytest.mark.parametrize("place", ["step", "summary"])
def test_no_text_of_a_step_becomes_a_heading_of_the_export(text: str, place: str) -> None:
    steps = (step(1, text=text),) if place == "step" else (step(1, summary=text),)
    session = ResearchSession(id="s", started="x", steps=steps, sources=history().sources)

    page = session_export.render_session(session, "markdown", tenant="t", stamp="x")

    reader = MarkdownIt("commonmark")
    titles = [
        token.children[0].content
        for before, token in itertools.pairwise(reader.parse(page))
        if before.type == "heading_open" and token.children
    ]
    summary = ["Summary"] if place == "summary" else []
    assert titles[1:] == [*summary, "Steps", "Step 1", "Sources"]
    assert not any(token.type == "html_block" for token in reader.parse(page))


def test_the_html_export_shows_escaped_text_as_it_was_written() -> None:
    session = ResearchSession(
        id="s", started="x", steps=(step(1, text="# Sources\n===\n<b>1</b>"),)
    )

    page = session_export.render_session(session, "html", tenant="t", stamp="x")

    assert "<p># Sources<br>===<br>&lt;b&gt;1&lt;/b&gt;</p>" in page


def test_a_bibtex_export_without_a_source_that_was_read_says_so() -> None:
    listed = SessionSource(url="https://a.example/1", title="Listed")
    session = ResearchSession(id="s", started="x", steps=(step(1),), sources=(listed,))

    made = session_export.render_session(session, "bibtex", tenant="t", stamp="x")

    assert made == "% No source of this session was read yet.\n"


def test_html_escapes_whatever_came_from_outside() -> None:
    source = SessionSource(
        url="https://a.example/?q=<script>", title="<img onerror=alert(1)> & [x](javascript:1)"
    )
    session = ResearchSession(
        id="s", started="x", steps=(step(1, text="<b>bold</b>"),), sources=(source,)
    )

    page = session_export.render_session(session, "html", tenant="t", stamp="x")

    assert "<script>" not in page
    assert "<img" not in page
    assert "<b>" not in page
    assert 'href="javascript' not in page
