"""The `citewell` command. `serve` over stdio takes a short way in: it starts with every chat window."""

from __future__ import annotations

import sys


def main() -> int:
    argv = sys.argv[1:]
    overrides = stdio_overrides(argv)
    if overrides is not None:
        from citewell.server.stdio import serve

        return serve(overrides)

    from citewell.cli import main as command_line

    return command_line(argv)


def stdio_overrides(argv: list[str]) -> dict[str, object] | None:
    """The settings of a plain `serve` over stdio; None when the command line must be parsed whole."""
    import os

    if argv[:1] != ["serve"] or os.environ.get("PORT", "0").strip() not in {"", "0"}:
        return None
    overrides: dict[str, object] = {}
    rest = iter(argv[1:])
    for word in rest:
        name, equals, value = word.partition("=")
        if name == "--read-only" and not equals:
            overrides["read_only"] = True
        elif name in {"--toolsets", "--tools", "--profile"}:
            value = value if equals else next(rest, "")
            overrides[name[2:]] = value if name == "--profile" else tuple(value.split(","))
        else:
            return None
    return overrides


if __name__ == "__main__":
    sys.exit(main())
