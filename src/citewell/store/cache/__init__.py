"""Entries that can be fetched again: memory, SQL and Redis tiers, single flight, artifacts and provider facts."""
