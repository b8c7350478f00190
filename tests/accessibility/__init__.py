"""Checks pages with axe-core, which npm installs here at its pinned version."""
