"""Data subjects: who is kept, what is erased of them, and the record of every erasure."""
