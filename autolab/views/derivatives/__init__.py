"""A function with its derivatives as curves, and the derivative explorer."""
