"""Builds services from settings, stores and providers; one module for each folder of `services`."""
