"""Looking at functions as a whole: derivatives over a domain, matrices of derivatives, loss surfaces. Plain data."""

from .breaks import Break
from .derivatives import Curves, Derivatives, Study
from .growth import Growth, growth

__all__ = ["Break", "Curves", "Derivatives", "Growth", "Study", "growth"]
