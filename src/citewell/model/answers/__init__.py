"""The answers of sessions and deep research, with the field names of the specifications."""
