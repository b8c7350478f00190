"""Cosines of vectors in signed bytes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.evidence.encoding.onnx_model import measure_cosines, round_vector

# No number so small that its square is zero: the exact cosine could not be computed.
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda number: round(number, 6))
PAIRS = st.integers(1, 40).flatmap(
    lambda size: st.tuples(
        st.lists(NUMBERS, min_size=size, max_size=size),
        st.lists(NUMBERS, min_size=size, max_size=size),
    )
)


def test_like_opposite_and_unrelated_vectors_are_told_apart() -> None:
    like, opposite, unrelated = measure_cosines(
        round_vector([1.0, 2.0]), map(round_vector, ([10.0, 20.0], [-1.0, -2.0], [-2.0, 1.0]))
    )

    assert like == pytest.approx(1.0)
    assert opposite == pytest.approx(-1.0)
    assert unrelated == pytest.approx(0.0, abs=0.01)


def test_a_vector_without_direction_is_like_none() -> None:
    assert measure_cosines(bytes(2), [bytes(2), b"\x01\x02"]) == (0.0, 0.0)


def test_vectors_of_different_lengths_are_not_compared() -> None:
    with pytest.raises(ValueError, match="different encoders"):
        measure_cosines(b"\x01", [b"\x01\x02"])


@given(PAIRS)
def test_rounding_moves_a_cosine_by_little(pair: tuple[list[float], list[float]]) -> None:
    first, other = pair
    lengths = math.hypot(*first) * math.hypot(*other)
    exact = sum(a * b for a, b in zip(first, other, strict=True)) / lengths if lengths else 0.0

    (measured,) = measure_cosines(round_vector(first), [round_vector(other)])

    assert -1.0001 <= measured <= 1.0001
    assert measured == pytest.approx(exact, abs=0.06)
