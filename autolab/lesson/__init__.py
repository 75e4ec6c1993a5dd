"""Exercises of the notebooks: ``lesson.check(name, answer)`` says if an answer is right, and helps step by step."""

from .checking import check
from .outcome import Outcome

__all__ = ["Outcome", "check"]
