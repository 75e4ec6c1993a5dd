"""DeZero's names over AutoLab."""

from .. import missing
from . import functions

__all__ = ["functions"]

__getattr__ = missing(__name__)
