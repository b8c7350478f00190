"""Declarations that are valid and may matter."""

from __future__ import annotations

import pytest

from citewell.reading.css.declarations import parse_declarations


@pytest.mark.parametrize(
    ("block", "wanted"),
    [
        ("display:none", {"display": ("none", False)}),
        ("DISPLAY : None ! important", {"display": ("none", True)}),
        ("display:none;display:blah", {"display": ("none", False)}),
        ("display:none!important;display:block", {"display": ("none", True)}),
        (r"d\69splay:n\6f ne", {"display": ("none", False)}),
        ("font:italic 0/1 a", {"font-size": ("0", False), "line-height": ("1", False)}),
        ("inset-inline-start:-9px", {"left": ("-9px", False)}),
        ("border:1px;orphans:none;nonsense", {}),
        ("width:-1px;height:nonsense 3", {}),
        ("overflow:hidden auto", {"overflow-x": ("hidden", False), "overflow-y": ("auto", False)}),
        ("color:red;color:blah", {"color": ("red", False)}),
    ],
)
def test_declarations_that_matter_are_kept(block: str, wanted: dict[str, tuple[str, bool]]) -> None:
    assert parse_declarations(block) == wanted
