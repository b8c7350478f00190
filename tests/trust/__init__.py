"""The trust evaluation: citations of every kind, sound and unsound, and how many are told for what they are."""
