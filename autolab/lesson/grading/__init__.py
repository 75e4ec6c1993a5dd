"""`autolab grade`: the notebooks of a class, each run in a process of its own, judged by another one.

``folder`` starts and collects, ``notebook_judge`` asks, ``notebook_process`` runs the notebook behind ``fences``, and
between the two nothing passes but the data of ``wire``. So what a notebook does in its process changes no verdict: it
can only answer. And nothing there knows what is right: ``notebook_starter`` forks it from a fresh interpreter.
"""

from .folder import grade
from .graded import Graded, NotebookLimits

__all__ = ["Graded", "NotebookLimits", "grade"]
