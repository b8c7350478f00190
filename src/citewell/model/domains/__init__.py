"""Values of the domains: queries to their registries, records, and answers as callers receive them."""
