"""The check of a draft against its own citations."""

HELD = {
    "check_draft.text": "text is a draft with its citations and references.",
    "check_draft.artifact": "artifact names a stored text instead; without either the call is refused.",
    "check_draft.bibliography": "bibliography is the draft's list of references, if it stands apart.",
    "check_draft.format": "format takes auto, markdown, plain, html and latex, default auto.",
    "check_draft.focus": "focus takes existence, support, links and all, default all.",
    "check_draft.max_statements": "max_statements bounds the judged statements, default 500; skipped counts the rest.",
    "check_draft.style": "style writes mended references in one of the styles of format_bibliography.",
    "check_draft.find_sources": "Another source is offered with its passage where the cited one does not carry a statement; search providers, of literature first, then of the web, are asked only with find_sources.",
    "check_draft.annotations": "check_draft is read-only, idempotent and open-world.",
    "check_draft.flow": "A faulty draft gets findings with evidence, worst first, and its repaired copy is clean.",
    "check_draft.repairs": "A repair says what could be written instead, and is certain only where the identity is proved.",
    "check_draft.values": "Numbers, dates, quotations and names are compared as such, and what differs is told.",
    "check_draft.unaccused": "With registries or sites down, with a source read in part, or by a citation further on, nothing is accused.",
    "check_draft.once": "Each distinct reference is looked up once and each source read once.",
    "check_draft.repeats": "Findings that differ only in their place are shown once with their count and lines; counts, JSON, SARIF and the marked copies have every one.",
    "check_draft.cache": "A second check, also by another process, asks nobody again for what the first has found.",
    "check_draft.bounded": "After the deadline the rest is unchecked, and progress is told meanwhile.",
    "check_draft.task": "A client that knows tasks gets a task at once, on either store; the check has its own time limit, survives a restart, and its result is the report or an error.",
    "check_draft.moved": "An address that redirects permanently to another page is told with its new address.",
    "check_draft.private": "Of a draft only identifiers, titles and addresses leave, private addresses never; shared says what and to whom.",
    "prompt.checked_citations": "The prompt write-with-checked-citations leads through drafting, checking and repairing.",
}  # fmt: skip

OPEN: dict[int, dict[str, str]] = {}
