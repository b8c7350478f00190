"""The settings of the room `search`."""

from __future__ import annotations

from citewell.core.config import (
    Setting,
    SettingsSection,
    count_from,
    parse_bool,
    parse_duration,
    parse_path,
)


class SearchSettings(SettingsSection):
    search_results = Setting(
        "CITEWELL_SEARCH_RESULTS",
        None,
        "Results of web_search if the call does not say; 5 when not set, 10 in the profile searxng.",
        count_from(1, most=50),
    )
    search_max_results = Setting(
        "CITEWELL_SEARCH_MAX_RESULTS",
        None,
        "Most results a call of web_search may ask for, up to 50.",
        count_from(1, most=50),
    )
    search_page_timeout = Setting(
        "CITEWELL_SEARCH_PAGE_TIMEOUT",
        45.0,
        "Longest wait for the page of one result of web_search.",
        parse_duration,
    )
    search_page_chars = Setting(
        "CITEWELL_SEARCH_PAGE_CHARS",
        50_000,
        "Most characters of the page of one result of web_search.",
        count_from(1),
    )
    search_summary_chars = Setting(
        "CITEWELL_SEARCH_SUMMARY_CHARS",
        500,
        "Most characters of the summary of a page that web_search read; 0 for none.",
        count_from(0),
    )
    custom_lenses_path = Setting(
        "CUSTOM_LENSES_PATH",
        None,
        "A directory with more lens files.",
        parse_path,
        shapes_answers=True,
    )
    source_recommendations = Setting(
        "SOURCE_RECOMMENDATIONS",
        True,
        "Point out the best sources in search_and_scrape.",
        parse_bool,
    )
    generative_ui = Setting(
        "GENERATIVE_UI_ENABLED",
        False,
        "Add cards and a table of the sources to search_and_scrape, for clients that draw them.",
        parse_bool,
    )
    gather_deadline = Setting(
        "CITEWELL_GATHER_DEADLINE",
        15.0,
        "How long search_and_scrape waits for slow pages when others have been read.",
        parse_duration,
    )
