"""Filings of companies with securities regulators."""
