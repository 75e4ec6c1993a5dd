"""A function and its derivatives as curves, and the derivative explorer."""
