"""What processes on one store share: leases, rate limits, notices of changes, and whether the store can be used."""
