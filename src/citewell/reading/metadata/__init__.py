"""What a page says about itself, and what its host says about its kind and authority."""
