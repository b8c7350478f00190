"""EDGAR's feed of the filings that arrived last, of all filers."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from citewell.dialects.xml_responses import extract_element_text, read_xml_tree
from citewell.errors import MalformedResponse
from citewell.model.domains.company_filing import CompanyFiling, FilingQuery
from citewell.net.http.messages import HttpResponse
from citewell.providers.edgar.company_names import normalize_cik
from citewell.providers.edgar.filing_rows import (
    PROVIDER_NAME,
    build_document_address,
    has_wanted_form,
    is_accession,
    is_form_name,
    read_day,
    split_form_items,
)

LATEST_PATH = "/cgi-bin/browse-edgar"
_ATOM = "{http://www.w3.org/2005/Atom}"
_FILED_PATTERN = re.compile(r"Filed:\s{0,3}(\d{4}-\d\d-\d\d)", re.ASCII)
_ITEM_PATTERN = re.compile(r"Item (\d\.\d\d):", re.ASCII)
_MAX_SUMMARY_CHARS = 4000
_REPORTER_ROLE = "Reporting"  # a person who reports on the issuer's shares, in the same filing


def build_latest_params(form: str) -> dict[str, str]:
    """The parameters of the feed; it lists the amendments of a form too."""
    kind = form.removesuffix("/A")
    fixed = {"action": "getcurrent", "owner": "include", "count": "100", "output": "atom"}
    return fixed | ({"type": kind} if kind else {})


def read_latest_filings(response: HttpResponse, query: FilingQuery) -> list[CompanyFiling]:
    """The filings of the feed with the wanted form, once each, in its order: the newest first.

    Raises MalformedResponse if it is no feed, or has entries and none of them can be read.
    """
    feed = read_xml_tree(response)
    if feed.tag != f"{_ATOM}feed":
        raise MalformedResponse("The list of new filings is no feed.", provider=PROVIDER_NAME)
    entries = feed.findall(f"{_ATOM}entry")
    found = [filing for entry in entries if (filing := _read_entry(entry))]
    if entries and not found:
        raise MalformedResponse("None of the new filings can be read.", provider=PROVIDER_NAME)
    ranked = sorted(found, key=lambda pair: pair[0])  # the issuer of shares before its insiders
    unique = {filing.accession: filing for _, filing in reversed(ranked)}
    ordered = dict.fromkeys(filing.accession for _, filing in found)
    return [
        unique[number] for number in ordered if has_wanted_form(unique[number].form_type, query)
    ]


def _read_entry(entry: Element) -> tuple[bool, CompanyFiling] | None:
    """Whether the entry stands for somebody who only reports, and its filing; None if unreadable."""
    category = entry.find(f"{_ATOM}category")
    form = (category.get("term") or "").strip() if category is not None else ""
    accession = extract_element_text(entry, f"{_ATOM}id").rpartition("=")[2]
    title = extract_element_text(entry, f"{_ATOM}title").removeprefix(f"{form} - ")
    named, _, role = title.rpartition(" (")
    name, _, number = named.rpartition(" (")
    cik = normalize_cik(number.removesuffix(")"))
    if cik is None or not name or not is_accession(accession) or not is_form_name(form):
        return None
    summary = extract_element_text(entry, f"{_ATOM}summary")[:_MAX_SUMMARY_CHARS]
    filed = _FILED_PATTERN.search(summary)
    _, *items = _ITEM_PATTERN.split(summary)  # numbers and what they are about, by turns
    return role.startswith(_REPORTER_ROLE), CompanyFiling(
        company=name,
        cik=cik,
        form_type=form,
        accession=accession,
        url=build_document_address(cik, accession),
        source=PROVIDER_NAME,
        filing_date=read_day(filed[1]) if filed else None,
        description="; ".join(told.strip() for told in items[1::2]) or None,
        is_amendment=form.endswith("/A"),
        items=split_form_items(items[::2]),
    )
