"""The settings of a process: read once, frozen, and passed down. Each is documented here only."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
)

from citewell import environment
from citewell.errors import Misconfigured

QUERY_PROVIDERS_SETTING = "CITEWELL_QUERY_PROVIDERS"
SEARXNG_PROFILE = "searxng"  # the profile of spec 3, which asks SearXNG alone
_DURATION_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


# What to write, for each type of pydantic's errors that a setting or an option can have.
_WANTED_BY_ERROR_TYPE = {
    "bool_parsing": "be true or false",
    "bool_type": "be true or false",
    "float_parsing": "be a number",
    "float_type": "be a number",
    "greater_than_equal": "be {ge} or more",
    "int_from_float": "be a whole number",
    "int_parsing": "be a whole number",
    "int_type": "be a whole number",
    "less_than_equal": "be {le} or less",
    "literal_error": "be {expected}",
    "string_pattern_mismatch": "match {pattern}",
    "string_too_short": "have at least {min_length} characters",
    "string_type": "be text",
}


def _parse_duration(value: object) -> object:
    """A duration in seconds; accepts 90, "90", "90s", "4h", "1h30m" and "500ms"."""
    if not isinstance(value, str) or re.fullmatch(r"[\d.]+", value.strip()):
        return value
    parts = re.findall(r"(\d+\.?\d*)(ms|s|m|h|d)", value)
    if not parts or "".join(number + unit for number, unit in parts) != value.strip():
        raise ValueError('write a duration such as "90s", "15m" or "4h"')
    return sum(float(number) * _DURATION_UNIT_SECONDS[unit] for number, unit in parts)


def _parse_name_list(value: object) -> object:
    """A list of names; accepts "a, b" and '["a", "b"]'."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        return json.loads(value)
    return environment.split_name_list(value)


def _parse_scope_list(value: object) -> object:
    """A list of scopes; accepts "a b" as OAuth writes it, "a, b" and '["a", "b"]'."""
    found = _parse_name_list(value)
    if not isinstance(found, tuple):
        return found
    return tuple(scope for entry in found for scope in str(entry).split())


def _require_scheme(*schemes: str, example: str) -> AfterValidator:
    """Accepts an address with one of these schemes, and says so without quoting it."""

    def check(value: str) -> str:
        try:
            parts = urlsplit(value)
            usable = parts.scheme.lower() in schemes and bool(parts.netloc or parts.path)
            parts.port  # noqa: B018 - raises for a port that is not a number
        except ValueError:
            usable = False
        if not usable:
            raise ValueError(f"write an address such as {example}")
        return value

    return AfterValidator(check)


def _expand_path(value: object) -> object:
    return Path(value).expanduser() if isinstance(value, str) else value


def _lowercase_text(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


NonNegativeInt = Annotated[int, Field(ge=0)]
PositiveInt = Annotated[int, Field(ge=1)]
CallCount = Annotated[int, Field(ge=0, le=10**9)]
ResultCount = Annotated[int, Field(ge=1, le=50)]
LogLevel = Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lowercase_text)]
DurationSeconds = Annotated[float, BeforeValidator(_parse_duration), Field(ge=0)]
NameList = Annotated[tuple[str, ...], BeforeValidator(_parse_name_list)]
ScopeList = Annotated[tuple[str, ...], BeforeValidator(_parse_scope_list)]
HeaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,64}$")]
ExpandedPath = Annotated[Path, BeforeValidator(_expand_path)]
WebAddress = Annotated[str, _require_scheme("http", "https", example="https://host/path")]
PostgresAddress = Annotated[
    str,
    _require_scheme(
        "postgresql", "postgres", example="postgresql://user:password@host:5432/citewell"
    ),
]
RedisAddress = Annotated[
    str, _require_scheme("redis", "rediss", "unix", example="redis://host:6379/0")
]

ObjectStoreAddress = Annotated[
    str, _require_scheme("s3", example="s3://bucket/prefix"), Field(pattern=r"^[sS]3://[^?#@]+$")
]
RegionName = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,64}$")]


def define_setting(
    name: str,
    default: Any,
    help: str,  # noqa: A002 - named like the option it documents
    *,
    secret: bool = False,
    other_name: str | None = None,
) -> Any:
    """A Settings field read from the environment variable `name`; `help` is its documentation.

    `other_name` is read if `name` is not set.
    """
    extra: dict[str, JsonValue] = {"secret": secret, "other_name": other_name}
    return Field(
        default=default, alias=name, description=help, json_schema_extra=extra, repr=not secret
    )


