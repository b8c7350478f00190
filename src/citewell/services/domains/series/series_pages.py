"""The page for people that a series or data set has on its provider's site."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from citewell.dialects.statistics.series_ids import split_dotted_key


def build_series_page(provider: str, series_id: str) -> str | None:
    """The address of the page; None for a provider without one."""
    flow = split_dotted_key(series_id).partition("?")[0].partition("/")[0]
    named = quote(flow, safe="")
    if provider == "worldbank":
        return f"https://data.worldbank.org/indicator/{named}"
    if provider == "fred":
        return f"https://fred.stlouisfed.org/series/{named}"
    if provider == "eurostat":
        return f"https://ec.europa.eu/eurostat/databrowser/view/{named}/default/table"
    if provider == "ecb":
        return f"https://data.ecb.europa.eu/data/datasets/{named}"
    agency, _, rest = flow.partition(",")
    name, _, version = rest.partition(",")
    if provider == "imf":
        return f"https://data.imf.org/en/datasets/{quote(agency, safe='')}:{quote(name, safe='')}"
    if provider == "oecd":
        asked = {"df[ag]": agency, "df[id]": name, "df[vs]": version}
        return f"https://data-explorer.oecd.org/vis?{urlencode(asked)}"
    return None
