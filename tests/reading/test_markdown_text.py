"""Small pieces of text must read back as the same characters."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.markdown.markdown_text import (
    escape_markdown,
    format_code_span,
    format_fenced_code,
    resolve_link,
)
from citewell.reading.markdown.markdown_writer import render_markdown


def markdown(html: str, base: str = "https://site.example/a/b") -> str:
    body = LexborHTMLParser(html).body
    assert body is not None
    return render_markdown(body, base=base)


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd"],
)
def test_an_address_that_leads_nowhere_safe_is_dropped(address: str) -> None:
    assert resolve_link("https://site.example/", address) == ""


def test_a_link_to_a_script_keeps_only_its_text() -> None:
    assert markdown('<p><a href="javascript:go()">go</a></p>') == "go"


def test_a_malformed_address_keeps_only_its_text() -> None:
    assert markdown('<p><a href="http://[bad">go</a></p>', base="https://s.example/") in (
        "go",
        "[go](http://[bad)",
    )


def test_words_with_inner_underscores_are_not_escaped() -> None:
    assert escape_markdown("snake_case_name") == "snake_case_name"


def test_formulas_are_not_escaped() -> None:
    assert escape_markdown(r"so \(a_1*b\) and *x*") == r"so \(a_1*b\) and \*x\*"


def test_prices_are_not_taken_for_formulas() -> None:
    assert escape_markdown("from $5 to _$6_") == r"from $5 to \_$6\_"


def test_a_code_span_outgrows_the_backticks_in_it() -> None:
    assert format_code_span("a``b`c") == "```a``b`c```"


def test_a_fence_outgrows_the_fences_in_it() -> None:
    assert format_fenced_code("````\nx\n````", "md").startswith("`````md\n")


def test_only_chosen_nodes_are_written() -> None:
    body = LexborHTMLParser("<div><p>yes</p><p>no <b>never</b></p></div>").body
    assert body is not None
    chosen = {
        node.mem_id
        for node in body.traverse(include_text=True)
        if node.tag in ("div", "-text") or node.text() == "yes"
    }
    texts = frozenset(
        node.mem_id for node in body.traverse(include_text=True) if node.text_content == "yes"
    )

    assert render_markdown(body, nodes=texts, boxes=frozenset(chosen)) == "yes"


def test_an_empty_page_is_an_empty_string() -> None:
    assert markdown("") == ""
