"""The audit log: rows that wait, sealed segments, the chain that connects them, and its verification."""
