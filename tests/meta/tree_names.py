"""The names of the source tree on which its figures depend; change them here when the tree changes."""

from __future__ import annotations

PACKAGE = "citewell"
# A module that defines one of these is loaded by its name: a tool, a provider, a site, a command.
ROLE_NAMES = frozenset({"TOOL", "SPEC", "ENDPOINTS", "command"})
# A word of its path, or a name it defines, that makes a module one of wiring.
WIRING_NAMES = frozenset({"wiring", "BUILDERS"})
# One domain (trials) and one capability (drafts), measured as examples of all.
EXAMPLE_DOMAIN = frozenset(
    {"nct_id", "condition", "intervention", "sponsor", "phase", "enrollment", "with_results", "has_results"}
)  # fmt: skip
EXAMPLE_FILTER = "intervention"
EXAMPLE_CAPABILITY = "draft"
