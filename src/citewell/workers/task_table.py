"""The functions that worker processes may be asked to run; no other function can be."""

from __future__ import annotations

# "module:function" of every task. A task takes annotated arguments and returns an annotated value;
# both travel as JSON, `bytes` arguments beside it.
TASK_PATHS = frozenset({
    "citewell.dialects.statistics.jsonstat:read_jsonstat_window",
    "citewell.dialects.statistics.sdmx_json:read_sdmx_window",
    "citewell.dialects.statistics.sdmx_structures:list_key_dimensions",
    "citewell.dialects.statistics.sdmx_structures:write_flow_lines",
    "citewell.dialects.statistics.sdmx_structures:write_flow_names",
    "citewell.fetch.documents.document_tasks:read_document_body",
    "citewell.fetch.documents.feed_listings:list_feed_items",
    "citewell.fetch.documents.pdf.page_images:render_page_image",
    "citewell.fetch.page_reading:find_error_wall",
    "citewell.fetch.page_reading:read_copied_page",
    "citewell.fetch.page_reading:read_document_page",
    "citewell.fetch.page_reading:read_markdown_page",
    "citewell.fetch.page_reading:read_page",
    "citewell.fetch.sites.clinicaltrials.study_page:read_study_page",
    "citewell.fetch.sites.hackernews.hackernews_items:render_hackernews_thread",
    "citewell.fetch.sites.markdown_parts:convert_html_text",
    "citewell.fetch.sites.patents:parse_patent_page",
    "citewell.fetch.sites.reddit.reddit_listings:parse_thread_listing",
    "citewell.fetch.sites.reddit.reddit_old_page:parse_old_thread",
    "citewell.fetch.sites.reddit.reddit_page:find_reddit_post",
    "citewell.fetch.sites.reddit.reddit_page:read_reddit_comments",
    "citewell.fetch.sites.reddit.reddit_threads:render_reddit_thread",
    "citewell.fetch.sites.repository_markdown:clean_repository_markdown",
    "citewell.fetch.sites.stackexchange.stackexchange_posts:render_question_page",
    "citewell.fetch.sites.wikipedia:convert_article_html",
    "citewell.fetch.sites.worldbank:render_worldbank_indicator",
    "citewell.fetch.sites.xcancel:parse_mirror_page",
    "citewell.fetch.sites.youtube.transcripts:read_transcript",
    "citewell.fetch.sites.youtube.video_feeds:parse_video_feed",
    "citewell.fetch.sites.youtube.video_listings:parse_listing_body",
    "citewell.fetch.sites.youtube.video_listings:parse_resolved_channel",
    "citewell.fetch.sites.youtube.video_listings:read_listing_page",
    "citewell.fetch.sites.youtube.watch_pages:read_watch_page",
    "citewell.fetch.sites.youtube.youtube_player:parse_player_body",
    "citewell.fetch.text_tasks:clean_page_text",
    "citewell.fetch.text_tasks:decode_raw_body",
    "citewell.fetch.text_tasks:find_text_signals",
    "citewell.providers.duckduckgo:parse_duckduckgo_page",
    "citewell.providers.googlepatents:parse_google_patent",
    "citewell.providers.eurostat:write_contents_lines",
    "citewell.providers.fred:read_graph_window",
    "citewell.providers.edgar.company_facts:read_company_facts",
    "citewell.providers.edgar.company_matching:match_company",
    "citewell.providers.searxng.html_result_page:parse_searxng_html",
    "citewell.providers.worldbank:read_indicator_window",
    "citewell.providers.worldbank:write_indicator_lines",
    "citewell.services.domains.brands.brand_page_facts:read_guideline_text",
    "citewell.services.domains.brands.brand_page_facts:read_site_facts",
    "citewell.services.domains.law.citation_finding:find_piece_citations",
    "citewell.services.domains.structured.page_fields:fill_page_fields",
    "citewell.services.domains.structured.page_fields:find_stated_highlights",
    "citewell.services.domains.structured.page_fields:summarise_for_query",
    "citewell.services.drafts.document_drafts:read_document_draft",
    "citewell.services.library.local_files:extract_file_text",
    "citewell.services.links.landing_pages:has_blocking_body",
    "citewell.services.links.landing_pages:have_same_text",
    "citewell.services.links.landing_pages:judge_landing_body",
    "citewell.services.reading.source_figures:measure_source_text",
    "citewell.text.citations.csl_rendering:read_style_facts",
    "citewell.text.citations.csl_rendering:render_csl_entries",
    "citewell.text.drafts.draft_reading:read_draft_source",
    "citewell.services.trust.bibliography_reading:extract_manuscript",
    "citewell.services.trust.bibliography_reading:parse_xml_bibliography",
})  # fmt: skip

# What the process of a model may be asked to run: it holds an encoder or a judge, and reads no page.
ENCODER_TASK_PATHS = frozenset({
    "citewell.services.encoding.onnx_model:embed_model_texts",
    "citewell.services.judging.nli_model:classify_text_pairs",
})  # fmt: skip

# Imported before a worker gets its first task, because most tasks need them.
PRELOADED_MODULES = (
    "citewell.fetch.documents.document_tasks",
    "citewell.fetch.page_reading",
)
