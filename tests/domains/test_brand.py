from __future__ import annotations

import json

from tests.command_runs import Run
from tests.internet.brand_sites import BrandSites


def test_a_brand_is_shown_in_lines(run: Run, environ: dict[str, str]) -> None:
    with BrandSites() as sites:
        ran = run("brand", sites.url, **sites.env(environ))

    lines = [line.strip() for line in ran.out.splitlines()]
    assert ran.code == 0
    assert lines[0] == "Example Instruments"
    assert "Colour: #0057B8 Instrument Blue · primary" in lines
    assert "Heading typeface: Inter" in lines
    assert lines[-1].startswith("Coverage: colors full, logos full")


def test_design_tokens_are_printed_alone(run: Run, environ: dict[str, str]) -> None:
    with BrandSites() as sites:
        ran = run("brand", sites.url, "--tokens", **sites.env(environ))

    assert json.loads(ran.out)["color"]["primary"]["$type"] == "color"


def test_an_unknown_company_is_an_error(run: Run) -> None:
    ran = run("brand", "Unheard Of Widgets")

    assert ran.code != 0
    assert "Unheard Of Widgets" in ran.err
