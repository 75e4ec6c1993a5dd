"""The exercises of all lessons, by name."""

from ..exercise import Exercise
from . import dropout, expadd, higher, linear, muladd, start

EXERCISES: dict[str, Exercise] = {
    exercise.name: exercise for part in (start, muladd, expadd, linear, dropout, higher) for exercise in part.EXERCISES
}
