"""Analytic and numeric gradients side by side: the report, and the check lens."""
