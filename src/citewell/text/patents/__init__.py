"""Numbers, kind codes, company names and classes of patents; pure, without I/O."""
