"""The settings of the room `server`."""

from __future__ import annotations

from citewell.core.config import (
    NO_NAMES,
    Setting,
    SettingsSection,
    choice_of,
    count_from,
    parse_bool,
    parse_duration,
    parse_name_list,
    parse_path,
    parse_scope_list,
    parse_text,
    parse_web_address,
    seconds_from,
    text_matching,
    text_of_length,
)

_parse_header_name = text_matching(r"^[A-Za-z0-9-]{1,64}$")


class ServerSettings(SettingsSection):
    toolsets = Setting(
        "CITEWELL_TOOLSETS",
        NO_NAMES,
        "Toolsets to offer instead of the profile's, comma-separated; `all` for every tool. A plus before each, as in `+sessions`, adds them to the profile.",
        parse_name_list,
    )
    tools = Setting(
        "CITEWELL_TOOLS",
        NO_NAMES,
        "Single tools to offer, with the toolsets if any are named; a plus before each adds them to the profile.",
        parse_name_list,
    )
    read_only = Setting(
        "CITEWELL_READ_ONLY", False, "Offer only tools that change nothing.", parse_bool
    )
    structured_text = Setting(
        "CITEWELL_STRUCTURED_TEXT",
        True,
        "Repeat structured results as text, as MCP asks; false sends a short note instead, for clients that feed both to the model. `search` and `fetch` always repeat them.",
        parse_bool,
    )
    tool_timeout = Setting(
        "CITEWELL_TOOL_TIMEOUT", 60.0, "Longest run of one tool call.", parse_duration
    )
    link_threshold = Setting(
        "CITEWELL_LINK_THRESHOLD",
        24 * 1024,
        "A raw page or an export of this many bytes or more is cut to fewer, and linked whole.",
        count_from(0),
    )
    answer_limit = Setting(
        "CITEWELL_ANSWER_LIMIT",
        1_000_000,
        "The results of all other tools are whole up to this many bytes.",
        count_from(0),
    )
    rate_limit_per_user = Setting(
        "CITEWELL_RATE_LIMIT_PER_USER",
        60,
        "Tool calls a minute for each verified user; 0 for any number.",
        count_from(0, most=10**9),
    )
    rate_limit_per_tenant = Setting(
        "RATE_LIMIT_PER_TENANT",
        120,
        "Tool calls a minute for all users of one tenant together; 0 for any number.",
        count_from(0, most=10**9),
    )
    rate_limit_global = Setting(
        "RATE_LIMIT_GLOBAL",
        1000,
        "Tool calls a second for all users of all instances together; 0 for any number.",
        count_from(0, most=10**9),
    )
    rate_limit_per_ip = Setting(
        "RATE_LIMIT_PER_IP",
        0,
        "Tool calls a minute from one network address, checked before authentication; 0 for any number.",
        count_from(0, most=10**9),
    )
    daily_quota_per_user = Setting(
        "CITEWELL_DAILY_QUOTA_PER_USER",
        0,
        "Tool calls of each user from midnight to midnight UTC; 0 for any number. Answers from the cache do not count.",
        count_from(0, most=10**9),
    )
    daily_quota_per_tenant = Setting(
        "DAILY_QUOTA_PER_TENANT",
        5000,
        "The same for all users of one tenant together.",
        count_from(0, most=10**9),
    )
    max_calls_per_day = Setting(
        "MAX_CALLS_PER_DAY",
        0,
        "The same for everybody who uses this data directory or database, over stdio too.",
        count_from(0, most=10**9),
    )
    max_concurrent_per_user = Setting(
        "CITEWELL_MAX_CONCURRENT_CALLS_PER_USER",
        32,
        "Tool calls of one user that one server process runs at the same time; 0 for any number.",
        count_from(0, most=10**9),
    )
    max_concurrent_per_tenant = Setting(
        "CITEWELL_MAX_CONCURRENT_CALLS_PER_TENANT",
        128,
        "The same for all users of one tenant together.",
        count_from(0, most=10**9),
    )
    limits_file = Setting(
        "CITEWELL_LIMITS_FILE",
        None,
        "A TOML file with other limits for single tenants, one table [tenants.NAME] for each.",
        parse_path,
    )
    trust_proxy = Setting(
        "TRUST_PROXY",
        False,
        "Take the address of a caller from X-Forwarded-For, if the request comes from one of CITEWELL_TRUSTED_PROXIES.",
        parse_bool,
    )
    host = Setting("CITEWELL_HOST", "127.0.0.1", "Interface to listen on.", parse_text)
    port = Setting(
        "PORT",
        0,
        "Port to listen on; above 0 it selects HTTP mode.",
        count_from(0, most=65535),
    )
    public_url = Setting(
        "CITEWELL_PUBLIC_URL",
        None,
        "The address at which clients reach this server, such as https://research.example.org; its host is accepted.",
        parse_text,
    )
    allowed_origins = Setting(
        "ALLOWED_ORIGINS",
        NO_NAMES,
        "Origins of web pages that may call the server and read its answers (CORS). Loopback origins may call as well.",
        parse_name_list,
    )
    cors_strict = Setting(
        "CORS_STRICT",
        True,
        "Let only pages of ALLOWED_ORIGINS read answers; false lets pages of loopback origins read them too.",
        parse_bool,
    )
    allowed_hosts = Setting(
        "CITEWELL_ALLOWED_HOSTS",
        NO_NAMES,
        "Host headers that are accepted, besides loopback and the address listened on: exact names, name:port, or *.example.org for all names below a domain.",
        parse_name_list,
    )
    max_request_bytes = Setting(
        "MAX_REQUEST_BODY_BYTES", 10 * 2**20, "Largest request body accepted.", count_from(1)
    )
    max_header_bytes = Setting(
        "HTTP_MAX_HEADER_BYTES",
        64 * 1024,
        "Largest request line and headers accepted, together.",
        count_from(1024),
    )
    header_timeout = Setting(
        "HTTP_READ_HEADER_TIMEOUT",
        5.0,
        "Longest time for the headers of a request to arrive; 0 for no limit.",
        parse_duration,
    )
    body_timeout = Setting(
        "HTTP_READ_TIMEOUT",
        30.0,
        "Longest time for the body of a request to arrive; 0 for no limit.",
        parse_duration,
    )
    write_timeout = Setting(
        "HTTP_WRITE_TIMEOUT",
        30.0,
        "How long a client may take in nothing while there is something to send; 0 for no limit.",
        parse_duration,
    )
    idle_timeout = Setting(
        "HTTP_IDLE_TIMEOUT",
        120.0,
        "How long a connection is kept open between requests.",
        parse_duration,
    )
    shutdown_timeout = Setting(
        "HTTP_SHUTDOWN_TIMEOUT",
        30.0,
        "How long running calls may go on after SIGTERM.",
        parse_duration,
    )
    shutdown_delay = Setting(
        "CITEWELL_HTTP_SHUTDOWN_DELAY",
        0.0,
        "How long new connections are still accepted after SIGTERM, while /health/ready says 503, so that a load balancer can turn away.",
        parse_duration,
    )
    max_connections = Setting(
        "CITEWELL_HTTP_CONNECTIONS", 2000, "Connections open at the same time.", count_from(1)
    )
    max_address_connections = Setting(
        "CITEWELL_HTTP_CONNECTIONS_PER_ADDRESS",
        100,
        "Connections open at the same time from one address; loopback and trusted proxies have no such limit.",
        count_from(1),
    )
    max_mcp_sessions = Setting(
        "CITEWELL_HTTP_SESSIONS", 2000, "MCP sessions open at the same time.", count_from(1)
    )
    max_caller_mcp_sessions = Setting(
        "CITEWELL_HTTP_SESSIONS_PER_CALLER",
        100,
        "MCP sessions one caller (without authentication: one address) may have; beyond that the longest unused one ends.",
        count_from(1),
    )
    mcp_session_idle_timeout = Setting(
        "CITEWELL_HTTP_SESSION_IDLE_TIMEOUT",
        1800.0,
        "How long an unused MCP session is kept.",
        seconds_from(0.001),
    )
    content_policy = Setting(
        "HTTP_CSP",
        "default-src 'none'; frame-ancestors 'none'",
        "Content-Security-Policy of responses that set none themselves.",
        parse_text,
    )
    referrer_policy = Setting(
        "HTTP_REFERRER_POLICY", "no-referrer", "Referrer-Policy of responses.", parse_text
    )
    permissions_policy = Setting(
        "HTTP_PERMISSIONS_POLICY",
        "geolocation=(), camera=(), microphone=()",
        "Permissions-Policy of responses.",
        parse_text,
    )
    admin_key = Setting(
        "ADMIN_API_KEY",
        None,
        "Key (16 characters or more) for /metrics, the dashboard and the admin API, sent as X-Admin-Key. CACHE_ADMIN_KEY is read as well.",
        text_of_length(16),
        secret=True,
        other_name="CACHE_ADMIN_KEY",
    )
    admin_key_previous = Setting(
        "ADMIN_API_KEY_PREV",
        None,
        "The former admin key, accepted beside ADMIN_API_KEY while clients change to the new one.",
        text_of_length(16),
        secret=True,
    )
    open_metrics = Setting(
        "CITEWELL_OPEN_METRICS",
        False,
        "Serve /metrics to anyone who can reach the port.",
        parse_bool,
    )
    oauth_issuer = Setting(
        "OAUTH_ISSUER_URL",
        None,
        "Issuer whose access tokens are accepted over HTTP, exactly as it names itself.",
        parse_text,
    )
    oauth_audiences = Setting(
        "OAUTH_AUDIENCE",
        NO_NAMES,
        "Audiences of which a token must have one, comma-separated; the address of /mcp when not set and CITEWELL_PUBLIC_URL is.",
        parse_name_list,
    )
    oauth_jwks_url = Setting(
        "OAUTH_JWKS_URL",
        None,
        "Address of the issuer's keys, if its metadata do not tell it.",
        parse_text,
    )
    jwks_refresh = Setting(
        "JWKS_REFRESH_INTERVAL",
        3600.0,
        "How long the issuer's keys are used before a new look.",
        parse_duration,
    )
    oauth_tenant_claim = Setting(
        "OAUTH_TENANT_CLAIM",
        "tenant_id",
        "Claim with the tenant; a token without it belongs to the tenant `default`.",
        parse_text,
    )
    oauth_user_claim = Setting("OAUTH_USER_CLAIM", "sub", "Claim with the user.", parse_text)
    introspection_url = Setting(
        "OAUTH_INTROSPECTION_URL",
        None,
        "Where the issuer tells about opaque tokens, if its metadata do not say.",
        parse_text,
    )
    introspection_client_id = Setting(
        "OAUTH_INTROSPECTION_CLIENT_ID",
        None,
        "With the secret, accepts opaque tokens by asking the issuer about each.",
        parse_text,
    )
    introspection_client_secret = Setting(
        "OAUTH_INTROSPECTION_CLIENT_SECRET",
        None,
        "Belongs to OAUTH_INTROSPECTION_CLIENT_ID.",
        parse_text,
        secret=True,
    )
    enforce_scopes = Setting(
        "ENFORCE_SCOPES",
        False,
        "Let OAuth tokens call only what their scopes allow: tool:*, tool:NAME, toolset:NAME, or all of REQUIRED_SCOPES.",
        parse_bool,
    )
    required_scopes = Setting(
        "REQUIRED_SCOPES",
        NO_NAMES,
        "Scopes that together allow every tool, separated by commas or spaces; clients are told to ask for them.",
        parse_scope_list,
    )
    api_tokens = Setting(
        "CITEWELL_API_TOKENS",
        False,
        "Accept the tokens that `citewell users token create` makes, over HTTP.",
        parse_bool,
    )
    proxy_user_header = Setting(
        "CITEWELL_PROXY_USER_HEADER",
        None,
        "Header in which an authenticating proxy names the user, such as X-Forwarded-User.",
        _parse_header_name,
    )
    proxy_tenant_header = Setting(
        "CITEWELL_PROXY_TENANT_HEADER",
        None,
        "Header in which that proxy names the tenant.",
        _parse_header_name,
    )
    trusted_proxies = Setting(
        "CITEWELL_TRUSTED_PROXIES",
        NO_NAMES,
        "Addresses or networks of that proxy; from anyone else its headers are refused.",
        parse_name_list,
    )
    trace_endpoint = Setting(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        None,
        "Send traces of the HTTP server to this OpenTelemetry collector (OTLP over HTTP); needs the extra `otel`.",
        parse_web_address,
    )
    trace_service = Setting(
        "OTEL_SERVICE_NAME", "citewell", "The name of this server in traces.", parse_text
    )
    metrics_max_tenants = Setting(
        "METRICS_MAX_TENANTS",
        100,
        "Tenants that /metrics counts one by one; further ones are counted together. 0 counts all together.",
        count_from(0),
    )
    access_log = Setting(
        "CITEWELL_ACCESS_LOG",
        "debug",
        "Level at which each HTTP request is logged, with its path, status and duration: off, debug or info.",
        choice_of("off", "debug", "info", any_case=True),
    )

    @property
    def is_authenticated(self) -> bool:
        """Whether callers over HTTP have to prove who they are."""
        return bool(self.oauth_issuer or self.api_tokens or self.proxy_user_header)
