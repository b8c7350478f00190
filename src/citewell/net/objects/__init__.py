"""The client of S3-compatible object stores, whose address the operator sets."""
