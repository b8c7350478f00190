"""The settings of the room `research`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from citewell.core import config
from citewell.core.config import NO_NAMES, Setting, SettingsSection

_parse_scope: Callable[[object], Literal["web", "library", "both"]] = config.choice_of(
    "web", "library", "both"
)
_parse_rate = config.text_matching(r"^[a-z0-9_-]{1,40}=[1-9][0-9]{0,5}$")


def _parse_rates(value: object) -> tuple[str, ...]:
    return tuple(_parse_rate(rate) for rate in config.parse_name_list(value))


class ResearchSettings(SettingsSection):
    research_scope = Setting(
        "CITEWELL_RESEARCH_SCOPE",
        None,
        "Where research searches if the call does not say: web, library or both. When not set: the web, or the library if SEARCH_ROUTING names only that.",
        _parse_scope,
    )
    answer_provider = Setting(
        "CITEWELL_ANSWER_PROVIDER",
        None,
        "Provider of answer and structured_search for calls that name none, or local; needed only if several are configured.",
        config.parse_text,
    )
    research_writer = Setting(
        "CITEWELL_RESEARCH_WRITER",
        None,
        "Provider that writes research reports, or extractive for quotations alone; without it one of the job's own.",
        config.parse_text,
    )
    evidence_tokens = Setting(
        "CITEWELL_EVIDENCE_TOKENS",
        3000,
        "Size of the evidencePack in get_results, in tokens of four bytes; 0 leaves it out unless it is asked for.",
        config.count_from(0),
    )
    research_budget = Setting(
        "CITEWELL_RESEARCH_BUDGET_CENTS",
        None,
        "Cents each owner may spend on deep research in all; unlimited when not set and nothing was credited.",
        config.count_from(0),
    )
    research_tenant_budget = Setting(
        "CITEWELL_RESEARCH_BUDGET_PER_TENANT_CENTS",
        None,
        "Cents all users of one tenant together may spend on deep research in all; unlimited when not set.",
        config.count_from(0),
    )
    research_concurrency = Setting(
        "CITEWELL_RESEARCH_CONCURRENCY",
        4,
        "Research jobs one process runs at a time; with 0 it only queues them, for `citewell worker` to run. On PostgreSQL give all processes the same number: each is given as many jobs as the one that started last may run, and what is more than its own number waits in it.",
        config.count_from(0),
    )
    research_per_owner = Setting(
        "CITEWELL_RESEARCH_PER_OWNER",
        4,
        "Research jobs of one owner that run at a time.",
        config.count_from(1),
    )
    research_rates = Setting(
        "CITEWELL_RESEARCH_RATES",
        NO_NAMES,
        "How many research jobs with a provider start in a minute, over all workers on PostgreSQL: openai=20, perplexity=60. The provider with the lowest rate decides.",
        _parse_rates,
    )
    research_lease = Setting(
        "CITEWELL_RESEARCH_LEASE",
        30.0,
        "After how long a process that fell silent loses its jobs to another one on the same files; on PostgreSQL see CITEWELL_HEARTBEAT_SECONDS.",
        config.parse_duration,
    )
    heartbeat_seconds = Setting(
        "CITEWELL_HEARTBEAT_SECONDS",
        5.0,
        "Within how many seconds the jobs of a dead worker go on elsewhere, on PostgreSQL; each worker tells five times as often that it is alive.",
        config.seconds_from(0.1, most=3600),
    )
    research_poll = Setting(
        "CITEWELL_RESEARCH_POLL",
        2.0,
        "How soon a provider's background run is first asked after; the pauses grow to ten times that.",
        config.parse_duration,
    )
    research_retention = Setting(
        "CITEWELL_RESEARCH_RETENTION",
        None,
        "How long finished research is kept; for ever when not set.",
        config.parse_duration,
    )
