"""Whether a gradient is right: contracts, the comparison with numeric slopes, and what leaves doubt."""
