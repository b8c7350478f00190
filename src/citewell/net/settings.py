"""The settings of the room `net`."""

from __future__ import annotations

from citewell.core.config import (
    NO_NAMES,
    Setting,
    SettingsSection,
    count_from,
    parse_bool,
    parse_duration,
    parse_name_list,
    parse_path,
    parse_text,
    parse_web_address,
    seconds_from,
    text_matching,
)


class NetSettings(SettingsSection):
    search_timeout = Setting(
        "CITEWELL_SEARCH_TIMEOUT", 10.0, "Longest wait for one search request.", parse_duration
    )
    allow_private_ips = Setting(
        "ALLOW_PRIVATE_IPS",
        False,
        "Let requests reach private and loopback addresses. For tests and closed networks only.",
        parse_bool,
        shapes_answers=True,
    )
    allow_private_hosts = Setting(
        "CITEWELL_ALLOW_PRIVATE_HOSTS",
        NO_NAMES,
        "host or host:port entries that may resolve to private addresses, such as your own SearXNG.",
        parse_name_list,
        shapes_answers=True,
    )
    allowed_domains = Setting(
        "ALLOWED_DOMAINS",
        NO_NAMES,
        "When set, pages are read only from these domains and their subdomains, redirects included.",
        parse_name_list,
        shapes_answers=True,
    )
    outbound_proxy = Setting(
        "CITEWELL_PROXY",
        None,
        "Send outbound requests through this HTTP proxy; `env` takes HTTP_PROXY, HTTPS_PROXY and NO_PROXY.",
        parse_text,
        secret=True,
    )
    ca_file = Setting(
        "CITEWELL_CA_FILE",
        None,
        "A PEM file with certificate authorities to trust besides the usual ones.",
        parse_path,
    )
    user_agent = Setting(
        "CITEWELL_USER_AGENT",
        None,
        "The User-Agent to send instead of the one that names Citewell.",
        parse_text,
    )
    contact = Setting(
        "CITEWELL_CONTACT",
        None,
        "Your mail address or page as the operator: sent in the User-Agent to APIs, which limit or refuse anonymous clients.",
        parse_text,
    )
    breaker_threshold = Setting(
        "CIRCUIT_FAILURE_THRESHOLD",
        5,
        "Failures in a row after which a provider is left alone for a while.",
        count_from(1),
    )
    breaker_reset = Setting(
        "CIRCUIT_RESET_TIMEOUT_SECONDS",
        60.0,
        "How long it is left alone before one probe.",
        parse_duration,
    )
    object_store_endpoint = Setting(
        "CITEWELL_OBJECT_STORE_ENDPOINT",
        None,
        "The address of the S3-compatible server, also for `citewell backup s3://…`; unset is Amazon's.",
        parse_web_address,
        other_name="AWS_ENDPOINT_URL",
    )
    object_store_region = Setting(
        "CITEWELL_OBJECT_STORE_REGION",
        "us-east-1",
        "The region of the bucket.",
        text_matching(r"^[a-z0-9-]{1,64}$"),
        other_name="AWS_REGION",
    )
    object_store_key_id = Setting(
        "CITEWELL_OBJECT_STORE_KEY_ID",
        None,
        "The id of the access key to the object store.",
        parse_text,
        secret=True,
        other_name="AWS_ACCESS_KEY_ID",
    )
    object_store_secret = Setting(
        "CITEWELL_OBJECT_STORE_SECRET",
        None,
        "The secret of that access key.",
        parse_text,
        secret=True,
        other_name="AWS_SECRET_ACCESS_KEY",
    )
    object_store_token = Setting(
        "CITEWELL_OBJECT_STORE_TOKEN",
        None,
        "The session token that belongs to a temporary access key.",
        parse_text,
        secret=True,
        other_name="AWS_SESSION_TOKEN",
    )
    object_store_timeout = Setting(
        "CITEWELL_OBJECT_STORE_TIMEOUT",
        30.0,
        "How long one request to the object store may take, with its repetitions.",
        seconds_from(0.1),
    )
