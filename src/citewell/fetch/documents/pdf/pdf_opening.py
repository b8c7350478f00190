"""Opens the bytes of a PDF, or says why they cannot be opened."""

from __future__ import annotations

from typing import Any

from citewell.fetch.documents.document_text import Broken, EncryptedDocument
from citewell.fetch.documents.pdf.pdfium import PdfiumDocument, PdfiumFailure

_PASSWORD_ERROR_CODE = 4  # pdfium's FPDF_ERR_PASSWORD


def open_pdf(body: bytes) -> Any:
    """The document; junk before its header is passed over. Raises EncryptedDocument or Broken."""
    start = body.find(b"%PDF-", 0, 1024)
    try:
        return PdfiumDocument(body[start:] if start > 0 else body)
    except PdfiumFailure as error:
        if getattr(error, "err_code", None) == _PASSWORD_ERROR_CODE:
            raise EncryptedDocument(
                "The PDF is encrypted and opens only with a password."
            ) from None
        raise Broken("The file begins like a PDF but is damaged and cannot be opened.") from None
