"""The exercises of all lessons, by name."""

from ..exercise import Exercise
from . import linear, muladd, start

EXERCISES: dict[str, Exercise] = {
    exercise.name: exercise for part in (start, muladd, linear) for exercise in part.EXERCISES
}
