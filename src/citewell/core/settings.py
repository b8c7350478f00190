"""The settings of the room `core`."""

from __future__ import annotations

from citewell.core.config import (
    NO_NAMES,
    Setting,
    SettingsSection,
    choice_of,
    parse_bool,
    parse_duration,
    parse_name_list,
    parse_text,
    text_matching,
)

QUERY_PROVIDERS_SETTING = "CITEWELL_QUERY_PROVIDERS"
SEARXNG_PROFILE = "searxng"  # the profile of spec 3, which asks SearXNG alone


class CoreSettings(SettingsSection):
    profile = Setting(
        "CITEWELL_PROFILE",
        "default",
        "Preset of tools and defaults: default, all, searxng, or a toolset's name.",
        parse_text,
    )
    query_providers = Setting(
        QUERY_PROVIDERS_SETTING,
        NO_NAMES,
        "The only providers that may see a query, comma-separated: no tool asks another, and no service learns the address of a page. The profile searxng allows searxng and those that SEARCH_PROVIDER and SEARCH_ROUTING name.",
        parse_name_list,
        shapes_answers=True,
    )
    long_tool_timeout = Setting(
        "CITEWELL_LONG_TOOL_TIMEOUT",
        120.0,
        "Longest run of a tool that reads many pages.",
        parse_duration,
    )
    stdio_user = Setting(
        "STDIO_USER_ID",
        None,
        "Names the user of a stdio process and of the commands (letters, digits, . _ @ -), and consents to memory and analytics for them unless they withdrew it. What is kept belongs to that user.",
        text_matching(r"^[A-Za-z0-9._@-]{1,128}$"),
    )
    log_level = Setting(
        "LOG_LEVEL",
        "info",
        "debug, info, warning or error; logs go to stderr.",
        choice_of("debug", "info", "warning", "error", any_case=True),
    )
    log_format = Setting(
        "LOG_FORMAT",
        "text",
        "text, or json for one JSON object per line.",
        choice_of("text", "json", any_case=True),
    )
    thumbnails = Setting(
        "CITEWELL_THUMBNAILS",
        True,
        "Show small previews with `citewell images` in terminals that can (iTerm2, WezTerm, kitty, Ghostty).",
        parse_bool,
    )

    @property
    def is_sealed(self) -> bool:
        """Whether only certain providers may see a query."""
        return bool(self.query_providers) or self.profile == SEARXNG_PROFILE
