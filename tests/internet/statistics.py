"""Statistics of our own for the doubles of the statistical offices, and their common formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# Made-up figures, written as numbers whose last digit is a zero, so that rounding would show.
YEARS = tuple(str(year) for year in range(2016, 2026))
MONTHS = tuple(f"2026-{month:02}" for month in range(1, 10))


def chosen_periods(
    periods: Sequence[str], *, first: str | None, last: str | None, newest: int | None
) -> list[str]:
    kept = [
        period
        for period in periods
        if (not first or period[:4] >= first[:4]) and (not last or period[:4] <= last[:4])
    ]
    return kept[-newest:] if newest else kept


def structure(agency: str, name: str, dimensions: Sequence[str]) -> dict[str, Any]:
    """A structure message in SDMX-JSON with one data structure."""
    return {
        "data": {
            "dataStructures": [
                {
                    "id": f"DSD_{name}",
                    "agencyID": agency,
                    "version": "1.0",
                    "name": name,
                    "dataStructureComponents": {
                        "dimensionList": {
                            "dimensions": [
                                {"id": dimension, "position": number}
                                for number, dimension in enumerate(dimensions)
                            ]
                        }
                    },
                }
            ]
        }
    }


def flows(listed: Sequence[tuple[str, str, str, str]]) -> dict[str, Any]:
    """The list of data flows in SDMX-JSON: agency, id, version, name."""
    return {
        "data": {
            "dataflows": [
                {"id": name, "agencyID": agency, "version": version, "name": title}
                for agency, name, version, title in listed
            ]
        }
    }


def message(
    title: str,
    dimensions: Mapping[str, Mapping[str, str]],
    series: Mapping[str, Mapping[str, Any]],
    periods: Sequence[str],
    *,
    version: int = 2,
) -> dict[str, Any]:
    """A data message: `series` has values by period under keys such as "0:1"."""
    held = {
        key: {
            "attributes": [],
            "observations": {
                str(number): [values[period], 0]
                for number, period in enumerate(periods)
                if period in values
            },
        }
        for key, values in series.items()
    }
    shape = {
        "name": title,
        "dimensions": {
            "series": [
                {
                    "id": name,
                    "name": name.title(),
                    "values": [{"id": code, "name": label} for code, label in codes.items()],
                }
                for name, codes in dimensions.items()
            ],
            "observation": [
                {"id": "TIME_PERIOD", "values": [{"id": period} for period in periods]}
            ],
        },
        "attributes": {
            "series": [],
            "observation": [{"id": "OBS_STATUS", "values": [{"id": "A", "name": "Normal"}]}],
        },
    }
    if version == 1:
        return {"header": {}, "dataSets": [{"series": held}], "structure": shape}
    return {"data": {"dataSets": [{"structure": 0, "series": held}], "structures": [shape]}}
