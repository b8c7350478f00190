"""The ids of series and data sets: their forms, and the filters they may carry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from citewell.core.errors import InvalidInput

MAX_SERIES_ID_CHARS = 400
# Whatever may stand in a path: letters, digits and a few signs, but no "..".
_FLOW_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_@.,$+~*-]{0,199}")
_KEY_PATTERN = re.compile(r"[A-Za-z0-9_.+*$@-]{1,300}")
_CODE_PATTERN = re.compile(r"[A-Za-z0-9_@$*.-]{1,80}(?:\+[A-Za-z0-9_@$*.-]{1,80}){0,49}")
_NAME_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,60}")
_MAX_FILTERS = 30

_WORLD_BANK_PATTERN = re.compile(r"[A-Z]{2}(?:\.[A-Z0-9_]{2,20}){1,9}(?:\.[A-Z0-9_]{1,20})?")
_DOTTED_KEY_PATTERN = re.compile(r"([A-Z0-9_]{2,12})\.([ABDHMNQSW]\..{1,200})")
_EUROSTAT_PATTERN = re.compile(r"[a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}){1,9}|t[a-z]{2,5}\d{2,5}")
_FRED_PATTERN = re.compile(r"[A-Z][A-Z0-9_]{0,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesReference:
    """A data set or series, with a key or with filters by dimension if the id has them."""

    flow: str
    key: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)


def parse_series_reference(series_id: str) -> SeriesReference:
    """The parts of `flow`, `flow/key` or `flow?DIMENSION=code&…`; raises InvalidInput for anything else."""
    text = series_id.strip()
    named, _, asked = text.partition("?")
    flow, _, key = named.partition("/")
    parts = [part for part in asked.replace(";", "&").split("&") if part]
    filters = dict(part.partition("=")[::2] for part in parts)
    good = (
        len(text) <= MAX_SERIES_ID_CHARS
        and _FLOW_PATTERN.fullmatch(flow)
        and ".." not in flow
        and (not key or _KEY_PATTERN.fullmatch(key))
        and len(filters) == len(parts) <= _MAX_FILTERS
        and all(_NAME_PATTERN.fullmatch(name) for name in filters)
        and all(_CODE_PATTERN.fullmatch(code) for code in filters.values())
    )
    if not good:
        raise InvalidInput(
            "series_id must be an id as a search returns it, with a key after a slash or with"
            " filters such as ?sex=T&age=TOTAL where a data set has several series."
        )
    # A key of open positions alone is no key, and as a part of an address would mean another.
    return SeriesReference(flow=flow, key=key if key.strip(".") else "", filters=filters)


def guess_series_provider(series_id: str) -> str | None:
    """The provider whose ids have this form; None if it fits none."""
    flow = series_id.partition("/")[0].partition("?")[0].strip()
    if "," in flow:
        return "imf" if flow.startswith("IMF") else "oecd"
    if "/" in series_id or _DOTTED_KEY_PATTERN.fullmatch(flow):
        return "ecb"
    if _WORLD_BANK_PATTERN.fullmatch(flow):
        return "worldbank"
    if _EUROSTAT_PATTERN.fullmatch(flow) or "?" in series_id:
        return "eurostat"
    return "fred" if _FRED_PATTERN.fullmatch(flow) else None


def split_dotted_key(series_id: str) -> str:
    """An ECB id in the form flow/key: EXR.D.USD.EUR.SP00.A is EXR/D.USD.EUR.SP00.A."""
    match = _DOTTED_KEY_PATTERN.fullmatch(series_id.strip())
    return f"{match[1]}/{match[2]}" if match else series_id
