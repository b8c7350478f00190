"""The functions that worker processes may be asked to run; no other function can be."""

from __future__ import annotations

# "module:function" of every task. A task takes annotated arguments and returns an annotated value;
# both travel as JSON, `bytes` arguments beside it.
TASK_PATHS = frozenset({
    "citewell.fetch.documents.document_tasks:read_document_body",
})  # fmt: skip

# Imported before a worker gets its first task, because most tasks need them.
PRELOADED_MODULES = ("citewell.fetch.documents.document_tasks",)
