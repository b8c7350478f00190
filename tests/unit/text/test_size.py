from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.text import text_size
from tests.requirements import requires


@requires("scrape_page.size_category")
@pytest.mark.parametrize(
    ("length", "name"),
    [
        (0, "small"),
        (4999, "small"),
        (5000, "medium"),
        (19_999, "medium"),
        (20_000, "large"),
        (49_999, "large"),
        (50_000, "very_large"),
    ],
)
def test_a_length_has_its_category(length: int, name: str) -> None:
    assert text_size.classify_size(length) == name


def test_weight_counts_bytes_and_tokens_a_quarter_of_them() -> None:
    assert text_size.count_utf8_bytes("näive 語") == len("näive 語".encode())
    assert text_size.estimate_token_count(text_size.count_utf8_bytes("x" * 403)) == 100


def test_a_small_text_leaves_its_rest_to_the_others() -> None:
    assert text_size.split_byte_limit([10, 1000, 1000], 510) == [10, 250, 250]


def test_all_fit_when_there_is_room() -> None:
    assert text_size.split_byte_limit([5, 7], 100) == [5, 7]


@given(st.lists(st.integers(0, 10_000), max_size=12), st.integers(0, 50_000))
def test_shares_never_pass_the_room_and_waste_none_of_it(sizes: list[int], room: int) -> None:
    granted = text_size.split_byte_limit(sizes, room)

    assert all(0 <= share <= wanted for share, wanted in zip(granted, sizes, strict=True))
    assert sum(granted) <= room
    assert sum(granted) >= min(sum(sizes), room) - len(sizes)
