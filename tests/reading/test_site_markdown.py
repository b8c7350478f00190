"""Markdown of site pages: text, facts, and threads as nested quotes."""

from __future__ import annotations

import pytest

from citewell.reading.sites.site_markdown import (
    ThreadComment,
    convert_html_text,
    convert_plain_text,
    format_count,
    format_markdown_link,
    render_comment_thread,
)


def build_comment(text: str, depth: int = 0, **more: object) -> ThreadComment:
    return ThreadComment(depth=depth, head=f"**{text}**", markdown=text, **more)  # type: ignore[arg-type]


def test_replies_are_quoted_under_what_they_answer() -> None:
    thread = render_comment_thread([build_comment("a"), build_comment("b", 1)], base="")

    assert thread.markdown == "**a**\n\na\n\n> **b**\n>\n> b"
    assert (thread.shown, thread.total) == (2, 2)


def test_a_long_thread_keeps_its_upper_levels_and_the_linked_comment() -> None:
    comments = [build_comment("a"), build_comment("b", 1), build_comment("c", 2, is_linked=True)]

    thread = render_comment_thread([*comments, build_comment("d")], base="", limit=3)

    assert "**c** · **the linked comment**" in thread.markdown
    assert thread.markdown.endswith("*1 more comment not shown*")
    assert (thread.shown, thread.total) == (3, 4)


def test_a_deleted_comment_is_shown_only_above_a_reply() -> None:
    gone = ThreadComment(depth=0, head="*a deleted comment*")

    kept = render_comment_thread([gone, build_comment("b", 1)], base="")

    assert kept.markdown.startswith("*a deleted comment*")
    assert render_comment_thread([gone], base="").markdown == ""


def test_replies_that_were_not_sent_are_counted() -> None:
    thread = render_comment_thread([build_comment("a", unsent_replies=2)], base="")

    assert thread.markdown.endswith("> *2 more replies not shown*")
    assert thread.total == 3


def test_plain_text_is_escaped_but_for_its_addresses() -> None:
    assert convert_plain_text("a *b* c\nsee https://example.org/a_b_c") == (
        "a \\*b\\* c  \nsee https://example.org/a_b_c"
    )


def test_a_part_of_the_html_is_picked_and_others_are_dropped() -> None:
    html = "<nav>Menu</nav><article><p>Text<sup>1</sup></p></article>"

    assert convert_html_text(html, within="article", without="sup") == "Text"


@pytest.mark.parametrize("target", ["javascript:alert(1)", "", None])
def test_only_web_addresses_are_linked(target: str | None) -> None:
    assert format_markdown_link("name", target) == "name"


def test_counts_have_their_noun() -> None:
    assert [format_count(number, "point") for number in (1, 1204, None)] == [
        "1 point",
        "1,204 points",
        "",
    ]
