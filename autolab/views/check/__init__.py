"""Analytic beside numeric gradients: the report, and the check lens."""
