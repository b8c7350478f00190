"""Web addresses, domains, search operators and markdown as HTML."""
