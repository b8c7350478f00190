"""How many calls each user, tenant and address may make, and all of them together."""
