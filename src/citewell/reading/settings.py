"""The settings of the room `reading`."""

from __future__ import annotations

from citewell.core.config import (
    Setting,
    SettingsSection,
    count_from,
    parse_bool,
    parse_duration,
    parse_text,
)


class ReadingSettings(SettingsSection):
    github_token = Setting(
        "GITHUB_TOKEN",
        None,
        "Raises GitHub's limits; sent to api.github.com alone.",
        parse_text,
        secret=True,
    )
    stackexchange_key = Setting(
        "STACKEXCHANGE_KEY",
        None,
        "Raises the limit of Stack Exchange's API from 300 to 10,000 requests a day; from stackapps.com.",
        parse_text,
        secret=True,
    )
    reddit_client_id = Setting(
        "REDDIT_CLIENT_ID",
        None,
        "Reads Reddit through its API, with the secret; from an app at reddit.com/prefs/apps. Without them the public pages are read.",
        parse_text,
        secret=True,
    )
    reddit_client_secret = Setting(
        "REDDIT_CLIENT_SECRET", None, "The secret of the Reddit app.", parse_text, secret=True
    )
    reddit_username = Setting(
        "REDDIT_USERNAME",
        None,
        "The account that owns the Reddit app; Reddit asks for it in the User-Agent.",
        parse_text,
    )
    respect_robots = Setting(
        "CITEWELL_RESPECT_ROBOTS", True, "Ask robots.txt before a page is read.", parse_bool
    )
    max_html_bytes = Setting(
        "MAX_HTML_BYTES", 8 * 2**20, "Largest page read, in bytes.", count_from(1)
    )
    max_document_bytes = Setting(
        "MAX_DOCUMENT_BYTES", 50 * 2**20, "Largest document read, in bytes.", count_from(1)
    )
    page_timeout = Setting(
        "CITEWELL_PAGE_TIMEOUT", 15.0, "Longest wait for one page over plain HTTP.", parse_duration
    )
    max_page_concurrency = Setting(
        "MAX_SCRAPE_CONCURRENCY", 5, "Pages read at the same time.", count_from(1)
    )
    ocr = Setting(
        "CITEWELL_OCR",
        True,
        "Read scanned pages of PDFs with tesseract where it is installed.",
        parse_bool,
    )
    ocr_languages = Setting(
        "CITEWELL_OCR_LANGUAGES",
        "",
        "Languages of scanned pages as tesseract names them, such as `eng+deu`; empty for those installed.",
        parse_text,
    )
    ocr_pages = Setting(
        "CITEWELL_OCR_PAGES",
        20,
        "Scanned pages of one document that are recognized.",
        count_from(1),
    )
    stealth = Setting(
        "CITEWELL_STEALTH",
        True,
        "Ask again as a browser would when a page refuses us; needs the extra `stealth`.",
        parse_bool,
    )
    chrome_path = Setting(
        "CHROME_PATH", None, "The Chromium to render pages with; `disabled` for none.", parse_text
    )
    max_browser_pages = Setting(
        "MAX_SCRAPE_CONCURRENCY_BROWSER", 2, "Pages rendered at the same time.", count_from(1)
    )
    exa_contents = Setting(
        "CITEWELL_EXA_CONTENTS",
        True,
        "With EXA_API_KEY, ask Exa for pages that nothing else could read; paid, and Exa learns the address.",
        parse_bool,
    )
