"""The rights of data subjects: everything about one user as an archive, and its erasure with a receipt."""
