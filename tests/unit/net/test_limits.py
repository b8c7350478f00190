from __future__ import annotations

from typing import Any

import pytest

from citewell.net.http.rate_limit_headers import StatedLimits, read_retry_delay, read_stated_limits


def now() -> float:
    return 1_700_000_000.0


BRAVE = {
    "x-ratelimit-limit": "1, 15000",
    "x-ratelimit-policy": "1;w=1, 15000;w=2592000",
    "x-ratelimit-remaining": "0, 14523",
    "x-ratelimit-reset": "1, 1234567",
}


@pytest.mark.parametrize(
    ("headers", "limits"),
    [
        ({}, StatedLimits()),
        (BRAVE, StatedLimits(per_second=1.0, burst=1, pause_seconds=1.0)),
        (
            BRAVE | {"x-ratelimit-remaining": "1, 0"},
            StatedLimits(per_second=1.0, burst=1, pause_seconds=1234567.0),
        ),
        (
            {"x-rate-limit-limit": "50", "x-rate-limit-interval": "1s"},
            StatedLimits(per_second=50.0, burst=50),
        ),
        (
            {"x-rate-limit-limit": "10", "x-rate-limit-interval": "1m"},
            StatedLimits(per_second=10 / 60, burst=10),
        ),
        (
            {
                "ratelimit-policy": '"burst";q=100;w=60,"day";q=1000;w=86400',
                "ratelimit": '"burst";r=50;t=30',
            },
            StatedLimits(per_second=100 / 60, burst=100),
        ),
        ({"ratelimit": '"default";r=0;t=7'}, StatedLimits(pause_seconds=7.0)),
        (
            {"ratelimit-limit": "10, 10;w=1", "ratelimit-remaining": "0", "ratelimit-reset": "3"},
            StatedLimits(per_second=10.0, burst=10, pause_seconds=3.0),
        ),
        (
            {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000042"},
            StatedLimits(pause_seconds=42.0),
        ),
        ({"retry-after": "120"}, StatedLimits(pause_seconds=120.0)),
        ({"retry-after": "Tue, 14 Nov 2023 22:14:20 GMT"}, StatedLimits(pause_seconds=60.0)),
        ({"retry-after": "Tue, 14 Nov 2020 22:14:20 GMT"}, StatedLimits(pause_seconds=0.0)),
        ({"x-ratelimit-limit": "60", "x-ratelimit-remaining": "59"}, StatedLimits()),
    ],
)
def test_limits_are_read_from_the_headers_upstreams_send(headers: Any, limits: Any) -> None:
    assert read_stated_limits(headers, now=now) == limits


@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "soon"},
        {"retry-after": "-5"},
        {"retry-after": "Tue, 99 Nov 2023 22:14:20 GMT"},
        {"x-ratelimit-policy": "0;w=1, 1;w=0, x;w=y, 5;w=", "x-ratelimit-remaining": "none"},
        {"x-rate-limit-limit": "lots", "x-rate-limit-interval": "1 fortnight"},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "2023-11-14T22:14:20Z"},
        {"ratelimit": "r=0", "ratelimit-policy": "🙂"},
    ],
)
def test_nonsense_in_the_headers_is_skipped(headers: Any) -> None:
    assert read_stated_limits(headers, now=now) == StatedLimits()


@pytest.mark.parametrize(
    ("headers", "delay"),
    [
        ({}, None),
        ({"retry-after": "7", "x-ratelimit-reset": "99"}, 7.0),
        (BRAVE, 1.0),
        ({"x-ratelimit-reset": "9, 1000"}, 9.0),
        ({"retry-after": "99999999999"}, 31 * 86400.0),
    ],
)
def test_the_delay_of_a_refusal_is_what_the_upstream_states(
    headers: Any, delay: float | None
) -> None:
    assert read_retry_delay(headers, now=now) == delay
