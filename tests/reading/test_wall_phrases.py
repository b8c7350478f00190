"""The words by which walls are recognized."""

from __future__ import annotations

import pytest

from citewell.reading import wall_phrases


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Just a moment...", "just a moment"),
        ("Robot check | Shop", "robot check"),
    ],
)
def test_a_title_is_compared_part_by_part(title: str, name: str) -> None:
    parts = wall_phrases.split_title(title)

    assert name in [part.lower() for part in parts]
    assert any(map(wall_phrases.BOT_CHECK_TITLE.fullmatch, parts))


def test_every_offer_of_a_subscription_has_one_of_the_stems() -> None:
    offers = ("Subscribe to read", "to continue reading", "nur für Abonnenten", "会员专享")

    for offer in offers:
        assert wall_phrases.PAYWALL_TEXT.search(offer)
        assert any(stem in offer.lower() for stem in wall_phrases.PAYWALL_STEMS)
