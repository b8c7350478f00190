"""Which declaration wins on an element."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.css.style_cascade import PageStyles


@pytest.mark.parametrize(
    ("sheet", "style", "value"),
    [
        ("p{display:none}", "", "none"),
        ("p{display:none}.a{display:block}", "", "block"),
        (".a{display:block}p{display:none}", "", "block"),
        ("p{display:none!important}.a{display:block}", "", "none"),
        ("#x{display:none}", "display:block", "block"),
        ("p{display:none!important}", "display:block", "none"),
        ("@layer late{p{display:block}}p{display:none}", "", "none"),
        ("@media print{p{display:none}}", "", ""),
        (".no-js p{display:none}", "", ""),
    ],
)
def test_the_strongest_declaration_wins(sheet: str, style: str, value: str) -> None:
    tree = LexborHTMLParser(
        f"<!doctype html><style>{sheet}</style><p id=x class=a style='{style}'>Words"
    )

    styles = [found for found in PageStyles(tree).found.values() if found.node.tag == "p"]

    assert [found.find_value("display") for found in styles] == ([value] if styles else [])
    assert bool(styles) is bool(value)


def test_states_that_scripts_end_do_not_count() -> None:
    page = "<!doctype html><style>.loading p{opacity:0}</style><body class=loading><p>Words"
    script = "<script>document.body.classList.remove('loading')</script>"

    assert PageStyles(LexborHTMLParser(page)).found
    assert not PageStyles(LexborHTMLParser(page + script)).found
