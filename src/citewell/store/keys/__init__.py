"""Master keys, data keys per owner, and the encryption of rows."""
