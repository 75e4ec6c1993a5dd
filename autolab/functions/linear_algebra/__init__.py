"""Products of arrays, linear equations, decompositions, Fourier transforms."""
