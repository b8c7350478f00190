"""Citation styles: one module a style, each with `entry(work, accessed=…)`."""
