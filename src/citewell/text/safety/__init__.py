"""Markup, invisible characters, injected commands and secrets in outside text."""
