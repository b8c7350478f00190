"""Cited statements of known truth over the loopback pages, and what the citation check makes of them."""
