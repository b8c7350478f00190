"""The `citewell` command. `serve` over stdio takes a short way in: it starts with every chat window."""

from __future__ import annotations

import sys


def main() -> int:
    try:
        return _run(sys.argv[1:])
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the last line of defence says it and sets the exit code
        from citewell.cli.exits import failed

        return failed(error)


def _run(argv: list[str]) -> int:
    overrides = stdio_overrides(argv)
    if overrides is not None:
        from citewell.server.stdio import serve

        return serve(overrides)

    from citewell.cli import main as command_line

    return command_line(argv)


def stdio_overrides(argv: list[str]) -> dict[str, object] | None:
    """The settings of a plain `serve` over stdio; None when the command line must be parsed whole."""
    if argv[:1] != ["serve"] or not _over_stdio():
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
        chosen = _chosen(name, value if equals else next(rest, ""))
        if not chosen:
            return None
        overrides[name[2:]] = chosen
    return overrides


def _over_stdio() -> bool:
    """Whether no port is set; a settings file that cannot be used is the command line's to report."""
    import os

    from citewell import environment

    try:
        return environment.load(os.environ).get("PORT", "0").strip() in {"", "0"}
    except environment.Unusable:
        return False


def _chosen(name: str, value: str) -> str | tuple[str, ...]:
    """What a flag names; empty when it names nothing or looks like another flag."""
    if value.startswith("-"):
        return ""
    if name == "--profile":
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())


if __name__ == "__main__":
    sys.exit(main())
