"""Subcommands of `citewell users` about the data that is kept of one user."""
