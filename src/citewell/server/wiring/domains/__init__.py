"""Builds the services of the domains, one module for each."""
