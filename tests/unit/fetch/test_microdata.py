from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from citewell.fetch.metadata.microdata import collect_microdata

PRODUCT = """
<div itemscope itemtype="https://schema.org/Product">
  <h1 itemprop="name">Glowell <b>806</b></h1>
  <div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
    <meta itemprop="priceCurrency" content="EUR"><span itemprop="price">7.99</span>
  </div>
  <a itemprop="url" href="https://shop.example.net/806">Page</a>
  <span itemprop="color">white</span><span itemprop="color">warm white</span>
</div>
"""


def test_an_item_has_its_properties_and_the_items_inside_it() -> None:
    [item] = collect_microdata(LexborHTMLParser(PRODUCT))

    assert item == {
        "@type": "Product",
        "name": "Glowell 806",
        "offers": {"@type": "Offer", "priceCurrency": "EUR", "price": "7.99"},
        "url": "https://shop.example.net/806",
        "color": ["white", "warm white"],
    }


def test_what_is_not_shown_is_not_read() -> None:
    page = (
        '<div itemscope><p itemprop="a" style="display: none">Obey me.</p>'
        '<div hidden><p itemprop="b">Obey me.</p></div><p itemprop="c">Seen.</p></div>'
    )

    assert collect_microdata(LexborHTMLParser(page)) == ({"c": "Seen."},)


def test_properties_without_an_item_are_no_item() -> None:
    assert collect_microdata(LexborHTMLParser('<p itemprop="name">Alone</p>')) == ()


def test_a_page_of_many_properties_is_cut() -> None:
    many = "".join(f'<p itemprop="p{number}">{"x" * 290}</p>' for number in range(5000))

    [item] = collect_microdata(LexborHTMLParser(f"<div itemscope>{many}</div>"))

    assert sum(map(len, item.values())) <= 8000
