"""The HTTP API for operators: consent, the data of one user, workspace members, cache and sessions."""
