"""Results of a function as its numeric arguments are moved."""
