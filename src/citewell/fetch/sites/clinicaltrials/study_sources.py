"""What a study's record refers to: publications, documents, and data that will be shared."""

from __future__ import annotations

import re

from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.clinicaltrials.study_record import RecordPart

_FILE_NAME_PATTERN = re.compile(r"[\w.-]{1,100}", re.ASCII)
_MAX_PUBLICATIONS = 30


def format_publications(protocol: RecordPart) -> str:
    """The cited publications, and the links that the sponsor gives."""
    module = protocol.find_subpart("referencesModule")
    lines = []
    for one in module.list_parts("references")[:_MAX_PUBLICATIONS]:
        number, kind = one.find_plain_text("pmid"), one.find_code("type")
        link = f" [PMID {number}](https://pubmed.ncbi.nlm.nih.gov/{number}/)" if number.isdecimal() and number.isascii() else ""  # fmt: skip
        if cited := one.format_text("citation"):
            lines.append(f"- {cited}" + (f" ({kind})" if kind else "") + link)
    shown = (
        markdown_parts.format_markdown_link(
            one.find_plain_text("label") or one.find_plain_text("url"), one.find_plain_text("url")
        )
        for one in module.list_parts("seeAlsoLinks")[:_MAX_PUBLICATIONS]
    )
    lines += [f"- {link}" for link in shown if link]
    return "\n".join(lines)


def format_documents(record: RecordPart, number: str) -> str:
    """Links to the protocol and other documents that were posted with the study."""
    lines = []
    for one in record.list_parts("documentSection", "largeDocumentModule", "largeDocs"):
        name, label = one.find_plain_text("filename"), one.find_plain_text("label")
        if not _FILE_NAME_PATTERN.fullmatch(name):
            continue
        address = f"https://cdn.clinicaltrials.gov/large-docs/{number[-2:]}/{number}/{name}"
        dated = one.find_date("date")
        link = markdown_parts.format_markdown_link(label or name, address)
        lines.append(f"- {link}" + (f", {dated}" if dated else ""))
    return "\n".join(lines)


def format_data_sharing(protocol: RecordPart) -> str:
    """Whether the data of single participants will be shared, and how."""
    module = protocol.find_subpart("ipdSharingStatementModule")
    told = module.find_inline_markdown("description")
    decision = module.find_code("ipdSharing")
    return ": ".join(filter(None, [decision, told]))
