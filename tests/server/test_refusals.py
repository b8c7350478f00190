"""The challenges that callers are sent who are not let in."""

from __future__ import annotations

from citewell.server.http.refusals import build_challenge


def test_a_challenge_names_the_error_the_scopes_and_the_metadata() -> None:
    challenge = build_challenge(
        metadata_url="https://research.example.org/m",
        scopes=("tool:a", "tool:b"),
        error="invalid_token",
        description="The token has expired.",
    )

    assert challenge == (
        'Bearer error="invalid_token", error_description="The token has expired.", '
        'scope="tool:a tool:b", resource_metadata="https://research.example.org/m"'
    )


def test_what_a_quoted_string_cannot_hold_is_left_out() -> None:
    challenge = build_challenge(metadata_url=None, error="e", description='say "no"\\\r\nX: é')

    assert challenge == 'Bearer error="e", error_description="say noX: "'


def test_without_anything_to_say_only_the_scheme_is_named() -> None:
    assert build_challenge(metadata_url=None, description="of no error") == "Bearer"
