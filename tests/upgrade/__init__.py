"""Upgrades: a database of the first release, made by its own code, and what that release says to it."""
