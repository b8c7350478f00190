from __future__ import annotations

import pytest

from citewell.core.values.brand import StatedColor
from citewell.domains.brands.brand_page_facts import find_stated_tone
from citewell.domains.brands.stated_design import (
    find_stated_colors,
    find_stated_fonts,
    measure_brightness,
    normalize_hex,
)
from tests.requirements import requires


@pytest.mark.parametrize(
    ("text", "name", "role"),
    [
        ("| Instrument Blue | #0057B8 | 0, 87, 184 |", "Instrument Blue", None),
        ("Instrument Blue\n\nHEX #0057b8", "Instrument Blue", None),
        ("- **Primary blue**: `#0057B8`", "Primary blue", "primary"),
        ("## Primary colors\n\n#0057B8", None, "primary"),
        ("Instrument Blue\nRGB: 0, 87, 184", "Instrument Blue", None),
        ("Background – #0057B8", "Background", "background"),
        ("Instrument Blue HEX: 0057B8", "Instrument Blue", None),
    ],
)
def test_a_color_is_stated_with_its_name_or_role(
    text: str, name: str | None, role: str | None
) -> None:
    assert find_stated_colors(text.split("\n")) == (
        StatedColor(hex="#0057B8", name=name, role=role),
    )


@requires("brand_research.not_guessed")
@pytest.mark.parametrize(
    "text",
    [
        "#0057B8",
        "## Colors\n\nIssue #123456 was closed.",
        "See https://example.com/#0057B8 for more",
        "background: url(#0057B8x)",
        "RGB 300, 87, 184",
        "In the long run, everything that we have written about #0057B8 will be forgotten by everybody",
    ],
)
def test_other_codes_are_no_colors(text: str) -> None:
    assert find_stated_colors(text.split("\n")) == ()


@pytest.mark.parametrize(
    ("text", "family", "role", "weights"),
    [
        ("## Typography\n\nHeadings: Inter Bold", "Inter", "heading", (700,)),
        ("## Fonts\n\n| Body | Source Sans 3 | 400, 700 |", "Source Sans 3", "body", (400, 700)),
        ("Our typeface is Example Grotesk.", "Example Grotesk", "heading", ()),
        ("The body font is **Lora**, in Regular", "Lora", "body", (400,)),
        ("## Typography\n\nCode: JetBrains Mono", "JetBrains Mono", "mono", ()),
    ],
)
def test_a_typeface_is_stated_for_its_use(
    text: str, family: str, role: str, weights: tuple[int, ...]
) -> None:
    [font] = find_stated_fonts(text.split("\n"))

    assert (font.family, font.role, font.weights) == (family, role, weights)


@pytest.mark.parametrize(
    "text",
    [
        "Title: Annual report",
        "Body: The human body",
        "## Typography\n\nHeadings: Use them well",
        "",
    ],
)
def test_other_lines_state_no_typeface(text: str) -> None:
    assert find_stated_fonts(text.split("\n")) == ()


def test_tone_is_read_from_its_own_section_alone() -> None:
    text = "# Us\n\nWe are nice.\n\n## Voice and tone\n\nPlain words.\n\n- Warm\n\n**Don't**\n\n- Shout\n\n## Next\n\n- Cold"

    tone = find_stated_tone(text.split("\n"))

    assert tone is not None
    assert (tone.summary, tone.attributes, tone.donts) == ("Plain words.", ("Warm",), ("Shout",))
    assert find_stated_tone(["# Us", "", "We are warm and clear."]) is None


def test_codes_are_brought_into_one_form() -> None:
    assert [normalize_hex(code) for code in ("#abc", "0057b8", "#0057B8FF", "red", None)] == [
        "#AABBCC",
        "#0057B8",
        None,
        None,
        None,
    ]
    assert (measure_brightness("#000000"), measure_brightness("#FFFFFF")) == (0, 255)
