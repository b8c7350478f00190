"""Builders that assemble services from settings, stores and providers."""
