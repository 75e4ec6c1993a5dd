"""Numeric slopes of a function and how far they can be off: differences, noise, kinks, steps.

`gauge` takes the differences and lists the steps, `numeric_slopes` estimates the slope and its error; `differences` is
the plain `numerical_grad` for tests.
"""
