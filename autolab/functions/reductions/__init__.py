"""Sums, products, extremes, norms, quantiles and integrals along axes."""
