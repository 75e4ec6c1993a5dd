"""The lessons, a folder each: the notebook, its exercises with all that they say, and the answers that the tests try.

The names of the exercises begin with that of their folder: ``muladd-gz`` is in ``muladd``. `lesson.check` finds it there.
"""
