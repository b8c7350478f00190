"""The brand of a company, from its own pages."""
