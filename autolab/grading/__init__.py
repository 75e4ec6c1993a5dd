"""`autolab grade`: the notebooks of a class, each run in a process of its own, judged by another one.

``folder`` starts and collects, ``judging`` asks, ``answering`` runs the notebook behind ``fences``, and between the two
nothing passes but the data of ``wire``. So what a notebook does in its process changes no verdict: it can only answer.
"""

from .folder import grade
from .graded import Graded, NotebookLimits

__all__ = ["Graded", "NotebookLimits", "grade"]
