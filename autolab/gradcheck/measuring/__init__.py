"""Numeric slopes of a function and how far they can be off: differences, noise, kinks, steps."""
