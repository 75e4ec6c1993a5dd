"""Exercises of the notebooks: ``lesson.check(name, answer)`` says whether an answer is right, and helps step by step.

``lesson.report()`` returns the results as data, and ``lesson.use(folder)`` loads a lesson of your own.
"""

from .checking import check
from .outcome import Outcome
from .own import use
from .results import Result, report

__all__ = ["Outcome", "Result", "check", "report", "use"]
