"""The `citewell` command. `serve` over stdio skips the CLI parser, because clients start it often."""

from __future__ import annotations

import sys


def main() -> int:
    try:
        return _run_command_line(sys.argv[1:])
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - any other error is printed and sets the exit code
        from citewell.cli.exit_codes import report_failure

        return report_failure(error)


def _run_command_line(argv: list[str]) -> int:
    overrides = parse_stdio_overrides(argv)
    if overrides is not None:
        from citewell.server.stdio.stdio_server import serve_stdio

        return serve_stdio(overrides)

    from citewell.cli import main as command_line

    return command_line(argv)


def parse_stdio_overrides(argv: list[str]) -> dict[str, object] | None:
    """The settings given to `serve` over stdio; None if the full command line parser is needed."""
    if argv[:1] != ["serve"] or not _uses_stdio():
        return None
    overrides: dict[str, object] = {}
    rest = iter(argv[1:])
    for word in rest:
        name, equals, value = word.partition("=")
        if name == "--read-only" and not equals:
            overrides["read_only"] = True
            continue
        if name not in {"--toolsets", "--tools", "--profile"}:
            return None
        chosen = _parse_flag_value(name, value if equals else next(rest, ""))
        if not chosen:
            return None
        overrides[name[2:]] = chosen
    return overrides


def _uses_stdio() -> bool:
    """True if no port is set; False for an unusable settings file, which the CLI then reports."""
    import os

    from citewell.core import environment

    try:
        return environment.load_raw_settings(os.environ).get("PORT", "0").strip() in {"", "0"}
    except environment.UnusableSettingsFile:
        return False


def _parse_flag_value(name: str, value: str) -> str | tuple[str, ...]:
    """The value of a flag; empty if it is missing or looks like another flag."""
    if value.startswith("-"):
        return ""
    if name == "--profile":
        return value
    from citewell.core.environment import split_name_list

    return split_name_list(value)


if __name__ == "__main__":
    sys.exit(main())
