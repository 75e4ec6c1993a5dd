"""``chainer.training``"""

from ... import missing
from . import extension, extensions, triggers, updaters
from .extension import Extension, make_extension
from .trainer import Trainer
from .triggers import get_trigger
from .updaters import ParallelUpdater, StandardUpdater, Updater

updater, trigger = updaters, triggers

__all__ = [
    "Extension",
    "ParallelUpdater",
    "StandardUpdater",
    "Trainer",
    "Updater",
    "extension",
    "extensions",
    "get_trigger",
    "make_extension",
    "trigger",
    "triggers",
    "updater",
    "updaters",
]

__getattr__ = missing(__name__)
