"""Pages with the fields of a schema filled from them."""
