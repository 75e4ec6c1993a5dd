"""Debugging: values that are changed in place, and where a gradient that is NaN, zero or None comes from."""

from .inplace import check_inplace

__all__ = ["check_inplace"]
