"""What belongs to the lessons and no student sees, a folder each: the exercises with all that they say, and the answers
that the tests try. The notebooks are elsewhere; `autolab.lesson.shipped` says where.

The names of the exercises begin with that of their folder: `lesson.check` looks for ``muladd-gz`` in ``muladd``.
"""
