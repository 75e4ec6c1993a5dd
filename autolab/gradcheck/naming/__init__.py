"""Naming the mistake in a wrong gradient, and where it is."""
