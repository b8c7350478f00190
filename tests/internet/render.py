"""A page of the corpus as a web server would send it: chrome around the text, in its charset."""

from __future__ import annotations

import codecs
from functools import cache
from html import escape

from markdown_it import MarkdownIt
from starlette.requests import Request
from starlette.responses import Response

from tests.internet.world import Page

_DIRECTIONS = {"ar": "rtl", "he": "rtl", "fa": "rtl"}


def answer(page: Page, request: Request) -> Response:
    """The page as markdown where it is asked for and offered, else as HTML."""
    if page.negotiates and "text/markdown" in request.headers.get("accept", ""):
        return Response(f"# {page.title}\n\n{page.markdown}\n", media_type="text/markdown")
    kind = "text/html"
    if page.declared == "header":
        kind = f"text/html; charset={page.charset}"
    return Response(encoded(page), headers={"content-type": kind})


def encoded(page: Page) -> bytes:
    html = markup(page)
    if page.declared == "bom":
        bom = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
        return bom.get(page.charset, codecs.BOM_UTF8) + html.encode(page.charset)
    return html.encode(page.charset, "xmlcharrefreplace")


def markup(page: Page) -> str:
    """Header, navigation, article, sidebar and footer, much as sites have them."""
    return f"""<!DOCTYPE html>
<html lang="{page.language}" dir="{_DIRECTIONS.get(page.language, "ltr")}">
<head>
{_meta(page)}
</head>
<body class="{page.kind}">
<header class="site-header"><a class="logo" href="/">{escape(page.site)}</a>
<nav><ul><li><a href="/">Home</a></li><li><a href="/topics">Topics</a></li>\
<li><a href="/about">About us</a></li><li><a href="/subscribe">Newsletter</a></li></ul></nav></header>
<main>
<article>
<h1>{escape(page.title)}</h1>
{_byline(page)}
{_renderer().render(page.markdown)}</article>
</main>
<aside class="sidebar"><h2>Most read</h2><ul><li><a href="/popular/1">Editors' choice</a></li>\
<li><a href="/popular/2">This week in brief</a></li></ul></aside>
<footer class="site-footer"><p>© {escape(page.site)}. All rights reserved.</p>
<p><a href="/privacy">Privacy</a> · <a href="/terms">Terms of use</a> · <a href="/contact">Contact</a></p></footer>
<script>window.dataLayer = window.dataLayer || [];</script>
</body>
</html>
"""


def _meta(page: Page) -> str:
    lines = [
        f"<title>{escape(page.title)} | {escape(page.site)}</title>",
        f'<meta name="description" content="{escape(page.description[:160])}">',
        f'<meta property="og:title" content="{escape(page.title)}">',
        f'<meta property="og:site_name" content="{escape(page.site)}">',
        '<meta property="og:type" content="article">',
        '<link rel="stylesheet" href="/style.css">',
    ]
    if page.declared in {"meta", "header"}:
        lines.insert(0, f'<meta charset="{page.charset}">')
    if page.published:
        stamp = page.published.isoformat()
        lines.append(f'<meta property="article:published_time" content="{stamp}">')
    return "\n".join(lines)


def _byline(page: Page) -> str:
    if page.published is None:
        return ""
    date = page.published.date().isoformat()
    return f'<p class="byline">By the editors · <time datetime="{date}">{date}</time></p>'


@cache
def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")
