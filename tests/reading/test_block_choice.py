"""The main content of whole pages, with the furniture around it left behind."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.html import block_choice as region_filling
from citewell.reading.html.block_choice import PAGE_KINDS
from citewell.reading.html.block_features import FEATURE_COLUMNS
from citewell.reading.html.main_content import (
    extract_from_tree,
    extract_main_content,
    extract_markdown,
)
from tests.extraction import GoldPage, load_gold_pages
from tests.requirements import requires

SENTENCE = (
    "The tide rises twice a day because the moon, though far away, pulls harder on the near "
    "side of the ocean than on the far side, and the earth turns beneath the swell. "
)
ARTICLE = f"""<!doctype html><html><head><title>Tides explained</title>
<meta property="og:type" content="article"></head><body class="single-post">
<header class="site-header"><nav class="menu"><ul><li><a href="/">Home</a></li>
<li><a href="/news">News</a></li><li><a href="/shop">Shop</a></li></ul></nav></header>
<main><article class="post"><h1 class="entry-title">Tides explained</h1>
<div class="entry-content"><p>{SENTENCE * 2}</p><h2>Why twice?</h2><p>{SENTENCE * 3}</p>
<ul><li>Spring tides come at new and full moon, when sun and moon pull together.</li>
<li>Neap tides come at the quarters, when the two pull against each other.</li></ul>
<p>{SENTENCE * 2}</p><pre><code class="language-python">def tide(hour):
    return hour % 12</code></pre><p>{SENTENCE}</p></div></article></main>
<aside class="sidebar"><h3>Related</h3><ul><li><a href="/a">Ten best beaches</a></li></ul></aside>
<footer class="site-footer"><p>Copyright 2024 Example Media. All rights reserved.</p></footer>
</body></html>"""


def post(author: str, text: str) -> str:
    return (
        f'<div class="topic-body crawler-post"><div class="crawler-post-meta"><span>{author}</span>'
        f'</div><div class="post" itemprop="text"><p>{text}</p></div></div>'
    )


DISCOURSE = f"""<html><head><title>How to read tide tables - Sailing forum</title>
<meta name="generator" content="Discourse 3.2"></head><body class="crawler">
<header><a href="/">Sailing forum</a></header><noscript>
{post("ann", "How do I read a tide table? " + SENTENCE)}
{post("bob", "Look at the height column first. " + SENTENCE)}
{post("cy", "And mind daylight saving time. " + SENTENCE)}</noscript>
<footer><a href="/privacy">Privacy</a></footer></body></html>"""


@requires("scrape_page.html_tier")
def test_an_article_comes_without_menu_sidebar_and_footer() -> None:
    found = extract_main_content(ARTICLE, url="https://tides.example/post")

    assert "The tide rises twice" in found.markdown
    assert "## Why twice?" in found.markdown
    assert "```python\ndef tide(hour):\n    return hour % 12\n```" in found.markdown
    for furniture in ("Home", "Ten best beaches", "All rights reserved"):
        assert furniture not in found.markdown


def test_an_article_is_recognised_with_its_title_and_confidence() -> None:
    found = extract_main_content(ARTICLE, url="https://tides.example/blog/tides-explained-at-last")

    assert found.kind == "article"
    assert found.title == "Tides explained"
    assert 0.7 < found.confidence <= 1.0
    assert 0 < found.word_count <= found.page_word_count


def test_an_image_between_kept_paragraphs_is_kept_with_its_alternative_text() -> None:
    picture = '<figure><img src="/moon.png" alt="The moon over a bay"></figure>'
    page = ARTICLE.replace("<h2>Why twice?</h2>", picture).replace("</aside>", f"{picture}</aside>")

    found = extract_main_content(page, url="https://tides.example/post")

    assert found.markdown.count("![The moon over a bay](https://tides.example/moon.png)") == 1


def test_every_reply_of_a_thread_inside_noscript_is_kept() -> None:
    found = extract_main_content(DISCOURSE, url="https://forum.example/t/tide-tables/12")

    assert found.kind == "forum"
    for start in ("How do I read", "Look at the height", "And mind daylight"):
        assert start in found.markdown
    assert "Privacy" not in found.markdown


def test_links_are_made_absolute_against_the_base_element() -> None:
    page = ARTICLE.replace("<head>", '<head><base href="https://cdn.example/x/">').replace(
        "<h2>Why twice?</h2>", f'<p>{SENTENCE} See <a href="more">more about it</a>. {SENTENCE}</p>'
    )

    assert "[more about it](https://cdn.example/x/more)" in extract_markdown(
        page, "https://t.example/"
    )


def test_a_parsed_tree_gives_the_same_as_its_source_and_is_left_unchanged() -> None:
    tree = LexborHTMLParser(ARTICLE)
    before = tree.html

    assert extract_from_tree(tree, url="https://a.example/") == extract_main_content(
        ARTICLE, url="https://a.example/"
    )
    assert tree.html == before


@pytest.mark.parametrize(
    "page",
    [
        "",
        " ",
        "\x00",
        "<html></html>",
        "<body>",
        "<frameset><frame src=x></frameset>",
        "<script>1</script>",
        "<!-- only a comment -->",
        "\ud800\udc00\ud800",
    ],
)
def test_a_page_without_text_is_empty_and_not_an_error(page: str) -> None:
    found = extract_main_content(page)

    assert found.markdown == ""
    assert found.confidence == 0.0


def test_a_page_whose_text_is_all_in_its_header_is_still_read() -> None:
    found = extract_main_content(f"<header><h1>Moon</h1><p>{SENTENCE * 3}</p></header>")

    assert "The tide rises twice" in found.markdown


@pytest.mark.parametrize(
    "page",
    [
        "plain words and nothing else at all",
        "<p>unclosed <b>bold <i>both",
        "<table><tr><td>cell<table><tr><td>inner</table></table>",
        "<p>" + "a" * 500_000,
        "<div>" * 100_000 + "x" + "</div>" * 100_000,
        "".join(f'<a href="/{i}">link {i}</a> ' for i in range(10_000)),
        "<ul>" + "<li>item" * 5_000,
    ],
    ids=["text", "unclosed", "tables", "one-word", "nested", "links", "items"],
)
def test_odd_pages_are_read_without_error(page: str) -> None:
    assert isinstance(extract_main_content(page, url="http://[bad").markdown, str)


def test_the_model_fits_the_columns_and_kinds_of_the_code() -> None:
    model = region_filling.load_scoring_model()

    assert model.columns == FEATURE_COLUMNS
    assert all(len(weights) == len(PAGE_KINDS) for weights in model.kind_weights.values())
    assert 0 < region_filling.score_blocks([[0.0] * len(FEATURE_COLUMNS)])[0] < 1


def test_a_clear_page_is_cut_at_one_half_and_a_doubtful_one_lower() -> None:
    clear, sure = region_filling.choose_threshold([1.0, 1.0, 0.0], [10, 10, 10])
    doubtful, unsure = region_filling.choose_threshold([0.4, 0.4, 0.3], [10, 10, 10])

    assert clear == pytest.approx(0.5)
    assert sure == pytest.approx(1.0)
    assert doubtful < 0.3
    assert unsure < 0.6


@pytest.mark.parametrize("page", load_gold_pages(), ids=str)
def test_main_content_is_kept_and_the_furniture_of_the_page_is_not(page: GoldPage) -> None:
    markdown = extract_markdown(page.html, "https://www.example.org/a")

    assert page.measure_agreement(markdown) > 0.93
    for words in ("cookies", "Log in", "All rights", "Subscribe", "热点排行", "Schlagwörter"):
        assert words not in markdown
