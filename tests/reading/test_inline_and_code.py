"""Inline content and code listings as markdown."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.markdown.inline_and_code import (
    InlineRenderer,
    RenderScope,
    render_code_block,
)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a <b>bold </b>word", "a **bold** word"),
        ("<i>a <em>b</em></i>", "*a b*"),
        ("<code>a`b</code>", "``a`b``"),
        ("<q>said</q>", "“said”"),
        ("<q>„said“</q>", "„said“"),
        ("x<sup>2</sup> and <sup>nd</sup>", "x^2 and nd"),
        ("<a href=/b>name</a>", "[name](https://example.org/b)"),
        ("<a href='javascript:x()'>name</a>", "name"),
        ("<a href=#s>¶</a>", ""),
        ("<img alt='A boat' src=b.png>", "![A boat](https://example.org/b.png)"),
        ("<script type='math/tex'>a^2</script>", "$a^2$"),
    ],
)
def test_inline_markup_becomes_markdown(html: str, text: str) -> None:
    node = LexborHTMLParser(f"<p>{html}</p>").css_first("p")
    assert node is not None

    renderer = InlineRenderer(RenderScope(base_address="https://example.org/a"))

    assert renderer.render_children(node) == text


def test_a_listing_keeps_its_lines_and_language_without_line_numbers() -> None:
    html = "<pre class=language-py><span class=lineno>1</span>a = 1<br><div>  b = 2</div></pre>"
    node = LexborHTMLParser(html).css_first("pre")
    assert node is not None

    assert render_code_block(node) == "```py\na = 1\n  b = 2\n```"
