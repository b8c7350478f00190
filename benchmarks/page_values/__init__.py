"""Fields that were asked of saved pages, with the values that a person read there."""
