"""What is looked up of one reference, and where: works in registries, cases in those of law."""
