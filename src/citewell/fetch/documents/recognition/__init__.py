"""Reads scanned pages with tesseract, where it is installed, apart from server and workers."""
