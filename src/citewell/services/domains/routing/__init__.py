"""What the searches of all domains share: the choice of providers, and hints."""
