"""Who is calling over HTTP: verifies tokens and proxies, and says what a caller may do."""
