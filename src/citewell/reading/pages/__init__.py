"""Pages as callers read them: one page, its raw bytes, many pages of a search, and large stored results in parts."""
