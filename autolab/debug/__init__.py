"""Debugging: values that are changed in place, and where a gradient that is NaN, zero or None comes from."""

from .anomalies import detect_anomaly, set_detect_anomaly
from .inplace import check_inplace

__all__ = ["check_inplace", "detect_anomaly", "set_detect_anomaly"]
