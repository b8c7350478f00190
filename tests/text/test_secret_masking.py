from __future__ import annotations

import pytest

from citewell.text.safety.secret_masking import mask_secrets

LONG = "a1B2" * 10


@pytest.mark.parametrize(
    "text",
    [
        f"AIza{LONG[:35]}",
        f"sk-{LONG}",
        f"BSA{LONG}",
        f"https://api.example.org/?key={LONG}&q=x",
        f"Authorization: Bearer {LONG}",
        f"x-subscription-token: {LONG}",
        f"https://user:{LONG}@example.org/",
        "0123456789abcdef" * 4,
        f'{{"api_key": "{LONG}"}}',
    ],
)
def test_a_credential_is_masked(text: str) -> None:
    shown = mask_secrets(f"before {text} after")

    assert LONG not in shown
    assert "0123456789abcdef" * 4 not in shown
    assert shown.startswith("before ")
    assert shown.endswith(" after")


@pytest.mark.parametrize(
    "text",
    [
        "an ordinary sentence about keys and tokens",
        "https://example.org/a?q=x",
        "research://artifact/" + "ab" * 32,
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert mask_secrets(text) == text
