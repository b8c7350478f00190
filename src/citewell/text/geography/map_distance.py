"""Distances between points on the map."""

from __future__ import annotations

import math

_EARTH_RADIUS_METERS = 6_371_008.8  # the mean radius
METERS_PER_MILE = 1609.344


def is_map_point(latitude: float, longitude: float) -> bool:
    """Whether these are finite WGS-84 coordinates within their ranges."""
    # Not a number fails both comparisons.
    return -90 <= latitude <= 90 and -180 <= longitude <= 180


def measure_distance(
    latitude: float, longitude: float, other_latitude: float, other_longitude: float
) -> float:
    """Metres along the great circle, by the haversine formula."""
    one, other = math.radians(latitude), math.radians(other_latitude)
    across = math.radians(other_longitude - longitude)
    half_chord = (
        math.sin((other - one) / 2) ** 2
        + math.cos(one) * math.cos(other) * math.sin(across / 2) ** 2
    )
    return 2 * _EARTH_RADIUS_METERS * math.asin(math.sqrt(min(1.0, half_chord)))
