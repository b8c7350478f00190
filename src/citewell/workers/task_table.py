"""The functions that worker processes may be asked to run; no other function can be."""

from __future__ import annotations

# "module:function" of every task. A task takes annotated arguments and returns an annotated value;
# both travel as JSON, `bytes` arguments beside it.
TASK_PATHS = frozenset({
    "citewell.fetch.documents.document_tasks:read_document_body",
    "citewell.fetch.page_reading:find_error_wall",
    "citewell.fetch.page_reading:read_copied_page",
    "citewell.fetch.page_reading:read_document_page",
    "citewell.fetch.page_reading:read_markdown_page",
    "citewell.fetch.page_reading:read_page",
    "citewell.fetch.text_tasks:clean_page_text",
    "citewell.fetch.text_tasks:decode_raw_body",
    "citewell.fetch.text_tasks:find_text_signals",
    "citewell.providers.duckduckgo:parse_duckduckgo_page",
    "citewell.providers.searxng.html_result_page:parse_searxng_html",
    "citewell.services.library.local_files:extract_file_text",
    "citewell.services.links.landing_pages:has_blocking_body",
    "citewell.services.links.landing_pages:have_same_text",
    "citewell.services.links.landing_pages:judge_landing_body",
})  # fmt: skip

# Imported before a worker gets its first task, because most tasks need them.
PRELOADED_MODULES = (
    "citewell.fetch.documents.document_tasks",
    "citewell.fetch.page_reading",
)
