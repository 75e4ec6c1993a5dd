"""`autolab grade`: grades the notebooks of a class, each of which is run in one process and judged by another.

``folder`` starts the processes and collects the results, ``notebook_judge`` asks, ``notebook_process`` runs the
notebook inside the sandbox of ``fences``, and only the data of ``wire`` passes between the two. So nothing that a
notebook does in its process can change a verdict: it can only answer. And its process does not contain the right
answers: ``notebook_starter`` forks it from a new interpreter.
"""

from .folder import grade
from .graded import Graded, NotebookLimits

__all__ = ["Graded", "NotebookLimits", "grade"]
