"""Dates as pages, providers, registries, references and sentences write them."""
