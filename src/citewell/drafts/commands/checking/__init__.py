"""What `citewell check` writes: a table, SARIF, an annotated page or copy, and repaired files."""
