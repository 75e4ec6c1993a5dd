"""Functions of numbers, element by element, with broadcasting."""
