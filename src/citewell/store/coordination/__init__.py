"""What processes on one store share: leases, rate limits, and whether the store can be used."""
