"""Everything stored, encrypted, for one process or many: cache, sessions, jobs, research and library."""
