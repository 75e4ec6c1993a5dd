"""Products of arrays, linear systems, decompositions, Fourier transforms."""
