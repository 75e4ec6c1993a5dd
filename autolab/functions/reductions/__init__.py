"""Sums, products, extrema, norms, quantiles and integrals along axes."""
