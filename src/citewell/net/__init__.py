"""The network: guard, clients, pace, breakers and retries, browser, and the client of object stores."""
