"""Audits lists of recommendations: vested interests, links, host reputation, corroboration."""
