"""The reader of every format, by the name of the format."""

from __future__ import annotations

from collections.abc import Callable

from citewell.model.reference import BibliographyDocument
from citewell.text.references import prose_references
from citewell.text.references.formats import (
    csl_references,
    endnote_tagged,
    endnote_xml,
    latex_documents,
    medline_references,
    mods_references,
    pubmed_xml,
    ris_references,
    table_references,
    web_of_science,
    word_sources,
    zotero_rdf,
)
from citewell.text.references.formats.bibtex import bibtex_references

FORMAT_READERS: dict[str, Callable[[str], BibliographyDocument]] = {
    "csl-json": csl_references.parse_csl_document,
    "ris": ris_references.parse_ris_document,
    "bibtex": bibtex_references.parse_bibtex_document,
    "prose": prose_references.parse_prose_document,
    "wos": web_of_science.parse_wos_document,
    "enw": endnote_tagged.parse_enw_document,
    "endnote-xml": endnote_xml.parse_endnote_xml,
    "nbib": medline_references.parse_nbib_document,
    "pubmed-xml": pubmed_xml.parse_pubmed_xml,
    "mods": mods_references.parse_mods_document,
    "zotero-rdf": zotero_rdf.parse_zotero_rdf,
    "word-xml": word_sources.parse_word_sources,
    "csv": table_references.parse_table_document,
    "latex": latex_documents.parse_latex_document,
}