class Settings(BaseModel):
    """The configuration of a process, except the provider options, which each SPEC declares."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, extra="ignore")

    # Which tools
    profile: str = define_setting(
        "CITEWELL_PROFILE",
        "default",
        "Preset of tools and defaults: default, all, searxng, or a toolset's name.",
    )
    toolsets: NameList = define_setting(
        "CITEWELL_TOOLSETS",
        (),
        "Toolsets to offer instead of the profile's, comma-separated; `all` for every tool. A plus before each, as in `+sessions`, adds them to the profile.",
    )
    tools: NameList = define_setting(
        "CITEWELL_TOOLS",
        (),
        "Single tools to offer, with the toolsets if any are named; a plus before each adds them to the profile.",
    )
    read_only: bool = define_setting(
        "CITEWELL_READ_ONLY", False, "Offer only tools that change nothing."
    )
    structured_text: bool = define_setting(
        "CITEWELL_STRUCTURED_TEXT",
        True,
        "Repeat structured results as text, as MCP asks; false sends a short note instead, for clients that feed both to the model. `search` and `fetch` always repeat them.",
    )

    # Search
    search_provider: str | None = define_setting(
        "SEARCH_PROVIDER", None, "The web search provider to try first."
    )
    search_routing: str | None = define_setting(
        "SEARCH_ROUTING",
        None,
        "Providers in order of preference: a comma list, or JSON with a list per capability (web, images, news, default).",
    )
    query_providers: NameList = define_setting(
        QUERY_PROVIDERS_SETTING,
        (),
        "The only providers that may see a query, comma-separated: no tool asks another, and no service learns the address of a page. The profile searxng allows searxng and those that SEARCH_PROVIDER and SEARCH_ROUTING name.",
    )
    search_thin_threshold: NonNegativeInt = define_setting(
        "SEARCH_THIN_THRESHOLD",
        1,
        "A provider that returns this many results or fewer is helped out by the next one.",
    )
    search_timeout: DurationSeconds = define_setting(
        "CITEWELL_SEARCH_TIMEOUT", 10.0, "Longest wait for one search request."
    )
    search_results: ResultCount | None = define_setting(
        "CITEWELL_SEARCH_RESULTS",
        None,
        "Results of web_search if the call does not say; 5 when not set, 10 in the profile searxng.",
    )
    search_max_results: ResultCount | None = define_setting(
        "CITEWELL_SEARCH_MAX_RESULTS",
        None,
        "Most results a call of web_search may ask for, up to 50.",
    )
    search_page_timeout: DurationSeconds = define_setting(
        "CITEWELL_SEARCH_PAGE_TIMEOUT",
        45.0,
        "Longest wait for the page of one result of web_search.",
    )
    search_page_chars: PositiveInt = define_setting(
        "CITEWELL_SEARCH_PAGE_CHARS",
        50_000,
        "Most characters of the page of one result of web_search.",
    )
    search_summary_chars: NonNegativeInt = define_setting(
        "CITEWELL_SEARCH_SUMMARY_CHARS",
        500,
        "Most characters of the summary of a page that web_search read; 0 for none.",
    )
    custom_lenses_path: ExpandedPath | None = define_setting(
        "CUSTOM_LENSES_PATH", None, "A directory with more lens files."
    )

    # Network
    allow_private_ips: bool = define_setting(
        "ALLOW_PRIVATE_IPS",
        False,
        "Let requests reach private and loopback addresses. For tests and closed networks only.",
    )
    allow_private_hosts: NameList = define_setting(
        "CITEWELL_ALLOW_PRIVATE_HOSTS",
        (),
        "host or host:port entries that may resolve to private addresses, such as your own SearXNG.",
    )
    allowed_domains: NameList = define_setting(
        "ALLOWED_DOMAINS",
        (),
        "When set, pages are read only from these domains and their subdomains, redirects included.",
    )
    outbound_proxy: str | None = define_setting(
        "CITEWELL_PROXY",
        None,
        "Send outbound requests through this HTTP proxy; `env` takes HTTP_PROXY, HTTPS_PROXY and NO_PROXY.",
        secret=True,
    )
    ca_file: ExpandedPath | None = define_setting(
        "CITEWELL_CA_FILE",
        None,
        "A PEM file with certificate authorities to trust besides the usual ones.",
    )
    user_agent: str | None = define_setting(
        "CITEWELL_USER_AGENT",
        None,
        "The User-Agent to send instead of the one that names Citewell.",
    )
    contact: str | None = define_setting(
        "CITEWELL_CONTACT",
        None,
        "Your mail address or page as the operator: sent in the User-Agent to APIs, which limit or refuse anonymous clients.",
    )
    github_token: str | None = define_setting(
        "GITHUB_TOKEN", None, "Raises GitHub's limits; sent to api.github.com alone.", secret=True
    )
    stackexchange_key: str | None = define_setting(
        "STACKEXCHANGE_KEY",
        None,
        "Raises the limit of Stack Exchange's API from 300 to 10,000 requests a day; from stackapps.com.",
        secret=True,
    )
    reddit_client_id: str | None = define_setting(
        "REDDIT_CLIENT_ID",
        None,
        "Reads Reddit through its API, with the secret; from an app at reddit.com/prefs/apps. Without them the public pages are read.",
        secret=True,
    )
    reddit_client_secret: str | None = define_setting(
        "REDDIT_CLIENT_SECRET", None, "The secret of the Reddit app.", secret=True
    )
    reddit_username: str | None = define_setting(
        "REDDIT_USERNAME",
        None,
        "The account that owns the Reddit app; Reddit asks for it in the User-Agent.",
    )
    respect_robots: bool = define_setting(
        "CITEWELL_RESPECT_ROBOTS", True, "Ask robots.txt before a page is read."
    )
    max_html_bytes: PositiveInt = define_setting(
        "MAX_HTML_BYTES", 8 * 2**20, "Largest page read, in bytes."
    )
    max_document_bytes: PositiveInt = define_setting(
        "MAX_DOCUMENT_BYTES", 50 * 2**20, "Largest document read, in bytes."
    )
    page_timeout: DurationSeconds = define_setting(
        "CITEWELL_PAGE_TIMEOUT", 15.0, "Longest wait for one page over plain HTTP."
    )
    max_page_concurrency: PositiveInt = define_setting(
        "MAX_SCRAPE_CONCURRENCY", 5, "Pages read at the same time."
    )
    markdown_timeout: DurationSeconds = define_setting(
        "CITEWELL_MARKDOWN_TIMEOUT", 5.0, "Longest wait for a page asked for as markdown."
    )
    download_timeout: DurationSeconds = define_setting(
        "CITEWELL_DOCUMENT_TIMEOUT", 30.0, "Longest wait for a document to arrive."
    )
    document_timeout: DurationSeconds = define_setting(
        "CITEWELL_PARSE_TIMEOUT",
        30.0,
        "Longest time a page or document may take to be read, once it has arrived.",
    )
    document_memory_mb: PositiveInt = define_setting(
        "CITEWELL_PARSE_MEMORY_MB", 1024, "Most memory a page or document may take to be read."
    )
    ocr: bool = define_setting(
        "CITEWELL_OCR", True, "Read scanned pages of PDFs with tesseract where it is installed."
    )
    ocr_languages: str = define_setting(
        "CITEWELL_OCR_LANGUAGES",
        "",
        "Languages of scanned pages as tesseract names them, such as `eng+deu`; empty for those installed.",
    )
    ocr_pages: PositiveInt = define_setting(
        "CITEWELL_OCR_PAGES", 20, "Scanned pages of one document that are recognized."
    )
    ocr_timeout: DurationSeconds = define_setting(
        "CITEWELL_OCR_TIMEOUT", 60.0, "Longest time the scanned pages of one document may take."
    )
    worker_count: NonNegativeInt = define_setting(
        "CITEWELL_WORKERS",
        0,
        "Processes that read pages and documents, apart from the server; 0 for one per processor.",
    )
    stealth: bool = define_setting(
        "CITEWELL_STEALTH",
        True,
        "Ask again as a browser would when a page refuses us; needs the extra `stealth`.",
    )
    stealth_timeout: DurationSeconds = define_setting(
        "CITEWELL_STEALTH_TIMEOUT", 20.0, "Longest wait for one page asked for as Chrome would."
    )
    browser_timeout: DurationSeconds = define_setting(
        "CITEWELL_BROWSER_TIMEOUT", 30.0, "Longest wait for one page rendered in the browser."
    )
    chrome_path: str | None = define_setting(
        "CHROME_PATH", None, "The Chromium to render pages with; `disabled` for none."
    )
    browser_idle_timeout: DurationSeconds = define_setting(
        "BROWSER_IDLE_TIMEOUT", 300.0, "How long an unused browser is kept running."
    )
    max_browser_pages: PositiveInt = define_setting(
        "MAX_SCRAPE_CONCURRENCY_BROWSER", 2, "Pages rendered at the same time."
    )
    exa_contents: bool = define_setting(
        "CITEWELL_EXA_CONTENTS",
        True,
        "With EXA_API_KEY, ask Exa for pages that nothing else could read; paid, and Exa learns the address.",
    )
    breaker_threshold: PositiveInt = define_setting(
        "CIRCUIT_FAILURE_THRESHOLD",
        5,
        "Failures in a row after which a provider is left alone for a while.",
    )
    breaker_reset: DurationSeconds = define_setting(
        "CIRCUIT_RESET_TIMEOUT_SECONDS", 60.0, "How long it is left alone before one probe."
    )

    # Tools
    tool_timeout: DurationSeconds = define_setting(
        "CITEWELL_TOOL_TIMEOUT", 60.0, "Longest run of one tool call."
    )
    long_tool_timeout: DurationSeconds = define_setting(
        "CITEWELL_LONG_TOOL_TIMEOUT", 120.0, "Longest run of a tool that reads many pages."
    )
    draft_task_timeout: DurationSeconds = define_setting(
        "CITEWELL_DRAFT_TASK_TIMEOUT",
        3600.0,
        "Longest run of check_draft as a task; what was not reached is then reported as unchecked.",
    )
    source_recommendations: bool = define_setting(
        "SOURCE_RECOMMENDATIONS", True, "Point out the best sources in search_and_scrape."
    )
    generative_ui: bool = define_setting(
        "GENERATIVE_UI_ENABLED",
        False,
        "Add cards and a table of the sources to search_and_scrape, for clients that draw them.",
    )
    gather_deadline: DurationSeconds = define_setting(
        "CITEWELL_GATHER_DEADLINE",
        15.0,
        "How long search_and_scrape waits for slow pages when others have been read.",
    )
    link_threshold: NonNegativeInt = define_setting(
        "CITEWELL_LINK_THRESHOLD",
        24 * 1024,
        "A raw page or an export of this many bytes or more is cut to fewer, and linked whole.",
    )
    answer_limit: NonNegativeInt = define_setting(
        "CITEWELL_ANSWER_LIMIT",
        1_000_000,
        "The results of all other tools are whole up to this many bytes.",
    )

    # Store
    data_dir: ExpandedPath | None = define_setting(
        "CITEWELL_DATA_DIR", None, "Where state and cache live."
    )
    cache_dir: ExpandedPath | None = define_setting(
        "CACHE_DIR", None, "Where the cache lives, if not in the data directory."
    )
    cache_enabled: bool = define_setting("CITEWELL_CACHE", True, "Keep answers for reuse.")
    cache_max_memory_mb: NonNegativeInt = define_setting(
        "CACHE_MAX_MEMORY_MB", 64, "Memory for the cache's first tier."
    )
    cache_max_disk_mb: NonNegativeInt = define_setting(
        "CITEWELL_CACHE_MAX_DISK_MB",
        512,
        "Disk for the cache's second tier; the least recently used goes first.",
    )
    cache_key: str | None = define_setting(
        "CACHE_ENCRYPTION_KEY",
        None,
        "64 hex digits; the cache is encrypted with it. Without it a key file in the data directory is used.",
        secret=True,
    )
    cache_key_previous: str | None = define_setting(
        "CACHE_ENCRYPTION_KEY_PREV",
        None,
        "The key before the last rotation, still accepted for reading.",
        secret=True,
    )
    cache_isolation: Literal["shared", "tenant"] | None = define_setting(
        "CACHE_ISOLATION",
        None,
        "`tenant` keeps each tenant's cached answers apart, `shared` does not. When not set: `tenant` if callers authenticate, else `shared`.",
    )
    artifact_ttl: DurationSeconds = define_setting(
        "CITEWELL_ARTIFACT_TTL", 1800.0, "How long a linked result can be fetched."
    )
    database_url: PostgresAddress | None = define_setting(
        "CITEWELL_DATABASE_URL",
        None,
        "postgresql://… keeps state and cache in PostgreSQL (14 or newer) instead of files, for several instances.",
        secret=True,
    )
    database_direct_url: PostgresAddress | None = define_setting(
        "CITEWELL_DATABASE_DIRECT_URL",
        None,
        "The same database without a connection pooler in between, if CITEWELL_DATABASE_URL names one such as PgBouncer; used for notifications, migrations and the job engine.",
        secret=True,
    )
    database_connections: PositiveInt = define_setting(
        "CITEWELL_DATABASE_CONNECTIONS",
        10,
        "The most connections to PostgreSQL that a process opens for the state, and as many for the cache.",
    )
    redis_url: RedisAddress | None = define_setting(
        "REDIS_URL",
        None,
        "redis://… keeps cache, leases and limits in Redis, shared by all instances.",
        secret=True,
    )
    object_store_url: ObjectStoreAddress | None = define_setting(
        "CITEWELL_OBJECT_STORE_URL",
        None,
        "s3://bucket/prefix keeps large linked results in an S3-compatible store, encrypted; needs the extra `s3`.",
    )
    object_store_endpoint: WebAddress | None = define_setting(
        "CITEWELL_OBJECT_STORE_ENDPOINT",
        None,
        "The address of the S3-compatible server, also for `citewell backup s3://…`; unset is Amazon's.",
        other_name="AWS_ENDPOINT_URL",
    )
    object_store_region: RegionName = define_setting(
        "CITEWELL_OBJECT_STORE_REGION",
        "us-east-1",
        "The region of the bucket.",
        other_name="AWS_REGION",
    )
    object_store_key_id: str | None = define_setting(
        "CITEWELL_OBJECT_STORE_KEY_ID",
        None,
        "The id of the access key to the object store.",
        secret=True,
        other_name="AWS_ACCESS_KEY_ID",
    )
    object_store_secret: str | None = define_setting(
        "CITEWELL_OBJECT_STORE_SECRET",
        None,
        "The secret of that access key.",
        secret=True,
        other_name="AWS_SECRET_ACCESS_KEY",
    )
    object_store_token: str | None = define_setting(
        "CITEWELL_OBJECT_STORE_TOKEN",
        None,
        "The session token that belongs to a temporary access key.",
        secret=True,
        other_name="AWS_SESSION_TOKEN",
    )
    object_store_timeout: Annotated[float, BeforeValidator(_parse_duration), Field(ge=0.1)] = (
        define_setting(
            "CITEWELL_OBJECT_STORE_TIMEOUT",
            30.0,
            "How long one request to the object store may take, with its repetitions.",
        )
    )
    master_key: str | None = define_setting(
        "CITEWELL_MASTER_KEY",
        None,
        "64 hex digits; wraps the keys that encrypt the state. Without it, a key file in the data directory is used.",
        secret=True,
    )
    master_key_file: ExpandedPath | None = define_setting(
        "CITEWELL_MASTER_KEY_FILE",
        None,
        "A file with the master key, such as a mounted secret; further lines hold previous keys.",
    )
    master_key_previous: str | None = define_setting(
        "CITEWELL_MASTER_KEY_PREVIOUS",
        None,
        "The master key before the last rotation, still accepted for reading.",
        secret=True,
    )
    keyring: bool = define_setting(
        "CITEWELL_KEYRING",
        False,
        "Keep the master key in the system's keyring instead of a file; needs the keyring library.",
    )

    # Library
    library_keep_pages: bool = define_setting(
        "CITEWELL_LIBRARY_KEEP_PAGES",
        False,
        "Keep every page that is read in the library of whoever asked for it, tagged `read`.",
    )

    # Encoder
    encoder: str = define_setting(
        "CITEWELL_ENCODER",
        "auto",
        "Ranks by meaning: a folder with model.onnx and tokenizer.json (extra `semantic`), the address of an OpenAI-compatible server that has /embeddings, or `off`. `auto` takes what `citewell data encoder` downloaded.",
    )
    encoder_model: str | None = define_setting(
        "CITEWELL_ENCODER_MODEL", None, "The embedding model to ask that server for."
    )
    encoder_key: str | None = define_setting(
        "CITEWELL_ENCODER_KEY", None, "Key, where that server wants one.", secret=True
    )
    encoder_timeout: DurationSeconds = define_setting(
        "CITEWELL_ENCODER_TIMEOUT",
        30.0,
        "Longest time the passages of one question may take to be encoded; then words alone rank them.",
    )
    encoder_download_url: WebAddress = define_setting(
        "CITEWELL_ENCODER_DOWNLOAD_URL",
        "https://huggingface.co",
        "Where `citewell data encoder` gets its model.",
    )

    # Judge
    judge: str = define_setting(
        "CITEWELL_JUDGE",
        "lexical",
        "Who judges whether a source supports a claim: `lexical` compares words; `nli` is the entailment model of CITEWELL_JUDGE_MODEL; `model`, or the name of a provider, asks a model that is configured. Whatever the others leave open, words decide.",
    )
    judge_model: str | None = define_setting(
        "CITEWELL_JUDGE_MODEL",
        None,
        "A folder with model.onnx, tokenizer.json and config.json of an entailment model (extra `semantic`).",
    )
    judge_timeout: DurationSeconds = define_setting(
        "CITEWELL_JUDGE_TIMEOUT",
        45.0,
        "Longest time the claims of one call may take to be judged; then words alone decide.",
    )

    # Sessions
    wayback_url: WebAddress = define_setting(
        "CITEWELL_WAYBACK_BASE_URL",
        "https://archive.org/wayback/available",
        "Where archived copies of dead links are looked up.",
    )
    archive_url: WebAddress = define_setting(
        "CITEWELL_ARCHIVE_BASE_URL", "https://web.archive.org", "Where pages are archived."
    )
    ia_access_key: str | None = define_setting(
        "IA_ACCESS_KEY", None, "With IA_SECRET_KEY, archives under your account.", secret=True
    )
    ia_secret_key: str | None = define_setting(
        "IA_SECRET_KEY", None, "Belongs to IA_ACCESS_KEY.", secret=True
    )
    retraction_watch_url: WebAddress = define_setting(
        "RETRACTION_WATCH_URL",
        "https://gitlab.com/crossref/retraction-watch-data/-/raw/main/retraction_watch.csv",
        "Where `citewell data update` gets the table of retractions.",
    )
    session_ttl: DurationSeconds = define_setting(
        "SESSION_TTL", 4 * 3600.0, "How long a research session lives after its last use."
    )
    session_max: PositiveInt = define_setting(
        "CITEWELL_SESSION_MAX",
        50,
        "Research sessions one owner may have; beyond that the least recently used goes.",
    )
    session_max_steps: PositiveInt = define_setting(
        "SESSION_MAX_STEPS", 200, "Steps one research session may have."
    )

    # Deep research
    research_scope: Literal["web", "library", "both"] | None = define_setting(
        "CITEWELL_RESEARCH_SCOPE",
        None,
        "Where research searches if the call does not say: web, library or both. When not set: the web, or the library if SEARCH_ROUTING names only that.",
    )
    answer_provider: str | None = define_setting(
        "CITEWELL_ANSWER_PROVIDER",
        None,
        "Provider of answer and structured_search for calls that name none, or local; needed only if several are configured.",
    )
    research_writer: str | None = define_setting(
        "CITEWELL_RESEARCH_WRITER",
        None,
        "Provider that writes research reports, or extractive for quotations alone; without it one of the job's own.",
    )
    evidence_tokens: NonNegativeInt = define_setting(
        "CITEWELL_EVIDENCE_TOKENS",
        3000,
        "Size of the evidencePack in get_results, in tokens of four bytes; 0 leaves it out unless it is asked for.",
    )
    research_budget: NonNegativeInt | None = define_setting(
        "CITEWELL_RESEARCH_BUDGET_CENTS",
        None,
        "Cents each owner may spend on deep research in all; unlimited when not set and nothing was credited.",
    )
    research_tenant_budget: NonNegativeInt | None = define_setting(
        "CITEWELL_RESEARCH_BUDGET_PER_TENANT_CENTS",
        None,
        "Cents all users of one tenant together may spend on deep research in all; unlimited when not set.",
    )
    research_concurrency: NonNegativeInt = define_setting(
        "CITEWELL_RESEARCH_CONCURRENCY",
        4,
        "Research jobs one process runs at a time; with 0 it only queues them, for `citewell worker` to run. On PostgreSQL give all processes the same number: each is given as many jobs as the one that started last may run, and what is more than its own number waits in it.",
    )
    research_per_owner: PositiveInt = define_setting(
        "CITEWELL_RESEARCH_PER_OWNER", 4, "Research jobs of one owner that run at a time."
    )
    research_rates: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,40}=[1-9][0-9]{0,5}$")], ...],
        BeforeValidator(_parse_name_list),
    ] = define_setting(
        "CITEWELL_RESEARCH_RATES",
        (),
        "How many research jobs with a provider start in a minute, over all workers on PostgreSQL: openai=20, perplexity=60. The provider with the lowest rate decides.",
    )
    research_lease: DurationSeconds = define_setting(
        "CITEWELL_RESEARCH_LEASE",
        30.0,
        "After how long a process that fell silent loses its jobs to another one on the same files; on PostgreSQL see CITEWELL_HEARTBEAT_SECONDS.",
    )
    heartbeat_seconds: Annotated[float, Field(ge=0.1, le=3600)] = define_setting(
        "CITEWELL_HEARTBEAT_SECONDS",
        5.0,
        "Within how many seconds the jobs of a dead worker go on elsewhere, on PostgreSQL; each worker tells five times as often that it is alive.",
    )
    research_poll: DurationSeconds = define_setting(
        "CITEWELL_RESEARCH_POLL",
        2.0,
        "How soon a provider's background run is first asked after; the pauses grow to ten times that.",
    )
    research_retention: DurationSeconds | None = define_setting(
        "CITEWELL_RESEARCH_RETENTION",
        None,
        "How long finished research is kept; for ever when not set.",
    )

    # People
    stdio_user: Annotated[str, Field(pattern=r"^[A-Za-z0-9._@-]{1,128}$")] | None = define_setting(
        "STDIO_USER_ID",
        None,
        "Names the user of a stdio process and of the commands (letters, digits, . _ @ -), and consents to memory and analytics for them unless they withdrew it. What is kept belongs to that user.",
    )
    memory_enabled: bool = define_setting(
        "MEMORY_ENABLED", False, "Offer memory_save and memory_recall."
    )
    memory_retention: DurationSeconds = define_setting(
        "MEMORY_RETENTION", 2160 * 3600.0, "How long a saved memory is kept."
    )
    analytics_enabled: bool = define_setting(
        "USER_ANALYTICS_ENABLED",
        False,
        "Count the calls of users who consent, and offer get_my_analytics.",
    )
    workspaces_enabled: bool = define_setting(
        "WORKSPACES_ENABLED", False, "Offer workspace_contribute and workspace_read."
    )
    workspace_ttl: DurationSeconds = define_setting(
        "WORKSPACE_TTL", 720 * 3600.0, "How long a finding stays in a workspace."
    )

    # Watching
    monitoring_enabled: bool = define_setting(
        "MONITORING_ENABLED", False, "Offer monitor_query_save and monitor_query_check."
    )
    monitoring_ttl: DurationSeconds = define_setting(
        "MONITORING_TTL",
        720 * 3600.0,
        "How long a saved search is kept that does not say so itself.",
    )
    watch_interval: DurationSeconds = define_setting(
        "CITEWELL_WATCH_INTERVAL",
        86_400.0,
        "How often watched bibliographies and saved searches are checked again.",
    )
    watch_webhook_url: str | None = define_setting(
        "CITEWELL_WATCH_WEBHOOK_URL", None, "Where news of watches are sent.", secret=True
    )
    watch_webhook_secret: Annotated[str, Field(min_length=16)] | None = define_setting(
        "CITEWELL_WATCH_WEBHOOK_SECRET",
        None,
        "Signs what is sent there, with HMAC-SHA256; 16 characters or more.",
        secret=True,
    )

    # Limits
    rate_limit_per_user: CallCount = define_setting(
        "CITEWELL_RATE_LIMIT_PER_USER",
        60,
        "Tool calls a minute for each verified user; 0 for any number.",
    )
    rate_limit_per_tenant: CallCount = define_setting(
        "RATE_LIMIT_PER_TENANT",
        120,
        "Tool calls a minute for all users of one tenant together; 0 for any number.",
    )
    rate_limit_global: CallCount = define_setting(
        "RATE_LIMIT_GLOBAL",
        1000,
        "Tool calls a second for all users of all instances together; 0 for any number.",
    )
    rate_limit_per_ip: CallCount = define_setting(
        "RATE_LIMIT_PER_IP",
        0,
        "Tool calls a minute from one network address, checked before authentication; 0 for any number.",
    )
    daily_quota_per_user: CallCount = define_setting(
        "CITEWELL_DAILY_QUOTA_PER_USER",
        0,
        "Tool calls of each user from midnight to midnight UTC; 0 for any number. Answers from the cache do not count.",
    )
    daily_quota_per_tenant: CallCount = define_setting(
        "DAILY_QUOTA_PER_TENANT",
        5000,
        "The same for all users of one tenant together.",
    )
    max_calls_per_day: CallCount = define_setting(
        "MAX_CALLS_PER_DAY",
        0,
        "The same for everybody who uses this data directory or database, over stdio too.",
    )
    max_concurrent_per_user: CallCount = define_setting(
        "CITEWELL_MAX_CONCURRENT_CALLS_PER_USER",
        32,
        "Tool calls of one user that one server process runs at the same time; 0 for any number.",
    )
    max_concurrent_per_tenant: CallCount = define_setting(
        "CITEWELL_MAX_CONCURRENT_CALLS_PER_TENANT",
        128,
        "The same for all users of one tenant together.",
    )
    limits_file: ExpandedPath | None = define_setting(
        "CITEWELL_LIMITS_FILE",
        None,
        "A TOML file with other limits for single tenants, one table [tenants.NAME] for each.",
    )
    trust_proxy: bool = define_setting(
        "TRUST_PROXY",
        False,
        "Take the address of a caller from X-Forwarded-For, if the request comes from one of CITEWELL_TRUSTED_PROXIES.",
    )

    # HTTP
    host: str = define_setting("CITEWELL_HOST", "127.0.0.1", "Interface to listen on.")
    port: Annotated[int, Field(ge=0, le=65535)] = define_setting(
        "PORT", 0, "Port to listen on; above 0 it selects HTTP mode."
    )
    public_url: str | None = define_setting(
        "CITEWELL_PUBLIC_URL",
        None,
        "The address at which clients reach this server, such as https://research.example.org; its host is accepted.",
    )
    allowed_origins: NameList = define_setting(
        "ALLOWED_ORIGINS",
        (),
        "Origins of web pages that may call the server and read its answers (CORS). Loopback origins may call as well.",
    )
    cors_strict: bool = define_setting(
        "CORS_STRICT",
        True,
        "Let only pages of ALLOWED_ORIGINS read answers; false lets pages of loopback origins read them too.",
    )
    allowed_hosts: NameList = define_setting(
        "CITEWELL_ALLOWED_HOSTS",
        (),
        "Host headers that are accepted, besides loopback and the address listened on: exact names, name:port, or *.example.org for all names below a domain.",
    )
    max_request_bytes: PositiveInt = define_setting(
        "MAX_REQUEST_BODY_BYTES", 10 * 2**20, "Largest request body accepted."
    )
    max_header_bytes: Annotated[int, Field(ge=1024)] = define_setting(
        "HTTP_MAX_HEADER_BYTES", 64 * 1024, "Largest request line and headers accepted, together."
    )
    header_timeout: DurationSeconds = define_setting(
        "HTTP_READ_HEADER_TIMEOUT",
        5.0,
        "Longest time for the headers of a request to arrive; 0 for no limit.",
    )
    body_timeout: DurationSeconds = define_setting(
        "HTTP_READ_TIMEOUT",
        30.0,
        "Longest time for the body of a request to arrive; 0 for no limit.",
    )
    write_timeout: DurationSeconds = define_setting(
        "HTTP_WRITE_TIMEOUT",
        30.0,
        "How long a client may take in nothing while there is something to send; 0 for no limit.",
    )
    idle_timeout: DurationSeconds = define_setting(
        "HTTP_IDLE_TIMEOUT", 120.0, "How long a connection is kept open between requests."
    )
    shutdown_timeout: DurationSeconds = define_setting(
        "HTTP_SHUTDOWN_TIMEOUT", 30.0, "How long running calls may go on after SIGTERM."
    )
    shutdown_delay: DurationSeconds = define_setting(
        "CITEWELL_HTTP_SHUTDOWN_DELAY",
        0.0,
        "How long new connections are still accepted after SIGTERM, while /health/ready says 503, so that a load balancer can turn away.",
    )
    max_connections: PositiveInt = define_setting(
        "CITEWELL_HTTP_CONNECTIONS", 2000, "Connections open at the same time."
    )
    max_address_connections: PositiveInt = define_setting(
        "CITEWELL_HTTP_CONNECTIONS_PER_ADDRESS",
        100,
        "Connections open at the same time from one address; loopback and trusted proxies have no such limit.",
    )
    max_mcp_sessions: PositiveInt = define_setting(
        "CITEWELL_HTTP_SESSIONS", 2000, "MCP sessions open at the same time."
    )
    max_caller_mcp_sessions: PositiveInt = define_setting(
        "CITEWELL_HTTP_SESSIONS_PER_CALLER",
        100,
        "MCP sessions one caller (without authentication: one address) may have; beyond that the longest unused one ends.",
    )
    mcp_session_idle_timeout: Annotated[DurationSeconds, Field(gt=0)] = define_setting(
        "CITEWELL_HTTP_SESSION_IDLE_TIMEOUT", 1800.0, "How long an unused MCP session is kept."
    )
    content_policy: str = define_setting(
        "HTTP_CSP",
        "default-src 'none'; frame-ancestors 'none'",
        "Content-Security-Policy of responses that set none themselves.",
    )
    referrer_policy: str = define_setting(
        "HTTP_REFERRER_POLICY", "no-referrer", "Referrer-Policy of responses."
    )
    permissions_policy: str = define_setting(
        "HTTP_PERMISSIONS_POLICY",
        "geolocation=(), camera=(), microphone=()",
        "Permissions-Policy of responses.",
    )
    admin_key: Annotated[str, Field(min_length=16)] | None = define_setting(
        "ADMIN_API_KEY",
        None,
        "Key (16 characters or more) for /metrics, the dashboard and the admin API, sent as X-Admin-Key. CACHE_ADMIN_KEY is read as well.",
        secret=True,
        other_name="CACHE_ADMIN_KEY",
    )
    admin_key_previous: Annotated[str, Field(min_length=16)] | None = define_setting(
        "ADMIN_API_KEY_PREV",
        None,
        "The former admin key, accepted beside ADMIN_API_KEY while clients change to the new one.",
        secret=True,
    )
    open_metrics: bool = define_setting(
        "CITEWELL_OPEN_METRICS", False, "Serve /metrics to anyone who can reach the port."
    )

    # Authentication
    oauth_issuer: str | None = define_setting(
        "OAUTH_ISSUER_URL",
        None,
        "Issuer whose access tokens are accepted over HTTP, exactly as it names itself.",
    )
    oauth_audiences: NameList = define_setting(
        "OAUTH_AUDIENCE",
        (),
        "Audiences of which a token must have one, comma-separated; the address of /mcp when not set and CITEWELL_PUBLIC_URL is.",
    )
    oauth_jwks_url: str | None = define_setting(
        "OAUTH_JWKS_URL", None, "Address of the issuer's keys, if its metadata do not tell it."
    )
    jwks_refresh: DurationSeconds = define_setting(
        "JWKS_REFRESH_INTERVAL", 3600.0, "How long the issuer's keys are used before a new look."
    )
    oauth_tenant_claim: str = define_setting(
        "OAUTH_TENANT_CLAIM",
        "tenant_id",
        "Claim with the tenant; a token without it belongs to the tenant `default`.",
    )
    oauth_user_claim: str = define_setting("OAUTH_USER_CLAIM", "sub", "Claim with the user.")
    introspection_url: str | None = define_setting(
        "OAUTH_INTROSPECTION_URL",
        None,
        "Where the issuer tells about opaque tokens, if its metadata do not say.",
    )
    introspection_client_id: str | None = define_setting(
        "OAUTH_INTROSPECTION_CLIENT_ID",
        None,
        "With the secret, accepts opaque tokens by asking the issuer about each.",
    )
    introspection_client_secret: str | None = define_setting(
        "OAUTH_INTROSPECTION_CLIENT_SECRET",
        None,
        "Belongs to OAUTH_INTROSPECTION_CLIENT_ID.",
        secret=True,
    )
    enforce_scopes: bool = define_setting(
        "ENFORCE_SCOPES",
        False,
        "Let OAuth tokens call only what their scopes allow: tool:*, tool:NAME, toolset:NAME, or all of REQUIRED_SCOPES.",
    )
    required_scopes: ScopeList = define_setting(
        "REQUIRED_SCOPES",
        (),
        "Scopes that together allow every tool, separated by commas or spaces; clients are told to ask for them.",
    )
    api_tokens: bool = define_setting(
        "CITEWELL_API_TOKENS",
        False,
        "Accept the tokens that `citewell users token create` makes, over HTTP.",
    )
    proxy_user_header: HeaderName | None = define_setting(
        "CITEWELL_PROXY_USER_HEADER",
        None,
        "Header in which an authenticating proxy names the user, such as X-Forwarded-User.",
    )
    proxy_tenant_header: HeaderName | None = define_setting(
        "CITEWELL_PROXY_TENANT_HEADER", None, "Header in which that proxy names the tenant."
    )
    trusted_proxies: NameList = define_setting(
        "CITEWELL_TRUSTED_PROXIES",
        (),
        "Addresses or networks of that proxy; from anyone else its headers are refused.",
    )
    trace_endpoint: WebAddress | None = define_setting(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        None,
        "Send traces of the HTTP server to this OpenTelemetry collector (OTLP over HTTP); needs the extra `otel`.",
    )
    trace_service: str = define_setting(
        "OTEL_SERVICE_NAME", "citewell", "The name of this server in traces."
    )
    metrics_max_tenants: NonNegativeInt = define_setting(
        "METRICS_MAX_TENANTS",
        100,
        "Tenants that /metrics counts one by one; further ones are counted together. 0 counts all together.",
    )

    # Commands
    thumbnails: bool = define_setting(
        "CITEWELL_THUMBNAILS",
        True,
        "Show small previews with `citewell images` in terminals that can (iTerm2, WezTerm, kitty, Ghostty).",
    )

    # Records
    log_level: LogLevel = define_setting(
        "LOG_LEVEL", "info", "debug, info, warning or error; logs go to stderr."
    )
    log_format: Annotated[Literal["text", "json"], BeforeValidator(_lowercase_text)] = (
        define_setting("LOG_FORMAT", "text", "text, or json for one JSON object per line.")
    )
    access_log: Annotated[Literal["off", "debug", "info"], BeforeValidator(_lowercase_text)] = (
        define_setting(
            "CITEWELL_ACCESS_LOG",
            "debug",
            "Level at which each HTTP request is logged, with its path, status and duration: off, debug or info.",
        )
    )
    audit_enabled: bool = define_setting(
        "AUDIT_ENABLED",
        True,
        "Write one line per tool call. Over stdio none is written unless this or AUDIT_OUTPUT_PATH is set.",
    )
    audit_path: ExpandedPath | None = define_setting(
        "AUDIT_OUTPUT_PATH", None, "File for audit lines instead of stderr."
    )
    audit_max_bytes: PositiveInt = define_setting(
        "AUDIT_MAX_BYTES",
        100 * 2**20,
        "Size at which the file of AUDIT_OUTPUT_PATH is renamed and a new one begun.",
    )
    audit_buffer_size: PositiveInt = define_setting(
        "AUDIT_BUFFER_SIZE",
        4096,
        "Audit lines that may wait for a slow disk or reader; further ones are in the log alone.",
    )
    audit_retention_days: Annotated[int, Field(ge=180, le=3650)] = define_setting(
        "AUDIT_RETENTION_DAYS",
        180,
        "Days for which rows of the audit log, and files of audit lines, are kept; 180 to 3650.",
    )
    audit_required: bool = define_setting(
        "CITEWELL_AUDIT_REQUIRED",
        True,
        "Answer a call with an error if its audit row cannot be stored; false answers it all the same.",
    )
    audit_webhook_url: str | None = define_setting(
        "AUDIT_WEBHOOK_URL",
        None,
        "Where the rows of the audit log are sent, in batches.",
        secret=True,
    )
    audit_webhook_secret: Annotated[str, Field(min_length=16)] | None = define_setting(
        "CITEWELL_AUDIT_WEBHOOK_SECRET",
        None,
        "Signs what is sent to the webhook, with HMAC-SHA256; 16 characters or more.",
        secret=True,
    )
    audit_include_query: bool = define_setting(
        "AUDIT_INCLUDE_REQUEST_BODY",
        False,
        "Put the query text itself into audit lines, not only its length.",
    )

    # The raw values, from which provider options are read.
    raw: Mapping[str, str] = Field(default_factory=dict, exclude=True, repr=False)

    @property
    def is_sealed(self) -> bool:
        """Whether only certain providers may see a query."""
        return bool(self.query_providers) or self.profile == SEARXNG_PROFILE

    @property
    def direct_database_url(self) -> str | None:
        """Where to connect for what a connection pooler does not support; None without PostgreSQL."""
        return self.database_url and (self.database_direct_url or self.database_url)

    @property
    def data_path(self) -> Path:
        return self.data_dir or environment.find_data_path(self.raw)

    def is_switched_on(self, name: str) -> bool:
        """Whether the setting with this environment name is true; raises KeyError if there is none."""
        fields = {field.alias: key for key, field in type(self).model_fields.items()}
        return getattr(self, fields[name]) is True

    @property
    def is_authenticated(self) -> bool:
        """Whether callers over HTTP have to prove who they are."""
        return bool(self.oauth_issuer or self.api_tokens or self.proxy_user_header)

    @property
    def splits_cache_by_tenant(self) -> bool:
        return (self.cache_isolation or ("tenant" if self.is_authenticated else "shared")) == (
            "tenant"
        )

    @property
    def cache_path(self) -> Path:
        return self.cache_dir or self.data_path


def load_settings(environ: Mapping[str, str] | None = None, **overrides: object) -> Settings:
    """Settings from the environment and the settings file.

    `overrides` are Settings fields, for example from command line flags; None means not given.
    Raises Misconfigured, naming each wrong setting but not its value.
    """
    environ = os.environ if environ is None else environ
    try:
        raw = environment.load_raw_settings(environ)
    except environment.UnusableSettingsFile as error:
        raise Misconfigured(str(error), action="inform_user") from None
    given = {key: value for key, value in overrides.items() if value is not None}
    names = {field.alias: key for key, field in Settings.model_fields.items() if field.alias}
    values: dict[str, object] = {
        key: raw[name] for key, name in list_other_names().items() if name in raw
    }
    values |= {key: raw[alias] for alias, key in names.items() if alias in raw}
    try:
        return Settings(**(values | given | {"raw": raw}))
    except ValidationError as error:
        raise Misconfigured(
            _describe_invalid_settings(error, environ), action="inform_user"
        ) from None


def list_other_names() -> dict[str, str]:
    """The other name of each setting that has one, by field."""
    extras = {key: field.json_schema_extra for key, field in Settings.model_fields.items()}
    return {
        key: str(extra["other_name"])
        for key, extra in extras.items()
        if isinstance(extra, dict) and extra.get("other_name")
    }


def _describe_invalid_settings(error: ValidationError, environ: Mapping[str, str]) -> str:
    """Name each wrong setting, its place and what it accepts, but not its value: it may be a secret."""
    aliases = {key: field.alias or key for key, field in Settings.model_fields.items()}
    told = []
    for item in error.errors(include_input=False, include_url=False):
        field = str(item["loc"][0]) if item["loc"] else "settings"
        name = aliases.get(field, field)
        place = environment.find_setting_place(environ, name)
        told.append(f"{name}{describe_invalid_value(item)}{f' (set in {place})' if place else ''}")
    return (
        f"The configuration cannot be used: {'; '.join(told)}. "
        "Change this in the environment or the settings file."
    )


def describe_invalid_value(item: Mapping[str, Any]) -> str:
    """What an item of a ValidationError asks for, to be put after the name of the value."""
    bounds: Mapping[str, Any] = item.get("ctx") or {}
    wanted = _WANTED_BY_ERROR_TYPE.get(item["type"])
    if wanted is None:
        return f": {item['msg'].removeprefix('Value error, ')}"
    return f" must {wanted.format(**bounds)}"
