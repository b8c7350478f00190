from __future__ import annotations

from citewell.reading.sites.social_posts import format_reactions


def test_reactions_that_the_network_does_not_count_are_left_out() -> None:
    counts = format_reactions(likes=1, reposts=2, replies=1, quotes=None)

    assert counts == "1 like · 2 reposts · 1 reply"
