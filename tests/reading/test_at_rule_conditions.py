"""Conditions of at-rules."""

from __future__ import annotations

import pytest

from citewell.reading.css import at_rule_conditions as container_rules


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ("", True), ("screen", True), ("print", False), ("all and (min-width:600px)", True),
        ("(max-width: 40em)", False), ("print, screen", True), ("not print", True), ("not all", False),
        ("only screen and (orientation: landscape)", True), ("(400px <= width <= 2000px)", True),
        ("(width < 400px)", False), ("(prefers-color-scheme: dark)", False), ("(hover)", True),
        ("(prefers-reduced-motion)", False), ("(made-up: 1)", False), ("(min-aspect-ratio: 1/1)", True),
        ("(min-resolution: 2dppx)", False), ("not (max-width: 600px)", True),
        ("(max-width: 600px) or (min-width: 900px)", True), ("((((", False),
    ],
)  # fmt: skip
def test_a_desktop_screen_answers_media_queries(query: str, holds: object) -> None:
    assert container_rules.matches_media_query(query) is holds
