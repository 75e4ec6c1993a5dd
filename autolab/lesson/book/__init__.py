"""The exercises of all lessons, by name."""

from ..exercise import Exercise
from . import bugs, dropout, expadd, higher, linear, muladd, start, training

EXERCISES: dict[str, Exercise] = {
    exercise.name: exercise
    for part in (start, muladd, expadd, linear, dropout, higher, training, bugs)
    for exercise in part.EXERCISES
}
