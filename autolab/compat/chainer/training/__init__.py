"""``chainer.training``"""

from ... import missing
from . import extension, extensions, trainer, triggers, updaters
from .extension import PRIORITY_EDITOR, PRIORITY_READER, PRIORITY_WRITER, Extension, make_extension
from .trainer import Trainer
from .triggers import IntervalTrigger, get_trigger
from .updaters import ParallelUpdater, StandardUpdater, Updater

updater, trigger = updaters, triggers

__all__ = [
    "PRIORITY_EDITOR",
    "PRIORITY_READER",
    "PRIORITY_WRITER",
    "Extension",
    "IntervalTrigger",
    "ParallelUpdater",
    "StandardUpdater",
    "Trainer",
    "Updater",
    "extension",
    "extensions",
    "get_trigger",
    "make_extension",
    "trainer",
    "trigger",
    "triggers",
    "updater",
    "updaters",
]

__getattr__ = missing(__name__)
