"""What research found: reports, sources, claims and evidence."""
