"""The lessons, a folder each: the notebook, its exercises with all that they say, and the answers that the tests try.

The names of the exercises begin with that of their folder: `lesson.check` looks for ``muladd-gz`` in ``muladd``.
"""
