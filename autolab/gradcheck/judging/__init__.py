"""Whether a gradient is right: contracts, the comparison with numeric slopes, and reasons for doubt."""
