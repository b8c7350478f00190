"""Reads documents as markdown: PDF, Office, e-books, e-mail, feeds, plain text and scanned pages."""
