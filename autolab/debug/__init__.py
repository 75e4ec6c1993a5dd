"""Debugging: detects values changed in place, and finds where a gradient that is NaN, zero or None comes from."""

from .anomalies import detect_anomaly, set_detect_anomaly
from .inplace import check_inplace

__all__ = ["check_inplace", "detect_anomaly", "set_detect_anomaly"]
