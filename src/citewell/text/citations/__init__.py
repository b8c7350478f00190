"""Works, authors, titles and identifiers, and how they are matched and formatted."""
