"""Statements checked against their sources and built into claims with confidence."""
