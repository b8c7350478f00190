"""Extracts the main content of an HTML page; the entry point is `main_content.extract_main_content`."""
