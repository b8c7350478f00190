from __future__ import annotations

import json
import logging
import sys

from citewell.core.tooling import Owner
from citewell.server.log_output import (
    LogContext,
    build_log_formatter,
    hash_user_name,
    hold_log_context,
)
from tests.requirements import requires

OWNER = Owner(tenant="acme", user="ada@example.org")


def record(message: str, *args: object, **more: object) -> logging.LogRecord:
    made = logging.LogRecord("citewell.x", logging.INFO, __file__, 1, message, args, None)
    for name, value in more.items():
        setattr(made, name, value)
    return made


@requires("log.json")
def test_a_json_line_names_the_request_the_tenant_and_a_hash_of_the_user() -> None:
    with hold_log_context(LogContext(request_id="r-1", owner=OWNER)):
        line = json.loads(build_log_formatter("json").format(record("%d done", 3)))

    assert line["message"] == "3 done"
    assert (line["level"], line["logger"]) == ("info", "citewell.x")
    assert (line["request_id"], line["tenant"]) == ("r-1", "acme")
    assert line["user_hash"] == hash_user_name(OWNER)
    assert "ada" not in json.dumps(line)


@requires("log.json")
def test_a_json_record_is_one_line_also_with_a_traceback() -> None:
    made = record("broken\nin two")
    try:
        int("a\nb")
    except ValueError:
        made.exc_info = sys.exc_info()

    text = build_log_formatter("json").format(made)

    assert "\n" not in text
    assert "ValueError" in json.loads(text)["exception"]


@requires("log.json")
def test_secrets_are_masked_in_both_forms() -> None:
    secret = "sk-" + "a1B2" * 10
    made = record("key %s", secret, fields={"path": f"/x?api_key={secret}"})

    assert secret not in build_log_formatter("json").format(made)
    assert secret not in build_log_formatter("text").format(made)


def test_outside_of_requests_nothing_is_named() -> None:
    assert "request_id" not in json.loads(build_log_formatter("json").format(record("started")))
    assert build_log_formatter("text").format(record("started")).endswith("started")
