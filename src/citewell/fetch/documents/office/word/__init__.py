"""Reads Word documents (DOCX) and OpenDocument texts."""
